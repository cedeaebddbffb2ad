//! IDs in 16 bytes that a `Uuid` can hold.

use tickid_core::external::Representations;
use tickid_integration::any;
use tickid_kuid::wide::WideGlobalId;
use tickid_sno::SnoId;
use uuid::Uuid;

#[test]
fn uuids_round_trip_and_sort() {
    fn come_back<T: Representations + Ord + Into<Uuid> + TryFrom<Uuid>>(seed: u64) {
        let mut ids: Vec<T> = any(seed).take(500).chain([T::MIN, T::MAX]).collect();
        ids.sort();
        let uuids: Vec<Uuid> = ids.iter().map(|id| (*id).into()).collect();
        assert!(uuids.is_sorted());
        assert!(uuids.windows(2).all(|pair| pair[0] != pair[1]));
        for (id, uuid) in ids.into_iter().zip(uuids) {
            assert!(T::try_from(uuid).ok() == Some(id), "{id}");
        }
    }
    come_back::<SnoId>(4);
    come_back::<WideGlobalId>(5);
}

#[test]
fn other_uuids_are_refused() {
    let id = SnoId::from_text_bytes(*b"brpk4q72xwf2m63l").unwrap();
    let uuid = Uuid::from(id).as_u128();
    let refused = |value| SnoId::try_from(Uuid::from_u128(value)).unwrap_err().to_string();
    for (value, reason) in [
        (0, "not version 8"),
        (u128::from_be_bytes(id.to_text_bytes()), "not version 8"),
        (uuid ^ 1 << 6, "version 8 without the mark"),
        (uuid ^ 1, "an ID of another scheme"),
        (uuid ^ 1 << 26, "more bits than the kind has"),
    ] {
        assert_eq!(refused(value), format!("the UUID holds no sno ID: {reason}"));
    }
}
