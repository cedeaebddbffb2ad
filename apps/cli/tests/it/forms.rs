//! The forms in which the command prints IDs, which it all reads by the name of the format.

use std::collections::BTreeSet;

use tickid_convert::{Form, Kind};
use tickid_detect::TimeOrdered;
use tickid_snowflake::Preset;

use crate::process::{INVALID, OK, json_lines, ran, run, tickid};

/// Returns the forms of a kind that a command prints.
fn forms(kind: Kind) -> BTreeSet<&'static str> {
    Form::names(kind).collect()
}

/// Returns the lines that a command prints. Bytes follow each other without a line break, and are
/// written as a literal here.
fn printed(arguments: &str, form: &str, bytes: usize) -> Vec<String> {
    let output = tickid(arguments).output().expect("runs");
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    if form == "bytes" {
        let ids = output.stdout.chunks(bytes);
        return ids.map(|id| format!("b\"{}\"", id.escape_ascii())).collect();
    }
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(str::to_owned).collect()
}

/// Returns the bytes that `inspect` reads, in hexadecimal.
fn read(from: &str, text: &str) -> String {
    let ran = ran(tickid(&format!("inspect --json --from {from}")).arg(text));
    assert_eq!(ran.status, OK, "--from {from} {text}: {}", ran.stderr);
    let line = &json_lines(&ran.stdout)[0];
    line["hex"].as_str().expect("digits").to_owned()
}

/// Checks that all that a command prints is read as the same IDs, whatever their form.
fn check(command: &str, from: &str, forms: impl IntoIterator<Item = &'static str>, bytes: usize) {
    let in_form = |form: &str| printed(&format!("{command}{form}"), form, bytes);
    let hex = in_form("hex");
    assert!(hex.iter().all(|hex| hex.len() == 2 * bytes), "{command}: {hex:?}");
    let carries = command.starts_with("gen uuid");
    for form in forms {
        let from = match form {
            "url" => URL,
            // Of 16 digits, which are a text of a global one as well.
            "hex" if from == "kuid" && bytes == 8 => "kuid/hex",
            _ => from,
        };
        for (text, hex) in in_form(form).iter().zip(&hex) {
            // That of the ID that a UUID holds.
            let hex = if carries { read(from, hex) } else { hex.clone() };
            assert_eq!(read(from, text), hex, "{command}{form}: {text}");
        }
    }
}

/// The texts of kuid have the same lengths and characters, so they are never guessed.
const URL: &str = "kuid/url";

const TIME: &str = "2026-01-02T03:04:05Z";
const RANGE: &str = "--since 2026-01-02T03:04:05Z --until 2026-01-03 --as ";

#[test]
fn what_gen_and_range_print_is_read_by_name() {
    for (name, options, kind) in [
        ("scru64", "--node 7/8", Kind::Scru64),
        ("nanoflake", "--node 7", Kind::Nanoflake),
        ("snowflake", "--node 7", Kind::Snowflake),
        ("kuid", "--node 7/32", Kind::KuidGlobal),
        ("kuid", "--kind local", Kind::KuidLocal),
        ("sno", "--node 7 --meta 3", Kind::Sno),
    ] {
        let made = format!("gen {name} {options} --start lowest --time {TIME} --as ");
        check(&made, name, forms(kind), kind.byte_len());
        let kuids = if kind == Kind::KuidLocal { "--kind local" } else { "" };
        check(&format!("range {name} {kuids} {RANGE}"), name, forms(kind), kind.byte_len());
    }
    for version in ["v7/", "v8/"] {
        let made = format!("gen uuid --node 7/32 --time {TIME} --as {version}");
        check(&made, "uuid", ["text", "int", "hex"], 16);
    }
    for preset in Preset::ALL {
        // Its time has ended.
        if *preset == Preset::Baidu {
            continue;
        }
        let (key, kind) = (preset.key(), Kind::Snowflake);
        check(&format!("range {key} {RANGE}"), key, forms(kind), kind.byte_len());
        let made = format!("gen snowflake --layout {key} --node 3 --time {TIME} --as ");
        check(&made, key, forms(kind), kind.byte_len());
    }
    for format in TimeOrdered::all() {
        let (name, hex) = (format.name(), format!("range {} {RANGE}hex", format.name()));
        let bytes = printed(&hex, "hex", 0)[0].len() / 2;
        let from = if name == "uuid-v7" { "uuid" } else { name };
        // Of more than 128 bits, there is no integer.
        let forms = ["text", "int", "hex", "bytes"];
        let forms = forms.into_iter().filter(|form| *form != "int" || bytes <= 16);
        check(&format!("range {name} {RANGE}"), from, forms, bytes);
    }
}

#[test]
fn what_convert_prints_is_read_by_name() {
    let discord = "1456512214800298913";
    for preset in Preset::ALL {
        let key = preset.key();
        let to = format!("convert --from discord --truncate-node low {discord} --to {key}/");
        if run(&format!("{to}hex")).status != OK {
            // Of a time that the layout does not have.
            assert_eq!(*preset, Preset::Baidu);
            continue;
        }
        let forms = forms(Kind::Snowflake).into_iter().filter(|form| *form != "bytes");
        let forms: Vec<_> = forms.collect();
        check(&to, key, forms.clone(), 8);
        // And so does `convert`.
        for form in forms {
            let made = &printed(&format!("{to}{form}"), form, 8)[0];
            let back = format!("convert --from {key} --to {key}/hex {made}");
            let hex = printed(&format!("{to}hex"), "hex", 8);
            assert_eq!(printed(&back, "hex", 8), hex, "{made}");
        }
    }
    for (to, forms) in [
        ("uuid", vec!["v7/text", "v7/int", "v7/hex", "v8/text", "v8/int", "v8/hex"]),
        ("kuid", forms(Kind::KuidGlobal).into_iter().filter(|form| *form != "bytes").collect()),
    ] {
        let kuids = forms.into_iter().map(|form| {
            let made = format!("gen {to} --node 7/32 --time {TIME} --as {form}");
            let text = &printed(&made, form, 0)[0];
            let from = if form == "url" { URL } else { to };
            run(&format!("convert --from {from} --to kuid {text}")).stdout
        });
        let kuids: BTreeSet<_> = kuids.collect();
        assert!(kuids.len() == 1 && kuids.iter().all(|kuid| kuid.len() == 17), "{to}: {kuids:?}");
    }
}

/// Hexadecimal digits without a letter are read as the integer that they are as well.
#[test]
fn digits_are_decimal_unless_hexadecimal_is_named() {
    let digits = "1271065010020007";
    for from in ["discord", "twitter", "tiktok", "nextcloud", "mastodon", "nanoflake/decimal"] {
        assert_eq!(read(from, digits), format!("{:016x}", 1_271_065_010_020_007_u64), "{from}");
    }
    for from in ["discord", "twitter", "tiktok", "nextcloud", "mastodon", "nanoflake", "scru64"] {
        assert_eq!(read(&format!("{from}/hex"), digits), digits, "{from}");
        let prefixed = format!("0x{digits}");
        assert_eq!(read(from, &prefixed), digits, "{from}");
    }
    // Above the layout's highest ID.
    for text in ["0xffffffffffffffff", "ffffffffffffffff"] {
        assert_eq!(run(&format!("inspect --from twitter {text}")).status, INVALID, "{text}");
        assert_eq!(run(&format!("inspect --from snowflake {text}")).status, INVALID, "{text}");
    }
}
