//! The time that a program may continue for.

use core::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tickid_core::{Clock as _, SystemClock, UnixTime};
use tickid_lease::admin::Terms;
use tickid_lease::{Lease, RealmSpec};

/// The readings of the clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockTimes {
    /// Time since the machine was started, suspends included. It never steps.
    pub(super) boot: Duration,
    /// The clock of the program, or `None` if it cannot be read.
    pub(super) wall: Option<UnixTime>,
}

impl ClockTimes {
    pub(super) fn read() -> Result<Self, nix::Error> {
        let boot = clock_gettime(ClockId::CLOCK_BOOTTIME)?.into();
        Ok(Self { boot, wall: SystemClock.now().ok() })
    }

    /// Reports whether one of these times has come, by its clock.
    pub(super) fn has_reached(self, (boot, wall): (Duration, UnixTime)) -> bool {
        self.boot >= boot || self.wall.is_none_or(|now| now >= wall)
    }
}

/// A window as it was granted last, by the clocks of this machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramWindow {
    pub(super) lease: Lease,
    /// The floor's time. While the wall clock reads earlier, no program may run, because a
    /// generator that it starts then issues IDs below the window.
    pub(super) opens: UnixTime,
    /// The time when the program is killed, by the wall clock and since the machine's start.
    closes: UnixTime,
    closes_boot: Duration,
    /// The time since the machine's start when it should be renewed.
    renewal_due: Duration,
}

/// Returns the time before the end of a window when the program is killed at the latest. On a
/// machine under load, tens of milliseconds pass until an alarm has woken a process, its signals
/// have arrived, and all descendants are found.
pub(super) fn margin(term: Duration) -> Duration {
    (term / 20).clamp(Duration::from_millis(100), Duration::from_secs(1))
}

/// Returns the same for a program of this realm whose lease has these terms by now. The program's
/// keeper has the margin of the start, so it is never less than that.
pub(super) fn margin_under(realm: &RealmSpec, terms: Terms) -> Duration {
    margin(realm.terms().term).max(margin(terms.term))
}

impl ProgramWindow {
    /// Returns the window of a lease, requested at the time `asked` since the machine was started.
    ///
    /// A program's IDs are ahead of its clock by no more than the allowance and the one tick that
    /// an overflow takes beyond it. So it has to be gone that much before the ceiling, and is
    /// killed a [`margin`] earlier. The allowance is the realm's, with which the program was
    /// started, whatever the store's is by now.
    pub(super) fn new(realm: &RealmSpec, lease: Lease, asked: Duration) -> Self {
        let scale = realm.scale();
        let last = lease.ceiling.saturating_sub(realm.terms().allowance.saturating_add(1));
        let margin = margin_under(realm, lease.terms);
        let closes = scale.time_of(last).checked_sub(margin).unwrap_or(UnixTime::MIN);
        Self {
            lease,
            opens: scale.time_of(lease.floor),
            closes,
            // The store's clock read that after the request was sent.
            closes_boot: asked.saturating_add(closes.saturating_since(lease.granted_at)),
            renewal_due: asked.saturating_add(lease.terms.term / 2),
        }
    }

    pub(super) fn is_open(&self, now: ClockTimes) -> bool {
        now.wall.is_some_and(|wall| wall >= self.opens)
    }

    /// Returns the time that a program may continue for, by the clock that leaves less.
    pub(super) fn left(&self, now: ClockTimes) -> Duration {
        match now.wall {
            Some(wall) if self.is_open(now) => {
                self.closes.saturating_since(wall).min(self.closes_boot.saturating_sub(now.boot))
            }
            _ => Duration::ZERO,
        }
    }

    /// Reports whether it should have been renewed by now.
    pub(super) fn is_overdue(&self, now: ClockTimes) -> bool {
        now.boot > self.renewal_due
    }

    /// Returns the times, by either clock, when that much is left.
    pub(super) fn when_left(&self, left: Duration) -> (Duration, UnixTime) {
        let wall = self.closes.checked_sub(left).unwrap_or(UnixTime::MIN);
        (self.closes_boot.saturating_sub(left), wall)
    }
}

#[cfg(test)]
mod tests {
    use tickid_core::example::Seconds;
    use tickid_lease::session::{Claim, Token, block_on};
    use tickid_lease::{Realm, Store};

    use super::*;

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn at(boot: u64, wall: i64) -> ClockTimes {
        ClockTimes { boot: secs(boot), wall: Some(UnixTime::from_micros(wall * 1_000_000)) }
    }

    /// The margin of the terms below.
    const MARGIN: Duration = Duration::from_millis(500);

    /// A window of the ticks 100..130, granted at the store's time 105 and requested 1,000 s after
    /// the start, with the default term of 10 s.
    fn window(allowance: u64) -> ProgramWindow {
        window_under(allowance, |_| ())
    }

    /// The same, of a lease with changed terms.
    fn window_under(allowance: u64, change: impl FnOnce(&mut Terms)) -> ProgramWindow {
        let realm = RealmSpec::from(Realm::builder("a", Seconds).pool("1/8").build().unwrap());
        let mut terms = realm.terms();
        terms.allowance = allowance;
        let realm = realm.with_terms(terms).unwrap();
        let mut claim = Claim::new(Token::from_bits(1), "me", None);
        let store = Store::in_memory();
        let mut lease = block_on(store.acquire(&realm, &mut claim), secs(1)).unwrap();
        let epoch = realm.scale().epoch().as_micros();
        lease.floor = u64::try_from(100 - epoch / 1_000_000).unwrap();
        lease.ceiling = lease.floor + 30;
        lease.granted_at = UnixTime::from_micros(105_000_000);
        change(&mut lease.terms);
        ProgramWindow::new(&realm, lease, secs(1_000))
    }

    #[test]
    fn opens_at_its_floor() {
        let window = window(3);
        assert!(!window.is_open(at(1_000, 99)) && window.is_open(at(1_000, 100)));
        assert!(!window.is_open(ClockTimes { wall: None, ..at(1_000, 100) }));
    }

    #[test]
    fn lesser_clock_counts() {
        let window = window(3);
        // The allowance, and a tick.
        assert_eq!(window.left(at(1_000, 105)), secs(30 - 5 - 4) - MARGIN);
        assert_eq!(window.left(at(1_000, 107)), secs(30 - 7 - 4) - MARGIN, "wall clock ahead");
        assert_eq!(window.left(at(1_010, 105)), secs(30 - 15 - 4) - MARGIN, "it was set back");
        assert_eq!(window.left(at(1_021, 105)), Duration::ZERO);
        assert_eq!(window.left(at(1_000, 126)), Duration::ZERO);
        assert_eq!(window.left(at(5_000, 5_000)), Duration::ZERO);
    }

    /// A twentieth of the term, within limits.
    #[test]
    fn kills_before_the_ceiling() {
        for (term, before) in [
            (1_000, 100),
            (2_000, 100),
            (4_000, 200),
            (10_000, 500),
            (20_000, 1_000),
            (86_400_000, 1_000),
        ] {
            let [term, before] = [term, before].map(Duration::from_millis);
            assert_eq!(margin(term), before, "{term:?}");
        }
        let window = window(3);
        let (boot, wall) = window.when_left(Duration::ZERO);
        assert_eq!((boot, wall.as_micros()), (secs(1_021) - MARGIN, 125_500_000));
    }

    /// Neither less than the keeper has, nor less than the present term needs.
    #[test]
    fn margins_never_shrink() {
        for (term, margin) in [(2, MARGIN), (10, MARGIN), (20, secs(1))] {
            let window = window_under(3, |terms| terms.term = secs(term));
            let (boot, _) = window.when_left(Duration::ZERO);
            assert_eq!(boot, secs(1_021) - margin, "{term}");
        }
    }

    /// The program knows only the allowance with which it was started.
    #[test]
    fn the_first_allowance_counts() {
        for allowance in [0, 3, 9] {
            let window = window_under(3, |terms| terms.allowance = allowance);
            assert_eq!(window.left(at(1_000, 105)), secs(30 - 5 - 4) - MARGIN, "{allowance}");
        }
    }

    #[test]
    fn nothing_left_without_a_clock() {
        let window = window(3);
        assert_eq!(window.left(at(1_000, 100)), secs(21) - MARGIN);
        assert_eq!(window.left(at(1_000, 99)), Duration::ZERO, "though within the allowance");
        let (boot, wall) = (secs(1_000), Some(UnixTime::from_micros(99_999_999)));
        assert_eq!(window.left(ClockTimes { boot, wall }), Duration::ZERO);
        assert_eq!(window.left(ClockTimes { wall: None, ..at(1_000, 105) }), Duration::ZERO);
    }

    #[test]
    fn renewal_due_after_half_a_term() {
        let window = window(3);
        assert!(!window.is_overdue(at(1_005, 110)) && window.is_overdue(at(1_006, 111)));
    }

    #[test]
    fn alarms_fire_before_the_end() {
        let window = window(0);
        let (boot, wall) = window.when_left(secs(4));
        assert_eq!((boot, wall.as_micros()), (secs(1_020) - MARGIN, 124_500_000));
        let due = ClockTimes { boot, wall: Some(wall) };
        assert_eq!(window.left(due), secs(4));
    }
}
