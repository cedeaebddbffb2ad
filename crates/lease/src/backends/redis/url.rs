//! `redis://…`, `rediss://…`.

use crate::url::{Form, Login};

#[cfg(feature = "redis-tls")]
pub(super) type Tls = std::sync::Arc<rustls::ClientConfig>;

/// Connections are not encrypted.
#[cfg(not(feature = "redis-tls"))]
pub(super) enum Tls {}

const FORM: Form = Form {
    text: "redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE][?OPTION=VALUE&…]",
    schemes: &[("redis", false), ("rediss", true)],
    port: 6_379,
    options: &["persistence=acknowledged"],
    lacks: if cfg!(feature = "redis-tls") { None } else { Some("redis-tls") },
};

/// A server and the ways to connect to it.
pub(super) struct Place {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) login: Option<Login>,
    pub(super) database: u32,
    /// The server may lose acknowledged writes.
    pub(super) may_forget: bool,
    pub(super) tls: Option<Tls>,
}

pub(super) fn parse(url: &str) -> Result<Place, String> {
    let url = FORM.parse(url)?;
    let (host, port) = url.host().map_err(|why| FORM.error(why))?;
    let database = if url.path.is_empty() { Ok(0) } else { url.path.parse() };
    #[cfg(feature = "redis-tls")]
    let tls = url.encryption.map(|files| files.client_config().map(Into::into)).transpose();
    #[cfg(not(feature = "redis-tls"))]
    let tls = Ok::<_, String>(None);
    Ok(Place {
        host: host.to_owned(),
        port,
        login: url.login,
        database: database.map_err(|_| FORM.error("a database is a number"))?,
        may_forget: !url.options.is_empty(),
        tls: tls.map_err(|error| FORM.error(&error.to_string()))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_server() {
        for url in
            ["redis://a", "redis://a:1/2", "redis://u:p@[::1]", "redis://:p@a/", "redis://a?"]
        {
            assert!(!parse(url).unwrap().may_forget, "{url}");
        }
        let place = parse("redis://app:s%40cret@a:7/3?persistence=acknowledged").unwrap();
        assert_eq!((&*place.host, place.port, place.database), ("a", 7, 3));
        assert!(place.may_forget && place.tls.is_none());
        for url in ["http://a", "redis://a/b", "redis://a,b", "redis://a?persistence=yes"] {
            assert!(parse(url).is_err(), "{url}");
        }
    }

    #[cfg(feature = "redis-tls")]
    #[test]
    fn unreadable_files_are_reported() {
        assert!(parse("rediss://a").unwrap().tls.is_some());
        let error = parse("rediss://a?sslrootcert=/no%20where").map(|_| ()).unwrap_err();
        assert!(error.contains("sslrootcert /no where"), "{error}");
    }
}
