//! The keys of the realms in the recordings of releases.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tickid_lease::Store;
use tickid_testkit::servers::Etcd;
use tickid_testkit::vectors;

use super::member::{all_of, base64, post};
use crate::releases::{Kept, REALMS};

pub(crate) struct Keys {
    member: String,
}

impl Keys {
    pub(crate) fn new(server: &Etcd) -> Self {
        Self { member: server.endpoints()[0].clone() }
    }
}

impl Kept for Keys {
    fn store(&self) -> Store {
        tickid_stores::open(&format!("etcd://{}", self.member)).unwrap()
    }

    /// Keys, with their values and versions.
    fn take(&self) -> Value {
        let mut kept = Vec::new();
        let text = |value: &Value| {
            String::from_utf8(BASE64_STANDARD.decode(value.as_str().unwrap()).unwrap()).unwrap()
        };
        for name in REALMS {
            let answer = post(&self.member, "kv/range", &all_of(&name.parse().unwrap()));
            for pair in vectors::array(&answer["kvs"]) {
                let version: u64 = vectors::big(pair, "version");
                kept.push(json!({
                    "key": text(&pair["key"]), "value": text(&pair["value"]), "version": version,
                }));
            }
        }
        json!(kept)
    }

    /// A key's version is the number of its writes.
    fn put(&self, kept: &Value) {
        for name in REALMS {
            post(&self.member, "kv/deleterange", &all_of(&name.parse().unwrap()));
        }
        for pair in vectors::array(kept) {
            let put = json!({
                "key": base64(vectors::string(pair, "key")),
                "value": base64(vectors::string(pair, "value")),
            });
            for _ in 0..vectors::number(pair, "version") {
                post(&self.member, "kv/put", &put);
            }
        }
    }
}
