//! Adds inputs to those that are committed for a target: `cargo run --example pack -- TARGET
//! FILE…`.
//!
//! Inputs that are already there, or that the vectors contain, are left out.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use tickid_fuzz::seeds;

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let usage = || io::Error::new(io::ErrorKind::InvalidInput, "usage: pack TARGET FILE…");
    let target = arguments.next().ok_or_else(usage)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or_else(usage)?;
    let mut known = seeds::inputs(root, &target)?;
    let corpus = root.join("fuzz/corpus").join(target).with_extension("txt");
    let mut corpus = fs::OpenOptions::new().append(true).open(corpus)?;
    for file in arguments {
        let input = fs::read(file)?;
        if !known.contains(&input) {
            writeln!(corpus, "{}", seeds::pack(&input))?;
            known.push(input);
        }
    }
    Ok(())
}
