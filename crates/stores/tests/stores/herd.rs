//! Pools of many nodes, nearly all of them held.

use core::time::Duration;

use tickid_lease::backend::{Extra, Row, Version};
use tickid_lease::session::Token;
use tickid_lease::{Lease, Realm, RealmSpec, Store};
use tickid_sno::Sno;

use crate::sql::{acquire, answer, begin};

/// One node of so many is free in a pool that is nearly full: 100 of 65,536.
const FREE_EVERY: usize = 655;

/// Creates a separate realm with leases that last for longer than a test.
pub(crate) fn realm(store: &Store, pool: &str) -> RealmSpec {
    let name = format!("herd-{}", Token::random().unwrap());
    let realm = RealmSpec::from(Realm::builder(name, Sno).pool(pool).build().unwrap());
    let terms = realm.terms().with_term(Duration::from_secs(3_600));
    let realm = realm.with_terms(terms).unwrap();
    begin(store, &realm);
    realm
}

/// Returns rows for all nodes but one in [`FREE_EVERY`], which is expired: the rest is held as
/// `lease`.
pub(crate) fn rows_of_a_full_pool(realm: &RealmSpec, lease: &Lease) -> Vec<Row> {
    let row = |(index, node)| {
        let is_free = index % FREE_EVERY == FREE_EVERY / 2;
        Row {
            node,
            token: Some(Token::from_bits(index as u128)),
            holder: "a test".to_owned(),
            era: 0,
            floor: 1,
            ceiling: if is_free { 2 } else { lease.ceiling },
            cut: Version::default(),
            extra: Extra::default(),
        }
    };
    realm.pool().nodes().enumerate().map(row).collect()
}

/// Churns a pool: half of 64 holders release their nodes and others come, several times. Returns
/// the number of rows in the end.
pub(crate) fn churn(store: &Store, realm: &RealmSpec) -> usize {
    let mut held: Vec<Lease> = (0..64).map(|_| acquire(store, realm).unwrap()).collect();
    for _ in 0..20 {
        for lease in held.drain(..32) {
            answer(store.release(realm, &lease, None)).unwrap();
        }
        held.extend((0..32).map(|_| acquire(store, realm).unwrap()));
    }
    answer(store.list(realm.name())).unwrap().rows.len()
}
