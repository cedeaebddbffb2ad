//! IDs for times of the caller's choice.

use std::collections::HashMap;
use std::thread;

use crate::support::{PARTITION, at, tick, within};
use tickid_sno::tickid_core::BuildError;
use tickid_sno::{SequenceBounds, SnoId, Window, WithTime};

#[test]
fn sequence_ignores_the_time() {
    let generator = WithTime::new(PARTITION).bounds(SequenceBounds::new(5, 2)).unwrap();
    let times = [7, 7, 3, 500, 500, 7];
    let ids = times.map(|units| generator.new_with_time(within(units, 3_999), 9).unwrap());
    for ((id, units), sequence) in ids.into_iter().zip(times).zip([2, 3, 4, 5, 2, 3]) {
        let expected = SnoId::from_parts(units.unsigned_abs(), false, PARTITION, sequence);
        assert_eq!(Ok(id), expected.map(|id| id.with_meta(9)));
    }
}

/// Documented: outside of what generators promise.
#[test]
fn pools_repeat_after_their_size() {
    let generator = WithTime::new(PARTITION);
    let first = generator.new_with_time(at(7), 0).unwrap();
    for _ in 1..65_536 {
        assert_ne!(generator.new_with_time(at(7), 0), Ok(first));
    }
    assert_eq!(generator.new_with_time(at(7), 0), Ok(first));
}

#[test]
fn refused_times_take_no_sequence() {
    let window = Window::new(tick(10), 20).unwrap();
    let generator = WithTime::new(PARTITION).window(window);
    for units in [0, 9, 20, (1 << 39) - 1] {
        let error = generator.new_with_time(within(units, 3_999), 0).unwrap_err();
        assert_eq!(error.value(), units.into());
        assert_eq!((error.what(), error.min(), error.max()), ("tick", 10, 19));
    }
    for micros in [at(0).as_micros() - 1, at(1 << 39).as_micros()] {
        let time = tickid_sno::UnixTime::from_micros(micros);
        assert_eq!(generator.new_with_time(time, 0).unwrap_err().value(), micros.into());
    }
    for (sequence, units) in [10, 19].into_iter().enumerate() {
        let id = generator.new_with_time(at(units), 0).unwrap();
        assert_eq!(usize::from(id.sequence()), sequence);
    }
}

#[test]
fn bounds_are_those_of_generators() {
    let bounds = |one, other| WithTime::new(PARTITION).bounds(SequenceBounds::new(one, other));
    assert!(bounds(0, 3).is_ok() && bounds(65_532, 65_535).is_ok());
    let pool = BuildError::Pool { lowest: 1, last: 3, pool: 3, min: 4 };
    assert_eq!(bounds(3, 1).unwrap_err(), pool);
    let error = bounds(0, 65_536).unwrap_err();
    assert_eq!(error.to_string(), "sequence bound 65536 is outside of 0..=65535");
}

#[test]
fn threads_share_the_sequence() {
    let generator = WithTime::new(PARTITION).bounds(SequenceBounds::new(100, 199)).unwrap();
    let draw = || (0..25_000).map(|_| generator.new_with_time(at(7), 0).unwrap()).collect();
    let ids: Vec<Vec<SnoId>> = thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(draw));
        threads.map(|thread| thread.join().unwrap()).into()
    });
    let mut counts = HashMap::<u16, u32>::new();
    for id in ids.into_iter().flatten() {
        *counts.entry(id.sequence()).or_default() += 1;
    }
    assert_eq!(counts.len(), 100);
    assert!(
        counts.iter().all(|(sequence, &count)| (100..200).contains(sequence) && count == 1_000)
    );
}
