/// A set of instructions that the codecs use, from the smallest to the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SimdLevel {
    /// Portable Rust, which defines the results.
    Portable,
    /// The instructions that the target is compiled for, which include SSE2 on x86-64.
    Compiled,
    /// x86-64 with AVX2.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ, IFMA and VBMI.
    Avx512,
}

impl SimdLevel {
    /// All levels, the lowest first.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Compiled, Self::Avx2, Self::Avx512];

    /// Reports whether this processor has the level. Without the feature `std`, only instructions
    /// that the target is compiled for count.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::SimdLevel;
    ///
    /// assert!(SimdLevel::Portable.is_available() && SimdLevel::Compiled.is_available());
    /// assert!(SimdLevel::best().is_available());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable | Self::Compiled => true,
            Self::Avx2 => has_avx2(),
            Self::Avx512 => has_avx512(),
        }
    }

    /// Returns the highest level that is available.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::SimdLevel;
    ///
    /// let best = SimdLevel::ALL.into_iter().filter(|level| level.is_available()).max();
    /// assert_eq!(best, Some(SimdLevel::best()));
    /// ```
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

/// Reports whether the processor has all of these features, either because they are known at
/// compile time or, with `std`, because the standard library detected and cached them.
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
