/// What a processor has that makes the codecs faster, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Nothing but Rust: the specification in code.
    Portable,
    /// What the target is compiled for; on x86-64 that is SSE2.
    Compiled,
    /// x86-64 with AVX2.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ, IFMA and VBMI.
    Avx512,
}

impl Level {
    /// All of them, least first.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Compiled, Self::Avx2, Self::Avx512];

    /// Whether this processor has it, as far as this build can tell: without the feature `std` it knows
    /// no more than what it is compiled for.
    #[inline]
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable | Self::Compiled => true,
            Self::Avx2 => has_avx2(),
            Self::Avx512 => has_avx512(),
        }
    }

    /// The highest that is available.
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        if has_avx512() {
            Self::Avx512
        } else if has_avx2() {
            Self::Avx2
        } else {
            Self::Compiled
        }
    }
}

/// Whether all of these are there: at compile time, or else seen by the standard library, which
/// remembers what it saw.
macro_rules! has {
    ($($feature:tt),+) => {{
        #[cfg(all(target_arch = "x86_64", feature = "std", not(miri)))]
        {
            true $(&& std::arch::is_x86_feature_detected!($feature))+
        }
        #[cfg(not(all(target_arch = "x86_64", feature = "std", not(miri))))]
        {
            cfg!(all(target_arch = "x86_64", not(miri), $(target_feature = $feature),+))
        }
    }};
}

#[inline]
pub(super) fn has_avx2() -> bool {
    has!("avx2")
}

#[inline]
pub(super) fn has_avx512() -> bool {
    has!("avx512f", "avx512bw", "avx512dq", "avx512ifma", "avx512vbmi")
}
