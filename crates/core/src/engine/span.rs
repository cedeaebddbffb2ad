//! When a tick may be drawn from, in the clock's own terms.

use crate::policy::Policy;
use crate::scheme::Scheme;
use crate::tick::Tick;
use crate::time::UnixTime;

/// The clock readings at which a policy accepts a tick: a subtraction and a comparison instead of a
/// conversion to ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    start: UnixTime,
    micros: u64,
}

impl Span {
    /// No reading at all.
    pub(crate) const EMPTY: Self = Self { start: UnixTime::EPOCH, micros: 0 };

    /// The readings at which `policy` accepts `tick`: from its allowance before the tick to its end.
    pub(crate) fn of<S: Scheme>(scheme: &S, tick: Tick<S>, policy: Policy<S>) -> Self {
        let first = tick.get().saturating_sub(policy.allowance()).max(S::FIRST_TICK);
        match Tick::new(tick.get() + 1) {
            Ok(next) => {
                let start = scheme.time_of(Tick::held(first));
                let micros = scheme.time_of(next).as_micros().abs_diff(start.as_micros());
                Self { start, micros }
            }
            // The last tick of the format, whose end has no tick. Who asks there converts.
            Err(_) => Self::EMPTY,
        }
    }

    #[inline]
    pub(crate) fn contains(&self, time: UnixTime) -> bool {
        // A time before the start wraps around to more than any span.
        time.as_micros().wrapping_sub(self.start.as_micros()).cast_unsigned() < self.micros
    }
}
