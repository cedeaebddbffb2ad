//! The times of IDs as times of `jiff` and `chrono`, and ranges of such times.

use chrono::{DateTime, FixedOffset, Utc};
use jiff::Timestamp;
use tickid_core::{IntoUnixTime, RangeError, UnixTime};
use tickid_integration::any;
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{Drift, GlobalId, Kuid, LocalId};
use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};

/// A time as a type of each library, and in microseconds.
type Told = (Result<Timestamp, RangeError>, Result<DateTime<Utc>, RangeError>, UnixTime);

/// Returns the times of IDs of all schemes.
fn told() -> Vec<Told> {
    let mut told: Vec<Told> = Vec::new();
    for id in any::<Scru64Id>(20).take(200).chain([Scru64Id::MIN, Scru64Id::MAX]) {
        told.push((id.time_as(), id.time_as(), id.unix_time()));
    }
    for id in any::<SnoId>(21).take(200).chain([SnoId::MIN, SnoId::MAX]) {
        told.push((id.time_as(), id.time_as(), id.unix_time()));
    }
    for epoch in [Epoch::DISCORD, Epoch::from_unix_millis(-86_400_000_000_000).unwrap()] {
        let layout = Nanoflake { epoch };
        for id in any(22).take(200) {
            told.push((layout.time_as(id), layout.time_as(id), layout.unix_time(id)));
        }
    }
    for id in any::<LocalId>(23).take(200).chain([LocalId::MIN, LocalId::MAX]) {
        told.push((id.time_as(), id.time_as(), id.unix_time()));
    }
    let layout = Kuid { drift: Drift::MIN };
    for id in any::<GlobalId>(24).take(200).chain([GlobalId::MIN, GlobalId::MAX]) {
        let time = id.unix_time(layout.drift);
        told.push((id.time_as(layout.drift), id.time_as(layout.drift), time));
        told.push((layout.time_as(id), layout.time_as(id), time));
    }
    for id in any::<WideGlobalId>(25).take(200) {
        let time = id.unix_time(Drift::MAX);
        told.push((id.time_as(Drift::MAX), id.time_as(Drift::MAX), time));
    }
    told
}

#[test]
fn ids_have_times_of_both_crates() {
    let mut later = 0;
    for (timestamp, date_time, time) in told() {
        let date_time = date_time.unwrap();
        assert_eq!(date_time.timestamp_micros(), time.as_micros());
        match timestamp {
            Ok(timestamp) => {
                assert_eq!(timestamp.as_microsecond(), time.as_micros());
            }
            Err(error) => {
                later += 1;
                assert!(time.as_micros() > Timestamp::MAX.as_microsecond(), "{time}");
                assert_eq!(error.value(), time.as_micros().into());
                assert_eq!(error.max(), Timestamp::MAX.as_microsecond().into());
            }
        }
    }
    assert_ne!(later, 0, "kuids after the year 9999");
}

/// Returns the ranges of all schemes at a time.
fn ranges(time: impl IntoUnixTime + Copy) -> Vec<Result<(u128, u128), RangeError>> {
    fn ends<Id: Into<u128>>(
        min: Result<Id, RangeError>,
        max: Result<Id, RangeError>,
    ) -> Result<(u128, u128), RangeError> {
        Ok((min?.into(), max?.into()))
    }
    let number = |id: Result<Scru64Id, _>| id.map(Scru64Id::get);
    let local = |id: Result<LocalId, _>| id.map(LocalId::get);
    let discord = Nanoflake { epoch: Epoch::DISCORD };
    let (drift, kuid) = (Drift::MAX, Kuid { drift: Drift::MAX });
    let integer = |id: Result<NanoflakeId, _>| id.map(u64::from);
    vec![
        ends(number(Scru64Id::min_at(time)), number(Scru64Id::max_at(time))),
        ends(number(Scru64.min_at(time)), number(Scru64.max_at(time))),
        ends(integer(discord.min_at(time)), integer(discord.max_at(time))),
        ends(local(LocalId::min_at(time)), local(LocalId::max_at(time))),
        ends(GlobalId::min_at(time, drift), GlobalId::max_at(time, drift)),
        ends(kuid.min_at(time), kuid.max_at(time)),
        ends(WideGlobalId::min_at(time, drift), WideGlobalId::max_at(time, drift)),
        ends(SnoId::min_at(time), SnoId::max_at(time)),
        ends(Sno.min_at(time), Sno.max_at(time)),
    ]
}

#[test]
fn ranges_take_times_of_both() {
    let (mut fit, mut not) = (0, 0);
    for micros in [
        1_441_065_600_000_001,
        1_650_000_000_123_456,
        2_147_483_647_999_999,
        253_402_207_200_000_000, // the last that fits all of jiff's time zones
        -1,
        -62_135_596_800_000_000,
    ] {
        let time = UnixTime::from_micros(micros);
        let expected = ranges(time);
        assert_eq!(ranges(Timestamp::try_from(time).unwrap()), expected, "{time}");
        let date_time = DateTime::<Utc>::try_from(time).unwrap();
        assert_eq!(ranges(date_time), expected, "{time}");
        let elsewhere = FixedOffset::east_opt(5 * 3_600).unwrap();
        assert_eq!(ranges(date_time.with_timezone(&elsewhere)), expected, "{time}");
        for range in expected {
            match range {
                // The lowest ID from the time on may be after the highest up to it.
                Ok((min, max)) => {
                    fit += 1;
                    assert_ne!(min, max, "{time}");
                }
                Err(error) => {
                    not += 1;
                    assert_eq!(error.value(), micros.into());
                }
            }
        }
    }
    assert!(fit > 27 && not > 18, "{fit} ranges, {not} errors");
}
