//! Users, passwords and rights.

use tickid_lease::backend::StoreErrorKind;
use tickid_testkit::servers::{Redis, Server as _, Test};

use crate::redis::servers::{ask, open};
use crate::sql::answer;
use crate::windows::Windows;

pub(crate) const TESTS: [Test<Redis>; 2] = [
    ("users_need_few_rights", users_need_few_rights),
    ("users_read_no_settings", users_read_no_settings),
];

/// The rights that docs/leases/backends.md names for an application.
const RIGHTS: &str = "+evalsha +script|load +scan +info +time +get +set +hget +hmget +hset +zadd \
                      +zcard +zrange +zrangebylex";
/// The option of its URL.
const STATED: &str = "?appendfsync=always";

/// Adds a user with the documented rights.
fn add_user(server: &Redis) {
    let mut user = vec!["ACL", "SETUSER", "app", "on", ">s@cret", "~tickid:*", "-@all"];
    user.extend(RIGHTS.split(' '));
    let _: String = ask(server, &user);
}

/// A user may not read the server's passwords, so the URL states what it cannot read either.
fn users_read_no_settings(_: &Redis) {
    let server = Redis::start().unwrap();
    add_user(&server);
    let _: String = ask(&server, &["CONFIG", "SET", "masterauth", "0ther"]);
    let place = server.address();
    let client = redis::Client::open(format!("redis://app:s%40cret@{place}")).unwrap();
    let mut connection = client.get_connection().unwrap();
    for setting in ["masterauth", "requirepass", "*"] {
        let read =
            redis::cmd("CONFIG").arg("GET").arg(setting).query::<Vec<String>>(&mut connection);
        assert_eq!(read.unwrap_err().code(), Some("NOPERM"));
    }
    let windows = Windows::new("0-7/10");
    let url = format!("redis://app:s%40cret@{place}");
    let error = windows.acquire(&open(&url)).unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Unfit { .. }), "{error:?}");
    assert!(error.to_string().contains("`appendfsync=always` in the URL"), "{error}");
    let stated = open(&format!("{url}{STATED}"));
    windows.begun(&stated).acquire(&stated).unwrap();
    // The rest is not taken for granted.
    for (options, why) in [
        (["--appendonly", "no"], "its appendonly is no"),
        (["--maxmemory-policy", "allkeys-lfu"], "its maxmemory-policy is allkeys-lfu"),
    ] {
        let server = Redis::with_options(&options).unwrap();
        add_user(&server);
        let store = format!("redis://app:s%40cret@{}{STATED}", server.address());
        let error = Windows::new("0-7/10").acquire(&open(&store)).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

fn users_need_few_rights(_: &Redis) {
    let server = Redis::start().unwrap();
    let place = server.address();
    add_user(&server);
    let _: String = ask(&server, &["CONFIG", "SET", "requirepass", "0ther"]);
    let windows = Windows::new("0-7/10");
    let open = |login: &str| open(&format!("redis://{login}{place}{STATED}"));
    let windows = windows.begun(&open("app:s%40cret@"));
    let acquire = |login: &str| windows.acquire_in_secret(&open(login));
    let held = acquire("app:s%40cret@").unwrap();
    acquire(":0ther@").unwrap();
    let app = open("app:s%40cret@");
    let held = windows.renew(&app, &held).unwrap();
    windows.release(&app, &held, None).unwrap();
    assert_eq!(answer(app.realms()).unwrap(), [windows.realm.name().clone()]);
    for login in ["", "app:wr0ng@", ":wr0ng@", "nobody:wr0ng@"] {
        let error = acquire(login).unwrap_err();
        assert_eq!(error.to_string(), "redis store: could not log in", "{login}");
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    }
}
