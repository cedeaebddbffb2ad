//! The waits of `gen`: their bound, and the message about a long one.

use core::time::Duration;
use std::time::SystemTime;

use tickid_core::UnixTime;
use tickid_scru64::Scru64Id;

use crate::process::{CLOCK, OK, USAGE, ran, ran_in, run, with_state};

/// The lowest SCRU64 ID of the time `ahead` from now.
fn id_ahead(ahead: Duration) -> Scru64Id {
    let now = UnixTime::try_from(SystemTime::now()).expect("a time of this age");
    Scru64Id::min_at(now.checked_add(ahead).expect("so is this")).expect("and it has a tick")
}

#[test]
fn distant_node_spec_exits_with_4() {
    let ahead = id_ahead(Duration::from_secs(300)).to_string();
    for (spec, max_wait, bound) in [
        ("zzzzzzzzzzzz", "", "60s"),
        (ahead.as_str(), "", "60s"),
        (ahead.as_str(), "--max-wait 2m", "120s"),
        (ahead.as_str(), "--max-wait 0", "0ns"),
    ] {
        let ran = run(&format!("gen scru64 --node {spec}/8 {max_wait}"));
        assert_eq!((ran.status, ran.stdout.as_str()), (CLOCK, ""), "{spec}: {}", ran.stderr);
        assert!(ran.stderr.contains("s ahead of the clock"), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("exceeds max_wait ({bound})")), "{}", ran.stderr);
        let hint = "\nhint: `tickid doctor` checks the clock\n";
        assert!(ran.stderr.ends_with(hint), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    }
}

#[test]
fn near_node_spec_is_awaited() {
    // The policy tolerates ten of these seconds.
    let prev = id_ahead(Duration::from_millis(10_500));
    let ran = run(&format!("gen scru64 --node {prev}/8"));
    assert_eq!(ran.status, OK, "{}", ran.stderr);
    let id: Scru64Id = ran.stdout.trim_end().parse().expect("an ID");
    assert!(id > prev);
}

/// All nodes of the realm are in use, for longer than the command waits.
#[test]
fn long_waits_are_reported_once() {
    let state = tempfile::tempdir().expect("a folder");
    let quiet = |arguments: &str| {
        let ran = ran_in(state.path(), arguments);
        assert_eq!(ran.status, OK, "{}", ran.stderr);
    };
    quiet("lease init sno --realm one --pool 7/16 --term 600");
    quiet("lease acquire --realm one");

    let long = ran_in(state.path(), "gen sno --realm one --max-wait 2s");
    assert_eq!((long.status, long.stdout.as_str()), (CLOCK, ""));
    let mentions = long.stderr.matches("tickid: waiting, for at most 2s: ").count();
    assert_eq!((mentions, long.stderr.lines().count()), (1, 3), "{}", long.stderr);
}

#[test]
fn max_wait_parses() {
    for fine in ["0.5", "90", "90s", "5m", "1h30m"] {
        let ran = run(&format!("gen sno --node 1 --max-wait {fine}"));
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{fine}");
    }
    for wrong in ["", "-1", "-1s", "NaN", "inf", "1e300", "soon", "5 parsecs"] {
        let mut command = with_state(std::path::Path::new("/"), "gen sno --node 1");
        let ran = ran(command.arg(format!("--max-wait={wrong}")));
        assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{wrong}");
        assert!(ran.stderr.contains("90s, 5m, 1h30m"), "{wrong}: {}", ran.stderr);
    }
}
