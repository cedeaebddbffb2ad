//! `tickid range` as a process.

use crate::process::{OK, USAGE, json_lines, run, run_with, stdout_of};

const DAY: &str = "--since 2024-01-01T00:00:00Z --until 2024-01-02T00:00:00Z --inclusive";

#[test]
fn prints_lowest_and_highest() {
    assert_eq!(stdout_of(&format!("range sno {DAY}")), "8for5hi222222222\n8fq4bt23xxxxxxxx\n");
    let decimal = format!("range nanoflake --epoch discord --as decimal {DAY}");
    assert_eq!(stdout_of(&decimal), "1191168914227200000\n1191531302096994303\n");
    let int = "range nanoflake --epoch discord --as int --inclusive \
               --since 1704067200000 --until 1704153600000";
    assert_eq!(stdout_of(int), "1191168914227200000\n1191531302096994303\n");
    assert_eq!(stdout_of(&format!("range scru64 {DAY}")), "0ujmgh6gmio0\n0ujogqf012pr\n");
}

#[test]
fn layouts_of_snowflakes_have_ranges() {
    let discord = "1191168914227200000\n1191531302096994303\n";
    assert_eq!(stdout_of(&format!("range discord {DAY}")), discord);
    assert_eq!(stdout_of(&format!("range snowflake --layout discord {DAY}")), discord);
    let text = "41x1ms/6n/6s@2023-12-31";
    let own = stdout_of(&format!("range snowflake --layout {text} {DAY}"));
    let ids = [86_400_000_u64 << 12, 172_800_001 << 12].map(|id| id.to_string());
    let last: u64 = ids[1].parse().unwrap();
    assert_eq!(own, format!("{}\n{}\n", ids[0], last - 1));
    let leaf = &json_lines(&stdout_of(&format!("range leaf {DAY} --json")))[0];
    assert_eq!(leaf["scheme"], "twitter");
}

#[test]
fn formats_that_are_only_read_have_ranges() {
    for (name, from) in [
        ("uuid-v7", "uuid"),
        ("mastodon", "mastodon"),
        ("ulid", "ulid"),
        ("ksuid", "ksuid"),
        ("xid", "xid"),
        ("objectid", "objectid"),
        ("tid", "tid"),
        ("tiktok", "tiktok"),
        ("unique-rowid", "unique-rowid"),
    ] {
        // The ends read back as the first and the last tick of the day.
        let day = format!("range {name} --since 2024-01-01 --until 2024-01-02");
        let ends = stdout_of(&day);
        let ends: Vec<&str> = ends.lines().collect();
        let read = stdout_of(&format!("inspect --json --from {from} {} {}", ends[0], ends[1]));
        let [first, last] = json_lines(&read).try_into().expect("two IDs");
        assert_eq!(first["unix_ms"], 1_704_067_200_000_i64, "{name}");
        let seconds = ["ksuid", "xid", "objectid"].contains(&name);
        let expected = if seconds { 1_704_153_599_000_i64 } else { 1_704_153_599_999 };
        assert_eq!(last["unix_ms"], expected, "{name}");

        // Every form is the same ID.
        let object = &json_lines(&stdout_of(&format!("{day} --json")))[0];
        assert_eq!(object["scheme"], name);
        for (end, (text, id)) in [("min", (ends[0], first)), ("max", (ends[1], last))] {
            assert_eq!((&object[end]["text"], &object[end]["hex"]), (&text.into(), &id["hex"]));
        }
        assert_eq!(object["max"]["int"].is_null(), name == "ksuid", "160 bits are no integer");
    }
    let hours = "--since 2024-03-31 --until 2024-04-01 --tz local";
    let ran = run_with(&format!("range uuid-v7 {hours}"), "TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
    let ends = ["018e9197-5d80-7000-8000-000000000000", "018e9686-caff-7fff-bfff-ffffffffffff"];
    assert_eq!(ran.stdout, format!("{}\n{}\n", ends[0], ends[1]), "a day of 23 hours");
}

#[test]
fn the_end_is_not_part_of_the_range() {
    let day = stdout_of("range sno --since 2024-01-01 --until 2024-01-02");
    let (min, max) = day.trim_end().split_once('\n').expect("two lines");
    let next = stdout_of("range sno --since 2024-01-02 --until 2024-01-03");
    let next = next.lines().next().expect("a line");
    assert_eq!(min, "8for5hi222222222");
    assert!(max < next, "{max} {next}");
    // Nothing lies between two days.
    let hex = |days: &str| stdout_of(&format!("range sno --as hex {days}"));
    let number = |hex: &str| u128::from_str_radix(hex, 16).expect("hex");
    let first = hex("--since 2024-01-01 --until 2024-01-02");
    let second = hex("--since 2024-01-02 --until 2024-01-03");
    let (last, next) = (first.lines().nth(1), second.lines().next());
    // The tick-tock bit is not the time's: both its values are in the range.
    assert_eq!(last.map(number).map(|last| last + 1), next.map(number));
    let local = "range scru64 --since 2024-01-01 --until 2024-01-02 --tz local --json";
    let ran = run_with(local, "TZ", "EST5EDT,M3.2.0,M11.1.0");
    let object = &json_lines(&ran.stdout)[0];
    assert_eq!(object["since"]["time"], "2024-01-01T05:00:00.000Z");
    assert_eq!(object["inclusive"], false);
}

#[test]
fn json_has_all_forms() {
    let moment = "--since 2024-01-01T00:00:00Z --until 2024-01-01T00:00:00Z --inclusive";
    assert_eq!(
        stdout_of(&format!("range kuid --kind local {moment} --json")),
        "{\"scheme\":\"kuid\",\
         \"since\":{\"unix_ms\":1704067200000,\"time\":\"2024-01-01T00:00:00.000Z\"},\
         \"until\":{\"unix_ms\":1704067200000,\"time\":\"2024-01-01T00:00:00.000Z\"},\
         \"inclusive\":true,\
         \"min\":{\"text\":\".5e00c.....\",\"hex\":\"006a810680000000\",\"int\":\"29978212448600064\"},\
         \"max\":{\"text\":\".5e00c..Ezw\",\"hex\":\"006a810680003fff\",\"int\":\"29978212448616447\"}}\n"
    );
    let global = &json_lines(&stdout_of(&format!("range kuid --drift 5 {moment} --json")))[0];
    assert_eq!(global["min"]["hex"], "006a81068000000000000000");
    assert_eq!(global["max"]["hex"], "006a81069fffffffe0003fff");
}

#[test]
fn global_kuid_ends_have_the_node() {
    let hex = |more: &str| {
        let printed = stdout_of(&format!("range kuid --as hex {more} {DAY}"));
        printed.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let one = hex("--drift 5 --node 0x03eb2731");
    assert_eq!(one, hex("--drift 5 --node uid@127.0.0.1"));
    let all = hex("--drift 5");
    assert!(all[0] < one[0] && one[1] < all[1], "{one:?} in {all:?}");
    for node in ["uid@127.0.0.1", "0x03eb2731"] {
        let made = stdout_of(&format!(
            "convert --from sno --to kuid --drift 5 --node {node} --json 8for5hi222222222"
        ));
        let id = json_lines(&made)[0]["hex"].clone();
        assert_eq!(one[0], id.as_str().expect("text"), "the lowest of the first tick");
    }
}

#[test]
fn ids_lie_between_the_ends() {
    for (scheme, id, ms) in [
        ("scru64", "0u375nxqh5cq", 1_678_613_659_136_i64),
        ("nanoflake --epoch twitter", "bppc0m3ju134", 1_656_432_460_105),
        ("kuid --kind local", ".5.tXbhdV.3", 1_539_625_275_432),
        ("sno", "brpk4q72xwf2m63l", 1_936_047_814_976),
    ] {
        let range = |since: i64, until: i64| {
            let range = stdout_of(&format!("range {scheme} --since {since} --until {until}"));
            range.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let ends = range(ms, ms + 1);
        assert!((&*ends[0]..=&*ends[1]).contains(&id), "{scheme}: {ends:?}");
        for ends in [range(ms - 600, ms), range(ms + 1, ms + 600)] {
            assert!(!(&*ends[0]..=&*ends[1]).contains(&id), "{scheme}: {ends:?}");
        }
    }
}

#[test]
fn days_of_a_zone_do_not_overlap() {
    // In which midnight is a multiple of 256 ms on few days.
    let zone = "CET-1CEST,M3.5.0,M10.5.0/3";
    let day = |since: &str, until: &str| {
        let command = format!("range scru64 --since {since} --until {until} --tz local --as int");
        let ran = run_with(&command, "TZ", zone);
        ran.stdout.lines().map(|end| end.parse().expect("an integer")).collect::<Vec<u64>>()
    };
    let days: Vec<String> = (10..=20).map(|day| format!("2024-05-{day}")).collect();
    let ranges: Vec<_> = days.windows(2).map(|pair| day(&pair[0], &pair[1])).collect();
    for pair in ranges.windows(2) {
        assert_eq!(pair[0][1] + 1, pair[1][0], "{ranges:?}");
    }
}

#[test]
fn times_parse() {
    let at = |from: &str| {
        stdout_of(&format!("range kuid --kind local --since {from} --until 2030-01-01T00:00:00Z"))
    };
    assert_eq!(at("2024-01-01T01:00:00.001024+01:00"), at("2024-01-01T00:00:00.000001999Z"));
    assert_ne!(at("2024-01-01T00:00:00.001024Z"), at("2024-01-01T00:00:00.001025Z"));
    assert_eq!(at("1704067200000"), at("2024-01-01T00:00:00Z"));
    let before = stdout_of("range nanoflake --epoch -5 --as int --since -1 --until 0 --inclusive");
    assert_eq!(before, format!("{}\n{}\n", 4_u64 << 22, (6_u64 << 22) - 1));
}

#[test]
fn years_and_seconds_are_remarked() {
    for (since, read) in [("2024", "1970-01-01T00:00:02.024Z"), ("1704067200", "1970-01-20T")] {
        let ran = run(&format!("range scru64 --since {since}"));
        assert_eq!(ran.status, OK, "{}", ran.stderr);
        let remark = format!("tickid: '{since}' counts milliseconds since 1970: {read}");
        assert!(ran.stderr.starts_with(&remark), "{}", ran.stderr);
    }
    assert_eq!(run("range scru64 --since 1704067200000").stderr, "");
}

/// A realm that is a day old: its retention, and the partitions of its year.
#[test]
fn ends_without_ids_are_cut_with_a_remark() {
    let young = "range nanoflake --epoch 2026-11-26 --as int --tz UTC";
    let ran = run(&format!("{young} --since 2025-11-27 --until 2026-11-27"));
    assert_eq!(ran.status, OK, "{}", ran.stderr);
    let day = 86_400_000_u64;
    assert_eq!(ran.stdout, format!("0\n{}\n", (day << 22) - 1));
    assert_eq!(
        ran.stderr,
        "tickid: --since 2025-11-27T00:00:00Z: the range starts with the first ID, of \
         2026-11-26T00:00:00Z\n"
    );
    for (scheme, last) in [
        ("nanoflake --epoch discord", "2084-09-06T15:47:35.551"),
        ("scru64", "4261-02-27T06:08:59.135999"),
        ("sno", "2079-09-07T15:47:35"),
        ("discord", "2154-05-15T07:35:11.103"),
        ("uuid-v7", ""),
        ("ksuid", "2150-06-19T23:21:35"),
        ("kuid --kind local", ""),
        ("kuid", ""),
    ] {
        let of = |times: &str| run(&format!("range {scheme} {times}"));
        let all = of("--since 0001-01-01 --until 9000-01-01");
        let ids: Vec<_> = all.stdout.lines().collect();
        assert_eq!(ids.len(), 2, "{scheme}: {}", all.stderr);
        assert!(
            all.stderr.contains("--since 0001-01-01T00:00:00Z: the range starts"),
            "{}",
            all.stderr
        );
        assert_eq!(
            all.stderr.contains("--until 9000-01-01T00:00:00Z: the range ends"),
            !last.is_empty()
        );
        assert!(all.stderr.contains(&format!("of {last}")), "{scheme}: {}", all.stderr);
        // Nothing is left of these.
        for (times, option) in [
            ("--since 9000-01-01 --until 9001-01-01", "--since"),
            ("--since 0001-01-01 --until 0002-01-01", "--until"),
        ] {
            if option == "--until" || !last.is_empty() {
                let ran = of(times);
                assert_eq!((ran.status, &*ran.stdout), (USAGE, ""), "{scheme}: {}", ran.stderr);
                assert!(ran.stderr.contains(&format!("error: {option}: time ")), "{}", ran.stderr);
            }
        }
    }
}

#[test]
fn every_unit_has_a_line() {
    let parts = |range: &str| {
        let ran = run(&format!("range nanoflake --epoch 2026-11-26T12:00:00Z --as int {range}"));
        assert_eq!(ran.status, OK, "{}", ran.stderr);
        let line = |line: &str| {
            let [day, min, max] = line.split('\t').collect::<Vec<_>>().try_into().expect("three");
            let id = |id: &str| id.parse::<u64>().expect("an ID");
            (day.to_owned(), id(min), id(max))
        };
        let parts: Vec<_> = ran.stdout.lines().map(line).collect();
        for pair in parts.windows(2) {
            assert_eq!(pair[0].2 + 1, pair[1].1, "{range}: {parts:?}");
        }
        parts
    };
    let days = |range: &str| parts(range).into_iter().map(|(day, ..)| day).collect::<Vec<_>>();
    // What is over before the first ID is left out, and the first line is still of a whole unit.
    let year = "--since 2026-01-01 --until 2027-01-01";
    let months = parts(&format!("{year} --every month"));
    assert_eq!(days(&format!("{year} --every month")), ["2026-11-01", "2026-12-01"]);
    assert_eq!(months[0].1, 0);
    let november = 4 * 86_400_000 + 43_200_000;
    assert_eq!(months[1].1, november << 22);
    assert_eq!(days(&format!("{year} --every year")), ["2026-01-01"]);
    assert_eq!(
        days("--since 2026-11-25 --until 2026-12-10 --every week"),
        ["2026-11-25", "2026-11-30", "2026-12-07"]
    );
    assert_eq!(days(&format!("{year} --every day")).len(), 5 + 31);
    // Not from the start of a unit, and one that only --inclusive has.
    let odd = "--since 2026-12-15 --until 2027-02-01 --every month";
    assert_eq!(days(odd), ["2026-12-15", "2027-01-01"]);
    assert_eq!(days(&format!("{odd} --inclusive")), ["2026-12-15", "2027-01-01", "2027-02-01"]);
    // By the zone.
    let spring =
        "range scru64 --since 2027-03-01 --until 2027-04-02 --every month --tz local --json";
    let ran = run_with(spring, "TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
    let april = &json_lines(&ran.stdout)[1];
    assert_eq!(april["since"]["time"], "2027-03-31T22:00:00.000Z");
    let json = json_lines(&stdout_of(&format!("range sno {odd} --inclusive --json")));
    let times = |end: &str| json.iter().map(|it| it[end]["time"].clone()).collect::<Vec<_>>();
    assert_eq!(
        times("since"),
        ["2026-12-15T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "2027-02-01T00:00:00.000Z"]
    );
    assert_eq!(
        times("until"),
        ["2027-01-01T00:00:00.000Z", "2027-02-01T00:00:00.000Z", "2027-02-01T00:00:00.000Z"]
    );
    let inclusive: Vec<_> = json.iter().map(|it| it["inclusive"].clone()).collect();
    assert_eq!(inclusive, [false, false, true]);
    let refused = run("range sno --since 2026-01-01 --every day --as bytes");
    assert_eq!((refused.status, &*refused.stdout), (USAGE, ""), "{}", refused.stderr);
}
