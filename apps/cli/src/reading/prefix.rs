//! IDs behind a prefix that says what they are of, as in `order_9q8q28b6522i6222`.

use tickid_detect::{Confidence, Format, Inspections, Reading, Readings};

/// The longest prefix, which is that of a TypeID.
const MAX_PREFIX: usize = 63;

/// The shortest texts of one length, those of local kuids. Shorter words are names without an ID.
const MIN_WORD: usize = 11;

/// A text taken apart into a prefix and what follows its underscore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split<'t> {
    pub(crate) prefix: &'t str,
    pub(crate) id: &'t [u8],
}

/// The readings of a text behind a prefix.
pub(crate) struct Prefixed<'t> {
    pub(crate) split: Split<'t>,
    pub(crate) found: Inspections<'t>,
}

/// Returns the ways to take a text apart, the shortest prefix first. A prefix has letters from `a` to
/// `z`, and underscores between them.
pub(super) fn splits(text: &[u8]) -> impl Iterator<Item = Split<'_>> {
    let is_of_prefix = |byte: &&u8| matches!(byte, b'a'..=b'z' | b'_');
    let len = text.iter().take(MAX_PREFIX + 1).take_while(is_of_prefix).count();
    let starts = text.first().is_some_and(|first| *first != b'_');
    let ends = (1..len).filter(move |end| starts && text[*end] == b'_' && text[end - 1] != b'_');
    ends.filter_map(|end| {
        let (prefix, rest) = text.split_at_checked(end)?;
        let split = Split { prefix: str::from_utf8(prefix).ok()?, id: rest.get(1..)? };
        (!split.id.is_empty()).then_some(split)
    })
}

impl Split<'_> {
    /// Reports whether what follows the prefix may be an ID of a format that was named, rather than
    /// the rest of a name: every short word is a Nanoflake.
    pub(super) fn may_be_named(&self) -> bool {
        let is_word = self.id.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'_'));
        !is_word || self.id.len() >= MIN_WORD
    }
}

/// Reports whether a text behind a prefix is likely an ID. Names end in times and dates as well.
pub(super) fn is_id(found: &Readings) -> bool {
    let is_id =
        |one: &Reading| one.confidence() <= Confidence::Likely && one.format() != Format::UnixTime;
    found.first().is_some_and(is_id)
}

/// Returns the integer behind a prefix, or else the text itself.
pub(crate) fn without_prefix(text: &[u8]) -> &[u8] {
    let last = splits(text).last().map(|split| split.id);
    last.filter(|id| id.iter().all(u8::is_ascii_digit)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart_at_underscores() {
        let all = |text: &str| -> Vec<String> {
            let splits = splits(text.as_bytes());
            splits.map(|it| format!("{} {}", it.prefix, it.id.escape_ascii())).collect()
        };
        assert_eq!(all("order_1"), ["order 1"]);
        assert_eq!(all("a_bcde_F8_x"), ["a bcde_F8_x", "a_bcde F8_x"]);
        assert_eq!(all("a__1"), ["a _1"]);
        for text in ["", "_", "a", "a_", "_a_1", "1_a", "A_1", "order-1", "aB_1", "é_1"] {
            assert!(all(text).is_empty(), "{text}");
        }
        for (len, count) in [(63, 1), (64, 0)] {
            assert_eq!(splits(format!("{}_1", "x".repeat(len)).as_bytes()).count(), count);
        }
        assert_eq!(without_prefix(b"a_b_175928847299117063"), b"175928847299117063");
        assert_eq!(without_prefix(b"a_b_1x"), b"a_b_1x");
    }
}
