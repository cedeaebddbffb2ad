//! IDs with a node, of 96 bits, and what both widths of them share.

use core::hash::{Hash, Hasher};
use core::ops::{RangeBounds, RangeInclusive};

use tickid_core::{Field, IntoUnixTime, Prefix, RangeError, Slot, Tick, UnixTime};

use crate::codec::impl_texts;
use crate::distance::Distance;
use crate::drift::{Drift, Kuid};
use crate::local::LocalId;
use crate::node::{ForeignNode, Node};

/// The number of bits below the low bits of the seconds, of which 10 are microseconds and 14 are
/// the sequence.
const TAIL_BITS: u32 = 24;

/// Returns the number of bits below the node, which are the low seconds and the tail.
#[inline]
pub(crate) const fn low_bits(drift: Drift) -> u32 {
    TAIL_BITS + drift.get() as u32
}

/// Returns a local ID with `node`, of `node_bits` bits, in front of its low bits.
#[inline]
pub(crate) const fn splice(local: LocalId, node: u64, node_bits: u32, drift: Drift) -> u128 {
    let low_bits = low_bits(drift);
    let (high, low) = (local.get() >> low_bits, local.get() & ((1 << low_bits) - 1));
    ((high as u128) << node_bits | node as u128) << low_bits | low as u128
}

/// Returns the local ID around the node. The node's width does not matter, because the local ID's
/// high bits are still at their place in the first 8 bytes, and its low bits in the last 8.
#[inline]
pub(crate) const fn local_part(first: u64, last: u64, drift: Drift) -> LocalId {
    let low = (1 << low_bits(drift)) - 1;
    LocalId::new(first & !low | last & low)
}

/// Defines the parts that both widths of global IDs share. The file that uses it imports what these
/// parts name.
macro_rules! global_id_type {
    (
        $(#[$doc:meta])*
        $name:ident $(in $module:ident)?: $what:literal, $title:literal, $bytes:literal bytes,
        $chars:literal characters;
        node: $node:ty, $node_bits:literal bits;
        errors: $spare:literal;
        sample: $sample:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $name([u8; $bytes]);

        impl $name {
            /// The lowest value, whose bits are all zero.
            pub const MIN: Self = Self([0; $bytes]);
            /// The highest value, whose bits are all one.
            pub const MAX: Self = Self([0xff; $bytes]);
            #[doc = concat!("The length of either text: ", $chars, " characters.")]
            pub const TEXT_LEN: usize = $chars;

            /// Returns the fields that the bits consist of, the highest first. They depend on the
            /// drift, because it is the number of bits of the seconds below the node.
            #[must_use]
            pub const fn fields(drift: Drift) -> [Field; 5] {
                let [a, b, c, sequence] = LocalId::FIELDS;
                let low = drift.get() as u32;
                let (node, below) = (a.bits() + b.bits() - low, $node_bits + a.bits() + b.bits());
                let high = Field::new(b.name(), b.start(), b.bits() - low, b.meaning());
                [
                    a,
                    high.and_low(node + $node_bits, low),
                    Field::new("node", node, $node_bits, "fingerprint of the node's name").hex(),
                    c.at(below),
                    sequence.at(below + c.bits()),
                ]
            }

            const NODE_BITS: u32 = $node_bits;

            /// Returns the global ID with the time and sequence of `local` at `node`. This is
            /// Erlang's `uid:g(Local)` and, as bytes, `uid:encode(Drift, Global)`.
            ///
            /// To build an ID from single fields, build a local one first, with
            /// [`LocalId::from_parts`].
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::{Drift, ", $(stringify!($module), "::",)? stringify!($name), " as Id};")]
            ///
            #[doc = concat!("let id: Id = \"", $sample, "\".parse()?;")]
            /// let (local, node) = (id.to_local(Drift::DEFAULT), id.node(Drift::DEFAULT));
            /// assert_eq!(Id::from_local(local, node, Drift::DEFAULT), id);
            /// # Ok::<(), tickid_kuid::ParseError>(())
            /// ```
            #[doc(alias = "g")]
            #[inline]
            #[must_use]
            pub const fn from_local(local: LocalId, node: $node, drift: Drift) -> Self {
                Self::low_bytes(splice(local, Self::node_value(node), Self::NODE_BITS, drift))
            }

            /// Returns the time and sequence without the node. This is Erlang's `uid:gtol(Global)`.
            ///
            /// IDs of two nodes may become the same local ID, so compare their [`node`](Self::node)
            /// first where that matters.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::{Drift, ", $(stringify!($module), "::",)? stringify!($name), " as Id};")]
            ///
            #[doc = concat!("let id: Id = \"", $sample, "\".parse()?;")]
            /// let local = id.to_local(Drift::DEFAULT);
            /// assert_eq!(local.sequence(), id.sequence());
            /// # Ok::<(), tickid_kuid::ParseError>(())
            /// ```
            #[doc(alias = "gtol")]
            #[inline]
            #[must_use]
            pub const fn to_local(self, drift: Drift) -> LocalId {
                let (first, last) = self.ends();
                local_part(first, last, drift)
            }

            /// Returns the bytes, which sort as the IDs do.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::", $(stringify!($module), "::",)? stringify!($name), " as Id;")]
            ///
            #[doc = concat!("let id: Id = \"", $sample, "\".parse()?;")]
            /// assert_eq!(Id::from_bytes(id.to_bytes()), id);
            /// # Ok::<(), tickid_kuid::ParseError>(())
            /// ```
            #[inline]
            #[must_use]
            pub const fn to_bytes(self) -> [u8; $bytes] {
                self.0
            }

            /// Returns the ID of these bytes.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::", $(stringify!($module), "::",)? stringify!($name), " as Id;")]
            ///
            #[doc = concat!("assert_eq!(Id::from_bytes([0; ", $bytes, "]), Id::MIN);")]
            /// ```
            #[inline]
            #[must_use]
            pub const fn from_bytes(bytes: [u8; $bytes]) -> Self {
                Self(bytes)
            }

            /// Returns the node, given that the ID was made with this drift. With a different
            /// drift, the result is a mixture of bits of the node and of the seconds.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::{Drift, LocalId, ", $(stringify!($module), "::",)? stringify!($name), " as Id};")]
            ///
            #[doc = concat!("let id: Id = \"", $sample, "\".parse()?;")]
            /// let node = id.node(Drift::DEFAULT);
            /// assert_eq!(Id::from_local(id.to_local(Drift::DEFAULT), node, Drift::DEFAULT), id);
            /// # Ok::<(), tickid_kuid::ParseError>(())
            /// ```
            #[inline]
            #[must_use]
            pub const fn node(self, drift: Drift) -> $node {
                Self::node_of(self.value() >> low_bits(drift))
            }

            /// Returns part A of the time, in millions of seconds.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::", $(stringify!($module), "::",)? stringify!($name), " as Id;")]
            ///
            #[doc = concat!("let id: Id = \"", $sample, "\".parse()?;")]
            /// assert_eq!(id.mega_seconds(), 1_539);
            /// # Ok::<(), tickid_kuid::ParseError>(())
            /// ```
            #[inline]
            #[must_use]
            pub const fn mega_seconds(self) -> u32 {
                // Neither this nor the next two parts depend on the drift.
                self.to_local(Drift::DEFAULT).mega_seconds()
            }

            /// Returns part B of the time, in seconds, given that the ID was made with this drift.
            /// In a valid time it is below a million.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::{Drift, ", $(stringify!($module), "::",)? stringify!($name), " as Id};")]
            ///
            #[doc = concat!("let id: Id = \"", $sample, "\".parse()?;")]
            /// assert_eq!(id.seconds(Drift::DEFAULT), id.to_local(Drift::DEFAULT).seconds());
            /// # Ok::<(), tickid_kuid::ParseError>(())
            /// ```
            #[inline]
            #[must_use]
            pub const fn seconds(self, drift: Drift) -> u32 {
                self.to_local(drift).seconds()
            }

            /// Returns part C of the time, in microseconds. It is a multiple of 1,024, and in a
            /// valid time it is below a million.
            #[inline]
            #[must_use]
            pub const fn micro_seconds(self) -> u32 {
                self.to_local(Drift::DEFAULT).micro_seconds()
            }

            /// Returns the sequence of 14 bits, which distinguishes the IDs of one tick and node.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::", $(stringify!($module), "::",)? stringify!($name), " as Id;")]
            ///
            /// assert_eq!((Id::MIN.sequence(), Id::MAX.sequence()), (0, 16_383));
            /// ```
            #[inline]
            #[must_use]
            pub const fn sequence(self) -> u32 {
                self.to_local(Drift::DEFAULT).sequence()
            }

            /// Returns the tick, given that the ID was made with this drift. The result is `None`
            /// if B or C is not part of a valid time, which can be a sign of a wrong drift.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::{Drift, ", $(stringify!($module), "::",)? stringify!($name), " as Id};")]
            ///
            /// assert_eq!(Id::MIN.tick(Drift::DEFAULT).map(|tick| tick.get()), Some(0));
            /// assert_eq!(Id::MAX.tick(Drift::DEFAULT), None); // no valid time
            /// ```
            #[inline]
            #[must_use]
            pub const fn tick(self, drift: Drift) -> Option<Tick<Kuid>> {
                self.to_local(drift).tick()
            }

            /// Returns the start of the ID's tick, given that the ID was made with this drift; see
            /// [`LocalId::unix_time`]. In milliseconds, this is Erlang's `uid:t(Uid)`.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::{Drift, ", $(stringify!($module), "::",)? stringify!($name), " as Id};")]
            ///
            #[doc = concat!("let id: Id = \"", $sample, "\".parse()?;")]
            /// let local = id.to_local(Drift::DEFAULT);
            /// assert_eq!(id.unix_time(Drift::DEFAULT), local.unix_time());
            /// # Ok::<(), tickid_kuid::ParseError>(())
            /// ```
            #[doc(alias = "t")]
            #[inline]
            #[must_use]
            pub const fn unix_time(self, drift: Drift) -> UnixTime {
                self.to_local(drift).unix_time()
            }

            /// Returns [`unix_time`](Self::unix_time) as a time type of a different library, for
            /// example `jiff`'s `Timestamp` (with the core's feature `jiff_1`) or `chrono`'s
            /// `DateTime<Utc>` (with `chrono_0_4`).
            ///
            /// # Errors
            /// As [`LocalId::time_as`].
            pub fn time_as<T: TryFrom<UnixTime>>(self, drift: Drift) -> Result<T, T::Error> {
                T::try_from(self.unix_time(drift))
            }

            /// Returns the lowest ID, over all nodes, that shows `time`. Start a range scan over
            /// IDs of this drift with it.
            ///
            /// The range from here to [`max_at`](Self::max_at) of a later time contains **all** IDs
            /// of valid times in between. It also contains some IDs that are up to
            /// [`Drift::interval`] earlier or later, because within that interval IDs sort by node
            /// first. If these do not belong in the result, filter it by
            /// [`unix_time`](Self::unix_time).
            ///
            /// # Errors
            /// Returns a [`RangeError`] for a time before 1970 or after the start of the format's
            /// last tick.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::{Drift, ", $(stringify!($module), "::",)? stringify!($name), " as Id};")]
            ///
            #[doc = concat!("let id: Id = \"", $sample, "\".parse()?;")]
            /// let (time, drift) = (id.unix_time(Drift::DEFAULT), Drift::DEFAULT);
            /// assert!((Id::min_at(time, drift)?..=Id::max_at(time, drift)?).contains(&id));
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn min_at(time: impl IntoUnixTime, drift: Drift) -> Result<Self, RangeError> {
                let node = Self::MIN.node(drift);
                LocalId::min_at(time).map(|local| Self::from_local(local, node, drift))
            }

            /// Returns the highest ID, over all nodes, that shows `time`. End a range scan over IDs
            /// of this drift with it, inclusively.
            ///
            /// # Errors
            /// Returns a [`RangeError`] for a time before 1970 or after the format's last tick.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::{Drift, ", $(stringify!($module), "::",)? stringify!($name), " as Id};")]
            ///
            #[doc = concat!("let id: Id = \"", $sample, "\".parse()?;")]
            /// let (time, drift) = (id.unix_time(Drift::DEFAULT), Drift::DEFAULT);
            /// assert!(id <= Id::max_at(time, drift)?);
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn max_at(time: impl IntoUnixTime, drift: Drift) -> Result<Self, RangeError> {
                let node = Self::MAX.node(drift);
                LocalId::max_at(time).map(|local| Self::from_local(local, node, drift))
            }

            /// Returns a range that contains all IDs that show a time within `times`, or `None` if
            /// no ID shows such a time.
            ///
            /// Unlike [`min_at`](Self::min_at) and [`max_at`](Self::max_at), it accepts times
            /// outside the format and open ends, so it suits times that users enter. The range also
            /// contains IDs of other times, as [`min_at`](Self::min_at) describes, so the ranges of
            /// consecutive days overlap. If the IDs are all of one node, build the range with
            /// [`LocalId::range`] and [`from_local`](Self::from_local) instead, because those
            /// ranges do not overlap.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::{Drift, UnixTime, ", $(stringify!($module), "::",)? stringify!($name), "};")]
            ///
            /// let until = UnixTime::from_millis(1_700_000_000_123)?;
            #[doc = concat!("let keys = ", stringify!($name), "::range(..=until, Drift::DEFAULT).unwrap();")]
            #[doc = concat!("assert_eq!(keys.end(), &", stringify!($name), "::max_at(until, Drift::DEFAULT)?);")]
            #[doc = concat!("assert_eq!(keys.start(), &", stringify!($name), "::MIN);")]
            /// # Ok::<(), tickid_kuid::RangeError>(())
            /// ```
            #[must_use]
            pub fn range<T: IntoUnixTime + Clone>(
                times: impl RangeBounds<T>,
                drift: Drift,
            ) -> Option<RangeInclusive<Self>> {
                let (first, last) = LocalId::range(times)?.into_inner();
                let (lowest, highest) = (Self::MIN.node(drift), Self::MAX.node(drift));
                Some(Self::from_local(first, lowest, drift)..=Self::from_local(last, highest, drift))
            }
        }

        impl_texts! {
            $name $(in $module)?: $what, $title, $bytes bytes, $chars, from Self::from_bytes,
            to Self::to_bytes, $spare, $sample
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                state.write(&self.0);
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        tickid_core::impl_conversions! { $name:
            from [u8; $bytes] = $name::from_bytes;
            into [u8; $bytes] = $name::to_bytes;
            /// The bytes as a big-endian integer.
            into u128 = $name::value;
        }
    };
}
pub(crate) use global_id_type;

global_id_type! {
    /// A global ID of 96 bits, 32 of which are the node.
    ///
    /// ```text
    ///     20 bits      20 - I bits    32 bits    I bits    10 bits     14 bits
    /// |--------------|-------------|-----------|---------|---------|-------------|
    ///  mega-seconds A  seconds B0      node     seconds B1     C       sequence
    /// ```
    ///
    /// It is a [`LocalId`] with the node in front of the low I bits of the seconds. I is the
    /// [`Drift`], which is not stored in the ID, so use the same one everywhere. IDs of one node
    /// order by time, then by sequence. Across nodes they order by time to within
    /// [`Drift::interval`]. In other words, of two IDs of valid times, the lower is never later
    /// than the higher by that interval or more. Their bytes and canonical text sort in the same
    /// order.
    ///
    /// Every bit pattern is an ID. The notes on invalid times in [`LocalId`] apply here as well.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{Drift, GlobalId, LocalId, Node};
    ///
    /// // The example of the Erlang library's document.
    /// let local = LocalId::from_parts(1539, 625_275, 432_128, 1)?;
    /// let id = GlobalId::from_local(local, Node::phash("uid@127.0.0.1"), Drift::DEFAULT);
    /// assert_eq!(id.as_ref(), [0, 96, 57, 138, 3, 235, 39, 50, 123, 105, 128, 1]);
    /// assert_eq!(id.encode_url(), "AGA5igPrJzJ7aYAB");
    /// assert_eq!(id.to_string(), ".5.tXVEf8n8vPN.0");
    ///
    /// assert_eq!(id.node(Drift::DEFAULT), Node::phash("uid@127.0.0.1"));
    /// assert_eq!(id.to_local(Drift::DEFAULT), local);
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    ///
    /// # Spec
    /// fogfish/uid, "96-bit, global".
    GlobalId: "kuid global ID", "kuid global", 12 bytes, 16 characters;
    node: Node, 32 bits;
    errors: "The Erlang library takes one character too many.";
    sample: ".5.tXVEf8n8vPN.0"
}

impl GlobalId {
    /// The highest ID as an integer.
    const MAX_VALUE: u128 = (1 << 96) - 1;

    /// Returns the low 96 bits.
    #[inline]
    const fn low_bytes(value: u128) -> Self {
        let [_, _, _, _, bytes @ ..] = value.to_be_bytes();
        Self(bytes)
    }

    #[inline]
    const fn value(self) -> u128 {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = self.0;
        u128::from_be_bytes([0, 0, 0, 0, a, b, c, d, e, f, g, h, i, j, k, l])
    }

    /// Returns the first and the last 8 bytes.
    #[inline]
    const fn ends(self) -> (u64, u64) {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = self.0;
        (u64::from_be_bytes([a, b, c, d, e, f, g, h]), u64::from_be_bytes([e, f, g, h, i, j, k, l]))
    }

    #[inline]
    const fn node_value(node: Node) -> u64 {
        node.get() as u64
    }

    /// Returns the node in the low bits.
    #[inline]
    const fn node_of(value: u128) -> Node {
        #[allow(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
        Node::new(value as u32)
    }

    /// Returns the ID of a slot. The head is the first 8 bytes as laid out in memory, the tail the
    /// integer of the last 4.
    #[inline]
    pub(crate) const fn from_slot(slot: Slot<Kuid>) -> Self {
        let [a, b, c, d, e, f, g, h] = slot.high().to_ne_bytes();
        #[allow(clippy::cast_possible_truncation, reason = "the tail has 32 bits")]
        let [i, j, k, l] = (slot.low() as u32).to_be_bytes();
        Self([a, b, c, d, e, f, g, h, i, j, k, l])
    }

    /// Returns the prefix of an ID with sequence 0.
    pub(crate) const fn prefix(self) -> Prefix {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = self.0;
        let head = u64::from_ne_bytes([a, b, c, d, e, f, g, h]);
        Prefix::new(head, u32::from_be_bytes([i, j, k, l]) as u64)
    }

    /// Returns the time and sequence of an ID of `node`. This is Erlang's `uid:l(Global)`, where
    /// `node` is the node that runs it.
    ///
    /// # Errors
    /// Returns [`ForeignNode`] for an ID of a different node, because the result could be equal to
    /// one of `node`'s own local IDs.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{Drift, GlobalId, Node, global_id};
    ///
    /// const ID: GlobalId = global_id!(".5.tXVEf8n8vPN.0");
    /// let node = Node::phash("uid@127.0.0.1");
    /// let local = ID.to_local_of(node, Drift::DEFAULT)?;
    /// assert_eq!(GlobalId::from_local(local, node, Drift::DEFAULT), ID);
    /// assert!(ID.to_local_of(Node::phash("b@host"), Drift::DEFAULT).is_err());
    /// # Ok::<(), tickid_kuid::ForeignNode>(())
    /// ```
    #[doc(alias = "l")]
    pub const fn to_local_of(self, node: Node, drift: Drift) -> Result<LocalId, ForeignNode> {
        let found = self.node(drift);
        if found.get() == node.get() {
            Ok(self.to_local(drift))
        } else {
            Err(ForeignNode::new(node, found))
        }
    }

    /// Returns the distance from `earlier` to this ID, both made with this drift, in time and
    /// sequence. It is negative if this ID comes first. This is Erlang's `uid:d(Uid, Earlier)`.
    ///
    /// A local and a global ID have no distance, because the local one may be of any node:
    ///
    /// ```compile_fail,E0308
    /// use tickid_kuid::{Drift, GlobalId, LocalId};
    ///
    /// let _ = LocalId::MAX.distance(GlobalId::MIN);
    /// ```
    ///
    /// # Errors
    /// Returns [`ForeignNode`] if `earlier` is an ID of a different node.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{Drift, GlobalId, LocalId, Node};
    ///
    /// let (a, b) = (Node::phash2("a@host"), Node::phash2("b@host"));
    /// let at = |seconds, node| {
    ///     let local = LocalId::from_parts(1_700, seconds, 0, 0)?;
    ///     Ok::<_, tickid_kuid::RangeError>(GlobalId::from_local(local, node, Drift::DEFAULT))
    /// };
    /// let distance = at(12, a)?.distance(at(10, a)?, Drift::DEFAULT)?;
    /// assert_eq!(distance.as_micros(), 2_000_000);
    /// assert!(at(12, a)?.distance(at(10, b)?, Drift::DEFAULT).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "d")]
    pub const fn distance(self, earlier: Self, drift: Drift) -> Result<Distance, ForeignNode> {
        match earlier.to_local_of(self.node(drift), drift) {
            Ok(earlier) => Ok(self.to_local(drift).distance(earlier)),
            Err(error) => Err(error),
        }
    }
}

/// The integer that the bytes are, big-endian.
///
/// # Errors
/// Returns a [`RangeError`] for 2^96 and above. In the error, `i128::MAX` stands for any number
/// above it.
impl TryFrom<u128> for GlobalId {
    type Error = RangeError;

    fn try_from(value: u128) -> Result<Self, RangeError> {
        if value <= Self::MAX_VALUE {
            Ok(Self::low_bytes(value))
        } else {
            let named = i128::try_from(value).unwrap_or(i128::MAX);
            let max = Self::MAX_VALUE.cast_signed();
            Err(RangeError::new("kuid global ID", named, 0, max))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_12_bytes() {
        assert_eq!(size_of::<GlobalId>(), 12);
    }

    #[test]
    fn integer_errors_name_the_value() {
        assert_eq!(GlobalId::try_from((1 << 96) - 1), Ok(GlobalId::MAX));
        let error = GlobalId::try_from(1 << 96).unwrap_err();
        assert_eq!((error.value(), error.max()), (1 << 96, (1 << 96) - 1));
        let error = GlobalId::try_from(u128::MAX).unwrap_err();
        assert_eq!(error.value(), i128::MAX);
    }
}
