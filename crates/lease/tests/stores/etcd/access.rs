//! Users, passwords and tokens.

use tickid_lease::backend::StoreErrorKind;
use tickid_lease::{Lease, Store, StoreError};
use tickid_testkit::servers::{Etcd, Server as _, Test};

use crate::error_chain::causes;
use crate::etcd::member::base64;
use crate::windows::Windows;

pub(crate) const TESTS: [Test<Etcd>; 2] = [
    ("users_authenticate_by_password", users_authenticate_by_password),
    ("a_forgotten_token_is_renewed", a_forgotten_token_is_renewed),
];

/// Sends the first member a request, as etcd's own tools do.
fn tell(etcd: &Etcd, method: &str, body: &str) {
    let url = format!("http://{}/v3/{method}", etcd.endpoints()[0]);
    ureq::post(url).send(body).unwrap();
}

/// Gives `app` (with the password `s@cret`) the right to the keys of the store, and `other` none.
fn enable_authentication(etcd: &Etcd) {
    let (first, end) = (base64("tickid/"), base64("tickid0"));
    for (user, password) in [("root", "r00t"), ("app", "s@cret"), ("other", "0ther")] {
        let body = format!(r#"{{"name":"{user}","password":"{password}"}}"#);
        tell(etcd, "auth/user/add", &body);
    }
    for (user, role) in [("root", "root"), ("app", "tickid")] {
        tell(etcd, "auth/role/add", &format!(r#"{{"name":"{role}"}}"#));
        tell(etcd, "auth/user/grant", &format!(r#"{{"user":"{user}","role":"{role}"}}"#));
    }
    let right = format!(r#"{{"permType":"READWRITE","key":"{first}","range_end":"{end}"}}"#);
    tell(etcd, "auth/role/grant", &format!(r#"{{"name":"tickid","perm":{right}}}"#));
    tell(etcd, "auth/enable", "{}");
}

fn store(etcd: &Etcd, login: &str) -> Store {
    Store::open(&format!("etcd://{login}{}", etcd.endpoints()[0])).unwrap()
}

/// Acquires a node, with the passwords shown nowhere.
fn acquire(windows: &Windows, store: &Store) -> Result<Lease, StoreError> {
    let result = windows.acquire(store);
    let shown = format!(
        "{store:?} {result:?} {}",
        result.as_ref().map_or_else(|error| causes(error), |_| String::new())
    );
    for secret in ["s@cret", "s%40cret", "wr0ng", "0ther"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    result
}

fn users_authenticate_by_password(_: &Etcd) {
    let etcd = Etcd::start().unwrap();
    let windows = Windows::new("0-7/10");
    // A login that is not needed is not a mistake yet.
    let early = store(&etcd, "app:s%40cret@");
    let windows = windows.begun(&early);
    acquire(&windows, &early).unwrap();
    enable_authentication(&etcd);
    acquire(&windows, &early).unwrap();
    let app = store(&etcd, "app:s%40cret@");
    let held = acquire(&windows, &app).unwrap();
    windows.renew(&app, &held).unwrap();
    for (login, what, why) in [
        ("", "could not log in", "user name is empty"),
        ("app:wr0ng@", "could not log in", "authentication failed"),
        ("nobody:wr0ng@", "could not log in", "authentication failed"),
        ("other:0ther@", "could not do a transaction", "permission denied"),
    ] {
        let error = acquire(&windows, &store(&etcd, login)).unwrap_err();
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
        assert_eq!(error.to_string(), format!("etcd store: {what}"), "{login}");
        assert!(causes(&error).contains(why), "{}", causes(&error));
    }
}

/// As after minutes: etcd forgets a user's tokens when the password is set.
fn a_forgotten_token_is_renewed(_: &Etcd) {
    let etcd = Etcd::start().unwrap();
    enable_authentication(&etcd);
    let app = store(&etcd, "app:s%40cret@");
    let windows = Windows::new("0-7/10").begun(&app);
    let mut held = acquire(&windows, &app).unwrap();
    for _ in 0..2 {
        let root = token(&etcd, r#"{"name":"root","password":"r00t"}"#);
        let url = format!("http://{}/v3/auth/user/changepw", etcd.endpoints()[0]);
        let same = r#"{"name":"app","password":"s@cret"}"#;
        ureq::post(url).header("Authorization", root).send(same).unwrap();
        held = windows.renew(&app, &held).unwrap();
    }
    acquire(&windows, &app).unwrap();
}

fn token(etcd: &Etcd, login: &str) -> String {
    let url = format!("http://{}/v3/auth/authenticate", etcd.endpoints()[0]);
    let answer = ureq::post(url).send(login).unwrap().body_mut().read_to_string().unwrap();
    let start = answer.split(r#""token":""#).nth(1).unwrap();
    start.split('"').next().unwrap().to_owned()
}
