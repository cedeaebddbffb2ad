//! The names of realms.

use core::fmt;
use core::str::FromStr;

use crate::model::text::{LeaseTextError, try_from_text};
use crate::model::token::mix;

/// The name of a realm, for example `orders-eu`. It has 1 to 63 lower-case letters, digits, hyphens
/// and underscores, and starts with a letter or digit.
///
/// # Examples
/// ```
/// use tickid_lease::admin::RealmName;
///
/// let name: RealmName = "orders-eu".parse()?;
/// assert_eq!(name.as_str(), "orders-eu");
/// assert!("Orders".parse::<RealmName>().is_err());
/// # Ok::<(), tickid_lease::admin::LeaseTextError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RealmName(String);

impl RealmName {
    /// The largest number of bytes.
    pub const MAX_LEN: usize = 63;

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a number by which leases name their realm. Two names have the same one with a chance
    /// of one in 2^64.
    pub(crate) fn id(&self) -> u64 {
        self.0.bytes().fold(0, |id, byte| mix(id ^ u64::from(byte)))
    }

    /// Returns the name among others that this one may be a misspelling of. That is the nearest
    /// one, unless more than a third of its letters differ.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::admin::RealmName;
    ///
    /// let name = |text: &str| text.parse::<RealmName>();
    /// let others = [name("order-items")?, name("orders")?];
    /// assert_eq!(name("ordres")?.nearest(others), Some(name("orders")?));
    /// # Ok::<(), tickid_lease::admin::LeaseTextError>(())
    /// ```
    #[must_use]
    pub fn nearest(&self, names: impl IntoIterator<Item = Self>) -> Option<Self> {
        let most = self.0.len().div_ceil(3);
        let names = names.into_iter().map(|name| (self.distance(&name), name));
        names.filter(|(distance, _)| *distance <= most).min().map(|(_, name)| name)
    }

    /// Returns the number of bytes that have to be added, removed or replaced to get the other
    /// name.
    fn distance(&self, other: &Self) -> usize {
        // The distances of the part of this name so far to each beginning of the other.
        let mut row: Vec<usize> = (0..=other.0.len()).collect();
        for (index, own) in self.0.bytes().enumerate() {
            let mut diagonal = core::mem::replace(&mut row[0], index + 1);
            for (at, byte) in other.0.bytes().enumerate() {
                let replaced = diagonal + usize::from(own != byte);
                diagonal = row[at + 1];
                row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
            }
        }
        row[other.0.len()]
    }
}

try_from_text! { RealmName }

impl FromStr for RealmName {
    type Err = LeaseTextError;

    fn from_str(text: &str) -> Result<Self, LeaseTextError> {
        const FORM: &str = "1 to 63 lower-case letters, digits, hyphens and underscores, a letter or \
                            digit first";
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_name = text.len() <= Self::MAX_LEN
            && text.bytes().next().is_some_and(is_letter)
            && text.bytes().all(|byte| is_letter(byte) || matches!(byte, b'-' | b'_'));
        if is_name { Ok(Self(text.to_owned())) } else { Err(LeaseTextError::form(text, FORM)) }
    }
}

impl fmt::Display for RealmName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for name in ["a", "0", "orders-eu_1", &"x".repeat(63)] {
            assert_eq!(name.parse::<RealmName>().unwrap().as_str(), name);
        }
        for name in ["", "A", "-a", "_", "a b", "a/b", "ä", &"x".repeat(64)] {
            assert!(name.parse::<RealmName>().is_err(), "{name}");
        }
    }

    #[test]
    fn misspelt_names_are_near() {
        let name = |text: &str| text.parse::<RealmName>().unwrap();
        let nearest = |text: &str, names: &[&str]| {
            name(text).nearest(names.iter().map(|text| name(text))).map(|name| name.to_string())
        };
        for (text, names, expected) in [
            ("ordes", &["orders", "order-items"][..], Some("orders")),
            ("odrers", &["chat", "orders"], Some("orders")),
            ("orderss", &["borders", "orders"], Some("orders")),
            ("orders2", &["orders", "orders1"], Some("orders")),
            ("orders", &["logs", "mail"], None),
            ("a", &["b", "cc"], Some("b")),
            ("abc", &["abcd", "abcde"], Some("abcd")),
            ("abc", &["abcde"], None),
            ("orders", &[], None),
        ] {
            assert_eq!(nearest(text, names).as_deref(), expected, "{text}");
        }
    }
}
