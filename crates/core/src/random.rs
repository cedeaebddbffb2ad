//! Random bytes from the operating system.

use crate::error::BuildError;

/// Returns random bytes from the operating system, for example to draw a random node.
///
/// # Errors
/// Returns [`BuildError::Seed`] without an operating system, or if it provides no random numbers.
///
/// # Examples
/// ```
/// use tickid_core::external::random_bytes;
///
/// assert_ne!(random_bytes::<16>()?, random_bytes::<16>()?);
/// # Ok::<(), tickid_core::BuildError>(())
/// ```
#[doc(hidden)]
pub fn random_bytes<const N: usize>() -> Result<[u8; N], BuildError> {
    #[cfg(feature = "std")]
    {
        let mut bytes = [0; N];
        let filled = rand::TryRng::try_fill_bytes(&mut rand::rngs::SysRng, &mut bytes);
        filled.map(|()| bytes).map_err(|_| BuildError::Seed)
    }
    #[cfg(not(feature = "std"))]
    Err(BuildError::Seed)
}

/// Returns a random seed from the operating system.
pub(crate) fn random_seed() -> Result<u64, BuildError> {
    random_bytes().map(u64::from_ne_bytes)
}
