//! URLs of stores on servers: any text opens a store or is refused, and passwords are never shown.

use arbitrary::{Result, Unstructured};

const PASSWORD: &str = "Hunter2-is-not-to-be-seen";

pub fn check(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        let _ = open(text);
    }
    // Too few bytes are not a case.
    let _ = with_password(&mut Unstructured::new(data));
}

/// Opens a store, and returns everything that it or its error shows. Nothing is contacted. Folders,
/// which are created, and options that read files are left out.
fn open(url: &str) -> Option<String> {
    let (scheme, _) = url.split_once(':')?;
    if scheme == "file" || ["state", "cert", "key"].iter().any(|it| url.contains(it)) {
        return None;
    }
    let error = match tickid_stores::open(url) {
        Ok(store) => return Some(format!("{store:?} {}", store.endpoint())),
        Err(error) => error,
    };
    let mut shown = format!("{error} {error:?}");
    let mut source = core::error::Error::source(&error);
    while let Some(error) = source {
        shown.push_str(&format!(" {error} {error:?}"));
        source = error.source();
    }
    Some(shown)
}

/// Writes the password before the host, or as an option.
fn with_password(data: &mut Unstructured<'_>) -> Result<()> {
    let schemes =
        ["redis", "rediss", "Redis", "postgres", "postgresql", "etcd", "etcds", "mysql", "mariadb"];
    let scheme = *data.choose(&schemes)?;
    let user = *data.choose(&["", "app", "a%20b"])?;
    let is_option = data.ratio(1_u8, 4)?;
    let rest: &str = data.arbitrary()?;
    let mark = if rest.contains('?') { '&' } else { '?' };
    let url = match is_option {
        true => format!("{scheme}://{user}@{rest}{mark}password={PASSWORD}"),
        false => format!("{scheme}://{user}:{PASSWORD}@{rest}"),
    };
    let shown = open(&url);
    assert!(!shown.as_deref().is_some_and(|shown| shown.contains(PASSWORD)), "{shown:?}");
    Ok(())
}
