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
const DPKG: Tool = ("dpkg-shlibdeps --version", "apt-get install dpkg-dev");
const MAN: Tool = ("man --version", "apt-get install man-db");
const SEMVER_CHECKS: Tool =
    ("cargo semver-checks --version", "cargo install --locked cargo-semver-checks");
const RELEASE: Tool = ("git describe --tags --match 'v[0-9]*'", "nothing has been released yet");
const MSRV: Tool = ("rustup run 1.89 cargo --version", "rustup toolchain install 1.89");
const BETA: Tool = ("rustup run beta cargo --version", "rustup toolchain install beta");
/// 32-bit programs run on 64-bit processors.
const GCC_32: Tool =
    ("echo 'int main;' | gcc -m32 -x c -c -o /dev/null -", "apt-get install gcc-multilib");
const GCC_AARCH64: Tool =
    ("aarch64-linux-gnu-gcc --version", "apt-get install gcc-aarch64-linux-gnu");
const QEMU_AARCH64: Tool = ("qemu-aarch64 --version", "apt-get install qemu-user");

/// A target's standard library.
macro_rules! target {
    ($target:literal) => {
        (
            concat!("rustup target list --installed | grep --quiet --line-regexp ", $target),
            concat!("rustup target add ", $target),
        )
    };
}

/// The libraries, checked for a target as in `.github/workflows/ci.yml`.
macro_rules! builds_for {
    ($name:literal, $target:literal, $features:literal) => {
        cargo(
            concat!("target-", $name),
            concat!("core and schemes compile for ", $target),
            concat!(
                "check --target ",
                $target,
                " --no-default-features ",
                $features,
                " {core} {schemes}"
            ),
        )
        .needs(const { &[target!($target)] })
    };
}

/// The tests of the portable paths on another processor.
macro_rules! tests_on {
    ($target:literal) => {
        concat!(
            "test --target ",
            $target,
            " {text} {core} {schemes} {convert} --features levels --lib --test vectors ",
            "--test codecs --test properties --test invariants --test closing --test lifecycle"
        )
    };
}

const WASM: Tool = target!("wasm32-unknown-unknown");
const NODE: Tool = ("node --version && npm --version", "apt-get install npm");
const PYTHON: Tool = ("python3 -m venv --help", "apt-get install python3-venv");
const OPENSSL: Tool = ("openssl version", "apt-get install openssl");
const REDIS_TOOLS: Tool = ("redis-benchmark --version", "apt-get install redis-tools");
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
        "features",
        "every library compiles with each of its features alone",
        "xtask lint each-feature",
    ),
    cargo(
        "package",
        "every crate builds from its own package, with the other packages",
        "package --workspace --exclude tickid-testkit --exclude xtask --allow-dirty",
    ),
    cargo(
        "docs-rs",
        "the documentation builds as docs.rs builds it, without warnings",
        "doc --workspace --exclude tickid-testkit --exclude xtask --no-deps --all-features",
    )
    .nightly()
    .needs(&[NIGHTLY])
    .env(&[("RUSTDOCFLAGS", "--cfg docsrs -D warnings")]),
    script(
        "debian",
        "the archive and the Debian package install, work and leave nothing behind",
        ".ci/debian",
    )
    .needs(&[DPKG, MAN]),
    script(
        "memory",
        "100 million lines take the command no more memory than a few",
        ".ci/memory",
    ),
    script("semver", "no public item broke since the latest release", ".ci/semver")
        .needs(&[SEMVER_CHECKS, RELEASE]),
    cargo(
        "msrv",
        "the libraries and the command compile with Rust 1.89",
        "check --workspace --exclude tickid-testkit --exclude xtask --all-features",
    )
    .toolchain("1.89")
    .needs(&[MSRV]),
    cargo(
        "beta",
        "everything compiles with the next Rust",
        "check --workspace --all-targets --all-features",
    )
    .toolchain("beta")
    .needs(&[BETA]),
    builds_for!("wasm32", "wasm32-unknown-unknown", "--features std,web"),
    builds_for!("thumbv7em", "thumbv7em-none-eabihf", ""),
    builds_for!("i686", "i686-unknown-linux-gnu", "--features std"),
    builds_for!("aarch64", "aarch64-unknown-linux-gnu", "--features std"),
    cargo(
        "tests-i686",
        "codecs, engine and schemes pass their tests with 32-bit pointers",
        tests_on!("i686-unknown-linux-gnu"),
    )
    .needs(&[target!("i686-unknown-linux-gnu"), GCC_32]),
    cargo(
        "tests-aarch64",
        "codecs, engine and schemes pass their tests on aarch64, emulated",
        tests_on!("aarch64-unknown-linux-gnu"),
    )
    .needs(&[target!("aarch64-unknown-linux-gnu"), GCC_AARCH64, QEMU_AARCH64])
    .env(&[
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc"),
        (
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER",
            "qemu-aarch64 -L /usr/aarch64-linux-gnu",
        ),
    ]),
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
    .env(&[
        ("RUSTFLAGS", "-Zsanitizer=address"),
        ("ASAN_OPTIONS", "detect_leaks=0"),
        ("CARGO_PROFILE_TEST_OPT_LEVEL", "1"),
        ("TICKID_SCALE", "10"),
    ]),
    cargo(
        "thread",
        "no data race while threads share a generator",
        // The standard library is instrumented as well: otherwise each of its locks is reported.
        "test -Zbuild-std --target host-tuple {core} {schemes} --test threads --test closing \
         --test concurrent",
    )
    .nightly()
    .needs(&[NIGHTLY, SOURCES])
    .env(&[
        ("RUSTFLAGS", "-Zsanitizer=thread"),
        ("CARGO_PROFILE_TEST_OPT_LEVEL", "1"),
        ("TICKID_SCALE", "10"),
    ]),
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
        "storms",
        "eight threads of a million IDs each while the clock leaps, and long schedules of one thread: \
         no promise broken",
        "test {core} {schemes} --features std --test concurrent --test threads --test closing \
         --test stalls --test invariants --test reference",
    )
    .env(&[("TICKID_SCALE", "10"), ("PROPTEST_CASES", "1024")]),
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
    .env(&[("TICKID_SIMULATION_SEEDS", "5000000"), ("TICKID_SCALE", "3")]),
    cargo(
        "serve",
        "servers over one store of each kind, killed, stopped, paused, cut off and misled for ten \
         minutes under the load of 64 clients: no ID twice, none out of its window",
        "test --package tickid-cli --test serve -- --test-threads=1 no_id_comes_twice",
    )
    .env(&[("TICKID_SERVE_SECONDS", "600"), ("TICKID_SERVE_OUTAGE", "60")]),
    cargo(
        "connections",
        "10,000 idle connections are kept, in little memory",
        "test --package tickid-cli --test serve -- idle_connections_are_kept",
    )
    .env(&[("TICKID_CONNECTIONS", "10000")]),
    script(
        "clients",
        "clients of other languages, and a tester of the OpenAPI description, and the server agree",
        ".ci/clients",
    )
    .needs(&[PYTHON, REDIS_TOOLS, OPENSSL])
    .env(&[("TICKID_SERVER_REQUESTS", "10000")]),
    script(
        "web",
        "the page and the npm package read every ID in `vectors` as the command does",
        ".ci/web",
    )
    .needs(&[WASM, NODE]),
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
    cargo(
        "functions",
        "ten million IDs of each scheme from PostgreSQL, by 64 connections of pgbench, none twice",
        "test {lease} --features postgres --test functions",
    )
    .env(&[("TICKID_SQL_IDS", "10000000"), ("TICKID_REQUIRE_SERVERS", "1")]),
    processes!("file"),
    processes!("postgres"),
    processes!("mysql"),
    processes!("etcd"),
    processes!("redis"),
    cargo(
        "fleets",
        "1,000 holders over each server start at once; 1,000, or 200 over SQL databases, outlive an \
         outage and recover from a loss",
        "test {lease} --features etcd,mysql,postgres,redis --test fleets -- --test-threads=1",
    )
    .env(&[("TICKID_HOLDERS", "1000")]),
];
