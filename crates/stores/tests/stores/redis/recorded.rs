//! The keys of the realms in the recordings of releases.

use serde_json::{Value, json};
use tickid_lease::Store;
use tickid_testkit::servers::Redis;
use tickid_testkit::vectors;

use super::servers::{ask, keys, store};
use crate::releases::{Kept, REALMS};

pub(crate) struct Keys<'a>(&'a Redis);

impl<'a> Keys<'a> {
    pub(crate) fn new(server: &'a Redis) -> Self {
        Self(server)
    }
}

impl Kept for Keys<'_> {
    fn store(&self) -> Store {
        store(self.0)
    }

    /// Returns the commands that create the keys.
    fn take(&self) -> Value {
        let mut commands = Vec::new();
        for name in REALMS {
            let [record, rows, nodes, ceilings] = keys(&name.parse().unwrap());
            let value: String = ask(self.0, &["GET", &record]);
            commands.push(vec!["SET".to_owned(), record, value]);
            for (make, read) in [
                ("HSET", ["HGETALL", &rows].as_slice()),
                ("ZADD", &["ZRANGE", &nodes, "0", "-1", "WITHSCORES"]),
                ("ZADD", &["ZRANGE", &ceilings, "0", "-1", "WITHSCORES"]),
            ] {
                let mut members: Vec<String> = ask(self.0, read);
                if make == "ZADD" {
                    // It reads a score before its member.
                    members.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
                }
                if !members.is_empty() {
                    commands.push(
                        [make.to_owned(), read[1].to_owned()].into_iter().chain(members).collect(),
                    );
                }
            }
        }
        json!(commands)
    }

    fn put(&self, kept: &Value) {
        for key in REALMS.iter().flat_map(|name| keys(&name.parse().unwrap())) {
            let _: u32 = ask(self.0, &["DEL", &key]);
        }
        for command in vectors::array(kept) {
            let _: redis::Value = ask(self.0, &vectors::strings(command));
        }
    }
}
