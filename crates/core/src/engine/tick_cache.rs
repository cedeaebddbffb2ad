//! The facts about a tick that fast paths need. They are computed once per tick, as clock readings
//! and as bits of IDs.

use crate::policy::Policy;
use crate::scheme::Scheme;
use crate::slot::Prefix;
use crate::tick::Tick;
use crate::time::UnixTime;

/// The range of clock readings that make a policy accept a tick, and the prefix of the tick's IDs.
/// With them, a subtraction and a comparison replace the conversion to ticks and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TickCache {
    pub(super) start: UnixTime,
    pub(super) micros: u64,
    /// See [`Scheme::prefix`].
    pub(crate) prefix: Prefix,
}

impl TickCache {
    /// The cache that accepts no reading.
    pub(crate) const EMPTY: Self =
        Self { start: UnixTime::EPOCH, micros: 0, prefix: Prefix::EMPTY };

    /// Returns the readings that make `policy` accept `tick`, from its allowance before the tick to
    /// the end of the tick.
    pub(crate) fn new<S: Scheme>(
        scheme: &S,
        node: &S::Node,
        policy: Policy<S>,
        tick: Tick<S>,
        toggle: bool,
    ) -> Self {
        let prefix = scheme.prefix(node, tick, toggle);
        let first = tick.get().saturating_sub(policy.reach()).max(S::FIRST_TICK);
        match Tick::new(tick.get() + 1) {
            Ok(next) => {
                let start = scheme.time_of(Tick::in_range(first));
                let micros = scheme.time_of(next).as_micros().abs_diff(start.as_micros());
                Self { start, micros, prefix }
            }
            // The last tick of the format ends where no other tick starts, so the slow path handles
            // it.
            Err(_) => Self { prefix, ..Self::EMPTY },
        }
    }

    #[inline]
    pub(super) fn contains(&self, time: UnixTime) -> bool {
        // A time before the start wraps around to more than any accepted interval.
        let since = time.as_micros().wrapping_sub(self.start.as_micros()).cast_unsigned();
        since < self.micros
    }

    /// Returns the prefix if the policy accepts the tick at `time`.
    #[inline]
    pub(crate) fn prefix_at(&self, time: UnixTime) -> Option<Prefix> {
        self.contains(time).then_some(self.prefix)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::example::{Node, Seconds};
    use crate::tick::Ticks;

    pub(in crate::engine) fn seconds(seconds: i64) -> UnixTime {
        UnixTime::from_micros(seconds * 1_000_000)
    }

    pub(in crate::engine) fn cache(tick: u64, policy: Policy<Seconds>) -> TickCache {
        TickCache::new(&Seconds, &Node(7), policy, Tick::new(tick).unwrap(), false)
    }

    #[test]
    fn spans_allowance_and_tick() {
        let ratchet = Policy::Ratchet { allowance: Ticks::new(2) };
        for (policy, start) in [(Policy::Wait, 100), (ratchet, 98)] {
            let cache = cache(100, policy);
            let just = |time: UnixTime| UnixTime::from_micros(time.as_micros() - 1);
            assert_eq!(cache.prefix_at(just(seconds(start))), None, "{policy}");
            assert_eq!(cache.prefix_at(seconds(start)), Some(cache.prefix), "{policy}");
            assert_eq!(cache.prefix_at(just(seconds(101))), Some(cache.prefix), "{policy}");
            assert_eq!(cache.prefix_at(seconds(101)), None, "{policy}");
            assert_eq!(cache.prefix_at(UnixTime::MIN), None, "{policy}");
            assert_eq!(cache.prefix_at(UnixTime::MAX), None, "{policy}");
        }
    }

    #[test]
    fn last_tick_accepts_no_reading() {
        let last = cache(Seconds::MAX_TICK, Policy::Wait);
        assert_eq!(last.prefix_at(seconds(i64::from(u32::MAX))), None);
        assert_eq!(last.prefix, Seconds.prefix(&Node(7), Tick::MAX, false));
    }
}
