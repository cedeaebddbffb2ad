//! `mysql://…`.

use mysql_async::{Opts, OptsBuilder, SslOpts};

use crate::backends::mysql::NAME;
use crate::error::{StoreError, excerpt};
use crate::tls::Files;
use crate::url::{self, Login, Parts};

/// The largest packet of an answer: more than any row.
const MAX_PACKET: usize = 1 << 22;

/// Parses a URL.
pub(super) fn parse(url: &str) -> Result<Opts, StoreError> {
    let no_url = |why: &str| StoreError::url(NAME, format!("its URL: {why}"));
    let rest = ["mysql://", "mariadb://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    let rest = rest.ok_or_else(|| no_url("it begins with mysql://"))?;
    let Parts { login, place, options } = url::parts(rest).map_err(|why| no_url(&why))?;
    let (mut files, mut is_encrypted, mut socket) = (Files::default(), false, None);
    for (name, value) in options {
        match (name, value) {
            ("sslmode", "disable") => is_encrypted = false,
            ("sslmode", "require" | "verify-full") => is_encrypted = true,
            ("socket", path) => {
                let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
                socket = Some(path.into_owned());
            }
            (name, value) if files.take(name, value) => {}
            (name, _) => {
                return Err(no_url(&format!("no such option, or value of it: {}", excerpt(name))));
            }
        }
    }
    let (endpoint, database) = place.split_once('/').unwrap_or((place, ""));
    if database.is_empty() {
        return Err(no_url("it names a database, as in mysql://user:password@host/database"));
    }
    let (host, port) = url::endpoint(endpoint, 3_306).map_err(|why| no_url(&why))?;
    let tls = match is_encrypted {
        true => Some(tls(&files)?),
        false if files.is_empty() => None,
        false => return Err(no_url("certificates need sslmode=require")),
    };
    let login = login.map(|Login { user, password }| (user, Some(password)));
    let (user, password) = login.unwrap_or(("root".to_owned(), None));
    let opts = OptsBuilder::default()
        .ip_or_hostname(host.trim_matches(['[', ']']))
        .tcp_port(port)
        .user(Some(user))
        .pass(password)
        .db_name(Some(database))
        .ssl_opts(tls)
        .socket(socket)
        // Otherwise the client would request settings that are not given from the server.
        .prefer_socket(false)
        .max_allowed_packet(Some(MAX_PACKET))
        .wait_timeout(Some(60));
    Ok(opts.into())
}

#[cfg(not(feature = "mysql-tls"))]
fn tls(_: &Files) -> Result<SslOpts, StoreError> {
    Err(StoreError::url(NAME, "to encrypt takes the feature mysql-tls"))
}

#[cfg(feature = "mysql-tls")]
fn tls(files: &Files) -> Result<SslOpts, StoreError> {
    use std::path::PathBuf;

    use mysql_async::ClientIdentity;
    use rustls::crypto::{CryptoProvider, ring};

    // The client takes the one of the process, and panics if there are several to choose from.
    if CryptoProvider::get_default().is_none() {
        // Fails if another thread was faster, which is harmless.
        let _ = ring::default_provider().install_default();
    }
    let unreadable = |error| StoreError::failed(NAME, "read its certificates").with_source(error);
    let roots = files.roots().map_err(unreadable)?;
    let roots = roots.into_iter().map(|root| root.to_vec().into()).collect();
    files.identity().map_err(unreadable)?;
    let file = |path: &str| PathBuf::from(path).into();
    let identity =
        files.own().map(|(certificate, key)| ClientIdentity::new(file(certificate), file(key)));
    let opts = SslOpts::default().with_disable_built_in_roots(true);
    Ok(opts.with_root_certs(roots).with_client_identity(identity))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_server_and_user() {
        for scheme in ["mysql", "mariadb"] {
            let url = format!("{scheme}://app:a%40b@db.example.com:3307/ids?socket=/a%20b");
            let opts = parse(&url).unwrap();
            assert_eq!((opts.ip_or_hostname(), opts.tcp_port()), ("db.example.com", 3_307));
            assert_eq!((opts.user(), opts.pass()), (Some("app"), Some("a@b")));
            assert_eq!((opts.db_name(), opts.socket()), (Some("ids"), Some("/a b")));
        }
    }

    #[test]
    fn other_urls_are_refused() {
        for (url, why) in [
            ("redis://a", "begins with mysql://"),
            ("mysql://a", "names a database"),
            ("mysql://app:secret@a/b?verify_ca=false", "of it: verify_ca"),
            ("mysql://app:secret@a/b?sslmode=prefer", "of it: sslmode"),
            ("mysql://app:secret@a/b?sslrootcert=/a", "need sslmode=require"),
            ("mysql://app:secret@a:b/c", "a port is a number"),
        ] {
            let error = parse(url).unwrap_err();
            assert!(error.to_string().contains(why), "{url}: {error}");
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
    }

    #[cfg(not(feature = "mysql-tls"))]
    #[test]
    fn encryption_needs_the_feature() {
        let error = parse("mysql://a/b?sslmode=require").unwrap_err();
        assert!(error.to_string().contains("mysql-tls"), "{error}");
    }
}
