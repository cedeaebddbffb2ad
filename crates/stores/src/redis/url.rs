//! `redis://…`, `rediss://…`.

use crate::tls::Encryption;
use crate::url::{Login, UrlForm};

const FORM: UrlForm = UrlForm {
    text: "redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE][?OPTION=VALUE&…]",
    schemes: &[("redis", false), ("rediss", true)],
    port: 6_379,
    options: &["appendfsync=always", "persistence=acknowledged"],
};

/// The settings that decide how a server keeps what it acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Persistence {
    /// The server shows that it does.
    Shown,
    /// The URL states that `appendfsync` is `always`, and the server shows the rest.
    FlushStated,
    /// It may lose acknowledged writes.
    MayForget,
}

/// A server and the ways to connect to it.
pub(super) struct Place {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) login: Option<Login>,
    pub(super) database: u32,
    pub(super) persistence: Persistence,
    pub(super) tls: Option<Encryption>,
}

pub(super) fn parse(url: &str) -> Result<Place, String> {
    let url = FORM.parse(url)?;
    let (host, port) = url.host().map_err(|why| FORM.error(why))?;
    let database = if url.path.is_empty() { Ok(0) } else { url.path.parse() };
    let tls = crate::tls::encryption(url.encryption.as_ref());
    Ok(Place {
        host: host.to_owned(),
        port,
        login: url.login,
        database: database.map_err(|_| FORM.error("a database is a number"))?,
        persistence: match url.options.iter().map(|(name, _)| *name).max() {
            None => Persistence::Shown,
            Some("appendfsync") => Persistence::FlushStated,
            Some(_) => Persistence::MayForget,
        },
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
            assert_eq!(parse(url).unwrap().persistence, Persistence::Shown, "{url}");
        }
        let place = parse("redis://app:s%40cret@a:7/3?appendfsync=always").unwrap();
        assert_eq!((&*place.host, place.port, place.database), ("a", 7, 3));
        assert!(place.persistence == Persistence::FlushStated && place.tls.is_none());
        for url in [
            "redis://a?persistence=acknowledged",
            "redis://a?persistence=acknowledged&appendfsync=always",
        ] {
            assert_eq!(parse(url).unwrap().persistence, Persistence::MayForget, "{url}");
        }
        for url in ["http://a", "redis://a/b", "redis://a,b", "redis://a?appendfsync=no"] {
            assert!(parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn unreadable_files_are_reported() {
        assert!(parse("rediss://a").unwrap().tls.is_some());
        let error = parse("rediss://a?sslrootcert=/no%20where").map(|_| ()).unwrap_err();
        assert!(error.contains("sslrootcert /no where"), "{error}");
    }
}
