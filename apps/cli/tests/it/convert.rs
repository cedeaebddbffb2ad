//! `tickid convert` as a process.

use crate::process::{INVALID, OK, USAGE, json_lines, run, run_with_input, stdout_of};

/// The remark about a SCRU64 ID without `--from`.
const GUESSED: &str = "tickid: '0u375nxqh5cq' is taken for SCRU64 (2023-03-12T09:34:19.136Z); say what \
                       it is with --from";

#[test]
fn losses_go_to_stderr() {
    let ran = run("convert --to sno --node 7 0u375nxqh5cq");
    assert_eq!((ran.status, ran.stdout.as_str()), (OK, "83thvaq22222gcl5\n"));
    let said: Vec<&str> = ran.stderr.lines().collect();
    let lost = "tickid: '0u375nxqh5cq' lost: sequence narrowed by 8 bits that held 90";
    assert_eq!(said, [GUESSED, lost]);
    let inspected = &json_lines(&stdout_of("inspect --json --from sno 83thvaq22222gcl5"))[0];
    assert_eq!(
        (&inspected["partition"], &inspected["unix_ms"]),
        (&7.into(), &1_678_613_659_136_i64.into())
    );
    // Ten times, and then their number: a file may have a million such lines.
    let lossy = "0u375nxqh5cq\n".repeat(13);
    let ran = run_with_input("convert --from scru64 --to sno --node 7", lossy.as_bytes());
    let end = "\ntickid: 3 further IDs lost something; --json shows what\n";
    assert_eq!((ran.status, ran.stderr.matches(" lost: ").count()), (OK, 10), "{}", ran.stderr);
    assert!(ran.stderr.ends_with(end), "{}", ran.stderr);
    // Nothing lost, nothing said.
    assert_eq!(
        stdout_of("convert --from scru64 --node-size 8 --to sno 0u375nxqh5cq"),
        "83thvaq22224mqss\n"
    );
}

#[test]
fn snowflakes_go_to_other_layouts() {
    let discord = "175928847299117063"; // 2016-04-30T11:18:25.796Z, node 32, sequence 7
    let made = run("gen snowflake --layout sonyflake --node 32 --time 2016-04-30T11:18:25.790Z");
    let made: u64 = made.stdout.trim_end().parse().unwrap();
    let ran = run(&format!("convert --from discord --to sonyflake {discord}"));
    assert_eq!(ran.status, OK);
    assert!(ran.stderr.contains("time coarsened by 6ms"), "{}", ran.stderr);
    let flake: u64 = ran.stdout.trim_end().parse().unwrap();
    assert_eq!((flake >> 24, flake & 0xffff), (made >> 24, 32));
    let by_text = run(&format!(
        "convert --from snowflake --layout discord --to snowflake --to-layout \
         39x10ms/8s/16n@2014-09-01 {discord}"
    ));
    assert_eq!((by_text.stdout, by_text.status), (ran.stdout.clone(), OK));
    let same = format!("convert --from snowflake --layout discord --to discord --exact {discord}");
    assert_eq!(stdout_of(&same), format!("{discord}\n"));
    let uuid =
        stdout_of(&format!("convert --from snowflake --layout discord --to uuid-v7 {discord}"));
    let read = format!("inspect --layout discord --json {}", uuid.trim_end());
    assert_eq!(json_lines(&stdout_of(&read))[0]["text"], discord);
}

#[test]
fn uuids_give_presets_back() {
    let sonyflake = "647707213128794115";
    for to in ["uuid", "uuid-v7"] {
        let uuid = stdout_of(&format!("convert --from sonyflake --to {to} {sonyflake}"));
        let back = format!("convert --from uuid --to sonyflake --exact {}", uuid.trim_end());
        assert_eq!(stdout_of(&back), format!("{sonyflake}\n"));
        // Another layout is named.
        let direct = run(&format!("convert --from sonyflake --to discord {sonyflake}"));
        let uuid = uuid.trim_end();
        let moved = run(&format!("convert --from uuid --layout sonyflake --to discord {uuid}"));
        assert_eq!((moved.status, moved.stdout), (OK, direct.stdout));
    }
}

#[test]
fn exact_refuses_losses() {
    let ran = run("convert --to sno --node 7 --exact 0u375nxqh5cq");
    assert_eq!((ran.status, ran.stdout.as_str()), (INVALID, ""));
    assert!(
        ran.stderr.contains("would be lost: sequence narrowed by 8 bits that held 90"),
        "{}",
        ran.stderr
    );
    let exact = "convert --from scru64 --node-size 8 --to sno --exact 0u375nxqh5cq";
    assert_eq!(stdout_of(exact), "83thvaq22224mqss\n");
}

#[test]
fn json_has_losses() {
    assert_eq!(
        stdout_of("convert --from scru64 --to sno --node 7 --json 0u375nxqh5cq"),
        "{\"from\":\"scru64\",\"detected\":null,\"text\":\"0u375nxqh5cq\",\"to\":\"sno\",\"id\":\"83thvaq22222gcl5\",\
         \"hex\":\"3076fea3000000072a63\",\"lost\":{\"sequence\":{\"bits\":8,\"value\":90}}}\n"
    );
    let lost = |arguments: &str| json_lines(&stdout_of(arguments))[0]["lost"].clone();
    assert_eq!(
        lost("convert --from scru64 --node-size 8 --to sno --json 0u375nxqh5cq"),
        serde_json::Value::Null
    );
    // brpk4q72xwf2m63l: metabyte 255, partition 39434, sequence 4147.
    let all = lost("convert --from sno --to nanoflake --truncate-node low --json brpk4q72xwf2m63l");
    let expected = serde_json::json!({
        "node": { "from": "39434", "to": "522" },
        "sequence": { "bits": 5, "value": 19 },
        "metabyte": 255,
    });
    assert_eq!(all, expected);
    let dropped = lost(
        "convert --from discord --to kuid --kind local --truncate-node low --json 175928847299117063",
    );
    assert_eq!(
        dropped,
        serde_json::json!({ "time_us": 352, "node": { "from": "32", "to": null } })
    );
}

#[test]
fn bad_lines_do_not_stop_convert() {
    let input = b"0u375nxqh5cq\nnot-an-id\r\n\nab\xffcd\nzzzzzzzzzzzz\n0u375nxqh5cq";
    let ran = run_with_input("convert --from scru64 --node-size 8 --to sno", input);
    assert_eq!(ran.status, INVALID);
    assert_eq!(ran.stdout, "83thvaq22224mqss\n83thvaq22224mqss\n");
    let errors: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert_eq!(errors[0], "error: line 2: 'not-an-id' is not a SCRU64 ID: 9 bytes long, not 12");
    assert!(errors[1].starts_with("error: line 4: 'ab\\xffcd' is"));
    assert!(
        errors[2].contains("line 5: 'zzzzzzzzzzzz' can't be converted: the ID has no time"),
        "{errors:?}"
    );
}

#[test]
fn keep_lines_leaves_none_out() {
    let id = "0u375nxqh5cq";
    let input = format!("{id}\nnot-an-id\n\nzzzzzzzzzzzz\n{id}");
    let convert = "convert --from scru64 --node-size 8 --to sno --keep-lines";
    let ran = run_with_input(convert, input.as_bytes());
    assert_eq!((ran.status, ran.stderr.lines().count()), (INVALID, 2), "{}", ran.stderr);
    assert_eq!(ran.stdout, "83thvaq22224mqss\n\n\n\n83thvaq22224mqss\n");
}

#[test]
fn clear_guesses_are_reported() {
    let ran = run("convert --to sno bppc0m3ju134");
    assert_eq!(ran.status, OK);
    let guessed = "is taken for Nanoflake in Base36 (2022-";
    assert!(ran.stderr.contains(guessed), "{}", ran.stderr);
    assert!(ran.stderr.contains("; it may also be SCRU64 (2715-"), "{}", ran.stderr);
    // Once for each format, not on every line.
    let twice = run("convert --to sno bppc0m3ju134 bppc0m3ju135");
    assert_eq!((twice.status, twice.stdout.lines().count()), (OK, 2));
    assert_eq!(twice.stderr.matches("is taken for").count(), 1, "{}", twice.stderr);
    let both = run("convert --to sno --node 7 bppc0m3ju134 0u375nxqh5cq bppc0m3ju135");
    assert_eq!(both.stderr.matches("is taken for").count(), 2, "{}", both.stderr);

    let refused = |arguments: &str, names: &[&str]| {
        let ran = run(&format!("convert {arguments}"));
        assert_eq!((ran.status, ran.stdout.as_str()), (INVALID, ""), "{arguments}");
        for name in names {
            assert!(ran.stderr.contains(name), "{}", ran.stderr);
        }
    };
    let names = ["SCRU64 (2025-01-", "Mastodon ID (2025-01-", "--from"];
    refused("--to sno 113882101964472591", &names);
    // The only format that it fits, but far from now, or as its shortest texts are.
    refused("--to kuid --node 0x1 0..........", &["may be: kuid local (2489-03-", "--from"]);
    for word in ["xx", "hello"] {
        let names = ["may be: Nanoflake in Base36 (2010-11-04T", "--from"];
        refused(&format!("--to sno {word}"), &names);
        assert_eq!(run(&format!("convert --from nanoflake --to sno {word}")).status, OK);
    }
    refused("--to sno 01ARZ3NDEKTSV4RRFFQ69G5FAV", &["a ULID has no node and no sequence"]);
}

/// Each of them may be a number without a meaning, and not all of them together.
#[test]
fn lines_that_agree_are_converted() {
    // Instagram's of one shard, hours apart, with any sequences.
    let id = |line: u64| {
        let ms = 1_709_600_000_000 - 1_314_220_021_721 + line * 4_567_891;
        (ms << 23 | 1_341 << 10 | (line * 397 % 1_024)).to_string()
    };
    let ids: Vec<String> = (0..10).map(id).collect();
    let ran = run_with_input("convert --to sno", ids.join("\n").as_bytes());
    assert_eq!((ran.status, ran.stdout.lines().count()), (OK, 10), "{}", ran.stderr);
    assert!(ran.stderr.contains("is taken for Instagram ID (2024-03-"), "{}", ran.stderr);
    // A line of another system ends it, so that no line of that is taken for Instagram's.
    let mixed = format!("{}\n7412281402982404096\n{}\n", ids.join("\n"), ids[0]);
    let ran = run_with_input("convert --to sno", mixed.as_bytes());
    assert_eq!((ran.status, ran.stdout.lines().count()), (INVALID, 11), "{}", ran.stderr);
    assert!(ran.stderr.contains("error: line 12: "), "{}", ran.stderr);
}

/// Nearly all of them look like TikTok's of a year before.
#[test]
fn columns_of_snowflakes_since_1970_are_converted() {
    for lines in [10, 100] {
        // Of half a second each, in milliseconds below which TikTok has those of a second.
        let id = |line: u64| ((1_709_600_000_000 + line * 4_096) << 22 | 5 << 12).to_string();
        let ids: Vec<String> = (0..lines).map(id).collect();
        let ran = run_with_input("convert --to sno", ids.join("\n").as_bytes());
        assert_eq!((ran.status, ran.stdout.lines().count()), (OK, ids.len()), "{}", ran.stderr);
        let remark =
            "is taken for Snowflake since 1970 (2024-03-05T00:53:20Z); it may also be TikTok";
        assert!(ran.stderr.contains(remark), "{}", ran.stderr);
    }
}

#[test]
fn json_has_the_detected_scheme() {
    let ran = run("convert --to sno --json bppc0m3ju134 bppc0m3ju135");
    assert_eq!(ran.status, OK);
    let lines = json_lines(&ran.stdout);
    assert_eq!(lines.len(), 2);
    for line in lines {
        assert_eq!(line["from"], "nanoflake");
        let expected = serde_json::json!({
            "as": "Nanoflake in Base36",
            "reason": "up to 13 digits of Base36",
            "confidence": "likely",
            "unix_ms": 1_656_432_460_105_i64,
            "time": "2022-06-28T16:07:40.105Z",
            "others": ["SCRU64"],
        });
        assert_eq!(line["detected"], expected);
    }
    let said = stdout_of("convert --from nanoflake --to sno --json bppc0m3ju134");
    assert_eq!(json_lines(&said)[0]["detected"], serde_json::Value::Null);
}

#[test]
fn foreign_formats_are_read() {
    let unix_ms = |from: &str, id: &str, more: &str| {
        let converted = run(&format!("convert --from {from} {more} --to sno {id}"));
        assert_eq!(converted.status, OK, "{}", converted.stderr);
        let id = converted.stdout.trim_end();
        json_lines(&stdout_of(&format!("inspect --json --from sno {id}")))[0]["unix_ms"].clone()
    };
    assert_eq!(unix_ms("twitter", "1541815603606036480", ""), 1_656_432_460_104_i64);
    assert_eq!(unix_ms("discord", "175928847299117063", ""), 1_462_015_105_796_i64);
    // 1387263000 << 23 | 1341 << 10 | 905
    assert_eq!(unix_ms("instagram", "11637205499264905", ""), 1_315_607_284_720_i64);
    // 1700000000123 << 16
    assert_eq!(unix_ms("mastodon", "111411200008060928", "--node 1"), 1_700_000_000_120_i64);
    // 1 << 40 in the 24-bit form: 65536 ms after the epoch.
    assert_eq!(unix_ms("nanoflake-shift24/decimal", "1099511627776", ""), 1_288_835_040_192_i64);
    assert_eq!(unix_ms("nanoflake/decimal", "1099511627776", ""), 1_288_835_236_800_i64);
}

#[test]
fn the_choices_of_from_have_each_format_once() {
    let said = run("convert --from unknown --to sno x").stderr;
    let list = said.split_once("[possible values: ").and_then(|(_, rest)| rest.split_once(']'));
    let names: Vec<&str> = list.expect("a list").0.split(", ").collect();
    for (index, name) in names.iter().enumerate() {
        assert!(!names[..index].contains(name), "{name} twice in {said}");
        // Hexadecimal digits are a text of every format.
        assert!(!name.ends_with("/hex"), "{said}");
    }
    assert!(names.contains(&"uuid") && names.contains(&"nanoflake-shift24/decimal"), "{said}");
    // What is not listed is read.
    for from in ["uuid/hex", "nanoflake-shift24/hex"] {
        let said = run(&format!("convert --from {from} --to sno x")).stderr;
        assert!(!said.contains("possible values"), "{said}");
    }
}

/// A column of UUIDs may hold ULIDs, which then have no version.
#[test]
fn uuids_and_ulids_have_the_same_bits() {
    let (ulid, uuid) = ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01563e3a-b5d3-d676-4c61-efb99302bd5b");
    for (from, uuid) in [
        ("--from ulid", uuid),
        ("", uuid),
        // Of version 7, and a time of the next decades.
        ("--from ulid", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"),
    ] {
        let made = stdout_of(&format!("convert --from uuid --to ulid --exact {uuid}"));
        assert_eq!(made.trim_end().len(), ulid.len());
        let back = run(&format!("convert {from} --to uuid --exact {made}"));
        assert_eq!((back.status, back.stdout), (OK, format!("{uuid}\n")), "{}", back.stderr);
    }
    assert_eq!(stdout_of(&format!("convert --to uuid --from ulid {ulid}")), format!("{uuid}\n"));
    // Written as a UUID, it is a ULID as well.
    assert_eq!(stdout_of(&format!("convert --to uuid --from ulid {uuid}")), format!("{uuid}\n"));
    let json = &json_lines(&stdout_of(&format!("convert --from ulid --to uuid --json {ulid}")))[0];
    assert_eq!((&json["from"], &json["id"]), (&"ulid".into(), &uuid.into()));
    let shown = &json_lines(&stdout_of(&format!("inspect --json {uuid}")))[0];
    assert_eq!((&shown["scheme"], &shown["text"]), (&"ulid".into(), &ulid.into()));
    assert_eq!(shown["time"], "2016-07-30T23:54:10.259Z");
    for (arguments, said) in [
        ("--from sno --to ulid brpk4q72xwf2m63l", "only UUIDs have the bits of a ULID"),
        ("--from ulid --to sno 01ARZ3NDEKTSV4RRFFQ69G5FAV", "a ULID"),
        ("--from ulid --to uuid-v7 01ARZ3NDEKTSV4RRFFQ69G5FAV", "a ULID"),
    ] {
        let ran = run(&format!("convert {arguments}"));
        assert_eq!(ran.status, INVALID, "{arguments}");
        assert!(ran.stderr.contains(said), "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn uuids_round_trip() {
    let text = "brpk4q72xwf2m63l";
    for goal in ["uuid", "uuid-v7", "uuid-sno"] {
        let uuid = stdout_of(&format!("convert --from sno --to {goal} --exact {text}"));
        let back = stdout_of(&format!("convert --from uuid --to sno --exact {uuid}"));
        assert_eq!(back, format!("{text}\n"), "{goal}");
    }
    // By default, a UUID that holds an ID is taken for that ID, whatever its time.
    let ran = run("convert --to sno 4e6f2160-a0ff-89a0-a840-cc0001c70745");
    assert_eq!((ran.status, ran.stdout), (OK, format!("{text}\n")));
    assert!(ran.stderr.contains("is taken for sno in a UUID (2031-05-08T"), "{}", ran.stderr);
    let made = stdout_of(
        "convert --from nanoflake/decimal --epoch discord --to uuid-v7 175928847299117063",
    );
    let ran = run(&format!("convert --from uuid --epoch twitter --to nanoflake {made}"));
    assert_eq!(ran.status, INVALID);
    assert!(ran.stderr.contains("epoch is 1420070400000 ms after 1970"), "{}", ran.stderr);
    let back = format!("convert --from uuid --epoch discord --to nanoflake/decimal {made}");
    assert_eq!(stdout_of(&back), "175928847299117063\n");
    let ran = run("convert --from scru64 --to uuid-sno 0u375nxqh5cq");
    assert!(ran.stderr.contains("not a sno ID"), "{}", ran.stderr);
    let made = stdout_of("convert --from discord --to uuid-v7 175928847299117063");
    assert!(made.starts_with("015466e4-1b04-7"), "{made}"); // the message's milliseconds
    let back = format!("convert --from uuid --layout discord --to discord --exact {made}");
    assert_eq!(stdout_of(&back), "175928847299117063\n");
    let ran = run("convert --from mastodon --to uuid 175928847299117063");
    assert_eq!(ran.status, INVALID);
    assert!(ran.stderr.contains("IDs of the schemes"), "{}", ran.stderr);
}

#[test]
fn options_set_fields() {
    // From one epoch to another: the same time.
    let made = stdout_of(
        "convert --from nanoflake/decimal --epoch discord --to nanoflake/decimal --to-epoch twitter 175928847299117063",
    );
    let twitter =
        &json_lines(&stdout_of(&format!("inspect --json --from nanoflake/decimal {made}")))[0];
    assert_eq!(
        (&twitter["unix_ms"], &twitter["sequence"]),
        (&1_462_015_105_796_i64.into(), &7.into())
    );
    // A node spec says the size, too.
    let ran = run("convert --from nanoflake --to scru64 --node 42/8 bppc0m3ju134");
    assert!(ran.stderr.contains("node 378 replaced by 42"), "{}", ran.stderr);
    let made = ran.stdout;
    let scru64 =
        &json_lines(&stdout_of(&format!("inspect --json --from scru64 --node-size 8 {made}")))[0];
    assert_eq!(scru64["node_id"], 42);
    // kuid's nodes by name, its alphabets and drifts.
    let kuid = "convert --from scru64 --to kuid/url --node uid@127.0.0.1 --drift 10 0u375nxqh5cq";
    let made = run(kuid).stdout;
    let kuid =
        &json_lines(&stdout_of(&format!("inspect --json --from kuid/url --drift 10 {made}")))[0];
    assert_eq!((&kuid["node"], &kuid["drift"]), (&"03eb2731".into(), &10.into()));
    let other =
        run(&format!("convert --from kuid/url --drift 10 --to kuid/url --to-drift 5 {made}"))
            .stdout;
    let other =
        &json_lines(&stdout_of(&format!("inspect --json --from kuid/url --drift 5 {other}")))[0];
    assert_eq!((&other["node"], &other["unix_ms"]), (&kuid["node"], &kuid["unix_ms"]));
    // The metabyte of a new sno ID.
    let made = stdout_of("convert --from discord --to sno --meta 24 175928847299117063");
    let sno = &json_lines(&stdout_of(&format!("inspect --json --from sno {made}")))[0];
    assert_eq!((&sno["meta"], &sno["partition"]), (&24.into(), &32.into()));
}

#[test]
fn oversized_nodes_need_an_option() {
    let convert =
        |more: &str| run(&format!("convert --from sno --to nanoflake {more} brpk4q72xwf2m63l"));
    let ran = convert("");
    assert_eq!(ran.status, INVALID);
    assert!(
        ran.stderr.contains("node 39434 does not fit the target, which has 10 bits"),
        "{}",
        ran.stderr
    );
    let generator = |more: &str| {
        let made = convert(more).stdout;
        json_lines(&stdout_of(&format!("inspect --json --from nanoflake {made}")))[0]["generator"]
            .clone()
    };
    assert_eq!(generator("--truncate-node low"), 39_434 & 1_023);
    assert_eq!(generator("--truncate-node high"), 39_434 >> 6);
    assert_eq!(generator("--node 5"), 5);
    assert_eq!(generator("--node-table 0x9a0a=3,7=4"), 3);
    let ran = convert("--node-table 1=3,7=4");
    assert_eq!(ran.status, INVALID);
    assert!(ran.stderr.contains("node 39434 is not in the table"), "{}", ran.stderr);
}

#[test]
fn forms_of_targets_are_listed() {
    let help = stdout_of("convert --help");
    for line in [
        "- nanoflake:    in the forms text, int, hex, base36, decimal",
        "- sno:          in the forms text, int, hex, base32",
    ] {
        assert!(help.contains(line), "{help}");
    }
    let ran = run("convert --to sno/base36 0u375nxqh5cq");
    let hint = "hint: sno is written in the forms text, int, hex, base32, as in sno/hex";
    assert!(ran.status == USAGE && ran.stderr.contains(hint), "{}", ran.stderr);
}

/// The new ID has none.
#[test]
fn ids_behind_a_prefix_are_converted() {
    let (id, to) = ("9q8q28b6522i6222", "--to uuid-v7");
    let expected = stdout_of(&format!("convert --from sno {to} {id}"));
    for from in ["--from sno", ""] {
        let ran = run(&format!("convert {from} {to} order_{id}"));
        assert_eq!((ran.status, &ran.stdout), (OK, &expected), "{from}: {}", ran.stderr);
    }
    let ran = run(&format!("convert {to} first_name"));
    assert_eq!(ran.status, INVALID, "{}", ran.stderr);
}

#[test]
fn order_is_kept() {
    let ids = stdout_of("gen nanoflake --node 5 -n 20000");
    for goal in ["sno", "kuid", "scru64 --to-node-size 8"] {
        let ran = run_with_input(&format!("convert --from nanoflake --to {goal}"), ids.as_bytes());
        assert_eq!(ran.status, OK);
        let converted: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(converted.len(), 20_000);
        assert!(converted.is_sorted(), "{goal}");
    }
}

#[test]
fn restore_finds_the_original() {
    for (there, back) in [
        (
            "--from scru64 --node-size 8 --to sno 0u375nxqh5cq",
            "--from sno --node-size 8 --to scru64",
        ),
        ("--from nanoflake --to kuid bppc0m3ju134", "--from kuid --to nanoflake"),
        ("--from nanoflake --to sno bppc0m3ju134", "--from sno --to nanoflake"),
        (
            "--from nanoflake --epoch discord --to sno --node-table 378=5 bppc0m3ju134",
            "--from sno --epoch discord --to nanoflake --node-table 378=5",
        ),
    ] {
        let made = run(&format!("convert {there}"));
        assert_eq!(made.status, OK, "{there}: {}", made.stderr);
        let found = stdout_of(&format!("convert --restore {back} {}", made.stdout));
        let id = there.split(' ').next_back().expect("an ID");
        assert_eq!(found, format!("{id}\n"), "{there}");
    }
    // A SCRU64 ID without a node size, and the node that was given.
    let made = run("convert --from scru64 --to sno --node 7 0u375nxqh5cq").stdout;
    let lowest = stdout_of(&format!("convert --restore --from sno --to scru64 --node 7 {made}"));
    let again = run(&format!("convert --from scru64 --to sno --node 7 {lowest}")).stdout;
    assert_eq!(again, made, "the lowest of those that became the same");
    // Another node was given, so no ID became this one.
    let ran = run(&format!("convert --restore --from sno --to scru64 --node 8 {made}"));
    assert_eq!(ran.status, INVALID);
    assert!(ran.stderr.contains("no ID of the source becomes this one"), "{}", ran.stderr);
}
