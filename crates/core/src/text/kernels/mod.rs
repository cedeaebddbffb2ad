//! The codecs' inner loops, as fast as a target has them. The portable paths ([`Alphabet`] and
//! [`base36`]) say what is right; what is here agrees with them or declines.
//!
//! For one ID it is what the target is compiled for: the work is over before a call to something better
//! would be. For slices it is the best [`Level`] that the processor has.
//!
//! [`Alphabet`]: crate::text::Alphabet
//! [`base36`]: crate::text::base36

mod level;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
#[allow(
    unsafe_code,
    reason = "vector instructions that the target may lack, or that take pointers"
)]
mod x86_64;

pub use self::level::Level;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
pub(crate) use self::x86_64::*;

/// Stands in where there are no kernels: declines everything.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(miri))))]
mod none {
    use super::Level;
    use crate::text::Base;

    pub(crate) const ONE_BASE36: bool = false;

    pub(crate) const fn has_encode(_bits: u32, _bytes: usize, _chars: usize) -> bool {
        false
    }

    pub(crate) const fn has_decode(_bits: u32, _bytes: usize, _chars: usize) -> bool {
        false
    }

    pub(crate) fn encode<S: Base, const BYTES: usize, const CHARS: usize>(
        _bytes: &[u8; BYTES],
    ) -> [u8; CHARS] {
        [0; CHARS]
    }

    pub(crate) fn decode<S: Base, const BYTES: usize, const CHARS: usize>(
        _text: &[u8; CHARS],
    ) -> Option<[u8; BYTES]> {
        None
    }

    pub(crate) fn encode_base36(_value: u64) -> [u8; 12] {
        [0; 12]
    }

    pub(crate) fn decode_base36(_text: &[u8; 12]) -> Option<u64> {
        None
    }

    pub(crate) fn encode_many<S: Base, const BYTES: usize, const CHARS: usize>(
        _level: Level,
        _ids: &[[u8; BYTES]],
        _texts: &mut [[u8; CHARS]],
    ) -> usize {
        0
    }

    pub(crate) fn decode_many<S: Base, const BYTES: usize, const CHARS: usize>(
        _level: Level,
        _texts: &[[u8; CHARS]],
        _ids: &mut [[u8; BYTES]],
    ) -> usize {
        0
    }

    pub(crate) fn encode_base36_many(
        _level: Level,
        _values: &[u64],
        _texts: &mut [[u8; 12]],
    ) -> usize {
        0
    }

    pub(crate) fn decode_base36_many(
        _level: Level,
        _texts: &[[u8; 12]],
        _values: &mut [u64],
    ) -> usize {
        0
    }
}
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(miri))))]
pub(crate) use self::none::*;
