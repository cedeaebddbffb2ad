//! Takes over from a Go program: reads the snapshot of its generator, issues IDs, and writes a
//! snapshot for the way back.
//!
//! ```text
//! $ cargo run -p tickid-sno --example sno-migrate --features serde
//! the first ID after the snapshot  9q8xn3l6222i6222
//!  partition: [1,2]
//!   sequence: 0
//!     wallHi: 133261247282
//!     drifts: 0
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_sno::{Generator, GeneratorSnapshot};

/// The JSON of a `GeneratorSnapshot` of the Go library.
const SNAPSHOT: &str = r#"{
    "partition": [1, 2],
    "sequenceMin": 0, "sequenceMax": 65535, "sequence": 17,
    "now": 100000000000, "wallHi": 100000000000, "wallSafe": 0, "drifts": 0
}"#;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let snapshot: GeneratorSnapshot = serde_json::from_str(SNAPSHOT)?;
    let generator: Generator = snapshot.builder()?.build()?;
    println!("the first ID after the snapshot  {}", generator.generate()?);

    // Closes the generator: it issues nothing that the Go program could issue again.
    let json = serde_json::to_value(GeneratorSnapshot::closing(&generator)?)?;
    for field in ["partition", "sequence", "wallHi", "drifts"] {
        println!("{field:>10}: {}", json[field]);
    }
    Ok(())
}
