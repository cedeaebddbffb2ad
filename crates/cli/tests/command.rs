//! The command as a process: exit status, standard output, standard error.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod process;

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use process::{CLOCK, INVALID, OK, Ran, USAGE, json_lines, run, run_with_input, stdout_of, tickid};
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
        // Generated a moment apart, by nodes of their own: the same leading digits.
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
            r#"{"scheme":"scru64","text":"0u375nxqh5cq","hex":"0186d52bbe2a635a","unix_ms":1678613659136,"time":"2023-03-12T09:34:19.136Z","int":"110009624767914842","timestamp":6557084606,"node_ctr":2777946,"node_id":42,"counter":25434}"#,
        ),
        (
            "inspect --json 0u375nxqh5cq",
            r#"{"scheme":"scru64","text":"0u375nxqh5cq","hex":"0186d52bbe2a635a","unix_ms":1678613659136,"time":"2023-03-12T09:34:19.136Z","int":"110009624767914842","timestamp":6557084606,"node_ctr":2777946}"#,
        ),
        (
            "inspect --json --scheme nanoflake --radix 10 --epoch discord 175928847299117063",
            r#"{"scheme":"nanoflake","text":"175928847299117063","hex":"0271065ac1020007","unix_ms":1462015105796,"time":"2016-04-30T11:18:25.796Z","int":"175928847299117063","epoch_ms":1420070400000,"timestamp":41944705796,"generator":32,"datacenter":1,"worker":0,"sequence":7}"#,
        ),
        (
            "inspect --json --scheme kuid --alphabet url AGA5igPrJzJ7aYAB",
            r#"{"scheme":"kuid","text":"AGA5igPrJzJ7aYAB","hex":"0060398a03eb27327b698001","unix_ms":1539625275432,"time":"2018-10-15T17:41:15.432Z","kind":"global","a":1539,"b":625275,"c":432128,"sequence":1,"node":"03eb2732","drift":8}"#,
        ),
        (
            "inspect --json --scheme kuid .5.tXbhdV.3",
            r#"{"scheme":"kuid","text":".5.tXbhdV.3","hex":"0060398a7b698001","unix_ms":1539625275432,"time":"2018-10-15T17:41:15.432Z","kind":"local","a":1539,"b":625275,"c":432128,"sequence":1}"#,
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
fn inspect_ranks_schemes() {
    let id = stdout_of("gen nanoflake --node 1");
    let id = id.trim_end();
    let all = json_lines(&stdout_of(&format!("inspect --json --all {id}")));
    assert_eq!(all[0]["scheme"], "nanoflake");
    assert!(all.len() > 1, "twelve characters are a SCRU64 ID too");
    let one = json_lines(&stdout_of(&format!("inspect --json {id}")));
    assert_eq!(one, all[..1]);
    let drawn = stdout_of(&format!("inspect {id}"));
    assert_eq!(drawn.matches(id).count(), all.len());
    // A guess says so where its time is not plausible.
    assert_eq!((all[0].get("plausibility"), &all[1]["plausibility"]), (None, &"unlikely".into()));
    assert_eq!(drawn.matches("plausibility unlikely").count(), all.len() - 1);
    let word = &json_lines(&stdout_of("inspect --json xx"))[0];
    assert_eq!((&word["scheme"], &word["plausibility"]), (&"nanoflake".into(), &"unlikely".into()));
    let said = &json_lines(&stdout_of("inspect --json --scheme nanoflake xx"))[0];
    assert_eq!(said.get("plausibility"), None);
}

#[test]
fn inspect_names_other_readings() {
    let ran = run("inspect 1541815603606036480");
    assert_eq!(ran.status, OK);
    let (rivals, one) = ("'1541815603606036480' may as well be: ", "Instagram ID (2017-");
    assert!(ran.stderr.contains(rivals) && ran.stderr.contains(one), "{}", ran.stderr);
    assert!(!ran.stderr.contains("Mastodon"), "of 2715: {}", ran.stderr);
    assert!(run("inspect 1541815603606036480 --scheme nanoflake --radix 10").stderr.is_empty());
    assert!(run("inspect brpk4q72xwf2m63l").stderr.is_empty());
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
         error: line 3: '' is not a SCRU64 ID: 0 bytes long, not 12\n\
         error: line 4: 'ab\\xffcd' is not a SCRU64 ID: 5 bytes long, not 12\n"
    );
    let ran = run("inspect --scheme sno 22222222222!2222");
    assert_eq!((ran.status, ran.stdout.as_str()), (INVALID, ""));
    assert!(ran.stderr.contains("'!' at position 11"), "{}", ran.stderr);
    let ran = run("inspect !");
    for scheme in ["SCRU64", "Nanoflake", "kuid", "sno"] {
        assert!(ran.stderr.contains(scheme), "{}", ran.stderr);
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
        ("inspect --scheme uuid x", "uuid", "nanoflake"),
        ("gen sno --forever -n 3", "--forever", "--count"),
        ("gen", "Usage", "scru64"),
        ("frobnicate", "frobnicate", "Usage"),
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
        "inspect",
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
        let runnable = examples.filter(|line| !line.contains(['|', '>', '[', '<']));
        for example in runnable.filter(|line| !line.contains("--forever")) {
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
fn unsupported_formats_are_named() {
    for (text, named) in [
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "it may be: ULID (2016-07-30T23:54:10.259Z)"),
        ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", "it may be: KSUID (2017-10-10T04:00:47Z)"),
        ("919108f7-52d1-4320-9bac-f847db4148a8", "it may be: UUID of version 4"),
        ("4e6f2160-a0ff-89a0-a840-cc0001c70745", "sno in a UUID (2031-05-08T23:03:34.976Z)"),
        ("9999999999999999999", "Discord Snowflake"),
    ] {
        let ran = run(&format!("inspect {text}"));
        assert_eq!((ran.status, ran.stdout.as_str()), (INVALID, ""), "{text}");
        assert!(ran.stderr.contains("no ID of the four schemes; "), "{text}: {}", ran.stderr);
        assert!(ran.stderr.contains(named), "{text}: {}", ran.stderr);
    }
    // Of a scheme that is named, that scheme's parser says why not.
    let ran = run("inspect --scheme sno 01ARZ3NDEKTSV4RRFFQ69G5FAV");
    assert!(ran.stderr.contains("is not a sno ID: 26 bytes long, not 16"), "{}", ran.stderr);
}
