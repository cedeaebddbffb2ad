//! Many holders and one store, in a world where everything goes wrong: clocks are skewed, stand
//! still and step; processes pause, crash and come back; messages are lost, late and repeated; the
//! store goes down, fails over, loses rows, is restored from a backup, reads from a replica that
//! lags behind, takes live holders for dead, and its pool changes, also to nodes of other sizes.
//!
//! The engines come from tickid-core and the decisions from the library; the store's own steps are
//! interleaved. After every step: no ID was issued twice, none lies outside its window, no two
//! windows of equal or prefix-related nodes overlap, and no realm was invalidated without reason.
//! After a loss that the store does not notice, the first request is a renewal. In worlds with a
//! [masked loss](world::Masked), holders come and go before it: what goes wrong until the loss is
//! discovered is counted and limited, and nothing may go wrong after it. The same holds if the
//! store loses its data again while the realm pauses.
//!
//! A seed determines everything, and a failure names it. `TICKID_SIMULATION_SEEDS` sets the number
//! of seeds to run.
//!
//! Each of the [simplified rules](bug::Bug) is kept, to test that the simulation detects it.

mod backend;
mod bug;
mod clock;
mod holder;
mod network;
mod watch;
mod world;

use tickid_testkit::scaled;

use self::bug::Bug;
use self::world::{Life, Lost, Masked, Tally, World};
use crate::subjects::{Kuids, Nanoflakes, Scru64s, Snos};

/// Enough worlds to find each of the [simplified rules](bug::Bug), which is tested, and to see what
/// is rarest a few times, that is a holder that moves to another node.
/// `cargo xtask verify simulation` runs millions.
const SEEDS: u64 = 3_000;

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
    // A world where nothing happens proves nothing.
    for (what, count) in tally.counts() {
        assert!(count > seeds() / SEEDS, "{what}: only {count} times");
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

/// Asserts that the simulation detects a simplified rule, as often as [`scaled`] asks for. The
/// search starts at a seed that found it before.
fn found_out(bug: Bug, first: u64) {
    let seeds = first..first + seeds().max(SEEDS);
    let violations = seeds.filter_map(|seed| Some((seed, run(seed, Some(bug)).err()?)));
    let found: Vec<_> = violations.take(scaled(1)).collect();
    assert_eq!(found.len(), scaled(1), "{bug:?} is found by {found:?} only");
    println!("{bug:?}: found by {found:?}");
}

macro_rules! bugs {
    ($($test:ident: $bug:ident $(from $first:literal)?,)*) => {$(
        #[test]
        fn $test() {
            found_out(Bug::$bug, 0 $(+ $first)?);
        }
    )*};
}

/// The number of worlds with a masked loss: enough to find [each part of the
/// rule](parts_of_the_rule_are_needed), or a tenth of those without.
fn masked_seeds() -> u64 {
    (seeds() / 10).max(600)
}

/// The outcomes of masked losses.
#[derive(Debug, Default)]
struct Outcomes {
    worlds: u64,
    /// A holder lived whose lease was lost, and the realm was not invalidated.
    missed: u64,
    /// Of these, those in which the holder heard it in time.
    missed_though_heard: u64,
    /// Worlds with a second loss, in a pause that the first one caused.
    second: u64,
    /// Of these, those in which a holder that had seen the new era had an answer, and the realm was
    /// not invalidated.
    missed_second: u64,
    /// The realm was invalidated more than once.
    repeated: u64,
    /// IDs that one process issued twice.
    own: u64,
    /// IDs of two processes, before the discovery.
    before: u64,
    /// Worlds with such whose rows were deleted, under an intact record.
    worlds_before: u64,
    refused: u64,
}

impl Outcomes {
    fn add(&mut self, one: &Masked) {
        let Masked { lost, is_second, has_victims, is_heard, invalidations, counts } = *one;
        let is_missed = has_victims && invalidations == 0 && !is_second;
        let has_record = matches!(lost, Lost::SomeRows | Lost::AllRows);
        self.worlds += 1;
        self.missed += u64::from(is_missed);
        self.missed_though_heard += u64::from(is_missed && is_heard);
        self.second += u64::from(is_second);
        self.missed_second += u64::from(is_second && is_heard && invalidations == 0);
        self.repeated += u64::from(invalidations > 1);
        self.own += counts.own;
        self.before += counts.before;
        self.worlds_before += u64::from(has_record && counts.before > 0);
        self.refused += counts.refused;
        // Checked in each world as well, by its windows.
        assert_eq!(counts.after, 0, "{one:?}");
    }

    /// Returns the first limit that is exceeded: about three times what 20,000 worlds show.
    fn excess(&self) -> Option<&'static str> {
        let share = |count: u64, most: u64| count > (self.worlds * most).div_ceil(1_000);
        [
            (self.own > 0, "own"),
            // A reconfiguration in between may raise the era to the one that was seen.
            (share(self.missed_second, 1), "missed the second"),
            (share(self.missed_though_heard, 8), "missed though heard"),
            (share(self.missed, 80), "missed"),
            (share(self.worlds_before, 5), "before the discovery"),
            (share(self.repeated, 30), "repeated"),
        ]
        .into_iter()
        .find_map(|(is_exceeded, what)| is_exceeded.then_some(what))
    }
}

fn run_masked(seed: u64, life: Life, bug: Option<Bug>) -> Masked {
    let one = match seed % 4 {
        0 => World::<Scru64s>::run_masked(seed, life, bug),
        1 => World::<Nanoflakes>::run_masked(seed, life, bug),
        2 => World::<Kuids>::run_masked(seed, life, bug),
        _ => World::<Snos>::run_masked(seed, life, bug),
    };
    one.unwrap_or_else(|violation| panic!("seed {seed}: {violation}"))
}

fn masked(life: Life, bug: Option<Bug>) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for seed in 0..masked_seeds() {
        outcomes.add(&run_masked(seed, life, bug));
    }
    println!("{life:?}, {bug:?}: {outcomes:?}");
    outcomes
}

#[test]
fn masked_losses_are_found() {
    for life in [Life::Calm, Life::Rough] {
        let outcomes = masked(life, None);
        assert_eq!(outcomes.excess(), None, "{outcomes:?}");
        assert!(outcomes.before > 0, "nothing was lost that mattered: {outcomes:?}");
        assert!(outcomes.second > 0, "nothing was lost twice: {outcomes:?}");
    }
}

/// Each part of the rule is needed.
#[test]
fn parts_of_the_rule_are_needed() {
    for (bug, expected) in [
        (Bug::LostLeaseHidden, "missed though heard"),
        (Bug::RowsUncounted, "before the discovery"),
        (Bug::EraForgotten, "missed the second"),
    ] {
        assert_eq!(masked(Life::Calm, Some(bug)).excess(), Some(expected), "{bug:?}");
    }
    // The last line: what a holder would repeat itself where the others fail.
    let bug = Some(Bug::OwnTicksForgotten);
    let mut seeds = (480..seeds().max(SEEDS)).chain(0..480);
    let own = seeds.find(|seed| run_masked(*seed, Life::Calm, bug).counts.own > 0);
    println!("{bug:?}: found by {:?}", own.expect("it goes unnoticed"));
}

bugs! {
    forgetting_raised_terms_is_found: RaisedTermsForgotten,
    renewals_that_decide_are_found: RenewalDecides,
    unnoted_cuts_are_found: CutUnnoted,
    acquiring_on_the_token_alone_is_found: AcquireOnTokenAlone,
    renewing_on_the_token_alone_is_found: RenewOnTokenAlone from 380,
    releasing_at_the_words_tick_is_found: ReleaseAtWordsTick from 4_755,
    quarantining_by_waiting_is_found: QuarantineByWaiting,
    closing_by_exhausting_is_found: CloseByExhausting,
    narrow_reconfiguring_is_found: ReconfigureWithoutRelated,
    ignoring_eras_is_found: EraIgnored from 820,
    expiry_after_a_term_is_found: ExpireAfterTerm,
    taking_silence_for_death_is_found: SilenceIsDeath,
    ignoring_proofs_of_loss_is_found: ProofIgnored,
    proofs_of_earlier_eras_are_found: ProofOfEarlierEra,
    proofs_that_are_not_compared_are_found: ProofNotCompared,
    dropping_further_bits_is_found: FurtherBitsDropped,
}
