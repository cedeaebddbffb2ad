//! Converts an ID between schemes, and restores it.
//!
//! ```text
//! $ cargo run -p tickid-convert --example convert-quickstart
//! SCRU64 0u375nxqh5cq -> sno 83thvaq22224mqss -> SCRU64 0u375nxqh5cq
//! SCRU64 0u375nxqh5cq -> kuid .5YdMF...1cQ7GYL
//! lost: time coarsened by 832µs, sequence narrowed by 2 bits that held 2
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_convert::{Layouts, Options, convert, convert_exact, restore};
use tickid_kuid::GlobalId;
use tickid_scru64::{NodeIdSize, Scru64Id};
use tickid_sno::SnoId;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let id: Scru64Id = "0u375nxqh5cq".parse()?;
    // An ID does not contain the size of its node.
    let source = Layouts { node_size: Some(NodeIdSize::new(8)?), ..Layouts::default() };
    let options = Options { source, ..Options::default() };

    let sno: SnoId = convert_exact(id, &options)?; // an error if anything were lost
    let back: Scru64Id = restore(sno, &options)?;
    assert_eq!(back, id);
    println!("SCRU64 {id} -> sno {sno} -> SCRU64 {back}");

    let kuid = convert::<GlobalId>(id, &options)?;
    println!("SCRU64 {id} -> kuid {}", kuid.id);
    println!("lost: {}", kuid.loss);
    Ok(())
}
