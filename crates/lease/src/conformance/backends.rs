//! The promises of a backend itself.

use core::time::Duration;

use super::{Scene, Testbed, answer};
use crate::backend::{Change, Commit, RowChange, Scope};
use crate::model::realm_view::RealmView;
use crate::model::record::{Row, Version};
use tickid_core::AnyNode;

fn read(scene: &Scene<'_>, scope: Scope) -> RealmView {
    answer(scene.store.inner().read(scene.realm.name(), scope)).unwrap()
}

fn commit(scene: &Scene<'_>, change: &Change) -> bool {
    written(scene, change).is_written()
}

fn written(scene: &Scene<'_>, change: &Change) -> Commit {
    answer(scene.store.inner().commit(scene.realm.name(), change)).unwrap()
}

/// A view has exactly the requested rows, unchanged.
pub fn scopes_have_their_rows(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-7/8");
    let lease = scene.acquire();
    scene.acquire();
    let all = read(&scene, Scope::All);
    assert_eq!(all.rows.len(), 2);
    assert_eq!((all.page_end, all.is_other_generation()), (None, false));
    let record = read(&scene, Scope::Record);
    assert_eq!((record.rows.len(), record.record), (0, all.record.clone()));
    let one = read(&scene, Scope::Node(lease.node));
    assert_eq!(
        one.rows.into_iter().collect::<Vec<_>>(),
        [(lease.node, all.rows[&lease.node].clone())]
    );
    let without_row = (0..8).map(|value| AnyNode::new(value, 8).unwrap());
    let without_row = without_row.into_iter().find(|node| !all.rows.contains_key(node)).unwrap();
    let none = read(&scene, Scope::Node(without_row));
    assert_eq!((none.rows.len(), none.record), (0, all.record));
}

/// Pages wrap around from any start, have all rows of their nodes, and are not larger than
/// requested.
pub fn pages_are_bounded_and_complete(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0/1,4-5/3,24-31/5");
    for _ in 0..7 {
        scene.acquire();
    }
    let all = read(&scene, Scope::All).rows;
    let starts = ["0/0", "0/1", "1/1", "4/3", "9/4", "24/5", "27/5", "31/5", "63/6"];
    for (start, limit) in
        starts.iter().flat_map(|start| [1, 2, 3, 6, 7, 50].map(|limit| (start, limit)))
    {
        let start: AnyNode = start.parse().unwrap();
        let view = read(&scene, Scope::Candidates { start, limit });
        let case = format!("{limit} from {start}: {view:?}");
        // Two parts of a page, each with one row more to see its end, and rows from an index.
        assert!(view.rows.len() <= 3 * (limit + 1), "{case}");
        let is_in_page = |node: AnyNode| match view.page_end {
            None => true,
            Some(end) if start <= end => start <= node && node <= end,
            Some(end) => start <= node || node <= end,
        };
        let page: Vec<AnyNode> = all.keys().copied().filter(|node| is_in_page(*node)).collect();
        assert!(page.len() == all.len() || view.page_end.is_some(), "{case}");
        assert!(page.iter().all(|node| view.rows.contains_key(node)), "{case}");
        assert!(view.rows.iter().all(|(node, state)| all.get(node) == Some(state)), "{case}");
    }
}

/// The answer to a change that is not written shows what a read would, which saves a renewal from a
/// store far away a round trip.
fn shows_what_differs(scene: &Scene<'_>, bad: &Change, what: &str) {
    let before = read(scene, Scope::Record).now;
    let Commit::Differs { view } = written(scene, bad) else { panic!("{what}: written") };
    assert!(view.is_some() || !scene.store.inner().is_remote(), "{what}");
    if let Some(view) = view {
        let node = bad.row.as_ref().map(|row| row.node);
        let read = read(scene, node.map_or(Scope::Record, Scope::Node));
        let shown = RealmView { now: read.now, ..*view.clone() };
        assert_eq!(shown, read, "{what}");
        assert!((before..=read.now).contains(&view.now), "{what}: {}", view.now);
    }
}

/// A change is written as a whole if everything compares equal, and otherwise not at all.
pub fn a_change_compares_everything(testbed: &dyn Testbed) {
    let scene = Scene::new(testbed, "0-7/8");
    let lease = scene.acquire();
    let before = read(&scene, Scope::All);
    let (record, record_version) = before.record.clone().unwrap();
    let version = before.rows[&lease.node].version();
    let old = before.rows[&lease.node].row().unwrap().clone();
    let row = Row { ceiling: old.ceiling + 1, ..old.clone() };
    let (exactly, new) = (Some(old), Some(row.clone()));
    let minute = Duration::from_secs(60);
    let (earlier, later) = (before.now.checked_sub(minute), before.now.checked_add(minute));
    let (earlier, later) = (earlier.unwrap(), later.unwrap());
    let good = Change {
        generation: before.generation.clone(),
        within: Some((earlier, later)),
        record_version: Some(record_version),
        record: None,
        row: Some(RowChange { node: lease.node, version, exactly, row: new }),
    };
    let with_row = |version, row| {
        let row = Some(RowChange { node: lease.node, version, exactly: None, row });
        Change { row, ..good.clone() }
    };
    let other = RowChange { exactly: Some(row.clone()), ..good.row.clone().unwrap() };
    let elsewhere =
        (0..8).map(|value| AnyNode::new(value, 8).unwrap()).find(|node| *node != lease.node);
    let elsewhere = elsewhere.unwrap();
    let moved = Row { node: elsewhere, ..row.clone() };
    let absent = RowChange { node: elsewhere, version, exactly: None, row: Some(moved) };
    let mut raised = record.clone();
    raised.era += 1;
    let higher = Some(Version(lease.version.0 + 1));
    for (what, bad) in [
        ("no record", Change { record_version: None, ..good.clone() }),
        ("record", Change { record_version: Some(Version(record_version.0 + 1)), ..good.clone() }),
        ("no row", with_row(None, Some(row.clone()))),
        ("row", with_row(higher, Some(row.clone()))),
        ("row of that version", Change { row: Some(other), ..good.clone() }),
        ("another row", Change { row: Some(absent), ..good.clone() }),
        ("compared row", Change { record: Some(raised.clone()), ..with_row(higher, None) }),
        ("compared absence", Change { record: Some(raised.clone()), ..with_row(None, None) }),
    ] {
        shows_what_differs(&scene, &bad, what);
        let after = read(&scene, Scope::All);
        assert_eq!((&after.record, &after.rows), (&before.record, &before.rows), "{what}");
    }
    assert!(commit(&scene, &good));
    assert!(!commit(&scene, &good), "written once");
    let after = read(&scene, Scope::All);
    assert_eq!(after.rows[&lease.node].row(), Some(&row));
    assert_eq!(after.rows[&lease.node].version(), Some(Version::after(version)));

    // A record with a row that is only compared.
    let change =
        Change { record: Some(raised.clone()), ..with_row(Some(Version::after(version)), None) };
    let commit_of_record = written(&scene, &change);
    let last = read(&scene, Scope::All);
    let (record, new_version) = last.record.unwrap();
    assert_eq!(record, raised);
    assert_ne!(new_version, record_version);
    // Without the version, the next renewal at a distance would have to read first.
    let Commit::Written { record } = commit_of_record else { panic!("{commit_of_record:?}") };
    let is_remote = scene.store.inner().is_remote();
    assert!(record == Some(new_version) || !is_remote && record.is_none(), "{record:?}");
    assert_eq!(last.rows, after.rows);

    // Of another generation or at another time: see the promise of `commit`.
    let same = Change { record_version: Some(new_version), row: None, ..good };
    assert!(!commit(&scene, &Change { generation: "another".to_owned(), ..same.clone() }));
    for within in [(before.now, earlier), (later, later)] {
        assert!(!commit(&scene, &Change { within: Some(within), ..same.clone() }));
    }
}
