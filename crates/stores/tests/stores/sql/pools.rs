//! Large pools.

use core::time::Duration;
use std::time::Instant;

use tickid_lease::admin::Refusal;
use tickid_lease::{RealmSpec, Store};

use super::{answer, begin, claim, realm_named};

const HOUR: Duration = Duration::from_secs(3_600);

/// A database that can be filled with made-up rows and counts the rows it reads.
pub(crate) trait Rows {
    fn open(&self) -> Store;

    /// Replaces the rows of a realm by one row for each node of `bits` bits. Every `free`th node is
    /// free (none if it is 0), and the others are held until `ceiling`.
    fn fill(&self, realm: &RealmSpec, bits: u32, free: u32, ceiling: u64);

    /// Returns the number of rows read so far, once no client is connected any more.
    fn rows_read(&self) -> u64;
}

/// Asserts that a claim reads a bounded number of rows at every fill.
#[allow(clippy::print_stderr, reason = "how long it takes is reported, not judged")]
pub(crate) fn claims_read_few_rows(rows: &impl Rows) {
    let held = |realm: &RealmSpec| {
        let now = answer(rows.open().list(realm.name())).unwrap().now;
        realm.tick_at(now).unwrap() + realm.term_ticks()
    };
    let large = realm_named("large", "0-65535/16", HOUR);
    let small = realm_named("small", "0-255/8", HOUR);
    for realm in [&large, &small] {
        begin(&rows.open(), realm);
    }
    // All of a small pool but 100 are free; of a large one all, 100 or none.
    for (realm, bits, free, name) in [
        (&small, 8, 2, "256 nodes, half of them free"),
        (&large, 16, 655, "65,536 nodes, 101 of them free"),
        (&large, 16, 0, "65,536 nodes, none of them free"),
        (&large, 0, 0, "65,536 nodes, none used"),
    ] {
        rows.fill(realm, bits, free, held(realm));
        let before = rows.rows_read();
        let store = rows.open();
        // The first request connects.
        answer(store.realm(realm.name())).unwrap();
        let mut times = Vec::new();
        for _ in 0..21 {
            let start = Instant::now();
            let result = answer(store.acquire(realm, &mut claim()));
            times.push(start.elapsed());
            match result {
                Ok(_) => assert!(bits == 0 || free > 0),
                Err(error) => {
                    let is_exhausted = matches!(error.refusal(), Some(Refusal::NoFreeNode { .. }));
                    assert!(is_exhausted && bits > 0 && free == 0, "{error}");
                }
            }
        }
        drop(store);
        let read = (rows.rows_read() - before) / 21;
        times.sort_unstable();
        eprintln!("{name}: {read} rows a claim, p50 {:?}", times[10]);
        // One page of 64 rows, and the 64 rows with the lowest ceilings; five pages if none is
        // free.
        let most = if bits > 0 && free == 0 { 8_000 } else { 400 };
        assert!(read <= most, "{name}: {read} rows");
    }
}
