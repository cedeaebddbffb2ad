//! Work on several threads at the same time.

use std::sync::Barrier;
use std::thread;

use crate::clock;
use crate::dice::Dice;

/// The number of threads that draw from one generator.
pub const THREADS: u64 = 8;

/// Runs `work` on eight threads that start together, and returns their results. Each thread has its
/// own dice, and so has the [clock] that it reads.
///
/// # Panics
/// If a thread panics; the message has its seed.
pub fn on_threads<T: Send>(work: impl Fn(Dice) -> T + Sync) -> Vec<T> {
    let barrier = Barrier::new(usize::try_from(THREADS).unwrap());
    let (work, barrier) = (&work, &barrier);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|seed| {
                scope.spawn(move || {
                    clock::set_dice(Dice::new(!seed));
                    barrier.wait();
                    work(Dice::new(seed))
                })
            })
            .collect();
        let results = threads.into_iter().zip(0..THREADS).map(|(thread, seed)| {
            thread
                .join()
                .unwrap_or_else(|_| panic!("the thread of seed {seed} panicked, see above"))
        });
        results.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_run_at_the_same_time() {
        let all_there = Barrier::new(usize::try_from(THREADS).unwrap());
        let mut rolls = on_threads(|mut dice| {
            all_there.wait();
            dice.below(u64::MAX)
        });
        rolls.sort_unstable();
        rolls.dedup();
        assert_eq!(rolls.len(), 8);
    }

    #[test]
    #[should_panic(expected = "the thread of seed 3 panicked")]
    fn panics_are_passed_on() {
        let first = |seed| Dice::new(seed).below(u64::MAX);
        on_threads(|mut dice| assert_ne!(dice.below(u64::MAX), first(3)));
    }
}
