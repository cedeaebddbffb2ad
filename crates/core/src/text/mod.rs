//! Text forms: strings on the stack, Base36, and alphabets of 2, 4, 8, ... 64 symbols.
//!
//! Everything here is a `const fn` and the same on every target.

mod alphabet;
pub mod base36;
mod error;
mod stack;

pub use self::alphabet::Alphabet;
pub use self::error::{ParseError, ParseErrorKind};
pub use self::stack::Text;
