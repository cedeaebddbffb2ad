//! The forms of IDs that every type of ID has: integers in digits of any base, bytes and text.

use core::fmt::{Binary, Debug, LowerHex, UpperHex};

use tickid_core::external::Representations;
use tickid_core::{RangeError, Scheme, Tick};
use tickid_integration::{any, for_each_id};
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{Drift, GlobalId, Kuid, LocalId};
use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId, UnixTime};

fn ids<T: Representations>() -> impl Iterator<Item = T> {
    [T::MIN, T::MAX].into_iter().chain(any(40).take(200))
}

/// Returns the bytes of `id`, with each byte formatted.
fn digits<T: Representations>(id: T, byte: impl Fn(u8) -> String) -> String {
    let bytes: T::Bytes = id.into();
    bytes.as_ref().iter().map(|&of| byte(of)).collect()
}

#[test]
fn digits_agree_with_the_bytes() {
    fn holds<T: Representations + LowerHex + UpperHex + Binary>() {
        for id in ids::<T>() {
            let lower = digits(id, |byte| format!("{byte:02x}"));
            let (hex, bits) = (lower.len(), lower.len() * 4);
            assert_eq!(format!("{id:0hex$x}"), lower);
            assert_eq!(format!("{id:0hex$X}"), lower.to_uppercase());
            let binary = digits(id, |byte| format!("{byte:08b}"));
            assert_eq!(format!("{id:0bits$b}"), binary);
            // Without a width, leading zeros are missing, and `#` adds the prefix.
            let short = lower.trim_start_matches('0');
            let short = if short.is_empty() { "0" } else { short };
            assert_eq!(format!("{id:x}"), short);
            assert_eq!(format!("{id:#x}"), format!("0x{short}"));
            assert_eq!(format!("{id:#0width$x}", width = hex + 2), format!("0x{lower}"));
            assert_eq!(format!("{id:*>40x}"), format!("{short:*>40}"));
            assert_eq!(format!("{id:#0width$b}", width = bits + 2), format!("0b{binary}"));
        }
    }
    for_each_id!(holds);
}

#[test]
fn strings_are_the_canonical_text() {
    fn holds<T: Representations>()
    where
        String: From<T>,
    {
        for id in ids::<T>() {
            assert_eq!(String::from(id), id.to_string());
        }
    }
    for_each_id!(holds);
}

#[test]
fn other_lengths_are_refused() {
    fn holds<T>()
    where
        T: Representations + PartialEq + Debug + for<'a> TryFrom<&'a [u8], Error = RangeError>,
    {
        for id in ids::<T>() {
            let bytes: T::Bytes = id.into();
            let bytes = bytes.as_ref();
            assert_eq!(T::try_from(bytes), Ok(id));
            let longer = [bytes, &[0]].concat();
            for wrong in [&bytes[1..], &longer, &[]] {
                let error = T::try_from(wrong).unwrap_err();
                let len = |slice: &[u8]| i128::try_from(slice.len()).unwrap();
                assert_eq!((error.value(), error.min()), (len(wrong), len(bytes)));
            }
        }
    }
    for_each_id!(holds);
    let above = Scru64Id::try_from(&[0xff; 8][..]).unwrap_err();
    assert_eq!(above.value(), i128::from(u64::MAX));
}

type Range<T> = Option<core::ops::RangeInclusive<T>>;

/// Compares `range` with the ends by `min_at` and `max_at` at times within the format, and with
/// the format's own ends beyond.
fn cuts<T: Representations + Ord + Debug>(
    [first, last]: [UnixTime; 2],
    ends: impl Fn(UnixTime, UnixTime) -> (T, T),
    range: impl Fn(core::ops::RangeInclusive<UnixTime>) -> Range<T>,
) {
    let [start, end] = [first, last].map(UnixTime::as_micros);
    let middle = start / 2 + end / 2;
    let times = [i64::MIN, start - 1, start, start + 1, middle, end - 1, end, end + 1, i64::MAX];
    let times = times.map(UnixTime::from_micros);
    for since in times {
        for until in times {
            let found = range(since..=until);
            if since > until || until < first || last < since {
                assert_eq!(found, None, "{since} to {until}");
            } else {
                let (min, max) = ends(since.max(first), until.max(first));
                let expected = (min <= max).then_some(min..=max);
                assert_eq!(found, expected, "{since} to {until}");
            }
        }
    }
}

#[test]
fn ranges_are_cut_to_the_format() {
    /// The starts of the first tick and the last.
    fn format<S: Scheme>(scheme: S) -> [UnixTime; 2] {
        [Tick::MIN, Tick::MAX].map(|tick| scheme.time_of(tick))
    }
    /// `max_at` fails after the last tick, where the format's end takes its place.
    macro_rules! ends {
        ($id:ident, $last:expr) => {
            |since, until| {
                let until = UnixTime::min(until, $last);
                ($id::min_at(since).unwrap(), $id::max_at(until).unwrap())
            }
        };
    }
    let times = format(Scru64);
    cuts(times, ends!(Scru64Id, times[1]), Scru64Id::range);
    cuts(times, ends!(Scru64Id, times[1]), |range| Scru64.range(range));

    let times = format(Sno);
    cuts(times, ends!(SnoId, times[1]), SnoId::range);
    cuts(times, ends!(SnoId, times[1]), |range| Sno.range(range));

    let layout = Nanoflake { epoch: Epoch::DISCORD };
    let times = format(layout);
    let ends = |since, until| {
        let until = UnixTime::min(until, times[1]);
        (layout.min_at(since).unwrap(), layout.max_at(until).unwrap())
    };
    cuts::<NanoflakeId>(times, ends, |range| layout.range(range));

    let times = format(Kuid::default());
    cuts(times, ends!(LocalId, times[1]), LocalId::range);
    for drift in [Drift::MIN, Drift::DEFAULT, Drift::MAX] {
        // Of all nodes, which overlap: a range that has no tick is none.
        let is_empty =
            |range: &core::ops::RangeInclusive<_>| LocalId::range(range.clone()).is_none();
        let global = |range: core::ops::RangeInclusive<UnixTime>| {
            let found = GlobalId::range(range.clone(), drift);
            assert_eq!(found, Kuid { drift }.range(range.clone()));
            assert_eq!(found.is_none(), is_empty(&range));
            found
        };
        let (since, until) = (times[0], times[1]);
        let all =
            Some(GlobalId::min_at(since, drift).unwrap()..=GlobalId::max_at(until, drift).unwrap());
        assert_eq!(global(since..=until), all);
        assert_eq!(global(UnixTime::MIN..=UnixTime::MAX), all);
        let wide = WideGlobalId::range(UnixTime::MIN..=UnixTime::MAX, drift).unwrap();
        let ends = (WideGlobalId::min_at(since, drift), WideGlobalId::max_at(until, drift));
        assert_eq!(wide, ends.0.unwrap()..=ends.1.unwrap());
    }
}

#[test]
fn other_times_are_cut_as_well() {
    use std::time::{Duration, SystemTime};

    let far = Duration::from_secs(1 << 44);
    let (past, future) = (SystemTime::UNIX_EPOCH - far, SystemTime::UNIX_EPOCH + far);
    assert_eq!(SnoId::range(past..future), Some(SnoId::MIN..=SnoId::MAX));
    assert_eq!(SnoId::range(past..=future), Some(SnoId::MIN..=SnoId::MAX));
    assert_eq!(SnoId::range(future..past), None);
    assert_eq!(SnoId::range(past..=past), None);
}
