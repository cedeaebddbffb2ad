//! Stores by their URLs.

use tickid_lease::backend::StoreErrorKind;
use tickid_lease::{Store, StoreError};

/// Opens the store at a URL. Servers are not contacted yet, so a wrong host or password shows in
/// the first request.
///
/// | URL | store |
/// |---|---|
/// | `etcd://a:2379,b:2379` | an etcd cluster, with the feature `etcd` |
/// | `mysql://app:secret@a/ids`, `mariadb://…` | MySQL or MariaDB, with the feature `mysql` |
/// | `postgres://app:secret@a/ids`, `postgresql://…` | PostgreSQL, with the feature `postgres` |
/// | `redis://:secret@a`, `rediss://…` | Redis, with the feature `redis` |
/// | `file:///FOLDER`, `static:SOURCE` | as [`Store::open`] |
///
/// # Errors
/// Returns an error of the kind [`Url`](StoreErrorKind::Url) for a URL that names no store, or one
/// whose feature is not enabled, and those of [`Store::open`].
///
/// # Examples
/// ```
/// let store = tickid_stores::open("static:42/8")?;
/// assert_eq!(store.backend(), "static");
///
/// let error = tickid_stores::open("ftp://a").unwrap_err().to_string();
/// assert!(error.contains("there is no store \"ftp\"; there are file, static"));
/// # Ok::<(), tickid_lease::StoreError>(())
/// ```
pub fn open(url: &str) -> Result<Store, StoreError> {
    open_or(url, Store::open)
}

/// Opens the store at a URL, for leases that outlive this process, as [`Store::open_detached`]
/// does. This makes a difference only for folders, which otherwise show the end of a holder.
///
/// # Errors
/// As [`open`].
pub fn open_detached(url: &str) -> Result<Store, StoreError> {
    open_or(url, Store::open_detached)
}

type Open = fn(&str) -> Result<Store, StoreError>;

/// The schemes of URLs that [`Store::open`] knows.
const EMBEDDED: [&str; 2] = ["file", "static"];

/// The stores on servers, also those that this build lacks.
const SERVERS: [Server; 4] = [
    server!("etcd", ["etcd"], EtcdBackend),
    server!("mysql", ["mysql", "mariadb"], MySqlBackend),
    server!("postgres", ["postgres", "postgresql"], PostgresBackend),
    server!("redis", ["redis", "rediss"], RedisBackend),
];

/// A kind of server, which is the feature of the same name.
struct Server {
    feature: &'static str,
    /// The schemes of its URLs.
    schemes: &'static [&'static str],
    /// Opens a URL; `None` without the feature.
    open: Option<Open>,
}

macro_rules! server {
    ($feature:literal, $schemes:expr, $backend:ident) => {{
        #[cfg(feature = $feature)]
        let open: Option<Open> = Some(|url| Ok(Store::new(crate::$backend::open(url)?)));
        #[cfg(not(feature = $feature))]
        let open: Option<Open> = None;
        Server { feature: $feature, schemes: &$schemes, open }
    }};
}
use server;

/// Returns the scheme of a URL, such as `redis`, and the kind of server that it names.
fn server_of(url: &str) -> Option<(&str, &'static Server)> {
    let (scheme, _) = url.split_once(':')?;
    let server = SERVERS.iter().find(|server| server.schemes.contains(&scheme))?;
    Some((scheme, server))
}

fn open_or(url: &str, embedded: Open) -> Result<Store, StoreError> {
    let failed = |why| Err(StoreError::new("the", StoreErrorKind::Url { why }));
    match (server_of(url), url.split_once(':')) {
        (Some((_, Server { open: Some(open), .. })), _) => open(url),
        (Some((scheme, Server { feature, open: None, .. })), _) => {
            failed(format!("{scheme} stores need the feature {feature} of tickid-stores"))
        }
        (None, Some((scheme, _))) if !EMBEDDED.contains(&scheme) => {
            let servers = SERVERS.iter().map(|server| server.schemes[0]);
            let known: Vec<_> = EMBEDDED.into_iter().chain(servers).collect();
            failed(format!("there is no store {scheme:?}; there are {}", known.join(", ")))
        }
        // A text without a scheme gets the error that it is no URL.
        (None, Some(_) | None) => embedded(url),
    }
}

/// Returns the feature of this crate that a store's URL needs, if the build lacks it.
///
/// # Examples
/// ```
/// assert_eq!(tickid_stores::missing_feature("static:42/8"), None);
/// let lacks_redis = tickid_stores::missing_feature("redis://a") == Some("redis");
/// assert_eq!(lacks_redis, cfg!(not(feature = "redis")));
/// ```
#[must_use]
pub fn missing_feature(url: &str) -> Option<&'static str> {
    server_of(url).and_then(|(_, server)| server.open.is_none().then_some(server.feature))
}

/// Returns the feature of each store on a server, and whether this build has it.
#[doc(hidden)]
pub fn servers() -> impl Iterator<Item = (&'static str, bool)> {
    SERVERS.iter().map(|server| (server.feature, server.open.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_urls_are_refused() {
        // The lease crate opens the first two, and tests each of their errors.
        for (url, message) in [
            ("", "starts with its kind"),
            ("static:42", "N/BITS"),
            ("gopher://secret", "there is no store \"gopher\"; there are file, static"),
        ] {
            for open in [open, open_detached] {
                let error = open(url).unwrap_err().to_string();
                assert!(error.contains(message), "{url}: {error}");
                assert!(!error.contains("secret"), "{error}");
            }
        }
    }

    #[test]
    fn every_scheme_opens_its_backend() {
        for Server { feature, schemes, open: opens } in SERVERS {
            for scheme in schemes {
                // Only etcd has no databases.
                let path = if feature == "etcd" { "" } else { "/1" };
                let url = format!("{scheme}://127.0.0.1:1{path}");
                let missing = missing_feature(&url);
                match open(&url) {
                    Ok(store) => {
                        let name = store.backend().to_lowercase();
                        assert!(name.starts_with(schemes[0]), "{scheme}: {name}");
                        assert!(opens.is_some() && missing.is_none(), "{scheme}: {missing:?}");
                    }
                    Err(error) => {
                        let need = format!("{scheme} stores need the feature {feature}");
                        assert!(error.to_string().contains(&need), "{error}");
                        assert_eq!((opens.is_none(), missing), (true, Some(feature)), "{scheme}");
                    }
                }
            }
        }
    }
}
