//! Wide global IDs, with a node of 64 bits instead of 32, and their generators.
//!
//! Choose them where nodes are random numbers, because 64 bits make equal nodes practically
//! impossible. The Erlang library's documentation mentions this form ("optionally 64-bit"), but its
//! code does not implement it. Leases, the command and the ID server have nodes of 32 bits, so wide
//! IDs are for programs that use this crate on both sides.
//!
//! # Examples
//! ```
//! use tickid_kuid::wide::{WideGenerator, WideGlobalId, WideNode};
//!
//! let generator = WideGenerator::new(WideNode::random()?)?;
//! let id = generator.generate()?;
//! assert_eq!(id.to_string().parse::<WideGlobalId>()?, id);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{RangeBounds, RangeInclusive};

use tickid_core::{
    DefaultClock, Field, IntoUnixTime, Observable, Policy, Prefix, RangeError, Scheme, Slot, Tick,
    TickScale, UnixTime, Variant,
};
use tickid_text::{ParseError, Text};

use crate::codec::{HEX, impl_texts};
use crate::drift::{Drift, Kuid};
use crate::global::{global_id_type, local_part, low_bits, splice};
use crate::local::LocalId;
use crate::node::Node;
use crate::scheme::Local;

global_id_type! {
    /// A global ID of 128 bits with a wide node, which has 64 of them.
    /// [`WideGenerator`] issues them. In all other respects it is like
    /// [`GlobalId`](crate::GlobalId).
    ///
    /// ```text
    ///     20 bits      20 - I bits    64 bits    I bits    10 bits     14 bits
    /// |--------------|-------------|-----------|---------|---------|-------------|
    ///  mega-seconds A  seconds B0      node     seconds B1     C       sequence
    /// ```
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{Drift, LocalId};
    /// use tickid_kuid::wide::WideGlobalId;
    ///
    /// let local = LocalId::from_parts(1539, 625_275, 432_128, 1)?;
    /// let id = WideGlobalId::from_local(local, 0x0123_4567_89ab_cdef, Drift::DEFAULT);
    /// assert_eq!(u128::from(id), 0x0060398a_0123456789abcdef_7b698001);
    /// assert_eq!(id.to_string().parse(), Ok(id));
    /// assert_eq!(id.node(Drift::DEFAULT), 0x0123_4567_89ab_cdef);
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    ///
    /// # Spec
    /// fogfish/uid, "96-bit, global", Node.
    WideGlobalId in wide: "kuid wide global ID", "kuid global of 128 bits", 16 bytes, 22 characters;
    node: u64, 64 bits;
    errors: "Also for a last character that holds more than the ID's last 2 bits.";
    sample: ".5.tXVEf.............."
}

impl WideGlobalId {
    #[inline]
    const fn low_bytes(value: u128) -> Self {
        Self(value.to_be_bytes())
    }

    #[inline]
    const fn value(self) -> u128 {
        u128::from_be_bytes(self.0)
    }

    /// Returns the first and the last 8 bytes.
    #[inline]
    const fn ends(self) -> (u64, u64) {
        #[allow(clippy::cast_possible_truncation, reason = "the low 64 bits are meant")]
        ((self.value() >> 64) as u64, self.value() as u64)
    }

    #[inline]
    pub(crate) const fn from_slot(slot: Slot<WideKuid>) -> Self {
        Self::low_bytes((slot.high() as u128) << 64 | slot.low() as u128)
    }

    /// Returns the prefix of an ID with sequence 0.
    pub(crate) const fn prefix(self) -> Prefix {
        let (high, low) = self.ends();
        Prefix::new(high, low)
    }

    #[inline]
    const fn node_value(node: u64) -> u64 {
        node
    }

    /// Returns the node in the low bits.
    #[inline]
    const fn node_of(value: u128) -> u64 {
        #[allow(clippy::cast_possible_truncation, reason = "the low 64 bits are meant")]
        {
            value as u64
        }
    }
}

/// The integer that the bytes are, big-endian.
impl From<u128> for WideGlobalId {
    fn from(value: u128) -> Self {
        Self::low_bytes(value)
    }
}

/// A wide node of 64 bits, all of whose values are valid.
///
/// Random wide nodes are practically unique. For example, among a million of them two are equal
/// with a probability of 1 in 37 million. The text of a node is 16 hexadecimal digits in lower
/// case.
///
/// # Examples
/// ```
/// use tickid_kuid::wide::WideNode;
///
/// let node = WideNode::new(0x0123_4567_89ab_cdef);
/// assert_eq!(node.to_string(), "0123456789abcdef");
/// assert_eq!("0123456789abcdef".parse(), Ok(node));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct WideNode(u64);

impl WideNode {
    /// The length of the text.
    pub const TEXT_LEN: usize = 16;

    /// Returns the node with this number.
    #[inline]
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns a random node, from the operating system's random numbers.
    ///
    /// # Errors
    /// Returns [`BuildError::Seed`](tickid_core::BuildError::Seed) if the operating system has no
    /// random numbers.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::Drift;
    /// use tickid_kuid::wide::{WideGenerator, WideNode};
    ///
    /// let generator = WideGenerator::new(WideNode::random()?)?;
    /// assert_eq!(generator.generate()?.node(Drift::DEFAULT), generator.node().get());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn random() -> Result<Self, tickid_core::BuildError> {
        tickid_core::external::random_bytes().map(|bytes| Self(u64::from_be_bytes(bytes)))
    }

    /// Parses a node from 16 hexadecimal digits in lower case.
    ///
    /// # Errors
    /// Returns a [`ParseError`] for any other length and for the first byte that is not such a
    /// digit.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::wide::WideNode;
    ///
    /// assert_eq!(WideNode::parse_bytes(b"00000000000000ff"), Ok(WideNode::new(255)));
    /// ```
    pub const fn parse_bytes(text: &[u8]) -> Result<Self, ParseError> {
        match HEX.decode::<8, { Self::TEXT_LEN }>(text) {
            Ok(bytes) => Ok(Self(u64::from_be_bytes(bytes))),
            Err(kind) => Err(ParseError::new("kuid wide node", kind)),
        }
    }

    /// Returns the number as 16 hexadecimal digits in lower case.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_kuid::wide::WideNode::new(255).encode(), "00000000000000ff");
    /// ```
    #[must_use]
    pub const fn encode(self) -> Text<{ Self::TEXT_LEN }> {
        HEX.encode(&self.0.to_be_bytes())
    }
}

tickid_text::impl_text!(WideNode);

tickid_core::impl_conversions! { WideNode:
    from u64 = WideNode::new;
    /// The same number, whose upper half is zero.
    from Node = |node: Node| WideNode(node.get().into());
    into u64 = WideNode::get;
}
tickid_core::impl_node_id!(WideNode: "node", u64::BITS);

/// The scheme of [`WideGlobalId`]s. It is like [`Kuid`], but nodes have 64
/// bits instead of 32.
///
/// # Examples
/// ```
/// use tickid_kuid::Drift;
/// use tickid_kuid::wide::{WideGenerator, WideKuid, WideNode};
///
/// let kuid = WideKuid { drift: Drift::MAX };
/// let generator = WideGenerator::builder(WideNode::new(7)).settings(kuid).build()?;
/// assert_eq!(generator.generate()?.node(Drift::MAX), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WideKuid {
    /// The number of low bits of the seconds that are placed below the node.
    pub drift: Drift,
}

impl WideKuid {
    pub(crate) const fn narrow(self) -> Kuid {
        Kuid { drift: self.drift }
    }
}

impl Scheme for WideKuid {
    const NAME: &'static str = "wide kuid";
    const MAX_TICK: u64 = Kuid::MAX_TICK;
    const LAST_TICK: u64 = Kuid::LAST_TICK;
    const MAX_SEQUENCE: u32 = Kuid::MAX_SEQUENCE;
    const HAS_NODELESS_IDS: bool = true;

    type Node = WideNode;
    type Variant = Wide;

    #[inline]
    fn scale(&self) -> TickScale {
        Kuid::SCALE
    }

    fn write_settings(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        self.narrow().write_settings(out)
    }

    fn node_bits(&self) -> Option<u32> {
        Some(u64::BITS)
    }

    fn prefix(&self, node: &WideNode, tick: Tick<Self>, _: bool) -> Prefix {
        // Both schemes have the same ticks.
        let tick = Tick::new(tick.get()).unwrap_or(Tick::MAX);
        WideGlobalId::from_local(LocalId::at(tick, 0), node.get(), self.drift).prefix()
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Ratchet { allowance: self.ticks_in(Kuid::DEFAULT_ALLOWANCE) }
    }
}

/// The variant of wide global IDs, the only one besides [`Local`] that a [`WideGenerator`] issues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wide;

impl Variant<WideKuid> for Wide {
    type Id = WideGlobalId;

    #[inline]
    fn id(self, _: &WideKuid, slot: Slot<WideKuid>) -> WideGlobalId {
        WideGlobalId::from_slot(slot)
    }
}

impl Observable<WideKuid> for Local {
    const LEAST: Self = Self;
}

impl Variant<WideKuid> for Local {
    type Id = LocalId;

    #[inline]
    fn has_node(self) -> bool {
        false
    }

    #[inline]
    fn id(self, scheme: &WideKuid, slot: Slot<WideKuid>) -> LocalId {
        WideGlobalId::from_slot(slot).to_local(scheme.drift)
    }
}

/// The shared generator of wide IDs, with a node of 64 bits. In all other respects it is like
/// [`Generator`](crate::Generator), so build one for each node and process.
///
/// # Examples
/// ```
/// use tickid_kuid::{Drift, Local};
/// use tickid_kuid::wide::{WideGenerator, WideNode};
///
/// let generator = WideGenerator::new(WideNode::new(0x0123_4567_89ab_cdef))?;
/// let wide = generator.generate()?;
/// assert_eq!(wide.node(Drift::DEFAULT), 0x0123_4567_89ab_cdef);
/// let local = generator.with(Local).generate()?;
/// assert!(wide.to_local(Drift::DEFAULT) < local);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(target_has_atomic = "64")]
pub type WideGenerator<C = DefaultClock> = tickid_core::Generator<WideKuid, C>;

/// The exclusive generator of wide IDs. In all other respects it is like
/// [`LocalGenerator`](crate::LocalGenerator), so build one for each node and process.
pub type WideLocalGenerator<C = DefaultClock> = tickid_core::LocalGenerator<WideKuid, C>;

#[doc(hidden)]
#[macro_export]
macro_rules! __wide_global_id {
    ($text:expr) => {
        const { $crate::__parsed($crate::wide::WideGlobalId::parse_const($text.as_bytes())) }
    };
}

/// Makes a [`WideGlobalId`] from a literal in canonical text. Any other
/// literal is a compile error, so there is no `Result` to unwrap.
///
/// ```
/// use tickid_kuid::wide::{WideGlobalId, wide_global_id};
///
/// const ID: WideGlobalId = wide_global_id!(".....................F");
/// assert_eq!(ID.sequence(), 1);
/// ```
///
/// ```compile_fail,E0080
/// let id = tickid_kuid::wide::wide_global_id!(".....................0"); // stray bits at the end
/// ```
#[doc(inline)]
pub use crate::__wide_global_id as wide_global_id;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_16_bytes() {
        assert_eq!(size_of::<WideGlobalId>(), 16);
    }
}
