//! Numbers of things in messages.

use core::fmt;

/// Writes a number of things, for example `1 node` or `2 nodes`.
#[doc(hidden)]
pub fn counted<N: fmt::Display + From<u8> + PartialEq>(number: N, noun: &str) -> impl fmt::Display {
    Counted { number, noun }
}

struct Counted<'a, N> {
    number: N,
    /// In the singular.
    noun: &'a str,
}

impl<N: fmt::Display + From<u8> + PartialEq> fmt::Display for Counted<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, noun } = self;
        let s = if *number == N::from(1) { "" } else { "s" };
        write!(f, "{number} {noun}{s}")
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn one_thing_is_counted_as_one() {
        for (number, text) in
            [(0_usize, "0 nodes"), (1, "1 node"), (2, "2 nodes"), (11, "11 nodes")]
        {
            assert_eq!(counted(number, "node").to_string(), text);
        }
        assert_eq!(counted(u128::MAX, "byte").to_string(), alloc::format!("{} bytes", u128::MAX));
    }
}
