//! `etcd://…`.

use crate::tls::Files;
use crate::url::{self, Login, Parts};

#[cfg(feature = "etcd-tls")]
pub(super) use super::tls::Tls;

/// Connections are not encrypted.
#[cfg(not(feature = "etcd-tls"))]
pub(super) enum Tls {}

/// The form of a URL.
const FORM: &str = "etcd://[USER:PASSWORD@]HOST[:PORT],…[?OPTION=VALUE&…]";
const OPTIONS: &str = "sslmode, sslrootcert, sslcert and sslkey";
const PORT: u16 = 2_379;

/// The members of a cluster and the way to connect to them.
pub(super) struct Place {
    /// Host and port of each.
    pub(super) endpoints: Vec<String>,
    pub(super) login: Option<Login>,
    pub(super) tls: Option<Tls>,
}

pub(super) fn parse(url: &str) -> Result<Place, String> {
    let place = url.strip_prefix("etcd://").ok_or_else(|| "another scheme".to_owned());
    place.and_then(parse_rest).map_err(|why| format!("its URL is {FORM}: {why}"))
}

fn parse_rest(rest: &str) -> Result<Place, String> {
    let Parts { login, place, options } = url::parts(rest)?;
    if login.as_ref().is_some_and(|login| login.user.is_empty()) {
        return Err("before the @ are a user, a colon and a password".to_owned());
    }
    let endpoint = |text| url::endpoint(text, PORT).map(|(host, port)| format!("{host}:{port}"));
    let endpoints = place.split(',').map(endpoint).collect::<Result<_, _>>()?;
    // In libpq's words. Nothing falls back to plain text: etcd's own clients do not, either.
    let (mut mode, mut files) = (None, Files::default());
    for (name, value) in options {
        match (name, value) {
            ("sslmode", "disable") => mode = Some(false),
            ("sslmode", "require" | "verify-full") => mode = Some(true),
            ("sslmode", _) => return Err("sslmode is disable, require or verify-full".to_owned()),
            (name, value) if files.take(name, value) => {}
            _ => return Err(format!("its options are {OPTIONS}")),
        }
    }
    let is_encrypted = mode.unwrap_or(!files.is_empty());
    let tls = if is_encrypted { Some(encrypted(&files)?) } else { None };
    Ok(Place { endpoints, login, tls })
}

#[cfg(feature = "etcd-tls")]
fn encrypted(files: &Files) -> Result<Tls, String> {
    Tls::new(files).map_err(|error| error.to_string())
}

#[cfg(not(feature = "etcd-tls"))]
fn encrypted(_: &Files) -> Result<Tls, String> {
    Err("encryption takes the feature etcd-tls".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(url: &str) -> String {
        parse(url).map(|_| ()).unwrap_err()
    }

    #[test]
    fn a_url_names_the_members() {
        let place = parse("etcd://a,b:1,[::1]").unwrap();
        assert_eq!(place.endpoints, ["a:2379", "b:1", "[::1]:2379"]);
        assert!(place.login.is_none() && place.tls.is_none());
        assert_eq!(parse("etcd://app:p@a,b").unwrap().login.unwrap().user, "app");
        for url in ["etcd://", "etcd://a,,b", "etcd:a", "http://a", "", "etcd://:p@a"] {
            assert!(parse(url).is_err(), "{url}");
        }
        assert!(!refusal("etcd://u:secret@a/b").contains("secret"));
    }

    #[test]
    fn modes_have_libpq_names() {
        assert!(parse("etcd://a?sslmode=disable").unwrap().tls.is_none());
        for options in ["sslmode=prefer", "sslmode=", "a=b", "a", "sslrootcert=/nowhere"] {
            assert!(parse(&format!("etcd://a?{options}")).is_err(), "{options}");
        }
    }

    #[cfg(not(feature = "etcd-tls"))]
    #[test]
    fn encryption_needs_the_feature() {
        for option in ["sslmode=require", "sslmode=verify-full", "sslrootcert=/a", "sslcert=/a"] {
            assert!(refusal(&format!("etcd://a?{option}")).contains("etcd-tls"), "{option}");
        }
    }

    #[cfg(feature = "etcd-tls")]
    #[test]
    fn options_turn_encryption_on() {
        for option in ["sslmode=require", "sslmode=verify-full"] {
            assert!(parse(&format!("etcd://a?{option}")).unwrap().tls.is_some(), "{option}");
        }
        let error = refusal("etcd://a?sslrootcert=/no%20where");
        assert!(error.contains("sslrootcert /no where cannot be read: "), "{error}");
    }
}
