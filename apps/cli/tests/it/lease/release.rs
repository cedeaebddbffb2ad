//! `lease acquire` and `release`.

use serde_json::Value;

use super::{acquire, folder, rows, stdout_of};
use crate::process::{NODE_STORE, OK, USAGE, ran_in, ran_unread};

#[test]
fn released_windows_stay_used() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5/16");
    let held = acquire(state.path(), "orders");
    assert_eq!((&held["node"], &held["standing"]), (&"5/16".into(), &"held".into()));
    assert_eq!(rows(state.path(), "orders"), core::slice::from_ref(&held));

    let (floor, ceiling) = (held["floor"].as_u64(), held["ceiling"].as_u64());
    let (floor, ceiling) = (floor.expect("a tick"), ceiling.expect("a tick"));
    let release = |held: &Value, used: &str| {
        let token = held["token"].as_str().expect("a token");
        format!("lease release --realm orders --token {token} {used}")
    };
    for used in [floor.wrapping_sub(1), ceiling] {
        let outside = release(&held, &format!("--used {used}"));
        let outside = ran_in(state.path(), &outside);
        assert_eq!(outside.status, USAGE, "{used}: {}", outside.stderr);
    }
    // It may still be in use, so it takes a word more; nothing is asked.
    for used in ["--unused".to_owned(), format!("--used {floor}")] {
        let alive = ran_in(state.path(), &release(&held, &used));
        assert_eq!((alive.status, alive.stdout.as_str()), (USAGE, ""), "{used}");
        assert!(alive.stderr.contains("the lease of node 5/16 is alive"), "{}", alive.stderr);
        assert!(alive.stderr.contains("repeat with --yes"), "{}", alive.stderr);
        assert_eq!(rows(state.path(), "orders"), core::slice::from_ref(&held), "{used}");
    }
    stdout_of(state.path(), &release(&held, "--unused --yes"));
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "free");
    let again = ran_in(state.path(), &release(&held, ""));
    assert_eq!(again.status, NODE_STORE, "{}", again.stderr);

    let second = acquire(state.path(), "orders");
    assert_eq!(second["floor"], floor + 1, "nothing was used");
    stdout_of(state.path(), &release(&second, &format!("--used {} --yes", floor + 7)));
    let third = acquire(state.path(), "orders");
    assert_eq!(third["floor"], floor + 8);
    stdout_of(state.path(), &release(&third, ""));
    assert_eq!(rows(state.path(), "orders")[0]["ceiling"], third["ceiling"], "all of it was used");
}

#[test]
fn expired_leases_release_unused() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5/16 --term 0.01 --skew 0");
    let held = acquire(state.path(), "orders");
    while rows(state.path(), "orders")[0]["standing"] == "held" {}
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "expired");
    let token = held["token"].as_str().expect("a token");
    let release = format!("lease release --realm orders --token {token} --unused");
    stdout_of(state.path(), &release);
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "free");
}

#[test]
fn leases_that_cannot_be_shown_are_released() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5/16");
    let unread = ran_unread(state.path(), "lease acquire --realm orders --holder job");
    assert_ne!(unread.status, OK, "{}", unread.stderr);
    assert!(unread.stderr.contains("cannot write the output"), "{}", unread.stderr);
    assert!(unread.stderr.contains("the lease is released"), "{}", unread.stderr);
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "free");
}
