//! Large pools.

use core::time::Duration;

use tickid_lease::RealmSpec;
use tickid_lease::admin::Refusal;
use tickid_lease::session::block_on;
use tickid_testkit::servers::{Redis, Server as _, Test};

use crate::herd;
use crate::redis::servers::{ask, keys, scripts_run, store};
use crate::sql::acquire;

pub(crate) const TESTS: [Test<Redis>; 3] = [
    ("full_pool_claims_read_few_rows", full_pool_claims_read_few_rows),
    ("early_claims_read_one_page", early_claims_read_one_page),
    ("rows_stay_below_twice_holders", rows_stay_below_twice_holders),
];

/// Writes the rows of a pool with all but 100 nodes held.
fn fill(server: &Redis, realm: &RealmSpec) {
    let client = redis::Client::open(format!("redis://{}", server.address())).unwrap();
    let mut connection = client.get_connection().unwrap();
    let [_, rows, nodes, ceilings] = keys(realm.name());
    let lease = acquire(&store(server), realm).unwrap();
    for part in herd::rows_of_a_full_pool(realm, &lease).chunks(2_048) {
        let mut pipe = redis::pipe();
        for row in part {
            let key = row.node.sort_key();
            pipe.hset(&rows, &key, format!("1 {}", row.to_json())).ignore();
            pipe.zadd(&nodes, &key, 0).ignore();
            pipe.zadd(&ceilings, &key, row.ceiling).ignore();
        }
        let () = pipe.query(&mut connection).unwrap();
    }
}

fn bytes_sent(server: &Redis) -> u64 {
    let stats: String = ask(server, &["INFO", "stats"]);
    let line = stats.lines().find_map(|line| line.strip_prefix("total_net_output_bytes:"));
    line.unwrap().parse().unwrap()
}

fn full_pool_claims_read_few_rows(_: &Redis) {
    let server = Redis::start().unwrap();
    let store = store(&server);
    let realm = herd::realm(&store, "0-65535/16");
    fill(&server, &realm);
    for _ in 0..90 {
        let before = (scripts_run(&server), bytes_sent(&server));
        acquire(&store, &realm).unwrap();
        assert_eq!(scripts_run(&server), before.0 + 2);
        assert!(bytes_sent(&server) - before.1 < 100_000);
    }
}

/// After a loss all holders claim nodes that cannot be granted yet.
fn early_claims_read_one_page(_: &Redis) {
    let server = Redis::start().unwrap();
    let store = store(&server);
    let realm = herd::realm(&store, "0-65535/16");
    fill(&server, &realm);
    block_on(store.invalidate(&realm), Duration::from_secs(60)).unwrap();
    let before = scripts_run(&server);
    let error = acquire(&store, &realm).unwrap_err();
    assert!(matches!(error.refusal(), Some(Refusal::NotYet { .. })), "{error}");
    assert_eq!(scripts_run(&server), before + 1);
}

fn rows_stay_below_twice_holders(server: &Redis) {
    let store = store(server);
    assert!(herd::churn(&store, &herd::realm(&store, "0-65535/16")) <= 128);
}
