//! IDs behind escapes, whose last characters look like a part of them.

use std::collections::BTreeSet;

use tickid_convert::Settings;
use tickid_core::ManualClock;
use tickid_detect::{Confidence, Detector, Format, Readings};
use tickid_testkit::vectors::{Value, array, field, load, string};

use crate::labelled::now;

const ESCAPES: &[&str] = &[
    // Of terminals: colours, what `grep --color` and `tput sgr0` write, a cursor.
    "\x1b[31m",
    "\x1b[m",
    "\x1b[1;38;5;208m",
    "\x1b[38:5:208m",
    "\x1b[01;31m\x1b[K",
    "\x1b[?25h",
    "\x1b[2K",
    "\x1b(B",
    "\x1bM",
    // As loggers and programs write them.
    "#033[31m",
    "#033[01;31m#033[K",
    "^[[32m",
    "^[[K",
    r"\e[32m",
    r"\033[32m",
    r"\033[0;1m",
    r"\x1b[32m",
    r"\x1B[32m",
    r"\u001b[32m",
    r"\u001B[1;32m",
    r"\u{1b}[32m",
    "%1B[32m",
    "%1B%5B32m",
    "=1B[32m",
    // Control characters and punctuation of strings.
    r"\n",
    r"\r\n",
    r"\t",
    r"\b",
    r"\f",
    r"\000",
    r"\\n",
    r"\u000a",
    r"\u0022",
    r"\U0000000a",
    r"\x22",
    r"\x0A",
    r"\x5Cn",
    r"\u005cn",
    r"\012",
    r"\303\244",
    "#012",
    "^J",
    // Of addresses and mails.
    "%3D",
    "%0A",
    "%22",
    "%C3%A4",
    "%253D",
    "%5Cn",
    "%255Cn",
    "=3D",
    "=C3=A4",
];

/// Returns up to three texts of each format and form in the recordings, with the format.
fn texts(detect: &Value, texts: &Value) -> Vec<(Format, String)> {
    const EACH: usize = 3;
    let format = |entry: &Value| match string(entry, "format") {
        "twitter" => Format::Nanoflake,
        key => key.parse().unwrap(),
    };
    let mut all = Vec::new();
    for entry in array(field(detect, "ids")) {
        let form = string(entry, "form");
        let kind = (format(entry), form.to_owned());
        // Lists and strings of bytes are not looked for among other text.
        if form != "bytes" && all.iter().filter(|(it, _)| *it == kind).count() < EACH {
            all.push((kind, string(entry, "text").to_owned()));
        }
    }
    let mut all: Vec<_> = all.into_iter().map(|((format, _), text)| (format, text)).collect();
    for entry in array(field(texts, "ids")) {
        let these = array(field(entry, "texts")).iter().take(EACH);
        all.extend(these.map(|text| (format(entry), text.as_str().unwrap().to_owned())));
    }
    let others = [
        (Format::Kuid, "{uid,{1539,625275,432128},1}"),
        (Format::Scru64, "0x0186d52bbe2a635a"),
        (Format::Nextcloud, "85899362520678400"),
        (Format::Sno, r"\x253caacca80085820003"),
        (Format::UnixTime, "1763353455"),
        (Format::UnixTime, "1763353455622275372"),
        (Format::Nanoflake, "175928847299117063"),
        (Format::Nanoflake, "1541815603606036480"),
    ];
    all.extend(others.map(|(format, text)| (format, text.to_owned())));
    all
}

#[test]
fn every_format_is_found_behind_every_escape() {
    let (recorded, others) = (load("detect.json"), load("texts.json"));
    let detector = Detector::new(Settings::default(), ManualClock::new(now(&others)));
    let (mut formats, mut wrong) = (BTreeSet::new(), Vec::new());
    for (format, id) in texts(&recorded, &others) {
        let is_likely = |found: &Readings| {
            let of_format = found.likely().filter(|one| one.format() == format);
            of_format.into_iter().any(|one| one.confidence() <= Confidence::Likely)
        };
        // An ID that is not found alone is not found behind an escape either, and no other ID is.
        let alone = detector.find(id.as_bytes()).map(|(place, _)| place);
        let alone: Vec<_> = alone.collect();
        let named = detector.find_if(id.as_bytes(), is_likely).map(|(place, _)| place);
        let named: Vec<_> = named.collect();
        formats.extend((!named.is_empty()).then_some(format));
        for escape in ESCAPES {
            for before in ["", "id", "GET /?q=", "log "] {
                let start = before.len() + escape.len();
                let text = format!("{before}{escape}{id} end");
                let behind = |places: &[core::ops::Range<usize>]| -> Vec<_> {
                    places.iter().map(|place| place.start + start..place.end + start).collect()
                };
                let found: Vec<_> =
                    detector.find(text.as_bytes()).map(|(place, _)| place).collect();
                if found != behind(&alone) {
                    let found: Vec<_> = found.into_iter().map(|place| &text[place]).collect();
                    wrong.push(format!("{format}: {text:?}: {found:?}"));
                }
                let found = detector.find_if(text.as_bytes(), is_likely);
                let found: Vec<_> = found.map(|(place, _)| place).collect();
                if found != behind(&named) {
                    wrong.push(format!("{format} by name: {text:?}: {found:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    // Those that are at most possible, and those that no text is shown as.
    let never = ["tsid", "twitter", "snowflake", "baidu", "instagram-code", "instagram", "tiktok"];
    let missing = Format::ALL.iter().filter(|format| !formats.contains(format));
    let missing: Vec<&str> = missing.map(|format| format.key()).collect();
    assert!(missing.iter().all(|key| never.contains(key)), "{missing:?}");
}

/// A sign behind an escape is one, and what looks like an escape may be none.
#[test]
fn what_is_no_escape_is_a_part_of_the_id() {
    let (id, uuid) = ("bppc0m3ju134", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    let now = now(&load("texts.json"));
    let detector = Detector::new(Settings::default(), ManualClock::new(now));
    for (text, expected) in [
        (format!(r"C:\{id}"), Some(id)),
        (format!("LIKE '%{uuid}%'"), Some(uuid)),
        ("LIKE '%507f1f77bcf86cd799439011%'".to_owned(), Some("507f1f77bcf86cd799439011")),
        (r"C:\175928847299117063".to_owned(), Some("175928847299117063")),
        (format!("#{uuid}"), Some(uuid)),
        (format!(r"\{uuid}"), Some(uuid)),
        ("id=175928847299117063".to_owned(), Some("175928847299117063")),
        (r"\x253caacca80085820003".to_owned(), Some(r"\x253caacca80085820003")),
        (r"\n-175928847299117063".to_owned(), None),
        ("%3D-175928847299117063".to_owned(), None),
        ("\x1b[31m-175928847299117063".to_owned(), None),
    ] {
        let mut found = detector.find(text.as_bytes()).map(|(place, _)| &text[place]);
        assert_eq!((found.next(), found.next()), (expected, None), "{text:?}");
    }
}
