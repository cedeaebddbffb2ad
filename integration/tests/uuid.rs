//! IDs in 16 bytes that a `Uuid` can hold.

use tickid_core::external::Forms;
use tickid_integration::any;
use tickid_kuid::WideGlobalId;
use tickid_sno::SnoId;
use uuid::Uuid;

#[test]
fn uuids_come_back_and_sort_as_the_ids_do() {
    fn come_back<T: Forms + Ord + Into<Uuid> + TryFrom<Uuid>>(seed: u64) {
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
fn uuids_that_are_no_text_of_a_sno_id_are_errors_that_say_where() {
    let error = SnoId::try_from(Uuid::nil()).unwrap_err().to_string();
    assert!(error.contains("at position 0"), "{error}");
    let upper = Uuid::from_bytes(*b"brpk4q72xwf2m63L");
    let error = SnoId::try_from(upper).unwrap_err().to_string();
    assert!(error.contains("'L' at position 15"), "{error}");
}
