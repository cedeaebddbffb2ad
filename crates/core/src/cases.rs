//! The cases of an enum as a list.

/// Declares a constant with the cases of an enum, all but those of a pattern after a semicolon. A
/// case that is missing does not compile.
#[doc(hidden)]
#[macro_export]
macro_rules! cases {
    (
        $(#[$meta:meta])*
        $visibility:vis $name:ident of $type:ident: $($case:ident),+ $(; $other:pat)?
    ) => {
        impl $type {
            $(#[$meta])*
            $visibility const $name: [Self; [$(stringify!($case)),+].len()] =
                [$(Self::$case),+];
        }

        const _: fn($type) = |one| match one {
            $($type::$case => {})+
            $($other => {})?
        };
    };
}
