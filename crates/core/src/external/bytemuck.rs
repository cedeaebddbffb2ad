//! IDs of bytes as plain data, for bytemuck.

#[doc(hidden)]
pub use bytemuck as __bytemuck;

/// Implements `Zeroable`, `Pod` and `TransparentWrapper` for an ID that is `repr(transparent)` over
/// `$bytes` and valid for every pattern of them.
#[macro_export]
macro_rules! impl_bytemuck {
    ($id:ident as $bytes:ty) => {
        const _: () = {
            use $crate::external::bytemuck::__bytemuck as bytemuck;

            // SAFETY: the caller states that the ID is `repr(transparent)` over an array of bytes
            // and valid for every pattern of them. The sizes are compared, so there is no padding.
            #[cfg_attr(docsrs, doc(cfg(feature = "bytemuck_1")))]
            unsafe impl bytemuck::Zeroable for $id {}
            // SAFETY: as above.
            #[cfg_attr(docsrs, doc(cfg(feature = "bytemuck_1")))]
            unsafe impl bytemuck::Pod for $id {}
            // SAFETY: as above.
            #[cfg_attr(docsrs, doc(cfg(feature = "bytemuck_1")))]
            unsafe impl bytemuck::TransparentWrapper<$bytes> for $id {}

            assert!(size_of::<$id>() == size_of::<$bytes>());
        };
    };
}
