//! The generator ID, which is the node.

use core::fmt;
use core::str::FromStr;

use tickid_core::{RangeError, counted};

/// The number that distinguishes generators, from 0 to 1023.
///
/// No two generators of a system may have the same number at the same time, because they would
/// issue the same IDs. Assign the numbers in the configuration, or lease them with `tickid-lease`.
///
/// One may have it after another, but must not start before its clock is [past the other's last
/// ID][after].
///
/// [after]: https://example.org/tickid/blob/main/docs/choosing.md#one-process-after-another
///
/// # Examples
/// ```
/// use tickid_nanoflake::GeneratorId;
///
/// let id = GeneratorId::from_datacenter_worker(11, 26)?;
/// assert_eq!(id, GeneratorId::new(378)?);
/// assert_eq!((id.datacenter(), id.worker()), (11, 26));
/// assert_eq!("378".parse(), Ok(id)); // as in an environment variable
/// # Ok::<(), tickid_nanoflake::RangeError>(())
/// ```
///
/// # Spec
/// Nanoflakes, "Ensuring Uniqueness" and "Compatibility with Twitter Snowflakes".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct GeneratorId(u16);

impl GeneratorId {
    /// The lowest, 0.
    pub const MIN: Self = Self(0);
    /// The highest, 1023.
    pub const MAX: Self = Self((1 << Self::BITS) - 1);
    /// The number of bits it takes in an ID.
    pub const BITS: u32 = 10;
    /// The number of lower bits that are the worker. The others are the datacenter.
    pub const WORKER_BITS: u32 = 5;
    /// The highest datacenter, 31.
    pub const MAX_DATACENTER: u8 = (1 << (Self::BITS - Self::WORKER_BITS)) - 1;
    /// The highest worker, 31.
    pub const MAX_WORKER: u8 = (1 << Self::WORKER_BITS) - 1;

    /// Returns a random generator ID, from the operating system's random numbers.
    ///
    /// Generators that choose at random may choose the same generator ID, and if they run at the
    /// same time, they may issue the same IDs. For two generators the probability is 1 in 1,024,
    /// and among ten it is 4 in 100. That is fine for tests and for a single process, but not for a
    /// fleet.
    ///
    /// # Errors
    /// Returns [`BuildError::Seed`](tickid_core::BuildError::Seed) if the operating system has no
    /// random numbers.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::{Generator, GeneratorId};
    ///
    /// let generator = Generator::new(GeneratorId::random()?)?;
    /// assert_eq!(generator.generate()?.generator(), generator.node());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn random() -> Result<Self, tickid_core::BuildError> {
        let bytes = tickid_core::external::random_bytes()?;
        Ok(Self(u16::from_be_bytes(bytes) & Self::MAX.0))
    }

    /// Returns generator `id`.
    ///
    /// # Errors
    /// Returns a [`RangeError`] above 1023.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::GeneratorId;
    ///
    /// assert_eq!(GeneratorId::new(1_023)?.get(), 1_023);
    /// assert!(GeneratorId::new(1_024).is_err());
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    pub const fn new(id: u16) -> Result<Self, RangeError> {
        if id <= Self::MAX.0 {
            Ok(Self(id))
        } else {
            let max = Self::MAX.0 as i128;
            Err(RangeError::new("generator ID", id as i128, 0, max))
        }
    }

    /// Returns the generator that is `worker` in `datacenter`, where generator IDs are split as at
    /// Twitter. For example, worker 26 of datacenter 11 is generator 378, because the datacenter is
    /// in the upper five bits (11 × 32 + 26).
    ///
    /// # Errors
    /// Returns a [`RangeError`] above 31 in either.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::GeneratorId;
    ///
    /// let generator = GeneratorId::from_datacenter_worker(3, 7)?;
    /// assert_eq!(generator.get(), 3 << 5 | 7);
    /// assert!(GeneratorId::from_datacenter_worker(32, 0).is_err());
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    pub const fn from_datacenter_worker(datacenter: u8, worker: u8) -> Result<Self, RangeError> {
        if datacenter > Self::MAX_DATACENTER {
            let (value, max) = (datacenter as i128, Self::MAX_DATACENTER as i128);
            Err(RangeError::new("datacenter", value, 0, max))
        } else if worker > Self::MAX_WORKER {
            let (value, max) = (worker as i128, Self::MAX_WORKER as i128);
            Err(RangeError::new("worker", value, 0, max))
        } else {
            Ok(Self((datacenter as u16) << Self::WORKER_BITS | worker as u16))
        }
    }

    /// Returns the ten bits above the sequence of an ID.
    #[inline]
    pub(crate) const fn from_low_bits(bits: i64) -> Self {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "masked to 10 bits"
        )]
        Self(bits as u16 & Self::MAX.0)
    }

    /// Returns the number.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// Returns the upper five bits, 0 to 31.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_nanoflake::GeneratorId::new(103)?.datacenter(), 3);
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[must_use]
    pub const fn datacenter(self) -> u8 {
        #[allow(clippy::cast_possible_truncation, reason = "five of ten bits")]
        {
            (self.0 >> Self::WORKER_BITS) as u8
        }
    }

    /// Returns the lower five bits, 0 to 31.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_nanoflake::GeneratorId::new(103)?.worker(), 7);
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[must_use]
    pub const fn worker(self) -> u8 {
        #[allow(clippy::cast_possible_truncation, reason = "masked to 5 bits")]
        {
            self.0 as u8 & Self::MAX_WORKER
        }
    }
}

tickid_core::impl_node_id!(GeneratorId: "generator ID", Self::BITS);

/// The number in decimal. Width and fill are honoured.
impl fmt::Display for GeneratorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The reason a text is not a generator ID.
///
/// # Examples
/// ```
/// use tickid_nanoflake::GeneratorId;
///
/// let error = "1024".parse::<GeneratorId>().unwrap_err();
/// assert_eq!(error.to_string(), "generator ID 1024 is outside of 0..=1023");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GeneratorIdError {
    /// The text is not 1 to 4 decimal digits.
    Form {
        /// The number of bytes of the text.
        len: usize,
    },
    /// The number is above 1023.
    Range(RangeError),
}

tickid_core::debug_error! {
    enum GeneratorIdError { Form { len }, Range(error) }
}

impl fmt::Display for GeneratorIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form { len } => {
                let form = "a generator ID is 1 to 4 decimal digits";
                write!(f, "{form} (found {} without that form)", counted(*len, "byte"))
            }
            Self::Range(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for GeneratorIdError {}

impl From<RangeError> for GeneratorIdError {
    fn from(error: RangeError) -> Self {
        Self::Range(error)
    }
}

/// Reads the number in decimal, without a sign.
impl FromStr for GeneratorId {
    type Err = GeneratorIdError;

    fn from_str(text: &str) -> Result<Self, GeneratorIdError> {
        let has_form =
            (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if has_form { text.parse().ok() } else { None };
        Ok(Self::new(number.ok_or(GeneratorIdError::Form { len: text.len() })?)?)
    }
}

tickid_core::impl_conversions! { GeneratorId:
    try_from u16 = GeneratorId::new;
    into u16 = GeneratorId::get;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_parse() {
        for id in 0..=1_023 {
            let id = GeneratorId::new(id).unwrap();
            assert_eq!(std::format!("{id}").parse(), Ok(id));
        }
        assert_eq!("0007".parse(), GeneratorId::new(7).map_err(Into::into));
        for text in ["", "+7", "-7", " 7", "7 ", "7/10", "0x7", "00007", "99999", "٣"] {
            let error = GeneratorIdError::Form { len: text.len() };
            assert_eq!(text.parse::<GeneratorId>(), Err(error), "{text}");
        }
        let error = "9999".parse::<GeneratorId>().unwrap_err();
        assert_eq!(error, GeneratorId::new(9_999).unwrap_err().into());
    }

    #[test]
    fn number_errors_name_the_value() {
        for id in [1024, u16::MAX] {
            let error = GeneratorId::new(id).unwrap_err();
            assert_eq!((error.value(), error.min(), error.max()), (id.into(), 0, 1023));
        }
        for five_bits in [32, u8::MAX] {
            let datacenter = GeneratorId::from_datacenter_worker(five_bits, 0).unwrap_err();
            let worker = GeneratorId::from_datacenter_worker(0, five_bits).unwrap_err();
            for (error, what) in [(datacenter, "datacenter"), (worker, "worker")] {
                let named = (error.what(), error.value(), error.min(), error.max());
                assert_eq!(named, (what, five_bits.into(), 0, 31));
            }
        }
    }
}
