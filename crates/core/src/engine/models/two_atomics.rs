//! The reason for a single word: a design that keeps the highest time and the sequence in separate
//! atomics issues IDs twice, however strict the orderings are.

use alloc::sync::Arc;
use core::sync::atomic::Ordering::SeqCst;

use ::loom::sync::atomic::{AtomicU32, AtomicU64};
use ::loom::thread;

struct TwoAtomics {
    tick: AtomicU64,
    sequence: AtomicU32,
}

impl TwoAtomics {
    /// Generates an ID. The first thread in a new tick takes sequence 0; the others count from
    /// there.
    fn issue(&self, now: u64) -> (u64, u32) {
        let tick = self.tick.load(SeqCst);
        if tick < now && self.tick.compare_exchange(tick, now, SeqCst, SeqCst).is_ok() {
            self.sequence.store(0, SeqCst);
            return (now, 0);
        }
        (now, self.sequence.fetch_add(1, SeqCst) + 1)
    }
}

#[test]
#[should_panic(expected = "issued twice")]
fn two_atomics_issue_an_id_twice() {
    ::loom::model(|| {
        let generator =
            Arc::new(TwoAtomics { tick: AtomicU64::new(10), sequence: AtomicU32::new(0) });
        let other = generator.clone();
        // The other thread sees the new tick with the old sequence, which is then reset.
        let ids = thread::spawn(move || other.issue(11));
        let mine = [generator.issue(11), generator.issue(11)];
        let his = ids.join().unwrap();
        assert!(mine[0] != mine[1] && !mine.contains(&his), "issued twice: {his:?}");
    });
}
