use redis::{Connection, FromRedisValue, RedisResult, Script};

use crate::realm::RealmName;

/// The scripts. Each is one step that nothing comes between; what it takes is said in its file.
pub(crate) struct Scripts {
    pub(crate) acquire: Script,
    pub(crate) renew: Script,
    pub(crate) release: Script,
    pub(crate) read: Script,
    pub(crate) commit: Script,
}

const RECORD: &str = include_str!("record.lua");
const RULES: &str = include_str!("rules.lua");

impl Scripts {
    pub(crate) fn new() -> Self {
        let by_rules = |script: &str| Script::new(&[RECORD, RULES, script].concat());
        let plain = |script: &str| Script::new(&[RECORD, script].concat());
        Self {
            acquire: by_rules(include_str!("acquire.lua")),
            renew: by_rules(include_str!("renew.lua")),
            release: by_rules(include_str!("release.lua")),
            read: plain(include_str!("read.lua")),
            commit: plain(include_str!("commit.lua")),
        }
    }
}

/// Runs a script on the keys of a realm. It is sent by its hash, and as a whole when the server does not
/// know it.
pub(crate) fn run<T: FromRedisValue>(
    script: &Script,
    realm: &RealmName,
    args: &[String],
    connection: &mut Connection,
) -> RedisResult<T> {
    let mut call = script.prepare_invoke();
    // In braces is what decides where a key is in a cluster: both are in the same place.
    call.key(format!("tickid:{{{realm}}}:record")).key(format!("tickid:{{{realm}}}:rows"));
    for arg in args {
        call.arg(arg);
    }
    call.invoke(connection)
}
