//! Servers that start before their store.

use serde_json::Value;
use tempfile::TempDir;
use tickid_testkit::servers::{Outage, Test};

use super::serving::{Serving, http};
use crate::process::{NODE_STORE, OK, USAGE, ran, tickid, with_state};

const REASON: &str = r#""reason":"unreachable""#;

/// Starts a server of these realms, and returns it once it has said that it awaits the store.
fn awaiting(realms: &str, url: &str) -> (Serving, Value) {
    let mut serving = Serving::start(tickid(&format!("serve {realms} --store {url}")));
    let warning = serving.logged("the store is not ready, and is awaited");
    (serving, warning)
}

pub(super) fn tests<S: Outage>() -> [Test<S>; 1] {
    [("a_store_may_start_later", a_store_may_start_later)]
}

/// Machines start in any order, and what is wrong shows as soon as the store answers.
fn a_store_may_start_later<S: Outage>(server: &S) {
    let url = &server.url();
    for realm in ["first", "second"] {
        let init = format!("lease init sno --realm {realm} --new --store {url}");
        assert_eq!(ran(&mut tickid(&init)).status, OK);
    }
    let up = server.take_down();
    let (mut serving, warning) = awaiting("--realm first --realm second=sno", url);
    assert_eq!(warning["realms"], "first,second");
    // Without the password, which a URL has.
    let endpoint = warning["endpoint"].as_str().expect("a text");
    assert!(!endpoint.is_empty() && !endpoint.contains("://"), "{warning}");
    assert_eq!(http(serving.http, "/healthz", "").0, 200);
    let (status, answer) = http(serving.http, "/readyz", "");
    assert!(status == 503 && answer.contains(REASON), "{answer}");
    let (status, answer) = http(serving.http, "/v1/realms/first/ids", "");
    assert!(status == 503 && answer.contains(REASON), "{answer}");
    let (_, metrics) = http(serving.http, "/metrics", "");
    let none = r#"tickid_lease_window_seconds{realm="second"} 0.0"#;
    assert!(metrics.contains(none), "{metrics}");
    let mut client = serving.client();
    let refused = client.ask("TICKID.NEXT first").expect("an answer");
    assert!(refused.starts_with("-TRYAGAIN the realm first: "), "{refused}");
    let (unknown, _) = awaiting("--realm nobodys", url);
    let (other, _) = awaiting("--realm first=nanoflake", url);
    up();
    for _ in 0..2 {
        serving.logged("the store is ready, and the realm is served");
    }
    // Its lease may take longer than a request waits.
    for realm in ["first", "second"] {
        while client.ids::<10>(realm, 3).is_none() {}
    }
    assert_eq!(http(serving.http, "/readyz", "").0, 200);
    for (refused, expected, message) in [
        (unknown, NODE_STORE, "no realm of that name"),
        (other, USAGE, "the realm in the store is of the scheme sno"),
    ] {
        let (status, log) = refused.end();
        assert_eq!(status.code(), Some(expected), "{log}");
        assert!(log.contains(message), "{log}");
    }
}

/// In Compose and in clusters, a name appears only with its server.
pub(super) fn a_name_may_resolve_later() {
    let (serving, warning) = awaiting("--realm a", "redis://:secret@nowhere.invalid");
    assert!(!warning.to_string().contains("secret"), "{warning}");
    let (status, answer) = http(serving.http, "/readyz", "");
    assert!(status == 503 && answer.contains(REASON), "{answer}");
    serving.signal("TERM");
    assert_eq!(serving.end().0.code(), Some(OK));
}

/// What no wait changes ends the start.
pub(super) fn mistakes_in_stores_are_not_awaited() {
    let state = TempDir::new().expect("a folder");
    for (store, status) in [
        ("nfs://a", USAGE),
        ("static:foo", USAGE),
        ("redis://a?nothing=1", USAGE),
        ("file:///proc/tickid", NODE_STORE),
    ] {
        let ran = ran(&mut with_state(state.path(), &format!("serve --realm a --store {store}")));
        assert_eq!(ran.status, status, "{store}: {}", ran.stderr);
    }
}
