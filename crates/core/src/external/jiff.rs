//! Times of the `jiff` library, for the two major versions that are in use.

macro_rules! times_of_jiff {
    ($version:ident = $jiff:ident) => {
        mod $version {
            use $jiff::Timestamp;

            use crate::range::RangeError;
            use crate::time::UnixTime;

            /// # Errors
            /// Returns a [`RangeError`] outside of [`Timestamp::MIN`]..=[`Timestamp::MAX`],
            /// which are about the years -9999 to 9999.
            impl TryFrom<UnixTime> for Timestamp {
                type Error = RangeError;

                fn try_from(time: UnixTime) -> Result<Self, RangeError> {
                    // `from_microsecond` refuses the fractions of the last second.
                    Self::from_nanosecond(i128::from(time.as_micros()) * 1_000).map_err(|_| {
                        let (min, max) = (Self::MIN.as_microsecond(), Self::MAX.as_microsecond());
                        let micros = time.as_micros().into();
                        RangeError::of_time(micros, min.into(), max.into())
                    })
                }
            }

            /// Rounds towards the past, to whole microseconds. It does not fail: [`UnixTime`] has
            /// all of `jiff`'s range.
            impl TryFrom<Timestamp> for UnixTime {
                type Error = RangeError;

                fn try_from(time: Timestamp) -> Result<Self, RangeError> {
                    // Which rounds towards 1970.
                    let micros = time.as_microsecond();
                    let is_cut = time.subsec_nanosecond() % 1_000 < 0;
                    Ok(Self::from_micros(micros - i64::from(is_cut)))
                }
            }

            #[cfg(test)]
            mod tests {
                use super::*;

                #[test]
                fn times_round_down() {
                    for (nanos, micros) in [
                        (0, 0),
                        (1_999, 1),
                        (-1, -1),
                        (-1_000, -1),
                        (-1_001, -2),
                        (-1_000_000_001, -1_000_001),
                    ] {
                        let time = Timestamp::from_nanosecond(nanos).unwrap();
                        let unix_time = UnixTime::from_micros(micros);
                        assert_eq!(UnixTime::try_from(time), Ok(unix_time), "{nanos} ns");
                        let back = Timestamp::try_from(unix_time).unwrap();
                        assert_eq!(back.as_nanosecond(), i128::from(micros) * 1_000);
                    }
                }

                #[test]
                fn both_ends_of_its_range_fit() {
                    for time in [Timestamp::MIN, Timestamp::MAX] {
                        let unix_time = UnixTime::try_from(time).unwrap();
                        let distance =
                            time.as_nanosecond() - i128::from(unix_time.as_micros()) * 1_000;
                        assert!((0..1_000).contains(&distance), "{time}");
                    }
                }

                #[test]
                fn errors_name_time_and_range() {
                    let (min, max) =
                        (Timestamp::MIN.as_microsecond(), Timestamp::MAX.as_microsecond());
                    for (micros, fits) in
                        [(min, true), (min - 1, false), (max, true), (max + 1, false)]
                    {
                        match Timestamp::try_from(UnixTime::from_micros(micros)) {
                            Ok(_) => assert!(fits, "{micros}"),
                            Err(error) => {
                                assert!(!fits, "{micros}");
                                assert_eq!(error.value(), micros.into());
                                assert_eq!((error.min(), error.max()), (min.into(), max.into()));
                            }
                        }
                    }
                }
            }
        }
    };
}

#[cfg(feature = "jiff_0_2")]
times_of_jiff!(jiff_0_2 = jiff_0_2);
#[cfg(feature = "jiff_1")]
times_of_jiff!(jiff_1 = jiff);
