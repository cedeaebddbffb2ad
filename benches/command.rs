//! `command`: the `tickid` command, end to end, from the start of the process to its end. A time is
//! for one ID or line.

use core::fmt::Display;
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use serde_json::Value;
use tickid_benches::subject::Subject;
use tickid_benches::texts::ids;
use tickid_benches::{START_MILLIS, criterion};
use tickid_core::Variant;
use tickid_kuid::Kuid;
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;

const LINES: u64 = 1_000_000;

fn command(c: &mut Criterion) {
    let program = Program::build();
    let inputs = program.0.with_file_name("bench-inputs");
    fs::create_dir_all(&inputs).expect("a folder to write to");
    // The input comes from files so that no other process takes part in the work.
    let files = [
        ("scru64", texts::<Scru64>()),
        ("nanoflake", texts::<Nanoflake>()),
        ("kuid", texts::<Kuid>()),
        ("sno", texts::<Sno>()),
        ("integers", snowflakes()),
        ("mixture", mixture()),
    ];
    for (name, texts) in &files {
        let lines = texts.iter().cycle().take(LINES as usize);
        let lines: String = lines.flat_map(|text| [text, "\n"]).collect();
        fs::write(inputs.join(name), lines).expect("a file to write to");
    }
    let count = LINES.to_string();

    let mut group = c.benchmark_group("command");
    // A run takes a third of a second.
    group.sampling_mode(SamplingMode::Flat).sample_size(10).throughput(Throughput::Elements(LINES));
    let mut measure = |name: &str, args: &[&str], input: Option<&str>| {
        let input = input.map(|input| inputs.join(input));
        group.bench_function(name, |b| {
            b.iter_custom(|runs| (0..runs).map(|_| program.time(args, input.as_deref())).sum());
        });
    };
    measure("gen sno", &["gen", "sno", "-n", &count], None);
    for (name, _) in files {
        measure(&format!("inspect --json/{name}"), &["inspect", "--json"], Some(name));
    }
    let named = ["inspect", "--json", "--from", "sno"];
    measure("inspect --json --from sno", &named, Some("sno"));
    measure("convert", &["convert", "--from", "sno", "--to", "uuid-v7"], Some("sno"));
    group.finish();
}

/// Returns IDs of a scheme. Texts with fewer digits could be words, which are refused.
fn texts<S: Subject>() -> Vec<String>
where
    <S::Variant as Variant<S>>::Id: Display,
{
    let texts = ids::<S>().map(|id| id.to_string()).into_iter();
    texts.filter(|text| text.bytes().filter(u8::is_ascii_digit).count() >= 3).collect()
}

fn snowflakes() -> Vec<String> {
    const TWITTERS_EPOCH: u64 = 1_288_834_974_657;
    let ids = (0..1_024).map(|id| ((START_MILLIS - TWITTERS_EPOCH + 1_234 * id) << 22) | id);
    ids.map(|id| id.to_string()).collect()
}

/// Returns the labelled IDs of all formats.
fn mixture() -> Vec<String> {
    let vectors = include_str!("../tests/vectors/detect.json");
    let vectors: Value = serde_json::from_str(vectors).expect("JSON");
    let texts = vectors["ids"].as_array().expect("IDs").iter();
    texts.filter_map(|id| id["text"].as_str().map(str::to_owned)).collect()
}

/// The command's program.
struct Program(PathBuf);

impl Program {
    fn build() -> Self {
        let this = env::current_exe().expect("a path");
        // This program is in `release/deps`.
        let target = this.ancestors().nth(3).expect("the target folder");
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args([
            "build",
            "--quiet",
            "--profile",
            "dist",
            "--locked",
            "--package",
            "tickid-cli",
        ]);
        cargo.arg("--target-dir").arg(target);
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        assert!(
            cargo.current_dir(root).status().expect("cargo").success(),
            "no command to measure"
        );
        Self(target.join("dist").join("tickid"))
    }

    /// Runs the command and returns the time that it took.
    fn time(&self, args: &[&str], input: Option<&Path>) -> Duration {
        let input = input.map(|input| File::open(input).expect("a file that was written"));
        let mut command = Command::new(&self.0);
        command
            .args(args)
            // This keeps its leases apart from the user's.
            .env("XDG_STATE_HOME", self.0.with_file_name("bench-state"))
            .env_remove("TICKID_STORE")
            .stdin(input.map_or_else(Stdio::null, Stdio::from))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let start = Instant::now();
        let status = command.status().expect("the command runs");
        let passed = start.elapsed();
        // 1 says that lines were refused, as a few of the mixture are.
        assert!(matches!(status.code(), Some(0 | 1)), "tickid {}: {status}", args.join(" "));
        passed
    }
}

criterion_group! { name = benches; config = criterion(); targets = command }
criterion_main!(benches);
