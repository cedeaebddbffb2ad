//! The number of requests, in pools of all sizes.

use serde_json::json;
use tickid_lease::RealmSpec;
use tickid_lease::admin::Refusal;
use tickid_testkit::servers::{Etcd, Server as _, Test};

use crate::etcd::member::{base64, post, proxy};
use crate::etcd::members::store;
use crate::herd;
use crate::sql::{acquire, answer};
use crate::windows::{self, Windows};

pub(crate) const TESTS: [Test<Etcd>; 4] = [
    ("requests_are_few", requests_are_few),
    ("realms_are_found_one_by_one", realms_are_found_one_by_one),
    ("full_pool_claims_read_few_rows", full_pool_claims_read_few_rows),
    ("rows_stay_below_twice_holders", rows_stay_below_twice_holders),
];

fn requests_are_few(server: &Etcd) {
    let proxy = proxy(&server.endpoints()[0]);
    windows::requests_are_few(&store(&[proxy.address().to_owned()]), || proxy.requests());
}

fn realms_are_found_one_by_one(_: &Etcd) {
    let etcd = Etcd::start().unwrap();
    let store = store(&etcd.endpoints());
    let windows = [(); 3].map(|()| Windows::new("0-7/10").begun(&store));
    windows[0].acquire(&store).unwrap();
    let key = |key: &str| json!({ "key": base64(key), "value": "" });
    for other in ["tickid/no-record/rows/0", "tickid/NO-NAME/record", "tickid", "tickid0"] {
        post(&etcd.endpoints()[0], "kv/put", &key(other));
    }
    let mut names = windows.map(|windows| windows.realm.name().clone()).to_vec();
    names.sort();
    let found = answer(store.realms());
    assert_eq!(found.unwrap(), names);
}

/// Writes the rows of a pool with all but 100 nodes held.
fn fill(endpoint: &str, realm: &RealmSpec) {
    let lease = acquire(&store(&[endpoint.to_owned()]), realm).unwrap();
    for part in herd::rows_of_a_full_pool(realm, &lease).chunks(128) {
        let put = |row: &tickid_lease::backend::Row| {
            let key = format!("tickid/{}/rows/{}", realm.name(), row.node.sort_key());
            json!({ "requestPut": { "key": base64(&key), "value": base64(&row.to_json()) } })
        };
        post(endpoint, "kv/txn", &json!({ "success": part.iter().map(put).collect::<Vec<_>>() }));
    }
}

/// Without an index, a claim may miss the free nodes.
fn full_pool_claims_read_few_rows(_: &Etcd) {
    let etcd = Etcd::start().unwrap();
    let proxy = proxy(&etcd.endpoints()[0]);
    let store = store(&[proxy.address().to_owned()]);
    let realm = herd::realm(&store, "0-65535/16");
    fill(&etcd.endpoints()[0], &realm);
    let mut granted = 0;
    for _ in 0..20 {
        let (requests, bytes) = (proxy.requests(), proxy.answered());
        match acquire(&store, &realm) {
            Ok(_) => granted += 1,
            Err(error) => {
                assert!(matches!(error.refusal(), Some(Refusal::NoFreeNode { .. })), "{error}");
            }
        }
        assert!(proxy.requests() - requests <= 11);
        assert!(proxy.answered() - bytes < 4_000_000);
    }
    assert!(granted >= 10, "{granted}");
}

fn rows_stay_below_twice_holders(server: &Etcd) {
    let store = store(&server.endpoints());
    assert!(herd::churn(&store, &herd::realm(&store, "0-65535/16")) <= 128);
}
