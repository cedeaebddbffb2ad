//! Proofs of a password, by the methods of the servers' plugins.

use sha1::{Digest as _, Sha1};
use sha2::Sha256;
use tickid_lease::backend::excerpt;

use crate::mysql::protocol::Error;

/// A method of verifying a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plugin {
    Native,
    CachingSha2,
}

impl Plugin {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Native => "mysql_native_password",
            Self::CachingSha2 => "caching_sha2_password",
        }
    }

    pub(super) fn named(name: &str) -> Result<Self, Error> {
        let known =
            [Self::Native, Self::CachingSha2].into_iter().find(|known| known.name() == name);
        known.ok_or_else(|| Error::Plugin(excerpt(name)))
    }

    /// Returns the proof of a password for a server's challenge.
    pub(super) fn proof(self, nonce: &[u8], password: &str) -> Vec<u8> {
        let xor = |left: &[u8], right: &[u8]| left.iter().zip(right).map(|(a, b)| a ^ b).collect();
        if password.is_empty() {
            return Vec::new();
        }
        match self {
            Self::Native => {
                let once = Sha1::digest(password);
                let twice = Sha1::digest(once);
                xor(&once, &Sha1::new().chain_update(nonce).chain_update(twice).finalize())
            }
            Self::CachingSha2 => {
                let once = Sha256::digest(password);
                let twice = Sha256::digest(once);
                xor(&once, &Sha256::new().chain_update(twice).chain_update(nonce).finalize())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by another program, from the definitions of the plugins.
    #[test]
    fn proofs_are_known() {
        let nonce = b"abcdefghijklmnopqrst";
        let hex = |plugin: Plugin, password| -> String {
            plugin.proof(nonce, password).iter().map(|byte| format!("{byte:02x}")).collect()
        };
        assert_eq!(hex(Plugin::Native, "s@cret"), "1f6528788bd2f4c0360f7a8d571b1bc64cd6211f");
        let sha2 = "616e7ba10cacd8e514d6ace3b92a02c000b56e3542786181b7bd2f79cdbeb42c";
        assert_eq!(hex(Plugin::CachingSha2, "s@cret"), sha2);
        assert_eq!(hex(Plugin::Native, "") + &hex(Plugin::CachingSha2, ""), "");
    }
}
