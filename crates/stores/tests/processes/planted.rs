//! Planted faults, to show that the tests find them.

use tickid_lease::Store;
use tickid_lease::session::{Claim, Token};
use tickid_nanoflake::{GeneratorId, NanoflakeId};
use tickid_testkit::servers::Test;

use crate::kills::Kills;
use crate::ledger::Ledger;
use crate::scheme::SchemeName;
use crate::stores::{Folder, answer};
use crate::task::{Named, Note, Plant, Task};

pub(crate) const TESTS: [Test<Folder>; 3] = [
    ("ledgers_find_every_violation", ledgers_find_every_violation),
    ("ids_outside_of_windows_are_found", ids_outside_of_windows_are_found),
    ("windows_that_start_now_are_found", windows_that_start_now_are_found),
];

fn found_out(folder: &Folder, plant: Plant) -> String {
    // The folder shows immediately which holders have ended, and grants their nodes to the next.
    let kills = Kills { rounds: 12, nodes: 3, most_behind: 0, plant: Some(plant) };
    let violation = kills.run(folder, SchemeName::Sno).map(|ledger| ledger.tally).unwrap_err();
    println!("{plant:?}: {violation}");
    violation.split(':').next().unwrap().to_owned()
}

fn ids_outside_of_windows_are_found(folder: &Folder) {
    assert_eq!(found_out(folder, Plant::NoWindow), "outside");
}

fn windows_that_start_now_are_found(folder: &Folder) {
    let violation = found_out(folder, Plant::FromNow);
    assert!(["overlap", "twice"].contains(&violation.as_str()), "{violation}");
}

/// Reports that no holder makes.
fn ledgers_find_every_violation(_: &Folder) {
    let kind = SchemeName::Nanoflake;
    let realm = Task::new("memory:".to_owned(), kind, "7/10").realm();
    let store = Store::in_memory();
    let mut claim = Claim::new(Token::from_bits(1), "a holder", None);
    let granted = answer(store.acquire(&realm, &mut claim)).unwrap();
    let listing = answer(store.list(realm.name())).unwrap();
    let end = granted.ceiling;
    let lease = Named::new(granted.node, granted.token, granted.floor);
    let granted = Note::Granted(lease.clone(), end);
    let ids = |node, ticks: &[u64]| {
        let node = GeneratorId::new(node).unwrap();
        let id = |&tick: &u64| NanoflakeId::from_parts(tick, node, 0).unwrap().to_string();
        Note::Ids(ticks.iter().map(id).collect())
    };
    let kind_of = |result: Result<(), String>| {
        result.map_err(|violation| violation.split(':').next().unwrap().to_owned())
    };
    let entered = |notes: &[Note]| {
        let mut ledger = Ledger::new(kind);
        ledger.enter(notes)?;
        ledger.check(&listing)
    };
    let violation = |notes: &[Note]| kind_of(entered(notes)).unwrap_err();

    let (first, last) = (ids(7, &[0, 5]), ids(7, &[end - 1]));
    assert_eq!(entered(&[granted.clone(), first.clone(), last.clone()]), Ok(()));
    assert_eq!(violation(&[granted.clone(), ids(7, &[end])]), "outside");
    assert_eq!(violation(&[granted.clone(), ids(8, &[5])]), "outside");
    assert_eq!(violation(&[first.clone(), granted.clone()]), "outside");
    assert_eq!(violation(&[granted.clone(), first.clone(), ids(7, &[5])]), "twice");
    let released = Note::Released(lease.clone(), 5);
    assert_eq!(violation(&[granted.clone(), first, released]), "above what was given back");
    let beyond = Note::Granted(lease.clone(), end + 1);
    assert_eq!(violation(&[granted.clone(), beyond]), "forgotten");
    let another = Named { token: Token::from_bits(2).to_string(), floor: end - 1, ..lease };
    let mut ledger = Ledger::new(kind);
    ledger.enter(&[granted]).unwrap();
    ledger.enter(&[Note::Granted(another, end)]).unwrap();
    assert_eq!(kind_of(ledger.check(&listing)).unwrap_err(), "overlap");
}
