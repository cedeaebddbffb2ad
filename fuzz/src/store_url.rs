//! URLs of stores, whose passwords are not shown.

use arbitrary::{Result, Unstructured};
use tickid_lease::{EtcdBackend, PostgresBackend, RedisBackend};

const PASSWORD: &str = "Hunter2-is-not-to-be-seen";

pub fn check(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        open(text);
    }
    // Too few bytes are no case.
    let _ = with_password(&mut Unstructured::new(data));
}

/// Returns the texts of the backend, or of the error and its causes.
fn open(url: &str) -> Vec<String> {
    let told = [told(EtcdBackend::open(url)), told(RedisBackend::open(url)), postgres(url)];
    let opened = told.iter().filter(|(is_open, _)| *is_open).count();
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    // Only the backend that the URL names opens it.
    let names = ["etcd", "redis", "rediss", "postgres", "postgresql"];
    assert!(opened == 0 || scheme.is_some_and(|scheme| names.contains(&scheme)), "{url}");
    assert!(opened <= 1, "{url}");
    told.into_iter().map(|(_, told)| told).collect()
}

/// Leaves out options that read files.
fn postgres(url: &str) -> (bool, String) {
    if url.contains("ssl") { (false, String::new()) } else { told(PostgresBackend::open(url)) }
}

fn told<S: core::fmt::Debug, E: core::error::Error>(
    opened: core::result::Result<S, E>,
) -> (bool, String) {
    match opened {
        Ok(store) => (true, format!("{store:?}")),
        Err(error) => {
            let mut told = format!("{error} {error:?}");
            let mut source = error.source();
            while let Some(error) = source {
                told.push_str(&format!(" {error} {error:?}"));
                source = error.source();
            }
            (false, told)
        }
    }
}

fn with_password(data: &mut Unstructured<'_>) -> Result<()> {
    let scheme = *data.choose(&["redis", "postgres", "postgresql", "etcd", "rediss", "Redis"])?;
    let user = *data.choose(&["", "app", "a%20b"])?;
    let rest: &str = data.arbitrary()?;
    let url = format!("{scheme}://{user}:{PASSWORD}@{rest}");
    for told in open(&url) {
        assert!(!told.contains(PASSWORD), "{told}");
    }
    Ok(())
}
