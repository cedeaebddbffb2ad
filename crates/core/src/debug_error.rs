//! The `Debug` of errors. A `main` that returns an error prints it, so it is for people.

use core::error::Error;
use core::fmt;

/// An error and its sources, each after a colon.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Chain<'a>(pub &'a dyn Error);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut sources = core::iter::successors(self.0.source(), |&source| source.source());
        sources.try_for_each(|source| write!(f, ": {source}"))
    }
}

impl fmt::Debug for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Implements `Debug` for an error: `{:?}` writes its sentence and those of its sources, and
/// `{:#?}` its parts. A program whose `main` returns the error then ends with the sentence.
///
/// The variants and their fields are listed once more, without types, and the compiler compares
/// them with the definition.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_error {
    (struct $name:ident { $($field:ident),* $(,)? }) => {
        $crate::debug_error! { @impl $name, it, f,
            match it {
                $name { $($field),* } => {
                    f.debug_struct(stringify!($name))
                        $(.field(stringify!($field), $field))*
                        .finish()
                }
            }
        }
    };
    (enum $name:ident {
        $($variant:ident $({ $($field:ident),* })? $(($value:ident))?),* $(,)?
    }) => {
        $crate::debug_error! { @impl $name, it, f,
            match it {
                $($name::$variant $({ $($field),* })? $(($value))? => {
                    f.debug_struct(stringify!($variant))
                        $($(.field(stringify!($field), $field))*)?
                        $(.field(stringify!($value), $value))?
                        .finish()
                })*
            }
        }
    };
    (@impl $name:ident, $it:ident, $f:ident, $parts:expr) => {
        impl ::core::fmt::Debug for $name {
            fn fmt(&self, $f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                if !$f.alternate() {
                    return ::core::fmt::Display::fmt(&$crate::source_parts::Chain(self), $f);
                }
                let $it = self;
                $parts
            }
        }
    };
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use alloc::format;

    use crate::{BuildError, RangeError};

    #[derive(thiserror::Error)]
    enum Outer {
        #[error("nothing works")]
        Broken { source: BuildError },
        #[error("over")]
        Over,
    }

    debug_error! {
        enum Outer { Broken { source }, Over }
    }

    #[test]
    fn debug_is_the_sentence_with_its_sources() {
        let range = RangeError::new("node", 300, 0, 255);
        let error = Outer::Broken { source: BuildError::Node(range.into()) };
        assert_eq!(format!("{error:?}"), "nothing works: node 300 is outside of 0..=255");
        assert_eq!(format!("{:?}", Some(Outer::Over)), "Some(over)");
    }

    #[test]
    fn alternate_debug_is_the_parts() {
        let range = RangeError::new("node", 300, 0, 255);
        let parts = format!("{:#?}", Outer::Broken { source: BuildError::Ceiling(range) });
        let lines: alloc::vec::Vec<_> = parts.lines().map(str::trim).collect();
        assert_eq!(lines[..3], ["Broken {", "source: Ceiling {", "error: RangeError {"], "{parts}");
        assert!(lines.contains(&"value: 300,"), "{parts}");
        assert_eq!(format!("{:#?}", Outer::Over), "Over");
    }
}
