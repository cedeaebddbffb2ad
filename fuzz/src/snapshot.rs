//! Snapshots of the original sno library: JSON there and back, and generators restored from them.

use tickid_core::{Error, ManualClock, Tick};
use tickid_sno::{GeneratorSnapshot, LocalGenerator, Meta, Sno, SnoId, UnixTime};

pub fn check(data: &[u8]) {
    let Ok(snapshot) = serde_json::from_slice::<GeneratorSnapshot>(data) else {
        return;
    };
    let text = serde_json::to_string(&snapshot).unwrap();
    assert_eq!(serde_json::from_str::<GeneratorSnapshot>(&text).unwrap(), snapshot);
    let Ok(issued) = snapshot.issued() else {
        assert!(snapshot.builder().is_err());
        return;
    };
    // At the tick of the snapshot, or at the first.
    let units = issued.tick.map_or(0, Tick::get);
    let clock = ManualClock::new(at(units));
    let Ok(builder) = snapshot.builder() else {
        return;
    };
    let mut generator = match builder.clock(&clock).build_local() {
        Ok(generator) => generator,
        // A clock before the last issued ID is not a reason.
        Err(error) => panic!("{error}: {text}"),
    };
    let Ok(first) = draw(&mut generator, &clock) else {
        return;
    };
    let bounds = snapshot.bounds();
    bounds.check(first.sequence().into()).unwrap();
    assert_eq!(first.partition(), snapshot.partition);
    if first.timestamp() == units && issued.tick.is_some() {
        // IDs that the original's snapshot counts as issued are not issued again.
        assert!(u32::from(first.sequence()) >= issued.next_sequence, "{first:?} after {text}");
    }

    // Written and read again, a snapshot continues after the issued IDs.
    let closed = generator.close();
    let again =
        GeneratorSnapshot::new(snapshot.partition, bounds, &closed, at(first.timestamp())).unwrap();
    let text = serde_json::to_string(&again).unwrap();
    let again: GeneratorSnapshot = serde_json::from_str(&text).unwrap();
    assert_eq!(again.drifts, snapshot.drifts);
    assert_eq!(again.bounds(), bounds);
    let mut successor = again.builder().unwrap().clock(&clock).build_local().unwrap();
    if let Ok(next) = draw(&mut successor, &clock) {
        assert!(next.toggle() == first.toggle() && next > first, "{next} after {first} and {text}");
    }
}

/// Draws an ID now, or at the next tick.
fn draw(generator: &mut LocalGenerator<&ManualClock>, clock: &ManualClock) -> Result<SnoId, Error> {
    generator.with(Meta(7)).try_generate().or_else(|_| {
        clock.advance(core::time::Duration::from_millis(4));
        generator.with(Meta(7)).try_generate()
    })
}

fn at(units: u64) -> UnixTime {
    UnixTime::from_micros(Sno::EPOCH.as_micros() + 4_000 * units.cast_signed())
}
