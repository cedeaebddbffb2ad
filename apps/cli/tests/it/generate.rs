//! `tickid gen` as a process.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
#[cfg(target_os = "linux")]
use std::path::Path;
use std::process::Stdio;
#[cfg(target_os = "linux")]
use std::thread;

use serde_json::Value;

use crate::SCHEMES;
use crate::process::{
    CLOCK, INVALID, OK, Ran, USAGE, json_lines, ran_in, run, run_with_input, stdout_of, tickid,
};

#[test]
fn gen_prints_increasing_ids() {
    // Padded to the same length by a scheme's nature or by being from the same time.
    for scheme in SCHEMES {
        let stdout = stdout_of(&format!("gen {scheme} -n 5000"));
        let lines: Vec<&str> = stdout.lines().collect();
        assert_eq!(lines.len(), 5_000, "{scheme}");
        assert_eq!(lines.iter().collect::<HashSet<_>>().len(), 5_000, "{scheme}");
        assert!(lines.is_sorted(), "{scheme}");
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{scheme}");
    }
    assert_eq!(stdout_of("gen sno -n 0"), "");
    assert_eq!(stdout_of("gen sno").lines().count(), 1);
}

/// The first uses up 24 ticks, which takes it 6 seconds ahead of the clock. The second begins as
/// soon as the first has ended.
#[test]
fn successive_commands_repeat_nothing() {
    let first = run("gen scru64 --node 300/16 --start lowest -n 6000");
    let second = run("gen scru64 --node 300/16 --start lowest");
    assert_eq!((first.status, second.status), (OK, OK), "{}{}", first.stderr, second.stderr);
    let waits = "tickid: waiting, or the node's next IDs repeat these: scru64: the clock is";
    assert!(first.stderr.starts_with(waits), "{}", first.stderr);
    let ids: HashSet<&str> = first.stdout.lines().chain(second.stdout.lines()).collect();
    assert_eq!(ids.len(), 6_001);
}

/// The IDs are written, so a wait that is too long is no failure.
#[test]
fn too_long_waits_are_reported() {
    let ran = run("gen scru64 --node 301/16 --start lowest -n 6000 --max-wait 0");
    assert_eq!((ran.status, ran.stdout.lines().count()), (OK, 6_000), "{}", ran.stderr);
    let remark = "tickid: the node must issue nothing more for now, or it repeats these IDs: ";
    assert!(ran.stderr.starts_with(remark), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

#[test]
fn formats_print_the_same_id() {
    for scheme in ["scru64 --node 0u375nxqh5cq/8", "nanoflake", "kuid", "kuid --kind local", "sno"]
    {
        let formats = ["text", "int", "hex"].map(|format| {
            let stdout = stdout_of(&format!("gen {scheme} --as {format}"));
            stdout.trim_end().to_owned()
        });
        let json = &json_lines(&stdout_of(&format!("gen {scheme} --json")))[0];
        let hex_len = json["hex"].as_str().expect("hex").len();
        assert_eq!(formats[0].len(), json["text"].as_str().expect("text").len(), "{scheme}");
        assert_eq!(formats[2].len(), hex_len, "{scheme}");
        assert!(u128::from_str_radix(&formats[2], 16).is_ok(), "{scheme}");
        // Generated a moment apart, by separate nodes: the same leading digits.
        let int: u128 = formats[1].parse().expect("a number");
        assert!(int >> (hex_len * 4 - 1) <= 1, "{scheme}: more than {hex_len} digits");

        let bytes = tickid(&format!("gen {scheme} -n 3 --as bytes")).output().expect("runs");
        assert_eq!(bytes.stdout.len(), 3 * hex_len / 2, "{scheme}");
    }
}

#[test]
fn ids_have_node_and_metabyte() {
    let object = |arguments: &str| json_lines(&stdout_of(arguments)).remove(0);
    let scru64 = object("gen scru64 --node 0xb00/12 --node-size 12 --json");
    assert_eq!(scru64["node_id"], 0xb00);
    let nanoflake = object("gen nanoflake --node 1000 --epoch unix --json");
    assert_eq!((&nanoflake["generator"], &nanoflake["epoch_ms"]), (&1000.into(), &0.into()));
    let sno = object("gen sno --node 258 --meta 24 --json");
    assert_eq!((&sno["partition"], &sno["meta"]), (&258.into(), &24.into()));
    let phash2 = object("gen kuid --node uid@127.0.0.1 --json");
    assert_eq!(phash2["node"], "03eb2731");
    let phash = object("gen kuid --node uid@127.0.0.1 --node-hash phash --drift 5 --json");
    assert_eq!((&phash["node"], &phash["drift"]), (&"03eb2732".into(), &5.into()));
    assert_eq!(object("gen kuid --node 0x2a --json")["node"], "0000002a");
}

#[test]
fn nodes_that_a_scheme_has_not_are_refused() {
    for (arguments, message) in [
        (
            "gen sno --node 5/8",
            "node 5 of 8 bits is not of this scheme: a sno node has 16 bits or more",
        ),
        (
            "gen sno --node 5/31",
            "node 5/31 has 2 of a tick's sequences, fewer than 4: nodes have at most 30 bits",
        ),
        ("gen nanoflake --node 8192/13", "node 8192 is outside of 0..=8191"),
        ("gen scru64 --node 5/24", "node ID size in bits 24 is outside of 1..=23"),
        // An ID carries a field.
        (
            "convert --to sno --node 5/18 0u375nxqh5cq",
            "node 5 of 18 bits is not of this scheme: a sno node has 16 bits",
        ),
        (
            "range kuid --node 5/33 --since 2026-01-01",
            "node 5 of 33 bits is not of this scheme: a kuid node has 32 bits",
        ),
    ] {
        let ran = run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{arguments}");
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn ids_of_a_given_time_have_it() {
    for (scheme, name) in [
        ("scru64 --node 42/8", "scru64"),
        ("nanoflake --node 7", "nanoflake"),
        ("kuid --node a@b", "kuid"),
        ("kuid --kind local", "kuid"),
        ("sno --node 7", "sno"),
    ] {
        let ran = run(&format!("gen {scheme} --time 2024-05-01T12:00:00Z -n 3 --json"));
        assert_eq!(ran.status, OK, "{}", ran.stderr);
        assert!(ran.stderr.contains("may collide with others"), "{}", ran.stderr);
        let ids = json_lines(&ran.stdout);
        assert_eq!(ids.len(), 3, "{name}");
        for id in ids {
            assert_eq!(id["scheme"], name);
            let past = id["unix_ms"].as_i64().expect("a number") - 1_714_564_800_000;
            assert!((-256..=0).contains(&past), "{id}");
        }
    }
    // More than one tick's: the clock advances.
    let ran = run("gen nanoflake --node 1 --time 2024-05-01 -n 10k");
    let distinct: HashSet<&str> = ran.stdout.lines().collect();
    assert_eq!((ran.status, distinct.len()), (OK, 10_000));
    let late = run("gen sno --node 1 --time 2100-01-01");
    assert_eq!((late.status, late.stdout.as_str()), (USAGE, ""));
    let error = "error: --time: sno: the clock reads 2100-01-01T00:00:00Z, outside of 2010-01-01";
    assert!(late.stderr.contains(error), "{}", late.stderr);
}

#[test]
fn snowflakes_have_the_given_layout() {
    for (layout, text, node, field) in [
        ("discord", "42x1ms/10n/12s/unsigned@1420070400000", "3/10", 12),
        ("sonyflake", "39x10ms/8s/16n@1409529600000", "3", 0),
        ("js-safe", "41x1ms/6n/6s@1735689600000", "3/6", 6),
        ("39x10ms/8s/16n@2014-09-01", "39x10ms/8s/16n@1409529600000", "3/16", 0),
    ] {
        for layout in [layout, text] {
            let ran = run(&format!(
                "gen snowflake --layout {layout} --node {node} --time 2026-05-01 -n 3"
            ));
            let ids: Vec<u64> = ran.stdout.lines().map(|line| line.parse().unwrap()).collect();
            assert!(ids.is_sorted() && ids.len() == 3, "{layout}: {ids:?}");
            assert!(ids.iter().all(|id| id >> field & 0x3f == 3), "{layout}: {ids:?}");
            let read = format!("inspect --from snowflake --layout {layout} --json {}", ids[0]);
            let read = &json_lines(&stdout_of(&read))[0];
            assert_eq!(read["time"], "2026-05-01T00:00:00.000Z", "{read}");
            assert_eq!((&read["scheme"], &read["node"]), (&"snowflake".into(), &3.into()));
        }
    }
    let above = run("inspect --from snowflake --layout js-safe 9007199254740992");
    let max = "Snowflake of this layout: the number 9007199254740992 is above 9007199254740991";
    assert_eq!(above.status, INVALID);
    assert!(above.stderr.contains(max), "{}", above.stderr);
    let ran = run("gen snowflake --layout baidu --node 1");
    assert_eq!((ran.status, ran.stdout.as_str()), (CLOCK, ""));
    // A layout without nodes has the single node 0.
    let ran = run("gen snowflake --layout 41x1ms/0n/12s@2024-01-01 --node 0 -n 2");
    assert_eq!((ran.status, ran.stdout.lines().count()), (OK, 2), "{}", ran.stderr);
}

#[test]
fn uuids_are_generated() {
    for (version, mark) in [("v7", "-7"), ("v8", "-8")] {
        let uuids = stdout_of(&format!("gen uuid --as {version} -n 1000"));
        let lines: Vec<&str> = uuids.lines().collect();
        assert!(lines.is_sorted() && lines.iter().collect::<HashSet<_>>().len() == 1_000);
        assert!(lines.iter().all(|line| line.len() == 36 && line[13..].starts_with(mark)));
        let kuid = &json_lines(&stdout_of(&format!("inspect --json {}", lines[0])))[0];
        assert_eq!((&kuid["scheme"], &kuid["carried_in"]), (&"kuid".into(), &"uuid".into()));
    }
}

#[test]
fn closed_pipes_are_no_error() {
    for scheme in SCHEMES {
        let mut command = tickid(&format!("gen {scheme} --forever"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("runs");
        let stdout = child.stdout.take().expect("piped");
        let lines = BufReader::new(stdout).lines().take(10_000);
        let distinct: HashSet<String> = lines.map(|line| line.expect("text")).collect();
        assert_eq!(distinct.len(), 10_000, "{scheme}");
        let ran = Ran::from(child.wait_with_output().expect("ends"));
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{scheme}");
    }
}

/// Two IDs in 256 ms, so that a thousand of them take minutes.
const SLOW: &str = "gen scru64 --node 1/23 -n 1000";

#[test]
fn files_are_replaced_as_a_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ids");
    fs::write(&path, "old").expect("written");
    let names = || fs::read_dir(folder.path()).expect("a folder").count();
    // An error ends the run after its first IDs.
    let ran = run(&format!("{SLOW} --max-wait 0 -o {}", path.display()));
    assert_eq!(ran.status, CLOCK, "{}", ran.stderr);
    assert_eq!((fs::read_to_string(&path).expect("text").as_str(), names()), ("old", 1));
    assert_eq!(stdout_of(&format!("gen sno --node 1 -n 3 -o {}", path.display())), "");
    assert_eq!((fs::read_to_string(&path).expect("text").lines().count(), names()), (3, 1));
    // One that is not there yet.
    let new = folder.path().join("new");
    assert_eq!(run(&format!("{SLOW} --max-wait 0 -o {}", new.display())).status, CLOCK);
    assert!(!new.exists() && names() == 1);
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_runs_leave_the_old_file() {
    use std::os::unix::process::ExitStatusExt as _;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    use crate::process::{by_way_of, with_state};

    let state = tempfile::tempdir().expect("a folder");
    // With a node of its own, with a leased one, and without one.
    let nodeless = "gen kuid --kind local --time 2024-01-01 -n 1G";
    for run in [SLOW, "gen scru64 -n 1G", nodeless] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ids");
        fs::write(&path, "old").expect("written");
        let run = format!("{run} --max-wait 600 -o {}", path.display());
        // A shell that runs tests in the background ignores Ctrl-C, and a program inherits that.
        let command = with_state(state.path(), &run);
        let mut command = by_way_of(&command, "env", &["--default-signal=INT"]);
        let mut child = command.spawn().expect("runs");
        let others = || {
            let entries = fs::read_dir(folder.path()).expect("a folder");
            entries.map(|entry| entry.expect("an entry").path()).filter(|it| *it != path)
        };
        // It writes the IDs that it has before it waits for more.
        while !others().any(|it| fs::metadata(it).is_ok_and(|new| new.len() > 0)) {
            assert_eq!(fs::read_to_string(&path).expect("text"), "old", "{run}");
            assert!(child.try_wait().expect("a child").is_none(), "{run} has ended");
        }
        kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("sent");
        assert_eq!(child.wait().expect("ends").signal(), Some(Signal::SIGINT as i32), "{run}");
        assert_eq!(fs::read_to_string(&path).expect("text"), "old", "{run}");
        assert_eq!(others().count(), 0, "{run}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_and_links_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};

    use nix::sys::stat::Mode;

    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name);
    let write = |path: &Path| {
        let command = format!("gen sno --node 1 -n 3 -o {}", path.display());
        assert_eq!(stdout_of(&command), "", "{command}");
    };
    // A pipe has a reader.
    nix::unistd::mkfifo(&place("pipe"), Mode::S_IRWXU).expect("made");
    let pipe = place("pipe");
    let reader = thread::spawn(move || fs::read_to_string(pipe).expect("text"));
    write(&place("pipe"));
    assert_eq!(reader.join().expect("no panic").lines().count(), 3);
    assert!(fs::symlink_metadata(place("pipe")).expect("there").file_type().is_fifo());
    // Links still name their files afterwards, also those that are not there yet.
    fs::write(place("file"), "old").expect("written");
    fs::set_permissions(place("file"), fs::Permissions::from_mode(0o640)).expect("set");
    for target in ["file", "later"] {
        let link = place(&format!("link-to-{target}"));
        symlink(place(target), &link).expect("linked");
        write(&link);
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(place(target)).expect("text").lines().count(), 3);
    }
    let mode = fs::metadata(place("file")).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let ran = run(&format!("gen sno --node 1 -o {}", folder.path().display()));
    assert_eq!(ran.status, INVALID);
    assert!(ran.stderr.starts_with("error: cannot write /"), "{}", ran.stderr);
}

#[test]
fn two_nodes_do_not_collide() {
    let children = [1, 2].map(|node| {
        let mut command = tickid(&format!("gen sno --node {node} -n 50000"));
        command.stdout(Stdio::piped()).spawn().expect("runs")
    });
    let mut distinct = HashSet::new();
    for child in children {
        let output = child.wait_with_output().expect("ends");
        distinct.extend(Ran::from(output).stdout.lines().map(str::to_owned));
    }
    assert_eq!(distinct.len(), 100_000);
}

#[test]
fn an_option_sets_the_start_for_a_run() {
    // There are 16 IDs in a tick, so that many ticks start.
    const LAYOUT: &str = "snowflake --layout 41x1ms/12n/4s@2020-01-01";
    let state = tempfile::tempdir().expect("a folder");
    let init = format!("lease init {LAYOUT} --realm a --start random");
    assert_eq!(ran_in(state.path(), &init).status, OK);
    for options in ["--realm a --start lowest", "--node 5/12"] {
        let ran = ran_in(state.path(), &format!("gen {LAYOUT} {options} -n 3000 --json"));
        assert_eq!(ran.status, OK, "{}", ran.stderr);
        let ids = json_lines(&ran.stdout);
        let mut ticks = ids.chunk_by(|id, next| id["timestamp"] == next["timestamp"]);
        assert!(ticks.all(|ids| ids[0]["sequence"] == 0), "{options}");
    }
    let again = ran_in(state.path(), &format!("lease init {LAYOUT} --realm a --start lowest"));
    assert_eq!(again.status, USAGE, "{}", again.stderr);
    assert!(again.stderr.contains("random starts"), "{}", again.stderr);
    let wrong = run("gen nanoflake --start first");
    assert_eq!(wrong.status, USAGE);
    assert!(wrong.stderr.contains("at its lowest sequence or at a random one"), "{}", wrong.stderr);
}

/// Three of the rows have the same millisecond.
const ROWS: &str = "id,created_at\n1,2024-05-01T00:00:00Z\n2,2024-05-01 00:00:00.5+00\n3,\n\
                    4,2024-05-01 00:00:00.5+00\n5,2024-04-30\n6,1714521600500\n7,2070-01-01\n";

#[test]
fn past_times_get_ids_line_by_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rows.csv");
    fs::write(&file, ROWS).expect("a file");
    let gen_ids = "gen nanoflake --node 5 --column created_at --times";
    let ran = run_with_input(&format!("{gen_ids} -"), ROWS.as_bytes());
    assert_eq!(ran.status, INVALID, "{}", ran.stderr);
    for problem in [
        "line 6: '2024-04-30' has no ID: 2024-04-30T00:00:00Z is before 2024-05-01T00:00:00.500Z",
        "line 8: '2070-01-01' has no ID: 2070-01-01T00:00:00Z is outside of the window",
    ] {
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
    }
    // Pasted beside the rows: a line without a time, or with a refused one, is empty.
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let empty: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].is_empty()).collect();
    assert_eq!(empty, [0, 3, 5, 7], "{}", ran.stdout);
    // Of a file, standard input is not read. It is no pipe, which would break.
    let other = folder.path().join("input.csv");
    fs::write(&other, "id,created_at\n1,0\n").expect("a file");
    let mut of_file = tickid(&format!("{gen_ids} {}", file.display()));
    let of_file = of_file.stdin(File::open(other).expect("a file")).output();
    let of_file = Ran::from(of_file.expect("runs"));
    assert_eq!((of_file.status, of_file.stdout.as_str()), (INVALID, ran.stdout.as_str()));
    let missing = run("gen nanoflake --node 5 --times /no/such/file");
    assert_eq!(missing.status, USAGE, "{}", missing.stderr);
    assert!(missing.stderr.contains("--times /no/such/file: "), "{}", missing.stderr);
    let rows: Vec<Value> =
        json_lines(&run_with_input(&format!("{gen_ids} - --json"), ROWS.as_bytes()).stdout);
    let parts =
        rows.iter().map(|id| ["unix_ms", "generator", "sequence"].map(|it| id[it].as_u64()));
    let expected = [(500, 0), (500, 1), (500, 2)];
    let expected = [(0, 0)].into_iter().chain(expected);
    let expected = expected.map(|(ms, at)| [1_714_521_600_000 + ms, 5, at].map(Some));
    assert_eq!(parts.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn odd_past_times_are_explained() {
    let gen_ids = "gen scru64 --node 5/8 --times -";
    let seconds = run_with_input(gen_ids, b"1714521600\r\n1714521601\r\n");
    // Once, and not for each row.
    let remark = "tickid: '1714521600' counts milliseconds since 1970: 1970-01-20T20:15:21.600Z\n";
    assert_eq!((seconds.status, seconds.stderr.as_str()), (OK, remark));
    for (times, problem) in [
        ("now", "line 1: 'now' is not a time: neither milliseconds since 1970 nor"),
        ("9223372036854776", "is not a time: time in milliseconds 9223372036854776 is outside of"),
        (
            "2024-05-01\n1969-12-31",
            "line 2: '1969-12-31' has no ID: 1969-12-31T00:00:00Z is before",
        ),
        (
            "1969-12-31",
            "has no ID: time 1969-12-31T00:00:00Z is outside of 1970-01-01T00:00:00Z to",
        ),
    ] {
        let ran = run_with_input(gen_ids, times.as_bytes());
        assert_eq!(ran.status, INVALID, "{}", ran.stderr);
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
    }
    let nothing = run_with_input(gen_ids, b"");
    assert_eq!((nothing.status, nothing.stdout.as_str(), nothing.stderr.as_str()), (OK, "", ""));
}

#[test]
fn a_second_run_of_past_times_repeats_no_id() {
    for (scheme, format) in [
        ("scru64 --node 7/8", ""),
        ("nanoflake --node 5", "--as decimal"),
        ("snowflake --node 5/10", ""),
        ("kuid --node 60145/32", "--as url"),
        ("kuid --kind local --node 0/0", ""),
        ("sno --node 258 --meta 7", ""),
        ("uuid --node 60145/32", ""),
        ("uuid --node 60145/32 --as v8", ""),
        ("uuid --node 60145/32", "--as v7/hex"),
        ("nanoflake --node 5", "--as int"),
        ("sno --node 258", "--as hex"),
    ] {
        let gen_ids = format!("gen {scheme} {format} --times -");
        let times = "2024-05-01\n".repeat(20);
        let first = run_with_input(&gen_ids, times.as_bytes());
        assert_eq!(first.status, OK, "{gen_ids}: {}", first.stderr);
        let last = first.stdout.lines().last().expect("an ID");
        let second = run_with_input(&format!("{gen_ids} --after={last}"), times.as_bytes());
        assert_eq!(second.status, OK, "{gen_ids}: {}", second.stderr);
        let both: HashSet<&str> = first.stdout.lines().chain(second.stdout.lines()).collect();
        assert_eq!(both.len(), 40, "{gen_ids}");
    }
    let other = run_with_input("gen sno --node 258 --after brpk4q72xwf2m63l --times -", b"");
    assert_eq!(other.status, USAGE);
    assert!(other.stderr.contains("an ID of the node 39434, and not of 258"), "{}", other.stderr);
}

#[test]
fn a_used_up_tick_spills_as_far_as_it_may() {
    let gen_ids = "gen snowflake --layout 41x1ms/12n/4s@2020-01-01 --node 5/12 --times -";
    let times = "2024-05-01\n".repeat(40);
    let ran = run_with_input(gen_ids, times.as_bytes());
    assert_eq!(ran.stdout.lines().filter(|line| !line.is_empty()).count(), 16);
    assert!(
        ran.stderr.contains("line 17: '2024-05-01' has no ID: all IDs of tick"),
        "{}",
        ran.stderr
    );
    let spilled = run_with_input(&format!("{gen_ids} --spill 2"), times.as_bytes());
    assert_eq!((spilled.status, spilled.stdout.lines().count()), (OK, 40), "{}", spilled.stderr);
    let last = spilled.stdout.lines().last().expect("an ID").to_owned();
    let of_last = stdout_of(&format!(
        "inspect --from snowflake --layout 41x1ms/12n/4s@2020-01-01 {last} --json"
    ));
    assert_eq!(json_lines(&of_last)[0]["unix_ms"], 1_714_521_600_002_u64);
}
