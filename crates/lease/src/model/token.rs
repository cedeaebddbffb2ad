//! The random name of a lease.

use core::fmt;
use std::io;

use rand::TryRng as _;

/// The identity of a lease, 128 random bits that are drawn for each claim.
///
/// Tokens are not counted, since a store restored from a backup would repeat the numbers. They are
/// not secrets either, because they guard against mistakes and not against attackers.
///
/// # Examples
/// ```
/// use tickid_lease::session::Token;
///
/// let token = Token::random()?;
/// assert_eq!(token.to_string().parse(), Ok(token));
/// assert_eq!(Token::from_bits(255).to_string(), "000000000000000000000000000000ff");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(u128);

impl Token {
    /// Creates the token of these bits.
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Draws a new token.
    ///
    /// # Errors
    /// Returns the operating system's error if it has no random numbers.
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
    fn random_tokens_differ() {
        assert_ne!(Token::random().unwrap(), Token::random().unwrap());
    }
}
