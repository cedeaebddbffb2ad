//! IDs to be written and read.

use std::array;
use std::time::Duration;

use tickid_core::{ManualClock, Variant};

use crate::START;
use crate::subject::{self, Subject};

/// So many different ones in turn: the branches of a parser that always sees the same ID would be
/// foretold too well.
pub const COUNT: usize = 1_024;

/// IDs a second and a bit apart, so that they differ in most places.
#[must_use]
pub fn ids<S: Subject>() -> [<S::Variant as Variant<S>>::Id; COUNT] {
    let clock = ManualClock::new(START);
    let generator = subject::shared::<S>(&clock);
    array::from_fn(|_| {
        clock.advance(Duration::from_micros(1_234_567));
        generator.try_generate().expect("a clock that moves on")
    })
}
