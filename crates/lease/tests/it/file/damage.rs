//! Files that are damaged, old or new.

use core::time::Duration;
use std::collections::HashSet;
use std::fs;

use tickid_lease::admin::{LeaseEnd, Refusal};
use tickid_lease::backend::StoreErrorKind;
use tickid_lease::session::block_on;

use super::{Folder, HOUR, TIMEOUT, acquire, contents, realm, release, renew};

/// Returns the floor of the next window; `None` if none is granted.
fn next_floor(folder: &Folder) -> Option<u64> {
    match folder.acquire("7/16") {
        Ok(grant) => Some(grant.floor),
        Err(error) => {
            assert!(error.refusal().is_some(), "{error}");
            None
        }
    }
}

#[test]
fn truncated_write_is_harmless() {
    const SLOT: usize = 1_024;
    let folder = Folder::new();
    let row = folder.path("nodes/7-16");
    let store = folder.open();
    let grant = acquire(&store, "7/16").unwrap();
    for _ in 0..2 {
        folder.clock.advance(Duration::from_secs(5));
        let acknowledged = renew(&store, &grant).unwrap().ceiling;
        let before = fs::read(&row).unwrap();
        folder.clock.advance(Duration::from_secs(5));
        let cut_short = renew(&store, &grant).unwrap().ceiling;
        let after = fs::read(&row).unwrap();
        let changed = before.iter().zip(&after).position(|(one, other)| one != other).unwrap();
        let slot = changed / SLOT * SLOT;
        for len in 0..SLOT {
            // From the front, as files are mostly written, and from the back.
            let (front, back) = (slot..slot + len, slot + SLOT - len..slot + SLOT);
            for part in [front, back] {
                let mut torn = before.clone();
                torn[part.clone()].copy_from_slice(&after[part.clone()]);
                let is_written = torn == after;
                fs::write(&row, torn).unwrap();
                let promised = if is_written { cut_short } else { acknowledged };
                // The holder is alive: either it continues, or the node has no holder for a while.
                match renew(&store, &grant) {
                    Ok(renewed) => assert!(renewed.ceiling >= promised),
                    Err(error) => assert!(error.is_lost(), "{error}"),
                }
                if let Some(floor) = next_floor(&folder) {
                    panic!("[{floor}, ...) while its holder lives or after a torn write");
                }
            }
        }
        // In time it is granted again, beyond any earlier window.
        fs::write(&row, &before[..SLOT]).unwrap();
        let mut torn = before.clone();
        torn[slot] ^= 1;
        fs::write(&row, &torn).unwrap();
        assert!(renew(&store, &grant).unwrap_err().is_lost());
        folder.clock.advance(Duration::from_secs(31));
        let floor = next_floor(&folder).unwrap();
        assert!(floor >= cut_short, "[{floor}, ...) after {cut_short}");
        fs::write(&row, &after).unwrap();
    }
}

#[test]
fn truncated_row_is_quarantined() {
    let folder = Folder::new();
    let store = folder.open();
    let lease = acquire(&store, "7-8/16").unwrap();
    let row = folder.path(&format!("nodes/{}-16", lease.node.value()));
    let whole = fs::read(&row).unwrap();
    for len in 0..whole.len() {
        fs::write(&row, &whole[..len]).unwrap();
        let error = renew(&store, &lease).unwrap_err();
        assert_eq!(error.refusal(), Some(&Refusal::Malformed { node: lease.node }), "{len} bytes");
        let other = acquire(&store, "7-8/16").unwrap();
        assert_ne!(other.node, lease.node, "{len} bytes");
        let left = acquire(&store, "7-8/16").unwrap_err();
        assert!(
            matches!(left.refusal(), Some(Refusal::NoFreeNode { quarantined: 1, .. })),
            "{left}"
        );
        release(&store, &other).unwrap();
    }
    // This holds however much time passes.
    folder.clock.advance(HOUR);
    assert_ne!(acquire(&store, "7-8/16").unwrap().node, lease.node);
    let repaired = block_on(store.repair(realm("7/16").name(), lease.node), TIMEOUT).unwrap();
    let ceiling = repaired.ceiling;
    assert!(ceiling > lease.ceiling);
    assert_eq!(renew(&store, &lease).unwrap_err().lease_end(), Some(LeaseEnd::Token));
    folder.clock.advance(Duration::from_secs(31));
    let again = [(); 2].map(|()| acquire(&store, "7-8/16").unwrap());
    assert!(again.iter().any(|again| (again.node, again.floor) == (lease.node, ceiling)));
}

/// A later release may write a record version that this one cannot read.
#[test]
fn newer_rows_are_left_alone() {
    let folder = Folder::new();
    let store = folder.open();
    let lease = acquire(&store, "7/16").unwrap();
    let row = folder.path("nodes/7-16");
    let mut file = fs::read(&row).unwrap();
    for slot in file.chunks_mut(1_024) {
        let version = slot.windows(18).position(|text| text == b"\"record_version\":1").unwrap();
        slot[version + 17] = b'2';
        let checksum = crc32fast::hash(&slot[8..]);
        slot[4..8].copy_from_slice(&checksum.to_le_bytes());
    }
    fs::write(&row, &file).unwrap();
    let newer = Refusal::Newer { node: lease.node, record_version: 2 };
    assert_eq!(renew(&store, &lease).unwrap_err().refusal(), Some(&newer));
    assert!(acquire(&store, "7/16").is_err());
    let repair = block_on(store.repair(realm("7/16").name(), lease.node), TIMEOUT);
    assert_eq!(repair.unwrap_err().refusal(), Some(&newer));
    assert_eq!(fs::read(&row).unwrap(), file);
}

/// Files that the first release wrote. Every release reads them.
#[test]
fn first_format_is_read() {
    let folder = Folder::new();
    acquire(&folder.open(), "7/16").unwrap();
    let json = concat!(
        r#"{"record_version":1,"node":"7/16","token":"0000000000000000000000000000002a","holder":"first","#,
        r#""era":0,"floor":5,"ceiling":109424000000,"later":[1]}"#
    );
    let mut file = Vec::new();
    for number in [2_u64, 1] {
        let mut slot = vec![0; 1_024];
        slot[..4].copy_from_slice(b"TKN1");
        slot[8..16].copy_from_slice(&number.to_le_bytes());
        slot[16..18].copy_from_slice(&u16::try_from(json.len()).unwrap().to_le_bytes());
        slot[18..18 + json.len()].copy_from_slice(json.as_bytes());
        let checksum = crc32fast::hash(&slot[8..]);
        slot[4..8].copy_from_slice(&checksum.to_le_bytes());
        file.extend(slot);
    }
    fs::write(folder.path("nodes/7-16"), &file).unwrap();
    let view = block_on(folder.open().list(realm("7/16").name()), TIMEOUT).unwrap();
    let row = view.rows.values().next().unwrap().row().unwrap();
    assert_eq!((row.holder.as_str(), row.floor, row.ceiling), ("first", 5, 109_424_000_000));
    // A field that is unknown to this release stays when the row is written again.
    let lease = acquire(&folder.open(), "7/16").unwrap();
    assert_eq!(lease.floor, 109_424_000_000);
    let text = fs::read(folder.path("nodes/7-16")).unwrap();
    assert!(text.windows(11).any(|text| text == b"\"later\":[1]"));
}

#[test]
fn damaged_records_are_reported() {
    let folder = Folder::new();
    let store = folder.open();
    let grant = acquire(&store, "7/16").unwrap();
    let record = folder.path("realm");
    let whole = fs::read(&record).unwrap();
    let is_reported = |bytes: &[u8]| {
        fs::write(&record, bytes).unwrap();
        for error in [folder.acquire("7/16").unwrap_err(), renew(&store, &grant).unwrap_err()] {
            assert!(matches!(error.kind(), StoreErrorKind::Corrupt { .. }), "{error}");
            assert!(error.to_string().contains("/a/realm"), "{error}");
        }
    };
    for at in 0..whole.len() {
        is_reported(&whole[..at]);
        let mut bad = whole.clone();
        bad[at] ^= 0x10;
        is_reported(&bad);
    }
    fs::write(&record, &whole).unwrap();
    assert!(renew(&store, &grant).is_ok());
}

/// The operator reports the restored backup. Every lease ends, also those in the backup, and new
/// windows start beyond all that was granted in that hour.
#[test]
fn old_backup_is_invalidated() {
    let folder = Folder::new();
    let store = folder.open_detached();
    let long_lived = acquire(&store, "0-3/16").unwrap();
    let backup = contents(&folder);

    let mut granted = vec![long_lived];
    for _ in 0..360 {
        folder.clock.advance(Duration::from_secs(10));
        granted.push(renew(&store, &long_lived).unwrap());
        // Others come, and crash.
        granted.extend(acquire(&store, "0-3/16"));
    }
    let nodes: HashSet<_> = granted.iter().map(|grant| grant.node).collect();
    assert!(nodes.len() > 2, "no node outside the backup was in use");
    let last = granted.iter().map(|grant| grant.ceiling).max().unwrap();

    for (path, _) in contents(&folder) {
        fs::remove_file(path).unwrap();
    }
    for (path, bytes) in &backup {
        fs::write(path, bytes).unwrap();
    }
    let store = folder.open_detached();
    let known = block_on(store.list(realm("7/16").name()), TIMEOUT).unwrap();
    let newest = known.rows.values().map(|state| state.row().unwrap().ceiling).max().unwrap();
    assert!(newest < last, "the backup has windows of the hour");
    let floor = block_on(store.invalidate(&realm("0-3/16")), TIMEOUT).unwrap();
    assert!(floor >= last, "{floor} after {last}");
    for grant in &granted {
        assert!(renew(&store, grant).unwrap_err().is_lost());
    }
    assert!(acquire(&store, "0-3/16").is_err(), "not before that");
    folder.clock.set(realm("7/16").scale().time_of(floor));
    assert!(acquire(&store, "0-3/16").unwrap().floor >= floor);
}
