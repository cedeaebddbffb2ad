//! `redis://…`, `rediss://…`.

use crate::tls::Files;
use crate::url::{self, Login, Parts};

/// The form of a URL.
const FORM: &str = "redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE][?OPTION=VALUE&…]";
const OPTIONS: &str = "persistence=acknowledged, sslrootcert, sslcert and sslkey";
const PORT: u16 = 6_379;

/// A server and the ways to connect to it.
pub(super) struct Place {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) login: Option<Login>,
    pub(super) database: u32,
    /// The server may lose acknowledged writes.
    pub(super) may_forget: bool,
    pub(super) is_encrypted: bool,
    #[cfg(feature = "redis-tls")]
    pub(super) tls: Option<std::sync::Arc<rustls::ClientConfig>>,
}

pub(super) fn parse(url: &str) -> Result<Place, String> {
    place(url).map_err(|why| format!("its URL is {FORM}: {why}"))
}

fn place(url: &str) -> Result<Place, String> {
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let is_encrypted = match scheme {
        "redis" => false,
        "rediss" => true,
        _ => return Err("another scheme".to_owned()),
    };
    let Parts { login, place, options } = url::parts(rest)?;
    let (server, database) = place.split_once('/').unwrap_or((place, ""));
    let (host, port) = url::endpoint(server, PORT)?;
    let database = if database.is_empty() { Ok(0) } else { database.parse() };
    let (mut may_forget, mut files) = (false, Files::default());
    for (name, value) in options {
        match (name, value) {
            ("persistence", "acknowledged") => may_forget = true,
            (name, value) if files.take(name, value) => {}
            _ => return Err(format!("its options are {OPTIONS}")),
        }
    }
    if !is_encrypted && !files.is_empty() {
        return Err("certificates are for rediss://".to_owned());
    }
    #[cfg(not(feature = "redis-tls"))]
    if is_encrypted {
        return Err("encryption takes the feature redis-tls".to_owned());
    }
    Ok(Place {
        host: host.to_owned(),
        port,
        login,
        database: database.map_err(|_| "a database is a number".to_owned())?,
        may_forget,
        is_encrypted,
        #[cfg(feature = "redis-tls")]
        tls: if is_encrypted {
            let config = files.client_config().map_err(|error| error.to_string())?;
            Some(std::sync::Arc::new(config))
        } else {
            None
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(url: &str) -> String {
        parse(url).map(|_| ()).unwrap_err()
    }

    #[test]
    fn a_url_names_a_server() {
        for url in
            ["redis://a", "redis://a:1/2", "redis://u:p@[::1]", "redis://:p@a/", "redis://a?"]
        {
            assert!(!parse(url).unwrap().may_forget, "{url}");
        }
        let place = parse("redis://app:s%40cret@a:7/3?persistence=acknowledged").unwrap();
        assert_eq!((&*place.host, place.port, place.database), ("a", 7, 3));
        assert!(place.may_forget);
        for url in ["", "a", "http://a", "redis://", "redis://a:x", "redis://a/b", "redis://a?b"] {
            assert!(parse(url).is_err(), "{url}");
        }
        assert!(refusal("redis://secret@a?persistence=yes").contains("colon"));
        assert!(!refusal("redis://u:secret@a?persistence=yes").contains("secret"));
    }

    #[test]
    fn certificates_need_encryption() {
        assert!(refusal("redis://a?sslrootcert=/a").contains("rediss://"));
        assert!(refusal("rediss://a/#insecure").contains("%23"));
    }

    #[cfg(not(feature = "redis-tls"))]
    #[test]
    fn encryption_needs_the_feature() {
        assert!(refusal("rediss://a").contains("redis-tls"));
    }

    #[cfg(feature = "redis-tls")]
    #[test]
    fn unreadable_files_are_reported() {
        assert!(parse("rediss://a").is_ok());
        let error = refusal("rediss://a?sslrootcert=/no%20where");
        assert!(error.contains("sslrootcert /no where"), "{error}");
    }
}
