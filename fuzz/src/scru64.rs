//! SCRU64 IDs: text, integers, bytes, parts.

use arbitrary::{Arbitrary as _, Unstructured};
use tickid_scru64::{NodeIdSize, Scru64Id};

use crate::reference::base_36;

pub fn check(data: &[u8]) {
    text(data);
    if let Some(bytes) = data.first_chunk() {
        integer(u64::from_be_bytes(*bytes));
    }
    let mut data = Unstructured::new(data);
    if let (Ok(one), Ok(other)) = (Scru64Id::arbitrary(&mut data), Scru64Id::arbitrary(&mut data)) {
        order(one, other);
    }
}

fn text(text: &[u8]) {
    let expected = base_36(text).filter(|_| text.len() == 12);
    let parsed = Scru64Id::parse_bytes(text);
    assert_eq!(parsed.ok().map(|id| u128::from(id.get())), expected);
    assert_eq!(Scru64Id::parse_const(text), parsed);
    if let Ok(text) = str::from_utf8(text) {
        assert_eq!(text.parse(), parsed);
        if let Ok(id) = parsed {
            assert_eq!(*id.encode(), text.to_ascii_lowercase());
            integer(id.get());
        }
    }
}

fn integer(value: u64) {
    let id = Scru64Id::new(value);
    assert_eq!(id.is_ok(), value < 36_u64.pow(12));
    assert_eq!(Scru64Id::from_be_bytes(value.to_be_bytes()), id);
    assert_eq!(Scru64Id::try_from(value), id);
    // The same number as a signed one, if it fits.
    assert_eq!(Scru64Id::try_from(value.cast_signed()).is_ok(), id.is_ok());
    let Ok(id) = id else {
        return;
    };
    assert_eq!(i64::from(id), value.cast_signed());
    assert_eq!(u128::from(id.get()), base_36(id.encode().as_bytes()).unwrap());
    assert_eq!((id.timestamp(), u64::from(id.node_ctr())), (value >> 24, value & 0xff_ffff));
    assert_eq!(Scru64Id::from_parts(id.timestamp(), id.node_ctr()), Ok(id));
    for bits in 1..=23 {
        let size = NodeIdSize::new(bits).unwrap();
        let (node, counter) = (id.node_id(size), id.counter(size));
        assert_eq!(u64::from(node << size.counter_bits() | counter), value & 0xff_ffff);
    }
    if let (Ok(min), Ok(max)) = (Scru64Id::min_at(id.unix_time()), Scru64Id::max_at(id.unix_time()))
    {
        assert!(min <= id && id <= max, "{id} of {min} to {max}");
    }
}

fn order(one: Scru64Id, other: Scru64Id) {
    let order = one.get().cmp(&other.get());
    assert_eq!(one.cmp(&other), order);
    assert_eq!(one.encode().as_str().cmp(&other.encode()), order);
    assert_eq!(one.to_be_bytes().cmp(&other.to_be_bytes()), order);
}
