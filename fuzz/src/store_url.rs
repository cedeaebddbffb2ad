//! URLs of stores: what is read from one, and that no password is shown.

use arbitrary::{Result, Unstructured};
use tickid_lease::{EtcdStore, PostgresStore, RedisStore};

const PASSWORD: &str = "Hunter2-is-not-to-be-seen";

pub fn check(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        open(text);
    }
    // Too few bytes are no case.
    let _ = with_password(&mut Unstructured::new(data));
    let _ = with_lease(&mut Unstructured::new(data));
}

/// An etcd lease has a whole number of seconds, and no more than an hour.
fn with_lease(data: &mut Unstructured<'_>) -> Result<()> {
    let (seconds, sign) =
        (data.arbitrary::<u32>()? >> data.int_in_range(0..=31)?, *data.choose(&["", "+", "-"])?);
    let opened = EtcdStore::open(&format!("etcd://a?lease_ttl={sign}{seconds}")).is_ok();
    assert_eq!(opened, sign.is_empty() && (2..=3_600).contains(&seconds), "{sign}{seconds}");
    Ok(())
}

/// Gives what is told of it: the store, or the error and what led to it.
fn open(url: &str) -> Vec<String> {
    let told = [told(EtcdStore::open(url)), told(RedisStore::open(url)), postgres(url)];
    let opened = told.iter().filter(|(is_open, _)| *is_open).count();
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    // Whichever opens it is the one that the URL names.
    let names = ["etcd", "redis", "postgres", "postgresql"];
    assert!(opened == 0 || scheme.is_some_and(|scheme| names.contains(&scheme)), "{url}");
    assert!(opened <= 1, "{url}");
    told.into_iter().map(|(_, told)| told).collect()
}

/// But for options that read files.
fn postgres(url: &str) -> (bool, String) {
    if url.contains("ssl") { (false, String::new()) } else { told(PostgresStore::open(url)) }
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
