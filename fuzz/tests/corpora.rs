//! Every committed input, once more, without a fuzzer.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use tickid_fuzz::TARGETS;

#[test]
fn promises_hold_for_every_committed_input() {
    let mut broken = Vec::new();
    for (name, check) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let inputs = fs::read_dir(&folder).unwrap().map(|input| input.unwrap().path());
        let mut inputs: Vec<_> = inputs.collect();
        inputs.sort();
        assert!(!inputs.is_empty(), "{} is empty", folder.display());
        for input in inputs {
            let data = fs::read(&input).unwrap();
            if std::panic::catch_unwind(|| check(&data)).is_err() {
                broken.push(input);
            }
        }
    }
    assert!(broken.is_empty(), "a promise is broken, see above, for {broken:#?}");
}

/// Not one that is forgotten in the list is a program of its own.
#[test]
fn every_target_is_a_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut programs: Vec<_> =
        files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    programs.sort();
    let targets: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(programs, targets);
}
