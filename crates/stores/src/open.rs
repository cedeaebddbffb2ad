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

/// The schemes of URLs of servers, and the function that opens these.
const SERVERS: &[(&[&str], Open)] = &[
    #[cfg(feature = "etcd")]
    (&["etcd"], |url| Ok(Store::new(crate::EtcdBackend::open(url)?))),
    #[cfg(feature = "mysql")]
    (&["mysql", "mariadb"], |url| Ok(Store::new(crate::MySqlBackend::open(url)?))),
    #[cfg(feature = "postgres")]
    (&["postgres", "postgresql"], |url| Ok(Store::new(crate::PostgresBackend::open(url)?))),
    #[cfg(feature = "redis")]
    (&["redis", "rediss"], |url| Ok(Store::new(crate::RedisBackend::open(url)?))),
];

fn open_or(url: &str, embedded: Open) -> Result<Store, StoreError> {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    let is_of = |scheme| SERVERS.iter().find(|(schemes, _)| schemes.contains(&scheme));
    match scheme {
        // A text without a scheme gets the error that it is no URL.
        None => embedded(url),
        Some(scheme) if EMBEDDED.contains(&scheme) => embedded(url),
        Some(scheme) => match is_of(scheme) {
            Some((_, open)) => open(url),
            None => {
                let servers = SERVERS.iter().map(|(schemes, _)| schemes[0]);
                let known: Vec<_> = EMBEDDED.into_iter().chain(servers).collect();
                let why = format!("there is no store {scheme:?}; there are {}", known.join(", "));
                Err(StoreError::new("the", StoreErrorKind::Url { why }))
            }
        },
    }
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
        for (schemes, _) in SERVERS {
            for scheme in *schemes {
                // Only etcd has no databases.
                let (of, path) = (schemes[0], if schemes[0] == "etcd" { "" } else { "/1" });
                let store = open(&format!("{scheme}://127.0.0.1:1{path}")).unwrap();
                let name = store.backend().to_lowercase();
                assert!(name.starts_with(of), "{scheme}: {name}");
            }
        }
    }
}
