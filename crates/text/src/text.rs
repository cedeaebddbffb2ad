//! A short string on the stack.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

/// A string of at most `N` ASCII characters on the stack.
///
/// It dereferences to `str`, compares with `str`, and hashes as one, so it can be used wherever a
/// string is read. Call `to_string`, or convert it to a `String`, only if it has to be kept.
#[derive(Clone, Copy)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
    /// The start of the text in `bytes`, which extends to the end. This allows numbers of any
    /// length to be written from their last digit on, without moving anything afterwards.
    start: u8,
}

impl<const N: usize> Text<N> {
    /// Returns all of `bytes`, which must be ASCII.
    #[inline]
    pub(crate) const fn full(bytes: [u8; N]) -> Self {
        Self::from_end(bytes, 0)
    }

    /// Returns the part of `bytes` from `start` on, which must be ASCII.
    #[inline]
    pub(crate) const fn from_end(bytes: [u8; N], start: usize) -> Self {
        const { assert!(N <= u8::MAX as usize) };
        debug_assert!(start <= N && bytes.is_ascii());
        #[allow(clippy::cast_possible_truncation, reason = "at most N")]
        Self { bytes, start: start as u8 }
    }

    /// Returns the same text with room for more characters, for texts of several lengths.
    ///
    /// # Examples
    /// ```
    /// let text = tickid_text::decimal::encode(42);
    /// assert_eq!(text.widen::<24>(), "42");
    /// ```
    #[inline]
    #[must_use]
    pub const fn widen<const M: usize>(self) -> Text<M> {
        const { assert!(N <= M) };
        let mut bytes = [b'0'; M];
        // `N` is at most `M`.
        bytes.split_at_mut(M - N).1.copy_from_slice(&self.bytes);
        Text::from_end(bytes, M - N + self.start as usize)
    }

    /// Returns the characters as bytes, for example to write them to a socket.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_text::decimal::encode(42).as_bytes(), b"42");
    /// ```
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        // The start never exceeds N, and `unwrap_or` avoids the panic path.
        self.bytes.get(self.start.into()..).unwrap_or(&self.bytes)
    }

    /// Returns the characters. Because of the dereference it is rarely needed, except where a type
    /// has to be stated.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_text::decimal::encode(42).as_str(), "42");
    /// ```
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        // The bytes are always ASCII, so the check can't fail.
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

impl<const N: usize> Deref for Text<N> {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<const N: usize> AsRef<str> for Text<N> {
    fn as_ref(&self) -> &str {
        self
    }
}

impl<const N: usize> AsRef<[u8]> for Text<N> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<const N: usize> PartialEq for Text<N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}
impl<const N: usize> Eq for Text<N> {}

impl<const N: usize> PartialEq<str> for Text<N> {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}
impl<const N: usize> PartialEq<&str> for Text<N> {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> PartialOrd for Text<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<const N: usize> Ord for Text<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl<const N: usize> Hash for Text<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

/// Writes the text, and honours width and fill as strings do. For example, `{:>20}` right-aligns it
/// in a column of 20 characters.
impl<const N: usize> fmt::Display for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(feature = "alloc")]
impl<const N: usize> From<Text<N>> for alloc::string::String {
    fn from(text: Text<N>) -> Self {
        text.as_str().into()
    }
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::String;

    use super::*;

    #[test]
    fn reads_as_its_characters() {
        let text = Text::from_end(*b"0042", 2);
        assert_eq!(text.as_str(), "42");
        assert_eq!(String::from(text), "42");
        assert_eq!(text, "42");
        assert_eq!(text.len(), 2);
        assert_eq!(Text::full(*b"0042").as_str(), "0042");
        assert!(Text::full(*b"0042") < Text::full(*b"0043"));
    }

    #[test]
    fn compares_and_hashes_as_str() {
        fn hash(value: impl Hash) -> u64 {
            let mut hasher = std::hash::DefaultHasher::new();
            value.hash(&mut hasher);
            hasher.finish()
        }
        // Bytes before the start are not part of the text.
        let texts = [*b"0042", *b"9942", *b"0043"].map(|bytes| Text::from_end(bytes, 2));
        for (one, other) in texts.iter().flat_map(|one| texts.iter().map(move |two| (one, two))) {
            let (a, b) = (one.as_str(), other.as_str());
            assert_eq!(one == other, a == b);
            assert_eq!((*one == *b, *one == b), (a == b, a == b));
            assert_eq!((one.cmp(other), one.partial_cmp(other)), (a.cmp(b), Some(a.cmp(b))));
            assert_eq!(hash(one) == hash(b), a == b);
        }
        let (text, bytes): (&str, &[u8]) = (texts[0].as_ref(), texts[0].as_ref());
        assert_eq!((text, bytes), ("42", &b"42"[..]));
    }

    #[test]
    fn display_honours_width_and_fill() {
        let text = Text::full(*b"42");
        assert_eq!(format!("{text:_>5}|{text:?}"), "___42|\"42\"");
    }
}
