//! `mysql://…`.

#[cfg(feature = "mysql-tls")]
use mysql_async::SslOpts;
use mysql_async::{Opts, OptsBuilder};

use crate::backends::mysql::NAME;
use crate::error::StoreError;
#[cfg(feature = "mysql-tls")]
use crate::tls::Files;
use crate::url::{Form, Login};

/// The largest packet of an answer: more than any row.
const MAX_PACKET: usize = 1 << 22;

const FORM: Form = Form {
    text: "mysql://[USER:PASSWORD@]HOST[:PORT]/DATABASE[?OPTION=VALUE&…]",
    schemes: &[("mysql", false), ("mariadb", false)],
    port: 3_306,
    options: &["socket="],
    lacks: if cfg!(feature = "mysql-tls") { None } else { Some("mysql-tls") },
};

/// Parses a URL.
pub(super) fn parse(url: &str) -> Result<Opts, StoreError> {
    let no_url = |why: &str| StoreError::url(NAME, FORM.error(why));
    let url = FORM.parse(url).map_err(|why| StoreError::url(NAME, why))?;
    let (host, port) = url.host().map_err(no_url)?;
    if url.path.is_empty() {
        return Err(no_url("it names a database"));
    }
    let opts = OptsBuilder::default();
    #[cfg(feature = "mysql-tls")]
    let opts = opts.ssl_opts(url.encryption.map(|files| tls(&files)).transpose()?);
    let login = url.login.map(|Login { user, password }| (user, Some(password)));
    let (user, password) = login.unwrap_or(("root".to_owned(), None));
    let opts = opts
        .ip_or_hostname(host.trim_matches(['[', ']']))
        .tcp_port(port)
        .user(Some(user))
        .pass(password)
        .db_name(Some(url.path))
        .socket(url.options.into_iter().map(|(_, socket)| socket).next_back())
        // Otherwise the client would request settings that are not given from the server.
        .prefer_socket(false)
        .max_allowed_packet(Some(MAX_PACKET))
        .wait_timeout(Some(60));
    Ok(opts.into())
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
            ("redis://a", "another scheme"),
            ("mysql://a", "names a database"),
            ("mysql://a,b/c", "names one server"),
            ("mysql://app:secret@a/b?verify_ca=false", "its options are socket="),
        ] {
            let error = parse(url).unwrap_err();
            assert!(error.to_string().contains(why), "{url}: {error}");
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
    }
}
