//! The partition, which is the node.

use core::fmt;
#[cfg(feature = "std")]
use core::sync::atomic::{AtomicU32, Ordering};

#[cfg(feature = "std")]
use tickid_core::external::random_bytes;
#[cfg(feature = "std")]
use tickid_core::{BuildError, PerProcess, RangeError};

/// A partition, which is a number of 16 bits that distinguishes generators. Every value is valid.
///
/// No two generators may have the same partition and the same sequences at the same time, because
/// they would issue the same IDs.
///
/// One may have it after another, but must not start before its clock is [past the other's last
/// ID][after].
///
/// [after]: https://example.org/tickid/blob/main/docs/choosing.md#one-process-after-another
///
/// The original writes it as two bytes, the most significant first, as
/// [`from_bytes`](Self::from_bytes) and [`to_bytes`](Self::to_bytes) do. For example, `*b"A\x0a"`
/// is partition 16,650.
///
/// # Examples
/// ```
/// use tickid_sno::Partition;
///
/// let partition = Partition::from_bytes([b'A', 10]);
/// assert_eq!(partition, Partition::new(0x41_0a));
/// assert_eq!(partition.to_string(), "16650");
/// ```
///
/// # Spec
/// sno, "Partitions".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Partition(u16);

impl Partition {
    /// Returns the partition with this number.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_sno::Partition::new(258).get(), 258);
    /// ```
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Self(number)
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// Returns the partition of these two bytes, the most significant first.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_sno::Partition::from_bytes([1, 2]).get(), 258);
    /// ```
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 2]) -> Self {
        Self(u16::from_be_bytes(bytes))
    }

    /// Returns the two bytes, the most significant first.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_sno::Partition::new(258).to_bytes(), [1, 2]);
    /// ```
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 2] {
        self.0.to_be_bytes()
    }

    /// Returns a partition for a generator without configuration. No two calls in one process
    /// return the same one, because the calls count up from a random start until each of the 65,536
    /// partitions was returned once.
    ///
    /// Each process chooses its start at random, so two processes can get the same partition, and
    /// may then issue the same IDs. With one generator each, the probability is 1 in 65,536 for two
    /// processes, and 7 in 100 for a hundred. If you run several processes, assign partitions or
    /// lease them instead.
    ///
    /// # Errors
    /// Returns [`BuildError::Seed`] if the operating system has no random numbers, and
    /// [`BuildError::Node`] once all partitions are given.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Generator, Partition};
    ///
    /// let orders = Generator::new(Partition::of_process()?)?;
    /// let invoices = Generator::new(Partition::of_process()?)?;
    /// assert_ne!(orders.node(), invoices.node());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Spec
    /// sno, "Partitions". There too, generators without a partition get different ones in the same
    /// process.
    #[cfg(feature = "std")]
    pub fn of_process() -> Result<Self, BuildError> {
        static GIVEN: PerProcess<Given> = PerProcess::new();
        let given = match GIVEN.get() {
            Some(given) => given,
            // If threads race here, only one start stays.
            None => GIVEN.set(Given::from_random_start()?),
        };
        given.next()
    }
}

/// The partitions that were returned in a process.
#[cfg(feature = "std")]
#[derive(Debug)]
struct Given {
    start: Partition,
    count: AtomicU32,
}

#[cfg(feature = "std")]
impl Given {
    fn from_random_start() -> Result<Self, BuildError> {
        Ok(Self::after(Partition::from_bytes(random_bytes()?)))
    }

    const fn after(start: Partition) -> Self {
        Self { start, count: AtomicU32::new(0) }
    }

    fn next(&self) -> Result<Partition, BuildError> {
        let most = u32::from(u16::MAX) + 1;
        let more = |count: u32| (count < most).then_some(count + 1);
        // Relaxed: only the count matters.
        let before = self.count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        let before = before.ok().and_then(|count| u16::try_from(count).ok());
        let before = before.ok_or_else(|| {
            let what = "number of partitions in this process";
            BuildError::Node(RangeError::new(what, i128::from(most) + 1, 1, most.into()).into())
        })?;
        Ok(Partition(self.start.0.wrapping_add(before)))
    }
}

tickid_core::impl_node_id!(Partition: "partition", u16::BITS);

/// The number in decimal.
impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

tickid_core::impl_conversions! { Partition:
    from u16 = Partition::new;
    from [u8; 2] = Partition::from_bytes;
    into u16 = Partition::get;
    into [u8; 2] = Partition::to_bytes;
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_partition_is_given_once() {
        let given = Given::after(Partition(65_000));
        let partitions: HashSet<Partition> = (0..65_536).map(|_| given.next().unwrap()).collect();
        assert_eq!(partitions.len(), 65_536);
        for _ in 0..2 {
            assert!(matches!(given.next(), Err(BuildError::Node(_))));
        }
    }

    #[test]
    fn starts_are_random() {
        let starts = [(); 8].map(|()| Given::from_random_start().unwrap().start);
        // The chance of eight equal ones is 2^-112.
        assert_ne!(starts, [starts[0]; 8]);
        assert_ne!(Partition::of_process(), Partition::of_process());
    }
}
