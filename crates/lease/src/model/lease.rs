use core::fmt;
use core::str::FromStr;
use std::io;

use rand::TryRng as _;
use tickid_core::UnixTime;

use crate::error::ParseError;
use crate::model::node::Node;

/// The identity of a lease: 128 random bits, drawn for each claim.
///
/// Tokens are not counted, since a store restored from a backup would repeat the numbers. They are
/// not secrets either: they guard against mistakes, not against attackers.
///
/// # Examples
/// ```
/// use tickid_lease::Token;
///
/// let token = Token::random()?;
/// assert_eq!(token.to_string().parse(), Ok(token));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(u128);

impl Token {
    /// Creates the token of these bits.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::Token;
    ///
    /// assert_eq!(Token::from_bits(255).to_string(), "000000000000000000000000000000ff");
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::Token;
    ///
    /// let token: Token = "000000000000000000000000000000ff".parse()?;
    /// assert_eq!(token.bits(), 255);
    /// # Ok::<(), tickid_lease::ParseError>(())
    /// ```
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Draws a new token.
    ///
    /// # Errors
    /// Returns the operating system's error if it has no random numbers.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::Token;
    ///
    /// assert_ne!(Token::random()?, Token::random()?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; 16];
        rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(u128::from_be_bytes(bytes)))
    }
}

/// Writes 32 hexadecimal digits in lower case.
impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Token {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_token = text.len() == 32 && text.bytes().all(is_digit);
        let bits = if is_token { u128::from_str_radix(text, 16).ok() } else { None };
        bits.map(Self).ok_or_else(|| ParseError::form(text, "32 hexadecimal digits"))
    }
}

/// A lease: a node ID and a window of ticks, granted by a store to one holder.
///
/// This is everything that a holder has to show to the store to renew or release it. Besides the
/// token, the floor identifies it: a claim that the network repeats late can get its node a second
/// time under the same token, after another holder had it in between.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::{Claim, RealmSpec, Store, Token, block_on};
/// use tickid_sno::Sno;
///
/// let realm = RealmSpec::new("orders".parse()?, &Sno, "42/16".parse()?)?;
/// let mut claim = Claim::new(Token::random()?, "web-1", None);
/// let store = Store::in_memory();
/// let lease = block_on(store.acquire(&realm, &mut claim), Duration::from_secs(5))?;
/// assert_eq!((lease.node, lease.token), ("42/16".parse()?, claim.token));
///
/// // The lease reaches 15 seconds ahead of the store's clock: skew and term.
/// let now = realm.tick_at(lease.granted_at).ok_or("outside the scheme's time")?;
/// assert_eq!(lease.ceiling, now + realm.ahead());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lease {
    /// The [ID](super::realm::RealmName::id) of its realm's name.
    pub(crate) realm: u64,
    /// The node.
    pub node: Node,
    /// The token of the claim.
    pub token: Token,
    /// The window's first tick.
    pub floor: u64,
    /// The window's last tick plus one.
    pub ceiling: u64,
    /// The era in which it was acquired.
    pub era: u64,
    /// The version of its row.
    pub version: super::record::Version,
    /// The store's clock when it was granted or last renewed.
    pub granted_at: UnixTime,
}

/// A request for a lease.
///
/// A claim gets one lease. Sent again after a reply was lost, it finds the lease that it got. A new
/// lease takes a new claim.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::{Claim, RealmSpec, Store, Token, block_on};
/// use tickid_sno::Sno;
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// let realm = RealmSpec::new("orders".parse()?, &Sno, "0-1023/16".parse()?)?;
/// let mut claim = Claim::new(Token::random()?, "web-1", None);
/// let lease = block_on(store.acquire(&realm, &mut claim), timeout)?;
///
/// // Had the answer been lost, the same claim would find its lease.
/// let again = block_on(store.acquire(&realm, &mut claim), timeout)?;
/// assert_eq!((again.node, again.floor), (lease.node, lease.floor));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    /// The token of the future lease.
    pub token: Token,
    /// The holder's name, for people to read.
    holder: String,
    /// The claimant's clock, in ticks. Nodes whose window begins in its future are the last choice.
    pub now: Option<u64>,
    /// Refuses nodes whose window begins in the future of [`now`](Self::now).
    pub at_once: bool,
    /// The node to try first: a request without an answer may have been granted it, or a lease of
    /// it was lost.
    pub attempt: Option<Node>,
    /// The number of pages of nodes read for it, so that each begins elsewhere.
    pub(crate) pages: u64,
}

impl Claim {
    /// The largest number of bytes of a holder's name.
    pub const MAX_HOLDER_LEN: usize = 128;

    /// Creates a claim. A longer `holder` is cut, and its control characters are replaced.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{Claim, Token};
    ///
    /// let claim = Claim::new(Token::random()?, "web-1", None);
    /// assert_eq!(claim.holder(), "web-1");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn new(token: Token, holder: &str, now: Option<u64>) -> Self {
        let printable = |symbol: char| {
            if symbol.is_control() { char::REPLACEMENT_CHARACTER } else { symbol }
        };
        let mut kept = String::new();
        for symbol in holder.chars().map(printable) {
            if kept.len() + symbol.len_utf8() > Self::MAX_HOLDER_LEN {
                break;
            }
            kept.push(symbol);
        }
        Self { token, holder: kept, now, at_once: false, attempt: None, pages: 0 }
    }

    /// Returns the holder's name.
    #[must_use]
    pub fn holder(&self) -> &str {
        &self.holder
    }

    /// Returns a number that differs for each claim and each page read for it.
    pub(crate) const fn dice(&self) -> u64 {
        let bits = self.token.bits();
        #[allow(clippy::cast_possible_truncation, reason = "all bits of both halves are mixed")]
        let seed = (bits >> 64) as u64 ^ bits as u64;
        mix(mix(seed).wrapping_add(self.pages))
    }
}

/// Mixes the bits of a number (SplitMix64).
pub(crate) const fn mix(seed: u64) -> u64 {
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tokens_parse() {
        for bits in [0, 1, u128::MAX, 0xabc << 64] {
            let token = Token::from_bits(bits);
            assert_eq!(token.to_string().parse(), Ok(token));
        }
        let upper = "A".repeat(32);
        for text in ["", "0", &"0".repeat(33), &upper, &format!("+{}", "0".repeat(31))] {
            assert!(text.parse::<Token>().is_err(), "{text}");
        }
    }

    #[test]
    fn random_tokens_differ() {
        assert_ne!(Token::random().unwrap(), Token::random().unwrap());
    }

    #[test]
    fn long_holder_names_are_cut() {
        let holder = |name: &str| Claim::new(Token::from_bits(1), name, None).holder;
        assert_eq!(holder("web-1:42"), "web-1:42");
        assert_eq!(holder("a\nb"), "a\u{fffd}b");
        let long = format!("{}é", "x".repeat(127));
        assert_eq!(holder(&long), "x".repeat(127));
    }
}
