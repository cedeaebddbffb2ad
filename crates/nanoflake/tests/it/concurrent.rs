//! Eight threads on one generator: every ID is issued once, whatever the clock does.

use core::num::NonZeroU32;
use core::time::Duration;

use crate::support::{LAYOUT, NODE};
use tickid_nanoflake::tickid_core::{ErrorKind, ManualClock};
use tickid_nanoflake::{Builder, UnixTime};
use tickid_testkit::scaled;
use tickid_testkit::threads::on_threads;

const START: i64 = 1_700_000_000_000_000;

/// Eight threads whose calls all fail change nothing: neither the tick nor later IDs, although each
/// of their calls adds to the generator's word before it reads the clock.
#[test]
fn hour_of_rollback_issues_nothing() {
    let start = UnixTime::from_micros(START);
    let clock = ManualClock::new(start);
    let generator = Builder::new(NODE).layout(LAYOUT).clock(&clock).build().unwrap();
    let last = generator.try_generate().unwrap();
    let hour = Duration::from_secs(3_600);
    clock.set(start.checked_sub(hour).unwrap());
    on_threads(|mut dice| {
        for _ in 0..scaled(20_000) {
            let want = NonZeroU32::new(dice.count(10_000)).unwrap();
            let error = generator.try_block(want).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Rollback);
            // The draws of failed calls are dropped, and may have been the rest of the last tick.
            let until = [hour, hour + Duration::from_millis(1)];
            assert!(until.map(Some).contains(&error.retry_after()), "{error}");
        }
    });
    assert_eq!(generator.state().snapshot.tick, Some(last.tick()));
    clock.set(UnixTime::from_micros(START + 1_000));
    let next = generator.try_generate().unwrap();
    assert_eq!(next.timestamp(), last.timestamp() + 1);
    assert_eq!(next.sequence(), 0);
}
