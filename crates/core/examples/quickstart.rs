//! Drives a generator by a clock that the program sets. It issues IDs within a second, after the
//! clock was set back, and outside the generator's window.
//!
//! ```text
//! $ cargo run -p tickid-core --example core-quickstart
//! second 1000: 131072256, 131072257
//! set back by 1 s: no ID for 1s
//! second 1010: no ID any more, Window
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_core::{Generator, ManualClock, Tick, UnixTime, Window, example};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let clock = ManualClock::new(UnixTime::from_millis(1_000_000)?);
    // This generator alone may use node 1, from second 1000 to just before second 1010.
    let window = Window::new(Tick::new(1_000)?, 1_010)?;
    let generator = Generator::<example::Seconds>::builder(example::Node(1))
        .window(window)
        .clock(&clock)
        .build()?;
    println!("second 1000: {}, {}", generator.try_generate()?, generator.try_generate()?);

    clock.set(UnixTime::from_millis(999_000)?);
    report("set back by 1 s", generator.try_generate());
    clock.set(UnixTime::from_millis(1_010_000)?);
    report("second 1010", generator.try_generate());
    Ok(())
}

fn report(event: &str, result: Result<u64, tickid_core::Error>) {
    match result {
        Ok(id) => println!("{event}: {id}"),
        Err(error) => match error.retry_after() {
            Some(wait) => println!("{event}: no ID for {wait:?}"),
            None => println!("{event}: no ID any more, {:?}", error.kind()),
        },
    }
}
