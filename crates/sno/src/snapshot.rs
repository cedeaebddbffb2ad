#[cfg(target_has_atomic = "64")]
use tickid_core::Clock;
use tickid_core::{BuildError, RangeError, Scheme as _, SequenceBounds, Tick, UnixTime};

use crate::generator::Builder;
#[cfg(target_has_atomic = "64")]
use crate::generator::Generator;
use crate::partition::Partition;
use crate::scheme::{Sno, pool};

/// What a generator is made of and how far it has come, field by field as the original has it.
///
/// With the feature `serde` its JSON is the original's, so a generator can be handed from one
/// program to the other. All fields must be there when it is read, and no others. [`Default`] is what
/// stands for a new generator of partition 0.
///
/// It can be taken of a generator at any time, but only one taken after the generator was
/// [closed](tickid_core::Generator::close) lets a successor go on without issuing an ID twice.
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
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "camelCase", deny_unknown_fields)
)]
pub struct GeneratorSnapshot {
    /// The generator's partition; in JSON an array of two bytes.
    pub partition: Partition,
    /// One end of the sequences it uses, the lower one unless the two are given the other way round.
    pub sequence_min: u16,
    /// The other end. 0 stands for 65,535, except where `sequence_min` is 65,535.
    pub sequence_max: u16,
    /// The last sequence issued in the tick `wall_hi`. 0 stands for the lowest, and anything above the
    /// highest for a tick that is used up.
    pub sequence: u32,
    /// What the clock read when the snapshot was taken, in 4 ms ticks since 2010; negative before that.
    pub now: i64,
    /// The tick issued last; 0 in a new generator.
    pub wall_hi: i64,
    /// The highest tick ever issued under the other tick-tock bit; 0 if there was none.
    pub wall_safe: i64,
    /// How often the tick-tock bit was flipped; odd when it is set. Wraps at 2^32.
    pub drifts: u32,
}

impl GeneratorSnapshot {
    /// Returns a snapshot of a running generator, for a look at it: the generator may have issued
    /// more IDs when the snapshot is read, and a successor would issue those again. Use
    /// [`closing`](Self::closing) for a successor.
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
    /// assert!(generator.generate()? > last, "it goes on");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(target_has_atomic = "64")]
    pub fn of<C: Clock>(generator: &Generator<C>) -> Result<Self, BuildError> {
        let now = generator.clock().now()?;
        Self::new(generator.node(), generator.bounds(), &generator.state().snapshot, now)
    }

    /// Closes `generator` and returns the snapshot from which a successor goes on.
    ///
    /// Closing again returns the same state at the clock's new reading.
    ///
    /// # Errors
    /// Returns [`BuildError::Clock`] if the generator's clock cannot be read; the generator is not
    /// closed then.
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

    /// The snapshot of a generator of `partition` within `bounds` that has come as far as `issued` says
    /// (from [`close`](tickid_core::Generator::close), or from
    /// [`state`](tickid_core::Generator::state) for a look at it), at the time `now`.
    ///
    /// `sequence` is always the last one issued in the tick `wall_hi`. (The original says `sequence_min`
    /// there when it is no longer that tick.) Where the fields cannot say exactly how far the
    /// generator has come, they say too much, so that a sequence is lost rather than issued twice.
    ///
    /// # Errors
    /// [`BuildError::SequenceBound`] and [`BuildError::Pool`] for bounds that no generator has,
    /// [`BuildError::Restore`] for an `issued` that is of other bounds.
    pub fn new(
        partition: Partition,
        bounds: SequenceBounds,
        issued: &tickid_core::Snapshot<Sno>,
        now: UnixTime,
    ) -> Result<Self, BuildError> {
        let (sequence_min, sequence_max) = pool(bounds)?;
        let lowest = u32::from(sequence_min);
        let wall_hi = issued.tick.map_or(0, signed);
        // A flip goes back, so what is left for it is later than tick 0.
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

    /// The sequences the generator uses.
    #[must_use]
    pub const fn bounds(&self) -> SequenceBounds {
        let (min, max) = match (self.sequence_min, self.sequence_max) {
            (min, 0) if min < u16::MAX => (min, u16::MAX),
            bounds => bounds,
        };
        SequenceBounds::new(min as u32, max as u32)
    }

    /// How far the generator has come, as [`Builder::restore`](tickid_core::Builder::restore) takes it.
    ///
    /// The original does not keep the sequence of a tick that is over: when `now` is another tick than
    /// `wall_hi` and `sequence` is the lowest, the whole tick `wall_hi` counts as used up. (Going on
    /// there would issue IDs twice once the clock is set back to it.)
    ///
    /// # Errors
    /// [`RangeError`] for a `sequence` below the lowest other than 0, and for a `wall_hi` or `wall_safe`
    /// that is no tick.
    pub fn issued(&self) -> Result<tickid_core::Snapshot<Sno>, RangeError> {
        let bounds = self.bounds();
        let lowest = bounds.lowest();
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

    /// A generator that goes on from here, or a new one where nothing was issued. The builder takes what
    /// else there is to choose: a clock, a window.
    ///
    /// # Errors
    /// [`BuildError::Pool`] for bounds with fewer than four sequences, else [`BuildError::Restore`] as
    /// [`issued`](Self::issued). A `wall_hi` ahead of the clock is accepted where tick-tock issues at the
    /// clock's tick; otherwise building fails as [`restore`](tickid_core::Builder::restore) describes.
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
/// Returns the number of 4 ms units from 2010 to `time`, rounded towards the past; negative before.
const fn timestamp_units(time: UnixTime) -> i64 {
    // Divided first, so that nothing overflows; the epoch is a whole number of units.
    time.as_micros().div_euclid(4_000) - Sno::EPOCH.as_micros() / 4_000
}
