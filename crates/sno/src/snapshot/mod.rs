//! Snapshots of generators, field by field as in the original.

#[cfg(feature = "serde")]
mod serde;

#[cfg(target_has_atomic = "64")]
use tickid_core::Clock;
use tickid_core::{BuildError, RangeError, Scheme as _, SequenceBounds, Tick, UnixTime};

use crate::generator::Builder;
#[cfg(target_has_atomic = "64")]
use crate::generator::Generator;
use crate::partition::Partition;
use crate::scheme::{Sno, pool};

/// The configuration and progress of a generator, field by field as in the original.
///
/// With the feature `serde` its JSON is the same as the original's, so a program in Go can continue
/// where one in Rust stopped, and the other way round. When it is read, it must have all fields and
/// no others. [`Default`] is a new generator of partition 0.
///
/// A snapshot can be taken at any time, but a successor may continue only from one that was taken
/// after the generator was [closed](tickid_core::Generator::close). Otherwise the generator may
/// issue more IDs after the snapshot, and its successor would issue them again.
/// [`closing`](Self::closing) does both in one call.
///
/// # Examples
/// ```
/// use tickid_sno::{Generator, Partition, SequenceBounds, GeneratorSnapshot};
///
/// let bounds = SequenceBounds::new(0, 999);
/// let generator = Generator::builder(Partition::new(7)).bounds(bounds).build()?;
/// let last = generator.generate()?;
///
/// let snapshot = GeneratorSnapshot::closing(&generator)?;
/// assert_eq!(snapshot.sequence, u32::from(last.sequence()));
///
/// let successor = snapshot.builder()?.build()?;
/// assert!(successor.generate()? > last);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Spec
/// sno, `GeneratorSnapshot`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GeneratorSnapshot {
    /// The generator's partition. In JSON it is an array of two bytes.
    pub partition: Partition,
    /// One end of the range of sequences. It is the lower end, unless the two are given in reverse.
    pub sequence_min: u16,
    /// The other end. 0 means 65,535, unless `sequence_min` is 65,535.
    pub sequence_max: u16,
    /// The last sequence issued in the tick `wall_hi`. 0 means the lowest, and any value above the
    /// highest means that the tick is used up.
    pub sequence: u32,
    /// The clock reading at the time of the snapshot, in 4 ms ticks since 2010. It is negative
    /// before 2010.
    pub now: i64,
    /// The tick issued last, or 0 in a new generator.
    pub wall_hi: i64,
    /// The highest tick ever issued under the other tick-tock bit, or 0 if there was none.
    pub wall_safe: i64,
    /// The number of times the tick-tock bit was flipped, so an odd number means that it is set. It
    /// wraps at 2^32.
    pub drifts: u32,
}

impl GeneratorSnapshot {
    /// Returns a snapshot of a running generator, for example to log it. Do not start a successor
    /// from it, because the generator may issue more IDs after the snapshot, and the successor
    /// would issue those again. [`closing`](Self::closing) is for successors.
    ///
    /// # Errors
    /// Returns [`BuildError::Clock`] if the generator's clock cannot be read.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Generator, Partition, GeneratorSnapshot};
    ///
    /// let generator = Generator::new(Partition::new(7))?;
    /// let last = generator.generate()?;
    /// let snapshot = GeneratorSnapshot::of(&generator)?;
    /// assert_eq!(snapshot.sequence, u32::from(last.sequence()));
    /// assert!(generator.generate()? > last, "it continues");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(target_has_atomic = "64")]
    pub fn of<C: Clock>(generator: &Generator<C>) -> Result<Self, BuildError> {
        let now = generator.clock().now()?;
        Self::new(generator.node(), generator.bounds(), &generator.state().snapshot, now)
    }

    /// Closes `generator` and returns the snapshot that a successor continues from.
    ///
    /// Closing again returns the same state at the clock's new reading.
    ///
    /// # Errors
    /// Returns [`BuildError::Clock`] if the generator's clock cannot be read. In this case the
    /// generator is not closed.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Generator, Partition, GeneratorSnapshot};
    ///
    /// let generator = Generator::new(Partition::new(7))?;
    /// let last = generator.generate()?;
    /// let snapshot = GeneratorSnapshot::closing(&generator)?;
    /// assert!(generator.generate().is_err());
    ///
    /// let successor = snapshot.builder()?.build()?;
    /// assert!(successor.generate()? > last);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(target_has_atomic = "64")]
    pub fn closing<C: Clock>(generator: &Generator<C>) -> Result<Self, BuildError> {
        let now = generator.clock().now()?;
        Self::new(generator.node(), generator.bounds(), &generator.close(), now)
    }

    /// Returns the snapshot, at the time `now`, of a generator of `partition` within `bounds` that
    /// has progressed to `issued` (from [`close`](tickid_core::Generator::close), or for inspection
    /// from [`state`](tickid_core::Generator::state)).
    ///
    /// `sequence` is always the last one issued in the tick `wall_hi`. (The original has
    /// `sequence_min` there once that tick is over.) Where the fields cannot express the exact
    /// progress of the generator, they overstate it, because losing a sequence is harmless and
    /// issuing it twice is not.
    ///
    /// # Errors
    /// Returns [`BuildError::SequenceBound`] or [`BuildError::Pool`] for bounds that no generator
    /// has, and [`BuildError::Restore`] for an `issued` with other bounds.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Generator, GeneratorSnapshot, Partition, UnixTime};
    ///
    /// let generator = Generator::new(Partition::new(7))?;
    /// let last = generator.generate()?;
    /// let (bounds, now) = (generator.bounds(), last.unix_time());
    /// let issued = generator.close();
    /// let snapshot = GeneratorSnapshot::new(Partition::new(7), bounds, &issued, now)?;
    /// assert_eq!(snapshot.sequence, u32::from(last.sequence()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        partition: Partition,
        bounds: SequenceBounds,
        issued: &tickid_core::Snapshot<Sno>,
        now: UnixTime,
    ) -> Result<Self, BuildError> {
        let (sequence_min, sequence_max) = pool(bounds)?;
        let lowest = u32::from(sequence_min);
        let wall_hi = issued.tick.map_or(0, signed);
        // A flip goes back in time, so the ticks left for it are later than tick 0.
        let wall_safe = issued.other_past.map_or(0, |past| signed(past).max(1));
        let sequence = match issued.tick {
            None => lowest,
            Some(_) => {
                let (next, end) = (issued.next_sequence, u32::from(sequence_max) + 1);
                if next < lowest || next > end {
                    let (min, max) = (lowest.into(), end.into());
                    let error = RangeError::new("next sequence", next.into(), min, max);
                    return Err(BuildError::Restore(error));
                }
                let sequence = next.saturating_sub(1).max(lowest);
                // A snapshot with one ID of tick 0 reads as one with none, so it claims two.
                let looks_new = (wall_hi, wall_safe, sequence) == (0, 0, lowest);
                sequence + u32::from(looks_new)
            }
        };
        Ok(Self {
            partition,
            sequence_min,
            sequence_max,
            sequence,
            now: timestamp_units(now),
            wall_hi,
            wall_safe,
            drifts: issued.drifts,
        })
    }

    /// Returns the sequences the generator uses.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{GeneratorSnapshot, SequenceBounds};
    ///
    /// let mut snapshot = GeneratorSnapshot::default();
    /// (snapshot.sequence_min, snapshot.sequence_max) = (10, 99);
    /// assert_eq!(snapshot.bounds(), SequenceBounds::new(10, 99));
    /// ```
    #[must_use]
    pub const fn bounds(&self) -> SequenceBounds {
        let (min, max) = match (self.sequence_min, self.sequence_max) {
            (min, 0) if min < u16::MAX => (min, u16::MAX),
            bounds => bounds,
        };
        SequenceBounds::new(min as u32, max as u32)
    }

    /// Returns the generator's progress, as [`Builder::restore`](tickid_core::Builder::restore)
    /// takes it.
    ///
    /// The original does not keep the sequence of a tick that is over. So if `now` is not the tick
    /// `wall_hi` and `sequence` is the lowest, the whole tick `wall_hi` counts as used up, because
    /// continuing within it could issue IDs twice once the clock is set back to it.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a `sequence` below the lowest other than 0, and for a `wall_hi`
    /// or `wall_safe` that is not a tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::GeneratorSnapshot;
    ///
    /// let snapshot = GeneratorSnapshot { wall_hi: 1_000, sequence: 41, ..Default::default() };
    /// assert_eq!(snapshot.issued()?.next_sequence, 42);
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    pub fn issued(&self) -> Result<tickid_core::Snapshot<Sno>, RangeError> {
        let bounds = self.bounds();
        let lowest = bounds.lowest();
        // 0 stands for nothing issued, also where the generator's sequences start higher.
        let sequence = match self.sequence {
            0 => lowest,
            sequence => sequence,
        };
        if sequence < lowest {
            let (value, min, max) = (sequence.into(), lowest.into(), u32::MAX.into());
            return Err(RangeError::new("snapshot sequence", value, min, max));
        }
        let wall_hi = tick("snapshot wallHi", self.wall_hi)?;
        let wall_safe = tick("snapshot wallSafe", self.wall_safe)?;

        // A snapshot of a new generator, which `EMPTY` is too. Otherwise the tick 0 would seem to
        // be used.
        let is_new = self.wall_hi == 0 && self.wall_safe == 0 && sequence == lowest;
        let is_over = self.now != 0 && self.now != self.wall_hi && sequence == lowest;
        let last = if is_over { bounds.last() } else { sequence.min(bounds.last()) };
        let issued = if is_new {
            tickid_core::Snapshot::EMPTY
        } else {
            tickid_core::Snapshot::at(wall_hi, last + 1)
        };
        let other_past = (self.wall_safe > 0).then_some(wall_safe);
        Ok(issued.with_drifts(self.drifts, other_past))
    }

    /// Returns a builder of a generator that continues from here, or of a new one if nothing was
    /// issued. The remaining options, such as a clock or a window, are set on the builder.
    ///
    /// # Errors
    /// Returns [`BuildError::Pool`] for bounds with fewer than four sequences, and otherwise
    /// [`BuildError::Restore`] as [`issued`](Self::issued). A `wall_hi` ahead of the clock is
    /// accepted where tick-tock can issue at the clock's tick. Otherwise building fails as
    /// [`restore`](tickid_core::Builder::restore) describes.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Partition, GeneratorSnapshot};
    ///
    /// let configuration = GeneratorSnapshot {
    ///     partition: Partition::new(7),
    ///     sequence_min: 32_768, // and up to the last
    ///     ..GeneratorSnapshot::default()
    /// };
    /// let generator = configuration.builder()?.build()?;
    /// assert!(generator.generate()?.sequence() >= 32_768);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder(&self) -> Result<Builder, BuildError> {
        let bounds = self.bounds();
        pool(bounds)?;
        let issued = self.issued().map_err(BuildError::Restore)?;
        // The default start of a tick draws nothing from the seed.
        Ok(Builder::seeded(self.partition, 0).bounds(bounds).restore(issued))
    }
}

fn signed(tick: Tick<Sno>) -> i64 {
    // 39 bits.
    tick.get().cast_signed()
}

fn tick(what: &'static str, units: i64) -> Result<Tick<Sno>, RangeError> {
    let tick = u64::try_from(units).ok();
    tick.and_then(|tick| Tick::new(tick).ok())
        .ok_or_else(|| RangeError::new(what, units.into(), 0, Sno::MAX_TICK.into()))
}
/// Returns the number of 4 ms units from 2010 to `time`, rounded towards the past. It is negative
/// before 2010.
const fn timestamp_units(time: UnixTime) -> i64 {
    // Divide both times first, so that the difference fits; the epoch is a whole number of units.
    time.as_micros().div_euclid(4_000) - Sno::EPOCH.as_micros() / 4_000
}
