//! The command as a process: exit status, standard output, standard error.

use crate::process::{NODE_STORE, OK, Ran, USAGE, json_lines, ran_in, run, run_with, stdout_of};

#[test]
fn settings_come_from_the_environment() {
    let inspect = "inspect --json --from nanoflake/decimal 175928847299117063";
    let ran = run_with(inspect, "TICKID_EPOCH", "discord");
    assert_eq!(json_lines(&ran.stdout)[0]["unix_ms"], 1_462_015_105_796_i64);
    let ran = run_with("gen sno --node 1", "TICKID_REALM", "other");
    assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""));
    // The kuid in a UUID has the drift of the environment, on both sides.
    let ran = run_with("gen uuid --node 0x7", "TICKID_DRIFT", "5");
    let ran = run_with(&format!("inspect --json {}", ran.stdout), "TICKID_DRIFT", "5");
    assert_eq!(json_lines(&ran.stdout)[0]["node"], "00000007", "{}", ran.stderr);
    for (command, names) in [
        ("gen scru64", &["TICKID_STORE", "TICKID_REALM", "TICKID_NODE_SIZE"][..]),
        ("gen nanoflake", &["TICKID_EPOCH"]),
        ("gen uuid", &["TICKID_DRIFT"]),
        ("inspect", &["TICKID_EPOCH", "TICKID_DRIFT", "TICKID_NODE_SIZE"]),
        ("convert", &["TICKID_EPOCH", "TICKID_DRIFT", "TICKID_NODE_SIZE"]),
        ("range", &["TICKID_EPOCH", "TICKID_DRIFT"]),
        ("lease init", &["TICKID_STORE", "TICKID_REALM", "TICKID_EPOCH", "TICKID_DRIFT"]),
        ("doctor", &["TICKID_STORE"]),
        ("", &["TICKID_STORE", "TICKID_REALM", "TICKID_EPOCH", "RUST_LOG"]),
    ] {
        let help = stdout_of(&format!("{command} --help"));
        assert!(names.iter().all(|name| help.contains(name)), "{command}: {help}");
    }
}

#[cfg(unix)]
#[test]
fn wrong_settings_are_errors() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let with = |command: &str, variable: &str, value: &[u8]| {
        let ran = run_with(command, variable, OsStr::from_bytes(value));
        assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{variable}: {}", ran.stderr);
        ran.stderr
    };
    // Not silently another store or realm.
    for variable in ["TICKID_STORE", "TICKID_REALM"] {
        let error = with("gen sno", variable, b"a\xff");
        assert!(error.contains(&format!("${variable} is not valid UTF-8: 'a\\xff'")), "{error}");
    }
    for (command, variable) in [
        ("inspect x", "TICKID_EPOCH"),
        ("gen sno", "TICKID_REALM"),
        ("gen kuid", "TICKID_DRIFT"),
        ("gen scru64", "TICKID_NODE_SIZE"),
    ] {
        let error = with(command, variable, b"X!");
        assert!(error.contains(&format!("hint: the value is ${variable}'s")), "{error}");
    }
    let error = run("gen kuid --drift x").stderr;
    assert!(!error.contains("TICKID_DRIFT"), "{error}");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_errors() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use crate::process::{ran, tickid};

    for arguments in ["inspect -x", "convert sno", "gen -x", "gen sno -x", "range sno -x"] {
        let ran = ran(tickid(arguments).arg(OsStr::from_bytes(b"\xff")));
        assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains("\nhint: "), "{arguments}: {}", ran.stderr);
    }
}

#[test]
#[cfg_attr(not(feature = "_log"), ignore = "needs the feature full")]
fn events_are_shown_on_request() {
    let ran = run("-v gen sno");
    assert!(ran.stderr.contains("INFO tickid_lease") && !ran.stderr.contains('\x1b'));
    let with = |value: &str| run_with("gen sno", "RUST_LOG", value);
    assert!(with("tickid_lease=info").stderr.contains("lease acquired"));
    assert_eq!(with("tickid_core=info").stderr, "");
    // It may be meant for another program.
    let ran = with("a=b=c");
    assert_eq!(ran.status, OK);
    assert!(ran.stderr.starts_with("tickid: $RUST_LOG is ignored: "), "{}", ran.stderr);
}

#[test]
fn errors_are_coloured_on_demand() {
    let ran = run_with("inspect !", "CLICOLOR_FORCE", "1");
    assert!(ran.stderr.starts_with("\x1b[1m\x1b[31merror:\x1b[0m "), "{:?}", ran.stderr);
    assert!(run("inspect !").stderr.starts_with("error: "));
}

#[test]
fn doctor_accepts_a_new_store() {
    let state = tempfile::tempdir().expect("a folder");
    let ran = ran_in(state.path(), "doctor --json");
    let findings = json_lines(&ran.stdout);
    assert!(findings.iter().all(|one| one["level"] != "error"), "{}", ran.stdout);
    for topic in ["clock", "store"] {
        assert!(findings.iter().any(|one| one["topic"] == topic), "{}", ran.stdout);
    }
    assert_eq!(ran.status, OK);
    // A folder that is made is another store, if its name is wrong.
    let command = format!("doctor --json --store file://{}/new", state.path().display());
    let is_new = |ran: &Ran| ran.stdout.contains("/new did not exist, and was made\",\"hint\"");
    let (first, second) = (run(&command), run(&command));
    assert!(is_new(&first) && !is_new(&second), "{}{}", first.stdout, second.stdout);
    assert_eq!((first.status, second.status), (OK, OK));
    let ran = run("doctor --store redis://127.0.0.1:1");
    assert_eq!(ran.status, NODE_STORE, "{}", ran.stdout);
    assert!(ran.stdout.contains("hint: "), "{}", ran.stdout);
}

#[cfg(target_os = "linux")]
#[test]
fn doctor_warns_of_low_limits() {
    let program = env!("CARGO_BIN_EXE_tickid");
    let script = format!("ulimit -n 100; exec {program} doctor --store static:1/16 --json");
    let ran = crate::process::ran(std::process::Command::new("sh").args(["-c", &script]));
    let findings = json_lines(&ran.stdout);
    let files = findings.iter().find(|one| one["text"] == "100 open files").expect("a finding");
    assert_eq!((&files["level"], ran.status), (&"warning".into(), OK));
    assert!(files["hint"].as_str().is_some_and(|hint| hint.contains("ulimit -n")), "{files}");
    assert!(ran.stdout.contains("processes and threads"), "{}", ran.stdout);
}

/// Without the check it overflows, and the system ends the process without a reason.
#[cfg(target_os = "linux")]
#[test]
fn small_stacks_are_an_error() {
    let program = env!("CARGO_BIN_EXE_tickid");
    for (arguments, limit) in [("--version", 64), ("lease exec --realm a -- true", 127)] {
        let script = format!("ulimit -s {limit}; exec {program} {arguments}");
        let ran = crate::process::ran(std::process::Command::new("sh").args(["-c", &script]));
        let said = format!("error: the stack is limited to {limit} kB (ulimit -s), and this ");
        assert_eq!((ran.status, ran.stderr.starts_with(&said)), (USAGE, true), "{}", ran.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn doctor_finds_folders_without_files() {
    // Not even the superuser can write files there.
    let ran = run("doctor --store file:///proc");
    assert_eq!(ran.status, NODE_STORE, "{}", ran.stdout);
    assert!(ran.stdout.contains("error    store folder /proc: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("hint: a lease is a file there"), "{}", ran.stdout);
}

#[test]
fn every_help_has_examples() {
    let subcommands = [
        "gen",
        "gen scru64",
        "gen nanoflake",
        "gen kuid",
        "gen sno",
        "gen snowflake",
        "gen uuid",
        "inspect",
        "doctor",
        "convert",
        "range",
        "layout",
        "lease init",
        "lease realms",
        "lease list",
        "lease watch",
        "lease acquire",
        "lease release",
        "lease exec",
        "lease invalidate",
        "lease repair",
        "completions",
    ];
    for subcommand in subcommands {
        let help = stdout_of(&format!("{subcommand} --help"));
        assert!(help.contains("Example"), "{subcommand}");
        assert!(help.contains(&format!("tickid {subcommand}")), "{subcommand}");
    }
    assert!(stdout_of("--help").contains("Exit status"));
    let bare = run("gen");
    assert!(bare.status == USAGE && bare.stderr.contains("Usage"), "{}", bare.stderr);
    assert_eq!(stdout_of("--version"), format!("tickid {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_examples_run() {
    for subcommand in [
        "gen",
        "gen scru64",
        "gen nanoflake",
        "gen kuid",
        "gen sno",
        "inspect",
        "convert",
        "range",
        "layout",
    ] {
        // A pipeline may continue in the next line.
        let help = stdout_of(&format!("{subcommand} --help")).replace("|\n", "| ");
        let examples = help.lines().map(str::trim).filter(|line| line.starts_with("tickid "));
        let runnable = examples.filter(|line| !line.contains(['|', '>', '[', '<', '\'']));
        let is_left_out =
            |line: &&str| ["--forever", " -o ", "--time"].iter().any(|it| line.contains(it));
        for example in runnable.filter(|line| !is_left_out(line)) {
            let command = example.trim_start_matches("tickid ").split("  ").next().expect("some");
            let ran = run(command);
            // A conversion may remark what it lost.
            let is_quiet = ran.stderr.is_empty() || subcommand == "convert";
            assert!(ran.status == OK && is_quiet && !ran.stdout.is_empty(), "{example}");
        }
    }
}

#[test]
fn completions_name_subcommands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout_of(&format!("completions {shell}"));
        for subcommand in ["inspect", "nanoflake", "convert", "range", "exec"] {
            assert!(script.contains(subcommand), "{shell}: {subcommand}");
        }
        // An internal stage of `lease exec`, which is not for users.
        assert!(!script.contains("launch"), "{shell}");
    }
}

#[test]
fn colour_on_terminals_only() {
    assert!(!stdout_of("inspect 0u375nxqh5cq").contains('\x1b'));
    let forced = run_with("inspect 0u375nxqh5cq", "CLICOLOR_FORCE", "1");
    assert!(forced.stdout.contains('\x1b'));
}
