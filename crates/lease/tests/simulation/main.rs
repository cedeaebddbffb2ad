//! Many holders and one store, in a world where everything goes wrong: clocks are skewed, stand
//! still and step; processes pause, crash and come back; messages are lost, late and repeated; the
//! store goes down, fails over, loses rows, is restored from a backup, reads from a replica that
//! lags behind, takes live holders for dead, and its pool changes.
//!
//! The engines come from tickid-core and the decisions from the library; the store's own steps are
//! interleaved. After every step: no ID was issued twice, none lies outside its window, no two
//! windows of equal or prefix-related nodes overlap, and no realm was invalidated without reason.
//! After a loss that the store does not notice, the first request is a renewal.
//!
//! A seed determines everything, and a failure names it. `TICKID_SIMULATION_SEEDS` sets the number
//! of seeds to run.
//!
//! Each of the [simplified rules](bug::Bug) is kept, to test that the simulation detects it.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod backend;
mod bug;
mod clock;
mod holder;
mod network;
mod subject;
mod watch;
mod world;

use tickid_testkit::scaled;

use crate::bug::Bug;
use crate::subject::{Kuids, Nanoflakes, Scru64s, Snos};
use crate::world::{Tally, World};

const SEEDS: u64 = 10_000;

/// Runs one world, with one of the four schemes.
fn run(seed: u64, bug: Option<Bug>) -> Result<Tally, String> {
    match seed % 4 {
        0 => World::<Scru64s>::run(seed, bug),
        1 => World::<Nanoflakes>::run(seed, bug),
        2 => World::<Kuids>::run(seed, bug),
        _ => World::<Snos>::run(seed, bug),
    }
}

fn seeds() -> u64 {
    match std::env::var("TICKID_SIMULATION_SEEDS") {
        Ok(count) => count.parse().unwrap(),
        Err(_) => SEEDS,
    }
}

/// Runs half of the seeds: the project's machines have two threads.
fn run_all(part: u64) {
    let mut tally = Tally::default();
    for seed in (0..seeds()).filter(|seed| seed / 4 % 2 == part) {
        match run(seed, None) {
            Ok(one) => tally.add(&one),
            Err(violation) => panic!("seed {seed}: {violation}"),
        }
    }
    // A world in which nothing happens proves nothing.
    for (what, count) in tally.counts() {
        assert!(count > seeds() / 1_000, "{what}: only {count} times");
    }
}

#[test]
fn even_worlds() {
    run_all(0);
}

#[test]
fn odd_worlds() {
    run_all(1);
}

#[test]
fn the_same_seed_is_the_same_world() {
    for seed in 0..20 {
        assert_eq!(run(seed, None), run(seed, None), "seed {seed}");
    }
}

/// Asserts that the simulation detects a simplified rule, as often as [`scaled`] asks for.
fn found_out(bug: Bug) {
    const MOST: u64 = 20_000;
    let violations = (0..MOST).filter_map(|seed| Some((seed, run(seed, Some(bug)).err()?)));
    let found: Vec<_> = violations.take(scaled(1)).collect();
    assert_eq!(
        found.len(),
        scaled(1),
        "{bug:?} goes unnoticed for {MOST} seeds, but for {found:?}"
    );
    println!("{bug:?}: found by {found:?}");
}

macro_rules! bugs {
    ($($test:ident: $bug:ident,)*) => {$(
        #[test]
        fn $test() {
            found_out(Bug::$bug);
        }
    )*};
}
bugs! {
    acquiring_on_the_token_alone_is_found: AcquireOnTokenAlone,
    renewing_on_the_token_alone_is_found: RenewOnTokenAlone,
    releasing_at_the_words_tick_is_found: ReleaseAtWordsTick,
    quarantining_by_waiting_is_found: QuarantineByWaiting,
    closing_by_exhausting_is_found: CloseByExhausting,
    narrow_reconfiguring_is_found: ReconfigureWithoutRelated,
    ignoring_eras_is_found: EraIgnored,
    expiry_after_a_term_is_found: ExpireAfterTerm,
    taking_silence_for_death_is_found: SilenceIsDeath,
    ignoring_proofs_of_loss_is_found: ProofIgnored,
    proofs_of_earlier_eras_are_found: ProofOfEarlierEra,
    proofs_by_the_floor_are_found: ProofByFloor,
    proofs_that_are_not_compared_are_found: ProofNotCompared,
}
