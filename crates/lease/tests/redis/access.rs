//! Who is let in, and whether anybody listens.

use tickid_lease::{Grant, RedisStore, StoreError, StoreErrorKind};
use tickid_testkit::servers::{Redis, Server as _, Test};

use crate::causes::causes;
use crate::servers::ask;
use crate::windows::Windows;

pub(crate) const TESTS: [Test<Redis>; 1] =
    [("users_are_let_in_by_their_password_and_need_few_rights", users_are_let_in)];

/// What docs/leases.md says that an application needs.
const RIGHTS: &str =
    "+evalsha +eval +script|load +config|get +info +time +hget +hgetall +hset +del";

fn users_are_let_in(_: &Redis) {
    let server = Redis::start().unwrap();
    let place = server.address();
    let mut user = vec!["ACL", "SETUSER", "app", "on", ">s@cret", "~tickid:*", "-@all"];
    user.extend(RIGHTS.split(' '));
    let _: String = ask(&server, &user);
    let _: String = ask(&server, &["CONFIG", "SET", "requirepass", "0ther"]);
    let windows = Windows::new("0-7/10");
    let acquire = |login: &str| -> Result<Grant, StoreError> {
        let store = RedisStore::open(&format!("redis://{login}{place}")).unwrap();
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
    let app = RedisStore::open(&format!("redis://app:s%40cret@{place}")).unwrap();
    windows.renew(&app, &held.hold).unwrap();
    windows.release(&app, &held.hold, None).unwrap();
    for login in ["", "app:wr0ng@", ":wr0ng@", "nobody:wr0ng@"] {
        let error = acquire(login).unwrap_err();
        assert_eq!(error.to_string(), "redis store: could not log in", "{login}");
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    }
}
