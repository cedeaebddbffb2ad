//! Shares a generator among threads. Each has a handle, which draws blocks of IDs, so that threads
//! rarely compete.
//!
//! ```text
//! $ cargo run -p tickid-nanoflake --example nanoflake-threads
//! 4 threads generated 400000 IDs in 134 ms: all different, each thread's in order
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use std::thread;
use std::time::Instant;

use tickid_nanoflake::{Generator, GeneratorId, NanoflakeId};

const THREADS: usize = 4;
const IDS: usize = 100_000;

type Failure = Box<dyn core::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let generator = Generator::new(GeneratorId::new(378)?)?;
    let start = Instant::now();
    let lists = thread::scope(|scope| {
        let work = || -> Result<Vec<NanoflakeId>, Failure> {
            let mut handle = generator.handle();
            (0..IDS).map(|_| Ok(handle.generate()?)).collect()
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        let lists = threads.into_iter().map(|thread| thread.join().map_err(|_| "a panic")?);
        lists.collect::<Result<Vec<_>, Failure>>()
    })?;
    let time = start.elapsed();

    assert!(lists.iter().all(|ids| ids.is_sorted()));
    let mut ids = lists.concat();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), THREADS * IDS);
    print!("{THREADS} threads generated {} IDs in {} ms", ids.len(), time.as_millis());
    println!(": all different, each thread's in order");
    Ok(())
}
