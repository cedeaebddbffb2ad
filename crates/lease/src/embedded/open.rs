//! The stores that a URL names. Those on servers are in `tickid-stores`.

use crate::embedded::file::{FileBackend, Holders};
use crate::embedded::memory::MemoryBackend;
use crate::embedded::static_node::{FORM, NodeSource, StaticNode};
use crate::model::text::LeaseTextError;
use crate::store::Store;
use crate::store_error::StoreError;

impl Store {
    /// Opens the store at a URL. Servers are not contacted yet.
    ///
    /// | URL | store |
    /// |---|---|
    /// | `file:///var/lib/tickid` | a [folder](FileBackend) of this machine |
    /// | `static:SOURCE` | a node from a [source](NodeSource), as in `static:42/8` or `static:hostname/10`. Its window is in memory, and starts beyond the ticks that a process before this one can have used: the first ID waits for two ticks at most, and SCRU64's first IDs show times up to 10 seconds ahead. A clock that is set back across a restart can repeat IDs. Ticks above a second need a folder |
    /// | `static:SOURCE?state=/var/lib/tickid` | the same with its window in a folder, which remembers it across restarts |
    ///
    /// Stores on servers, as in `postgres://…`, are opened by the crate `tickid-stores`.
    ///
    /// # Errors
    /// Returns an error of the kind [`Url`](crate::backend::StoreErrorKind::Url) for a URL that
    /// names no store, and others for a folder that cannot be used or a node that cannot be found.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::Store;
    ///
    /// let store = Store::open("static:42/8")?;
    /// assert_eq!(store.backend(), "static");
    ///
    /// let error = Store::open("ftp://a").unwrap_err().to_string();
    /// assert!(error.contains("there is no store \"ftp\"; there are file, static"));
    /// # Ok::<(), tickid_lease::StoreError>(())
    /// ```
    pub fn open(url: &str) -> Result<Self, StoreError> {
        open(url, Holders::Here)
    }

    /// Opens the store at a URL, for leases that outlive this process, such as those that a shell
    /// script acquires. Otherwise a folder would show other processes that the holder has ended,
    /// and its nodes would be free.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_lease::admin::Standing;
    /// use tickid_lease::session::{Claim, Token, block_on};
    /// use tickid_lease::Store;
    ///
    /// let (folder, timeout) = (tempfile::tempdir()?, Duration::from_secs(5));
    /// let url = format!("static:42/16?state={}", folder.path().display());
    /// let store = Store::open_detached(&url)?;
    /// let mut claim = Claim::new(Token::random()?, "a shell script", None);
    /// block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
    /// drop(store);
    ///
    /// let view = block_on(Store::open(&url)?.list(realm.name()), timeout)?;
    /// assert_eq!(view.standings()?[0].2, Standing::Held);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_detached(url: &str) -> Result<Self, StoreError> {
        open(url, Holders::Elsewhere)
    }
}

fn open(url: &str, holders: Holders) -> Result<Store, StoreError> {
    let Some((scheme, _)) = url.split_once(':') else {
        let why =
            "the URL of a store starts with its kind and a colon, as in file:///var/lib/tickid";
        return Err(StoreError::url("the", why));
    };
    match scheme {
        "file" => file(url, holders),
        "static" => static_node(url, holders),
        _ => {
            let why = format!(
                "there is no store {scheme:?}; there are file, static, and by tickid::stores::open \
                 those on servers"
            );
            Err(StoreError::url("the", why))
        }
    }
}

fn file(url: &str, holders: Holders) -> Result<Store, StoreError> {
    let folder = url.strip_prefix("file://").filter(|folder| folder.starts_with('/'));
    // An option of another store would become part of the folder's name.
    let folder = folder.filter(|folder| !folder.contains('?'));
    let why = "its URL is file:///FOLDER, without options";
    let folder = folder.ok_or_else(|| StoreError::url("file", why))?;
    Ok(Store::new(FileBackend::open_for(folder, holders)?))
}

fn static_node(url: &str, holders: Holders) -> Result<Store, StoreError> {
    let no_form = || StoreError::url("static", "its URL is static:SOURCE?state=/FOLDER");
    let rest = url.strip_prefix("static:").ok_or_else(no_form)?;
    // For example `static:env:NODE/10?state=/var/lib/orders`.
    let (source, folder) = match rest.split_once('?') {
        None => (rest, None),
        Some((source, options)) => {
            (source, Some(options.strip_prefix("state=").ok_or_else(no_form)?))
        }
    };
    let source: NodeSource = source.parse().map_err(|error| {
        // The text may contain a password, like any URL's.
        let is_form = matches!(error, LeaseTextError::Form { .. });
        let why = if is_form { format!("its source is {FORM}") } else { error.to_string() };
        StoreError::url("static", why)
    })?;
    let node = source.node()?;
    let node = StaticNode { node, forgets: folder.is_none() };
    Ok(match folder {
        Some(folder) => Store::over(Box::new(FileBackend::open_for(folder, holders)?), Some(node)),
        None => Store::over(Box::new(<MemoryBackend>::default()), Some(node)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_urls_are_refused() {
        for (url, message) in [
            ("", "starts with its kind"),
            ("/var/lib/tickid", "starts with its kind"),
            ("file:a", "file:///FOLDER"),
            ("file://a/b", "file:///FOLDER"),
            ("file:///a?mode=700", "file:///FOLDER, without options"),
            ("static:42", "N/BITS"),
            ("static:postgres://app:secret@a/ids", "its source is N/BITS"),
            ("static:secret/x", "its source is N/BITS"),
            ("static:42/8?a=b", "static:SOURCE?state=/FOLDER"),
            ("static:300/8", "node 300 is outside of 0..=255"),
            ("gopher://secret", "no store \"gopher\""),
        ] {
            let error = Store::open(url).unwrap_err().to_string();
            assert!(error.contains(message), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
