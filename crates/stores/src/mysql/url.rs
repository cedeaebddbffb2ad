//! `mysql://…`.

use tickid_lease::StoreError;

use crate::error;
use crate::tls::Encryption;
use crate::url::{Login, UrlForm};

pub(super) const NAME: &str = "MySQL";

const FORM: UrlForm = UrlForm {
    text: "mysql://[USER:PASSWORD@]HOST[:PORT]/DATABASE[?OPTION=VALUE&…]",
    schemes: &[("mysql", false), ("mariadb", false)],
    port: 3_306,
    options: &["socket="],
};

/// A server and the ways to connect to it.
pub(super) struct Place {
    /// Addresses of IPv6 are without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// A socket of this machine in place of host and port.
    pub(super) socket: Option<String>,
    pub(super) login: Login,
    pub(super) database: String,
    pub(super) tls: Option<Encryption>,
}

pub(super) fn parse(url: &str) -> Result<Place, StoreError> {
    let no_url = |why: &str| error::url(NAME, FORM.error(why));
    let url = FORM.parse(url).map_err(|why| error::url(NAME, why))?;
    let (host, port) = url.host().map_err(no_url)?;
    if url.path.is_empty() {
        return Err(no_url("it names a database"));
    }
    let root = || Login { user: "root".to_owned(), password: String::new() };
    let login = url.login.unwrap_or_else(root);
    // The protocol ends texts with it.
    if [&login.user, &login.password, url.path].iter().any(|text| text.contains('\0')) {
        return Err(no_url("its texts contain no zero"));
    }
    let tls = crate::tls::encryption(url.encryption.as_ref());
    let unreadable = |error| error::failed(NAME, "read its certificates").with_source(error);
    Ok(Place {
        host: host.trim_matches(['[', ']']).to_owned(),
        port,
        socket: url.options.into_iter().map(|(_, socket)| socket).next_back(),
        login,
        database: url.path.to_owned(),
        tls: tls.map_err(unreadable)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_server_and_user() {
        for scheme in ["mysql", "mariadb"] {
            let url = format!("{scheme}://app:a%40b@db.example.com:3307/ids?socket=/a%20b");
            let place = parse(&url).unwrap();
            assert_eq!((&*place.host, place.port), ("db.example.com", 3_307));
            assert_eq!((&*place.login.user, &*place.login.password), ("app", "a@b"));
            assert_eq!((&*place.database, place.socket.as_deref()), ("ids", Some("/a b")));
        }
    }

    #[test]
    fn other_urls_are_refused() {
        for (url, why) in [
            ("redis://a", "another scheme"),
            ("mysql://a", "names a database"),
            ("mysql://a,b/c", "names one server"),
            ("mysql://app:secret%00@a/b", "contain no zero"),
            ("mysql://app:secret@a/b?verify_ca=false", "its options are socket="),
        ] {
            let error = parse(url).map(|_| ()).unwrap_err();
            assert!(error.to_string().contains(why), "{url}: {error}");
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
    }
}
