//! The default clock and the default generators of all schemes while the wall clock of their
//! process is stepped and slewed.
//!
//! Each test is a separate process, which has the shim of `shim.c` and runs one of the scenarios.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn main() {}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod scenario;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod shim;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn main() -> std::process::ExitCode {
    use shim::Shim;

    if shim::is_preloaded() {
        scenario::run(&std::env::args().nth(1).unwrap());
        return std::process::ExitCode::SUCCESS;
    }
    macro_rules! tests {
        ($($name:ident: $scenario:literal),* $(,)?) => {
            &[$((stringify!($name), |shim: &Shim| {
                if let Err(what) = shim.run($scenario) {
                    panic!("{what}");
                }
            })),*]
        };
    }
    tickid_testkit::servers::run::<Shim>(tests![
        the_clock_follows_steps_and_slews: "clock",
        scru64_stays_within_its_bound: "scru64",
        nanoflake_stays_in_its_bound: "nanoflake",
        kuid_stays_within_its_bound: "kuid",
        sno_stays_within_its_bound: "sno",
        peers_an_hour_ahead_move_nothing: "observe",
    ])
}
