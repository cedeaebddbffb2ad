//! IDs for times of the caller's choice.

use core::sync::atomic::{AtomicU16, Ordering};

use tickid_core::{BuildError, RangeError, Scheme as _, SequenceBounds, UnixTime, Window};

use crate::id::SnoId;
use crate::partition::Partition;
use crate::scheme::{Sno, pool};

/// A source of IDs for times that the caller chooses, which are unique only if the caller ensures
/// it. It suits, for example, the creation times of old records that are given IDs afterwards.
///
/// It has a sequence of its own, which increases by one with every ID, whatever its time, and
/// starts over after the last one. The tick-tock bit is never set.
///
/// **It guarantees neither unique nor ordered IDs**, because it does not remember which times were
/// used. A time that comes again after a whole round of the sequence gives the same ID again. With
/// all 65,536 sequences, for example, that is 65,536 IDs later. And at a time at which a generator
/// of the same partition issues IDs, it may return one of the generator's. Keep the two apart, for
/// example with a [window](Self::window) that ends before the generator's first tick.
///
/// # Examples
/// ```
/// use tickid_sno::{Partition, UnixTime, WithTime};
///
/// let archive = WithTime::new(Partition::new(7));
/// let time = UnixTime::from_millis(1_300_000_000_000)?;
/// let (one, other) = (archive.new_with_time(time, 0)?, archive.new_with_time(time, 0)?);
/// assert_eq!(one.unix_time(), time);
/// assert_eq!((one.sequence(), other.sequence()), (0, 1));
///
/// let too_early = UnixTime::from_millis(1_262_303_999_999)?; // the last millisecond of 2009
/// assert!(archive.new_with_time(too_early, 0).is_err());
/// # Ok::<(), tickid_sno::RangeError>(())
/// ```
///
/// # Spec
/// sno, `NewWithTime`. The original wraps times out of range.
#[derive(Debug)]
pub struct WithTime {
    partition: Partition,
    lowest: u16,
    last: u16,
    window: Window<Sno>,
    /// Between `lowest` and `last`.
    next: AtomicU16,
}

impl WithTime {
    /// Creates a source of IDs of this partition, with all sequences, at any time.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Partition, UnixTime, WithTime};
    ///
    /// let archive = WithTime::new(Partition::new(7));
    /// let id = archive.new_with_time(UnixTime::from_millis(1_577_836_800_000)?, 24)?;
    /// assert_eq!(id.unix_time().to_string(), "2020-01-01T00:00:00Z");
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    #[must_use]
    pub const fn new(partition: Partition) -> Self {
        Self { partition, lowest: 0, last: u16::MAX, window: Window::ALL, next: AtomicU16::new(0) }
    }

    /// Restricts it to the sequences of `bounds`, from the lowest on.
    ///
    /// # Errors
    /// Returns [`BuildError::SequenceBound`] above 65,535, and [`BuildError::Pool`] for fewer than
    /// four.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Partition, SequenceBounds, UnixTime, WithTime};
    ///
    /// let archive = WithTime::new(Partition::new(7)).bounds(SequenceBounds::new(100, 199))?;
    /// let id = archive.new_with_time(UnixTime::from_millis(1_577_836_800_000)?, 0)?;
    /// assert!((100..200).contains(&id.sequence()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounds(self, bounds: SequenceBounds) -> Result<Self, BuildError> {
        let (lowest, last) = pool(bounds)?;
        Ok(Self { lowest, last, next: AtomicU16::new(lowest), ..self })
    }

    /// Restricts it to the ticks of `window`. Times outside it are errors, which keeps the IDs
    /// apart from those of a generator that has the other ticks.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::tickid_core::Tick;
    /// use tickid_sno::{Partition, UnixTime, Window, WithTime};
    ///
    /// // The generator of this partition has the ticks from 2020 on.
    /// let before = Window::new(Tick::MIN, 78_883_200_000)?;
    /// let archive = WithTime::new(Partition::new(7)).window(before);
    /// let of_2020 = UnixTime::from_millis(1_577_836_800_000)?;
    /// let error = archive.new_with_time(of_2020, 0).unwrap_err();
    /// assert_eq!(error.to_string(), "tick 78883200000 is outside of 0..=78883199999");
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    #[must_use]
    pub fn window(self, window: Window<Sno>) -> Self {
        Self { window, ..self }
    }

    /// Returns an ID for the tick that contains `time`.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before 2010 or after the last timestamp (in
    /// microseconds), and for a time outside the window (in ticks). An error does not use up a
    /// sequence.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Partition, UnixTime, WithTime};
    ///
    /// let archive = WithTime::new(Partition::new(7));
    /// assert!(archive.new_with_time(UnixTime::EPOCH, 0).is_err()); // before 2010
    /// ```
    pub fn new_with_time(&self, time: UnixTime, meta: u8) -> Result<SnoId, RangeError> {
        let tick = Sno.tick_at(time)?;
        if !self.window.contains(tick) {
            let (min, max) = (self.window.floor().get(), self.window.ceiling() - 1);
            let value = tick.get().into();
            return Err(RangeError::new("tick", value, min.into(), max.into()));
        }
        let sequence = self.next();
        Ok(SnoId::assemble(tick.get(), false, meta, self.partition, sequence))
    }

    fn next(&self) -> u16 {
        let advance = |next| Some(if next == self.last { self.lowest } else { next + 1 });
        // Relaxed: the sequence is all that threads share. The closure always gives a value, so
        // both results are the one before it.
        #[allow(deprecated, reason = "its new name is younger than Rust 1.89")]
        match self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance) {
            Ok(next) | Err(next) => next,
        }
    }
}
