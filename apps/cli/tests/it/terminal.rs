//! The command on a terminal, and with input that means harm to one.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::thread::{self, JoinHandle};

use nix::pty::{OpenptyResult, Winsize, openpty};
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};

use crate::process::{
    INVALID, NODE_STORE, OK, USAGE, ran, ran_in, run_with_input, tickid, with_state,
};

/// A long run, which shows its progress where it can.
const LONG_RUN: &str = "gen sno --node 1 -n 1000001";

/// A terminal that shows what is written to it, and a thread that reads what it shows.
struct Terminal {
    slave: OwnedFd,
    shown: JoinHandle<Vec<u8>>,
}

impl Terminal {
    fn open() -> Self {
        Self::with_columns(80)
    }

    fn with_columns(ws_col: u16) -> Self {
        let size = Winsize { ws_row: 24, ws_col, ws_xpixel: 0, ws_ypixel: 0 };
        let OpenptyResult { master, slave } = openpty(Some(&size), None).expect("a terminal");
        // Without its own carriage returns.
        let mut settings = tcgetattr(&slave).expect("settings");
        cfmakeraw(&mut settings);
        tcsetattr(&slave, SetArg::TCSANOW, &settings).expect("set");
        let mut master = File::from(master);
        let shown = thread::spawn(move || {
            let mut shown = Vec::new();
            // Reading fails once the other end is closed everywhere.
            let end = master.read_to_end(&mut shown).expect_err("no end of file");
            assert_eq!(end.raw_os_error(), Some(nix::Error::EIO as i32));
            shown
        });
        Self { slave, shown }
    }

    /// Another handle on it, for a process to write to.
    fn output(&self) -> Stdio {
        self.slave.try_clone().expect("a handle").into()
    }

    /// Returns what was shown, once `child` has ended well.
    fn shown(self, child: Child) -> String {
        self.shown_of(child, OK)
    }

    /// Returns what was shown, once `child` has ended with `status`.
    fn shown_of(self, mut child: Child, status: i32) -> String {
        drop(self.slave);
        assert_eq!(child.wait().expect("ends").code(), Some(status));
        String::from_utf8(self.shown.join().expect("no panic")).expect("text")
    }
}

#[test]
fn progress_is_not_among_ids() {
    for (options, is_on_terminal, has_progress) in
        [("", true, false), ("", false, true), ("-o /dev/null", true, true)]
    {
        let terminal = Terminal::open();
        let mut command = tickid(&format!("{LONG_RUN} {options}"));
        let stdout = if is_on_terminal { terminal.output() } else { Stdio::null() };
        let child = command.stdout(stdout).stderr(terminal.output()).spawn();
        drop(command);
        let shown = terminal.shown(child.expect("runs"));
        if has_progress {
            assert!(shown.ends_with("\r\x1b[K"), "{shown:?}");
        } else {
            assert!(!shown.contains(['\r', '\x1b', '%']));
            assert_eq!(shown.lines().count(), 1_000_001);
            assert!(shown.lines().all(|id| id.len() == 16));
        }
    }
}

/// Input of an unknown length is long once it turns out to be.
#[test]
fn long_input_shows_its_progress() {
    for (arguments, is_file, lines, share) in [
        ("inspect --json --from sno", true, 1_100_000, " %)"),
        ("convert --from sno --to uuid", true, 1_100_000, " %)"),
        ("inspect --json --from sno", true, 900_000, ""),
        ("inspect --json --from sno", false, 1_200_000, " lines"),
        ("inspect --json --from sno", false, 900_000, ""),
    ] {
        let terminal = Terminal::open();
        let mut command = tickid(arguments);
        command.stdout(Stdio::null()).stderr(terminal.output());
        // Blank lines, which take no time and are counted.
        let input = "brpk4q72xwf2m63l".to_owned() + &"\n".repeat(lines);
        let mut child = if is_file {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(input.as_bytes()).expect("written");
            file.rewind().expect("rewound");
            command.stdin(file).spawn().expect("runs")
        } else {
            command.stdin(Stdio::piped()).spawn().expect("runs")
        };
        drop(command);
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.as_bytes()).expect("written");
        }
        let shown = terminal.shown(child);
        assert_eq!(shown.contains(share) && !shown.is_empty(), !share.is_empty(), "{shown:?}");
        assert_eq!(shown.ends_with("\r\x1b[K"), !share.is_empty(), "{shown:?}");
    }
}

/// Where the output is a terminal as well, since nothing is written before the end.
#[test]
fn summaries_show_their_progress() {
    for (options, is_on_terminal) in [("", true), ("--find", true), ("--json", false)] {
        let terminal = Terminal::open();
        let mut command = tickid(&format!("inspect --summary --from sno {options}"));
        let mut file = tempfile::tempfile().expect("a file");
        let input = "brpk4q72xwf2m63l\n".to_owned() + &"\n".repeat(1_100_000);
        file.write_all(input.as_bytes()).expect("written");
        file.rewind().expect("rewound");
        let stdout = if is_on_terminal { terminal.output() } else { Stdio::null() };
        let child = command.stdin(file).stdout(stdout).stderr(terminal.output()).spawn();
        drop(command);
        let shown = terminal.shown(child.expect("runs"));
        let (progress, table) = shown.split_once("\r\x1b[K").expect("progress");
        assert!(
            progress.starts_with("\r0 lines (0 %)") && progress.contains(" lines ("),
            "{shown:?}"
        );
        assert_eq!(table.starts_with("LINES"), is_on_terminal, "{shown:?}");
        assert!(is_on_terminal || table.is_empty(), "{shown:?}");
    }
}

#[test]
fn messages_replace_the_progress() {
    let terminal = Terminal::open();
    let mut file = tempfile::tempfile().expect("a file");
    let input = "\n".repeat(1_100_000) + "x\n";
    file.write_all(input.as_bytes()).expect("written");
    file.rewind().expect("rewound");
    let mut command = tickid("inspect --json --from sno");
    let child = command.stdin(file).stdout(Stdio::null()).stderr(terminal.output()).spawn();
    drop(command);
    let shown = terminal.shown_of(child.expect("runs"), INVALID);
    let place = shown.find("error").expect("a message");
    let (progress, _) = shown.split_at(place);
    let line = progress.trim_end_matches(|c: char| c != 'K');
    assert!(line.ends_with("\r\x1b[K"), "{shown:?}");
}

#[test]
fn tables_fit_80_columns() {
    let state = tempfile::tempdir().expect("a folder");
    let run = |arguments: &str| {
        let ran = ran_in(state.path(), arguments);
        assert_eq!(ran.status, OK, "{arguments}: {}", ran.stderr);
        ran.stdout
    };
    run("lease init kuid --realm orders --pool 4294967290-4294967295/32");
    run("lease acquire --realm orders --holder orders-7d9f8b6c5d-x2x4z/app:1");
    for arguments in ["layout", "lease list --realm orders"] {
        let table = run(arguments);
        let longest = table.lines().map(|line| line.chars().count()).max().expect("lines");
        assert!(longest <= 80, "{arguments}: {longest} columns: {table}");
    }
    let terminal = Terminal::open();
    let mut command = with_state(state.path(), "doctor --store redis://127.0.0.1:1");
    command.env("NO_COLOR", "1").stdout(terminal.output());
    let child = command.spawn();
    drop(command);
    let shown = terminal.shown_of(child.expect("runs"), NODE_STORE);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(shown.contains("hint: "), "{shown}");
}

#[test]
fn cards_fit_the_terminal() {
    for columns in [40_u16, 60, 80, 200] {
        let terminal = Terminal::with_columns(columns);
        let mut command = tickid(
            "inspect --tz local 017f22e2-79b0-7cc3-98c4-dc0c0c07398f 0u375nxqh5cq 2006515713440194560",
        );
        command.env("NO_COLOR", "1").env("TZ", "UTC").stdout(terminal.output());
        let child = command.spawn();
        drop(command);
        let shown = terminal.shown(child.expect("runs"));
        let longest = shown.lines().map(str::len).max().expect("lines");
        assert!(longest <= columns.min(100).into(), "{columns}: {shown}");
        assert!(shown.contains("UUID of version 7") && shown.contains("SCRU64"), "{shown}");
    }
}

/// Returns the help of a command, with those of all its subcommands, on a terminal.
fn helps(command: &str, columns: u16) -> Vec<(String, String)> {
    let terminal = Terminal::with_columns(columns);
    let mut help = tickid(&format!("{command} --help"));
    let child = help.env("NO_COLOR", "1").stdout(terminal.output()).spawn();
    drop(help);
    let help = terminal.shown(child.expect("runs"));
    // The names of subcommands, whose descriptions may continue in further lines.
    let rows = help.split("\nCommands:\n").nth(1).unwrap_or_default().lines();
    let rows = rows.take_while(|row| !row.is_empty()).filter_map(|row| row.strip_prefix("  "));
    let names = rows.filter(|row| !row.starts_with(' ')).filter_map(|row| row.split(' ').next());
    let inner = names.filter(|name| *name != "help");
    let inner = inner.flat_map(|name| helps(&format!("{command} {name}"), columns));
    let mut all: Vec<_> = inner.collect();
    all.push((command.to_owned(), help));
    all
}

#[test]
fn help_fits_the_terminal() {
    let [narrow, wide] = [80, 120].map(|columns| helps("", columns));
    assert!(narrow.len() > 20, "{}", narrow.len());
    for ((command, narrow), (_, wide)) in narrow.iter().zip(&wide) {
        for (help, most) in [(narrow, 80), (wide, 100)] {
            let longest = help.lines().map(|line| line.chars().count()).max().expect("lines");
            assert!(longest <= most, "{command}: {longest} columns: {help}");
        }
        // What is below the options. Examples can be copied, as no terminal breaks their lines, and
        // paragraphs have no breaks but the terminal's.
        let below = |help: &str| {
            let place = help.find("\nExample").unwrap_or(help.len());
            let indented = help[place..].lines().filter(|line| line.starts_with(' '));
            let words = help[place..].split_whitespace().map(str::to_owned);
            (indented.map(str::to_owned).collect::<Vec<_>>(), words.collect::<Vec<_>>())
        };
        assert_eq!(below(narrow), below(wide), "{command}");
        let lines: Vec<&str> = narrow.lines().collect();
        for pair in lines.windows(2).filter(|pair| !pair[1].is_empty()) {
            let is_prose = pair.iter().all(|line| line.starts_with(|c: char| !" \n".contains(c)));
            let next = pair[1].split(' ').next().unwrap_or_default();
            let could_stand = pair[0].chars().count() + 1 + next.chars().count() <= 80;
            assert!(!(is_prose && could_stand), "{command}: {pair:?}");
        }
    }
}

#[test]
fn finds_are_counted_where_no_terminal_shows_them() {
    for (options, is_on_terminal, said) in [
        ("", true, ""),
        ("", false, "tickid: 2 IDs in 1 of 3 lines\n"),
        ("--summary", false, ""),
        ("--template {text}", false, "tickid: 2 IDs in 1 of 3 lines\n"),
    ] {
        let terminal = Terminal::open();
        let mut command = tickid(&format!("inspect --find {options}"));
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(b"a\nb 0u375nxqh5cq 0u375nxqh5cq\nc\n").expect("written");
        file.rewind().expect("rewound");
        let stdout = if is_on_terminal { terminal.output() } else { Stdio::piped() };
        let child = command.stdin(file).stdout(stdout).stderr(Stdio::piped()).spawn();
        drop(command);
        drop(terminal.slave);
        let ended = child.expect("runs").wait_with_output().expect("ends");
        assert_eq!(String::from_utf8_lossy(&ended.stderr), said, "{options}");
        assert!(terminal.shown.join().expect("no panic").is_empty() != is_on_terminal);
    }
}

#[test]
fn huge_lines_are_cut() {
    let mut input = vec![b'a'; 100_000_000];
    input.extend_from_slice(b"\n0u375nxqh5cq\n");
    for arguments in ["inspect --json", "convert --from scru64 --node-size 8 --to sno --json"] {
        let ran = run_with_input(arguments, &input);
        assert_eq!((ran.status, ran.stdout.lines().count()), (INVALID, 1), "{arguments}");
        let expected = format!("error: line 1: '{}…' is not an ID: ", "a".repeat(300));
        assert!(ran.stderr.starts_with(&expected), "{arguments}: {}", ran.stderr.len());
        assert!(ran.stderr.contains(" 100000000 bytes long"), "{arguments}");
        assert!(ran.stderr.lines().all(|line| line.len() < 500), "{arguments}");
    }
}

#[test]
fn fitting_lines_are_read_whole() {
    for (len, remark) in
        [(65_535, "65535 bytes long, not 12"), (65_536, "65536 bytes long, not 12")]
    {
        let mut input = vec![b'a'; len];
        input.push(b'\n');
        let ran = run_with_input("inspect --from scru64", &input);
        assert_eq!(ran.status, INVALID);
        assert!(ran.stderr.contains(remark), "{}", ran.stderr);
    }
    let ran = run_with_input("inspect --from scru64", &[b'a'; 65_537]);
    assert!(ran.stderr.contains("is not an ID: about 65537 bytes long"), "{}", ran.stderr);
}

#[test]
fn escape_codes_are_escaped() {
    let evil = "\x1b]0;title\x07\x1b[2J\u{9b}31m\u{202e}";
    let ran_with = |arguments: &str, last: &str| ran(tickid(arguments).arg(last));
    for (ran, status) in [
        (run_with_input("inspect", evil.as_bytes()), INVALID),
        (run_with_input("convert --to sno", evil.as_bytes()), INVALID),
        (ran_with("inspect", evil), INVALID),
        (ran_with("", evil), USAGE),
        (ran_with("gen sno", &format!("--{evil}")), USAGE),
        (ran_with("gen sno --node", evil), USAGE),
        (ran_with("gen scru64 --node", &format!("{evil}/8")), USAGE),
        (ran_with("gen kuid --node", &format!("0x{evil}")), USAGE),
        (ran_with("gen sno --realm", evil), USAGE),
        (ran_with("gen sno --store", &format!("{evil}:a")), USAGE),
        (ran_with("gen nanoflake --epoch", evil), USAGE),
        (ran_with("gen sno --max-wait", evil), USAGE),
        (ran_with("inspect --from", evil), USAGE),
        (ran_with("convert --to sno 0u375nxqh5cq --node", evil), USAGE),
        (ran_with("convert --to sno 0u375nxqh5cq --node-table", &format!("{evil}=1")), USAGE),
        (ran_with("lease release --realm sno --token", evil), USAGE),
    ] {
        assert_eq!((ran.status, ran.stdout.as_str()), (status, ""), "{}", ran.stderr);
        let is_safe = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
        assert!(ran.stderr.chars().all(is_safe), "{:?}", ran.stderr);
    }
}

#[test]
fn huge_arguments_are_cut() {
    let long = "a".repeat(100_000);
    for arguments in [
        "inspect --from",
        "gen sno --node",
        "gen scru64 --node",
        "gen sno --realm",
        "gen sno --store",
        "gen nanoflake --epoch",
        "convert --to sno 0u375nxqh5cq --node",
        "inspect",
    ] {
        let ran = ran(tickid(arguments).arg(&long));
        assert!(ran.status == USAGE || ran.status == INVALID, "{arguments}");
        assert!(ran.stderr.len() < 3_000, "{arguments}: {} bytes", ran.stderr.len());
    }
}

/// A script in a namespace of mounts that are all of this type.
#[cfg(target_os = "linux")]
fn on_file_system(kind: &str, state: &std::path::Path, arguments: &str) -> std::process::Command {
    let mounts = "/proc/$$/mountinfo";
    let script = format!(
        "sed 's/ - [^ ]* / - {kind} /' {mounts} > $1 && mount --bind $1 {mounts} && shift && \
         exec \"$@\""
    );
    let fake = state.join("mounts").display().to_string();
    let options = ["--mount", "sh", "-c", &script, "sh", &fake];
    crate::process::by_way_of(&with_state(state, arguments), "unshare", &options)
}

#[cfg(target_os = "linux")]
#[test]
fn unknown_file_systems_are_warned_of() {
    let probe = std::process::Command::new("unshare").args(["--mount", "true"]).output();
    if !probe.expect("runs").status.success() {
        return tickid_testkit::skip("needs namespaces");
    }
    let state = tempfile::tempdir().expect("a folder");
    let on = |kind: &str, arguments: &str| on_file_system(kind, state.path(), arguments);
    let warning = "is on a file system in user space, of type fuse.new: if another machine can";
    let doctor = ran(&mut on("fuse.new", "doctor --json"));
    assert_eq!(doctor.status, OK, "{}", doctor.stderr);
    let is_warned = |line: &str| line.contains("\"warning\"") && line.contains(warning);
    assert!(doctor.stdout.lines().any(is_warned), "{}", doctor.stdout);
    // It ends after the store was opened, because it has no such realm.
    let serve = ran(&mut on("fuse.new", "serve --realm a --policy b=wait"));
    assert_eq!(serve.status, USAGE);
    assert!(serve.stderr.contains(warning), "{}", serve.stderr);
    // Scripts have it in no log.
    let piped = ran(&mut on("fuse.new", "gen sno"));
    assert_eq!((piped.status, piped.stderr.as_str()), (OK, ""));
    for (kind, is_warned) in [("fuse.new", true), ("ext4", false)] {
        let terminal = Terminal::open();
        let mut command = on(kind, "gen sno");
        command.stdout(Stdio::null()).stderr(terminal.output());
        let child = command.spawn();
        drop(command);
        let shown = terminal.shown(child.expect("runs"));
        assert_eq!(shown.replace("\r\n", "").replace('\n', " ").contains("user space"), is_warned);
    }
    // One that is known to be shared is refused.
    let shared = ran(&mut on("fuse.blobfuse2", "gen sno"));
    assert_eq!(shared.status, NODE_STORE, "{}", shared.stderr);
    assert!(shared.stderr.contains("machines may share, of type fuse.blobfuse2"));
}
