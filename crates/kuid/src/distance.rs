//! The distance between two IDs.

/// The distance between two IDs, in time and in sequence. Each part has its own sign.
///
/// Mega-seconds, seconds and microseconds all carry the sign of the time, as in Erlang. For
/// example, a difference of minus one and a half seconds is `{0, -1, -500000}`.
///
/// # Examples
/// ```
/// use tickid_kuid::LocalId;
///
/// let earlier = LocalId::from_parts(1_700, 10, 512_000, 7)?;
/// let later = LocalId::from_parts(1_700, 12, 0, 5)?;
/// let back = earlier.distance(later);
/// assert_eq!(back.as_micros(), -1_488_000);
/// assert_eq!((back.mega_seconds(), back.seconds(), back.micro_seconds()), (0, -1, -488_000));
/// assert_eq!(back.sequence(), 2); // meaningless here: the times differ
/// # Ok::<(), tickid_kuid::RangeError>(())
/// ```
///
/// # Spec
/// fogfish/uid, `uid:d/2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Distance {
    micros: i64,
    sequence: i32,
}

impl Distance {
    pub(crate) const fn new(micros: i64, sequence: i32) -> Self {
        Self { micros, sequence }
    }

    /// Returns the distance in time, in microseconds.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.micros
    }

    /// Returns the whole millions of seconds in the distance.
    #[must_use]
    pub const fn mega_seconds(self) -> i64 {
        self.micros / 1_000_000_000_000
    }

    /// Returns the whole seconds of the remainder.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.micros / 1_000_000 % 1_000_000
    }

    /// Returns the remaining microseconds.
    #[must_use]
    pub const fn micro_seconds(self) -> i64 {
        self.micros % 1_000_000
    }

    /// Returns the distance in sequence. It is meaningful only if the times are equal, because
    /// sequences start anew in each tick.
    #[must_use]
    pub const fn sequence(self) -> i32 {
        self.sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_the_sign() {
        let parts = |micros| {
            let distance = Distance::new(micros, 0);
            (distance.mega_seconds(), distance.seconds(), distance.micro_seconds())
        };
        assert_eq!(parts(1_000_002_000_003), (1, 2, 3));
        assert_eq!(parts(-1_000_002_000_003), (-1, -2, -3));
        assert_eq!(parts(-1), (0, 0, -1));
    }
}
