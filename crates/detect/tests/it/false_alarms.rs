//! Measures how many IDs are recognized and how many other texts are taken for IDs, and compares
//! the shares with `docs/results/README.md`.

use core::fmt::Write as _;
use std::collections::BTreeMap;

use tickid_convert::Layouts;
use tickid_core::UnixTime;
use tickid_detect::{Confidence, Format, Reading, detect};
use tickid_testkit::Dice;
use tickid_testkit::vectors::{list, load, string};

use crate::labelled::{is_labelled, now};

/// The number of texts of each kind.
const EACH: usize = 64;

/// Random numbers and texts.
trait Random {
    fn between(&mut self, range: core::ops::RangeInclusive<u64>) -> u64;

    fn of(&mut self, alphabet: &str, len: u64) -> String;

    fn hex(&mut self, len: u64) -> String {
        self.of("0123456789abcdef", len)
    }

    fn digits(&mut self, len: u64) -> String {
        let first = self.of("123456789", 1);
        first + &self.of("0123456789", len - 1)
    }
}

impl Random for Dice {
    fn between(&mut self, range: core::ops::RangeInclusive<u64>) -> u64 {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    fn of(&mut self, alphabet: &str, len: u64) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..len).map(|_| self.one_of(&letters)).collect()
    }
}

/// Words of 10 to 16 letters, as many as there are of each kind.
const WORDS: &str = "information activities themselves government understand absolutely \
    accessible basketball background conference department everything experience foundation \
    generation government helicopter importance journalism laboratory membership newsletter \
    opposition particular references scientific technology university vocabulary wilderness \
    agriculture application certificate combination competition complicated consequence \
    contributor development distribution environment established examination independent \
    institution maintenance opportunity partnership performance perspective photography \
    publication requirement significant temperature traditional transaction undergraduate \
    administration characteristic communication consideration infrastructure \
    representation responsibility telecommunications";

const SHORT: [&str; 16] = [
    "user", "order", "state", "value", "index", "parse", "cache", "event", "error", "token",
    "image", "group", "table", "query", "route", "model",
];

fn word(random: &mut Dice) -> &'static str {
    let words: Vec<&'static str> = WORDS.split_whitespace().collect();
    random.one_of(&words)
}

fn capitalized(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// Returns digits with the check digit of card numbers.
fn luhn(digits: &str) -> String {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0');
            let weighed = if place % 2 == 0 { 2 * digit } else { digit };
            weighed / 10 + weighed % 10
        })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

/// Returns a time between 2005 and now, in units of 1/`per_second` seconds.
fn time(random: &mut Dice, now: UnixTime, per_second: u64) -> String {
    let now = now.as_micros().unsigned_abs() / 1_000_000;
    let seconds = random.between(1_104_537_600..=now - 1);
    (seconds * per_second + random.below(per_second)).to_string()
}

type Kind = (&'static str, fn(&mut Dice, UnixTime) -> String);

const KINDS: [Kind; 30] = [
    ("lower-case words", |random, _| word(random).to_owned()),
    ("capitalized words", |random, _| capitalized(word(random))),
    ("words in capitals", |random, _| word(random).to_uppercase()),
    ("words with a number", |random, _| {
        let number = random.below(3_000);
        format!("{}{number}", word(random))
    }),
    ("identifiers in camelCase", |random, _| {
        let (first, last) = (random.one_of(&SHORT), word(random));
        format!("{first}{}", capitalized(last))
    }),
    ("identifiers in snake_case", |random, _| {
        let (first, last) = (random.one_of(&SHORT), random.one_of(&SHORT));
        format!("{first}_{last}_{}", random.one_of(&SHORT))
    }),
    ("names of files", |random, _| {
        let ending = random.one_of(&["rs", "txt", "png", "json", "csv"]);
        format!("{}.{ending}", word(random))
    }),
    ("names of hosts", |random, _| {
        let number = random.below(30);
        format!("{}-{number}.example.com", random.one_of(&SHORT))
    }),
    ("e-mail addresses", |random, _| format!("{}@example.org", word(random))),
    ("names of users", |random, _| {
        let number = random.between(1..=2_010);
        format!("{}{}{number}", random.one_of(&SHORT), random.one_of(&SHORT))
    }),
    ("small numbers", |random, _| {
        let digits = random.between(1..=9);
        random.digits(digits)
    }),
    ("telephone numbers", |random, _| {
        let digits = random.between(10..=14);
        random.digits(digits)
    }),
    ("card numbers", |random, _| {
        let network = random.one_of(&["4", "51", "55", "37", "6011", "35"]);
        let len = if network == "37" { 14 } else { 15 };
        let rest = random.of("0123456789", len - network.len() as u64);
        luhn(&format!("{network}{rest}"))
    }),
    ("article numbers (EAN)", |random, _| random.digits(13)),
    ("device numbers (IMEI)", |random, _| luhn(&format!("35{}", random.of("0123456789", 12)))),
    ("account numbers (IBAN)", |random, _| format!("DE{}", random.digits(20))),
    ("Unix times in seconds", |random, now| time(random, now, 1)),
    ("Unix times in milliseconds", |random, now| time(random, now, 1_000)),
    ("Unix times in microseconds", |random, now| time(random, now, 1_000_000)),
    ("Unix times in nanoseconds", |random, now| time(random, now, 1_000_000_000)),
    ("dates with a time", |random, _| {
        let date = format!(
            "{}{:02}{:02}{:02}{:02}{:02}",
            random.between(1990..=2026),
            random.between(1..=12),
            random.between(1..=28),
            random.below(24),
            random.below(60),
            random.below(60),
        );
        if random.below(2) == 0 { date } else { format!("{date}{:03}", random.below(1_000)) }
    }),
    ("short Git hashes", |random, _| {
        let len = random.between(7..=12);
        random.hex(len)
    }),
    ("Git hashes", |random, _| random.hex(40)),
    ("MD5 hashes", |random, _| random.hex(32)),
    ("64-bit hashes and trace IDs", |random, _| random.hex(16)),
    ("container IDs", |random, _| random.hex(12)),
    ("MAC addresses", |random, _| {
        let digits = random.hex(12);
        let separator = random.one_of(&["", ":", "-"]);
        let pairs: Vec<&str> = (0..6).map(|pair| &digits[2 * pair..2 * pair + 2]).collect();
        pairs.join(separator)
    }),
    ("IP addresses", |random, _| {
        let parts: Vec<String> = (0..4).map(|_| random.below(256).to_string()).collect();
        parts.join(".")
    }),
    ("colours", |random, _| format!("#{}", random.hex(6))),
    ("tokens in base 64", |random, _| {
        let len = random.between(20..=44);
        random.of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", len)
    }),
];

/// Reports whether a reading is shown as an ID; a Unix time is not one.
fn is_shown(one: &Reading) -> bool {
    one.confidence() <= Confidence::Likely && one.format() != Format::UnixTime
}

#[test]
fn few_other_texts_are_likely_ids() {
    let vectors = load("detect.json");
    let now = now(&vectors);
    let mut random = Dice::new(0x9508_bbc2_88e4_b2ca);
    let mut table = String::from("| texts | likely an ID | of |\n|---|---:|---:|\n");
    let (mut all, mut alarms, mut shown) = (0, 0, Vec::new());
    for (kind, make) in KINDS {
        let mut likely = 0;
        for _ in 0..EACH {
            let text = make(&mut random, now);
            let found = detect(text.as_bytes(), &Layouts::default(), Some(now));
            if let Some(one) = found.iter().find(|one| is_shown(one)) {
                likely += 1;
                shown.push(format!("{kind}: {text} as {}", one.identifier()));
            }
        }
        writeln!(table, "| {kind} | {likely} | {EACH} |").unwrap();
        all += EACH;
        alarms += likely;
    }
    writeln!(table, "| all | {alarms} | {all} |").unwrap();
    let shown = shown.join("\n");
    assert!(all >= 1_500 && KINDS.len() >= 25);
    assert!(alarms * 50 <= all, "more than 2 %:\n{table}\n{shown}");
    assert_on_page(&table, &shown);
}

#[test]
fn shares_by_format_are_on_the_page() {
    let vectors = load("detect.json");
    let now = now(&vectors);
    // Label and form: first, likely, all.
    let mut shares: BTreeMap<(&str, &str), [u32; 3]> = BTreeMap::new();
    for entry in list(&vectors, "ids", 2988) {
        let (label, form) = (string(entry, "format"), string(entry, "form"));
        let found = detect(string(entry, "text").as_bytes(), &Layouts::default(), Some(now));
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
    assert_on_page(&table, "");
}

fn assert_on_page(table: &str, shown: &str) {
    let page = include_str!("../../../../docs/results/README.md");
    assert!(page.contains(table), "docs/results/README.md lacks this table:\n{table}\n{shown}");
}
