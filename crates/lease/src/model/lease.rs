//! A lease, and the claim for one.

use tickid_core::{AnyNode, UnixTime};

use crate::model::realm_spec::Terms;
use crate::model::refusal::LeaseEnd;
use crate::model::token::{Token, mix};

/// A node ID and a window of ticks, granted by a store to one holder.
///
/// This is everything that a holder has to show to the store to renew or release it. The token
/// alone does not identify a lease, but the token and the floor do. A claim that the network
/// repeats late can get its node a second time under the same token, after a different holder had
/// it in between.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::session::{Claim, Token, block_on};
/// use tickid_lease::Store;
///
/// let mut claim = Claim::new(Token::random()?, "web-1", None);
/// let store = Store::in_memory();
/// let lease = block_on(store.acquire(realm.spec(), &mut claim), Duration::from_secs(5))?;
/// assert!(realm.pool().contains(lease.node));
/// assert_eq!(lease.token, claim.token);
///
/// // The lease reaches 15 seconds ahead of the store's clock: skew and term.
/// let now = realm.spec().tick_at(lease.granted_at).ok_or("outside the scheme's time")?;
/// assert_eq!(lease.ceiling, now + realm.spec().ahead());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lease {
    /// The [ID](super::realm_spec::RealmName::id) of its realm's name.
    pub(crate) realm: u64,
    /// The node.
    pub node: AnyNode,
    /// The token of the claim.
    pub token: Token,
    /// The window's first tick.
    pub floor: u64,
    /// The window's last tick plus one. The next window of the node starts here or above.
    pub ceiling: u64,
    /// The era when it was acquired.
    pub era: u64,
    /// The version of its row.
    pub version: super::record::Version,
    /// The store's clock when it was granted or last renewed.
    pub granted_at: UnixTime,
    /// The realm's terms in the store at that time. They can change while the lease lasts, by
    /// [`Store::reconfigure`](crate::Store::reconfigure).
    pub terms: Terms,
}

/// A request for a lease.
///
/// A claim gets one lease. If it is sent again after a reply was lost, it finds the lease that it
/// got, so that no node is wasted. To get a new lease, make a new claim.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::session::{Claim, Token, block_on};
/// use tickid_lease::Store;
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// let mut claim = Claim::new(Token::random()?, "web-1", None);
/// let lease = block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
///
/// // Had the answer been lost, the same claim would find its lease.
/// let again = block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
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
    /// The claimant's clock, in ticks. A generator has to wait for a node whose window starts in
    /// its future, so such nodes are the last choice.
    pub now: Option<u64>,
    /// Refuses nodes whose window starts in the future of [`now`](Self::now).
    pub only_started: bool,
    /// The node to try first. A request without an answer may have been granted it, or a lease of
    /// it was lost.
    pub attempt: Option<AnyNode>,
    /// A lease that was lost, and the way in which it ended, as evidence that the store may have
    /// lost data. Its holder never released it and never will, and has closed its generator.
    pub lost: Option<(Lease, LeaseEnd)>,
    /// The highest era of the realm that the claimant has seen, which [`Store`](crate::Store)
    /// raises with every view. A record of a lower era proves that the store lost data, also while
    /// an invalidated realm pauses and there is no lease that could show it.
    pub seen_era: Option<u64>,
    /// The number of ticks that the claimant's IDs may be ahead of its clock by a policy of its own,
    /// which may allow more than the realm's.
    pub(crate) lead: u64,
    /// The number of pages of nodes read for it, so that each starts elsewhere.
    pub(crate) pages: u64,
}

impl Claim {
    /// The largest number of bytes of a holder's name.
    pub const MAX_HOLDER_LEN: usize = 128;

    /// Creates a claim. `holder` is a name for people to read, for example from
    /// [`holder_name`](crate::session::holder_name). It is cut to
    /// [`MAX_HOLDER_LEN`](Self::MAX_HOLDER_LEN) bytes, and its control characters are replaced.
    #[must_use]
    pub fn new(token: Token, holder: &str, now: Option<u64>) -> Self {
        // Names end up in lists on terminals, where control characters could rewrite other lines.
        let printable = |symbol: char| {
            if symbol.is_control() { char::REPLACEMENT_CHARACTER } else { symbol }
        };
        let mut kept = String::new();
        // Cut at a character, not at a byte, so the text stays UTF-8.
        for symbol in holder.chars().map(printable) {
            if kept.len() + symbol.len_utf8() > Self::MAX_HOLDER_LEN {
                break;
            }
            kept.push(symbol);
        }
        Self {
            token,
            holder: kept,
            now,
            only_started: false,
            attempt: None,
            lost: None,
            seen_era: None,
            lead: 0,
            pages: 0,
        }
    }

    /// Notes the era of a record.
    pub(crate) fn note_era(&mut self, era: u64) {
        self.seen_era = self.seen_era.max(Some(era));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_holder_names_are_cut() {
        let holder = |name: &str| Claim::new(Token::from_bits(1), name, None).holder;
        assert_eq!(holder("web-1:42"), "web-1:42");
        assert_eq!(holder("a\nb"), "a\u{fffd}b");
        let long = format!("{}é", "x".repeat(127));
        assert_eq!(holder(&long), "x".repeat(127));
    }
}
