//! IDs of all schemes go through UUIDs and come out as they were.

use proptest::prelude::*;
use tickid_convert::{AnyId, Settings, ToParts, carry, carry::CarryError};
use tickid_kuid::{Drift, GlobalId, LocalId, Node};
use tickid_nanoflake::{Epoch, NanoflakeId};
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_testkit::config;
use uuid::{Uuid, Variant};

use crate::support::{TestId, fields, for_each_test_id, near, nearest, settings, times};

fn any_id() -> impl Strategy<Value = AnyId> {
    prop_oneof![
        (0..=Scru64Id::MAX.get()).prop_map(|id| Scru64Id::new(id).unwrap().into()),
        (0..=i64::MAX).prop_map(|id| NanoflakeId::new(id).unwrap().into()),
        any::<u64>().prop_map(|id| LocalId::new(id).into()),
        any::<[u8; 12]>().prop_map(|id| GlobalId::from_bytes(id).into()),
        any::<[u8; 10]>().prop_map(|id| SnoId::from_bytes(id).into()),
        prop::sample::select(vec![
            AnyId::from(Scru64Id::MIN),
            Scru64Id::MAX.into(),
            NanoflakeId::MIN.into(),
            NanoflakeId::MAX.into(),
            LocalId::MIN.into(),
            LocalId::MAX.into(),
            GlobalId::MIN.into(),
            GlobalId::MAX.into(),
            SnoId::MIN.into(),
            SnoId::MAX.into(),
        ]),
    ]
}

/// An ID near an edge, of the scheme that the number says.
fn timed(settings: Settings) -> impl Strategy<Value = AnyId> {
    fn of<S: TestId + Into<AnyId>>(
        time: tickid_core::UnixTime,
        fields: crate::support::TickFields,
        settings: &Settings,
    ) -> AnyId {
        S::at(nearest(S::scheme(settings), time), fields, settings).into()
    }
    (times(), near(), fields(), 0..5).prop_map(move |(time, _, fields, kind)| match kind {
        0 => of::<Scru64Id>(time, fields, &settings),
        1 => of::<NanoflakeId>(time, fields, &settings),
        2 => of::<LocalId>(time, fields, &settings),
        3 => of::<GlobalId>(time, fields, &settings),
        _ => of::<SnoId>(time, fields, &settings),
    })
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn version_8_round_trips(id in any_id(), settings in settings()) {
        let uuid = carry::to_uuid(id);
        prop_assert_eq!((uuid.get_version_num(), uuid.get_variant()), (8, Variant::RFC4122));
        prop_assert_eq!(carry::from_uuid(uuid, &settings), Ok(id));
        let (bytes, number) = (uuid.into_bytes(), uuid.as_u128());
        prop_assert_eq!(carry::from_uuid(Uuid::from_bytes(bytes), &settings), Ok(id));
        prop_assert_eq!(carry::from_uuid(Uuid::from_u128(number), &settings), Ok(id));
        prop_assert_eq!(carry::from_uuid(uuid.to_string().parse().unwrap(), &settings), Ok(id));
    }

    #[test]
    fn version_8_keeps_the_order(one in any_id(), other in any_id()) {
        let order = match (one, other) {
            (AnyId::Scru64(one), AnyId::Scru64(other)) => one.cmp(&other),
            (AnyId::Nanoflake(one), AnyId::Nanoflake(other)) => one.cmp(&other),
            (AnyId::KuidLocal(one), AnyId::KuidLocal(other)) => one.cmp(&other),
            (AnyId::KuidGlobal(one), AnyId::KuidGlobal(other)) => one.cmp(&other),
            (AnyId::Sno(one), AnyId::Sno(other)) => one.cmp(&other),
            _ => return Ok(()),
        };
        let (one, other) = (carry::to_uuid(one), carry::to_uuid(other));
        prop_assert_eq!(one.cmp(&other), order);
        prop_assert_eq!(one.to_string().cmp(&other.to_string()), order);
    }

    #[test]
    fn version_7_round_trips(
        (settings, id) in settings().prop_flat_map(|settings| (Just(settings), timed(settings)))
    ) {
        let millis = match id.parts(&settings) {
            Ok(parts) => parts.unix_time().as_millis(),
            Err(_) => return Err(TestCaseError::reject("no time")),
        };
        match carry::to_uuid_v7(id, &settings) {
            Ok(uuid) => {
                let shape = (uuid.get_version_num(), uuid.get_variant());
                prop_assert_eq!(shape, (7, Variant::RFC4122));
                prop_assert_eq!(i64::try_from(uuid.as_u128() >> 80).unwrap(), millis);
                prop_assert_eq!(carry::from_uuid(uuid, &settings), Ok(id));
            }
            Err(error) => {
                prop_assert!(matches!(error, CarryError::Time(_)));
                prop_assert!(!(0..1 << 48).contains(&millis), "{millis}");
            }
        }
    }

    #[test]
    fn version_7_sorts_by_time(
        (settings, one, other) in settings()
            .prop_flat_map(|settings| (Just(settings), timed(settings), timed(settings)))
    ) {
        let uuids = [one, other].map(|id| carry::to_uuid_v7(id, &settings));
        let parts = [one, other].map(|id| id.parts(&settings));
        let ([Ok(first), Ok(second)], [Ok(one), Ok(other)]) = (uuids, parts) else {
            return Err(TestCaseError::reject("no time"));
        };
        let by_time = one.unix_time().as_millis().cmp(&other.unix_time().as_millis());
        prop_assert!(by_time.is_eq() || first.cmp(&second) == by_time);
    }

    #[test]
    fn version_7_keeps_order_in_a_tick(
        time in times(), one in fields(), other in fields(), settings in settings()
    ) {
        fn check<S: TestId + Into<AnyId>>(
            time: tickid_core::UnixTime,
            [one, other]: [crate::support::TickFields; 2],
            settings: &Settings,
        ) -> Result<(), TestCaseError> {
            let tick = nearest(S::scheme(settings), time);
            let (one, other) = (S::at(tick, one, settings), S::at(tick, other, settings));
            let uuids = [one, other].map(|id| carry::to_uuid_v7(id, settings));
            if let [Ok(first), Ok(second)] = uuids {
                prop_assert_eq!(first.cmp(&second), one.cmp(&other));
            }
            Ok(())
        }
        macro_rules! check_kind {
            ($Id:ident) => { check::<$Id>(time, [one, other], &settings)?; };
        }
        for_each_test_id!(check_kind);
    }

    /// The feature `uuid` of `tickid-sno` and `carry` have one mapping, in both directions.
    #[test]
    fn sno_and_carry_agree_on_uuids(bytes in any::<[u8; 10]>(), bit in 0_u32..128) {
        let id = SnoId::from_bytes(bytes);
        let uuid = Uuid::from(id);
        prop_assert_eq!(uuid, carry::to_uuid(id));
        prop_assert_eq!(SnoId::try_from(uuid), Ok(id));
        let other = Uuid::from_u128(uuid.as_u128() ^ 1 << bit);
        let is_v8 = other.get_version_num() == 8;
        let carried = match carry::from_uuid(other, &Settings::default()) {
            Ok(AnyId::Sno(id)) if is_v8 => Some(id),
            _ => None,
        };
        prop_assert_eq!(SnoId::try_from(other).ok(), carried);
    }

    #[test]
    fn sno_text_bytes_round_trip(bytes in any::<[u8; 10]>()) {
        let id = SnoId::from_bytes(bytes);
        let uuid = carry::sno_to_uuid(id);
        prop_assert!(uuid.as_bytes().as_slice() == id.encode().as_bytes());
        prop_assert_eq!(carry::from_uuid(uuid, &Settings::default()), Ok(id.into()));
    }

    /// The ID read from any 16 bytes converts back to the same bytes.
    #[test]
    fn each_id_has_one_uuid_per_form(
        uuid in any::<u128>(), version in prop::sample::select(vec![None, Some(7), Some(8)]),
        (marked, kind) in any::<(bool, u8)>(), settings in settings(),
    ) {
        // Most bits at random, some as they must be.
        let mut bytes = uuid.to_be_bytes();
        if let Some(version) = version {
            (bytes[6], bytes[8]) = (bytes[6] & 0xf | version << 4, bytes[8] & 0x3f | 0x80);
        }
        let mut value = u128::from_be_bytes(bytes);
        if marked {
            value = value >> 26 << 26 | 0x71c1d << 6;
        }
        let uuid = Uuid::from_u128(value | u128::from(kind % 6));
        match carry::from_uuid(uuid, &settings) {
            Ok(id) if uuid.get_version_num() == 8 => prop_assert_eq!(carry::to_uuid(id), uuid),
            Ok(id) => prop_assert_eq!(carry::to_uuid_v7(id, &settings), Ok(uuid)),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn every_bit_counts() {
    let settings = Settings::default();
    let local = LocalId::from_parts(1_700, 5, 1_024, 7).unwrap();
    let ids = [
        AnyId::from(Scru64Id::from_parts(6_557_084_606, 5).unwrap()),
        NanoflakeId::new(1 << 60).unwrap().into(),
        local.into(),
        GlobalId::from_local(local, Node::new(5), Drift::DEFAULT).into(),
        SnoId::from_bytes(*b"\x40123456789").into(),
    ];
    for id in ids {
        let forms = [carry::to_uuid(id), carry::to_uuid_v7(id, &settings).unwrap()];
        for (uuid, bit) in forms.into_iter().flat_map(|uuid| (0..128).map(move |bit| (uuid, bit))) {
            let other = Uuid::from_u128(uuid.as_u128() ^ 1 << bit);
            let read = carry::from_uuid(other, &settings);
            assert_ne!(read, Ok(id), "bit {bit} of {uuid}");
            // Another ID, which has no UUID but this one of that version.
            if let Ok(read) = read {
                let made = [Ok(carry::to_uuid(read)), carry::to_uuid_v7(read, &settings)];
                assert!(made.contains(&Ok(other)), "bit {bit} of {uuid}");
            }
        }
    }
}

#[test]
fn version_7_keeps_epoch_and_drift() {
    let given = |epoch, drift| Settings { epoch, drift, ..Settings::default() };
    let (narrow, wide) = (Drift::new(5).unwrap(), Drift::new(10).unwrap());
    let made = given(Epoch::DISCORD, narrow);
    let other = given(Epoch::TWITTER, wide);

    let id = NanoflakeId::new(175_928_847_299_117_063).unwrap();
    let uuid = carry::to_uuid_v7(id, &made).unwrap();
    let expected = Epoch::TWITTER.as_unix_millis();
    let found = Epoch::DISCORD.as_unix_millis();
    assert_eq!(carry::from_uuid(uuid, &other), Err(CarryError::Epoch { found, expected }));

    let local = LocalId::from_parts(1_539, 625_275, 432_128, 1).unwrap();
    let id = GlobalId::from_local(local, Node::new(7), narrow);
    let uuid = carry::to_uuid_v7(id, &made).unwrap();
    let error = CarryError::Drift { found: 5, expected: 10 };
    assert_eq!(carry::from_uuid(uuid, &other), Err(error));
}

#[test]
fn version_7_refuses_other_times() {
    let settings = Settings::default();
    for id in [
        LocalId::MAX,                                   // no time
        LocalId::from_parts(281_475, 0, 0, 0).unwrap(), // after the year 10889
    ] {
        let Err(CarryError::Time(error)) = carry::to_uuid_v7(id, &settings) else {
            panic!("{id} went into a UUID");
        };
        assert!(error.value() > error.max(), "{error}");
    }
    let last = LocalId::from_parts(281_474, 976_710, 654_336, 0).unwrap();
    assert!(carry::to_uuid_v7(last, &settings).is_ok());
    let early = Epoch::from_unix_millis(-10).unwrap();
    let settings = Settings { epoch: early, ..settings };
    let before = NanoflakeId::new(9 << 22).unwrap();
    let at = NanoflakeId::new(10 << 22).unwrap();
    assert!(matches!(carry::to_uuid_v7(before, &settings), Err(CarryError::Time(_))));
    assert!(carry::to_uuid_v7(at, &settings).is_ok());
}

#[test]
fn foreign_uuids_are_refused() {
    for text in [
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "c232ab00-9414-11ec-b3c8-9f6bdeced846", // versions 1, 4, 7, 8 of RFC 9562's examples
        "919108f7-52d1-4320-9bac-f847db4148a8",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "2489e9ad-2ee2-8e00-8ec9-32d5f69181c0",
    ] {
        let uuid: Uuid = text.parse().unwrap();
        let error = carry::from_uuid(uuid, &Settings::default()).unwrap_err();
        assert!(matches!(error, CarryError::NotCarried { .. }), "{text}");
    }
}
