//! The process-wide generator, in separate processes: this test binary runs itself with another
//! environment. Any value of the variable results in an ID or an error, never a panic.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::process::Command;
use std::thread;

use tickid_scru64::tickid_core::{BuildError, DEFAULT_MAX_WAIT, ErrorKind, StallReason};
use tickid_scru64::{
    EnvironmentError, NODE_SPEC_VARIABLE, NodeIdSize, NodeSpec, Scru64Id, UnixTime, generator, new,
    new_string,
};

/// The variable that is set in the environment of children.
const CHILD: &str = "TICKID_TEST_CHILD";
/// The prefix of a child's report, which no other output has.
const REPORT: &str = "report: ";

/// Runs `child` and reports its result if this process is the child of `test`. Otherwise runs that
/// child with `spec` as the node spec and returns its report.
fn in_child(test: &str, spec: Option<&OsStr>, child: impl FnOnce()) -> Option<Vec<String>> {
    if env::var_os(CHILD).is_some() {
        child();
        report("done");
        return None;
    }
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([&format!("process::{test}"), "--exact", "--nocapture"]).env(CHILD, "1");
    match spec {
        Some(spec) => command.env(NODE_SPEC_VARIABLE, spec),
        None => command.env_remove(NODE_SPEC_VARIABLE),
    };
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "the child failed:\n{stderr}");
    let mut reports: Vec<String> =
        stderr.lines().filter_map(|line| line.strip_prefix(REPORT)).map(str::to_owned).collect();
    assert_eq!(reports.pop().as_deref(), Some("done"), "the child:\n{stderr}");
    Some(reports)
}

#[allow(clippy::print_stderr, reason = "a child reports on its standard error")]
fn report(line: &str) {
    eprintln!("{REPORT}{line}");
}

/// Asserts that all three functions fail alike, the second time like the first.
fn all_fail_with(expected: &EnvironmentError) {
    for _ in 0..2 {
        assert_eq!(new().as_ref(), Err(expected));
        assert_eq!(new_string().as_ref(), Err(expected));
        assert_eq!(generator().err().as_ref(), Some(expected));
    }
}

#[test]
fn missing_variable_is_an_error() {
    in_child("missing_variable_is_an_error", None, || {
        let expected = EnvironmentError::NotSet;
        all_fail_with(&expected);
        let message = "the environment variable SCRU64_NODE_SPEC is not set";
        assert_eq!(expected.to_string(), message);
        // So `main` prints it, if it returns the error.
        assert_eq!(format!("{expected:?}"), message);
    });
}

#[test]
fn malformed_spec_is_quoted() {
    let name = "malformed_spec_is_quoted";
    for text in ["", "42", "300/8", "42/24", " 42/8", "0x+2a/8", "4\u{ff12}/8", "a\"b/8"] {
        in_child(name, Some(OsStr::new(text)), || {
            let text = env::var(NODE_SPEC_VARIABLE).unwrap();
            let reason = text.parse::<NodeSpec>().unwrap_err();
            let message =
                format!("the environment variable SCRU64_NODE_SPEC holds {text:?}: {reason}");
            let expected = EnvironmentError::NodeSpec { text, reason };
            all_fail_with(&expected);
            assert_eq!(expected.to_string(), message);
        });
    }
}

#[cfg(unix)]
#[test]
fn invalid_unicode_is_an_error() {
    use std::os::unix::ffi::OsStrExt as _;

    let name = "invalid_unicode_is_an_error";
    in_child(name, Some(OsStr::from_bytes(b"42/8\xff")), || {
        let expected = EnvironmentError::NotUnicode("42/8\u{fffd}".into());
        all_fail_with(&expected);
        let message = "the environment variable SCRU64_NODE_SPEC is not Unicode: 42/8\u{fffd}";
        assert_eq!(expected.to_string(), message);
        // So `main` prints it, if it returns the error.
        assert_eq!(format!("{expected:?}"), message);
    });
}

#[test]
fn threads_share_the_generator() {
    let name = "threads_share_the_generator";
    let size = NodeIdSize::new(8).unwrap();
    let millis = || UnixTime::try_from(std::time::SystemTime::now()).unwrap().as_millis();
    let before = millis();
    let reports = in_child(name, Some(OsStr::new("42/8")), || {
        let draw = || {
            let ids: Vec<String> = (0..500)
                .flat_map(|_| [new().unwrap().to_string(), new_string().unwrap()])
                .collect();
            (core::ptr::from_ref(generator().unwrap()).addr(), ids)
        };
        let threads: Vec<_> = thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(draw));
            threads.map(|thread| thread.join().unwrap()).into()
        });
        for (address, ids) in &threads {
            assert_eq!(*address, threads[0].0, "another generator");
            assert!(ids.is_sorted());
            ids.iter().for_each(|id| report(id));
        }
    });
    let Some(reports) = reports else { return };
    let after = millis();
    let ids: BTreeSet<Scru64Id> = reports.iter().map(|id| id.parse().unwrap()).collect();
    assert_eq!((reports.len(), ids.len()), (4_000, 4_000));
    for id in ids {
        assert_eq!(id.node_id(size), 42);
        // This fails only if the system's clock is stepped just now. IDs may be ahead of the clock
        // if the counter started late.
        let unix_ms = id.unix_time().as_millis();
        assert!(before - 256 <= unix_ms && unix_ms <= after + 256, "{id}");
    }
}

#[test]
fn goes_on_after_the_previous_id() {
    let name = "goes_on_after_the_previous_id";
    let reports = in_child(name, Some(OsStr::new("0u2r85hm2pt3/16")), || {
        report(&new_string().unwrap());
    });
    let Some(reports) = reports else { return };
    let prev: Scru64Id = "0u2r85hm2pt3".parse().unwrap();
    let id: Scru64Id = reports[0].parse().unwrap();
    assert!(id > prev);
    assert_eq!(id.node_id(NodeIdSize::new(16).unwrap()), 11_001);
}

/// Five seconds are within the allowance of ten.
#[test]
fn previous_id_slightly_ahead() {
    let name = "previous_id_slightly_ahead";
    let now = UnixTime::try_from(std::time::SystemTime::now()).unwrap();
    let ahead = now.checked_add(core::time::Duration::from_secs(5)).unwrap();
    let prev = Scru64Id::min_at(ahead).unwrap();
    let reports = in_child(name, Some(OsStr::new(&format!("{prev}/8"))), || {
        report(&new_string().unwrap());
        report(&new_string().unwrap());
    });
    let Some(reports) = reports else { return };
    let next = [1, 2].map(|more| Scru64Id::new(prev.get() + more).unwrap().to_string());
    assert_eq!(reports, next);
}

/// Returns a spec of node 0 in `size` bits whose previous ID is `ahead` of now.
fn spec_ahead(ahead: u64, size: u8) -> String {
    let now = UnixTime::try_from(std::time::SystemTime::now()).unwrap();
    let ahead = now.checked_add(core::time::Duration::from_secs(ahead)).unwrap();
    format!("{}/{size}", Scru64Id::min_at(ahead).unwrap())
}

#[test]
fn distant_previous_id_is_refused() {
    let name = "distant_previous_id_is_refused";
    let specs = ["zzzzzzzzzzzz/8".into(), "zzzzzzzq0em7/2".into(), spec_ahead(300, 8)];
    for spec in specs {
        in_child(name, Some(OsStr::new(&spec)), || {
            let spec: NodeSpec = env::var(NODE_SPEC_VARIABLE).unwrap().parse().unwrap();
            let prev = spec.node_prev().unwrap();
            for error in [new().unwrap_err(), new_string().unwrap_err(), generator().unwrap_err()] {
                let EnvironmentError::Build(BuildError::Ahead { last, now, wait, max_wait }) =
                    error
                else {
                    panic!("{error}");
                };
                assert_eq!((last, max_wait), (prev.unix_time(), DEFAULT_MAX_WAIT));
                // In whole ticks, this is less than ten seconds.
                let ratchet = core::time::Duration::from_millis(39 * 256);
                assert_eq!(wait + ratchet, last.saturating_since(now));
                assert!(wait > max_wait);
            }
        });
    }
}

/// The wait itself happens in the first call, which is not made here.
#[test]
fn near_previous_id_is_accepted() {
    let name = "near_previous_id_is_accepted";
    in_child(name, Some(OsStr::new(&spec_ahead(45, 8))), || {
        let error = generator().unwrap().try_generate().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::ClockBehind));
        assert!(error.retry_after().unwrap() < DEFAULT_MAX_WAIT);
        let spec: NodeSpec = env::var(NODE_SPEC_VARIABLE).unwrap().parse().unwrap();
        let (prev, now) = (spec.node_prev(), NodeSpec::from(generator().unwrap()).node_prev());
        assert_eq!(now.map(Scru64Id::timestamp), prev.map(Scru64Id::timestamp));
    });
}
