//! sno IDs: text, text as bytes, integers, parts.

use arbitrary::{Arbitrary as _, Unstructured};
use tickid_sno::SnoId;

use crate::reference::{SNO, in_alphabet, of_alphabet};

pub fn check(data: &[u8]) {
    text(data);
    if let Some(bytes) = data.first_chunk() {
        parts(SnoId::from_bytes(*bytes));
    }
    if let Some(bytes) = data.first_chunk() {
        integer(u128::from_be_bytes(*bytes));
    }
    let mut data = Unstructured::new(data);
    if let (Ok(one), Ok(other)) = (SnoId::arbitrary(&mut data), SnoId::arbitrary(&mut data)) {
        let order = u128::from(one).cmp(&u128::from(other));
        assert_eq!(one.cmp(&other), order);
        assert_eq!(one.encode().as_str().cmp(&other.encode()), order);
        assert_eq!(one.to_bytes().cmp(&other.to_bytes()), order);
    }
}

fn text(text: &[u8]) {
    let parsed = SnoId::parse_bytes(text);
    assert_eq!(parsed.ok().map(SnoId::to_bytes), of_alphabet::<10>(SNO, text));
    assert_eq!(SnoId::parse_const(text), parsed);
    if let Ok(text) = text.try_into() {
        assert_eq!(SnoId::from_text_bytes(text), parsed);
    }
    if let Ok(id) = parsed {
        assert_eq!(id.encode().as_bytes(), text);
        assert_eq!(id.to_text_bytes(), text);
        parts(id);
    }
}

fn parts(id: SnoId) {
    assert_eq!(*id.encode(), in_alphabet(SNO, &id.to_bytes()));
    assert_eq!(SnoId::try_from(u128::from(id)), Ok(id));
    let again = SnoId::from_parts(id.timestamp(), id.toggle(), id.partition(), id.sequence());
    assert_eq!(again.map(|again| again.with_meta(id.meta())), Ok(id));
    assert_eq!(u128::from(id) >> 41, id.timestamp().into());
    assert_eq!(id.is_zero(), id.to_bytes() == [0; 10]);
    let (min, max) =
        (SnoId::min_at(id.unix_time()).unwrap(), SnoId::max_at(id.unix_time()).unwrap());
    assert!(min <= id && id <= max, "{id} of {min} to {max}");
}

fn integer(value: u128) {
    let id = SnoId::try_from(value);
    assert_eq!(id.is_ok(), value < 1 << 80);
    if let Ok(id) = id {
        assert_eq!(u128::from(id), value);
    }
}
