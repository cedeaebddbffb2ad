use crate::deny;
use crate::memcheck::memcheck;
use crate::mutants::mutants;
use crate::soak;
use crate::verify::step::{Need, Step, cargo, chore};

const VALGRIND: Need = Need {
    what: "valgrind",
    probe: &["valgrind", "--version"],
    prints: "valgrind",
    get: "apt-get install valgrind",
};

const MIRI: Need = Need {
    what: "Miri for nightly",
    probe: &["rustup", "run", "nightly", "cargo", "miri", "--version"],
    prints: "miri",
    get: "rustup component add --toolchain nightly miri rust-src",
};

const CARGO_DENY: Need = Need {
    what: "cargo-deny",
    probe: &["cargo", "deny", "--version"],
    prints: "cargo-deny",
    get: "cargo install --locked cargo-deny",
};

const ADVISORIES: Need = Need {
    what: "database of advisories, nor a way to fetch it",
    probe: &["cargo", "deny", "fetch", "db"],
    prints: "",
    get: "it takes the network",
};

const SOURCES: Need = Need {
    what: "sources of nightly's standard library",
    probe: &["rustup", "component", "list", "--toolchain", "nightly", "--installed"],
    prints: "rust-src",
    get: "rustup component add --toolchain nightly rust-src",
};

const MUTANTS: Need = Need {
    what: "cargo-mutants",
    probe: &["cargo", "mutants", "--version"],
    prints: "cargo-mutants",
    get: "cargo install --locked cargo-mutants",
};

const AVX512: Need = Need {
    what: "processor with AVX-512 VBMI, whose kernels are among what is changed",
    probe: &["grep", "--max-count=1", "--only-matching", "avx512vbmi", "/proc/cpuinfo"],
    prints: "avx512vbmi",
    get: "another machine",
};

/// All of them, cheap ones first. A step is a line: its name, what it shows, and a command of cargo's.
pub(super) fn steps() -> Vec<Step> {
    vec![
        cargo("compile-fail", "examples that must not compile fail with the errors that they name")
            .args("test --doc --package tickid-core --package tickid-kuid")
            .args("--package tickid-nanoflake --package tickid-scru64 --package tickid-sno")
            // Error codes are compared by compilers only that take unstable options.
            .env("RUSTC_BOOTSTRAP", "1"),
        cargo("package", "every crate builds from its own package, with the other packages")
            .args("package --workspace --exclude tickid-testkit --exclude xtask --allow-dirty"),
        chore(
            "dependencies",
            "licences and sources of what all workspaces depend on are as deny.toml has it",
            deny::dependencies,
        )
        .needs(&CARGO_DENY),
        chore(
            "advisories",
            "nothing is known against the versions in the lock files",
            deny::advisories,
        )
        .needs(&CARGO_DENY)
        .needs(&ADVISORIES),
        chore("memcheck", "no kernel of the codecs reads or writes beyond its arrays", memcheck)
            .needs(&VALGRIND),
        cargo("corpora", "no input that a fuzzer ever found breaks a promise")
            .folder("fuzz")
            .args("test"),
        cargo("address", "no unsafe block, nor what it is told, reads or writes out of bounds")
            .nightly()
            .args("test --target host-tuple --lib --tests --features tickid-text/levels")
            .args("--package tickid-core --package tickid-text --package tickid-scru64")
            .args("--package tickid-nanoflake")
            .args("--package tickid-kuid --package tickid-sno --package tickid-convert")
            .env("RUSTFLAGS", "-Zsanitizer=address")
            // An observer that holds its own generator, in a test, is a cycle that is never freed.
            .env("ASAN_OPTIONS", "detect_leaks=0"),
        cargo("thread", "no data race while threads share a generator")
            .nightly()
            .needs(&SOURCES)
            // The standard library is instrumented as well: else each of its locks is reported.
            .args("test -Zbuild-std --target host-tuple --test threads --test closing")
            .args("--test concurrent --package tickid-core --package tickid-scru64")
            .args("--package tickid-nanoflake --package tickid-kuid --package tickid-sno")
            .env("RUSTFLAGS", "-Zsanitizer=thread"),
        miri("miri", ""),
        miri("miri-big-endian", "--target s390x-unknown-linux-gnu"),
        cargo(
            "loom",
            "every order of a few calls, with up to three preemptions: no promise broken",
        )
        .args("test --package tickid-core --lib models -- --show-output")
        .env("RUSTFLAGS", "--cfg tickid_loom")
        .env("LOOM_MAX_PREEMPTIONS", "3"),
        cargo("shuttle", "100,000 random orders of four threads, six times: no promise broken")
            .args("test --package tickid-core --lib models -- --show-output")
            .env("RUSTFLAGS", "--cfg tickid_shuttle")
            .env("TICKID_SCHEDULES", "100000"),
        cargo("simulation", "five million worlds of holders and a store: no ID twice")
            .args("test --release --package tickid-lease --test simulation")
            // Ten minutes of two processors.
            .env("TICKID_SIMULATION_SEEDS", "5000000"),
        chore("mutants", "a test fails for every change to engine, policies and codecs", mutants)
            .needs(&MUTANTS)
            .needs(&AVX512),
        cargo("soak", "a billion IDs of each scheme, none twice; ten years of clock steps")
            .args(soak::TESTS),
        processes("processes-file", "file::"),
        processes("processes-postgres", "postgres::"),
        processes("processes-etcd", "etcd::"),
        processes("processes-redis", "redis::"),
    ]
}

/// The portable paths, without what goes through so much that an interpreter takes hours for it.
fn miri(name: &'static str, target: &'static str) -> Step {
    cargo(name, "no undefined behaviour in core, schemes and conversions; the portable paths")
        .nightly()
        .needs(&MIRI)
        .args("miri test --lib --test vectors --test codecs --test closing --test lifecycle")
        .args("--features tickid-text/levels")
        .args("--package tickid-core --package tickid-text --package tickid-scru64")
        .args("--package tickid-nanoflake")
        .args("--package tickid-kuid --package tickid-sno --package tickid-convert")
        .args(target)
        .args("-- --skip every_pair_of_bytes --skip every_wrong_byte --skip every_length")
        .args("--skip up_to_what_is_wrong --skip of_the_system_clock --skip than_another_has_seen")
        .args("--skip ids_of_all_handles_are_distinct --skip every_four_digits")
        .args("--skip numbers_next_to_multiples --skip many_idle_handles --skip steps_are_kuids")
        .args("--skip the_most_is_what_some_tick_has --skip ticks_are_counted_from_a_time")
        // The same texts, of vectors that take minutes to be read, as in tests of core.
        .args("--skip every_level_writes_and_reads_what_is_recorded")
        .env("MIRIFLAGS", "-Zmiri-disable-isolation")
        // Of panics that tests ask for; each takes most of a minute.
        .env("RUST_BACKTRACE", "0")
        .env("PROPTEST_CASES", "1")
}

/// Those whose names begin with `group`.
fn processes(name: &'static str, group: &'static str) -> Step {
    cargo(
        name,
        "processes killed, stopped, cut off and misled: no ID twice, none outside of its window",
    )
    .args("test --package tickid-lease --features etcd,postgres,redis --test processes --")
    .args(group)
    // Each is more than a hundred processes at times.
    .args("--test-threads=1")
    .env("TICKID_PROCESSES_AT_ONCE", "32")
    .env("TICKID_KILLS", "500")
    .env("TICKID_POOLS", "100")
    .env("TICKID_RESTARTS", "20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_steps_have_one_name() {
        let mut names: Vec<_> = steps().iter().map(|step| step.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
