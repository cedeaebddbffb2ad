use core::fmt;
use core::num::NonZeroU32;

use crate::block::{Block, Slot};
use crate::clock::Clock;
use crate::engine::{Span, Word};
use crate::error::Error;
use crate::generator::Generator;
use crate::scheme::{Form, Scheme};
use crate::sequence::Sequence;

/// One thread's share of a [`Generator`]: takes blocks from it and issues from those, so that threads
/// rarely meet at the generator's word.
///
/// IDs are unique across all handles of a generator and the generator itself; those of one handle
/// strictly increase (but for the exceptions of the generator). Every ID checks the time of its block
/// against the clock, so drift is bounded as ever. What is left of a block when its tick is over is
/// dropped.
///
/// Blocks start at one ID, double when one is used up within its tick, and halve when one is not, so
/// that idle handles leave the tick's sequences to the busy ones.
///
/// After the generator was [closed](Generator::close) a handle may still issue what is left of its block,
/// for as long as that block's tick is the clock's; the snapshot counts the whole block as issued.
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
pub struct Handle<'a, S: Scheme, C, Q> {
    generator: &'a Generator<S, C, Q>,
    /// What is known of the tick of the block.
    span: Span,
    /// What is left of the block: the tail of its next slot, and one past that of its last.
    next: u64,
    end: u64,
    /// How many IDs the block had.
    len: u32,
}

impl<'a, S: Scheme, C, Q> Handle<'a, S, C, Q> {
    pub(crate) fn new(generator: &'a Generator<S, C, Q>) -> Self {
        Self { generator, span: Span::EMPTY, next: 0, end: 0, len: 0 }
    }
}

impl<S: Scheme, C: Clock, Q: Sequence> Handle<'_, S, C, Q> {
    /// An ID, or at once the reason why not.
    ///
    /// # Errors
    /// As [`Generator::try_generate`].
    #[inline]
    pub fn try_generate(&mut self) -> Result<<S::Form as Form<S>>::Id, Error> {
        self.try_generate_as(S::Form::default())
    }

    /// [`try_generate`](Self::try_generate) in a form.
    ///
    /// # Errors
    /// As `try_generate`.
    #[inline]
    pub fn try_generate_as<F: Form<S>>(&mut self, form: F) -> Result<F::Id, Error> {
        self.generator.parts().0.check_form(form)?;
        let slot = match self.next_slot() {
            Ok(slot) => slot,
            Err(in_time) => self.try_refill(in_time)?,
        };
        Ok(form.id(&self.generator.parts().0.scheme, slot))
    }

    /// An ID, as soon as there is one.
    ///
    /// # Errors
    /// As [`Generator::generate`].
    #[cfg(feature = "std")]
    #[inline]
    pub fn generate(&mut self) -> Result<<S::Form as Form<S>>::Id, Error> {
        self.generate_as(S::Form::default())
    }

    /// [`generate`](Self::generate) in a form.
    ///
    /// # Errors
    /// As `generate`.
    #[cfg(feature = "std")]
    #[inline]
    pub fn generate_as<F: Form<S>>(&mut self, form: F) -> Result<F::Id, Error> {
        self.generator.parts().0.check_form(form)?;
        let slot = match self.next_slot() {
            Ok(slot) => slot,
            Err(in_time) => self.refill(in_time)?,
        };
        Ok(form.id(&self.generator.parts().0.scheme, slot))
    }

    /// The next slot of the block, if there is one and its time is still right; else whether it is.
    #[inline]
    fn next_slot(&mut self) -> Result<Slot<S>, bool> {
        let (issuer, _) = self.generator.parts();
        let stem = issuer.clock.glance().ok().and_then(|time| self.span.stem_at(time));
        let Some(stem) = stem else { return Err(false) };
        let tail = self.next;
        if tail == self.end {
            return Err(true);
        }
        self.next = tail.wrapping_add(1);
        Ok(Slot::new(stem.head, tail))
    }

    // Cold alone does not do: inlined into the only caller it counts as likely as the rest.
    #[cold]
    #[inline(never)]
    fn try_refill(&mut self, in_time: bool) -> Result<Slot<S>, Error> {
        self.refill_or(in_time, Generator::try_settle_block)
    }

    #[cfg(feature = "std")]
    #[cold]
    #[inline(never)]
    fn refill(&mut self, in_time: bool) -> Result<Slot<S>, Error> {
        self.refill_or(in_time, Generator::settle_block)
    }

    /// The first slot of a new block, which `settle` gets if it is not all of a tick that is known.
    #[inline]
    fn refill_or(
        &mut self,
        in_time: bool,
        settle: impl FnOnce(&Generator<S, C, Q>, Word<S>, NonZeroU32) -> Result<Block<S>, Error>,
    ) -> Result<Slot<S>, Error> {
        let want = self.want(in_time).min(Word::<S>::MAX_ADD);
        let drawn = match self.generator.draw(want) {
            Ok((span, first)) => return Ok(self.take_up(span, first, want)),
            Err(drawn) => drawn,
        };
        let block = settle(self.generator, drawn, want)?;
        let span = self.generator.parts().0.span(&block, self.generator.policy());
        Ok(self.take_up(span, Slot::of(span.stem, block.first), block.len))
    }

    /// How many IDs to ask for, now that the block is used up or its tick is over.
    fn want(&mut self, in_time: bool) -> NonZeroU32 {
        let want = if self.next == self.end {
            if in_time { self.len.saturating_mul(2) } else { self.len }
        } else {
            self.len / 2
        };
        self.end = self.next;
        self.span = Span::EMPTY;
        NonZeroU32::new(want).unwrap_or(NonZeroU32::MIN)
    }

    /// Keeps what comes after the first slot of a new block.
    fn take_up(&mut self, span: Span, first: Slot<S>, len: NonZeroU32) -> Slot<S> {
        self.span = span;
        self.len = len.get();
        // One past the last slot may wrap around to 0.
        self.next = first.tail().wrapping_add(1);
        self.end = first.tail().wrapping_add(self.len.into());
        first
    }
}

impl<S: Scheme, C: fmt::Debug, Q: Sequence> fmt::Debug for Handle<'_, S, C, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("generator", &self.generator)
            .field("left", &self.end.wrapping_sub(self.next))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(feature = "std")]
mod tests {
    use core::time::Duration;
    use std::collections::HashSet;
    use std::thread;
    use std::vec::Vec;

    use super::*;
    use crate::clock::ManualClock;
    use crate::error::ErrorKind;
    use crate::example::{Node, Seconds};
    use crate::generator::Builder;
    use crate::policy::Policy;
    use crate::sequence::LowestStart;
    use crate::tick::Ticks;
    use crate::time::UnixTime;

    type Shared<'a> = Generator<Seconds, &'a ManualClock, LowestStart>;

    const SECOND: Duration = Duration::from_secs(1);

    fn clock() -> ManualClock {
        ManualClock::new(UnixTime::from_micros(1_000_000_000))
    }

    /// 256 sequences a second.
    fn generator(clock: &ManualClock, policy: Policy<Seconds>) -> Shared<'_> {
        Builder::seeded(Node(1), 0).clock(clock).policy(policy).build().unwrap()
    }

    fn tick(id: u64) -> u64 {
        id >> 17
    }

    #[test]
    fn blocks_double_while_they_are_used_up_within_their_tick() {
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
    fn blocks_halve_when_their_tick_ends_first() {
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
    fn many_idle_handles_leave_enough_for_each_other() {
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
    fn what_is_left_of_a_block_is_dropped_with_its_tick() {
        let clock = clock();
        let generator = generator(&clock, Policy::Wait);
        let mut handle = generator.handle();
        for _ in 0..4 {
            assert_eq!(tick(handle.try_generate().unwrap()), 1_000);
        }
        clock.advance(SECOND);
        assert_eq!(tick(handle.try_generate().unwrap()), 1_001);
        clock.set(UnixTime::from_micros(1_000_000_000));
        assert_eq!(handle.try_generate().unwrap_err().kind(), ErrorKind::Rollback);
    }

    #[test]
    fn a_ratchet_goes_on_with_its_block_within_the_allowance_and_no_further() {
        let clock = clock();
        let generator = generator(&clock, Policy::Ratchet { allowance: Ticks::new(2) });
        let mut handle = generator.handle();
        for _ in 0..4 {
            handle.try_generate().unwrap();
        }
        clock.set(UnixTime::from_micros(998_000_000));
        assert_eq!(tick(handle.try_generate().unwrap()), 1_000);
        clock.set(UnixTime::from_micros(997_999_999));
        assert_eq!(handle.try_generate().unwrap_err().kind(), ErrorKind::Rollback);
    }

    #[test]
    fn after_closing_a_handle_issues_no_more_than_its_block() {
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
    fn ids_of_all_handles_are_distinct_and_those_of_each_increase() {
        let clock = clock();
        let generator = generator(&clock, Policy::Wait);
        let ids: Vec<Vec<u64>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        let mut handle = generator.handle();
                        (0..50_000).map(|_| handle.generate().unwrap()).collect::<Vec<u64>>()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for ids in &ids {
            assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        }
        let distinct: HashSet<u64> = ids.iter().flatten().copied().collect();
        assert_eq!(distinct.len(), 8 * 50_000);
    }
}
