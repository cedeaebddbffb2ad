//! `tickid inspect` as a process.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::process::{
    self, INVALID, OK, USAGE, json_lines, run, run_command, run_with, run_with_input, stdout_of,
    tickid,
};

#[test]
fn inspect_json_fields() {
    let cases = [
        (
            "inspect --json 0u375nxqh5cq --node-size 8",
            r#"{"scheme":"scru64","text":"0u375nxqh5cq","hex":"0186d52bbe2a635a","unix_ms":1678613659136,"time":"2023-03-12T09:34:19.136Z","int":"110009624767914842","timestamp":6557084606,"node_ctr":2777946,"node_id":42,"counter":25434,"node":42,"sequence":25434,"confidence":"likely","reason":"12 digits of Base36"}"#,
        ),
        (
            "inspect --json 0u375nxqh5cq",
            r#"{"scheme":"scru64","text":"0u375nxqh5cq","hex":"0186d52bbe2a635a","unix_ms":1678613659136,"time":"2023-03-12T09:34:19.136Z","int":"110009624767914842","timestamp":6557084606,"node_ctr":2777946,"node":null,"sequence":null,"confidence":"likely","reason":"12 digits of Base36"}"#,
        ),
        (
            "inspect --json --from nanoflake/decimal --epoch discord 175928847299117063",
            r#"{"scheme":"nanoflake","text":"175928847299117063","hex":"0271065ac1020007","unix_ms":1462015105796,"time":"2016-04-30T11:18:25.796Z","int":"175928847299117063","epoch_ms":1420070400000,"timestamp":41944705796,"generator":32,"datacenter":1,"worker":0,"sequence":7,"node":32,"confidence":null}"#,
        ),
        (
            "inspect --json --from kuid/url AGA5igPrJzJ7aYAB",
            r#"{"scheme":"kuid","text":"AGA5igPrJzJ7aYAB","hex":"0060398a03eb27327b698001","unix_ms":1539625275432,"time":"2018-10-15T17:41:15.432Z","kind":"global","drift":8,"a":1539,"b":625275,"node":"03eb2732","c":432128,"sequence":1,"confidence":null}"#,
        ),
        (
            "inspect --json --from kuid .5.tXbhdV.3",
            r#"{"scheme":"kuid","text":".5.tXbhdV.3","hex":"0060398a7b698001","unix_ms":1539625275432,"time":"2018-10-15T17:41:15.432Z","int":"27084864703004673","kind":"local","a":1539,"b":625275,"c":432128,"sequence":1,"node":null,"confidence":null}"#,
        ),
        (
            "inspect --json --from sno aaaaaaaa55aaaaaa",
            r#"{"scheme":"sno","text":"aaaaaaaa55aaaaaa","hex":"421084210818d0842108","unix_ms":1829793872400,"time":"2027-12-26T04:04:32.400Z","timestamp":141872468100,"toggle":0,"meta":24,"partition":53380,"sequence":8456,"node":53380,"confidence":null}"#,
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(stdout_of(arguments), format!("{expected}\n"), "{arguments}");
    }
}

/// JavaScript rounds all integers of a column; of others some look so, as one in 16 of SCRU64's.
#[test]
fn damaged_integers_are_named() {
    let remark = "JavaScript may have rounded this; carry IDs as text";
    for (id, is_named) in [
        ("175928847299117060", true),
        ("175928847299117063", false),
        ("1541815603606036500", true),
        ("=\"175928847299117063\"", false),
        ("'175928847299117063", false),
    ] {
        let ran = run_command(tickid("inspect").arg(id), b"");
        assert_eq!(ran.status, OK, "{id}: {}", ran.stderr);
        assert!(ran.stdout.contains("Snowflake"), "{id}: {}", ran.stdout);
        assert_eq!(ran.stderr.contains(remark), is_named, "{id}: {}", ran.stderr);
    }
    let rounded = "175928847299117060\n1541815603606036500\n175928847299117060\n";
    let others = "175928847299117063\n175928847299117060\n";
    for (lines, times) in [(rounded, 1), (&*rounded.repeat(2), 1), (&*others.repeat(4), 0)] {
        let ran = run_with_input("inspect --json", lines.as_bytes());
        assert_eq!(ran.stderr.matches(remark).count(), times, "{}", ran.stderr);
    }
    for text in ["1.2E+17", "1.2345E17"] {
        let ran = run(&format!("inspect {text}"));
        assert!(ran.stderr.contains("spreadsheets round large integers"), "{}", ran.stderr);
    }
}

#[test]
fn json_has_common_members() {
    for (id, node, sequence) in [
        ("0u375nxqh5cq --node-size 8", 42, 25_434),
        ("bppc0m3ju134", 378, 0),
        ("9q8q28b6522i6222 --from sno", 258, 0),
        ("175928847299117063 --from discord", 32, 7),
        ("11637205499264905 --from instagram", 7_567, 905),
    ] {
        let object = &json_lines(&stdout_of(&format!("inspect --json {id}")))[0];
        for name in ["scheme", "confidence", "time", "unix_ms"] {
            assert!(object.get(name).is_some(), "{id}: {name}");
        }
        assert_eq!(
            (&object["node"], &object["sequence"]),
            (&node.into(), &sequence.into()),
            "{id}"
        );
        let template = format!("inspect --template {{node}}/{{sequence}} {id}");
        assert_eq!(stdout_of(&template), format!("{node}/{sequence}\n"));
    }
    // Of formats without them, or that have one under this name.
    for (id, node) in [
        ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", Value::Null),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", Value::Null),
        ("C232AB00-9414-11EC-B3C8-9F6BDECED846", "9f6bdeced846".into()),
    ] {
        let object = &json_lines(&stdout_of(&format!("inspect --json {id}")))[0];
        assert_eq!((&object["node"], object.get("sequence")), (&node, Some(&Value::Null)), "{id}");
    }
}

/// RFC 3339 has no later years, but integers have.
#[test]
fn times_after_9999_are_milliseconds_only() {
    let ran = run("inspect --json --from kuid zzzzzzzzzzw");
    let object = &json_lines(&ran.stdout)[0];
    let millis = Value::from(1_048_576_048_576_047_i64);
    assert_eq!((&object["time"], &object["unix_ms"]), (&Value::Null, &millis));
}

#[test]
fn only_likely_readings_are_shown() {
    // One without a digit reads like a word.
    let ids = stdout_of("gen nanoflake --node 1 -n 1000");
    let id = ids.lines().find(|id| id.contains(|it: char| it.is_ascii_digit())).expect("a digit");
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
    let named = &json_lines(&stdout_of("inspect --json --from nanoflake xx"))[0];
    assert_eq!(named["confidence"], Value::Null);
    // Words are not shown as IDs, and --all shows them with the status of invalid input.
    let ran = run("inspect activities12 --all");
    assert_eq!(ran.status, INVALID);
    assert!(ran.stdout.contains("possible: up to 13 digits of Base36; it reads like words"));
    assert!(ran.stderr.contains("is not likely any of these"), "{}", ran.stderr);
}

#[test]
fn inspect_names_what_fits_as_well() {
    // 256 ms in SCRU64, 256 times a millisecond in Mastodon: the same bits.
    let ran = run("inspect --json 113882101964472591");
    assert_eq!((ran.status, json_lines(&ran.stdout).len()), (OK, 1));
    assert!(ran.stderr.contains("its bits fit as well: Mastodon ID (2025-"), "{}", ran.stderr);
    let drawn = stdout_of("inspect 113882101964472591");
    assert!(drawn.contains("SCRU64, integer") && drawn.contains("Mastodon ID"), "{drawn}");
    assert!(drawn.contains("formats fit equally well; this is one: "), "{drawn}");
    // Twitter's, with a sequence of 0. Discord is years from it.
    for (options, named) in [
        ("", "Nanoflake in decimal, or Twitter Snowflake\n"),
        ("--from twitter", "2006515713440194560  Twitter Snowflake\n"),
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
    for scheme in ["scru64 --node 7/8", "nanoflake --node 7", "kuid --node a@b", "sno --meta 7"] {
        let made = stdout_of(&format!("gen {scheme} --json"));
        let json = &json_lines(&made)[0];
        let (name, text) = (json["scheme"].as_str(), json["text"].as_str());
        let (name, text) = (name.expect("a name"), text.expect("text"));
        let hex = json["hex"].as_str().expect("hex");
        let bytes: Vec<String> =
            (0..hex.len() / 2).map(|byte| format!("\\x{}", &hex[2 * byte..2 * byte + 2])).collect();
        for form in [
            text.to_owned(),
            hex.to_owned(),
            format!("\\x{hex}"),
            format!("0x{hex}"),
            format!("x'{hex}'"),
            format!("b\"{}\"", bytes.concat()),
            format!("\"{text}\","),
        ] {
            let mut command = tickid(&format!("inspect --json --from {name}"));
            let ran = process::ran(command.arg(&form));
            assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{form}");
            assert_eq!(ran.stdout, made, "{form}");
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
        assert!(ran.stderr.contains("line 5: 'lonely' has only 1 column"), "{}", ran.stderr);
    }
    // A quoted field continues in the next line; a byte order mark is not part of the first title.
    let csv = format!("\u{feff}id,note\r\n{id},\"a\r\n\r\n{id}\"\r\n{id},\"never\nends\n");
    let ran = run_with_input("inspect --json --column id", csv.as_bytes());
    assert_eq!((ran.status, ran.stdout.lines().count()), (INVALID, 1), "{}", ran.stderr);
    let unended = "line 5: '0u375nxqh5cq,\"never\\nends' starts";
    assert!(ran.stderr.contains(unended), "{}", ran.stderr);
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
    assert!(ran.stderr.contains("'[' is not JSON"), "{}", ran.stderr);
    assert!(ran.stderr.contains("not an integer of up to 64 bits"), "{}", ran.stderr);
    let nested = format!("{{\"user\":{{\"id\":\"{id}\"}}}}");
    let ran = run_with_input("inspect --json --field /user/id -", nested.as_bytes());
    assert!(ran.stdout.contains(id), "{}", ran.stderr);
}

#[test]
fn find_has_line_and_column_of_each_id() {
    let (id, uuid) = ("0u375nxqh5cq", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    let log = format!(
        "starting, version 1.2.3\n\
         2026-03-01T12:00:00.123Z GET /orders/{id}?trace={uuid} 200\n\
         \n\
         größe „{id}“, req-{id}: ü\n\
         {{\"user\":{{\"id\":\"{id}\"}}}}\r\n"
    );
    // Bytes that are no text are passed over.
    let log = [b"\xff ", log.as_bytes()].concat();
    let ran = run_with_input("inspect --find --json", &log);
    // Blank lines are not searched.
    assert_eq!((ran.status, ran.stderr.as_str()), (OK, "tickid: 5 IDs in 3 of 4 lines\n"));
    let found: Vec<(u64, u64, String)> = json_lines(&ran.stdout)
        .iter()
        .map(|one| {
            let number = |name: &str| one[name].as_u64().expect("a number");
            (number("line"), number("column"), one["text"].as_str().expect("text").to_owned())
        })
        .collect();
    let expected = [(2, 38, id), (2, 57, uuid), (4, 8, id), (4, 27, id), (5, 16, id)];
    assert_eq!(found, expected.map(|(line, column, id)| (line, column, id.to_owned())));
    // What stands there is not always the canonical text.
    let line = b"key=0x0186d52bbe2a635a at 017F22E2-79B0-7CC3-98C4-DC0C0C07398F";
    let shown = json_lines(&run_with_input("inspect --find --json", line).stdout);
    let texts = shown.iter().map(|one| (one["text"].as_str(), one["found"].as_str()));
    let expected = [
        (Some(id), Some("0x0186d52bbe2a635a")),
        (Some(uuid), Some("017F22E2-79B0-7CC3-98C4-DC0C0C07398F")),
    ];
    assert!(texts.eq(expected), "{shown:?}");
    let printed = run_with_input("inspect --find --template {found}={text}", line).stdout;
    let expected = expected.map(|(text, found)| format!("{}={}\n", found.unwrap(), text.unwrap()));
    assert_eq!(printed, expected.concat());
    // An argument has no lines, and one without an ID is a mistake; a line without one is not.
    let mut command = tickid("inspect --find --json");
    let ran = process::ran(command.arg(format!("the order {id}.")));
    let one = &json_lines(&ran.stdout)[0];
    assert_eq!((&one["column"], one.get("line")), (&11.into(), None));
    assert_eq!(ran.stderr, "tickid: 1 ID\n");
    let drawn = run_with_input("inspect --find", format!("nothing\nid={id}\n").as_bytes());
    assert!(drawn.stdout.starts_with("0u375nxqh5cq  SCRU64, line 2, column 4\n"), "{drawn:?}");
    let ran = run("inspect --find nothing-here");
    assert_eq!(ran.status, INVALID);
    assert_eq!(ran.stderr, "error: 'nothing-here' has no ID in it\n");
    let ran = run_with_input("inspect --find", b"nothing\nhere\n");
    assert_eq!((ran.status, ran.stderr.as_str()), (INVALID, "error: no ID was found\n"));
    assert_eq!(run_with_input("inspect --find", b"").status, OK);
}

#[test]
fn find_takes_formats_and_fields() {
    let line = "{\"message\":\"id 113882101964472591 at 1763353455\",\"id\":\"0u375nxqh5cq\"}";
    let texts = |arguments: &str| -> Vec<String> {
        let ran = run_with_input(&format!("inspect --find {arguments}"), line.as_bytes());
        assert_eq!(ran.status, OK, "{arguments}: {}", ran.stderr);
        ran.stdout.lines().map(str::to_owned).collect()
    };
    let template = "--template {text}@{scheme}";
    assert_eq!(texts(&format!("{template} --from mastodon")), ["113882101964472591@mastodon"]);
    assert_eq!(texts(&format!("{template} --from unix-time")), ["1763353455@unix-time"]);
    let first = texts(&format!("{template} --field message"));
    assert_eq!(first.len(), 1);
    // The column is that in the field.
    let found = json_lines(&texts("--json --field message").join("\n"));
    assert_eq!((&found[0]["line"], &found[0]["column"]), (&1.into(), &4.into()));
}

/// A UUID of version 7 is one whatever its time, and so is a ULID that is named.
#[test]
fn times_of_the_far_future_are_named() {
    let far = "81aa7b00-0000-7000-8000-000000000000";
    for (arguments, ids) in [
        ("inspect", far),
        ("inspect --json", far),
        ("inspect --json --from uuid", far),
        ("inspect --from ulid", "41N9XG0000G0083456789ABCDE"),
        // Once.
        ("inspect --json", &*format!("{far} {far}")),
    ] {
        let ran = run(&format!("{arguments} {ids}"));
        assert_eq!(ran.status, OK, "{arguments}: {}", ran.stderr);
        let said: Vec<_> = ran.stderr.lines().filter(|it| it.ends_with(" years ahead")).collect();
        // 6485, some time after this was written.
        let is_it =
            |it: &&str| it.contains(" is of a time 4,4") || it.contains(" is of a time 4,3");
        assert!(said.len() == 1 && said.iter().all(is_it), "{arguments}: {}", ran.stderr);
    }
    // The examples of the schemes' documents are of the next years.
    for arguments in ["inspect --json --from sno brpk4q72xwf2m63l", "inspect --json 0u375nxqh5cq"] {
        assert_eq!(run(arguments).stderr, "", "{arguments}");
    }
}

#[test]
fn texts_with_an_id_in_them_get_a_hint() {
    let mut command = tickid("inspect");
    let ran = process::ran(command.arg("order 0u375nxqh5cq was lost"));
    assert_eq!((ran.status, ran.stdout.as_str()), (INVALID, ""));
    assert!(ran.stderr.contains("' is not an ID, but has one in it\n"), "{}", ran.stderr);
    let hint = "hint: `tickid inspect --find` finds 0u375nxqh5cq in it\n";
    assert!(ran.stderr.ends_with(hint), "{}", ran.stderr);
    // Once, not for each line.
    let ran = run_with_input("inspect", b"a 0u375nxqh5cq\nb 0u375nxqh5cq\n");
    assert_eq!(ran.stderr.matches("hint: --find looks").count(), 1, "{}", ran.stderr);
}

/// As APIs write them.
#[test]
fn ids_behind_a_prefix_are_read() {
    let (uuid, ulid) = ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "01ARZ3NDEKTSV4RRFFQ69G5FAV");
    let ids = ["9q8q28b6522i6222", "0u375nxqh5cq", "2006515713440194560", uuid, ulid];
    for id in ids {
        let bare = json_lines(&stdout_of(&format!("inspect --json {id}")));
        let found = json_lines(&stdout_of(&format!("inspect --json sales_order_{id}")));
        assert_eq!(found[0]["prefix"], "sales_order", "{id}");
        for name in ["scheme", "text", "hex", "time", "confidence"] {
            assert_eq!(found[0][name], bare[0][name], "{id}");
        }
        let drawn = stdout_of(&format!("inspect order_{id}"));
        assert!(drawn.starts_with(id) && drawn.contains(", behind the prefix order\n"), "{drawn}");
    }
    // In columns, also of integers that only their number makes likely, and in summaries.
    let lines: Vec<String> = column(12).iter().map(|id| format!("post_{id}")).collect();
    let csv = format!("id\n{}\norder_9q8q28b6522i6222\nfirst_name\n", lines.join("\n"));
    let ran = run_with_input("inspect --template {scheme} --column id", csv.as_bytes());
    let expected = format!("scheme\n{}sno\n\n", "instagram\n".repeat(12));
    assert_eq!((ran.status, ran.stdout), (INVALID, expected), "{}", ran.stderr);
    let printed = stdout_of("inspect --template {prefix}:{text} order_0u375nxqh5cq 0u375nxqh5cq");
    assert_eq!(printed, "order:0u375nxqh5cq\n:0u375nxqh5cq\n");
    let ran = run_with_input("inspect --summary --json --column id", csv.as_bytes());
    let rows = json_lines(&ran.stdout);
    let counts: Vec<(&Value, &Value)> =
        rows.iter().map(|row| (&row["scheme"], &row["lines"])).collect();
    let [instagram, sno] = ["instagram", "sno"].map(Value::from);
    let [twelve, one] = [12, 1].map(Value::from);
    assert_eq!(counts, [(&instagram, &twelve), (&sno, &one), (&Value::Null, &one)]);
    // A TypeID has a prefix of its own, and so may other texts that are IDs as they are.
    let typeid = json_lines(&stdout_of("inspect --json user_01j1hzw2p7es59rpw0qfqnr7bc"));
    assert_eq!((&typeid[0]["scheme"], typeid[0].get("prefix")), (&"typeid".into(), None));
    // Of a format that is named.
    for (arguments, scheme) in [
        ("--from sno order_9q8q28b6522i6222", "sno"),
        ("--from discord message_175928847299117063", "discord"),
        ("--from nanoflake note_bppc0m3ju134", "nanoflake"),
    ] {
        let found = json_lines(&stdout_of(&format!("inspect --json {arguments}")));
        assert_eq!(found[0]["scheme"], scheme, "{arguments}");
    }
    for text in ["first_name", "created_1763353455", "_9q8q28b6522i6222", "Order_9q8q28b6522i6222"]
    {
        assert_eq!(run(&format!("inspect {text}")).status, INVALID, "{text}");
    }
    for text in ["first_name", "order_id", "Order_9q8q28b6522i6222"] {
        assert_eq!(run(&format!("inspect --from nanoflake {text}")).status, INVALID, "{text}");
    }
}

/// The underscore is a digit of kuids.
#[test]
fn prefixes_that_end_in_two_places_are_both_read() {
    let text = "a_bcde_F8n8vPN.0.3";
    for arguments in ["--from kuid", "--all"] {
        let ran = run(&format!("inspect {arguments} {text}"));
        for card in ["bcde_F8n8vPN.0.3  kuid", "F8n8vPN.0.3  kuid"] {
            assert!(ran.stdout.contains(card), "{arguments}: {}{}", ran.stdout, ran.stderr);
        }
        for prefix in ["behind the prefix a\n", "behind the prefix a_bcde\n"] {
            assert!(ran.stdout.contains(prefix), "{arguments}: {}", ran.stdout);
        }
    }
    // With --all also what the whole text may be, here a global kuid.
    let whole = "abc_0u375nxqh5cq";
    let all = json_lines(&stdout_of(&format!("inspect --all --json {whole}")));
    assert_eq!(all[0]["prefix"], "abc");
    assert_eq!(
        (&all[all.len() - 1]["text"], all[all.len() - 1].get("prefix")),
        (&whole.into(), None)
    );
    let ran = run(&format!("inspect --json --from kuid {text}"));
    assert_eq!((ran.status, json_lines(&ran.stdout)[0]["prefix"].as_str()), (OK, Some("a")));
    let remark = "is read behind the prefix a; it may also be a_bcde";
    assert!(ran.stderr.contains(remark), "{}", ran.stderr);
    let ran = run(&format!("convert --from kuid --to sno --node 7 {text}"));
    let reason = "is ambiguous: its prefix may be a or a_bcde";
    assert!(ran.status == INVALID && ran.stderr.contains(reason), "{}", ran.stderr);
}

#[test]
fn columns_of_spreadsheets_are_read() {
    let id = "175928847299117063";
    for (options, csv) in [
        ("", format!("\u{feff}name;id\r\n\"a, b\";{id}\r\n")),
        ("", format!("name\tid\na, b; c\t{id}\n")),
        ("", format!("name,id\na,=\"{id}\"\n")),
        ("", format!("sep=;\nname;id\na;\"=\"\"{id}\"\"\"\n")),
        ("--delimiter |", format!("a;b|id\n;|{id}\n")),
        ("--delimiter tab", format!("a,b;c\tid\n,\t{id}\n")),
    ] {
        let arguments = format!("inspect --json --from discord --column id {options}");
        let ran = run_with_input(&arguments, csv.as_bytes());
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{csv:?}");
        assert_eq!(json_lines(&ran.stdout)[0]["text"], id, "{csv:?}");
    }
    let ran = run_with_input("inspect --column id", b"name|id\na|1\n");
    assert_eq!(ran.status, USAGE);
    assert!(ran.stderr.contains("the titles are: name|id\nhint: columns are"), "{}", ran.stderr);
    for delimiter in ["ab", "é"] {
        let ran = run_with_input(&format!("inspect --column 1 --delimiter {delimiter}"), b"");
        assert_eq!(ran.status, USAGE);
        assert!(ran.stderr.contains("is one ASCII character"), "{}", ran.stderr);
    }
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
    assert_eq!((ran.status, ran.stdout), (INVALID, format!("{sno}|258\n|\n{sno}|258\n")));
    assert!(ran.stderr.contains("line 2: '0u375nxqh5cq' has no {partition}; it has scheme, "));
    // Each once, although this format has some of the common names itself.
    let ran = run("inspect --template {x} {uid,{1539,625275,432128},1}");
    let names = "time, node, sequence, confidence, int, kind, a, b, c";
    assert!(ran.stderr.contains(names), "{}", ran.stderr);
}

/// As a terminal sends lines, or `tail -f`.
#[test]
fn each_line_is_answered_before_the_next() {
    for (arguments, answer) in [
        ("inspect --json", "{\"scheme\":\"scru64\",\"text\":\"0u375nxqh5cq\","),
        ("inspect --template {time}", "2023-03-12T09:34:19.136Z"),
        ("convert --from scru64 --node-size 8 --to sno", "83thvaq22224mqss"),
    ] {
        let mut command = tickid(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("runs");
        let mut stdin = child.stdin.take().expect("piped");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        for _ in 0..3 {
            stdin.write_all(b"0u375nxqh5cq\n").expect("written");
            // The input stays open meanwhile.
            let line = lines.next().expect("a line").expect("text");
            assert!(line.starts_with(answer), "{arguments}: {line}");
        }
        drop(stdin);
        assert!(lines.next().is_none(), "{arguments}");
        assert_eq!(child.wait().expect("ends").code(), Some(OK), "{arguments}");
    }
}

/// Returns Instagram's IDs of one shard, some hours apart, with any sequences.
fn column(lines: u64) -> Vec<String> {
    let id = |line: u64| {
        let ms = 1_700_000_000_000 - 1_314_220_021_721 + line * 12_345_678;
        (ms << 23 | 1_341 << 10 | (line * 397 % 1_024)).to_string()
    };
    (0..lines).map(id).collect()
}

#[test]
fn lines_that_agree_decide() {
    let ids = column(12);
    let ran = run_with_input("inspect", ids.join("\n").as_bytes());
    assert_eq!(ran.status, OK, "{}", ran.stderr);
    let agreeing = |shown: &str| shown.matches(", and 10 lines agree\n").count();
    let named = ran.stdout.lines().filter(|line| line.ends_with("Instagram ID"));
    assert_eq!((named.count(), agreeing(&ran.stdout)), (12, 12), "{}", ran.stdout);
    // Arguments are lines as well.
    assert_eq!(agreeing(&run(&format!("inspect {}", ids.join(" "))).stdout), 12);
    // Until one is of another kind: all lines after it are judged alone.
    let mixed = format!("{0}\n1763353455\n{0}", ids.join("\n"));
    assert_eq!(agreeing(&run_with_input("inspect", mixed.as_bytes()).stdout), 12);
    // Two lines say nothing.
    let ran = run(&format!("inspect {}", ids[..2].join(" ")));
    assert!(!ran.stdout.contains("lines agree"), "{}", ran.stdout);
}

#[test]
fn summary_has_a_line_per_format() {
    let uuid = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
    let input = format!("{}\n\nnone of them\n{uuid}\n{uuid}\n", column(12).join("\n"));
    let ran = run_with_input("inspect --summary", input.as_bytes());
    assert_eq!((ran.status, ran.stderr.as_str()), (INVALID, ""));
    let expected = "\
LINES  FORMAT        FIRST                     LAST
   12  Instagram ID  2023-11-14T22:13:20.000Z  2023-11-16T11:56:42.458Z
    2  UUID          2022-02-22T19:22:22.000Z  2022-02-22T19:22:22.000Z
    1  no ID         in 14
";
    assert_eq!(ran.stdout, expected);
    let ran = run_with_input("inspect --summary --json", input.as_bytes());
    let rows = json_lines(&ran.stdout);
    let expected = serde_json::json!([
        {
            "scheme": "instagram", "lines": 12,
            "first_ms": 1_700_000_000_000_i64, "first": "2023-11-14T22:13:20.000Z",
            "last_ms": 1_700_135_802_458_i64, "last": "2023-11-16T11:56:42.458Z",
        },
        {
            "scheme": "uuid", "lines": 2,
            "first_ms": 1_645_557_742_000_i64, "first": "2022-02-22T19:22:22.000Z",
            "last_ms": 1_645_557_742_000_i64, "last": "2022-02-22T19:22:22.000Z",
        },
        {
            "scheme": null, "lines": 1, "numbers": [14],
            "first_ms": null, "first": null, "last_ms": null, "last": null,
        },
    ]);
    assert_eq!(Value::from(rows), expected);
    // Of a format that is named, and of IDs that are found.
    let ran = run_with_input("inspect --summary --json --from uuid", input.as_bytes());
    assert_eq!(json_lines(&ran.stdout)[1]["lines"], 13, "{}", ran.stdout);
    let line = format!("id={uuid} {uuid}\nnothing\n");
    let ran = run_with_input("inspect --summary --json --find", line.as_bytes());
    assert_eq!((ran.status, &json_lines(&ran.stdout)[0]["lines"]), (OK, &2.into()));
    let ran = run_with_input("inspect --summary", b"");
    assert_eq!((ran.status, ran.stdout.as_str()), (OK, ""));
}

/// Ten lines are looked at before the first is answered, if they are there, and no line waits.
#[test]
fn lines_that_agree_do_not_wait() {
    let mut command = tickid("inspect --template {scheme}");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("runs");
    let mut stdin = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    for id in column(12) {
        writeln!(stdin, "{id}").expect("written");
        assert!(lines.next().expect("a line").is_ok());
    }
    drop(stdin);
    assert!(lines.next().is_none());
    child.wait().expect("ends");
}

#[test]
fn templates_keep_the_lines_of_the_input() {
    let id = "0u375nxqh5cq";
    let time = "2023-03-12T09:34:19.136Z";
    let of = |options: &str, input: &str| {
        let ran =
            run_with_input(&format!("inspect --template {{time}} {options}"), input.as_bytes());
        assert_eq!(ran.stdout.lines().count(), input.lines().count(), "{options}: {}", ran.stdout);
        ran.stdout
    };
    let input = format!("{id}\n\nnot-an-id\n{id}\nhello\n{id}");
    assert_eq!(of("", &input), format!("{time}\n\n\n{time}\n\n{time}\n"));
    // A reading that is shown though it is not likely has its line already.
    assert_eq!(of("--all", "activities12\n").lines().count(), 1);
    // A record's line is the last of its own; the titles have one as well.
    let csv = format!("note,id\n\"a\n\nb\",{id}\nlonely\nc,\n\nd,{id}\n");
    assert_eq!(of("--column id", &csv), format!("time\n\n\n{time}\n\n\n\n{time}\n"));
    let members = format!("{{\"id\":\"{id}\"}}\n{{}}\n{{\"id\":\"{id}\"}}\n");
    assert_eq!(of("--field id", &members), format!("{time}\n\n{time}\n"));
    let long = "a".repeat(100_000);
    assert_eq!(of("", &format!("{long}\n{id}\n")), format!("\n{time}\n"));
    let ran = run(&format!("inspect --template {{time}} x! {id}"));
    assert_eq!((ran.status, ran.stdout), (INVALID, format!("\n{time}\n")));
}

#[test]
fn templates_keep_their_fields() {
    let id = "0u375nxqh5cq";
    let csv = format!("note,id\na,{id}\nb,\nc,!\nlonely\n\n\"d\nd\",{id}\n");
    let of = |arguments: &str| run_with_input(arguments, csv.as_bytes()).stdout;
    // The titles of CSV become the names; the first line of a record of two is no row of its own.
    assert_eq!(
        of("inspect --column id --template {text},{scheme},<{node_ctr}>"),
        format!(
            "text,scheme,<node_ctr>\n{id},scru64,<2777946>\n,,<>\n,,<>\n,,<>\n,,<>\n\n\
             {id},scru64,<2777946>\n"
        )
    );
    // The first line is one of others if the column has a number.
    let numbered = of("inspect --column 2 --template {line},{text}");
    assert_eq!(numbered, format!("1,\n2,{id}\n3,\n4,\n5,\n6,\n\n7,{id}\n"));
    // IDs that are looked for have no lines to keep, but titles and numbers.
    let found = of("inspect --find --column id --template {line},{column},{text}");
    assert_eq!(found, format!("line,column,text\n2,1,{id}\n7,1,{id}\n"));
    let found = of("inspect --find --template {text}@{line}:{column}");
    assert_eq!(found, format!("{id}@2:3\n{id}@8:4\n"));
    // A number that an input does not have.
    for arguments in ["--template {line} 0u375nxqh5cq", "--template {column} 0u375nxqh5cq"] {
        let ran = run(&format!("inspect {arguments}"));
        assert_eq!(ran.status, INVALID, "{}", ran.stdout);
        assert!(ran.stderr.contains("}; it has scheme, "), "{}", ran.stderr);
    }
    let times = run_with_input(
        "gen sno --node 7 --times - --column at --template {time},{partition}",
        b"at,n\n2024-01-01,1\n,2\n",
    );
    assert_eq!(times.stdout, "time,partition\n2024-01-01T00:00:00.000Z,7\n,\n");
}

#[test]
fn json_has_the_number_of_the_line() {
    let id = "0u375nxqh5cq";
    let numbers = |arguments: &str, input: &str| -> Vec<Option<u64>> {
        let ran = run_with_input(arguments, input.as_bytes());
        json_lines(&ran.stdout).iter().map(|object| object["line"].as_u64()).collect()
    };
    let input = format!("{id}\n\nnot-an-id\n{id}\n");
    assert_eq!(numbers("inspect --json", &input), [Some(1), Some(4)]);
    assert_eq!(numbers("inspect --json --tz UTC", &input), [Some(1), Some(4)]);
    let convert = "convert --from scru64 --node-size 8 --to sno --json";
    assert_eq!(numbers(convert, &input), [Some(1), Some(4)]);
    // The first line of a record.
    let csv = format!("\"a\nb\",{id}\nc,{id}\n");
    assert_eq!(numbers("inspect --json --column 2", &csv), [Some(1), Some(3)]);
    // Arguments have none.
    assert_eq!(json_lines(&stdout_of(&format!("inspect --json {id}")))[0].get("line"), None);
}

#[test]
fn problems_quote_records_and_their_first_line() {
    let csv = "a,1\n\"b\nc\nd\"\ne,2\n";
    let ran = run_with_input("inspect --json --column 2 --from sno", csv.as_bytes());
    let record = "line 2: '\"b\\nc\\nd\"' has only 1 column\n";
    assert!(ran.stderr.contains(record), "{}", ran.stderr);
    assert!(ran.stderr.contains("line 5: '2' is not a sno ID"), "{}", ran.stderr);
}

/// As a column that may be null has them.
#[test]
fn empty_cells_are_no_ids_and_no_errors() {
    let id = "0u375nxqh5cq";
    let csv = format!("n,id\n1,{id}\n2,\n3,\"\"\n4,  \n5,{id}\n");
    let members = format!("{{\"id\":\"{id}\"}}\n{{\"id\":null}}\n{{\"id\":\"\"}}\n");
    for (command, selection, input, lines) in [
        ("inspect --from scru64 --template {text}", "--column id", &csv, 6),
        ("inspect --template {text}", "--column id", &csv, 6),
        ("inspect --template {text}", "--field id", &members, 3),
        ("inspect --json", "--column id", &csv, 2),
        ("inspect --find --json", "--column id", &csv, 2),
        ("inspect --find --json", "--field id", &members, 1),
        ("convert --from scru64 --to sno --node 7 --keep-lines", "--column id", &csv, 6),
        ("convert --from scru64 --to sno --node 7", "--field id", &members, 1),
    ] {
        let ran = run_with_input(&format!("{command} {selection}"), input.as_bytes());
        let errors = ran.stderr.matches("error: ").count();
        assert_eq!((ran.status, errors), (OK, 0), "{command}: {}", ran.stderr);
        assert_eq!(ran.stdout.lines().count(), lines, "{command}: {}", ran.stdout);
    }
    // They are counted apart.
    for (selection, input, lines, empty) in
        [("--column id", &csv, 2, 3), ("--field id", &members, 1, 2)]
    {
        for from in ["", "--from scru64"] {
            let arguments = format!("inspect --summary --json {from} {selection}");
            let ran = run_with_input(&arguments, input.as_bytes());
            let rows = json_lines(&ran.stdout);
            assert_eq!((ran.status, rows.len()), (OK, 2), "{}", ran.stdout);
            assert_eq!((&rows[0]["lines"], &rows[1]["lines"]), (&lines.into(), &empty.into()));
            assert_eq!(rows[1]["scheme"], "empty");
        }
    }
    // A missing member or column may be a misspelt one, and an empty argument is a mistake.
    for (selection, input) in [("--field id", "{}\n"), ("--column 2", "lonely\n")] {
        let ran = run_with_input(&format!("inspect {selection}"), input.as_bytes());
        assert_eq!(ran.status, INVALID, "{selection}");
    }
    assert_eq!(process::ran(tickid("inspect").arg("")).status, INVALID);
}

#[test]
fn ten_problems_are_named_and_the_others_counted() {
    let id = "0u375nxqh5cq\n";
    for (command, bad) in [
        ("inspect --template {text}", "!"),
        ("inspect --json --from scru64", "!"),
        ("convert --from scru64 --to sno --node 7", "!"),
        ("gen sno --node 7 --times -", "0u375nxqh5cq"),
    ] {
        let good = if command.starts_with("gen") { "2024-01-01\n" } else { id };
        for (number, last) in
            [(10, None), (11, Some("1 further line")), (30, Some("20 further lines"))]
        {
            let bad = format!("{bad}\n").repeat(number);
            let ran = run_with_input(command, format!("{good}{bad}{good}").as_bytes());
            assert_eq!(ran.status, INVALID, "{command}");
            let named = ran.stderr.matches("error: line ").count();
            let counted = ran.stderr.lines().filter(|line| line.ends_with(" failed"));
            let expected = last.map(|last| format!("error: {last} failed"));
            assert_eq!(named, 10, "{command}: {}", ran.stderr);
            assert!(counted.eq(expected.as_deref()), "{command}: {}", ran.stderr);
        }
    }
    let ran = run(&format!("inspect{}", " !".repeat(12)));
    assert!(ran.stderr.ends_with("\nerror: 2 further arguments failed\n"), "{}", ran.stderr);
}

#[test]
fn cards_explain_kuids_and_show_the_age() {
    let drawn = stdout_of("inspect --from kuid .5.tXbhdV.3");
    for line in
        ["a 1539  mega-seconds", "b 625275  seconds", "c 432128  microseconds, in steps of 1,024"]
    {
        assert!(drawn.contains(line), "{drawn}");
    }
    let zone = "EST5EDT,M3.2.0,M11.1.0";
    let ran = run_with("inspect --tz local 0u375nxqh5cq", "TZ", zone);
    assert!(ran.stdout.contains("2023-03-12 05:34:19 EDT  "), "{}", ran.stdout);
    assert!(ran.stdout.contains(" ago"), "{}", ran.stdout);
    let ran = run_with("inspect --tz local --json 0u375nxqh5cq", "TZ", zone);
    let line = &json_lines(&ran.stdout)[0];
    assert_eq!(line["local"], "2023-03-12T05:34:19.136-04:00");
    assert!(line["age_ms"].as_i64() > Some(100_000_000_000), "{line}");
    // The zones of `range`.
    let drawn = stdout_of("inspect --tz UTC 0u375nxqh5cq");
    assert!(drawn.contains("2023-03-12 09:34:19 UTC  "), "{drawn}");
    let ran = run("inspect --tz Atlantis 0u375nxqh5cq");
    assert_eq!(ran.status, USAGE);
    assert!(ran.stderr.contains("UTC, local, or one as in Europe/Berlin"), "{}", ran.stderr);
}

#[test]
fn unknown_local_zones_are_errors() {
    let range = "range sno --since yesterday --until today --tz local";
    for arguments in ["inspect --tz local 0u375nxqh5cq", range] {
        for (zone, is_known) in [
            ("Europe/Berln", false),
            (":nowhere", false),
            ("/no/such/file", false),
            ("", true),
            ("UTC", true),
            ("EST5EDT,M3.2.0,M11.1.0", true),
        ] {
            let ran = run_with(arguments, "TZ", zone);
            let status = if is_known { OK } else { USAGE };
            assert_eq!(ran.status, status, "{arguments}, {zone}: {}", ran.stderr);
            let said = ran.stderr.contains(&format!("$TZ is '{zone}', and no zone of that name"));
            assert_eq!(said, !is_known, "{arguments}, {zone}: {}", ran.stderr);
        }
    }
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
fn bad_lines_do_not_stop_inspect() {
    let input = b"0u375nxqh5cq\nnot-an-id\r\n\nab\xffcd\n0u375nxqh5cq";
    let ran = run_with_input("inspect --json --from scru64", input);
    assert_eq!(ran.status, INVALID);
    assert_eq!(ran.stdout.lines().count(), 2);
    assert_eq!(
        ran.stderr,
        "error: line 2: 'not-an-id' is not a SCRU64 ID: 9 bytes long, not 12\n\
         error: line 4: 'ab\\xffcd' is not a SCRU64 ID: 5 bytes long, not 12\n"
    );
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

/// As PowerShell writes a file.
#[test]
fn utf_16_is_named() {
    let texts: [fn(u16) -> [u8; 2]; 2] = [u16::to_le_bytes, u16::to_be_bytes];
    for bytes in texts {
        let input = "\u{feff}0u375nxqh5cq\r\n".encode_utf16().flat_map(bytes);
        let ran = run_with_input("inspect", &input.collect::<Vec<u8>>());
        assert_eq!((ran.status, ran.stdout.as_str()), (INVALID, ""));
        assert!(ran.stderr.contains("it is UTF-16, and not UTF-8\nhint: `iconv"), "{}", ran.stderr);
    }
}

#[test]
fn files_that_are_not_text_are_named() {
    for (start, name, command) in [
        (&b"PAR1\x15\x04\x15\xa0\n"[..], "a Parquet file", "duckdb -csv -c "),
        (b"ARROW1\0\0\n\0\n", "an Arrow file", "python3 -c "),
        (b"SQLite format 3\0\n", "a SQLite database", "sqlite3 FILE "),
        (b"PK\x03\x04\x14\0\n", "an Excel file", "python3 -c "),
        (b"\x1f\x8b\x08\0\n", "a gzip file", "gzip -dc FILE"),
        (b"\x28\xb5\x2f\xfd\n", "a zstd file", "zstd -dc FILE"),
    ] {
        for arguments in ["inspect", "inspect --json --column id", "convert --to sno"] {
            let ran = run_with_input(arguments, start);
            assert_eq!((ran.status, ran.stdout.as_str()), (INVALID, ""), "{name}");
            assert!(ran.stderr.contains(&format!("it is {name}")), "{}", ran.stderr);
            assert!(ran.stderr.contains(&format!("\nhint: `{command}")), "{}", ran.stderr);
            assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
        }
        // Only what is compressed has nothing to be found in it.
        let input = [start, b" 017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n"].concat();
        let ran = run_with_input("inspect --find --template {text}", &input);
        let is_compressed = name == "a gzip file" || name == "a zstd file";
        assert_eq!(ran.stdout.is_empty(), is_compressed, "{name}: {}", ran.stderr);
    }
    let ran =
        run_with_input("inspect --template {scheme} --column id", b"PAR1,id\n1,0u375nxqh5cq\n");
    assert_eq!((ran.status, ran.stdout.as_str()), (OK, "scheme\nscru64\n"), "{}", ran.stderr);
}

/// pandas makes doubles of a column with a missing value.
#[test]
fn floating_point_numbers_are_named() {
    let reason = "is not an ID: a program held this as a floating-point number";
    for number in ["1.4560744691298714e+18", "1456074469129871360.0"] {
        for command in [
            "inspect",
            "inspect --json",
            "inspect --from discord",
            "inspect --from scru64",
            "convert --to sno",
            "convert --from discord --to sno",
        ] {
            let ran = run_with_input(
                &format!("{command} --column id"),
                format!("id\n{number}\n").as_bytes(),
            );
            assert_eq!(ran.status, INVALID, "{command}");
            assert!(ran.stderr.contains(reason), "{command}: {}", ran.stderr);
            let member = format!("{{\"id\":{number}}}\n");
            let ran = run_with_input(&format!("{command} --field id"), member.as_bytes());
            assert_eq!(ran.status, INVALID, "{command}");
            let reason = reason.trim_start_matches("is ");
            assert!(ran.stderr.contains(reason), "{command}: {}", ran.stderr);
            assert!(!ran.stderr.contains("larger integers"), "{command}: {}", ran.stderr);
        }
    }
}

/// As pandas, databases and their dumps write a cell without a value. In quotation marks, and
/// anywhere else, they are texts: `NULL` is a Nanoflake.
#[test]
fn words_for_missing_values_are_empty_cells() {
    let id = "0u375nxqh5cq";
    let csv = format!("n,id\n1,{id}\n2,NaN\n3,NULL\n4,None\n5,<NA>\n6,\\N\n7,\n");
    let ran = run_with_input("inspect --template {text} --column id", csv.as_bytes());
    assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""));
    assert_eq!(ran.stdout, format!("text\n{id}\n{}", "\n".repeat(6)));
    let ran = run_with_input("inspect --summary --column id", csv.as_bytes());
    let rows: Vec<&str> = ran.stdout.lines().skip(1).collect();
    assert_eq!((ran.status, rows.len()), (OK, 2), "{}", ran.stdout);
    assert!(rows[1].ends_with("6  empty"), "{}", ran.stdout);
    let quoted = "id\n\"NULL\"\n";
    for (arguments, input) in [
        ("inspect --json --from nanoflake --column id", quoted),
        ("inspect --json --from nanoflake", "NULL\n"),
        ("inspect --json --from nanoflake --field id", "{\"id\":\"NULL\"}\n"),
        ("inspect --json --from nanoflake NULL", ""),
    ] {
        let ran = run_with_input(arguments, input.as_bytes());
        assert_eq!(json_lines(&ran.stdout).len(), 1, "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn rewritten_integers_have_a_hint() {
    for text in [
        "1,456,074,469,129,871,363",
        "1.456.074.469.129.871.363",
        "1456074469129871363u64",
        "1456074469129871363ULL",
        "1_456_074_469_129_871_363_u64",
    ] {
        for command in ["inspect", "inspect --from discord", "convert --from discord --to sno"] {
            let ran = run(&format!("{command} {text}"));
            assert_eq!(ran.status, INVALID, "{command} {text}");
            let hint = "1456074469129871363 is read as ";
            assert!(ran.stderr.contains(hint), "{command} {text}: {}", ran.stderr);
        }
    }
}

#[test]
fn empty_input_is_fine() {
    let ran = run_with_input("inspect", b"");
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (OK, "", ""));
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
}
