//! Takes over from a program with the same node, for example one that uses the crate `scru64`. The
//! node spec carries its last ID, and the new generator continues after it.
//!
//! ```text
//! $ cargo run -p tickid-scru64 --example scru64-migrate
//! the last ID of the old program   0u375nxqh5cq
//! the first ID of the new program  0w6izhtbljrs
//! to go on from here               0w6izhtbljrs/8
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_scru64::{Generator, NodeIdSize, NodeSpec, Scru64Id};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let last: Scru64Id = "0u375nxqh5cq".parse()?;
    println!("the last ID of the old program   {last}");

    // An ID does not contain the size of its node, so both programs must agree on it.
    let spec = NodeSpec::with_node_prev(last, NodeIdSize::new(8)?);
    let generator = Generator::new(spec)?;
    let id = generator.generate()?;
    assert!(id > last);
    println!("the first ID of the new program  {id}");

    // For the next one to take over.
    println!("to go on from here               {}", NodeSpec::from(&generator));
    Ok(())
}
