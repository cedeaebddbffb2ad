//! Faults that are made on purpose: what can't be found shows nothing when it isn't.

use tickid_testkit::servers::Test;

use crate::ground::Folder;
use crate::kills::Kills;
use crate::scheme::Kind;
use crate::task::Plant;

pub(crate) const TESTS: [Test<Folder>; 2] = [
    ("a_generator_without_its_window_is_found_out", a_generator_without_its_window_is_found_out),
    ("a_window_that_begins_now_is_found_out", a_window_that_begins_now_is_found_out),
];

fn found_out(folder: &Folder, plant: Plant) -> String {
    // The folder knows at once who is dead, and gives its node to the next.
    let kills = Kills { rounds: 12, nodes: 3, most_behind: 0, plant: Some(plant) };
    let violation = kills.run(folder, Kind::Sno).map(|ledger| ledger.tally).unwrap_err();
    println!("{plant:?}: {violation}");
    violation.split(':').next().unwrap().to_owned()
}

fn a_generator_without_its_window_is_found_out(folder: &Folder) {
    assert_eq!(found_out(folder, Plant::NoWindow), "outside");
}

fn a_window_that_begins_now_is_found_out(folder: &Folder) {
    let violation = found_out(folder, Plant::FromNow);
    assert!(["overlap", "twice"].contains(&violation.as_str()), "{violation}");
}
