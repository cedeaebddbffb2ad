//! Processes that are killed, and start again with a clock that was set back.

use core::time::Duration;
use std::thread;

use tickid_testkit::Dice;
use tickid_testkit::servers::Test;

use crate::ledger::{Ledger, Tally};
use crate::process::HolderProcess;
use crate::scheme::SchemeName;
use crate::stores::ProcessStore;
use crate::task::{Plant, Task};
use crate::{count, seed};

pub(crate) fn tests<G: ProcessStore>() -> Vec<Test<G>> {
    vec![("killed_with_old_clocks", killed_with_old_clocks)]
}

const ROUNDS: usize = 24;
const HOUR: u64 = 3_600_000_000;

fn killed_with_old_clocks<G: ProcessStore>(ground: &G) {
    let rounds = count("TICKID_KILLS", ROUNDS);
    // Nodes are scarce, so that each passes from one process to the next.
    let kills = &Kills { rounds: rounds.div_ceil(4), nodes: 5, most_behind: HOUR, plant: None };
    let mut all = Tally::default();
    thread::scope(|scope| {
        let ledgers =
            SchemeName::ALL.map(|kind| scope.spawn(move || kills.run(ground, kind).unwrap()));
        for ledger in ledgers {
            all.add(&ledger.join().unwrap().tally);
        }
    });
    all.show(G::NAME, &format!("{rounds} times kill -9"));
    // Rounds without events prove nothing. The processes were waited for.
    assert!(all.leases > rounds / 2 && all.ids > rounds, "{all:?}");
    assert!(all.behind > 0, "{all:?}");
}

/// Three processes run at a time. At random moments one is killed, and another takes its place.
pub(crate) struct Kills {
    pub(crate) rounds: usize,
    pub(crate) nodes: usize,
    /// In microseconds.
    pub(crate) most_behind: u64,
    pub(crate) plant: Option<Plant>,
}

impl Kills {
    pub(crate) fn run<G: ProcessStore>(
        &self,
        ground: &G,
        kind: SchemeName,
    ) -> Result<Ledger, String> {
        let seed = seed();
        println!("seed {seed}: kill -9, {}, {}", G::NAME, kind.name());
        let mut dice = Dice::new(seed.wrapping_mul(4) + kind as u64);
        let task = Task::new(ground.url(), kind, &kind.pool(self.nodes)).short();
        let task = Task { plant: self.plant, ..task };
        let start = |dice: &mut Dice| {
            // Most clocks are behind, and most of these are soon set right.
            let behind = dice.below(self.most_behind + 1) * u64::from(dice.below(4) > 0);
            let right_after = (dice.below(4) > 0).then(|| dice.count(40));
            HolderProcess::start(Task { clock: -behind.cast_signed(), right_after, ..task.clone() })
        };
        let mut running: Vec<HolderProcess> = (0..3).map(|_| start(&mut dice)).collect();
        let mut ledger = Ledger::new(kind);
        for _ in 0..self.rounds {
            let at = usize::try_from(dice.below(3)).unwrap();
            // Some are killed while they start, most while they run.
            let Task { clock, right_after, .. } = running[at].task;
            // A store that uses this clock may have no node until it is set right.
            let is_served = clock == 0 || right_after.is_some();
            match dice.below(4) {
                0 => {}
                1 if is_served => _ = running[at].until_granted(0),
                _ if is_served => {
                    (0..=dice.below(8)).fold(0, |mark, _| running[at].until_it_issues(mark));
                }
                _ => _ = running[at].until_answered(0),
            }
            thread::sleep(Duration::from_micros(dice.below(30_000)));
            if dice.below(8) == 0 {
                running[at].begin_to_leave();
                thread::sleep(Duration::from_micros(dice.below(5_000)));
            }
            let next = start(&mut dice);
            let killed = core::mem::replace(&mut running[at], next);
            ledger.enter(&killed.kill())?;
        }
        for process in running {
            ledger.enter(&process.kill())?;
        }
        ledger.check(&ground.list(task.realm().name()))?;
        Ok(ledger)
    }
}
