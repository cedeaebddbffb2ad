//! `tickid layout` as a process.

use std::process::Command;

use crate::process::{OK, json_lines, ran, ran_in, run, stdout_of};

const PAGE: &str = include_str!("../../../../docs/schemes/snowflake.md");
const MOVING: &str = include_str!("../../../../docs/moving.md");

#[test]
fn commands_of_the_page_succeed() {
    let state = tempfile::tempdir().expect("a folder");
    let commands = PAGE.lines().filter_map(|line| line.strip_prefix("$ tickid "));
    let mut count = 0;
    for command in commands.filter(|command| !command.starts_with("serve ")) {
        let ran = ran_in(state.path(), command);
        assert_eq!(ran.status, OK, "{command}: {}", ran.stderr);
        count += 1;
    }
    assert!(count >= 5, "{count} commands");
}

#[cfg(unix)]
#[test]
fn rows_show_the_times_of_their_ids() {
    let folder = tempfile::tempdir().expect("a folder");
    // One row without an ID, which is no error, and one whose ID is broken.
    let rows = "175928847299117063,2016-04-30 11:18:25.796+00\n\
                ,2020-01-01 00:00:00+00\n\
                17592884729911706x,2020-01-01 00:00:00+00\n\
                1556135315730421791,2026-10-04 02:46:10.866+00\n";
    std::fs::write(folder.path().join("rows.csv"), rows).expect("written");
    let (_, block) = MOVING.split_once("FROM messages LIMIT 1000' > rows.csv\n").expect("the rows");
    let (command, _) = block.split_once("```").expect("the end");
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_tickid")).parent().expect("a folder");
    let path = std::env::var("PATH").expect("a path");
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(folder.path()).env("PATH", format!("{}:{path}", own.display()));
    let ran = ran(shell.args(["-c", command]));
    assert_eq!((ran.status, ran.stderr.matches("error: line ").count()), (OK, 1), "{command}");
    let expected = "175928847299117063,2016-04-30 11:18:25.796+00,2016-04-30T11:18:25.796Z\n\
                    ,2020-01-01 00:00:00+00,\n\
                    17592884729911706x,2020-01-01 00:00:00+00,\n\
                    1556135315730421791,2026-10-04 02:46:10.866+00,2026-10-04T02:46:10.866Z\n";
    assert_eq!(ran.stdout, expected);
}

/// The formula of each card gives the time of the last ID, and of one between.
#[test]
fn the_formula_of_a_card_is_the_time() {
    let layouts = ["discord", "sonyflake", "unix-epoch", "baidu", "41x1ms/10n/12s@-86400000"];
    for layout in layouts.into_iter().chain(["43x100us/10n/10s@2020-02-20T02:20:02Z"]) {
        let card = stdout_of(&format!("layout {layout}"));
        let formula = card.lines().find_map(|line| line.trim().strip_prefix("time = "));
        let formula = formula.and_then(|it| it.strip_suffix(", in milliseconds since 1970"));
        let formula = formula.expect("a formula");
        let id = 4_611_686_018_427_387_904_u64;
        let arguments = format!("inspect --from snowflake --layout {layout} --json {id}");
        let expected = json_lines(&stdout_of(&arguments))[0]["unix_ms"].to_string();
        // As a shell computes it.
        let shell = format!("id={id}; echo $(({formula}))");
        let printed = ran(Command::new("sh").args(["-c", &shell]));
        assert_eq!(printed.stdout.trim(), expected, "{layout}: {formula}");
    }
}

/// As `--epoch` takes it.
#[test]
fn epochs_are_dates_or_times() {
    let card = |epoch: &str| stdout_of(&format!("layout 41x1ms/10n/12s@{epoch} --json"));
    let time = "2020-02-20T02:20:02Z";
    assert_eq!(card(time), card("1582165202000"));
    assert_eq!(json_lines(&card(time))[0]["first"]["time"], "2020-02-20T02:20:02.000Z");
    let gen_id = format!("gen snowflake --node 1 --layout 41x1ms/10n/12s@{time}");
    assert_eq!(run(&gen_id).status, OK);
    for other in ["2020-02-20T04:20:02+02:00", "2020-02-19T20:50:02.000-05:30"] {
        assert_eq!(card(other), card(time), "{other}");
        let of_nanoflake = |epoch: &str| {
            stdout_of(&format!("inspect --from nanoflake --epoch {epoch} 100000000000 --json"))
        };
        assert_eq!(of_nanoflake(other), of_nanoflake(time), "{other}");
    }
    let ran = run("layout 41x1ms/10n/12s@2020-02-20T25:20:02Z");
    assert!(ran.stderr.contains("a time such as 12:30:00Z"), "{}", ran.stderr);
}

#[test]
fn a_card_has_fields_over_their_bits() {
    let card = stdout_of("layout discord");
    let lines: Vec<&str> = card.lines().collect();
    assert_eq!(lines[0], "42x1ms/10n/12s/unsigned@1420070400000  Discord Snowflake");
    let bits = "<-------------------42-------------------> <-5->  <-5->   <----12---->";
    assert_eq!(lines[2], format!("  {bits}"));
    assert_eq!(lines[1].find("worker"), lines[2].find("<-5->"), "{card}");
    for line in [
        "time 2015-01-01T00:00:00Z to 2154-05-15T07:35:11.103Z, 139 years",
        "nodes 1,024",
        "IDs 4,096,000 per second and node, 4,096 per 1ms",
        "exact in JavaScript: until 2015-01-25T20:31:23.648Z",
        "warning: the sign bit is set from 2084-09-06T15:47:35Z on",
    ] {
        assert!(card.contains(line), "{line}: {card}");
    }
    assert!(!card.contains("names "), "{card}");
    assert!(stdout_of("layout leaf").contains("names twitter, leaf"), "an alias");
    let safe = stdout_of("layout 41x1ms/6n/6s@2025-01-01");
    assert!(safe.contains("positive in signed columns: all IDs"), "{safe}");
    assert!(!safe.contains("warning"), "{safe}");
    assert!(stdout_of("layout 20x3600s/3n/1s@2020-01-01").contains("IDs 0.0006 per second"));
    assert!(stdout_of("layout 20x3600s/9n/1s@2020-01-01").contains("nodes 512"));
}

#[test]
fn without_a_layout_it_lists_the_presets() {
    let table = stdout_of("layout");
    let mut rows = table.lines();
    let heading = rows.next().expect("a heading");
    assert!(heading.starts_with("NAME "), "{heading}");
    let discord = rows.clone().find(|row| row.starts_with("discord ")).expect("a row");
    assert_eq!(discord.find("2154-05-15"), heading.find("LAST"), "{table}");
    let objects = json_lines(&stdout_of("layout --json"));
    assert_eq!(objects.len(), rows.clone().count());
    for (row, object) in rows.zip(&objects) {
        let name = object["names"][0].as_str().expect("a name");
        assert!(row.starts_with(name), "{row}");
        // Its name, and its text, select the same card.
        let text = object["layout"].as_str().expect("a text");
        for selected in [name, text] {
            assert_eq!(&json_lines(&stdout_of(&format!("layout {selected} --json")))[0], object);
        }
    }
}

#[test]
fn presets_are_converted_and_restored() {
    for (from, id, to) in [
        ("discord", "175928847299117063", "sno"),
        ("js-safe", "245000000000123", "tsid"),
        ("tsid", "912762163611829634", "discord"),
        ("leaf", "2124923530997923841", "tsid"),
        ("sonyflake", "647477432495964160", "snowflake --to-layout 43x10ms/12s/8n@2014-09-01"),
    ] {
        let made = stdout_of(&format!("convert --from {from} --to {to} --exact {id}"));
        let given = to.replace("--to-layout", "--layout");
        let restored = format!("convert --restore --from {given} --to {from} {made}");
        assert_eq!(stdout_of(restored.trim_end()), format!("{id}\n"), "{from} {to}");
    }
    let text = stdout_of("convert --from tsid --to discord 0SAP8B87801C2");
    assert_eq!(text, stdout_of("convert --from tsid --to discord 912762163611829634"));
    // Unnamed, it is one of Discord's.
    for id in ["912762163611829634", "0SAP8B87801C2"] {
        let card = stdout_of(&format!("inspect --json --from tsid {id}"));
        assert!(card.contains("\"scheme\":\"tsid\"") && card.contains("1795456258106"), "{card}");
    }
    let leaf = stdout_of("inspect --json --from leaf 2124923530997923841");
    assert_eq!(leaf, stdout_of("inspect --json --from twitter 2124923530997923841"));
    let all = stdout_of("inspect --all --json 912762163611829634");
    assert!(all.contains("\"discord\"") && !all.contains("\"tsid\""), "{all}");
    let ran = run("convert --restore --from mastodon --to sno 110000000000000000");
    assert!(ran.stderr.contains("conversions do not make such IDs"), "{}", ran.stderr);
}

/// A layout with a date may have any, and a realm of a library any epoch. Only `layout` and
/// `lease init`, where layouts are made, refuse numbers that look like years or seconds.
#[test]
fn printed_layouts_are_read() {
    let state = tempfile::tempdir().expect("a folder");
    for date in ["1969-12-31", "1970-01-01", "1970-01-02", "1971-01-01", "1973-03-03"] {
        let card = stdout_of(&format!("layout 41x1ms/10n/12s@{date}"));
        // Behind it is the name of its preset, if there is one.
        let layout = card.split_whitespace().next().expect("a layout");
        assert!(layout.starts_with("41x1ms/10n/12s@"), "{card}");
        assert_eq!(stdout_of(&format!("layout {layout}")), card);
        let id = stdout_of(&format!("gen snowflake --layout {layout} --node 7"));
        for command in [
            format!("inspect --from snowflake --layout {layout} {id}"),
            format!("convert --from snowflake --layout {layout} --to sno {id}"),
            format!("range snowflake --layout {layout} --since 2026-01-01 --until 2026-01-02"),
            format!("lease init snowflake --realm a{date} --layout {layout}"),
        ] {
            let ran = ran_in(state.path(), command.trim());
            assert_eq!(ran.status, OK, "{command}: {}", ran.stderr);
        }
    }
    for epoch in ["2020", "1704067200"] {
        let layout = format!("41x1ms/10n/12s@{epoch}");
        let id = stdout_of(&format!("gen snowflake --layout {layout} --node 7"));
        stdout_of(&format!("inspect --from snowflake --layout {layout} {}", id.trim()));
        for command in [
            format!("layout {layout}"),
            format!("lease init snowflake --realm new --layout {layout}"),
        ] {
            let ran = ran_in(state.path(), &command);
            assert_ne!(ran.status, OK, "{command}");
            assert!(ran.stderr.contains("as a date: 2020-01-01"), "{}", ran.stderr);
        }
    }
}
