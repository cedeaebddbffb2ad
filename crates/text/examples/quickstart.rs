//! Writes and reads numbers and bytes in the program's own alphabet, one by one and in slices.
//!
//! ```text
//! $ cargo run -p tickid-text --example text-quickstart
//! 20-26-11-22 as hexadecimal digits: 14 1a 0b 16 -> 141a0b16
//! the largest number in Base36: 3w5e11264sgsf
//! a typing error: not a word: 'O' at position 6 is none of 0-9, a-f
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_text::{Alphabet, AlphabetCodec, Codec as _, ParseError, StaticAlphabet, base36};

/// The alphabet of hexadecimal digits.
struct Hex;

impl StaticAlphabet for Hex {
    const ALPHABET: Alphabet = match Alphabet::new("0123456789abcdef", "0-9, a-f") {
        Some(alphabet) => alphabet,
        None => panic!("sixteen distinct characters"),
    };
}

/// Four bytes as eight digits.
type Word = AlphabetCodec<Hex, 4, 8>;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let text = Word::text(&[20, 26, 11, 22]);
    println!("20-26-11-22 as hexadecimal digits: 14 1a 0b 16 -> {text}");
    println!("the largest number in Base36: {}", base36::encode_padded(u64::MAX));

    match Word::parse(b"141a0bO6") {
        Ok(word) => println!("read {word:?}"),
        Err(kind) => println!("a typing error: {}", ParseError::new("word", kind)),
    }
    Ok(())
}
