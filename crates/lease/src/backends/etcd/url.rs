//! `etcd://…`.

use core::fmt;
use core::ops::RangeInclusive;

use percent_encoding::percent_decode_str;

use super::FORM;
use crate::tls::Files;
use crate::url::UrlError;

#[cfg(feature = "etcd-tls")]
pub(super) use super::tls::Tls;

/// Connections are not encrypted.
#[cfg(not(feature = "etcd-tls"))]
#[derive(Clone)]
pub(super) enum Tls {}

const PORT: u16 = 2_379;

/// How many seconds an etcd lease may hold. etcd itself grants none that is shorter than one and a half of its
/// election time-outs; one that is longer than the windows does not release anything sooner.
const LEASE_TTL: RangeInclusive<u32> = 2..=3_600;

/// Where the members are, who asks, how connections are encrypted, if they are, and for how many seconds without a
/// sign of life a holder is taken for alive, if that is not for ever.
pub(super) struct Place {
    pub(super) endpoints: Vec<String>,
    pub(super) login: Option<Login>,
    pub(super) tls: Option<Tls>,
    pub(super) lease_ttl: Option<u32>,
}

/// A user and a password.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Login {
    pub(super) user: String,
    pub(super) password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

pub(super) fn parse(url: &str) -> Result<Place, UrlError> {
    let place = url.strip_prefix("etcd://").ok_or_else(|| "another scheme".to_owned());
    place.and_then(parse_rest).map_err(|why| UrlError::new(FORM, why))
}

fn parse_rest(rest: &str) -> Result<Place, String> {
    let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
    let (login, members) = match place.rsplit_once('@') {
        Some((login, members)) => (Some(self::login(login)?), members),
        None => (None, place),
    };
    let endpoints = members.split(',').map(endpoint).collect::<Result<_, _>>()?;
    let Options { lease_ttl, tls } = self::options(options)?;
    Ok(Place { endpoints, login, tls, lease_ttl })
}

/// Without showing it.
fn login(text: &str) -> Result<Login, String> {
    let decoded = |text| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
    let login = text.split_once(':').and_then(|(user, password)| {
        Some(Login { user: decoded(user)?, password: decoded(password)? })
    });
    let login = login.filter(|login| !login.user.is_empty());
    login.ok_or_else(|| "before the @ are a user, a colon and a password".to_owned())
}

/// Host and port of a member.
fn endpoint(text: &str) -> Result<String, String> {
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
        return Err("a member is a host and a port, without a path".to_owned());
    }
    let port = port.map_or(Ok(PORT), str::parse);
    let port = port.map_err(|_| format!("the port of {host} is none"))?;
    Ok(format!("{host}:{port}"))
}

struct Options {
    tls: Option<Tls>,
    lease_ttl: Option<u32>,
}

/// Those of encryption are in libpq's words. There is no falling back to plain text: etcd's own clients don't, either.
fn options(options: &str) -> Result<Options, String> {
    let (mut mode, mut files, mut lease_ttl) = (None, Files::default(), None);
    for option in options.split('&').filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("sslmode", "disable")) => mode = Some(false),
            Some(("sslmode", "require" | "verify-full")) => mode = Some(true),
            Some(("sslmode", _)) => {
                return Err("sslmode is disable, require or verify-full".to_owned());
            }
            Some(("lease_ttl", value)) => lease_ttl = Some(seconds(value)?),
            Some((name, value)) if files.take(name, value) => {}
            _ => {
                let options = "lease_ttl, sslmode, sslrootcert, sslcert and sslkey";
                return Err(format!("its options are {options}"));
            }
        }
    }
    let is_encrypted = mode.unwrap_or(!files.is_empty());
    let tls = if is_encrypted { Some(encrypted(&files)?) } else { None };
    Ok(Options { tls, lease_ttl })
}

fn seconds(text: &str) -> Result<u32, String> {
    let (least, most) = (LEASE_TTL.start(), LEASE_TTL.end());
    // Not `+5`, which is a number to `parse`.
    let number = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok());
    number
        .flatten()
        .filter(|seconds| LEASE_TTL.contains(seconds))
        .ok_or_else(|| format!("lease_ttl is a whole number of seconds from {least} to {most}"))
}

#[cfg(feature = "etcd-tls")]
fn encrypted(files: &Files) -> Result<Tls, String> {
    Tls::new(files).map_err(|error| match core::error::Error::source(&error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    })
}

#[cfg(not(feature = "etcd-tls"))]
fn encrypted(_: &Files) -> Result<Tls, String> {
    Err("to encrypt takes the feature etcd-tls".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_the_members() {
        assert_eq!(endpoint("a"), Ok("a:2379".to_owned()));
        assert_eq!(endpoint("10.0.0.1:1"), Ok("10.0.0.1:1".to_owned()));
        assert_eq!(endpoint("[::1]"), Ok("[::1]:2379".to_owned()));
        assert_eq!(endpoint("[::1]:7"), Ok("[::1]:7".to_owned()));
        for text in ["", "a:", "a:b", "a:65536", "::1", "[a]", "u:p@a", "a/b", "a b", "a?b"] {
            assert!(endpoint(text).is_err(), "{text}");
        }
        let place = parse("etcd://a,b:1").unwrap();
        assert_eq!(place.endpoints, ["a:2379", "b:1"]);
        assert!(place.login.is_none() && place.tls.is_none());
        for url in ["etcd://", "etcd://a,,b", "etcd:a", "http://a", ""] {
            assert!(parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_url_says_who_asks_and_nothing_shows_the_password() {
        let login = parse("etcd://app:s%40cret:x@a,b").unwrap().login.unwrap();
        assert_eq!((&*login.user, &*login.password), ("app", "s@cret:x"));
        assert_eq!(format!("{login:?}"), "Login { user: \"app\", .. }");
        for url in
            ["etcd://secret@a", "etcd://:secret@a", "etcd://u:secret@a/b", "etcd://u:secret%ff@a"]
        {
            let error = parse(url).map(|_| ()).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
        }
    }

    #[test]
    fn encryption_is_asked_for_in_libpqs_words() {
        assert!(parse("etcd://a?sslmode=disable").unwrap().tls.is_none());
        for options in ["sslmode=prefer", "sslmode=", "a=b", "a", "sslrootcert=/nowhere"] {
            assert!(parse(&format!("etcd://a?{options}")).is_err(), "{options}");
        }
    }

    #[test]
    fn an_etcd_lease_is_asked_for_by_its_seconds() {
        assert_eq!(parse("etcd://a").unwrap().lease_ttl, None);
        for (text, seconds) in [("2", 2), ("005", 5), ("3600", 3_600)] {
            let place = parse(&format!("etcd://a?sslmode=disable&lease_ttl={text}")).unwrap();
            assert_eq!(place.lease_ttl, Some(seconds), "{text}");
        }
        for text in ["", "0", "1", "3601", "4294967296", "+5", "-5", "5s", "5.0", " 5", "five"] {
            let error = parse(&format!("etcd://a?lease_ttl={text}")).map(|_| ()).unwrap_err();
            let why = "lease_ttl is a whole number of seconds from 2 to 3600";
            assert!(error.to_string().ends_with(why), "{text}: {error}");
        }
        let error = parse("etcd://a?lease=5").map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("its options are lease_ttl, sslmode"), "{error}");
    }

    #[cfg(not(feature = "etcd-tls"))]
    #[test]
    fn encryption_takes_the_feature() {
        for option in ["sslmode=require", "sslmode=verify-full", "sslrootcert=/a", "sslcert=/a"] {
            let error = parse(&format!("etcd://a?{option}")).map(|_| ()).unwrap_err();
            assert!(error.to_string().contains("etcd-tls"), "{error}");
        }
    }

    #[cfg(feature = "etcd-tls")]
    #[test]
    fn encryption_is_asked_for_by_a_mode_or_by_a_file() {
        for option in ["sslmode=require", "sslmode=verify-full"] {
            assert!(parse(&format!("etcd://a?{option}")).unwrap().tls.is_some(), "{option}");
        }
        let error = parse("etcd://a?sslrootcert=/no%20where").map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("sslrootcert /no where can't be read: "), "{error}");
    }
}
