//! The engine's whole state in 64 bits.

use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroU32;

use crate::scheme::Scheme;
use crate::tick::Tick;

/// The maximum number of threads that may draw from one shared engine at the same time.
pub(crate) const MAX_THREADS: u32 = 1_024;

/// `stamp | toggle | CLOSED | guard | sequence`, from the high bits to the low ones.
///
/// - *stamp*: the tick plus one. 0 means that nothing has been issued yet (the pristine word).
///   Every clock reading is later than that, so the first one is never a rollback.
/// - *toggle*: present only if the scheme has one.
/// - *CLOSED*: set once, never cleared.
/// - *sequence*: the next one to issue. If it is past the last sequence, the tick is exhausted.
/// - *guard*: the room above the highest sequence. It keeps adds that run past the last sequence
///   from reaching CLOSED or the tick before they are taken back.
#[derive(Clone, Copy)]
pub(crate) struct Word<S>(u64, PhantomData<fn() -> S>);

impl<S: Scheme> Word<S> {
    const TOGGLE_BITS: u32 = S::TOGGLE as u32;
    const STAMP_SHIFT: u32 = u64::BITS - S::TICK_BITS;
    const TOGGLE: u64 = (S::TOGGLE as u64) << (Self::STAMP_SHIFT - Self::TOGGLE_BITS);
    pub(crate) const CLOSED: u64 = 1 << (Self::STAMP_SHIFT - Self::TOGGLE_BITS - 1);
    const SEQUENCE_MASK: u64 = Self::CLOSED - 1;
    /// The bits that two words must share for one to continue the other.
    const TICK_MASK: u64 = !(Self::CLOSED | Self::SEQUENCE_MASK);

    /// Fails to compile for a scheme whose constants contradict each other. Both engines refer to
    /// it.
    pub(crate) const CHECKED: () = Self::check();

    /// Panics for a scheme whose constants contradict each other.
    const fn check() {
        let is_ordered = S::FIRST_TICK <= S::LAST_TICK && S::LAST_TICK <= S::MAX_TICK;
        assert!(is_ordered, "FIRST_TICK, LAST_TICK and MAX_TICK must be in this order");
        assert!(S::MAX_TICK < u64::MAX && S::LAST_TICK < Self::MAX_STAMP, "stamps must fit");
        assert!(S::MAX_SEQUENCE >= 1, "the engine needs a sequence: MAX_SEQUENCE is 0");
        let has_pool = S::MIN_POOL >= 1 && S::MIN_POOL <= S::MAX_SEQUENCE;
        assert!(has_pool, "MIN_POOL must be in 1..=MAX_SEQUENCE");
        // One past the last sequence must fit, too.
        assert!(S::MAX_SEQUENCE < u32::MAX, "MAX_SEQUENCE must be below 2^32 - 1");
        let fits = (S::MAX_SEQUENCE as u64) + 1 < Self::CLOSED;
        assert!(fits, "MAX_SEQUENCE must fit beside TICK_BITS and the toggle");
    }

    /// The maximum of one add, such that the guard has room for [`MAX_THREADS`] of them together.
    pub(crate) const MAX_ADD: NonZeroU32 =
        match NonZeroU32::new(max_add(Self::CLOSED, S::MAX_SEQUENCE)) {
            Some(share) => share,
            None => panic!("the guard has no room for an add of every thread"),
        };

    /// The highest stamp that fits.
    pub(crate) const MAX_STAMP: u64 = u64::MAX >> Self::STAMP_SHIFT;

    pub(crate) const PRISTINE: Self = Self::from_bits(0);

    /// Returns the word for `stamp`, which must fit, with `sequence` to be issued next.
    #[inline]
    pub(crate) const fn new(stamp: u64, toggle: bool, sequence: u64) -> Self {
        debug_assert!(stamp <= Self::MAX_STAMP);
        debug_assert!(!toggle || S::TOGGLE);
        debug_assert!(sequence <= Self::SEQUENCE_MASK);
        let toggle = if toggle { Self::TOGGLE } else { 0 };
        Self::from_bits(stamp << Self::STAMP_SHIFT | toggle | sequence)
    }

    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits, PhantomData)
    }

    #[inline]
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) const fn stamp(self) -> u64 {
        self.0 >> Self::STAMP_SHIFT
    }

    /// Returns the tick, once there is one.
    pub(crate) const fn tick(self) -> Option<Tick<S>> {
        match self.stamp().checked_sub(1) {
            Some(tick) => Some(Tick::in_range(tick)),
            None => None,
        }
    }

    #[inline]
    pub(crate) const fn toggle(self) -> bool {
        self.0 & Self::TOGGLE != 0
    }

    #[inline]
    pub(crate) const fn is_closed(self) -> bool {
        self.0 & Self::CLOSED != 0
    }

    #[inline]
    pub(crate) const fn closed(self) -> Self {
        Self::from_bits(self.0 | Self::CLOSED)
    }

    /// Returns the sequence to issue next, in the guard when the tick is exhausted.
    #[inline]
    pub(crate) const fn sequence(self) -> u64 {
        self.0 & Self::SEQUENCE_MASK
    }

    /// Returns the same word with a different next sequence.
    #[inline]
    pub(crate) const fn with_sequence(self, sequence: u64) -> Self {
        debug_assert!(sequence <= Self::SEQUENCE_MASK);
        Self::from_bits(self.0 & !Self::SEQUENCE_MASK | sequence)
    }

    /// Reports whether both words have the same tick and toggle, whatever their sequences.
    #[inline]
    pub(crate) const fn same_tick(self, other: Self) -> bool {
        (self.0 ^ other.0) & Self::TICK_MASK == 0
    }

    /// Reports whether the tick and toggle of this word precede those of `other`.
    #[inline]
    pub(crate) const fn precedes(self, other: Self) -> bool {
        self.0 & Self::TICK_MASK < other.0 & Self::TICK_MASK
    }
}

/// Returns the maximum that each of [`MAX_THREADS`] may add to a word that is one past `last`, so
/// that all of them together do not reach `closed`.
const fn max_add(closed: u64, last: u32) -> u32 {
    let share = (closed - 1 - (last as u64 + 1)) / MAX_THREADS as u64;
    #[allow(clippy::cast_possible_truncation, reason = "looked at just before")]
    if share < u32::MAX as u64 { share as u32 } else { u32::MAX }
}

impl<S: Scheme> fmt::Debug for Word<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Word")
            .field("tick", &self.tick())
            .field("toggle", &self.toggle())
            .field("closed", &self.is_closed())
            .field("sequence", &self.sequence())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;
    use crate::example::{Node, Plain, Seconds, Toggling};
    use crate::policy::Policy;
    use crate::scale::TickScale;
    use crate::scheme::Variant;
    use crate::slot::{Prefix, Slot};
    use crate::time::UnixTime;

    /// A scheme with these constants, which may contradict each other.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Limits<
        const FIRST_TICK: u64,
        const LAST_TICK: u64,
        const MAX_TICK: u64,
        const MIN_POOL: u32,
        const MAX_SEQUENCE: u32,
    >;

    impl<const F: u64, const L: u64, const M: u64, const P: u32, const S: u32> Scheme
        for Limits<F, L, M, P, S>
    {
        const NAME: &'static str = "limits";
        const FIRST_TICK: u64 = F;
        const LAST_TICK: u64 = L;
        const MAX_TICK: u64 = M;
        const MIN_POOL: u32 = P;
        const MAX_SEQUENCE: u32 = S;

        type Node = Node;
        type Variant = Plain;

        fn scale(&self) -> TickScale {
            TickScale::every(UnixTime::EPOCH, 1)
        }

        fn write_settings(&self, _: &mut dyn fmt::Write) -> fmt::Result {
            Ok(())
        }

        fn node_bits(&self) -> Option<u32> {
            None
        }

        fn prefix(&self, _: &Node, _: Tick<Self>, _: bool) -> Prefix {
            Prefix::EMPTY
        }

        fn default_policy(&self) -> Policy<Self> {
            Policy::Wait
        }
    }

    impl<const F: u64, const L: u64, const M: u64, const P: u32, const S: u32>
        Variant<Limits<F, L, M, P, S>> for Plain
    {
        type Id = u64;

        fn id(self, _: &Limits<F, L, M, P, S>, slot: Slot<Limits<F, L, M, P, S>>) -> u64 {
            slot.low()
        }
    }

    /// At run time here. In a program, the same panic is an error of the compiler.
    #[test]
    fn contradicting_constants_are_refused() {
        fn refusal<S: Scheme>() -> Option<&'static str> {
            catch_unwind(Word::<S>::check).err()?.downcast_ref().copied()
        }
        // With 40 bits of tick, CLOSED is bit 23.
        const T40: u64 = (1 << 40) - 2;
        const S23: u32 = (1 << 23) - 1;
        let order = Some("FIRST_TICK, LAST_TICK and MAX_TICK must be in this order");
        let pool = Some("MIN_POOL must be in 1..=MAX_SEQUENCE");
        let room = Some("MAX_SEQUENCE must fit beside TICK_BITS and the toggle");
        assert_eq!(refusal::<Limits<1, 1, 1, 1, 1>>(), None);
        assert_eq!(refusal::<Limits<2, 1, 1, 1, 9>>(), order);
        assert_eq!(refusal::<Limits<0, 2, 1, 1, 9>>(), order);
        assert_eq!(refusal::<Limits<0, 1, { u64::MAX }, 1, 9>>(), Some("stamps must fit"));
        let no_sequence = Some("the engine needs a sequence: MAX_SEQUENCE is 0");
        assert_eq!(refusal::<Limits<0, 1, 1, 1, 0>>(), no_sequence);
        assert_eq!(refusal::<Limits<0, 1, 1, 0, 9>>(), pool);
        assert_eq!(refusal::<Limits<0, 1, 1, 9, 9>>(), None);
        assert_eq!(refusal::<Limits<0, 1, 1, 10, 9>>(), pool);
        let too_many = Some("MAX_SEQUENCE must be below 2^32 - 1");
        assert_eq!(refusal::<Limits<0, 1, 1, 1, { u32::MAX }>>(), too_many);
        assert_eq!(refusal::<Limits<0, T40, T40, 1, { S23 - 1 }>>(), None);
        assert_eq!(refusal::<Limits<0, T40, T40, 1, S23>>(), room);
    }

    #[test]
    fn fields_do_not_overlap() {
        let max = Word::<Toggling>::MAX_STAMP;
        for stamp in [0, 1, max] {
            for toggle in [false, true] {
                for sequence in [0, 1, Word::<Toggling>::SEQUENCE_MASK] {
                    let word = Word::<Toggling>::new(stamp, toggle, sequence);
                    assert_eq!(word.stamp(), stamp);
                    assert_eq!(word.toggle(), toggle);
                    assert_eq!(word.sequence(), sequence);
                    assert!(!word.is_closed());
                    assert!(word.closed().is_closed());
                    assert!(word.closed().closed().is_closed());
                    assert!(word.closed().same_tick(word));
                    assert_eq!(word.closed().sequence(), sequence);
                    assert_eq!(
                        word.with_sequence(1).bits(),
                        Word::<Toggling>::new(stamp, toggle, 1).bits()
                    );
                }
            }
        }
        assert!(!Word::<Toggling>::new(1, true, 0).same_tick(Word::new(1, false, 0)));
        assert!(!Word::<Toggling>::new(1, true, 0).same_tick(Word::new(2, true, 0)));
    }

    #[test]
    fn concurrent_adds_never_close() {
        fn check<S: Scheme>() {
            let adds = u64::from(Word::<S>::MAX_ADD.get()) * u64::from(MAX_THREADS);
            let exhausted = Word::<S>::new(7, false, u64::from(S::MAX_SEQUENCE) + 1);
            let after = Word::<S>::from_bits(exhausted.bits() + adds);
            assert!(!after.is_closed());
            assert!(after.same_tick(exhausted));
        }
        check::<Seconds>();
        check::<Toggling>();
    }

    #[test]
    fn adds_use_the_whole_guard() {
        // Pools of whole thousands leave no remainder, so a difference of one shows.
        let pools = [1, 2, 256, 1_023, 1_024, 1_025, 4_096, 65_536];
        for (closed, pool) in (17..64).flat_map(|bit| pools.map(|pool| (1_u64 << bit, pool))) {
            let add = max_add(closed, pool - 1);
            let adds = |each: u64| each * u64::from(MAX_THREADS) + u64::from(pool);
            assert!(adds(add.into()) < closed, "{closed}, {pool}");
            assert!(add == u32::MAX || adds(u64::from(add) + 1) >= closed, "{closed}, {pool}");
        }
    }

    #[test]
    fn only_pristine_has_no_tick() {
        assert_eq!(Word::<Seconds>::PRISTINE.tick(), None);
        assert_eq!(Word::<Seconds>::new(1, false, 0).tick(), Some(Tick::MIN));
    }
}
