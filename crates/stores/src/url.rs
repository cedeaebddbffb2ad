//! URLs that name servers. Messages about them leave the text out, which may contain a password.

#![cfg_attr(not(feature = "redis"), allow(dead_code, reason = "each backend takes other parts"))]

use core::fmt;

use percent_encoding::percent_decode_str;

use crate::tls::{Files, decoded};

/// A user and a password.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

/// The form of a backend's URLs: `SCHEME://[USER:PASSWORD@]HOST[:PORT],…[/PATH][?OPTION=VALUE&…]`.
///
/// Encryption is in libpq's words. Nothing falls back to plain text, and every certificate is
/// verified.
pub(crate) struct UrlForm {
    /// As messages show it.
    pub(crate) text: &'static str,
    /// Each scheme, and whether it encrypts.
    pub(crate) schemes: &'static [(&'static str, bool)],
    pub(crate) port: u16,
    /// The options apart from encryption, with a value, or `NAME=` for any value.
    pub(crate) options: &'static [&'static str],
}

/// The parts of a URL.
#[derive(Debug)]
pub(crate) struct Url<'a> {
    pub(crate) login: Option<Login>,
    /// Addresses of IPv6 are in brackets.
    pub(crate) hosts: Vec<(&'a str, u16)>,
    pub(crate) path: &'a str,
    /// Names and values.
    pub(crate) options: Vec<(&'a str, String)>,
    /// The certificates, if connections are encrypted.
    pub(crate) encryption: Option<Files>,
}

impl UrlForm {
    pub(crate) fn parse<'a>(&self, url: &'a str) -> Result<Url<'a>, String> {
        self.split(url).map_err(|why| self.error(&why))
    }

    /// Returns the message about a URL of another form.
    pub(crate) fn error(&self, why: &str) -> String {
        format!("its URL is {}: {why}", self.text)
    }

    fn split<'a>(&self, url: &'a str) -> Result<Url<'a>, String> {
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        let scheme = self.schemes.iter().find(|(name, _)| *name == scheme);
        let (_, is_secure) = *scheme.ok_or("another scheme")?;
        if rest.contains('#') {
            return Err("a # is escaped as %23".to_owned());
        }
        // The last @ ends the login, because passwords with an unescaped @ are common.
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (login, place) = match place.rsplit_once('@') {
            Some((login, place)) => (Some(self::login(login)?), place),
            None => (None, place),
        };
        let (hosts, path) = place.split_once('/').unwrap_or((place, ""));
        let hosts = hosts.split(',').map(|host| endpoint(host, self.port));
        let hosts = hosts.collect::<Result<_, _>>()?;
        let (mut mode, mut files, mut options) = (None, Files::default(), Vec::new());
        for option in query.split('&').filter(|option| !option.is_empty()) {
            // A form that ends in = takes any value, and another one is the whole option.
            let is_known = |form: &&str| match form.strip_suffix('=') {
                Some(_) => option.starts_with(*form),
                None => option == *form,
            };
            match option.split_once('=').unwrap_or((option, "")) {
                ("sslmode", "disable") => mode = Some(false),
                ("sslmode", "require" | "verify-full") => mode = Some(true),
                ("sslmode", _) => {
                    return Err("sslmode is disable, require or verify-full".to_owned());
                }
                (name, value) if files.take(name, value) => {}
                (name, value) if self.options.iter().any(is_known) => {
                    options.push((name, decoded(value)));
                }
                _ => {
                    let own: String = self.options.iter().flat_map(|form| [form, ", "]).collect();
                    return Err(format!(
                        "its options are {own}sslmode, sslrootcert, sslcert and sslkey"
                    ));
                }
            }
        }
        // A URL that names a certificate asks for encryption.
        let is_encrypted = mode.unwrap_or(is_secure || !files.is_empty());
        if is_secure && !is_encrypted {
            return Err("its scheme encrypts".to_owned());
        }
        let encryption = is_encrypted.then_some(files);
        Ok(Url { login, hosts, path, options, encryption })
    }
}

impl<'a> Url<'a> {
    /// Returns the only host.
    pub(crate) fn host(&self) -> Result<(&'a str, u16), &'static str> {
        match *self.hosts {
            [host] => Ok(host),
            _ => Err("it names one server"),
        }
    }
}

fn login(text: &str) -> Result<Login, String> {
    let decoded = |text| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
    let login = text.split_once(':').and_then(|(user, password)| {
        Some(Login { user: decoded(user)?, password: decoded(password)? })
    });
    login.ok_or_else(|| "before the @ are a user, a colon and a password".to_owned())
}

/// Parses a host and a port.
fn endpoint(text: &str, default_port: u16) -> Result<(&str, u16), String> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let is_name = |host: &str| {
        let is_letter =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        !host.is_empty() && host.bytes().all(is_letter)
    };
    let literal = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_address = literal.is_some_and(|host| host.parse::<core::net::Ipv6Addr>().is_ok());
    if !is_name(host) && !is_address {
        return Err("a server is a host and a port".to_owned());
    }
    let port = port.map_or(Ok(default_port), str::parse);
    Ok((host, port.map_err(|_| "a port is a number up to 65535".to_owned())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: UrlForm = UrlForm {
        text: "x://…",
        schemes: &[("x", false), ("xs", true)],
        port: 7,
        options: &["c=", "d=e"],
    };

    fn refusal(url: &str) -> String {
        FORM.parse(url).map(|_| ()).unwrap_err()
    }

    #[test]
    fn endpoints_parse() {
        assert_eq!(endpoint("a", 7), Ok(("a", 7)));
        assert_eq!(endpoint("10.0.0.1:1", 7), Ok(("10.0.0.1", 1)));
        assert_eq!(endpoint("[::1]", 7), Ok(("[::1]", 7)));
        assert_eq!(endpoint("[::1]:8", 7), Ok(("[::1]", 8)));
        for text in ["", "a:", "a:b", "a:65536", "::1", "[a]", "u:p@a", "a/b", "a b", "a?b"] {
            assert!(endpoint(text, 7).is_err(), "{text}");
        }
    }

    #[test]
    fn a_url_has_parts() {
        let url = FORM.parse("x://app:s%40cret:x@a,b:1/p/q?c=%20d&d=e&").unwrap();
        let login = url.login.as_ref().unwrap();
        assert_eq!((&*login.user, &*login.password), ("app", "s@cret:x"));
        assert_eq!((&*url.hosts, url.path), (&[("a", 7), ("b", 1)][..], "p/q"));
        assert_eq!(url.options, [("c", " d".to_owned()), ("d", "e".to_owned())]);
        assert!(url.host().is_err() && FORM.parse("x://a").unwrap().host().is_ok());
        for url in ["", "a", "y://a", "x:a", "x://", "x://a,,b", "x://a:b", "x://a?d=f", "x://a?f"]
        {
            assert!(FORM.parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let url = FORM.parse("x://app:secret@a").unwrap();
        assert!(!format!("{url:?}").contains("secret"), "{url:?}");
        for url in ["x://secret@a", "x://u:secret%ff@a", "x://u:p@a/#secret", "x://u:secret@a?f"] {
            assert!(!refusal(url).contains("secret"), "{url}");
        }
        assert!(refusal("x://secret@a").contains("colon"));
    }

    #[test]
    fn options_turn_encryption_on() {
        let is_encrypted = |url| FORM.parse(url).unwrap().encryption.is_some();
        for url in ["x://a", "x://a?sslmode=disable"] {
            assert!(!is_encrypted(url), "{url}");
        }
        for url in
            ["x://a?sslmode=require", "x://a?sslmode=verify-full", "x://a?sslcert=/a", "xs://a"]
        {
            assert!(is_encrypted(url), "{url}");
        }
        assert!(refusal("xs://a?sslmode=disable").contains("its scheme encrypts"));
        assert!(refusal("x://a?sslmode=prefer").contains("sslmode is"));
    }
}
