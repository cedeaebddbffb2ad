//! The information that a conversion loses.

use core::fmt;
use core::time::Duration;

use tickid_core::counted;

use crate::parts::{Bits, mask};

/// The information that a conversion lost, which is everything about an ID that is not visible in
/// the new ID's own fields.
///
/// Of these, the time within the new ID's tick and the tick-tock bit are still in its sequence,
/// unless it was narrowed, so [`restore`](crate::restore) recovers them from there.
///
/// # Examples
/// ```
/// use tickid_convert::{Options, convert};
/// use tickid_nanoflake::NanoflakeId;
/// use tickid_sno::{Partition, SnoId};
///
/// let id = SnoId::from_parts(100_000_000_000, true, Partition::new(5), 4_001)?.with_meta(24);
/// let loss = convert::<NanoflakeId>(id, &Options::default())?.loss;
/// assert_eq!((loss.time, loss.node), (None, None));
/// assert_eq!(loss.sequence.map(|lost| (lost.bits, lost.value)), Some((5, 1)));
/// assert_eq!((loss.metabyte, loss.toggle), (Some(24), true));
/// assert_eq!(
///     loss.to_string(),
///     "sequence narrowed by 5 bits that held 1, metabyte 24 dropped, tick-tock bit dropped",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Loss {
    /// The time by which the new ID's tick starts earlier, which is less than a tick of the target.
    /// For example, it is at most 3 ms from Nanoflake to sno, whose ticks have 4 ms.
    pub time: Option<Duration>,
    /// The change of the node, if it was narrowed, replaced or left out.
    pub node: Option<NodeLoss>,
    /// The low bits of the sequence that were cut off, if not all of them were zero. IDs that
    /// differ only in these bits become one.
    pub sequence: Option<SequenceLoss>,
    /// The metabyte that was dropped, unless it was zero.
    pub metabyte: Option<u8>,
    /// Set if the tick-tock bit was set and the target has none.
    pub toggle: bool,
}

/// A node that is different now, or gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct NodeLoss {
    /// The node as it was.
    pub from: Bits,
    /// The node as it is now, or `None` where the target has no place for one.
    pub to: Option<Bits>,
}

/// The low end of a sequence that was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SequenceLoss {
    /// The number of low bits cut off.
    pub bits: u32,
    /// The value of these bits. It is never zero.
    pub value: u64,
}

impl Loss {
    /// Reports whether nothing was lost.
    ///
    /// # Examples
    /// ```
    /// assert!(tickid_convert::Loss::default().is_none());
    /// ```
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Reports whether [`restore`](crate::restore) returns the original ID. This is so if nothing
    /// is lost, or only information that the sequence holds instead.
    ///
    /// Different IDs of one node whose losses are restorable never become the same ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Options, convert, restore};
    /// use tickid_nanoflake::NanoflakeId;
    /// use tickid_sno::SnoId;
    ///
    /// // sno's ticks are of 4 ms: the odd millisecond goes into the sequence.
    /// let id = NanoflakeId::new(1_541_815_603_606_036_480)?;
    /// let converted = convert::<SnoId>(id, &Options::default())?;
    /// assert!(!converted.loss.is_none() && converted.loss.is_restorable());
    /// assert_eq!(restore(converted.id, &Options::default()), Ok(id));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_restorable(&self) -> bool {
        self.node.is_none() && self.sequence.is_none() && self.metabyte.is_none()
    }
}

/// Writes each loss in a few words, in the order of the fields, or `nothing`. For example, `time
/// coarsened by 832µs, sequence narrowed by 2 bits that held 2`.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nothing before the first loss, a comma before each further one.
        let mut separator = "";
        let mut next = || core::mem::replace(&mut separator, ", ");
        if let Some(time) = self.time {
            write!(f, "{}time coarsened by {time:?}", next())?;
        }
        if let Some(NodeLoss { from, to }) = self.node {
            let (old, was) = (from.value(), from.bits());
            match to {
                Some(to) if is_end_of(to, from) => {
                    let (new, bits) = (to.value(), to.bits());
                    write!(f, "{}node narrowed from {old} ({was} bits) to {new} ({bits})", next())?;
                }
                Some(to) => write!(f, "{}node {old} replaced by {}", next(), to.value())?,
                None => write!(f, "{}node {old} dropped", next())?,
            }
        }
        if let Some(SequenceLoss { bits, value }) = self.sequence {
            let bits = counted(bits, "bit");
            write!(f, "{}sequence narrowed by {bits} that held {value}", next())?;
        }
        if let Some(metabyte) = self.metabyte {
            write!(f, "{}metabyte {metabyte} dropped", next())?;
        }
        if self.toggle {
            write!(f, "{}tick-tock bit dropped", next())?;
        }
        if separator.is_empty() { f.write_str("nothing") } else { Ok(()) }
    }
}

/// Reports whether a node is the low or the high bits of a wider one.
fn is_end_of(to: Bits, from: Bits) -> bool {
    let is_low = from.value() & mask(to.bits()) == to.value();
    let is_high = from.high_bits(to.bits()) == to.value();
    to.bits() < from.bits() && (is_low || is_high)
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    #[test]
    fn nodes_can_be_lost_three_ways() {
        let field = |value, bits| Bits::new(value, bits).unwrap();
        let from = field(378, 10);
        for (to, said) in [
            (Some(field(122, 8)), "node narrowed from 378 (10 bits) to 122 (8)"),
            (Some(field(94, 8)), "node narrowed from 378 (10 bits) to 94 (8)"),
            (Some(field(42, 8)), "node 378 replaced by 42"),
            (Some(field(42, 16)), "node 378 replaced by 42"),
            (None, "node 378 dropped"),
        ] {
            let loss = Loss { node: Some(NodeLoss { from, to }), ..Loss::default() };
            assert_eq!(loss.to_string(), said);
        }
    }
}
