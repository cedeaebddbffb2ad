//! `etcd://…`.

use super::tls::TlsSettings;
use crate::url::{Login, UrlForm};

const FORM: UrlForm = UrlForm {
    text: "etcd://[USER:PASSWORD@]HOST[:PORT],…[?OPTION=VALUE&…]",
    schemes: &[("etcd", false)],
    port: 2_379,
    options: &[],
};

/// The members of a cluster and the way to connect to them.
pub(super) struct Place {
    /// Host and port of each.
    pub(super) endpoints: Vec<String>,
    pub(super) login: Option<Login>,
    pub(super) tls: Option<TlsSettings>,
}

pub(super) fn parse(url: &str) -> Result<Place, String> {
    let url = FORM.parse(url)?;
    let login = url.login;
    if !url.path.is_empty() || login.as_ref().is_some_and(|login| login.user.is_empty()) {
        return Err(FORM.error("it has no path and no empty user"));
    }
    let tls = url.encryption.map(|files| TlsSettings::new(&files)).transpose();
    let endpoints = url.hosts.iter().map(|(host, port)| format!("{host}:{port}")).collect();
    Ok(Place { endpoints, login, tls: tls.map_err(|error| FORM.error(&error.to_string()))? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_the_members() {
        let place = parse("etcd://a,b:1,[::1]").unwrap();
        assert_eq!(place.endpoints, ["a:2379", "b:1", "[::1]:2379"]);
        assert!(place.login.is_none() && place.tls.is_none());
        assert_eq!(parse("etcd://app:p@a,b").unwrap().login.unwrap().user, "app");
        for url in ["etcd://", "http://a", "etcd://:p@a", "etcd://a/b", "etcd://a?a=b"] {
            assert!(parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn unreadable_files_are_reported() {
        assert!(parse("etcd://a?sslmode=require").unwrap().tls.is_some());
        let error = parse("etcd://a?sslrootcert=/no%20where").map(|_| ()).unwrap_err();
        assert!(error.contains("sslrootcert /no where cannot be read: "), "{error}");
    }
}
