//! Replays every committed input and every recorded text, without a fuzzer.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use tickid_fuzz::{Check, TARGETS, seeds};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn committed(target: &str) -> Vec<Vec<u8>> {
    let path = root().join("fuzz/corpus").join(target).with_extension("txt");
    seeds::unpack(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the line of each input that breaks a promise of the target.
fn broken_by(name: &str, check: Check, inputs: &[Vec<u8>]) -> Vec<String> {
    let breaks = |input: &&Vec<u8>| std::panic::catch_unwind(|| check(input)).is_err();
    let broken = inputs.iter().filter(breaks);
    broken.map(|input| format!("{name}: {}", seeds::pack(input))).collect()
}

#[test]
fn committed_inputs_pass() {
    let mut broken = Vec::new();
    for (name, check) in TARGETS {
        let inputs = committed(name);
        assert!(!inputs.is_empty(), "{name} has no input");
        broken.extend(broken_by(name, *check, &inputs));
    }
    assert!(broken.is_empty(), "a promise is broken, see above, by {broken:#?}");
}

#[test]
fn recorded_texts_pass() {
    let mut count = 0;
    let mut broken = Vec::new();
    for (name, check) in TARGETS {
        let inputs = seeds::of_recordings(root(), name).unwrap();
        count += inputs.len();
        broken.extend(broken_by(name, *check, &inputs));
    }
    assert!(count > 10_000, "only {count} recorded texts");
    assert!(broken.is_empty(), "a promise is broken, see above, by {broken:#?}");
}

/// Inputs that occur twice only make the files longer.
#[test]
fn committed_inputs_are_new() {
    for (name, _) in TARGETS {
        let mut inputs = committed(name);
        let recorded = seeds::of_recordings(root(), name).unwrap();
        for input in &inputs {
            assert!(!recorded.contains(input), "{name}: {}", seeds::pack(input));
        }
        inputs.sort();
        for pair in inputs.windows(2) {
            assert_ne!(pair[0], pair[1], "{name}: {}", seeds::pack(&pair[0]));
        }
    }
}

#[test]
fn packed_inputs_round_trip() {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    for input in [&all, &b"# no comment"[..], b"", b"\"", b"\\x41"] {
        assert_eq!(seeds::unpack(&seeds::pack(input)).unwrap(), [input]);
    }
}

#[test]
fn malformed_lines_are_named() {
    for line in
        ["a", "\"", "\"a", "\"\\\"", "\"\\x4\"", "\"\\xg0\"", "\"\\e\"", "\"\"\"", "\"é\"", ""]
    {
        let error = seeds::unpack(&format!("# first\n{line}\n")).unwrap_err().to_string();
        assert!(error.starts_with("line 2 is not an escaped input"), "{error}");
    }
}

/// No program may be missing in the list of targets, which is what is replayed.
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

#[test]
fn every_corpus_has_a_target() {
    for file in fs::read_dir(root().join("fuzz/corpus")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(TARGETS.iter().any(|(target, _)| *target == name), "{}", path.display());
        assert_eq!(path.extension().unwrap(), "txt", "{}", path.display());
    }
}
