//! Texts, compared with other libraries.

use super::*;
use proptest::collection::vec;

proptest! {
    #[test]
    fn texts_agree_with_other_crates(
        local in local(), global in global(), wide in wide(), node in node(),
    ) {
        let sortable = sortable();
        let (bytes, url) = (local.to_be_bytes(), local.encode_url());
        prop_assert_eq!(local.to_string(), sortable.encode(&bytes));
        prop_assert_eq!(url.as_str(), URL_SAFE_NO_PAD.encode(bytes));
        let (bytes, url) = (global.to_bytes(), global.encode_url());
        prop_assert_eq!(global.to_string(), sortable.encode(&bytes));
        prop_assert_eq!(url.as_str(), URL_SAFE_NO_PAD.encode(bytes));
        let (bytes, url) = (wide.to_bytes(), wide.encode_url());
        prop_assert_eq!(wide.to_string(), sortable.encode(&bytes));
        prop_assert_eq!(url.as_str(), URL_SAFE_NO_PAD.encode(bytes));
        prop_assert_eq!(node.to_string(), format!("{:08x}", node.get()));
    }

    /// We also accept what other libraries accept, because they are strict about low bits as well.
    #[test]
    fn only_canonical_texts_parse(bytes in texts()) {
        let sortable = sortable().decode(&bytes).ok();
        let url = URL_SAFE_NO_PAD.decode(&bytes).ok();
        macro_rules! check {
            ($id:ty, $into:ty) => {
                prop_assert_eq!(<$id>::parse_const(&bytes), <$id>::parse_bytes(&bytes));
                let parsed = <$id>::parse_bytes(&bytes).ok();
                let expected = sortable.clone().and_then(|bytes| <$into>::try_from(bytes).ok());
                prop_assert_eq!(parsed, expected.map(<$id>::from));
                if let Some(id) = parsed {
                    prop_assert!(id.encode().as_bytes() == bytes);
                }
                let parsed = <$id>::parse_url(&bytes).ok();
                let expected = url.clone().and_then(|bytes| <$into>::try_from(bytes).ok());
                prop_assert_eq!(parsed, expected.map(<$id>::from));
                if let Some(id) = parsed {
                    prop_assert!(id.encode_url().as_bytes() == bytes);
                }
            };
        }
        check!(LocalId, [u8; 8]);
        check!(GlobalId, [u8; 12]);
        check!(WideGlobalId, [u8; 16]);
    }
}

/// Returns canonical texts, such texts with one byte changed, added or removed, and texts of one
/// alphabet and any length.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let canonical = prop_oneof![
        local().prop_map(|id| id.to_string()),
        local().prop_map(|id| id.encode_url().to_string()),
        global().prop_map(|id| id.to_string()),
        global().prop_map(|id| id.encode_url().to_string()),
        wide().prop_map(|id| id.to_string()),
        wide().prop_map(|id| id.encode_url().to_string()),
    ]
    .prop_map(String::into_bytes);
    let byte = prop_oneof![select(SORTABLE.as_bytes()), any::<u8>()].boxed();
    let edited = (canonical.clone(), any::<prop::sample::Index>(), byte.clone());
    prop_oneof![
        canonical,
        edited.clone().prop_map(|(mut text, at, byte)| {
            let at = at.index(text.len());
            text[at] = byte;
            text
        }),
        edited.clone().prop_map(|(mut text, _, byte)| {
            text.pop();
            text.push(byte);
            text
        }),
        edited.clone().prop_map(|(mut text, at, byte)| {
            text.insert(at.index(text.len() + 1), byte);
            text
        }),
        edited.prop_map(|(mut text, at, _)| {
            text.remove(at.index(text.len()));
            text
        }),
        vec(byte, 0..40),
    ]
}

fn sortable() -> Encoding {
    let mut specification = Specification::new();
    specification.symbols = SORTABLE.into();
    specification.encoding().unwrap()
}
