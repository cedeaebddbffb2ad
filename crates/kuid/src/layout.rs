//! The layouts of global IDs: what their bits do not say.

use core::fmt;
use core::time::Duration;

use tickid_core::{RangeError, TickScale, UnixTime};

/// The kuid scheme with its layout: the values that the bits of a global ID do not say.
///
/// # Examples
/// ```
/// use tickid_kuid::{Drift, Generator, Kuid, Node};
///
/// let layout = Kuid { drift: Drift::new(10)? }; // keep each node's IDs of 17 minutes together
/// let generator = Generator::builder(Node::phash2("a@host")).layout(layout).build()?;
/// let id = generator.generate()?;
/// assert_eq!(id.node(layout.drift), Node::phash2("a@host"));
///
/// // A range scan over the keys of this moment finds it.
/// let time = layout.unix_time(id);
/// assert!((layout.min_at(time)?..=layout.max_at(time)?).contains(&id));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kuid {
    /// The number of low bits of the seconds that are placed below the node.
    pub drift: Drift,
}

impl Kuid {
    /// The clock rollback that a generator tolerates before it stalls: 1 second.
    pub const DEFAULT_ALLOWANCE: Duration = Duration::from_secs(1);
    /// Ticks are the 1,024 µs steps *within* each second, so that the last of them lasts 576 µs.
    pub const TICKS_PER_SECOND: u64 = Self::SCALE.ticks_per_period();

    pub(crate) const SCALE: TickScale = TickScale::anew_every(UnixTime::EPOCH, 1_000_000, 1_024);
}

/// The scheme of [`WideGlobalId`](crate::WideGlobalId)s: [`Kuid`] with nodes of 64 bits instead of
/// 32.
///
/// # Examples
/// ```
/// use tickid_kuid::{Drift, WideGenerator, WideKuid, WideNode};
///
/// let layout = WideKuid { drift: Drift::MAX };
/// let generator = WideGenerator::builder(WideNode::new(7)).layout(layout).build()?;
/// assert_eq!(generator.generate()?.node(Drift::MAX), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WideKuid {
    /// The number of low bits of the seconds that stand behind the node.
    pub drift: Drift,
}

impl WideKuid {
    pub(crate) const fn narrow(self) -> Kuid {
        Kuid { drift: self.drift }
    }
}

/// The number of low bits of the seconds that are placed below the node in a global ID: 5 to 10, 8
/// by default. The Erlang library calls it `I`, or drift.
///
/// Within a *neighborhood* of 2^I seconds IDs sort by node before time, so the clocks of nodes may
/// differ by up to that interval without interleaving their IDs. Across nodes, order is by time to
/// within that interval. The drift is not stored in the ID: every reader of an ID's time or node
/// needs it.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_kuid::Drift;
///
/// assert_eq!(Drift::default().interval(), Duration::from_secs(256));
/// let error = Drift::new(11).unwrap_err();
/// assert_eq!(error.to_string(), "kuid drift in bits 11 is outside of 5..=10");
/// ```
///
/// # Spec
/// fogfish/uid, "96-bit, global".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Drift(u8);

impl Drift {
    /// 5 bits: 32 seconds.
    pub const MIN: Self = Self(5);
    /// 10 bits: 17 minutes and 4 seconds.
    pub const MAX: Self = Self(10);
    /// 8 bits: 4 minutes and 16 seconds.
    pub const DEFAULT: Self = Self(8);

    /// Returns a drift of `bits` bits.
    ///
    /// # Errors
    /// Returns a [`RangeError`] outside of 5..=10. (With such a drift, encoding in the Erlang
    /// library never returns.)
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::Drift;
    ///
    /// assert_eq!(Drift::new(8), Ok(Drift::DEFAULT));
    /// assert!(Drift::new(4).is_err() && Drift::new(11).is_err());
    /// ```
    pub const fn new(bits: u8) -> Result<Self, RangeError> {
        if Self::MIN.0 <= bits && bits <= Self::MAX.0 {
            Ok(Self(bits))
        } else {
            let (min, max) = (Self::MIN.0 as i128, Self::MAX.0 as i128);
            Err(RangeError::new("kuid drift in bits", bits as i128, min, max))
        }
    }

    /// Returns the number of bits.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Returns the length of a neighborhood: 2^I seconds.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_kuid::Drift;
    ///
    /// assert_eq!(Drift::DEFAULT.interval(), Duration::from_secs(256));
    /// ```
    #[must_use]
    pub const fn interval(self) -> Duration {
        Duration::from_secs(1 << self.0)
    }
}

impl Default for Drift {
    fn default() -> Self {
        Self::DEFAULT
    }
}

tickid_core::impl_conversions! { Drift:
    try_from u8 = Drift::new;
    into u8 = Drift::get;
}

/// The number of bits.
impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
