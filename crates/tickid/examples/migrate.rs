//! Moves a table from one scheme to another and back: SCRU64 to sno, which keeps the order. Then it
//! carries the IDs into UUIDs that sort by time like UUIDv7.
//!
//! ```text
//! $ cargo run -p tickid --example migrate
//! 0u375nxqh5cq  ->  83thvaq22224mqss  ->  0186d52b-be00-7018-9b54-aef8a98d6801
//! 0u375nxqh5cr  ->  83thvaq22224mqst  ->  0186d52b-be00-7018-9b54-aef8a98d6c01
//! 0v3s1nwcyrdc  ->  8ua8pmu222244wqi  ->  01940806-1f00-7019-9020-187c85ec4001
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid::convert::{Options, Settings, carry, convert_exact, restore};
use tickid::scru64::{NodeIdSize, Scru64Id};
use tickid::sno::SnoId;

const COLUMN: [&str; 3] = ["0u375nxqh5cq", "0u375nxqh5cr", "0v3s1nwcyrdc"];

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // An ID does not contain the size of its node.
    let source = Settings { node_size: Some(NodeIdSize::new(8)?), ..Settings::default() };
    let options = Options { source, ..Options::default() };

    let mut ids = Vec::new();
    for text in COLUMN {
        let old: Scru64Id = text.parse()?;
        let new: SnoId = convert_exact(old, &options)?; // an error if anything were lost
        assert_eq!(restore::<Scru64Id, _>(new, &options)?, old);
        let uuid = carry::to_uuid_v7(old, &source)?;
        println!("{old}  ->  {new}  ->  {uuid}");
        ids.push((new, uuid));
    }
    assert!(ids.is_sorted_by_key(|(new, _)| new) && ids.is_sorted_by_key(|(_, uuid)| uuid));
    Ok(())
}
