//! Measures how many IDs are recognized and how many other texts are taken for IDs, and compares
//! the shares with `accuracy.txt`.

use core::fmt::Write as _;
use std::collections::BTreeMap;

use tickid_convert::{AnyId, Kind, Settings, TextForm};
use tickid_core::{ManualClock, UnixTime};
use tickid_detect::{Confidence, Detector, Form, Format, Identifier, Reading, Readings};
use tickid_snowflake::Preset;
use tickid_testkit::Dice;
use tickid_testkit::vectors::{Value, array, field, list, load, string};
use tickid_text::form::Characters;

use crate::labelled::{found, is_labelled, now};

/// The random texts of each shape with which changes of the weights are compared.
const MANY: usize = 100_000;

/// Returns the likely ID for which a text is taken. One behind a Unix time is not: both explain the
/// number about as well, so both are shown, and the time comes first.
fn alarm(found: &Readings) -> Option<&Reading> {
    found.likely().next().filter(|one| one.format() != Format::UnixTime)
}

/// Of the kinds that have a rule or a form of their own at most 1 % are likely IDs. Texts that are
/// random have none.
#[test]
fn few_other_texts_are_likely_ids() {
    let vectors = load("texts.json");
    let now = now(&vectors);
    let mut table = String::from("| texts | likely an ID | of |\n|---|---:|---:|\n");
    let (mut kinds, mut shown) = ([0, 0], Vec::new());
    // Those without a rule, and those with one.
    let (mut alarms, mut all) = ([0, 0], [0, 0]);
    for entry in list(&vectors, "others", 80) {
        let (kind, texts) = (string(entry, "kind"), list(entry, "texts", 40));
        let has_rule = usize::from(field(entry, "has_rule").as_bool().unwrap());
        let mut likely = 0;
        for text in texts {
            let text = text.as_str().unwrap();
            let found = found(text, now);
            assert!(
                found.iter().all(|one| one.confidence() > Confidence::Certain),
                "{kind}: {text}"
            );
            if let Some(one) = alarm(&found) {
                likely += 1;
                shown.push(format!("{kind}: {text} as {}", one.name()));
            }
        }
        if likely > 0 {
            writeln!(table, "| {kind} | {likely} | {} |", texts.len()).unwrap();
        }
        kinds[has_rule] += 1;
        alarms[has_rule] += likely;
        all[has_rule] += texts.len();
    }
    for (has_rule, name) in [(0, "without a rule"), (1, "with a rule or a form")] {
        let (kinds, alarms, all) = (kinds[has_rule], alarms[has_rule], all[has_rule]);
        writeln!(table, "| all {kinds} kinds {name} | {alarms} | {all} |").unwrap();
    }
    let shown = shown.join("\n");
    assert!(kinds[1] >= 40, "{kinds:?}");
    assert!(alarms[1] * 100 <= all[1], "more than 1 %:\n{table}\n{shown}");
    assert_recorded(&table, &shown);
}

/// Returns the first moment of each month from 2021 to 2030.
pub(crate) fn months() -> impl Iterator<Item = UnixTime> {
    const MONTH_MS: i64 = 2_629_746_000;
    (0..120).map(|month| UnixTime::from_millis(1_609_459_200_000 + month * MONTH_MS).unwrap())
}

/// Returns the first two characters of Instagram's codes of a time.
fn start_of_codes(time: UnixTime) -> String {
    let id = Preset::Instagram.layout().min_at(time).unwrap();
    let text = Identifier::Preset(Preset::Instagram, id).bytes();
    let bits = u16::from_be_bytes([text[0], text[1]]) >> 6;
    let digit = |value: u16| {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        char::from(digits[usize::from(value)])
    };
    [bits >> 6, bits & 63].map(digit).into_iter().collect()
}

/// The first characters of codes and of other IDs change with the month, so a word that is none of
/// today's IDs may be one of next year's. So each is also tried with the start of that month's.
#[test]
fn words_are_no_ids_in_any_month() {
    let vectors = load("texts.json");
    let kinds = list(&vectors, "others", 80);
    let of_words = ["words", "capitalized", "two words", "identifiers", "names"];
    let kinds = kinds.iter().filter(|entry| {
        let kind = string(entry, "kind");
        of_words.iter().any(|start| kind.starts_with(start))
    });
    let mut table = String::from("| texts | likely an ID | of |\n|---|---:|---:|\n");
    let mut shown = Vec::new();
    for entry in kinds {
        let (kind, texts) = (string(entry, "kind"), list(entry, "texts", 40));
        let (mut likely, mut all) = (0, 0);
        for now in months() {
            let start = start_of_codes(now);
            let texts = texts.iter().map(|text| text.as_str().unwrap());
            let codes = texts.clone().filter_map(|text| Some(start.clone() + text.get(2..11)?));
            for text in texts.map(str::to_owned).chain(codes) {
                all += 1;
                if let Some(one) = alarm(&found(&text, now)) {
                    likely += 1;
                    shown.push(format!("{kind}: {text} as {} at {now}", one.name()));
                }
            }
        }
        writeln!(table, "| {kind} | {likely} | {all} |").unwrap();
        assert!(likely * 100 <= all, "{kind}: more than 1 %:\n{table}\n{}", shown.join("\n"));
    }
    assert_recorded(&table, &shown.join("\n"));
}

/// Returns the label and the text of each ID of both sets that is a decimal integer.
fn decimals(sets: [&Value; 2]) -> Vec<(&str, &str)> {
    let [detect, texts] = sets;
    let labelled = list(detect, "ids", 837)
        .iter()
        .map(|entry| (string(entry, "format"), string(entry, "text")));
    let others = array(field(texts, "ids")).iter().flat_map(|entry| {
        let format = string(entry, "format");
        array(field(entry, "texts")).iter().map(move |text| (format, text.as_str().unwrap()))
    });
    let is_decimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    labelled.chain(others).filter(|(_, text)| is_decimal(text)).collect()
}

/// Reports whether a reading of decimal digits is of a format; of those in hexadecimal are UUIDs.
fn is_integer_of(one: &Reading, format: &str) -> bool {
    let key = if format == "twitter" { "nanoflake" } else { format };
    one.format().key() == key && one.form() != Form::Hex
}

/// Returns the forms of an integer of 64 bits that are not decimal.
fn other_forms(number: u64) -> [String; 5] {
    let hex = format!("{number:016x}");
    let bytes = format!("{:?}", number.to_be_bytes());
    [format!("0x{hex}"), format!("\\x{hex}"), format!("x'{hex}'"), hex, bytes]
}

/// In hexadecimal and in bytes, the IDs of other systems are those that they are in decimal.
#[test]
fn systems_are_read_in_hexadecimal_and_bytes() {
    let (vectors, texts) = (load("detect.json"), load("texts.json"));
    let now = now(&texts);
    // Those that are decimal and likely, and those of them that are first as what they are.
    let mut counts: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
    for (format, text) in decimals([&vectors, &texts]) {
        let is_it = |one: &Reading| is_integer_of(one, format) && one.doubt().is_none();
        let Ok(number) = text.parse::<u64>() else { continue };
        if !found(text, now).first().is_some_and(is_it) {
            continue;
        }
        let counts = counts.entry(format).or_default();
        counts[0] += 1;
        for (count, form) in counts[1..].iter_mut().zip(other_forms(number)) {
            let found = found(&form, now);
            let key = if format == "twitter" { "nanoflake" } else { format };
            let first = found.first().filter(|one| one.doubt().is_none());
            *count += usize::from(first.is_some_and(|one| one.format().key() == key));
            // And none is a list of numbers that is certain.
            assert!(found.iter().all(|one| one.confidence() > Confidence::Certain), "{form}");
        }
    }
    for (format, least) in [
        ("discord", [95, 95, 95, 75, 95]),
        ("twitter", [95, 95, 95, 75, 95]),
        ("unix-epoch", [85, 95, 95, 30, 95]),
        ("pgedge", [95, 95, 95, 85, 95]),
    ] {
        let [all, forms @ ..] = counts[format];
        let is_enough = forms.iter().zip(least).all(|(count, least)| count * 100 >= all * least);
        assert!(is_enough && all > 50, "{format}: {counts:?}");
    }
}

/// Random digits and bytes are rarely taken for IDs, and those of a log for none of other systems.
#[test]
fn random_bits_are_ids_as_often_as_recorded() {
    assert_recorded(&shares_of_random_bits(4_000), "");
}

#[test]
#[ignore = "seconds: cargo xtask verify accuracy"]
fn many_random_bits_are_ids_as_often_as_recorded() {
    assert_recorded(&shares_of_random_bits(MANY), "");
}

fn shares_of_random_bits(texts: usize) -> String {
    let now = now(&load("detect.json"));
    let detector = Detector::new(Settings::default(), ManualClock::new(now));
    let mut dice = Dice::new(0x51ed_270b);
    let mut likely: Vec<(&str, usize)> = Vec::new();
    let mut count = |forms: &[(&'static str, String)]| {
        likely.resize(likely.len().max(forms.len()), ("", 0));
        for (row, (name, text)) in likely.iter_mut().zip(forms) {
            // Any text in groups is a UUID.
            let is_other = |one: &Reading| one.format() != Format::Uuid || !text.contains('-');
            *row = (name, row.1 + usize::from(alarm(&found(text, now)).is_some_and(is_other)));
        }
    };
    for _ in 0..texts {
        let [number, other] = [(); 2].map(|()| dice.below(1 << 32) << 32 | dice.below(1 << 32));
        let [marked, escaped, quoted, digits, list] = other_forms(number);
        let bytes = [number, other].map(u64::to_be_bytes).concat();
        let hex = format!("{number:016x}{other:016x}");
        let groups = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
        count(&[
            ("16 hexadecimal digits behind 0x", marked),
            ("the same behind \\x", escaped),
            ("the same in x'…'", quoted),
            ("16 hexadecimal digits", digits),
            ("a list of 8 bytes", list),
            ("32 hexadecimal digits", hex),
            ("a list of 16 bytes", format!("{bytes:?}")),
            ("the groups of a UUID, first a ULID", groups),
        ]);
        // Of the current stack, in many logs.
        let address = format!("at 0x00007f{:010x}", number & 0xff_ffff_ffff);
        assert_eq!(detector.find(address.as_bytes()).count(), 0, "{address}");
        for span in [
            format!("span_id={number:016x}"),
            format!(r#"{{"span_id": "0x{number:016x}"}}, "parent_id": "0x{other:016x}""#),
            format!("parentSpanId=0x{number:016X}"),
        ] {
            let is_preset = |format: Format| Preset::named(format.key()).is_some();
            let is_found = detector
                .find(span.as_bytes())
                .any(|(_, found)| found.first().is_some_and(|it| is_preset(it.format())));
            assert!(!is_found, "{span}");
        }
    }
    let mut table = String::from("| random bits | likely an ID | of |\n|---|---:|---:|\n");
    for (name, count) in likely {
        writeln!(table, "| {name} | {count} | {texts} |").unwrap();
    }
    table
}

/// IDs of the last five years, with the sequences of a calm program.
#[test]
fn ids_like_paths_are_passed_over_as_often_as_recorded() {
    const IDS: u32 = 20_000;
    const YEARS_MS: u64 = 5 * 31_556_952_000;
    let now = now(&load("detect.json"));
    let since = now.as_millis().cast_unsigned() - YEARS_MS;
    let detector = Detector::new(Settings::default(), ManualClock::new(now));
    let mut dice = Dice::new(0x7061_7468);
    let mut table = String::from("| IDs | passed over | of |\n|---|---:|---:|\n");
    let nanoflake = |ms: u64, node: u64| u128::from((ms - 1_288_834_974_657) << 22 | node << 12);
    let sno = |ms: u64, node: u64| {
        u128::from((ms - 1_262_304_000_000) / 4) << 41 | u128::from(node) << 16
    };
    for (name, kind, nodes, bits) in [
        ("nanoflake", Kind::Nanoflake, 1 << 10, nanoflake as fn(u64, u64) -> u128),
        ("sno", Kind::Sno, 1 << 16, sno),
        ("sno of partitions below 64", Kind::Sno, 64, sno),
    ] {
        let mut id = || {
            let (ms, node, sequence) =
                (since + dice.below(YEARS_MS), dice.below(nodes), dice.below(4));
            let number = bits(ms, node) | u128::from(sequence);
            AnyId::from_u128(kind, number).unwrap().to_string()
        };
        let is_path = |text: &String| {
            let [is_likely, is_found] = [
                found(text, now).likely().next().is_some(),
                detector.find(text.as_bytes()).next().is_some(),
            ];
            is_likely && !is_found
        };
        let count = (0..IDS).map(|_| id()).filter(is_path).count();
        writeln!(table, "| {name} | {count} | {IDS} |").unwrap();
    }
    assert_recorded(&table, "");
}

/// A number without a meaning is an ID as well as another, if its format has random fields. So both
/// shares are stated for each number of digits.
#[test]
fn numbers_are_ids_as_often_as_recorded() {
    /// The random numbers of each number of digits.
    const EACH: usize = 1_000;
    let (vectors, texts) = (load("detect.json"), load("texts.json"));
    let now = now(&texts);
    let mut random = Dice::new(0x2f5b_6f0d_9a3c_11e7);
    let ids = decimals([&vectors, &texts]);
    let mut table = String::from(
        "| digits | random numbers, likely an ID | IDs, likely | first | of |\n\
         |---:|---:|---:|---:|---:|\n",
    );
    for digits in 10..=24_u64 {
        let likely = (0..EACH)
            .filter(|_| {
                let mut text = (1 + random.below(9)).to_string();
                (1..digits).for_each(|_| write!(text, "{}", random.below(10)).unwrap());
                alarm(&found(&text, now)).is_some()
            })
            .count();
        // One in a thousand is a tenth of a percent.
        assert!(likely * 4 <= EACH, "more than a quarter of {digits} digits: {likely}");
        let [mut right, mut first, mut all] = [0; 3];
        for (format, text) in ids.iter().filter(|(_, text)| text.len() as u64 == digits) {
            let found = found(text, now);
            let is_it = |one: &Reading| is_integer_of(one, format);
            right += u32::from(found.likely().any(is_it));
            first += u32::from(found.first().is_some_and(is_it));
            all += 1;
        }
        let share = format!("{}.{} %", likely / 10, likely % 10);
        writeln!(table, "| {digits} | {share} | {right} | {first} | {all} |").unwrap();
    }
    assert_recorded(&table, "");
}

#[test]
fn shares_by_format_are_as_recorded() {
    let vectors = load("detect.json");
    let now = now(&vectors);
    // Label and form: first, likely, all.
    let mut shares: BTreeMap<(&str, &str), [u32; 3]> = BTreeMap::new();
    for entry in list(&vectors, "ids", 837) {
        let (label, form) = (string(entry, "format"), string(entry, "form"));
        let found = found(string(entry, "text"), now);
        let is_it = |one: &Reading| is_labelled(one, entry);
        let share = shares.entry((label, form)).or_default();
        share[0] += u32::from(found.first().is_some_and(is_it));
        share[1] += u32::from(found.likely().any(is_it));
        share[2] += 1;
    }
    let mut table =
        String::from("| format | form | first | likely | of |\n|---|---|---:|---:|---:|\n");
    for ((label, form), [first, likely, all]) in shares {
        writeln!(table, "| {label} | {form} | {first} | {likely} | {all} |").unwrap();
    }
    assert_recorded(&table, "");
}

#[test]
fn shares_of_other_programs_are_as_recorded() {
    let vectors = load("texts.json");
    let now = now(&vectors);
    let mut table = String::from("| format | first | likely | of |\n|---|---:|---:|---:|\n");
    for entry in list(&vectors, "ids", 13) {
        let (format, texts) = (string(entry, "format"), array(field(entry, "texts")));
        let [mut first, mut likely] = [0, 0];
        for text in texts {
            let found = found(text.as_str().unwrap(), now);
            let is_it = |one: &Reading| is_integer_of(one, format);
            first += u32::from(found.first().is_some_and(is_it));
            likely += u32::from(found.likely().any(is_it));
            assert!(found.iter().any(is_it), "{format} {text}");
            // None of them has marks.
            let is_certain = |one: &Reading| one.confidence() == Confidence::Certain;
            assert!(!found.iter().any(is_certain), "{text}");
        }
        writeln!(table, "| {format} | {first} | {likely} | {} |", texts.len()).unwrap();
    }
    assert_recorded(&table, "");
}

fn assert_recorded(table: &str, shown: &str) {
    let tables = include_str!("accuracy.txt");
    assert!(tables.contains(table), "accuracy.txt lacks this table:\n{table}\n{shown}");
}

/// A form that is added is missing in the tables.
#[test]
fn shares_of_random_texts_are_as_recorded() {
    assert_recorded(&shares_of_random_texts(2_000), "");
}

#[test]
#[ignore = "seconds: cargo xtask verify accuracy"]
fn shares_of_many_random_texts_are_as_recorded() {
    assert_recorded(&shares_of_random_texts(MANY), "");
}

fn shares_of_random_texts(texts: usize) -> String {
    let now = now(&load("detect.json"));
    let mut dice = Dice::new(0x9e37_79b9);
    let mut table = String::from(
        "| form | characters | random texts, likely an ID | of |\n|---|---:|---:|---:|\n",
    );
    let forms = Kind::ALL.iter().flat_map(|kind| TextForm::all(*kind));
    // Random integers have a table of their own.
    for form in forms.filter(|form| !form.is_integer) {
        let is_of = |byte: &u8| {
            let is_case = form.characters.has_case() || !byte.is_ascii_uppercase();
            is_case && Characters::used_in(&[*byte]).are_in(form.characters)
        };
        let symbols: Vec<u8> = (0..127).filter(is_of).collect();
        for len in form.lens.0.max(8)..=form.lens.1 {
            let mut symbol = || char::from(dice.one_of(&symbols));
            let mut is_likely = || {
                let found = found(&String::from_iter((0..len).map(|_| symbol())), now);
                found.likely().any(|one| one.form() == Form::Text(form))
            };
            let likely = (0..texts).filter(|_| is_likely()).count();
            writeln!(table, "| {form:?} | {len} | {likely} | {texts} |").unwrap();
        }
    }
    // Those of other formats that have neither a check digit nor a mark.
    let small = b"0123456789abcdefghijklmnopqrstuv";
    let all: Vec<u8> = (0..127).filter(u8::is_ascii_alphanumeric).collect();
    for (format, symbols, len) in [(Format::Xid, &small[..], 20), (Format::Ksuid, &all, 27)] {
        let mut symbol = || char::from(dice.one_of(symbols));
        let mut is_likely = || {
            let found = found(&String::from_iter((0..len).map(|_| symbol())), now);
            found.likely().any(|one| one.format() == format)
        };
        let likely = (0..texts).filter(|_| is_likely()).count();
        writeln!(table, "| {} | {len} | {likely} | {texts} |", format.key()).unwrap();
    }
    table
}
