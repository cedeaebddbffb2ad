//! IDs to encode and decode.

use std::array;
use std::time::Duration;

use tickid_core::{ManualClock, Variant};

use crate::START;
use crate::subject::{self, Subject};

/// The number of different IDs in turn. If a parser always got the same ID, its branches would be
/// predicted too well.
pub const COUNT: usize = 1_024;

/// Returns IDs that are a second and a bit apart, so that they differ in most places.
#[must_use]
pub fn ids<S: Subject>() -> [<S::Variant as Variant<S>>::Id; COUNT] {
    let clock = ManualClock::new(START);
    let generator = subject::shared::<S>(&clock);
    array::from_fn(|_| {
        clock.advance(Duration::from_micros(1_234_567));
        generator.try_generate().expect("a clock that moves on")
    })
}
