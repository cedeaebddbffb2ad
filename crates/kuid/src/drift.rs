//! The drift of global IDs, which their bits do not contain.

use core::fmt;
use core::time::Duration;

use tickid_core::{RangeError, TickScale, UnixTime};

/// The kuid scheme. It holds the drift, because the bits of a global ID do not contain it.
///
/// # Examples
/// ```
/// use tickid_kuid::{Drift, Generator, Kuid, Node};
///
/// let kuid = Kuid { drift: Drift::new(10)? }; // keep each node's IDs of 17 minutes together
/// let generator = Generator::builder(Node::phash2("a@host")).settings(kuid).build()?;
/// let id = generator.generate()?;
/// assert_eq!(id.node(kuid.drift), Node::phash2("a@host"));
///
/// // A range scan over the keys of this moment finds it.
/// let time = kuid.unix_time(id);
/// assert!((kuid.min_at(time)?..=kuid.max_at(time)?).contains(&id));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kuid {
    /// The number of low bits of the seconds that are placed below the node.
    pub drift: Drift,
}

impl Kuid {
    /// The clock rollback that a generator tolerates before it stalls. In 1 second there are 977
    /// ticks.
    pub const DEFAULT_ALLOWANCE: Duration = Duration::from_secs(1);
    /// The number of ticks in a second, 977. They are steps of 1,024 µs *within* each second, so
    /// the last one lasts only 576 µs.
    pub const TICKS_PER_SECOND: u64 = Self::SCALE.ticks_per_period();

    pub(crate) const SCALE: TickScale = TickScale::anew_every(UnixTime::EPOCH, 1_000_000, 1_024);
}

/// The number of low bits of the seconds that are placed below the node in a global ID. It is 5 to
/// 10, and 8 by default. The Erlang library calls it `I`, or drift.
///
/// Within a *neighborhood* of 2^I seconds, IDs sort by node before time. So the IDs of two nodes
/// are not interleaved there, even if the nodes' clocks differ, and across nodes the order is by
/// time only to within that interval. A large drift keeps each node's IDs together for longer. A
/// small one keeps the order closer to time, so that range scans find fewer IDs of other times.
///
/// The drift is not stored in the ID, so every reader of an ID's time or node has to know it. Do
/// not change it in a running system.
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
    /// 5 bits, for an interval of 32 seconds.
    pub const MIN: Self = Self(5);
    /// 10 bits, for an interval of 17 minutes and 4 seconds.
    pub const MAX: Self = Self(10);
    /// 8 bits, for an interval of 4 minutes and 16 seconds.
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

    /// Returns the length of a neighborhood, which is 2^I seconds.
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
