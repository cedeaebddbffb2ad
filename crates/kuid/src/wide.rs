//! Generators of wide IDs, with a node of 64 bits.

use core::fmt;

use tickid_core::{
    DefaultClock, Observable, Policy, Prefix, Scheme, Slot, Tick, TickScale, Variant,
};
use tickid_text::{ParseError, Text};

use crate::codec::HEX;
use crate::global::WideGlobalId;
use crate::layout::{Kuid, WideKuid};
use crate::local::LocalId;
use crate::node::Node;
use crate::scheme::Local;

/// A wide node of 64 bits, all of whose values are valid.
///
/// Random wide nodes are practically unique. For example, among a million of them two are equal
/// with a probability of 1 in 37 million. The text of a node is 16 hexadecimal digits in lower
/// case.
///
/// # Examples
/// ```
/// use tickid_kuid::WideNode;
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
    /// use tickid_kuid::{Drift, WideGenerator, WideNode};
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
    /// use tickid_kuid::WideNode;
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
    /// assert_eq!(tickid_kuid::WideNode::new(255).encode(), "00000000000000ff");
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

    fn write_layout(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        self.narrow().write_layout(out)
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
/// use tickid_kuid::{Drift, Local, WideGenerator, WideNode};
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
