//! kuids of all three sizes: texts, parts, drifts, nodes, distances, vector clocks.

use arbitrary::{Arbitrary as _, Result, Unstructured};
use tickid_kuid::vector_clock::{Difference, Entry, VectorClock};
use tickid_kuid::{Drift, GlobalId, LocalId, Node, WideGlobalId};

use crate::reference::{SORTABLE, URL, in_alphabet, of_alphabet};

pub fn check(data: &[u8]) {
    local_text(data);
    global_text(data);
    wide_text(data);
    node_text(data);
    let mut data = Unstructured::new(data);
    // Too few bytes are not a case.
    let _ = ids(&mut data);
    let _ = clocks(&mut data);
}

macro_rules! text {
    ($name:ident: $id:ty, $bytes:literal, $to_bytes:ident) => {
        fn $name(text: &[u8]) {
            for (alphabet, parsed) in
                [(SORTABLE, <$id>::parse_bytes(text)), (URL, <$id>::parse_url(text))]
            {
                let expected = of_alphabet::<$bytes>(alphabet, text);
                assert_eq!(parsed.ok().map(<$id>::$to_bytes), expected, "{text:?}");
                let Ok(id) = parsed else { continue };
                let bytes = id.$to_bytes();
                assert_eq!(*id.encode(), in_alphabet(SORTABLE, &bytes));
                assert_eq!(*id.encode_url(), in_alphabet(URL, &bytes));
            }
            assert_eq!(<$id>::parse_const(text), <$id>::parse_bytes(text));
        }
    };
}
text!(local_text: LocalId, 8, to_be_bytes);
text!(global_text: GlobalId, 12, to_bytes);
text!(wide_text: WideGlobalId, 16, to_bytes);

/// Eight hexadecimal digits in lower case.
fn node_text(text: &[u8]) {
    let parsed = Node::parse_bytes(text).ok();
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_hex = text.len() == 8 && text.iter().all(is_digit);
    let value = str::from_utf8(text).ok().and_then(|text| u32::from_str_radix(text, 16).ok());
    assert_eq!(parsed.map(Node::get), value.filter(|_| is_hex));
    if let Some(node) = parsed {
        assert_eq!(node.encode().as_bytes(), text);
    }
    if let Ok(name) = str::from_utf8(text) {
        // For an atom, both come from one hash.
        assert_eq!(Node::phash(name).get(), Node::phash2(name).get().wrapping_add(1), "{name}");
    }
}

fn ids(data: &mut Unstructured<'_>) -> Result<()> {
    let (one, other) = (LocalId::arbitrary(data)?, LocalId::arbitrary(data)?);
    let drift = Drift::new(data.int_in_range(5..=10)?).unwrap();
    let node = Node::new(data.arbitrary()?);

    let parts = (one.mega_seconds(), one.seconds(), one.micro_seconds(), one.sequence());
    let (a, b, c, sequence) = parts;
    let bits = u64::from(a) << 44 | u64::from(b) << 24 | u64::from(c >> 10) << 14;
    assert_eq!(bits | u64::from(sequence), one.get());
    assert_eq!(LocalId::from_be_bytes(one.to_be_bytes()), one);
    assert_eq!(one.cmp(&other), one.get().cmp(&other.get()));
    assert_eq!(one.encode().as_str().cmp(&other.encode()), one.cmp(&other));

    let (global, wide) = (
        GlobalId::from_local(one, node, drift),
        WideGlobalId::from_local(one, u64::from(node.get()) << 17, drift),
    );
    assert_eq!((global.to_local(drift), global.node(drift)), (one, node));
    assert_eq!((wide.to_local(drift), wide.node(drift)), (one, u64::from(node.get()) << 17));
    assert_eq!(GlobalId::try_from(u128::from(global)), Ok(global));
    assert_eq!((global.seconds(drift), global.mega_seconds()), (b, a));
    assert_eq!((global.micro_seconds(), global.sequence()), (c, sequence));
    let of_same = GlobalId::from_local(other, node, drift);
    assert_eq!(global.cmp(&of_same), one.cmp(&other), "one node, one drift");
    assert_eq!(global.encode().as_str().cmp(&of_same.encode()), global.cmp(&of_same));

    // An ID that has a tick is in the range of its time, and the reverse.
    if let Some(tick) = one.tick() {
        let (min, max) = (LocalId::min_at(one.unix_time()), LocalId::max_at(one.unix_time()));
        let (min, max) = (min.unwrap(), max.unwrap());
        assert!(min <= one && one <= max, "{one} of {min} to {max}");
        assert_eq!((min.tick(), max.tick()), (Some(tick), Some(tick)));
    }

    let (there, back) = (one.distance(other), other.distance(one));
    assert_eq!(there.as_micros(), -back.as_micros());
    assert_eq!(there.sequence(), -back.sequence());
    let micros = |id: LocalId| id.unix_time().as_micros();
    assert_eq!(there.as_micros(), micros(one) - micros(other));
    assert_eq!(global.distance(of_same, drift), Ok(there));
    Ok(())
}

fn clocks(data: &mut Unstructured<'_>) -> Result<()> {
    let (a, b) = (clock(data)?, clock(data)?);
    let both = a.join(&b);
    assert!(both.descends(&a) && both.descends(&b));
    assert_eq!(both, b.join(&a));
    assert_eq!(a.join(&a), a);
    for entry in both.entries() {
        let highest = a.get(&entry.node).max(b.get(&entry.node));
        assert_eq!(Some(entry.id), highest, "nothing beyond what either says");
    }
    // The difference has the entries that `a` lacks.
    let missing: Vec<_> = a.diff(&b).collect();
    assert_eq!(missing.is_empty(), a.descends(&b));
    let mut made_up = a.clone();
    for difference in missing {
        let node = match difference {
            Difference::Missing(entry) => entry.node,
            Difference::Behind { node, .. } => node,
            _ => continue,
        };
        made_up.record(*node, b.get(node).unwrap());
    }
    assert_eq!(made_up, both);
    Ok(())
}

/// Returns a clock of few nodes, so that two have some in common.
fn clock(data: &mut Unstructured<'_>) -> Result<VectorClock> {
    let entries = (0..data.int_in_range(0..=5)?).map(|_| {
        let node = Node::new(data.int_in_range(0..=5)?);
        let id = LocalId::new(u64::from(data.arbitrary::<u16>()?) << 8);
        Ok(Entry { node, id })
    });
    entries.collect()
}
