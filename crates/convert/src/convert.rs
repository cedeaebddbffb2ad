//! Conversions from one scheme to another, both known at compile time.

use core::time::Duration;

use tickid_core::{RangeError, TickScale, UnixTime};

use crate::error::ConvertError;
use crate::loss::{Loss, SequenceLoss};
use crate::options::Options;
use crate::parts::{Bits, Parts, mask};
use crate::schemes::SchemeId;
use crate::schemes::sealed::Shape;
use crate::to_parts::ToParts;

/// A new ID and the losses of its conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Converted<T> {
    /// The new ID.
    pub id: T,
    /// The losses.
    pub loss: Loss,
}

/// Converts one ID.
///
/// IDs of one node and metabyte keep their order. Of two different IDs, the lower never becomes the
/// higher. If the sequence is narrowed, they may become the same, which is reported as a [`Loss`].
/// The crate's front page has the [proof](crate#order).
///
/// Check the loss where IDs must stay distinct, or use [`convert_exact`], which refuses any. A loss
/// of time alone is harmless in this respect, because [`restore`] can recover it.
///
/// # Errors
/// Returns a [`ConvertError`] for a time that the target cannot represent, and for a node that does
/// not fit or is missing. [`Options::nodes`] selects how missing or wide nodes are handled.
///
/// # Examples
/// ```
/// use tickid_convert::{Nodes, Options, convert};
/// use tickid_scru64::scru64;
/// use tickid_sno::SnoId;
///
/// // Without a node size a SCRU64 ID has no node; give the new one its own.
/// let options = Options { nodes: Nodes::Set(7), ..Options::default() };
/// let converted = convert::<SnoId>(scru64!("0u375nxqh5cq"), &options)?;
/// assert_eq!(converted.id.unix_time().as_millis(), 1_678_613_659_136);
/// assert_eq!(converted.id.partition().get(), 7);
/// assert_eq!(converted.loss.to_string(), "sequence narrowed by 8 bits that held 90");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline]
pub fn convert<T: SchemeId>(
    id: impl ToParts,
    options: &Options<'_>,
) -> Result<Converted<T>, ConvertError> {
    let (source, shape) = (id.parts(&options.source)?, T::shape(&options.target));
    let (tick, target, loss) = fit(&source, &shape, options)?;
    Ok(Converted { id: T::of(tick, source.time, &target, &options.target)?, loss })
}

/// Converts one ID without any [`Loss`].
///
/// Different IDs that this converts are different afterwards, so it is the right choice for primary
/// keys.
///
/// # Errors
/// As [`convert`], and [`ConvertError::Lossy`] for any loss.
///
/// # Examples
/// ```
/// use tickid_convert::{ConvertError, Options, Settings, convert_exact};
/// use tickid_scru64::{NodeIdSize, scru64};
/// use tickid_sno::SnoId;
///
/// // A node of 8 bits leaves 16 to the counter, which a sno ID has as well.
/// let source = Settings { node_size: Some(NodeIdSize::new(8)?), ..Settings::default() };
/// let options = Options { source, ..Options::default() };
/// let id: SnoId = convert_exact(scru64!("0u375nxqh5cq"), &options)?;
/// assert_eq!((id.partition().get(), id.sequence()), (42, 25_434));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline]
pub fn convert_exact<T: SchemeId>(
    id: impl ToParts,
    options: &Options<'_>,
) -> Result<T, ConvertError> {
    let Converted { id, loss } = convert(id, options)?;
    if loss.is_none() { Ok(id) } else { Err(ConvertError::Lossy(loss)) }
}

/// Reverses a conversion. Returns the ID that [`convert`] turned into `converted` under the same
/// options.
///
/// The result is the original ID if the loss [is restorable](Loss::is_restorable), and otherwise
/// the lowest of the IDs that become this one, with metabyte 0. Do not use [`convert`] for the way
/// back. Its input may be any ID of the scheme, so it makes room for all of them and returns a
/// different ID.
///
/// # Errors
/// Returns [`ConvertError::NeverConverted`] for an ID that is not the result of any conversion
/// under these options, [`ConvertError::NodeMissing`] if the old ID had a node that the new one
/// does not determine, and otherwise the errors of [`convert`].
///
/// # Examples
/// ```
/// use tickid_convert::{Options, convert, restore};
/// use tickid_nanoflake::{GeneratorId, NanoflakeId};
/// use tickid_sno::SnoId;
///
/// let options = Options::default();
/// let id = NanoflakeId::from_parts(400_000_000_002, GeneratorId::new(5)?, 4_095)?;
/// let converted = convert::<SnoId>(id, &options)?;
/// assert_eq!(converted.loss.to_string(), "time coarsened by 3ms"); // of the sno tick's 4
/// assert_eq!(restore(converted.id, &options), Ok(id));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn restore<S: SchemeId, T: SchemeId>(
    converted: T,
    options: &Options<'_>,
) -> Result<S, ConvertError> {
    let parts = converted.parts(&options.target)?;
    let id = candidate::<S>(&parts, &T::shape(&options.target), options)?;
    // The sequence may not be a rank of that tick, and the metabyte or node may differ from the
    // options.
    match convert::<T>(id, options) {
        Ok(again) if again.id == converted => Ok(id),
        _ => Err(ConvertError::NeverConverted),
    }
}

/// Returns the only ID that can have become one with the parts `target`, in a scheme of `shape`.
///
/// Inlined for the reason that [`fit`] is.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(crate) fn candidate<S: SchemeId>(
    target: &Parts,
    shape: &Shape,
    options: &Options<'_>,
) -> Result<S, ConvertError> {
    // The sequence is a rank among the IDs of all ticks that the target's tick contains.
    let wanted = S::shape(&options.source);
    let rank = Rank::new(shape, wanted.scale, wanted.sequence_bits, wanted.is_sno);
    let value = u128::from(target.sequence.value()) << rank.shift();
    let ticks = low_64(value >> rank.low_bits());
    let time = nth_tick_from(wanted.scale, target.time, ticks);
    let time = time.ok_or(ConvertError::NeverConverted)?;
    let (tick, _) = tick_of(time, &wanted)?;
    let bits = wanted.sequence_bits;
    let sequence = Bits::held(low_64(value) & mask(bits), bits);
    let mut source = Parts::held(time, wanted.scale, sequence);
    source.node = options.nodes.unmap(target.node, wanted.node_bits)?;
    if wanted.is_sno {
        let in_rank = value >> bits & 1 == 1;
        source.toggle = Some(if rank.has_toggle { in_rank } else { target.toggle == Some(true) });
        source.metabyte = Some(target.metabyte.unwrap_or(0));
    }
    S::of(tick, time, &source, &options.source)
}

/// Fits parts into a shape. Returns the number of the target's tick, the parts, and the losses.
///
/// Inlined, because both scales are constants in all conversions but Nanoflake's epoch, and
/// divisions by constants take half the time.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn fit(
    source: &Parts,
    shape: &Shape,
    options: &Options<'_>,
) -> Result<(i64, Parts, Loss), ConvertError> {
    let (tick, start) = tick_of(source.time, shape)?;
    let has_toggle = source.toggle.is_some();
    let bits = source.sequence.bits();
    // Where several ticks of the source fall into one of the target, the sequence ranks them: first
    // the source's tick in the target's, then the toggle, then the sequence. So order is kept, and
    // IDs stay distinct if the bits are enough.
    let rank = Rank::new(shape, source.scale, bits, has_toggle);
    let before = source.scale.ticks_started_between(start, source.time);
    let value = rank.of(before, source.toggle, source.sequence);
    let dropped = low_64(value) & mask(rank.shift());

    let sequence = Bits::held(low_64(value >> rank.shift()), shape.sequence_bits);
    let mut target = Parts::held(start, shape.scale, sequence);
    let (node, node_loss) = options.nodes.map(source.node, shape.node_bits)?;
    target.node = node;
    if shape.is_sno {
        target.metabyte = Some(source.metabyte.unwrap_or(options.metabyte));
        target.toggle = Some(source.toggle == Some(true) && !rank.has_toggle);
    }
    // A target's tick starts at the source's time or before.
    let earlier = start.as_micros().abs_diff(source.time.as_micros());
    let loss = Loss {
        time: (earlier > 0).then(|| Duration::from_micros(earlier)),
        node: node_loss,
        sequence: (dropped > 0).then(|| SequenceLoss { bits: rank.shift(), value: dropped }),
        metabyte: source.metabyte.filter(|metabyte| *metabyte > 0 && !shape.is_sno),
        toggle: source.toggle == Some(true) && rank.has_toggle,
    };
    Ok((tick, target, loss))
}

/// Returns the start of the `nth` tick, counted from 0, of those that start at `time` or later.
#[inline]
fn nth_tick_from(scale: TickScale, time: UnixTime, nth: u64) -> Option<UnixTime> {
    let first = scale.first_signed_tick_from(time)?;
    scale.signed_time_of(first.checked_add_unsigned(nth)?)
}

/// Returns the number of the tick that contains `time`, and the start of that tick.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn tick_of(time: UnixTime, shape: &Shape) -> Result<(i64, UnixTime), ConvertError> {
    let found = shape.scale.signed_tick_and_offset(time).and_then(|(tick, offset)| {
        let start = time.as_micros().checked_sub_unsigned(offset)?;
        Some((tick, UnixTime::from_micros(start)))
    });
    found.ok_or_else(|| too_far(time))
}

/// Returns the error of a time whose tick starts before the earliest time, or that lies an epoch
/// beyond the latest.
#[cold]
fn too_far(time: UnixTime) -> ConvertError {
    let [time, min, max] = [time, UnixTime::MIN, UnixTime::MAX].map(|time| time.as_micros().into());
    ConvertError::Time(RangeError::of_time(time, min, max))
}

/// Returns the low half of a rank.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the caller has shifted the rest out")]
const fn low_64(rank: u128) -> u64 {
    rank as u64
}

/// The rank of an ID among all IDs of its node within one tick of the target. Its parts, from high
/// to low, are the number of the source's ticks that started earlier in that tick, the tick-tock
/// bit and the sequence.
///
/// It has up to 65 bits, because the longest tick is an hour, with 2^32 microseconds, and the
/// sequence of [`Parts`] may have 32 bits. The target keeps at least one of them.
#[derive(Clone, Copy)]
struct Rank {
    sequence_bits: u32,
    has_toggle: bool,
    /// The number of bits that the target has for it.
    room: u32,
    /// Its number of bits.
    bits: u32,
}

impl Rank {
    #[inline]
    const fn new(target: &Shape, source: TickScale, sequence_bits: u32, has_toggle: bool) -> Self {
        let most = target.scale.most_ticks_of(&source);
        // Where each of the target's ticks is one of the source's, the target's own bit does.
        let has_toggle = has_toggle && !(target.is_sno && most == 1);
        let tick_bits = u64::BITS - (most - 1).leading_zeros();
        let bits = tick_bits + has_toggle as u32 + sequence_bits;
        Self { sequence_bits, has_toggle, room: target.sequence_bits, bits }
    }

    /// Returns the number of low bits to cut.
    #[inline]
    const fn shift(self) -> u32 {
        self.bits.saturating_sub(self.room)
    }

    /// Returns the number of bits below the count of ticks.
    #[inline]
    const fn low_bits(self) -> u32 {
        self.sequence_bits + self.has_toggle as u32
    }

    #[inline]
    const fn of(self, ticks: u64, toggle: Option<bool>, sequence: Bits) -> u128 {
        let toggle = self.has_toggle && matches!(toggle, Some(true));
        let rank = (ticks as u128) << self.low_bits()
            | (toggle as u128) << self.sequence_bits
            | sequence.value() as u128;
        debug_assert!(rank >> self.bits == 0);
        rank
    }
}
