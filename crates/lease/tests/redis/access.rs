//! Users, passwords and rights.

use core::time::Duration;

use tickid_lease::{Lease, Store, StoreError, StoreErrorKind, block_on};
use tickid_testkit::servers::{Redis, Server as _, Test};

use crate::causes::causes;
use crate::servers::ask;
use crate::windows::Windows;

pub(crate) const TESTS: [Test<Redis>; 1] = [("users_need_few_rights", users_need_few_rights)];

const TIMEOUT: Duration = Duration::from_secs(60);

/// The rights that docs/leases/backends.md names for an application.
const RIGHTS: &str = "+evalsha +script|load +config|get +scan +info +time +get +set +hget +hmget \
                      +hset +zadd +zcard +zrange +zrangebylex";

fn users_need_few_rights(_: &Redis) {
    let server = Redis::start().unwrap();
    let place = server.address();
    let mut user = vec!["ACL", "SETUSER", "app", "on", ">s@cret", "~tickid:*", "-@all"];
    user.extend(RIGHTS.split(' '));
    let _: String = ask(&server, &user);
    let _: String = ask(&server, &["CONFIG", "SET", "requirepass", "0ther"]);
    let windows = Windows::new("0-7/10");
    let open = |login: &str| Store::open(&format!("redis://{login}{place}")).unwrap();
    let windows = windows.begun(&open("app:s%40cret@"));
    let acquire = |login: &str| -> Result<Lease, StoreError> {
        let store = open(login);
        let result = windows.acquire(&store);
        let causes = result.as_ref().map_or_else(|error| causes(error), |_| String::new());
        let shown = format!("{store:?} {result:?} {causes}");
        for secret in ["s@cret", "s%40cret", "wr0ng", "0ther"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        result
    };
    let held = acquire("app:s%40cret@").unwrap();
    acquire(":0ther@").unwrap();
    let app = open("app:s%40cret@");
    let held = windows.renew(&app, &held).unwrap();
    windows.release(&app, &held, None).unwrap();
    assert_eq!(block_on(app.realms(), TIMEOUT).unwrap(), [windows.realm.name().clone()]);
    for login in ["", "app:wr0ng@", ":wr0ng@", "nobody:wr0ng@"] {
        let error = acquire(login).unwrap_err();
        assert_eq!(error.to_string(), "redis store: could not log in", "{login}");
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    }
}
