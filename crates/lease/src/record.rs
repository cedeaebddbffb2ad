//! What a store keeps: a record for each realm, a row for each node that was ever given out.

use core::fmt;
use core::str::FromStr;
use std::collections::BTreeMap;

use rand::TryRng as _;

use crate::node::Node;
use crate::pool::{NodePool, NodeRange};
use crate::realm::Realm;

/// What a store keeps of a realm.
///
/// **Eras.** Whatever ends leases before their time (a store that forgot, nodes taken out of the pool)
/// begins a new era. The record says for each node since which era it may be given out, a row in which
/// era its lease was; a lease of an earlier era is over. So one write ends any number of leases, and
/// rows need not be touched, those that the store has forgotten least of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The realm as its holders bring it.
    pub realm: Realm,
    /// Which store it was that wrote this; another value means that writes may have been lost.
    pub generation: String,
    /// Counts what ended leases before their time.
    pub era: u64,
    /// No window begins below this tick.
    pub floor: u64,
    /// How many ticks ahead of the store's clock a lease has ever been able to reach.
    pub max_ahead: u64,
    /// The pool, each part with the era since which it is there.
    pub(crate) since: Vec<(NodeRange, u64)>,
}

impl Record {
    /// The record of a realm that is new to a store.
    #[must_use]
    pub fn new(realm: Realm, generation: String) -> Self {
        let since = realm.pool().ranges().iter().map(|&range| (range, 0)).collect();
        let max_ahead = realm.max_ahead();
        Self { realm, generation, era: 0, floor: 0, max_ahead, since }
    }

    /// The pool in parts, each with the era since which its nodes may be given out.
    #[must_use]
    pub fn since(&self) -> &[(NodeRange, u64)] {
        &self.since
    }

    /// The record with these parts of the pool, as [`since`](Self::since) gave them.
    ///
    /// # Errors
    /// [`PoolError`](crate::PoolError) when they make no pool.
    pub fn with_since(self, since: Vec<(NodeRange, u64)>) -> Result<Self, crate::PoolError> {
        let pool = NodePool::new(since.iter().map(|&(range, _)| range))?;
        Ok(Self { realm: Realm { pool, ..self.realm }, since, ..self })
    }

    /// Since which era `node` may be given out; `None` when it may not.
    #[must_use]
    pub fn node_since(&self, node: Node) -> Option<u64> {
        self.since.iter().find(|(range, _)| range.contains(node)).map(|&(_, since)| since)
    }
}

/// What names one lease.
///
/// The floor is part of it because a claim that the network repeats late may get its node a second
/// time, under the same token, after somebody else had it in between. The lease from before must not be
/// taken for that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hold {
    /// The node.
    pub node: Node,
    /// The token of the claim that it was granted to.
    pub token: Token,
    /// The first tick of its window.
    pub floor: u64,
}

/// What a store keeps of a node. Rows are never deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The node.
    pub node: Node,
    /// Whose it is; `None` after a release.
    pub token: Option<Token>,
    /// Who that is, for people to read.
    pub holder: String,
    /// The era in which it was acquired.
    pub era: u64,
    /// The first tick of the window given out last.
    pub floor: u64,
    /// One past its last. The next window begins here.
    pub ceiling: u64,
}

/// Which version of a record or row a store has; changes with every write of it. A store may number
/// them, take the etcd revision, or hash what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version(pub u64);

/// A row with what the store knows besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The row.
    pub row: Row,
    /// Its version.
    pub version: Version,
    /// Whether its holder is proven dead. No store has to know.
    pub is_dead: bool,
}

/// The rows of a realm.
pub type Rows = BTreeMap<Node, Entry>;

/// What tells a lease from all others: 128 random bits, drawn for every claim.
///
/// A token is no counter: a store restored from a backup would count over numbers that it has given out
/// already. Not a secret either; it guards against mistakes, not against attackers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(u128);

impl Token {
    /// The token of these bits.
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The bits.
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// A token nobody has had.
    ///
    /// # Errors
    /// [`NoRandomness`] when the operating system gives no random number.
    pub fn random() -> Result<Self, NoRandomness> {
        let mut bytes = [0; 16];
        rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(|_| NoRandomness)?;
        Ok(Self(u128::from_be_bytes(bytes)))
    }
}

/// 32 hexadecimal digits in lower case.
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
    type Err = NoToken;

    fn from_str(text: &str) -> Result<Self, NoToken> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let bits = if text.len() == 32 && text.bytes().all(is_digit) {
            u128::from_str_radix(text, 16).ok()
        } else {
            None
        };
        bits.map(Self).ok_or_else(|| NoToken(text.to_owned()))
    }
}

/// The operating system gave no random number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gave no random number")]
pub struct NoRandomness;

/// A text that is no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no token of 32 hexadecimal digits")]
pub struct NoToken(String);

/// What somebody brings who wants a node.
///
/// One claim is for one lease. Sending it again, after a reply was lost, finds the lease that it got; a
/// new lease takes a new claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The token of the lease to be.
    pub token: Token,
    /// Who it is, for people to read: at most [`MAX_HOLDER_LEN`](Self::MAX_HOLDER_LEN) bytes.
    pub(crate) holder: String,
    /// The tick that the claimant's clock shows. A node whose last window ended before that can be
    /// used at once.
    pub now: Option<u64>,
}

impl Claim {
    /// The most bytes of a holder's name that are kept.
    pub const MAX_HOLDER_LEN: usize = 128;

    /// A claim under this token. A `holder` too long is cut; control characters are replaced.
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
        Self { token, holder: kept, now }
    }

    /// Who it is, for people to read.
    #[must_use]
    pub fn holder(&self) -> &str {
        &self.holder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_from_text_and_nothing_else_does() {
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
    fn the_holders_name_is_cut_between_characters() {
        let holder = |name: &str| Claim::new(Token::from_bits(1), name, None).holder;
        assert_eq!(holder("web-1:42"), "web-1:42");
        assert_eq!(holder("a\nb"), "a\u{fffd}b");
        let long = format!("{}é", "x".repeat(127));
        assert_eq!(holder(&long), "x".repeat(127));
    }
}
