//! Who is let in, and whether anybody listens.

use tickid_lease::{EtcdStore, Grant, StoreError, StoreErrorKind};
use tickid_testkit::servers::{Etcd, Server as _, Test};

use crate::causes::causes;
use crate::members::base64;
use crate::windows::Windows;

pub(crate) const TESTS: [Test<Etcd>; 2] = [
    ("users_are_let_in_by_their_password", users_are_let_in_by_their_password),
    (
        "a_token_that_is_not_known_any_more_is_renewed",
        a_token_that_is_not_known_any_more_is_renewed,
    ),
];

/// Asks the first member as etcd's own tools would.
fn tell(etcd: &Etcd, method: &str, body: &str) {
    let url = format!("http://{}/v3/{method}", etcd.endpoints()[0]);
    ureq::post(url).send(body).unwrap();
}

/// Lets in `app` (with the password `s@cret`) to the keys of the store, and `other` to nothing.
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

fn store(etcd: &Etcd, login: &str) -> EtcdStore {
    EtcdStore::open(&format!("etcd://{login}{}", etcd.endpoints()[0])).unwrap()
}

/// What comes of it, with the passwords shown nowhere.
fn acquire(windows: &Windows, store: &EtcdStore) -> Result<Grant, StoreError> {
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

fn users_are_let_in_by_their_password(_: &Etcd) {
    let etcd = Etcd::start().unwrap();
    let windows = Windows::new("0-7/10");
    // To log in where nobody need do so is no mistake yet.
    let early = store(&etcd, "app:s%40cret@");
    acquire(&windows, &early).unwrap();
    enable_authentication(&etcd);
    acquire(&windows, &early).unwrap();
    for options in ["", "?lease_ttl=60"] {
        let place = format!("etcd://app:s%40cret@{}{options}", etcd.endpoints()[0]);
        let app = EtcdStore::open(&place).unwrap();
        let held = acquire(&windows, &app).unwrap();
        windows.renew(&app, &held.hold).unwrap();
    }
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

/// As after its time, which is minutes: etcd forgets a user's tokens when the password is set.
fn a_token_that_is_not_known_any_more_is_renewed(_: &Etcd) {
    let etcd = Etcd::start().unwrap();
    enable_authentication(&etcd);
    let (windows, app) = (Windows::new("0-7/10"), store(&etcd, "app:s%40cret@"));
    let held = acquire(&windows, &app).unwrap();
    for _ in 0..2 {
        let root = token(&etcd, r#"{"name":"root","password":"r00t"}"#);
        let url = format!("http://{}/v3/auth/user/changepw", etcd.endpoints()[0]);
        let same = r#"{"name":"app","password":"s@cret"}"#;
        ureq::post(url).header("Authorization", root).send(same).unwrap();
        windows.renew(&app, &held.hold).unwrap();
    }
    acquire(&windows, &app).unwrap();
}

fn token(etcd: &Etcd, login: &str) -> String {
    let url = format!("http://{}/v3/auth/authenticate", etcd.endpoints()[0]);
    let answer = ureq::post(url).send(login).unwrap().body_mut().read_to_string().unwrap();
    let start = answer.split(r#""token":""#).nth(1).unwrap();
    start.split('"').next().unwrap().to_owned()
}
