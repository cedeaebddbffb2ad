//! Nodes and drifts.

use super::*;
use tickid_testkit::nodes;

proptest! {
    #[test]
    fn names_are_hashed_by_bytes(name in names()) {
        let hash = weinberger(&name);
        prop_assert_eq!(Node::phash2(&name).get(), hash);
        prop_assert_eq!(Node::phash(&name).get(), hash + 1);
    }

    #[test]
    fn any_fingerprint_is_a_node(fingerprint in any::<u32>()) {
        let node = Node::new(fingerprint);
        prop_assert_eq!((node.get(), u32::from(node)), (fingerprint, fingerprint));
        prop_assert_eq!(node.to_be_bytes(), fingerprint.to_be_bytes());
        prop_assert_eq!(Node::from(fingerprint.to_be_bytes()), node);
        prop_assert_eq!(<[u8; 4]>::from(node), fingerprint.to_be_bytes());
    }

    #[test]
    fn other_drifts_are_errors(bits in prop_oneof![0_u8..16, any::<u8>()]) {
        prop_assert_eq!(Drift::try_from(bits), Drift::new(bits));
        match Drift::new(bits) {
            Ok(drift) => {
                prop_assert!((5..=10).contains(&bits));
                prop_assert_eq!((drift.get(), u8::from(drift)), (bits, bits));
                prop_assert_eq!(drift.interval().as_secs(), 2u64.pow(bits.into()));
            }
            Err(error) => {
                prop_assert!(!(5..=10).contains(&bits));
                prop_assert_eq!(
                    error,
                    RangeError::new("kuid drift in bits", bits.into(), 5, 10)
                );
            }
        }
    }
}

#[test]
fn intervals_are_256_seconds_by_default() {
    let drift = Kuid::default().drift;
    assert_eq!((drift, drift.interval().as_secs()), (Drift::DEFAULT, 256));
}

#[test]
fn nodes_are_made_of_32_bits() {
    nodes::are_made_of_their_bits::<Node>(32..=32);
}

#[test]
fn only_hexadecimal_nodes_parse() {
    use tickid_text::ParseErrorKind;

    for position in 0..8 {
        for byte in 0..=u8::MAX {
            let mut text = *b"03eb2731";
            text[position] = byte;
            let parsed = Node::parse_bytes(&text);
            if b"0123456789abcdef".contains(&byte) {
                let hex = core::str::from_utf8(&text).unwrap();
                assert_eq!(parsed.map(Node::get).ok(), u32::from_str_radix(hex, 16).ok());
            } else {
                let kind = ParseErrorKind::Character { byte, position, expected: "0-9, a-f" };
                assert_eq!(parsed.unwrap_err().kind(), kind);
            }
        }
    }
}

fn names() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        any::<char>(),
        prop::char::range('\u{0}', '\u{7f}'),
        prop::char::range('\u{80}', '\u{ff}'),
        prop::char::range('\u{100}', '\u{7ff}'),
        // The highest characters that count as one byte fill up the hash.
        Just('\u{ff}'),
    ];
    prop::collection::vec(character, 0..40).prop_map(String::from_iter)
}

/// Computes the hash in 64 bits, where no bits are lost on the way.
fn weinberger(name: &str) -> u32 {
    let mut bytes = Vec::new();
    for character in name.chars() {
        match u8::try_from(u32::from(character)) {
            Ok(latin_1) => bytes.push(latin_1),
            Err(_) => bytes.extend_from_slice(character.to_string().as_bytes()),
        }
    }
    let mut hash = 0u64;
    for byte in bytes {
        hash = (hash * 16 + u64::from(byte)) % (1 << 32);
        let top = hash >> 28;
        hash = (hash % (1 << 28)) ^ (top << 4);
    }
    u32::try_from(hash).unwrap()
}
