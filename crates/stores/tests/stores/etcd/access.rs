//! Users, passwords and tokens.

use serde_json::{Value, json};
use tickid_lease::Store;
use tickid_lease::backend::StoreErrorKind;
use tickid_testkit::servers::{Etcd, Server as _, Test};

use crate::error_chain::causes;
use crate::etcd::member::{base64, post};
use crate::etcd::members::open;
use crate::sql::answer;
use crate::windows::Windows;

pub(crate) const TESTS: [Test<Etcd>; 2] = [
    ("users_authenticate_by_password", users_authenticate_by_password),
    ("a_forgotten_token_is_renewed", a_forgotten_token_is_renewed),
];

/// Gives `app` (with the password `s@cret`) the right to the keys of the store, and `other` none.
fn enable_authentication(etcd: &Etcd) {
    let tell = |method: &str, body: &Value| post(&etcd.endpoints()[0], method, body);
    let (first, end) = (base64("tickid/"), base64("tickid0"));
    for (user, password) in [("root", "r00t"), ("app", "s@cret"), ("other", "0ther")] {
        tell("auth/user/add", &json!({ "name": user, "password": password }));
    }
    for (user, role) in [("root", "root"), ("app", "tickid")] {
        tell("auth/role/add", &json!({ "name": role }));
        tell("auth/user/grant", &json!({ "user": user, "role": role }));
    }
    let right = json!({ "permType": "READWRITE", "key": first, "range_end": end });
    tell("auth/role/grant", &json!({ "name": "tickid", "perm": right }));
    tell("auth/enable", &json!({}));
}

fn store(etcd: &Etcd, login: &str) -> Store {
    open(&format!("{login}{}", etcd.endpoints()[0]))
}

fn users_authenticate_by_password(_: &Etcd) {
    let etcd = Etcd::start().unwrap();
    let windows = Windows::new("0-7/10");
    // A login that is not needed is not a mistake yet.
    let early = store(&etcd, "app:s%40cret@");
    let windows = windows.begun(&early);
    windows.acquire_in_secret(&early).unwrap();
    enable_authentication(&etcd);
    windows.acquire_in_secret(&early).unwrap();
    let app = store(&etcd, "app:s%40cret@");
    let held = windows.acquire_in_secret(&app).unwrap();
    windows.renew(&app, &held).unwrap();
    for (login, what, why) in [
        ("", "could not log in", "user name is empty"),
        ("app:wr0ng@", "could not log in", "authentication failed"),
        ("nobody:wr0ng@", "could not log in", "authentication failed"),
        ("other:0ther@", "could not do a transaction", "permission denied"),
    ] {
        let error = windows.acquire_in_secret(&store(&etcd, login)).unwrap_err();
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
        assert_eq!(error.to_string(), format!("etcd store: {what}"), "{login}");
        assert!(causes(&error).contains(why), "{}", causes(&error));
    }
    // A user without a right to the key of the attempt may still have those of a realm.
    for (login, is_tried) in [("app:s%40cret@", true), ("other:0ther@", false)] {
        let store = store(&etcd, login);
        let tried = answer(store.inner().try_write());
        assert_eq!(tried.unwrap(), is_tried, "{login}");
    }
}

/// As after minutes: etcd forgets a user's tokens when the password is set.
fn a_forgotten_token_is_renewed(_: &Etcd) {
    let etcd = Etcd::start().unwrap();
    enable_authentication(&etcd);
    let app = store(&etcd, "app:s%40cret@");
    let windows = Windows::new("0-7/10").begun(&app);
    let mut held = windows.acquire_in_secret(&app).unwrap();
    for _ in 0..2 {
        let root = json!({ "name": "root", "password": "r00t" });
        let answer = post(&etcd.endpoints()[0], "auth/authenticate", &root);
        let root = answer["token"].as_str().unwrap();
        let url = format!("http://{}/v3/auth/user/changepw", etcd.endpoints()[0]);
        let same = r#"{"name":"app","password":"s@cret"}"#;
        ureq::post(url).header("Authorization", root).send(same).unwrap();
        held = windows.renew(&app, &held).unwrap();
    }
    windows.acquire_in_secret(&app).unwrap();
}
