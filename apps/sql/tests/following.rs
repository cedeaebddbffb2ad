//! All interleavings of transactions that draw, and of a follower as `tickid.follow_N` works: no row
//! that it has passed becomes visible later.

#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::collections::HashSet;

const DRAWERS: usize = 2;
const TRANSACTIONS: u8 = 2;
const CALLS: u8 = 3;
/// The base of a transaction that is not seen.
const NONE: u8 = u8::MAX;

/// What a transaction does next, with the ID that it has drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Lock,
    Draw,
    End(u8),
    Unlock,
    /// The locks are gone, and the row is not visible yet: no server does this.
    EndUnlocked(u8),
}

/// What a call of the follower does next. Locks are read one session at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Look {
    Snapshot,
    Word,
    Locks(usize),
    Bound,
    Read,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    LocksBeforeWord,
    OlderSnapshot,
    BaseOfPresentWord,
    UnlockBeforeVisible,
}

/// Sets of transactions and of IDs are bits. A transaction's number names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct World {
    word: u8,
    drawers: [(u8, Step); DRAWERS],
    visible: u64,
    call: u8,
    look: u8,
    /// Of the call that runs.
    seen_word: u8,
    seen: u8,
    snapshot: u64,
    /// Of the last call. 0 is below all IDs. Bases by the number of the transaction.
    before: u8,
    open: [u8; 4],
    last: u8,
    /// All rows up to this one are read.
    read: u8,
}

fn looks(fault: Option<Fault>) -> Vec<Look> {
    let locks = (0..DRAWERS).map(Look::Locks);
    let before = matches!(fault, Some(Fault::OlderSnapshot)).then_some(Look::Snapshot);
    let mut looks: Vec<_> = before.into_iter().chain([Look::Word]).chain(locks).collect();
    if fault == Some(Fault::LocksBeforeWord) {
        looks.rotate_left(1);
    }
    looks.extend([Look::Bound, Look::Read]);
    looks
}

/// Returns the number of worlds, or one in which a row appears that was passed.
fn explore(fault: Option<Fault>) -> Result<usize, World> {
    let looks = looks(fault);
    let mut worlds = vec![World {
        word: 0,
        drawers: [(0, Step::Lock); DRAWERS],
        visible: 0,
        call: 0,
        look: 0,
        seen_word: 0,
        seen: 0,
        snapshot: 0,
        before: 0,
        open: [NONE; 4],
        last: 0,
        read: 0,
    }];
    let mut known = HashSet::new();
    while let Some(world) = worlds.pop() {
        if !known.insert(world) {
            continue;
        }
        for drawer in 0..DRAWERS {
            draws(&world, drawer, fault, &mut worlds)?;
        }
        if world.call < CALLS {
            worlds.push(looked(world, &looks, fault)?);
        }
    }
    Ok(known.len())
}

/// Adds the worlds after the next step of a session that draws.
fn draws(
    world: &World,
    drawer: usize,
    fault: Option<Fault>,
    worlds: &mut Vec<World>,
) -> Result<(), World> {
    let (transaction, step) = world.drawers[drawer];
    if transaction == TRANSACTIONS {
        return Ok(());
    }
    let mut next = *world;
    let after = |step| (transaction, step);
    next.drawers[drawer] = match step {
        Step::Lock => after(Step::Draw),
        Step::Draw => {
            next.word += 1;
            after(match fault {
                Some(Fault::UnlockBeforeVisible) => Step::EndUnlocked(next.word),
                None
                | Some(Fault::LocksBeforeWord | Fault::OlderSnapshot | Fault::BaseOfPresentWord) => {
                    Step::End(next.word)
                }
            })
        }
        Step::End(_) => after(Step::Unlock),
        Step::Unlock | Step::EndUnlocked(_) => (transaction + 1, Step::Lock),
    };
    if let Step::End(id) | Step::EndUnlocked(id) = step {
        // It may also be rolled back.
        worlds.push(next);
        next.visible |= 1 << id;
        if id <= next.read {
            return Err(next);
        }
    }
    worlds.push(next);
    Ok(())
}

/// Returns the world after the next step of the follower.
fn looked(world: World, looks: &[Look], fault: Option<Fault>) -> Result<World, World> {
    let mut next = World { look: world.look + 1, ..world };
    match looks[usize::from(world.look)] {
        Look::Snapshot => next.snapshot = next.visible,
        Look::Word => next.seen_word = next.word,
        Look::Locks(drawer) => {
            let (transaction, step) = next.drawers[drawer];
            let is_locked = matches!(step, Step::Draw | Step::End(_) | Step::Unlock);
            if is_locked && transaction < TRANSACTIONS {
                next.seen |= 1 << (2 * drawer) << transaction;
            }
        }
        Look::Bound => {
            let base = match fault {
                Some(Fault::BaseOfPresentWord) => next.seen_word,
                None
                | Some(
                    Fault::LocksBeforeWord | Fault::OlderSnapshot | Fault::UnlockBeforeVisible,
                ) => next.before,
            };
            for (name, open) in next.open.iter_mut().enumerate() {
                let is_seen = next.seen >> name & 1 == 1;
                *open = if !is_seen {
                    NONE
                } else if *open == NONE {
                    base
                } else {
                    *open
                };
            }
            let lowest = next.open.into_iter().min().unwrap_or(NONE);
            next.last = next.last.max(next.seen_word.min(lowest));
            (next.before, next.seen_word, next.seen) = (next.seen_word, 0, 0);
        }
        Look::Read => {
            let read =
                if fault == Some(Fault::OlderSnapshot) { next.snapshot } else { next.visible };
            let passed = (1 << (next.last + 1)) - 1;
            if next.visible & passed & !read != 0 {
                return Err(next);
            }
            (next.read, next.call, next.look, next.snapshot) = (next.last, next.call + 1, 0, 0);
        }
    }
    Ok(next)
}

#[test]
fn no_interleaving_passes_a_row() {
    let worlds = explore(None).unwrap_or_else(|world| panic!("{world:?}"));
    assert!(worlds > 100_000, "{worlds}");
}

#[test]
fn every_fault_of_the_order_is_found() {
    for fault in [
        Fault::LocksBeforeWord,
        Fault::OlderSnapshot,
        Fault::BaseOfPresentWord,
        Fault::UnlockBeforeVisible,
    ] {
        assert!(explore(Some(fault)).is_err(), "{fault:?}");
    }
}
