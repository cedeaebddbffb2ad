//! The command as a process: exit status, standard output, standard error.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod process;

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use process::{
    CLOCK, INVALID, NODE_STORE, OK, Ran, USAGE, json_lines, run, run_with_input, stdout_of, tickid,
};
use serde_json::Value;

const SCHEMES: [&str; 4] = ["scru64", "nanoflake", "kuid", "sno"];

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

#[test]
fn gen_and_inspect_json_agree() {
    for scheme in ["scru64 --node 42/8", "nanoflake --node 5", "kuid --node a@b", "sno --meta 7"] {
        let generated = stdout_of(&format!("gen {scheme} -n 20 --json"));
        let name = scheme.split(' ').next().expect("a name");
        let texts: Vec<String> = json_lines(&generated)
            .iter()
            .map(|object| object["text"].as_str().expect("text").to_owned())
            .collect();
        let inspected = stdout_of(&format!("inspect --json --scheme {name} {}", texts.join(" ")));
        assert_eq!(generated, inspected, "{scheme}");
    }
}

#[test]
fn formats_print_the_same_id() {
    for scheme in ["scru64 --node 0u375nxqh5cq/8", "nanoflake", "kuid", "kuid --kind local", "sno"]
    {
        let formats = ["text", "int", "hex"].map(|format| {
            let stdout = stdout_of(&format!("gen {scheme} --format {format}"));
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

        let bytes = tickid(&format!("gen {scheme} -n 3 --format bytes")).output().expect("runs");
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
fn inspect_json_fields() {
    let cases = [
        (
            "inspect --json 0u375nxqh5cq --node-size 8",
            r#"{"scheme":"scru64","text":"0u375nxqh5cq","hex":"0186d52bbe2a635a","unix_ms":1678613659136,"time":"2023-03-12T09:34:19.136Z","int":"110009624767914842","timestamp":6557084606,"node_ctr":2777946,"node_id":42,"counter":25434,"confidence":"likely","reason":"12 digits of Base36"}"#,
        ),
        (
            "inspect --json 0u375nxqh5cq",
            r#"{"scheme":"scru64","text":"0u375nxqh5cq","hex":"0186d52bbe2a635a","unix_ms":1678613659136,"time":"2023-03-12T09:34:19.136Z","int":"110009624767914842","timestamp":6557084606,"node_ctr":2777946,"confidence":"likely","reason":"12 digits of Base36"}"#,
        ),
        (
            "inspect --json --scheme nanoflake --radix 10 --epoch discord 175928847299117063",
            r#"{"scheme":"nanoflake","text":"175928847299117063","hex":"0271065ac1020007","unix_ms":1462015105796,"time":"2016-04-30T11:18:25.796Z","int":"175928847299117063","epoch_ms":1420070400000,"timestamp":41944705796,"generator":32,"datacenter":1,"worker":0,"sequence":7}"#,
        ),
        (
            "inspect --json --scheme kuid --alphabet url AGA5igPrJzJ7aYAB",
            r#"{"scheme":"kuid","text":"AGA5igPrJzJ7aYAB","hex":"0060398a03eb27327b698001","unix_ms":1539625275432,"time":"2018-10-15T17:41:15.432Z","kind":"global","drift":8,"a":1539,"b":625275,"node":"03eb2732","c":432128,"sequence":1}"#,
        ),
        (
            "inspect --json --scheme kuid .5.tXbhdV.3",
            r#"{"scheme":"kuid","text":".5.tXbhdV.3","hex":"0060398a7b698001","unix_ms":1539625275432,"time":"2018-10-15T17:41:15.432Z","int":"27084864703004673","kind":"local","a":1539,"b":625275,"c":432128,"sequence":1}"#,
        ),
        (
            "inspect --json --scheme sno aaaaaaaa55aaaaaa",
            r#"{"scheme":"sno","text":"aaaaaaaa55aaaaaa","hex":"421084210818d0842108","unix_ms":1829793872400,"time":"2027-12-26T04:04:32.400Z","timestamp":141872468100,"toggle":0,"meta":24,"partition":53380,"sequence":8456}"#,
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(stdout_of(arguments), format!("{expected}\n"), "{arguments}");
    }
}

#[test]
fn times_after_9999_are_null() {
    let stdout = stdout_of("inspect --json --scheme kuid zzzzzzzzzzw");
    let object = &json_lines(&stdout)[0];
    assert_eq!(object["time"], Value::Null);
    assert_eq!(object["unix_ms"], 1_048_576_048_576_047_i64);
}

#[test]
fn only_likely_readings_are_shown() {
    let id = stdout_of("gen nanoflake --node 1");
    let id = id.trim_end();
    let all = json_lines(&stdout_of(&format!("inspect --json --all {id}")));
    assert_eq!(all[0]["scheme"], "nanoflake");
    assert!(all.len() > 1, "twelve characters are a SCRU64 ID too");
    let one = json_lines(&stdout_of(&format!("inspect --json {id}")));
    assert_eq!(one, all[..1]);
    assert_eq!(
        (&all[0]["confidence"], &all[1]["confidence"]),
        (&"likely".into(), &"possible".into())
    );
    assert_eq!(all[1]["doubt"], "of an unlikely time");
    let drawn = stdout_of(&format!("inspect {id}"));
    assert_eq!((drawn.matches(id).count(), drawn.matches("possible: ").count()), (1, 0));
    let drawn = stdout_of(&format!("inspect --all {id}"));
    assert_eq!(drawn.matches(id).count(), all.len());
    assert_eq!(drawn.matches("possible: ").count(), all.len() - 1);
    let ran = run("inspect xx");
    assert_eq!((ran.status, ran.stdout.as_str()), (INVALID, ""));
    assert!(ran.stderr.contains("Nanoflake in Base36 (2010-11-04"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: `tickid inspect --all ID`"), "{}", ran.stderr);
    let named = &json_lines(&stdout_of("inspect --json --scheme nanoflake xx"))[0];
    assert_eq!(named.get("confidence"), None);
    // Words are not shown as IDs, and --all shows them with the status of invalid input.
    let ran = run("inspect activities12 --all");
    assert_eq!(ran.status, INVALID);
    assert!(ran.stdout.contains("possible: up to 13 digits of Base36; it reads like words"));
    assert!(ran.stderr.contains("is likely none of these"), "{}", ran.stderr);
}

#[test]
fn inspect_names_what_fits_as_well() {
    // 256 ms in SCRU64, 256 times a millisecond in Mastodon: the same bits.
    let ran = run("inspect --json 113882101964472591");
    assert_eq!((ran.status, json_lines(&ran.stdout).len()), (OK, 1));
    assert!(ran.stderr.contains("its bits fit as well: Mastodon ID (2025-"), "{}", ran.stderr);
    let drawn = stdout_of("inspect 113882101964472591");
    assert!(drawn.contains("SCRU64, integer") && drawn.contains("Mastodon ID"), "{drawn}");
    assert!(drawn.contains("formats that explain the bits about as well: "), "{drawn}");
    // Twitter's, with a sequence of 0. Discord is years from it.
    for (options, named) in [
        ("", "Nanoflake in decimal, or Twitter Snowflake\n"),
        ("--from twitter", "Nanoflake in decimal, or Twitter Snowflake\n"),
        ("--epoch discord --all", "Nanoflake in decimal, or Discord Snowflake\n"),
        ("--epoch 2015-06-01T00:00:00Z --all", "Nanoflake in decimal\n"),
    ] {
        let drawn = stdout_of(&format!("inspect 2006515713440194560 {options}"));
        assert!(drawn.contains(named), "{options}: {drawn}");
    }
    assert!(run("inspect --json 2006515713440194560").stderr.is_empty());
}

#[test]
fn every_form_of_an_id_is_inspected() {
    for scheme in ["scru64 --node 7/8", "nanoflake --node 7", "kuid --node a@b", "sno --node 7"] {
        let json = &json_lines(&stdout_of(&format!("gen {scheme} --json")))[0];
        let (name, text) = (json["scheme"].as_str(), json["text"].as_str());
        let (name, text) = (name.expect("a name"), text.expect("text"));
        let hex = json["hex"].as_str().expect("hex");
        let bytes: Vec<String> =
            (0..hex.len() / 2).map(|byte| format!("\\x{}", &hex[2 * byte..2 * byte + 2])).collect();
        for form in [
            hex.to_owned(),
            format!("\\x{hex}"),
            format!("0x{hex}"),
            format!("x'{hex}'"),
            format!("b\"{}\"", bytes.concat()),
            format!("\"{text}\","),
        ] {
            let mut command = tickid(&format!("inspect --json --from {name}"));
            let ran = Ran::from(command.arg(&form).output().expect("runs"));
            assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{form}");
            assert_eq!(json_lines(&ran.stdout)[0], *json, "{form}");
        }
    }
}

#[test]
fn columns_and_members_hold_ids() {
    let id = "0u375nxqh5cq";
    let csv = format!("name,id\n\"a, b\",{id}\n\nc,\"{id}\"\nlonely\n");
    for column in ["--column 2", "--column id"] {
        let ran = run_with_input(&format!("inspect --json {column}"), csv.as_bytes());
        let title = usize::from(column == "--column 2");
        assert_eq!(ran.stdout.lines().filter(|line| line.contains(id)).count(), 2, "{column}");
        assert_eq!(ran.stderr.matches("error: ").count(), 1 + title, "{}", ran.stderr);
        assert!(ran.stderr.contains("line 5: 'lonely' has no column 2"), "{}", ran.stderr);
    }
    // A quoted field continues in the next line; a byte order mark is not part of the first title.
    let csv = format!("\u{feff}id,note\r\n{id},\"a\r\n\r\n{id}\"\r\n{id},\"never\nends\n");
    let ran = run_with_input("inspect --json --column id", csv.as_bytes());
    assert_eq!((ran.status, ran.stdout.lines().count()), (INVALID, 1), "{}", ran.stderr);
    assert!(ran.stderr.contains("line 5: '0u375nxqh5cq,\"never' begins"), "{}", ran.stderr);
    let ran = run_with_input("inspect --column ID", b"id,note\n1,2\n");
    assert_eq!(ran.status, USAGE);
    assert!(ran.stderr.contains("no column is titled 'ID'; the titles are: id, note"));
    // A row, and a value, may be larger than any ID.
    let large = "x".repeat(1 << 20);
    let ran = run_with_input("inspect --json --column 2", format!("{large},{id}").as_bytes());
    assert_eq!(json_lines(&ran.stdout)[0]["text"], id);
    let value = format!("{{\"note\":\"{large}\",\"id\":\"{id}\"}}");
    let ran = run_with_input("inspect --json --field id", value.as_bytes());
    assert_eq!(json_lines(&ran.stdout)[0]["text"], id);
    let lines = format!(
        "{{\"id\":\"{id}\"}}\n{{\"id\":110009624767914842}}\n{{}}\n[\n\
         {{\"id\":242859908440837324800000}}\n"
    );
    let ran = run_with_input("inspect --json --from scru64 --field id", lines.as_bytes());
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("'{}' has no member id"), "{}", ran.stderr);
    assert!(ran.stderr.contains("'[' is no JSON"), "{}", ran.stderr);
    assert!(ran.stderr.contains("no integer of up to 64 bits"), "{}", ran.stderr);
    let nested = format!("{{\"user\":{{\"id\":\"{id}\"}}}}");
    let ran = run_with_input("inspect --json --field /user/id -", nested.as_bytes());
    assert!(ran.stdout.contains(id), "{}", ran.stderr);
}

#[test]
fn selections_are_for_standard_input() {
    for option in ["--column", "--field"] {
        let ran = run(&format!("inspect {option} id Cargo.toml"));
        assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""));
        assert!(ran.stderr.contains(&format!("{option} selects from standard input")));
        assert!(ran.stderr.contains("hint: `< FILE`"), "{}", ran.stderr);
    }
    // A file among the arguments.
    let ran = run("inspect Cargo.toml");
    assert_eq!(ran.status, INVALID);
    assert!(ran.stderr.contains("hint: `< FILE`"), "{}", ran.stderr);
}

#[test]
fn earlier_lines_survive_an_error() {
    // A template that only sno IDs have all fields of.
    let (sno, scru64) = ("9q8q28b6522i6222", "0u375nxqh5cq");
    let input = format!("{sno}\n{scru64}\n{sno}\n");
    let ran = run_with_input("inspect --template {text}|{partition}", input.as_bytes());
    assert_eq!((ran.status, ran.stdout), (INVALID, format!("{sno}|258\n{sno}|258\n")));
    assert!(ran.stderr.contains("line 2: '0u375nxqh5cq' has no {partition}; it has scheme, "));
}

#[test]
fn cards_explain_kuids_and_show_the_age() {
    let drawn = stdout_of("inspect --from kuid .5.tXbhdV.3");
    for line in
        ["a 1539  mega-seconds", "b 625275  seconds", "c 432128  microseconds, in steps of 1,024"]
    {
        assert!(drawn.contains(line), "{drawn}");
    }
    let mut command = tickid("inspect --local 0u375nxqh5cq");
    let ran = Ran::from(command.env("TZ", "EST5EDT,M3.2.0,M11.1.0").output().expect("runs"));
    assert!(ran.stdout.contains("2023-03-12 05:34:19 EDT  "), "{}", ran.stdout);
    assert!(ran.stdout.contains(" ago"), "{}", ran.stdout);
    let mut command = tickid("inspect --local --json 0u375nxqh5cq");
    let ran = Ran::from(command.env("TZ", "EST5EDT,M3.2.0,M11.1.0").output().expect("runs"));
    let line = &json_lines(&ran.stdout)[0];
    assert_eq!(line["local"], "2023-03-12T05:34:19.136-04:00");
    assert!(line["age_ms"].as_i64() > Some(100_000_000_000), "{line}");
}

#[test]
fn templates_and_files() {
    let lines = stdout_of("inspect --template {text}|{unix_ms}|{node_ctr} 0u375nxqh5cq");
    assert_eq!(lines, "0u375nxqh5cq|1678613659136|2777946\n");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ids");
    let command = format!("gen sno --node 1 -n 2k --template {{partition}} -o {}", path.display());
    assert_eq!(stdout_of(&command), "");
    assert_eq!(std::fs::read_to_string(path).expect("text"), "1\n".repeat(2_000));
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
        assert!(ran.stderr.contains("unique among themselves only"), "{}", ran.stderr);
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
}

#[test]
fn snowflakes_and_uuids_are_generated() {
    let flakes = stdout_of("gen snowflake --node 5 -n 3");
    assert!(flakes.lines().all(|line| line.parse::<u64>().is_ok()), "{flakes}");
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
fn settings_come_from_the_environment() {
    let mut command = tickid("inspect --json --from nanoflake --radix 10 175928847299117063");
    let ran = Ran::from(command.env("TICKID_EPOCH", "discord").output().expect("runs"));
    assert_eq!(json_lines(&ran.stdout)[0]["unix_ms"], 1_462_015_105_796_i64);
    let mut command = tickid("gen sno --node 1");
    let ran = Ran::from(command.env("TICKID_REALM", "other").output().expect("runs"));
    assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""));
    // The kuid in a UUID has the drift of the environment, on both sides.
    let ran =
        Ran::from(tickid("gen uuid --node 0x7").env("TICKID_DRIFT", "5").output().expect("runs"));
    let mut command = tickid(&format!("inspect --json {}", ran.stdout.trim_end()));
    let ran = Ran::from(command.env("TICKID_DRIFT", "5").output().expect("runs"));
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
        let mut command = tickid(command);
        let ran =
            Ran::from(command.env(variable, OsStr::from_bytes(value)).output().expect("runs"));
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

#[test]
#[cfg_attr(not(feature = "_log"), ignore = "needs the feature full")]
fn events_are_shown_on_request() {
    let ran = run("-v gen sno");
    assert!(ran.stderr.contains("INFO tickid_lease") && !ran.stderr.contains('\x1b'));
    let with = |value: &str| {
        let mut command = tickid("gen sno");
        Ran::from(command.env("RUST_LOG", value).output().expect("runs"))
    };
    assert!(with("tickid_lease=info").stderr.contains("lease acquired"));
    assert_eq!(with("tickid_core=info").stderr, "");
    // It may be meant for another program.
    let ran = with("a=b=c");
    assert_eq!(ran.status, OK);
    assert!(ran.stderr.starts_with("tickid: $RUST_LOG is ignored: "), "{}", ran.stderr);
}

#[test]
fn errors_are_coloured_on_demand() {
    let mut command = tickid("inspect !");
    let ran = Ran::from(command.env("CLICOLOR_FORCE", "1").output().expect("runs"));
    assert!(ran.stderr.starts_with("\x1b[1m\x1b[31merror:\x1b[0m "), "{:?}", ran.stderr);
    assert!(run("inspect !").stderr.starts_with("error: "));
}

#[test]
fn doctor_accepts_a_new_store() {
    let state = tempfile::tempdir().expect("a folder");
    let ran = process::ran(&mut process::with_state(state.path(), "doctor --json"));
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
    let output = Command::new("sh").args(["-c", &script]).output().expect("runs");
    let ran = Ran::from(output);
    let findings = json_lines(&ran.stdout);
    let files = findings.iter().find(|one| one["text"] == "100 open files").expect("a finding");
    assert_eq!((&files["level"], ran.status), (&"warning".into(), OK));
    assert!(files["hint"].as_str().is_some_and(|hint| hint.contains("ulimit -n")), "{files}");
    assert!(ran.stdout.contains("processes and threads"), "{}", ran.stdout);
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
fn bench_measures_every_combination() {
    let rows = json_lines(&stdout_of("bench sno --json --threads 1,2 --for 10ms"));
    let keys: Vec<_> =
        rows.iter().map(|row| (row["clock"].clone(), row["threads"].clone())).collect();
    assert_eq!(keys.len(), 4, "{keys:?}");
    assert!(rows.iter().all(|row| row["ids_per_second"].as_u64() > Some(0)));
}

/// Not one that the allowance, 10 s ahead of the clock, makes possible for a while.
#[test]
fn bench_measures_rates_that_last() {
    let rows = json_lines(&stdout_of("bench scru64 --json --threads 1 --for 10ms"));
    // 65,536 sequences in 256 ms, and those between two looks at the time.
    let most = 256_000 + 256;
    assert!(rows.iter().all(|row| row["ids_per_second"].as_u64() < Some(most)), "{rows:?}");
}

#[test]
fn bad_lines_do_not_stop_inspect() {
    let input = b"0u375nxqh5cq\nnot-an-id\r\n\nab\xffcd\n0u375nxqh5cq";
    let ran = run_with_input("inspect --json --scheme scru64", input);
    assert_eq!(ran.status, INVALID);
    assert_eq!(ran.stdout.lines().count(), 2);
    assert_eq!(
        ran.stderr,
        "error: line 2: 'not-an-id' is not a SCRU64 ID: 9 bytes long, not 12\n\
         error: line 4: 'ab\\xffcd' is not a SCRU64 ID: 5 bytes long, not 12\n"
    );
    let ran = run("inspect --scheme sno 22222222222!2222");
    assert_eq!((ran.status, ran.stdout.as_str()), (INVALID, ""));
    assert!(ran.stderr.contains("'!' at position 11"), "{}", ran.stderr);
    let ran = run("inspect 0u375nxqh5c!");
    for reason in ["not a SCRU64 ID: '!' at position 11", "hint: `tickid inspect --help` "] {
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn streams_need_little_memory() {
    const LINES: usize = 400_000;
    let input = "brpk4q72xwf2m63l\n".repeat(LINES);
    for arguments in ["inspect --json --from sno", "inspect --json --from sno --column 1"] {
        // 64 MB, which the output exceeds.
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 65536 && exec \"$@\"", "sh"]);
        command.arg(env!("CARGO_BIN_EXE_tickid")).args(arguments.split(' '));
        let ran = process::run_command(&mut command, input.as_bytes());
        assert_eq!((ran.status, ran.stderr.len()), (OK, 0), "{arguments}");
        assert_eq!(ran.stdout.lines().count(), LINES, "{arguments}");
    }
}

#[test]
fn empty_input_is_fine() {
    let ran = run_with_input("inspect", b"");
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (OK, "", ""));
}

#[test]
fn wrong_usage_exits_with_2() {
    let cases = [
        ("gen nanoflake --node 1024", "1024", "0..=1023"),
        ("gen scru64 --node 300/8", "300", "0..=255"),
        ("gen scru64 --node 42", "'/'", "not 0"),
        ("gen sno --node 65536", "65536", "65535"),
        ("gen sno --meta 256", "256", "255"),
        ("gen kuid --drift 4", "4", "5..=10"),
        ("gen kuid --node 0xgg", "0xgg", "hexadecimal"),
        ("gen kuid --kind local --node a@b", "local", "--node"),
        ("gen sno --node 5 --store static:5/16", "--node", "--store"),
        ("gen sno --realm Orders", "Orders", "lower-case"),
        ("gen sno --store nfs://a", "nfs", "file"),
        ("gen nanoflake --epoch yesterday", "yesterday", "RFC 3339"),
        ("inspect --node-size 24 x", "24", "1..=23"),
        ("inspect --scheme guid x", "guid", "nanoflake"),
        ("gen sno --time 2024-01-01", "--time", "--node"),
        (
            "gen sno --node 1 --time 2100-01-01",
            "--time: sno: the clock reads 2100",
            "to 2079-09-07",
        ),
        ("gen sno --template {nose}", "{nose}", "partition"),
        ("gen sno --forever -n 3", "--forever", "--count"),
        ("bench --for 0", "--for", "longer than 0"),
        ("gen", "Usage", "scru64"),
        ("frobnicate", "frobnicate", "hint: `tickid --help`"),
    ];
    for (arguments, value, range) in cases {
        let ran = run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{arguments}");
        assert!(ran.stderr.contains(value), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(range), "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn bad_clock_exits_with_4() {
    let ran = run("gen nanoflake --epoch 9999-01-01T00:00:00Z");
    assert_eq!((ran.status, ran.stdout.as_str()), (CLOCK, ""));
    assert!(ran.stderr.contains("epoch"), "{}", ran.stderr);
    let ran = run("gen nanoflake --epoch 1900-01-01T00:00:00Z");
    assert_eq!((ran.status, ran.stdout.as_str()), (CLOCK, ""));
    assert!(ran.stderr.contains("clock"), "{}", ran.stderr);
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
        "bench",
        "convert",
        "range",
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
    assert_eq!(stdout_of("--version"), format!("tickid {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_examples_run() {
    for subcommand in
        ["gen", "gen scru64", "gen nanoflake", "gen kuid", "gen sno", "inspect", "convert", "range"]
    {
        let help = stdout_of(&format!("{subcommand} --help"));
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
    let forced = tickid("inspect 0u375nxqh5cq").env("CLICOLOR_FORCE", "1").output().expect("runs");
    assert!(Ran::from(forced).stdout.contains('\x1b'));
}

#[test]
fn ids_of_other_systems_are_shown() {
    for (text, named, time) in [
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "ULID", "2016-07-30T23:54:10.259Z"),
        ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", "KSUID", "2017-10-10T04:00:47.000Z"),
        ("919108f7-52d1-4320-9bac-f847db4148a8", "UUID of version 4", ""),
        ("4e6f2160-a0ff-89a0-a840-cc0001c70745", "sno in a UUID", "2031-05-08T23:03:34.976Z"),
        ("507f1f77bcf86cd799439011", "ObjectId", "2012-10-17T21:13:27.000Z"),
        ("user_01j1hzw2p7es59rpw0qfqnr7bc", "TypeID", "2024-"),
    ] {
        let drawn = stdout_of(&format!("inspect {text}"));
        assert!(drawn.contains(named) && drawn.contains(time), "{text}: {drawn}");
    }
    let uuid = &json_lines(&stdout_of("inspect --json 017f22e2-79b0-7cc3-98c4-dc0c0c07398f"))[0];
    assert_eq!(
        (&uuid["scheme"], &uuid["unix_ms"]),
        (&"uuid".into(), &1_645_557_742_000_i64.into())
    );
    assert_eq!((&uuid["version"], &uuid["rand_b"]), (&7.into(), &"18c4dc0c0c07398f".into()));
    // The node of RFC 9562's example.
    for text in ["C232AB00-9414-11EC-B3C8-9F6BDECED846", "1EC9414C-232A-6B00-B3C8-9F6BDECED846"] {
        let uuid = &json_lines(&stdout_of(&format!("inspect --json {text}")))[0];
        assert_eq!((&uuid["node"], &uuid["clock_seq"]), (&"9f6bdeced846".into(), &0x33c8.into()));
        assert_eq!(uuid["time"], "2022-02-22T19:22:22.000Z");
    }
    let discord = "inspect --json --from discord 175928847299117063";
    let discord = &json_lines(&stdout_of(discord))[0];
    assert_eq!((&discord["worker"], &discord["increment"]), (&1.into(), &7.into()));
    // Of a scheme that is named, that scheme's parser says why not.
    let ran = run("inspect --scheme sno 01ARZ3NDEKTSV4RRFFQ69G5FAV");
    assert!(ran.stderr.contains("is not a sno ID: 26 bytes long, not 16"), "{}", ran.stderr);
}
