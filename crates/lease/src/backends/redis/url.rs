//! `redis://…`, `rediss://…`.

use redis::Client;

use super::FORM;
use crate::tls::Files;
use crate::url::UrlError;

/// A server, and whether somebody said that it may forget.
pub(super) struct Place {
    pub(super) client: Client,
    pub(super) may_forget: bool,
}

pub(super) fn parse(url: &str) -> Result<Place, UrlError> {
    place(url).map_err(|why| UrlError::new(FORM, why))
}

fn place(url: &str) -> Result<Place, String> {
    let (url, options) = url.split_once('?').unwrap_or((url, ""));
    let (mut may_forget, mut files) = (false, Files::default());
    for option in options.split('&').filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("persistence", "acknowledged")) => may_forget = true,
            Some((name, value)) if files.take(name, value) => {}
            _ => {
                let options = "persistence=acknowledged, sslrootcert, sslcert and sslkey";
                return Err(format!("its options are {options}"));
            }
        }
    }
    // After one the client would look for options of its own, not to verify certificates among them.
    if url.contains('#') {
        return Err("a # is escaped as %23".to_owned());
    }
    let client = if url.starts_with("rediss://") {
        encrypted(url, &files)?
    } else if !url.starts_with("redis://") {
        return Err("another scheme".to_owned());
    } else if files.is_empty() {
        open(url)?
    } else {
        return Err("certificates are for rediss://".to_owned());
    };
    Ok(Place { client, may_forget })
}

/// What the error says in full may contain the URL.
fn said(error: &redis::RedisError) -> String {
    error.category().to_owned()
}

fn open(url: &str) -> Result<Client, String> {
    Client::open(url).map_err(|error| said(&error))
}

#[cfg(feature = "redis-tls")]
fn encrypted(url: &str, files: &Files) -> Result<Client, String> {
    let certificates = super::tls::certificates(files);
    let certificates = certificates.map_err(|error| match core::error::Error::source(&error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    })?;
    Client::build_with_tls(url, certificates).map_err(|error| said(&error))
}

#[cfg(not(feature = "redis-tls"))]
fn encrypted(_: &str, _: &Files) -> Result<Client, String> {
    Err("to encrypt takes the feature redis-tls".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why_not(url: &str) -> String {
        parse(url).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn a_url_names_a_server() {
        for url in ["redis://a", "redis://a:1/2", "redis://u:p@[::1]", "redis://a?"] {
            assert!(!parse(url).unwrap().may_forget, "{url}");
        }
        assert!(parse("redis://a?persistence=acknowledged").unwrap().may_forget);
        for url in ["", "a", "http://a", "redis://a:x", "redis://a?persistence=yes", "redis://a?b"]
        {
            assert!(parse(url).is_err(), "{url}");
        }
        let place = parse("redis://app:s%40cret@a").unwrap();
        let login = place.client.get_connection_info().redis_settings();
        assert_eq!((login.username(), login.password()), (Some("app"), Some("s@cret")));
    }

    #[test]
    fn certificates_need_encryption() {
        assert!(why_not("redis://a?sslrootcert=/a").contains("rediss://"));
        assert!(why_not("rediss://a/#insecure").contains("%23"));
    }

    #[cfg(not(feature = "redis-tls"))]
    #[test]
    fn encryption_takes_the_feature() {
        assert!(why_not("rediss://a").contains("redis-tls"));
    }

    #[cfg(feature = "redis-tls")]
    #[test]
    fn files_that_can_not_be_read_are_told() {
        assert!(parse("rediss://a").is_ok());
        let error = why_not("rediss://a?sslrootcert=/no%20where");
        assert!(error.contains("sslrootcert /no where can't be read: "), "{error}");
    }
}
