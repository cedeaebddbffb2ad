//! Proofs of a password, by the methods of the servers' plugins.

use std::io;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use num_bigint::BigUint;
use rand::TryRng as _;
use rand::rngs::SysRng;
use sha1::{Digest as _, Sha1};
use sha2::Sha256;
use tickid_lease::backend::excerpt;

use crate::mysql::protocol::Error;

/// The largest RSA key, in bytes: 16,384 bits. It bounds the time that a server's key can take.
const MAX_KEY: usize = 2_048;

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

/// Encrypts a password with a server's key, for connections that are not encrypted. A program that
/// can change what the server sends can replace the key, and read the password.
pub(super) fn encrypted(password: &str, nonce: &[u8], pem: &[u8]) -> Result<Vec<u8>, Error> {
    let malformed = || Error::Malformed("its public key");
    let mut seed = [0; HASH];
    SysRng.try_fill_bytes(&mut seed).map_err(io::Error::other)?;
    let message = password.bytes().chain([0]);
    let message: Vec<u8> = message.zip(nonce.iter().cycle()).map(|(a, b)| a ^ b).collect();
    let pem = str::from_utf8(pem).map_err(|_| malformed())?;
    PublicKey::parse(pem).and_then(|key| key.encrypt(&message, seed)).ok_or_else(malformed)
}

/// The length of a SHA-1 hash.
const HASH: usize = 20;

struct PublicKey {
    modulus: BigUint,
    exponent: BigUint,
}

impl PublicKey {
    /// Parses a key in PEM's form: `SubjectPublicKeyInfo`.
    fn parse(pem: &str) -> Option<Self> {
        let lines = pem.lines().map(str::trim).filter(|line| !line.starts_with('-'));
        let der = BASE64_STANDARD.decode(lines.collect::<String>()).ok()?;
        let (info, _) = element(&der, 0x30)?;
        let (_algorithm, rest) = element(info, 0x30)?;
        let (bits, _) = element(rest, 0x03)?;
        let (key, _) = element(bits.strip_prefix(&[0])?, 0x30)?;
        let (modulus, rest) = element(key, 0x02)?;
        let (exponent, _) = element(rest, 0x02)?;
        let is_small = modulus.len() <= MAX_KEY && exponent.len() <= 8;
        let [modulus, exponent] = [modulus, exponent].map(BigUint::from_bytes_be);
        (is_small && modulus.bit(0)).then_some(Self { modulus, exponent })
    }

    /// Encrypts a message by RSAES-OAEP with SHA-1, an empty label and this seed.
    fn encrypt(&self, message: &[u8], mut seed: [u8; HASH]) -> Option<Vec<u8>> {
        let len = usize::try_from(self.modulus.bits().div_ceil(8)).ok()?;
        let padding = len.checked_sub(message.len() + 2 * HASH + 2)?;
        let mut data = Sha1::digest([]).to_vec();
        data.resize(HASH + padding, 0);
        data.push(1);
        data.extend(message);
        mask(&mut data, &seed);
        mask(&mut seed, &data);
        let block = BigUint::from_bytes_be(&[&seed[..], &data].concat());
        let encrypted = block.modpow(&self.exponent, &self.modulus).to_bytes_be();
        let zeros = len.checked_sub(encrypted.len())?;
        Some([vec![0; zeros], encrypted].concat())
    }
}

/// Masks data by MGF1 with SHA-1.
fn mask(data: &mut [u8], seed: &[u8]) {
    for (part, number) in data.chunks_mut(HASH).zip(0_u32..) {
        let hash = Sha1::new().chain_update(seed).chain_update(number.to_be_bytes()).finalize();
        part.iter_mut().zip(hash).for_each(|(byte, mask)| *byte ^= mask);
    }
}

/// Splits off an element of DER with this tag: its contents, and the rest.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&first, rest) = der.strip_prefix(&[tag])?.split_first()?;
    let (len, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81 | 0x82 => {
            let (len, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (len.iter().fold(0, |len, &byte| len << 8 | usize::from(byte)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(len)
}

/// A server's key: `openssl genrsa 1024 | openssl rsa -pubout`.
#[cfg(test)]
pub(super) const PEM: &str = "-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDWu+6+D2n/IQYNhlGeAfWMNusA
0F1RqhCNhGIzq8gROG2caF0ma2n0dStvAztqRvBYuibU9TzMfYycdTU6NT4pL5qR
mVDSGgZddHW2MfdSTz7gxkp6P+TMCoWFS4quzwABcmDSC8JF1h3RUhJ0XlgDjSG7
RptLKX8UzgcaiJqDfwIDAQAB
-----END PUBLIC KEY-----
";

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

    /// The example of RSA Laboratories for RSAES-OAEP with SHA-1 (PKCS #1 v2.1).
    #[test]
    fn passwords_are_encrypted_by_the_standard() {
        const MODULUS: &str = "\
            bbf82f090682ce9c2338ac2b9da871f7368d07eed41043a440d6b6f07454f51fb8dfbaaf035c02ab\
            61ea48ceeb6fcd4876ed520d60e1ec4619719d8a5b8b807fafb8e0a3dfc737723ee6b4b7d93a2584\
            ee6a649d060953748834b2454598394ee0aab12d7b61a51f527a9a41f6c1687fe2537298ca2a8f59\
            46f8e5fd091dbdcb";
        const MESSAGE: &str = "\
            d436e99569fd32a7c8a05bbc90d32c49";
        const SEED: &str = "\
            aafd12f659cae63489b479e5076ddec2f06cb58f";
        const ENCRYPTED: &str = "\
            1253e04dc0a5397bb44a7ab87e9bf2a039a33d1e996fc82a94ccd30074c95df763722017069e5268\
            da5d1c0b4f872cf653c11df82314a67968dfeae28def04bb6d84b1c31d654a1970e5783bd6eb96a0\
            24c2ca2f4a90fe9f2ef5c9c140e5bb48da9536ad8700c84fc9130adea74e558d51a74ddf85d8b50d\
            e96838d6063e0955";
        let number = |hex: &str| BigUint::parse_bytes(hex.as_bytes(), 16).unwrap();
        let bytes = |hex: &str| number(hex).to_bytes_be();
        let key = PublicKey { modulus: number(MODULUS), exponent: 17_u32.into() };
        let seed = bytes(SEED).try_into().unwrap();
        assert_eq!(key.encrypt(&bytes(MESSAGE), seed).unwrap(), bytes(ENCRYPTED));
        assert_eq!(key.encrypt(&[0; 87], seed), None);
    }

    #[test]
    fn keys_of_servers_are_read() {
        let key = PublicKey::parse(PEM).unwrap();
        assert_eq!((key.modulus.bits(), key.exponent), (1_024, 65_537_u32.into()));
        let password = encrypted("s@cret", b"abcdefghijklmnopqrst", PEM.as_bytes());
        assert_eq!(password.unwrap().len(), 128);
        for at in 0..PEM.len() {
            // Any other text is another key or an error.
            let _ = PublicKey::parse(&PEM[..at]);
            let mut other = PEM.to_owned();
            other.replace_range(at..=at, "A");
            let _ = encrypted("s@cret", &[0; 20], other.as_bytes());
        }
        let error = encrypted(&"x".repeat(90), &[0; 20], PEM.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("its public key"), "{error}");
    }
}
