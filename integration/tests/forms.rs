//! The forms of IDs that every type of ID has: integers in digits of any base, bytes and text.

use core::fmt::{Binary, Debug, LowerHex, UpperHex};

use tickid_core::RangeError;
use tickid_core::external::Representations;
use tickid_integration::{any, for_each_id};
use tickid_kuid::{Drift, GlobalId, Kuid, LocalId, Node, WideGlobalId};
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
            // Without a width there are no leading zeros, and `#` adds the prefix.
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

/// Compares `between` with the ends by `min_at` and `max_at` at the times of `micros` and with the
/// format's own ends, `first` and `last`, beyond.
fn cuts<T: Representations + PartialEq + Debug>(
    (first, last): (i64, i64),
    at: impl Fn(UnixTime) -> (T, T),
    between: impl Fn(UnixTime, UnixTime) -> Range<T>,
) {
    let time = UnixTime::from_micros;
    let middle = first / 2 + last / 2;
    let times = [i64::MIN, first - 1, first, first + 1, middle, last - 1, last, last + 1, i64::MAX];
    for start in times {
        for end in times {
            let range = between(time(start), time(end));
            if start > end || end < first || last < start {
                assert_eq!(range, None, "{start}..={end}");
            } else {
                let (min, _) = at(time(start.max(first)));
                let (_, max) = at(time(end.min(last)));
                assert_eq!(range, Some(min..=max), "{start}..={end}");
            }
        }
    }
}

#[test]
fn ranges_are_cut_to_the_format() {
    fn ends(error: RangeError) -> (i64, i64) {
        [error.min(), error.max()].map(|end| i64::try_from(end).unwrap()).into()
    }
    let far = UnixTime::MAX;
    let scru64 = |time| (Scru64Id::min_at(time).unwrap(), Scru64Id::max_at(time).unwrap());
    let format = ends(Scru64Id::min_at(far).unwrap_err());
    cuts(format, scru64, Scru64Id::between);
    cuts(format, scru64, |start, end| Scru64.between(start, end));

    let sno = |time| (SnoId::min_at(time).unwrap(), SnoId::max_at(time).unwrap());
    let format = ends(SnoId::min_at(far).unwrap_err());
    cuts(format, sno, SnoId::between);
    cuts(format, sno, |start, end| Sno.between(start, end));

    let layout = Nanoflake { epoch: Epoch::DISCORD };
    let format = ends(layout.min_at(far).unwrap_err());
    let at = |time| (layout.min_at(time).unwrap(), layout.max_at(time).unwrap());
    cuts::<NanoflakeId>(format, at, |start, end| layout.between(start, end));

    let format = ends(LocalId::min_at(far).unwrap_err());
    let at = |time| (LocalId::min_at(time).unwrap(), LocalId::max_at(time).unwrap());
    cuts(format, at, LocalId::between);
    for drift in [Drift::MIN, Drift::DEFAULT, Drift::MAX] {
        let layout = Kuid { drift };
        let at = |time| (layout.min_at(time).unwrap(), layout.max_at(time).unwrap());
        cuts(format, at, |start, end| layout.between(start, end));
        cuts(format, at, |start, end| GlobalId::between(start, end, drift));
        let at = |time| {
            let range = (WideGlobalId::min_at(time, drift), WideGlobalId::max_at(time, drift));
            (range.0.unwrap(), range.1.unwrap())
        };
        cuts(format, at, |start, end| WideGlobalId::between(start, end, drift));
    }
}

#[test]
fn other_times_are_cut_as_well() {
    use std::time::{Duration, SystemTime};

    let far = Duration::from_secs(1 << 44);
    let (past, future) = (SystemTime::UNIX_EPOCH - far, SystemTime::UNIX_EPOCH + far);
    assert_eq!(SnoId::between(past, future), Some(SnoId::MIN..=SnoId::MAX));
    assert_eq!(SnoId::between(future, past), None);
    assert_eq!(SnoId::between(past, past), None);
}

#[test]
fn ids_have_system_times() {
    use std::time::SystemTime;

    fn same(told: Result<SystemTime, RangeError>, time: UnixTime) {
        assert_eq!(UnixTime::try_from(told.unwrap()), Ok(time));
    }
    for id in any::<Scru64Id>(41).take(50) {
        same(id.time_as(), id.unix_time());
    }
    for id in any::<SnoId>(42).take(50) {
        same(id.time_as(), id.unix_time());
    }
    for id in any::<NanoflakeId>(43).take(50) {
        let layout = Nanoflake { epoch: Epoch::from_unix_millis(-86_400_000_000_000).unwrap() };
        same(layout.time_as(id), layout.unix_time(id));
    }
    for id in any::<LocalId>(44).take(50) {
        same(id.time_as(), id.unix_time());
        let global = GlobalId::from_local(id, Node::from_u32(7), Drift::MIN);
        same(global.time_as(Drift::MIN), id.unix_time());
        let wide = WideGlobalId::from_local(id, 7, Drift::MIN);
        same(wide.time_as(Drift::MIN), id.unix_time());
    }
}
