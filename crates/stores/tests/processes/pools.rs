//! SCRU64 nodes of several sizes in one pool, and pools that are split and merged while holders
//! run.

use core::time::Duration;
use std::thread;
use std::time::Instant;

use tickid_testkit::Dice;
use tickid_testkit::servers::Test;

use crate::ledger::Ledger;
use crate::process::HolderProcess;
use crate::scheme::SchemeName;
use crate::stores::{ProcessStore, answer};
use crate::task::{Note, Task};
use crate::{count, seed};

pub(crate) fn tests<G: ProcessStore>() -> Vec<Test<G>> {
    vec![("nodes_stay_apart_when_split", nodes_stay_apart_when_split)]
}

const STEPS: usize = 6;
/// Longer than it takes until nodes are free that killed processes hold.
const PATIENCE: Duration = Duration::from_secs(120);
/// Pools with one hot node, which has half of all sequences, and many cold ones, and pools of
/// halves, quarters and eighths of these.
const POOLS: [&str; 7] =
    ["0/1,128-255/8", "0/1,4-5/3", "0-1/2,4-5/3", "0/1,2/2", "0-3/3,1/1", "0-127/8,1/1", "2/3,7/3"];
/// The largest number of processes at a time.
const MOST: usize = 6;

fn nodes_stay_apart_when_split<G: ProcessStore>(ground: &G) {
    let (steps, seed) = (count("TICKID_POOLS", STEPS), seed());
    println!("seed {seed}: {steps} pools, {}", G::NAME);
    let mut dice = Dice::new(seed);
    let (store, mut ledger) = (ground.store(), Ledger::new(SchemeName::Scru64));
    let first = Task::new(ground.url(), SchemeName::Scru64, POOLS[0]).short();
    let mut running =
        vec![HolderProcess::start(first.clone()), HolderProcess::start(first.clone())];
    running.iter().for_each(|process| _ = process.until_it_issues(0));
    let (start, mut step, mut granted) = (Instant::now(), 0, 0);
    // More steps where few processes find a node.
    while step < steps || granted <= steps / 2 {
        assert!(step < steps || start.elapsed() < PATIENCE, "{granted} of {step} steps");
        step += 1;
        let pool = dice.one_of(&POOLS).to_owned();
        let task = Task { pool, ..first.clone() };
        answer(store.reconfigure(&task.realm())).unwrap();
        for _ in 0..2 {
            let process = HolderProcess::start(task.clone());
            process.until_answered(0);
            // Its window may start where a related node's ended.
            let is_granted = process.has_said(|note| matches!(note, Note::Granted(..)));
            granted += usize::from(is_granted);
            if is_granted && dice.below(2) == 0 {
                process.until_it_issues(0);
            }
            running.push(process);
        }
        thread::sleep(Duration::from_micros(dice.below(50_000)));
        while running.len() > MOST {
            let at = usize::try_from(dice.below(running.len() as u64)).unwrap();
            let process = running.swap_remove(at);
            let notes = if dice.below(2) == 0 { process.kill() } else { process.leave() };
            ledger.enter(&notes).unwrap();
        }
    }
    for process in running {
        ledger.enter(&process.leave()).unwrap();
    }
    ledger.check(&ground.list(first.realm().name())).unwrap();
    assert!(ledger.tally.leases > steps / 2, "{:?}", ledger.tally);
    ledger.tally.show(G::NAME, &format!("{step} pools split and merged"));
}
