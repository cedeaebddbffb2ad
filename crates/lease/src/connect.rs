use crate::error::StoreError;
use crate::file::FileStore;
use crate::static_store::{NodeSourceError, StaticStore};
use crate::store::Store;

/// Opens the store at a URL.
///
/// | URL | store |
/// |---|---|
/// | `file:///var/lib/tickid` | [`FileStore`] in that folder |
/// | `static:SOURCE` | [`StaticStore`] of a node from a [source](crate::NodeSource), as in `static:42/8` or `static:hostname/10`; its window is kept in memory |
/// | `static:SOURCE?state=/var/lib/tickid` | the same with its window kept in that folder |
///
/// Stores on servers (`etcd://a:2379,b:2379`, `postgres://app@a/ids`, `redis://a`) are behind features of the same
/// names, encrypted connections to them behind `etcd-tls`, `postgres-tls` and `redis-tls`. Nothing is asked of a
/// server yet.
///
/// # Errors
/// [`ConnectError`].
///
/// # Examples
/// ```
/// let store = tickid_lease::connect("static:42/8")?;
/// assert_eq!(store.backend(), "static");
///
/// let error = tickid_lease::connect("ftp://a").unwrap_err().to_string();
/// assert!(error.starts_with("there is no store \"ftp\"; there are file, static"));
/// # Ok::<(), tickid_lease::ConnectError>(())
/// ```
pub fn connect(url: &str) -> Result<Box<dyn Store>, ConnectError> {
    open(url, Holders::Here)
}

/// [`connect()`] for leases that outlive the process which asks for them: nothing is left behind by which others could
/// tell that it has ended ([`FileStore::without_proof_of_death`]; etcd's option `lease_ttl` does nothing).
///
/// # Errors
/// As `connect`.
pub fn connect_without_proof_of_death(url: &str) -> Result<Box<dyn Store>, ConnectError> {
    open(url, Holders::Elsewhere)
}

/// Who holds what is leased.
#[derive(Clone, Copy)]
enum Holders {
    /// This process.
    Here,
    /// Somebody of whose life this process knows nothing.
    Elsewhere,
}

fn open(url: &str, holders: Holders) -> Result<Box<dyn Store>, ConnectError> {
    let (scheme, _) = url.split_once(':').ok_or(ConnectError::NoScheme)?;
    let backend = BACKENDS.iter().find(|(schemes, _)| schemes.contains(&scheme));
    let (_, open) = backend.ok_or_else(|| ConnectError::Unknown {
        scheme: scheme.to_owned(),
        known: BACKENDS.iter().map(|(schemes, _)| schemes[0]).collect::<Vec<_>>().join(", "),
    })?;
    open(url, holders)
}

type Open = fn(&str, Holders) -> Result<Box<dyn Store>, ConnectError>;

/// What URLs begin with, and who opens those. A store registers itself here.
const BACKENDS: &[(&[&str], Open)] = &[
    (&["file"], file),
    (&["static"], static_node),
    #[cfg(feature = "etcd")]
    (&["etcd"], etcd),
    #[cfg(feature = "redis")]
    (&["redis", "rediss"], redis),
    #[cfg(feature = "postgres")]
    (&["postgres", "postgresql"], postgres),
];

fn file(url: &str, holders: Holders) -> Result<Box<dyn Store>, ConnectError> {
    let folder = url.strip_prefix("file://").filter(|folder| folder.starts_with('/'));
    let folder = folder.ok_or(ConnectError::Form { form: "file:///FOLDER" })?;
    let store = FileStore::open(folder)?;
    Ok(Box::new(match holders {
        Holders::Here => store,
        Holders::Elsewhere => store.without_proof_of_death(),
    }))
}

fn static_node(url: &str, holders: Holders) -> Result<Box<dyn Store>, ConnectError> {
    const FORM: ConnectError = ConnectError::Form { form: "static:SOURCE?state=/FOLDER" };
    let rest = url.strip_prefix("static:").ok_or(FORM)?;
    let (source, folder) = match rest.split_once('?') {
        None => (rest, None),
        Some((source, options)) => (source, Some(options.strip_prefix("state=").ok_or(FORM)?)),
    };
    let source: crate::NodeSource = source.parse()?;
    let store = StaticStore::new(source.node()?);
    Ok(Box::new(match (folder, holders) {
        (Some(folder), Holders::Here) => store.with_folder(folder)?,
        (Some(folder), Holders::Elsewhere) => store.with_folder_for_others(folder)?,
        (None, _) => store,
    }))
}

#[cfg(feature = "etcd")]
fn etcd(url: &str, holders: Holders) -> Result<Box<dyn Store>, ConnectError> {
    let store = crate::EtcdStore::open(url).map_err(|error| ConnectError::Url(error.into()))?;
    Ok(Box::new(match holders {
        Holders::Here => store,
        Holders::Elsewhere => store.without_proof_of_death(),
    }))
}

#[cfg(feature = "redis")]
fn redis(url: &str, _: Holders) -> Result<Box<dyn Store>, ConnectError> {
    let store = crate::RedisStore::open(url).map_err(|error| ConnectError::Url(error.into()))?;
    Ok(Box::new(store))
}

#[cfg(feature = "postgres")]
fn postgres(url: &str, _: Holders) -> Result<Box<dyn Store>, ConnectError> {
    Ok(Box::new(crate::PostgresStore::open(url)?))
}

/// Why there is no store at a URL. Messages leave the URL out, which may hold a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// It begins with no scheme and colon.
    #[error("the URL of a store begins with its kind and a colon, as in file:///var/lib/tickid")]
    NoScheme,
    /// There is no store of that kind here.
    #[error("there is no store {scheme:?}; there are {known}")]
    Unknown {
        /// What the URL begins with.
        scheme: String,
        /// What it can begin with.
        known: String,
    },
    /// The rest of it has not the form.
    #[error("the URL of this store has the form {form}")]
    Form {
        /// The form.
        form: &'static str,
    },
    /// The URL is none of that store, which says why.
    #[error(transparent)]
    Url(Box<dyn core::error::Error + Send + Sync>),
    /// A static store's node can't be told.
    #[error(transparent)]
    Node(#[from] NodeSourceError),
    /// The store can't be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_have_not_the_form_are_refused() {
        for (url, message) in [
            ("", "begins with its kind"),
            ("/var/lib/tickid", "begins with its kind"),
            ("file:a", "file:///FOLDER"),
            ("file://a/b", "file:///FOLDER"),
            ("static:42", "says no node"),
            ("static:42/8?a=b", "static:SOURCE?state=/FOLDER"),
            ("static:300/8", "node 300 is outside of 0..=255"),
            ("gopher://secret", "no store \"gopher\""),
        ] {
            let error = connect(url).unwrap_err().to_string();
            assert!(error.contains(message), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
