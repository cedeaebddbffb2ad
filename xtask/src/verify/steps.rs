//! The list of steps, cheap ones first.

use crate::tables::{BENCHES, FUZZ};
use crate::verify::step::{Step, Tool, cargo, script};

const VALGRIND: Tool = ("valgrind --version", "apt-get install valgrind");
const NIGHTLY: Tool = ("rustup run nightly cargo --version", "rustup toolchain install nightly");
const MIRI: Tool = (
    "rustup run nightly cargo miri --version",
    "rustup component add --toolchain nightly miri rust-src",
);
const SOURCES: Tool = (
    "rustup component list --toolchain nightly --installed | grep rust-src",
    "rustup component add --toolchain nightly rust-src",
);
const CARGO_DENY: Tool = ("cargo deny --version", "cargo install --locked cargo-deny");
const ADVISORIES: Tool = ("cargo deny fetch db", "needs the network");
const CARGO_MUTANTS: Tool = ("cargo mutants --version", "cargo install --locked cargo-mutants");
const CARGO_FUZZ: Tool = ("cargo fuzz --version", "cargo install --locked cargo-fuzz");
/// The mutated code includes kernels for AVX-512.
const AVX512: Tool = ("grep --quiet avx512vbmi /proc/cpuinfo", "needs another processor");

/// For Miri: without isolation; few cases; without backtraces of expected panics, each of which
/// takes most of a minute.
const INTERPRETED: &[(&str, &str)] =
    &[("MIRIFLAGS", "-Zmiri-disable-isolation"), ("RUST_BACKTRACE", "0"), ("PROPTEST_CASES", "1")];

/// The portable paths. Tests that take an interpreter hours are ignored there.
macro_rules! miri {
    ($target:literal) => {
        concat!(
            "miri test {text} {core} {schemes} {convert} --features levels --lib --test vectors ",
            "--test codecs --test closing --test lifecycle ",
            $target
        )
    };
}

/// The tests of processes with one store. Each is more than a hundred processes at times.
macro_rules! processes {
    ($store:literal) => {
        cargo(
            concat!("processes-", $store),
            "processes killed, stopped, cut off and misled: no ID twice, none out of its window",
            concat!(
                "test {lease} --features etcd,mysql,postgres,redis --test processes -- \
                 --test-threads=1 ",
                $store,
                "::"
            ),
        )
        .env(&[
            ("TICKID_PROCESSES_AT_ONCE", "32"),
            ("TICKID_KILLS", "500"),
            ("TICKID_POOLS", "100"),
            ("TICKID_RESTARTS", "20"),
        ])
    };
}

pub(super) const STEPS: &[Step] = &[
    cargo(
        "compile-fail",
        "examples that must not compile fail with the errors that they name",
        "test --doc {core} {schemes}",
    )
    // Only compilers that take unstable options compare error codes.
    .env(&[("RUSTC_BOOTSTRAP", "1")]),
    cargo(
        "package",
        "every crate builds from its own package, with the other packages",
        "package --workspace --exclude tickid-testkit --exclude xtask --allow-dirty",
    ),
    script(
        "dependencies",
        "licences, sources and versions of all dependencies are as in deny.toml",
        ".ci/deny bans licenses sources",
    )
    .needs(&[CARGO_DENY]),
    script("advisories", "no advisory concerns the locked versions", ".ci/deny advisories")
        .needs(&[CARGO_DENY, ADVISORIES]),
    cargo("benches", "the benchmarks build", "bench --no-run").folder(BENCHES),
    cargo(
        "instructions",
        "no hot path takes more instructions than recorded",
        "run --package tickid-bench-report -- --check",
    )
    .folder(BENCHES)
    .needs(&[VALGRIND]),
    script(
        "memcheck",
        "no kernel of the codecs reads or writes beyond its arrays; AVX-512 aside",
        ".ci/memcheck",
    )
    .needs(&[VALGRIND]),
    cargo("corpora", "no recorded fuzzer input breaks a promise", "test --workspace").folder(FUZZ),
    cargo(
        "address",
        "no unsafe block and no caller of one reads or writes out of bounds",
        "test --target host-tuple --lib --tests --features levels {text} {core} {schemes} {convert}",
    )
    .nightly()
    .needs(&[NIGHTLY])
    // An observer that holds its own generator, in a test, is a cycle that is never freed.
    .env(&[("RUSTFLAGS", "-Zsanitizer=address"), ("ASAN_OPTIONS", "detect_leaks=0")]),
    cargo(
        "thread",
        "no data race while threads share a generator",
        // The standard library is instrumented as well: otherwise each of its locks is reported.
        "test -Zbuild-std --target host-tuple {core} {schemes} --test threads --test closing \
         --test concurrent",
    )
    .nightly()
    .needs(&[NIGHTLY, SOURCES])
    .env(&[("RUSTFLAGS", "-Zsanitizer=thread")]),
    cargo("miri", "no undefined behaviour in the portable paths", miri!(""))
        .nightly()
        .needs(&[MIRI])
        .env(INTERPRETED),
    cargo(
        "miri-big-endian",
        "the same on a big-endian processor",
        miri!("--target s390x-unknown-linux-gnu"),
    )
    .nightly()
    .needs(&[MIRI])
    .env(INTERPRETED),
    cargo(
        "loom",
        "every order of a few calls, with up to three preemptions: no promise broken",
        "test {core} --lib models -- --show-output",
    )
    .env(&[("RUSTFLAGS", "--cfg tickid_loom"), ("LOOM_MAX_PREEMPTIONS", "3")]),
    cargo(
        "shuttle",
        "100,000 random orders of four threads, six times: no promise broken",
        "test {core} --lib models -- --show-output",
    )
    .env(&[("RUSTFLAGS", "--cfg tickid_shuttle"), ("TICKID_SCHEDULES", "100000")]),
    cargo(
        "simulation",
        "five million worlds of holders and a store: no ID twice",
        "test --release {lease} --test simulation",
    )
    // Ten minutes of two processors.
    .env(&[("TICKID_SIMULATION_SEEDS", "5000000")]),
    script("fuzz", "no input of a minute per fuzz target breaks a promise", "fuzz/run")
        .needs(&[NIGHTLY, CARGO_FUZZ]),
    script(
        "mutants",
        "a test fails for every change to engine, policies and codecs",
        ".ci/mutants",
    )
    .needs(&[CARGO_MUTANTS, AVX512]),
    cargo(
        "soak",
        "a billion IDs of each scheme, none twice; ten years of clock steps",
        // One after the other, as each takes all processors.
        "test --release {schemes} --test soak -- --ignored --nocapture --test-threads=1",
    ),
    processes!("file"),
    processes!("postgres"),
    processes!("mysql"),
    processes!("etcd"),
    processes!("redis"),
    cargo(
        "fleets",
        "1,000 holders over each server start at once, outlive an outage and recover from a loss",
        "test {lease} --features etcd,mysql,postgres,redis --test fleets -- --test-threads=1",
    )
    .env(&[("TICKID_HOLDERS", "1000")]),
];
