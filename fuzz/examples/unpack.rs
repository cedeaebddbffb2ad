//! Writes the inputs of a target, one file each: `cargo run --example unpack -- TARGET FOLDER`.

use std::env;
use std::fs;
use std::io;
use std::path::Path;

use tickid_fuzz::seeds;

fn main() -> io::Result<()> {
    let usage = || io::Error::new(io::ErrorKind::InvalidInput, "usage: unpack TARGET FOLDER");
    let mut arguments = env::args().skip(1);
    let (target, folder) =
        (arguments.next().ok_or_else(usage)?, arguments.next().ok_or_else(usage)?);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or_else(usage)?;
    fs::create_dir_all(&folder)?;
    for (number, input) in seeds::inputs(root, &target)?.iter().enumerate() {
        fs::write(Path::new(&folder).join(number.to_string()), input)?;
    }
    Ok(())
}
