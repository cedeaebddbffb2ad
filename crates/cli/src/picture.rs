//! An ID's report for people: its bit fields in colour, each under its name.

use core::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use crate::report::{Report, Value, date_time};

/// The columns that are used where there is no terminal, and at most.
const WIDTH: usize = 100;

/// The columns below which fields are not cut any further.
const MIN_WIDTH: usize = 24;

const COLOURS: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Yellow,
    AnsiColor::Green,
    AnsiColor::Magenta,
    AnsiColor::Blue,
    AnsiColor::Red,
];

/// The heading of a card, beside the ID and its time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heading {
    /// The format, as text.
    pub(crate) name: String,
    /// The time in another zone, and the age.
    pub(crate) local: Option<String>,
    /// The likelihood, and the reason.
    pub(crate) remark: Option<String>,
}

/// Returns the number of columns that cards may use: the terminal's, up to 100.
pub(crate) fn width() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal.map_or(WIDTH, |width| width.clamp(MIN_WIDTH, WIDTH))
}

/// Draws `report`: a heading, the bit fields, then every field by name.
pub(crate) fn draw(report: &Report, heading: &Heading, width: usize) -> String {
    let mut picture = String::new();
    let bold = Style::new().bold();
    let text = String::from_utf8_lossy(&report.text);
    // Writing to a string can't fail.
    let _ = write!(picture, "{bold}{text}{bold:#}");
    if text.len() + 2 + heading.name.len() <= width {
        let _ = writeln!(picture, "  {}", heading.name);
    } else {
        picture.push('\n');
        push_line(&mut picture, &heading.name, width);
    }
    let mut line = |line: String| push_line(&mut picture, &line, width);
    if let Some(time) = report.time {
        let date = date_time(time).map_or_else(|| time.to_string(), |date| date.to_string());
        match &heading.local {
            Some(local) => line(format!("{date}  {local}")),
            None => line(date),
        }
    }
    if let Some(remark) = &heading.remark {
        line(remark.clone());
    }
    for row in rows(&report.bits, width) {
        draw_row(&mut picture, report, row);
    }
    let mut line = |line: String| push_line(&mut picture, &line, width);
    if !report.bytes.is_empty() {
        line(format!("hex {}", report.hex()));
    }
    for (name, value) in &report.fields {
        let (label, note) = label(report.scheme, name);
        let gap = if note.is_empty() { "" } else { "  " };
        line(format!("{label} {}{gap}{note}", Readable(value)));
    }
    picture
}

/// Appends an indented line. One that is too wide goes on in the next lines, indented further.
fn push_line(picture: &mut String, line: &str, width: usize) {
    let len = |text: &str| text.chars().count();
    if 2 + len(line) <= width {
        let _ = writeln!(picture, "  {line}");
        return;
    }
    let mut column = 0;
    for word in line.split_whitespace() {
        if column > 0 && column + 1 + len(word) <= width {
            let _ = write!(picture, " {word}");
            column += 1 + len(word);
        } else {
            let indent = if column == 0 { "  " } else { "\n    " };
            let _ = write!(picture, "{indent}{word}");
            column = if column == 0 { 2 } else { 4 } + len(word);
        }
    }
    picture.push('\n');
}

/// Returns the name of a field as its scheme has it, and an explanation.
fn label(scheme: &str, name: &'static str) -> (&'static str, &'static str) {
    match (scheme, name) {
        ("kuid", "a") => ("a", "mega-seconds (millions of seconds)"),
        ("kuid", "b") => ("b", "seconds"),
        ("kuid", "c") => ("c", "microseconds"),
        ("kuid", "node") => ("node", "fingerprint of the node's name"),
        ("kuid", "drift") => ("drift", "bits of seconds below the node; not in the ID"),
        ("scru64", "node_ctr") => ("node ID and counter", "--node-size splits them"),
        ("scru64", "node_id") => ("node ID", ""),
        ("scru64", "timestamp") => ("timestamp", "ticks of 256 ms since 1970"),
        ("nanoflake", "generator") => ("generator ID", "datacenter and worker"),
        ("nanoflake", "epoch_ms") => ("epoch", "ms since 1970; not in the ID"),
        ("nanoflake", "timestamp") => ("timestamp", "ms since the epoch"),
        ("twitter", "timestamp") => ("timestamp", "ms since 2010-11-04T01:42:54.657Z"),
        ("sno", "timestamp") => ("timestamp", "ticks of 4 ms since 2010"),
        ("sno", "toggle") => ("tick-tock", "set after the clock went back"),
        ("sno", "meta") => ("metabyte", ""),
        ("discord", "timestamp") => ("timestamp", "ms since 2015"),
        ("instagram", "timestamp") => ("timestamp", "ms since 2011-08-24T21:07:01.721Z"),
        ("mastodon" | "ulid" | "uuid" | "typeid", "timestamp") => ("timestamp", "ms since 1970"),
        ("ksuid", "timestamp") => ("timestamp", "seconds since 2014-05-13T16:53:20Z"),
        ("xid" | "objectid", "timestamp") => ("timestamp", "seconds since 1970"),
        (_, "time_low" | "time_mid" | "time_high") => {
            (name, "of a time in 100 ns since 1582-10-15")
        }
        ("pgedge", "timestamp") => ("timestamp", "ms since 2023"),
        ("sonyflake", "timestamp") => ("timestamp", "10 ms since 2014-09-01"),
        ("sonyflake-v2", "timestamp") => ("timestamp", "10 ms since 2025"),
        ("uuid" | "typeid", "node") => ("node", "a MAC address, or random"),
        ("uuid" | "typeid", "clock_seq") => ("clock sequence", "changes when the clock goes back"),
        ("uuid" | "typeid", "variant") => ("variant", "2 is RFC 9562's"),
        _ => (name, ""),
    }
}

struct Readable<'a>(&'a Value);

impl core::fmt::Display for Readable<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if matches!(self.0, Value::Hex(..)) {
            f.write_str("0x")?;
        }
        self.0.fmt(f)
    }
}

/// One bit field, or a part of one: its name, its place from the high end, its colour.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    name: &'static str,
    start: u32,
    len: u32,
    colour: AnsiColor,
}

impl Cell {
    fn width(&self) -> usize {
        self.name.len().max(self.len as usize)
    }
}

/// Returns the fields in rows of at most `width` columns. A field that is wider continues in the
/// next row, without its name.
fn rows(bits: &[(&'static str, u32)], width: usize) -> Vec<Vec<Cell>> {
    let longest = u32::try_from(width.saturating_sub(2)).unwrap_or(u32::MAX).max(1);
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let (mut start, mut column) = (0, width);
    for (&(name, bits), &colour) in bits.iter().zip(COLOURS.iter().cycle()) {
        let (mut name, mut left) = (name, bits);
        while left > 0 {
            let cell = Cell { name, start, len: left.min(longest), colour };
            start += cell.len;
            left -= cell.len;
            name = "";
            if column + cell.width() > width {
                rows.push(Vec::new());
                column = 2;
            }
            column += cell.width() + 1;
            if let Some(row) = rows.last_mut() {
                row.push(cell);
            }
        }
    }
    rows
}

fn draw_row(picture: &mut String, report: &Report, row: Vec<Cell>) {
    let line = |picture: &mut String, content: &dyn Fn(&Cell) -> String| {
        let mut gap = 2;
        for cell in &row {
            let style = Style::new().fg_color(Some(cell.colour.into()));
            let content = content(cell);
            let _ = write!(picture, "{:gap$}{style}{content}{style:#}", "");
            gap = cell.width() + 1 - content.len();
        }
        picture.push('\n');
    };
    if row.iter().any(|cell| !cell.name.is_empty()) {
        line(picture, &|cell| cell.name.to_owned());
    }
    line(picture, &|cell| bits(&report.bytes, cell.start, cell.len));
}

/// Returns `len` bits of `bytes` from bit `start` on, counted from the high end.
fn bits(bytes: &[u8], start: u32, len: u32) -> String {
    (start..start + len)
        .map(|bit| {
            let byte = bytes.get((bit / 8) as usize).copied().unwrap_or_default();
            if byte >> (7 - bit % 8) & 1 == 1 { '1' } else { '0' }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use tickid_core::UnixTime;

    use super::*;
    use crate::report::Facts as _;

    #[test]
    fn labels_stand_over_their_bits() {
        let mut report = Report::default();
        report.start("test", |_| (), &[0b1010_0000, 0b1111_1111], Some(UnixTime::EPOCH));
        report.bits(&[("a", 3), ("rest", 13)]);
        let drawn = draw(&report, &Heading::default(), WIDTH);
        let plain = anstream::adapter::strip_str(&drawn).to_string();
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(lines[1], "  1970-01-01T00:00:00.000Z");
        assert_eq!(lines[2], "  a   rest");
        assert_eq!(lines[3], "  101 0000011111111");
    }

    #[test]
    fn lines_of_text_fit_the_width() {
        let mut report = Report::default();
        report.start("discord", |_| (), &[0; 8], Some(UnixTime::EPOCH));
        report.bits(&[("timestamp", 42), ("increment", 22)]);
        report.number("timestamp", 123_456_789);
        let local = Some("1970-01-01 00:00:00 UTC  56 years 10 months ago".to_owned());
        let remark = Some("likely: a decimal integer of up to 64 bits".to_owned());
        let heading = Heading { name: "Discord Snowflake".to_owned(), local, remark };
        let words = |width| {
            let drawn = draw(&report, &heading, width);
            let plain = anstream::adapter::strip_str(&drawn).to_string();
            let longest = plain.lines().map(str::len).max();
            assert!(longest <= Some(width.max(26)), "{plain}");
            let is_bits = |word: &&str| word.bytes().all(|byte| byte == b'0');
            plain.split_whitespace().filter(|word| !is_bits(word)).collect::<String>()
        };
        // An instant has 24 characters, which are not taken apart.
        let all = words(WIDTH);
        assert!((MIN_WIDTH..WIDTH).all(|width| words(width) == all));
    }

    #[test]
    fn cards_fit_the_width_and_lose_no_bit() {
        let fields = [("a", 60), ("b", 50), ("c", 18)];
        for width in MIN_WIDTH..=WIDTH {
            let rows = rows(&fields, width);
            for row in &rows {
                let columns: usize = row.iter().map(|cell| cell.width() + 1).sum();
                assert!(columns < width, "{columns} columns of {width}");
            }
            let cells: Vec<Cell> = rows.into_iter().flatten().collect();
            let mut next = 0;
            for cell in cells {
                assert_eq!(cell.start, next);
                next += cell.len;
            }
            assert_eq!(next, 128);
        }
        let wide = rows(&fields, WIDTH);
        assert_eq!(wide.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
    }
}
