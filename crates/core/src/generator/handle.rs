//! A thread's share of a shared generator.

use core::fmt;
use core::num::NonZeroU32;

use crate::clock::Clock;
use crate::engine::{Block, Engine as _, TickCache};
use crate::error::{Error, ObserveError};
use crate::generator::calls::calls;
use crate::generator::own_source::own_source;
#[cfg(feature = "std")]
use crate::generator::source::Timed;
use crate::generator::source::{Follow, Source, observe};
#[cfg(feature = "std")]
use crate::generator::timing::Timing;
use crate::generator::{Generator, Ids, View};
use crate::scheme::{Id, Observable, Scheme, Variant};
use crate::slot::Slot;

/// One thread's share of a [`Generator`]. It draws blocks from the generator and issues IDs from
/// those, so threads rarely contend for the generator's word. Take one in each thread that issues
/// many IDs, and keep it as long as the thread does so.
///
/// IDs are unique across all handles of a generator and the generator itself, and each handle's IDs
/// strictly increase, with the same exceptions as the generator's. Across handles there is no order
/// within a tick, because each handle has a block of its own. Each call checks the time of its
/// block against the clock, so drift is bounded as it is for the generator. The rest of a block is
/// dropped when its tick is over, and when the generator [observes](Generator::observe) an ID.
///
/// A handle's first block is a single ID. Its size doubles when a block is used up within its tick,
/// and halves when one is not, so idle handles leave the tick's sequences to the busy ones.
///
/// After the generator was [closed](Generator::close), a handle may still issue the rest of its
/// block while the policy accepts that block's tick. That is until the end of the tick, which under
/// a ratchet may be ahead of the clock by the allowance (for SCRU64, by 10 seconds). No successor
/// repeats these IDs, because the snapshot counts the whole block as issued.
///
/// # Examples
/// ```
/// use tickid_core::{Generator, example};
///
/// let generator = Generator::<example::Seconds>::new(example::Node(1))?;
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| {
///             let mut handle = generator.handle();
///             let first = handle.try_generate()?;
///             assert!(handle.try_generate()? > first);
///             Ok::<(), tickid_core::Error>(())
///         });
///     }
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Handle<'a, S: Scheme, C> {
    generator: &'a Generator<S, C>,
    /// The facts about the tick of the block.
    cache: TickCache,
    /// The rest of the block, from the low word of its next slot to one past the low word of its
    /// last.
    next: u64,
    end: u64,
    /// The number of IDs to draw at a time, which adapts to the demand.
    len: u32,
    /// The engine's mark of observed IDs, from before the block was drawn.
    observed: u64,
}

impl<S: Scheme, C> Generator<S, C> {
    /// Returns a handle for one thread, which draws blocks instead of single IDs. It pays off in
    /// threads that issue many IDs per tick, because they then rarely meet at the generator's word.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Generator;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let generator = Generator::<Seconds>::new(Node(7))?;
    /// std::thread::scope(|scope| {
    ///     for _ in 0..2 {
    ///         scope.spawn(|| generator.handle().generate());
    ///     }
    /// });
    /// # Ok::<(), tickid_core::BuildError>(())
    /// ```
    pub fn handle(&self) -> Handle<'_, S, C> {
        Handle::new(self)
    }
}

impl<'a, S: Scheme, C> Handle<'a, S, C> {
    fn new(generator: &'a Generator<S, C>) -> Self {
        Self { generator, cache: TickCache::EMPTY, next: 0, end: 0, len: 0, observed: 0 }
    }

    /// Returns a view of the handle that issues IDs of `variant`.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Plain, Seconds};
    /// use tickid_core::Generator;
    ///
    /// let generator = Generator::<Seconds>::new(Node(7))?;
    /// let mut handle = generator.handle();
    /// let first = handle.with(Plain).generate()?;
    /// assert!(handle.with(Plain).generate()? > first);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with<V: Variant<S>>(&mut self, variant: V) -> View<&mut Self, V> {
        View::new(self, variant)
    }
}

impl<S: Scheme, C: Clock> Handle<'_, S, C> {
    calls! {
        self, (&mut self), self, S::Variant::default(), id Id<S>, ids Ids<S, S::Variant>,
        error crate::error::Error, named "an [`Error`](crate::Error)",
        max_wait "crate::Builder::max_wait", filled "",
        setup "let shared = Generator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build()?; let mut generator = shared.handle();"
    }

    /// Observes an ID that comes from elsewhere, for the generator and all its handles, as
    /// [`Generator::observe`] does.
    ///
    /// # Errors
    /// Returns an [`ObserveError`] as the generator does, and changes nothing.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Generator;
    /// use tickid_core::example::{Node, Seconds};
    ///
    /// let peer = Generator::<Seconds>::new(Node(1))?;
    /// let generator = Generator::<Seconds>::new(Node(2))?;
    /// let (mut handle, mut other) = (generator.handle(), generator.handle());
    /// let cause = peer.generate()?;
    /// handle.observe(cause)?;
    /// assert!(other.generate()? > cause);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn observe(&mut self, id: Id<S>) -> Result<(), ObserveError>
    where
        S::Variant: Observable<S>,
    {
        observe::<_, S::Variant>(self, id)
    }

    /// Replaces the block with a new one, which has up to `want` slots if that is more than usual.
    fn refill(&mut self, is_in_time: bool, want: NonZeroU32) -> Result<(), Error> {
        let usual = self.next_len(is_in_time);
        // If there is no new block, the old one is still dropped, since an ID may have been observed.
        self.cache = TickCache::EMPTY;
        self.observed = self.generator.engine().observed_before_drawing();
        let block =
            self.generator.engine().try_block(&self.generator.timing().clock, usual.max(want))?;
        self.cache = block.cache;
        self.len = block.len.min(usual).get();
        self.next = block.first.low();
        // One past the last slot may wrap around to 0.
        self.end = self.next.wrapping_add(block.len.get().into());
        Ok(())
    }

    /// Returns the number of IDs to draw, now that the block is used up or its tick is over.
    fn next_len(&self, is_in_time: bool) -> NonZeroU32 {
        let len = if self.next == self.end {
            if is_in_time { self.len.saturating_mul(2) } else { self.len }
        } else {
            self.len / 2
        };
        NonZeroU32::new(len).unwrap_or(NonZeroU32::MIN)
    }

    /// Reports whether an ID was observed since the block was drawn, which then may be behind it.
    #[inline]
    fn has_observed(&self) -> bool {
        self.generator.engine().observed() != self.observed
    }

    /// Takes up to `want` slots from the block, which must not be used up.
    fn take(&mut self, want: NonZeroU32) -> Block<S> {
        let left = self.end.wrapping_sub(self.next).min(want.get().into());
        let first = Slot::new(self.cache.prefix.high, self.next);
        self.next = self.next.wrapping_add(left);
        #[allow(clippy::cast_possible_truncation, reason = "no more than `want`")]
        let len = NonZeroU32::new(left as u32).unwrap_or(NonZeroU32::MIN);
        Block { cache: self.cache, first, len }
    }
}

impl<S: Scheme, C: Clock> Source for &mut Handle<'_, S, C> {
    type Scheme = S;
    type Error = Error;
    /// True if the block's tick is still accepted, so that the block must be used up or behind an
    /// observed ID.
    type Missed = bool;

    own_source!(rules self self.generator.engine().rules());

    /// Reports on the generator, because a waiting call has found the handle's block used up or
    /// over.
    fn check_ready(&self) -> Result<(), Error> {
        self.generator.engine().check_ready(&self.generator.timing().clock)
    }

    #[inline]
    fn fast_slot(&mut self) -> Result<Slot<S>, bool> {
        let time = self.generator.timing().clock.now_relaxed().ok();
        let Some(prefix) = time.and_then(|time| self.cache.prefix_at(time)) else {
            return Err(false);
        };
        let low = self.next;
        if low == self.end || self.has_observed() {
            return Err(true);
        }
        self.next = low.wrapping_add(1);
        Ok(Slot::new(prefix.high, low))
    }

    fn slow_slot(&mut self, is_in_time: bool) -> Result<Slot<S>, Error> {
        self.refill(is_in_time, NonZeroU32::MIN)?;
        Ok(self.take(NonZeroU32::MIN).first)
    }

    fn try_block(&mut self, want: NonZeroU32) -> Result<Block<S>, Error> {
        let time = self.generator.timing().clock.now_relaxed().ok();
        let is_in_time = time.is_some_and(|time| self.cache.prefix_at(time).is_some());
        if !is_in_time || self.next == self.end || self.has_observed() {
            self.refill(is_in_time, want)?;
        }
        Ok(self.take(want))
    }
}

impl<S: Scheme, C: Clock> Follow for &mut Handle<'_, S, C> {
    type Refusal = ObserveError;

    fn follow(self, is_after: impl Fn(&S, Slot<S>) -> bool) -> Result<(), ObserveError> {
        self.generator.follow(is_after)
    }
}

#[cfg(feature = "std")]
impl<S: Scheme, C: Clock> Timed for &mut Handle<'_, S, C> {
    own_source!(timed self self.generator.engine().rules(), self.generator.timing);
}

impl<S: Scheme, C: fmt::Debug> fmt::Debug for Handle<'_, S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("generator", &self.generator)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests {
    use core::time::Duration;
    use std::vec::Vec;

    use super::*;
    use crate::clock::ManualClock;
    use crate::error::{ErrorKind, StallReason};
    use crate::example::{Node, Seconds};
    use crate::generator::Builder;
    use crate::policy::Policy;
    use crate::tick::Ticks;
    use crate::time::UnixTime;

    type Shared<'a> = Generator<Seconds, &'a ManualClock>;

    const SECOND: Duration = Duration::from_secs(1);

    fn clock() -> ManualClock {
        ManualClock::new(UnixTime::from_micros(1_000_000_000))
    }

    /// 256 sequences a second.
    fn generator(clock: &ManualClock, policy: Policy<Seconds>) -> Shared<'_> {
        // Each sleeping thread moves the clock, and so uses up the time of the others.
        let builder = Builder::seeded(Node(1), 0).clock(clock).policy(policy);
        builder.max_wait(Duration::MAX).build().unwrap()
    }

    fn tick(id: u64) -> u64 {
        id >> 17
    }

    #[test]
    fn used_up_blocks_double() {
        let clock = clock();
        let generator = generator(&clock, Policy::Wait);
        let mut handle = generator.handle();
        let sizes: Vec<u32> = (0..63)
            .map(|_| {
                handle.try_generate().unwrap();
                handle.len
            })
            .collect();
        let starts =
            [1, 2, 4, 8, 16, 32].map(|size| sizes.iter().filter(|&&at| at == size).count());
        assert_eq!(starts, [1, 2, 4, 8, 16, 32]);
    }

    #[test]
    fn unfinished_blocks_halve() {
        let clock = clock();
        let generator = generator(&clock, Policy::Wait);
        let mut handle = generator.handle();
        for _ in 0..32 {
            handle.try_generate().unwrap();
        }
        assert_eq!(handle.len, 32);
        for size in [16, 8, 4, 2, 1, 1] {
            clock.advance(SECOND);
            handle.try_generate().unwrap();
            assert_eq!(handle.len, size);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes an interpreter hours")]
    fn idle_handles_leave_enough() {
        let clock = clock();
        let generator = generator(&clock, Policy::Wait);
        let mut handles: Vec<_> = (0..250).map(|_| generator.handle()).collect();
        for _ in 0..20 {
            for handle in &mut handles {
                handle.try_generate().unwrap();
            }
            clock.advance(SECOND);
        }
    }

    #[test]
    fn leftovers_end_with_their_tick() {
        let clock = clock();
        let generator = generator(&clock, Policy::Wait);
        let mut handle = generator.handle();
        for _ in 0..4 {
            assert_eq!(tick(handle.try_generate().unwrap()), 1_000);
        }
        clock.advance(SECOND);
        assert_eq!(tick(handle.try_generate().unwrap()), 1_001);
        clock.set(UnixTime::from_micros(1_000_000_000));
        assert_eq!(
            handle.try_generate().unwrap_err().kind(),
            ErrorKind::Stalled(StallReason::ClockBehind)
        );
    }

    #[test]
    fn ratchets_keep_blocks_in_drift() {
        let clock = clock();
        let generator = generator(&clock, Policy::Ratchet { allowance: Ticks::new(2) });
        let mut handle = generator.handle();
        for _ in 0..4 {
            handle.try_generate().unwrap();
        }
        clock.set(UnixTime::from_micros(998_000_000));
        assert_eq!(tick(handle.try_generate().unwrap()), 1_000);
        clock.set(UnixTime::from_micros(997_999_999));
        assert_eq!(
            handle.try_generate().unwrap_err().kind(),
            ErrorKind::Stalled(StallReason::ClockBehind)
        );
    }

    #[test]
    fn a_failed_refill_drops_the_block() {
        let clock = clock();
        let generator = generator(&clock, Policy::Wait);
        let mut handle = generator.handle();
        for _ in 0..4 {
            handle.try_generate().unwrap();
        }
        assert!(handle.end > handle.next, "some of the block is left");
        generator.observe(1_000 << 17 | 1 << 8 | 200).unwrap();
        while generator.try_generate().is_ok() {}
        for _ in 0..3 {
            let error = handle.try_generate().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::TickUsedUp));
            handle.try_block(NonZeroU32::MIN).unwrap_err();
        }
        clock.advance(SECOND);
        assert_eq!(tick(handle.try_generate().unwrap()), 1_001);
    }

    #[test]
    fn closing_leaves_only_the_block() {
        let clock = clock();
        let generator = generator(&clock, Policy::Wait);
        let mut handle = generator.handle();
        for _ in 0..4 {
            handle.try_generate().unwrap();
        }
        let snapshot = generator.close();
        let rest: Vec<u64> = core::iter::from_fn(|| handle.try_generate().ok()).collect();
        assert_eq!(rest.len(), 3);
        let counted = u64::from(snapshot.next_sequence);
        assert!(rest.iter().all(|id| id & 0xff < counted && tick(*id) == 1_000));
        assert_eq!(handle.try_generate().unwrap_err().kind(), ErrorKind::Closed);
    }

    #[test]
    fn a_ratchets_block_lasts_until_its_tick_is_over() {
        let clock = clock();
        let generator = generator(&clock, Policy::Ratchet { allowance: Ticks::new(10) });
        let mut handle = generator.handle();
        for _ in 0..4 {
            handle.try_generate().unwrap();
        }
        generator.close();
        for now in [990_000_000, 1_000_999_999] {
            clock.set(UnixTime::from_micros(now));
            assert_eq!(tick(handle.try_generate().unwrap()), 1_000);
        }
        clock.set(UnixTime::from_micros(1_001_000_000));
        assert_eq!(handle.try_generate().unwrap_err().kind(), ErrorKind::Closed);
    }

    #[test]
    fn blocks_continue_the_order() {
        let clock = clock();
        let generator = generator(&clock, Policy::Wait);
        let mut handle = generator.handle();
        let mut ids: Vec<u64> = (0..6).map(|_| handle.try_generate().unwrap()).collect();
        ids.extend(handle.try_block(NonZeroU32::new(50).unwrap()).unwrap());
        ids.push(handle.try_generate().unwrap());
        let mut slice = [0; 300];
        ids.extend(handle.try_fill(&mut slice).unwrap().iter());
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(ids.len(), 256, "all of the tick: nothing was dropped");
        clock.advance(SECOND);
        assert_eq!(tick(handle.try_generate().unwrap()), 1_001);
        assert!(handle.len < 32, "a large block does not make later ones large: {}", handle.len);
    }
}
