use crate::memcheck::memcheck;
use crate::verify::step::{Need, Step, cargo, chore};

const VALGRIND: Need =
    Need { what: "valgrind", probe: &["valgrind", "--version"], get: "apt-get install valgrind" };

/// All of them, cheap ones first. A step is a line: its name, what it shows, and a command of cargo's.
pub(super) fn steps() -> Vec<Step> {
    vec![
        chore("memcheck", "no kernel of the codecs reads or writes beyond its arrays", memcheck)
            .needs(&VALGRIND),
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
        cargo("simulation", "a million worlds of holders and a store: no ID twice")
            .args("test --release --package tickid-lease --test simulation")
            .env("TICKID_SIMULATION_SEEDS", "1000000"),
        processes("processes-file", "file::"),
        processes("processes-postgres", "postgres::"),
        processes("processes-etcd", "etcd::"),
        processes("processes-redis", "redis::"),
    ]
}

/// Those whose names begin with `group`.
fn processes(name: &'static str, group: &'static str) -> Step {
    cargo(
        name,
        "processes killed, stopped, cut off and misled: no ID twice, none outside of its window",
    )
    .args("test --package tickid-lease --features etcd,postgres,redis --test processes --")
    .args(group)
    .env("TICKID_PROCESSES_AT_ONCE", "32")
    .env("TICKID_KILLS", "500")
    .env("TICKID_POOLS", "100")
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
