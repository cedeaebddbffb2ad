//! `mysql://…`.

use mysql_async::{Opts, OptsBuilder, SslOpts};

use crate::backends::mysql::NAME;
use crate::error::{StoreError, excerpt};
use crate::tls::Files;

/// The largest packet of an answer: more than any row.
const MAX_PACKET: usize = 1 << 22;

/// Parses a URL.
pub(super) fn parse(url: &str) -> Result<Opts, StoreError> {
    let no_url = |why: &str| StoreError::url(NAME, why);
    let rest = ["mysql://", "mariadb://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    let rest = rest.ok_or_else(|| no_url("its URL begins with mysql://"))?;
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (mut files, mut is_encrypted, mut socket) = (Files::default(), None, None);
    for option in query.split('&').filter(|option| !option.is_empty()) {
        match option.split_once('=').unwrap_or((option, "")) {
            ("sslmode", "disable") => is_encrypted = Some(false),
            ("sslmode", "require" | "verify-full") => is_encrypted = Some(true),
            ("socket", path) => {
                let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
                socket = Some(path.into_owned());
            }
            (name, value) if files.take(name, value) => {}
            (name, _) => {
                return Err(StoreError::url(NAME, format!("its URL has no option {}", excerpt(name))));
            }
        }
    }
    let unreadable = |error: mysql_async::UrlError| {
        no_url("its URL cannot be read").with_source(excerpt(&error.to_string()))
    };
    let opts = Opts::from_url(&format!("mysql://{place}")).map_err(unreadable)?;
    if opts.db_name().is_none() {
        return Err(no_url("its URL names no database, as in mysql://user@host/database"));
    }
    let tls = match (is_encrypted, files.is_empty()) {
        (Some(true), _) => Some(tls(&files)?),
        (_, true) => None,
        (_, false) => return Err(no_url("certificates need sslmode=require")),
    };
    // The client would ask the server for what is not given.
    let opts = OptsBuilder::from_opts(opts)
        .ssl_opts(tls)
        .socket(socket)
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
    use rustls::crypto::{CryptoProvider, ring};

    // The client takes the one of the process, and panics if there are several to choose from.
    if CryptoProvider::get_default().is_none() {
        // Fails if another thread was faster, which is as well.
        let _ = ring::default_provider().install_default();
    }
    let unreadable = |error| crate::StoreError::failed(NAME, "read its certificates").with_source(error);
    let roots = files.roots().map_err(unreadable)?;
    let roots = roots.into_iter().map(|root| root.to_vec().into()).collect();
    let identity = files.identity().map_err(unreadable)?;
    let identity = identity.map(|identity| {
        let (certificate, key) = identity.pem;
        mysql_async::ClientIdentity::new(certificate.into(), key.into())
    });
    let opts = SslOpts::default().with_disable_built_in_roots(true);
    Ok(opts.with_root_certs(roots).with_client_identity(identity))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_the_server_and_the_user() {
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
            ("mysql://app@a", "names no database"),
            ("mysql://app:secret@a/b?verify_ca=false", "no option verify_ca"),
            ("mysql://app:secret@a/b?sslmode=prefer", "no option sslmode"),
            ("mysql://app:secret@a/b?sslrootcert=/a", "need sslmode=require"),
            ("mysql://app:secret@a:b/c", "cannot be read"),
        ] {
            let error = parse(url).unwrap_err();
            assert!(error.to_string().contains(why), "{url}: {error}");
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
    }

    #[cfg(not(feature = "mysql-tls"))]
    #[test]
    fn encryption_needs_the_feature() {
        let error = parse("mysql://app@a/b?sslmode=require").unwrap_err();
        assert!(error.to_string().contains("mysql-tls"), "{error}");
    }
}
