//! `postgres://…`.

use tickid_lease::StoreError;
use tickid_lease::backend::excerpt;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use crate::error;
use crate::postgres::failure::NAME;
use crate::postgres::failure::failed;
use crate::tls::Files;

use crate::postgres::tls::TlsClient;

/// Parses a URL into a server's address and encryption.
pub(super) fn parse(url: &str) -> Result<(Config, TlsClient), StoreError> {
    if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err(error::url(NAME, "its URL starts with postgres://"));
    }
    let (url, options) = split(url);
    // The client would end the password at the first @, and look up the rest as a host.
    let place = url.split_once("://").map_or(&*url, |(_, place)| place);
    if place.split(['/', '?']).next().unwrap_or_default().matches('@').count() > 1 {
        return Err(error::url(NAME, "an @ in its user or password is written %40"));
    }
    let no_url = |error: tokio_postgres::Error| {
        error::url(NAME, "its URL cannot be read").with_source(excerpt(&causes(&error)))
    };
    let mut config: Config = url.parse().map_err(no_url)?;
    if config.get_application_name().is_none() {
        config.application_name("tickid");
    }
    // A standby among several hosts would answer, but accept no writes.
    if config.get_hosts().len() > 1 {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    let tls = tls(&mut config, &options)?;
    // No server encrypts sockets in a folder: asking for it would cost one more round trip.
    if config.get_ssl_mode() == SslMode::Prefer && config.get_hosts().iter().all(is_local) {
        config.ssl_mode(SslMode::Disable);
    }
    Ok((config, tls))
}

/// Returns the reason that the client gives for an option, which is never the password.
fn causes(error: &tokio_postgres::Error) -> String {
    core::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(_) => false,
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// The libpq options that the Rust client does not support.
#[derive(Default)]
struct LibpqOptions {
    verifies_all: bool,
    files: Files,
}

/// Separates those options from the URL.
fn split(url: &str) -> (String, LibpqOptions) {
    let mut options = LibpqOptions::default();
    let Some((place, query)) = url.split_once('?') else {
        return (url.to_owned(), options);
    };
    let mut others = Vec::new();
    for option in query.split('&') {
        match option.split_once('=') {
            Some(("sslmode", "verify-full")) => options.verifies_all = true,
            Some((name, value)) if options.files.take(name, value) => {}
            _ => others.push(option),
        }
    }
    if others.is_empty() {
        return (place.to_owned(), options);
    }
    (format!("{place}?{}", others.join("&")), options)
}

fn tls(config: &mut Config, options: &LibpqOptions) -> Result<TlsClient, StoreError> {
    if options.verifies_all {
        config.ssl_mode(SslMode::Require);
    }
    let tls = if config.get_ssl_mode() == SslMode::Disable {
        TlsClient::none()
    } else {
        TlsClient::new(&options.files)
    };
    tls.map_err(|error| failed("read its certificates").with_source(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(url: &str) -> Config {
        parse(url).unwrap().0
    }

    #[test]
    fn urls_name_server_and_user() {
        let config = config("postgres://app:secret@db.example.com:5433/ids?sslmode=disable");
        assert_eq!((config.get_user(), config.get_dbname()), (Some("app"), Some("ids")));
        assert_eq!(config.get_ports(), [5_433]);
        assert_eq!(config.get_application_name(), Some("tickid"));
        assert!(!format!("{config:?}").contains("secret"));
    }

    #[test]
    fn signs_in_passwords_are_escaped() {
        for url in
            ["postgres://root:p@ss@localhost/db", "postgresql://a@b:c@h:5432?sslmode=disable"]
        {
            let error = parse(url).err().unwrap().to_string();
            assert!(error.ends_with("an @ in its user or password is written %40"), "{error}");
        }
        assert_eq!(
            config("postgres://root:p%40ss@localhost/d@b").get_password(),
            Some(&b"p@ss"[..])
        );
    }

    #[test]
    fn sockets_are_not_encrypted() {
        assert_eq!(config("postgres:///a?host=/run").get_ssl_mode(), SslMode::Disable);
        assert_eq!(config("postgres://a/b").get_ssl_mode(), SslMode::Prefer);
        assert_eq!(config("postgres://a/b?host=/run").get_ssl_mode(), SslMode::Prefer);
    }

    #[test]
    fn several_hosts_mean_the_primary() {
        let several = config("postgres://app@a,b/ids?sslmode=disable");
        assert_eq!(several.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
        let one = config("postgresql://app@a/ids?sslmode=disable&application_name=web");
        assert_eq!(one.get_target_session_attrs(), TargetSessionAttrs::Any);
        assert_eq!(one.get_application_name(), Some("web"));
    }

    #[test]
    fn other_urls_are_refused() {
        for url in ["", "redis://a", "host=a", "postgres://a?sslmode=sometimes", "postgres://a?b=c"]
        {
            assert!(parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn verify_full_requires_encryption() {
        let file = std::env::temp_dir().join(format!("tickid no roots {}", std::process::id()));
        std::fs::write(&file, "").unwrap();
        let url =
            |path: &str| format!("postgres://app@a/ids?sslmode=verify-full&sslrootcert={path}");
        // Found, although its name is escaped; but there is nothing in it.
        let error = parse(&url(&file.to_str().unwrap().replace(' ', "%20"))).unwrap_err();
        std::fs::remove_file(&file).unwrap();
        assert!(core::error::Error::source(&error).unwrap().to_string().contains("no certificate"));
        let error = parse(&url("/nowhere")).unwrap_err();
        assert_eq!(error.to_string(), "PostgreSQL store: could not read its certificates");
    }
}
