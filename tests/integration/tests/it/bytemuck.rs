//! IDs as plain bytes in slices.

use bytemuck::{Pod, TransparentWrapper};
use tickid_core::external::Representations;
use tickid_integration::any;
use tickid_kuid::GlobalId;
use tickid_kuid::wide::WideGlobalId;
use tickid_sno::SnoId;

#[test]
fn slices_cast_to_bytes() {
    fn are<T: Representations + Pod + PartialEq>() {
        let mut ids: Vec<T> = any(3).take(100).collect();
        let bytes = |id: &T| {
            let bytes: T::Bytes = (*id).into();
            bytes.as_ref().to_vec()
        };
        let all = ids.iter().flat_map(bytes).collect::<Vec<u8>>();
        assert_eq!(bytemuck::cast_slice::<T, u8>(&ids), all);
        assert_eq!(bytemuck::cast_slice::<u8, T>(&all), ids);

        bytemuck::cast_slice_mut::<T, u8>(&mut ids).fill(0xff);
        assert!(ids.iter().all(|id| *id == T::MAX));
    }
    are::<SnoId>();
    are::<GlobalId>();
    are::<WideGlobalId>();
}

#[test]
fn arrays_cast_to_ids() {
    let arrays = [[0; 10], [0xff; 10]];
    assert_eq!(SnoId::wrap_slice(&arrays), [SnoId::MIN, SnoId::MAX]);
    assert_eq!(GlobalId::peel_ref(&GlobalId::MAX), &[0xff; 12]);
    assert_eq!(WideGlobalId::peel_slice(&[WideGlobalId::MIN]), [[0; 16]]);
}
