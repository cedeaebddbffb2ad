//! The parts of URLs that name servers. Messages about them leave the text out, which may contain a
//! password.

use core::fmt;

use percent_encoding::percent_decode_str;

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

/// The parts of `[USER:PASSWORD@]PLACE[?NAME=VALUE&…]`.
pub(crate) struct Parts<'a> {
    pub(crate) login: Option<Login>,
    pub(crate) place: &'a str,
    /// Names and values.
    pub(crate) options: Vec<(&'a str, &'a str)>,
}

/// Splits the rest of a URL after its `scheme://`.
pub(crate) fn parts(rest: &str) -> Result<Parts<'_>, String> {
    if rest.contains('#') {
        return Err("a # is escaped as %23".to_owned());
    }
    let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
    let (login, place) = match place.rsplit_once('@') {
        Some((login, place)) => (Some(self::login(login)?), place),
        None => (None, place),
    };
    let options = options.split('&').filter(|option| !option.is_empty());
    let options = options.map(|option| option.split_once('=').unwrap_or((option, ""))).collect();
    Ok(Parts { login, place, options })
}

fn login(text: &str) -> Result<Login, String> {
    let decoded = |text| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
    let login = text.split_once(':').and_then(|(user, password)| {
        Some(Login { user: decoded(user)?, password: decoded(password)? })
    });
    login.ok_or_else(|| "before the @ are a user, a colon and a password".to_owned())
}

/// Parses a host and a port.
pub(crate) fn endpoint(text: &str, default_port: u16) -> Result<(&str, u16), String> {
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
        return Err("a server is a host and a port, without a path".to_owned());
    }
    let port = port.map_or(Ok(default_port), str::parse);
    Ok((host, port.map_err(|_| "a port is a number up to 65535".to_owned())?))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn logins_are_decoded_and_hidden() {
        let Parts { login, place, options } = parts("app:s%40cret:x@a,b?c=d&e").unwrap();
        let login = login.unwrap();
        assert_eq!((&*login.user, &*login.password), ("app", "s@cret:x"));
        assert_eq!(format!("{login:?}"), "Login { user: \"app\", .. }");
        assert_eq!((place, &*options), ("a,b", &[("c", "d"), ("e", "")][..]));
        for rest in ["secret@a", "u:secret%ff@a", "u:p@a/#secret"] {
            assert!(!parts(rest).err().unwrap().contains("secret"), "{rest}");
        }
    }
}
