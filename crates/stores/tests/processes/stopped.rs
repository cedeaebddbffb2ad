//! Processes that are stopped until another holds their node.

use core::time::Duration;
use std::time::Instant;

use tickid_testkit::servers::Test;

use crate::ledger::{Ledger, Tally};
use crate::process::HolderProcess;
use crate::scheme::SchemeName;
use crate::stores::ProcessStore;
use crate::task::{Note, Task};

pub(crate) fn tests<G: ProcessStore>() -> Vec<Test<G>> {
    vec![
        ("stopped_issues_nothing_late", |ground| stopped(ground, false)),
        ("unaware_stays_in_its_window", |ground| stopped(ground, true)),
    ]
}

/// With `is_unaware` a process resumes with a clock reading from shortly before it was stopped, and
/// without answers from its store: by its own state it still has its window. It does, and it must
/// not leave it.
fn stopped<G: ProcessStore>(ground: &G, is_unaware: bool) {
    let task = |kind: SchemeName| {
        let task = Task::new(ground.url(), kind, &kind.pool(1));
        // A window that a busy machine leaves open until the process runs again.
        if is_unaware { task } else { task.short() }
    };
    let mut first = SchemeName::ALL.map(|kind| HolderProcess::start(task(kind)));
    let stopped = first.each_mut().map(|process| {
        process.until_it_issues(0);
        // Just renewed, it has most of its window left.
        process.until_granted(process.mark());
        if is_unaware {
            process.set_deaf(true);
            process.until_obeyed(0);
        }
        let guard = ground.between_steps(&process.task.realm);
        process.stop();
        drop(guard);
        Instant::now()
    });
    let second = first.each_ref().map(|process| HolderProcess::start(process.task.clone()));
    for process in &second {
        process.until_it_issues(0);
    }
    let marks = first.each_ref().map(HolderProcess::mark);
    for (process, stopped) in first.iter_mut().zip(stopped) {
        if is_unaware {
            let passed = stopped.elapsed() + Duration::from_millis(200);
            process.step(-i64::try_from(passed.as_micros()).unwrap());
        }
        process.resume();
    }
    for (process, mark) in first.iter_mut().zip(marks) {
        if is_unaware {
            process.until_it_stalls(process.until_obeyed(mark));
            process.set_deaf(false);
        }
        process.until_lost(mark);
    }
    // On a slow machine it may have the node again by now, and would keep it.
    let told = first.map(HolderProcess::kill);
    for process in &second {
        process.until_it_issues(process.mark());
    }
    let (mut all, mut late) = (Tally::default(), 0);
    for ((notes, second), mark) in told.into_iter().zip(second).zip(marks) {
        let task = second.task.clone();
        let mut ledger = Ledger::new(task.kind);
        late += notes[mark..].iter().filter(|note| matches!(note, Note::Ids(_))).count();
        ledger.enter(&notes).unwrap();
        ledger.enter(&second.leave()).unwrap();
        ledger.check(&ground.list(task.realm().name())).unwrap();
        assert!(ledger.tally.leases >= 2, "{:?}", ledger.tally);
        all.add(&ledger.tally);
    }
    // At a time when other processes held their nodes.
    assert!(!is_unaware || late > 0, "{all:?}");
    let what = if is_unaware { "SIGSTOP, unaware of it" } else { "SIGSTOP" };
    all.show(G::NAME, &format!("{what} ({late} times issued after it)"));
}
