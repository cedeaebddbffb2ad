//! Keeps one generator for the whole program in a static, and calls it from many threads.
//!
//! ```text
//! $ cargo run -p tickid --example threads
//! 1000 threads, 1000 different IDs, from 9q8xn3vg222i6222 to 9q8xn3ww222i624k
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use std::sync::LazyLock;
use std::thread;

use tickid::sno::{BuildError, Error, Generator, SnoId};

const THREADS: usize = 1_000;

static GENERATOR: LazyLock<Result<Generator, BuildError>> =
    LazyLock::new(|| Generator::numbered(258));

type BoxError = Box<dyn core::error::Error + Send + Sync>;

fn main() -> Result<(), BoxError> {
    let generator = GENERATOR.as_ref()?;
    let ids: Result<Vec<SnoId>, Error> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| generator.generate())).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let mut ids = ids?;
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), THREADS);
    let [first, .., last] = ids[..] else { return Err("no IDs".into()) };
    println!("{THREADS} threads, {} different IDs, from {first} to {last}", ids.len());
    Ok(())
}
