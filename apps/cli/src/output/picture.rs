//! An ID's report for people: its bit fields in colour, each under its name.

use core::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use tickid_core::Field;
use tickid_detect::{Inspection, LayoutCard, MemberValue};
use tickid_snowflake::Preset;

/// The maximum number of columns, which is also used without a terminal.
pub(crate) const WIDTH: usize = 100;

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

/// Draws an inspection: a heading, the bit fields, then every member by name.
pub(crate) fn draw(inspection: &Inspection<'_>, heading: &Heading, width: usize) -> String {
    let mut picture = String::new();
    let bold = Style::new().bold();
    let text = inspection.text();
    // Writing to a string can't fail.
    let _ = write!(picture, "{bold}{text}{bold:#}");
    // The name stands beside the ID, or below it in a narrow terminal: a UUID alone takes 36
    // columns.
    if text.len() + 2 + heading.name.len() <= width {
        let _ = writeln!(picture, "  {}", heading.name);
    } else {
        picture.push('\n');
        push_line(&mut picture, &heading.name, width);
    }
    let mut line = |line: String| push_line(&mut picture, &line, width);
    if let Some(time) = inspection.unix_time() {
        // RFC 3339 ends with the year 9999, but the times of some formats do not.
        let date = inspection.date_time();
        let date = date.map_or_else(|| time.to_string(), |date| date.to_string());
        match &heading.local {
            Some(local) => line(format!("{date}  {local}")),
            None => line(date),
        }
    }
    if let Some(remark) = &heading.remark {
        line(remark.clone());
    }
    for row in rows(&inspection.fields(), width) {
        draw_row(&mut picture, &row, &|cell| bits(inspection.bytes(), cell.start, cell.len));
    }
    // Made again, because the one above borrows the picture, which the rows were drawn into.
    let mut line = |line: String| push_line(&mut picture, &line, width);
    line(inspection.with_hex(|hex| format!("hex {hex}")));
    for member in inspection.members() {
        let gap = if member.meaning.is_empty() { "" } else { "  " };
        let (name, value) = (title(member.name), Readable(member.value));
        line(format!("{name} {value}{gap}{}", member.meaning));
    }
    picture
}

/// Draws a layout of Snowflakes: its text and name, the fields as wide as their bits, then lines.
pub(crate) fn draw_layout(card: &LayoutCard, lines: &[String], width: usize) -> String {
    let mut picture = String::new();
    let bold = Style::new().bold();
    // Writing to a string can't fail.
    let _ = write!(picture, "{bold}{}{bold:#}", card.layout());
    let title = card.preset().map_or("", Preset::title);
    let gap = if title.is_empty() { "" } else { "  " };
    let _ = writeln!(picture, "{gap}{title}");
    for row in rows(&card.fields(), width) {
        draw_row(&mut picture, &row, &ruler);
    }
    lines.iter().for_each(|line| push_line(&mut picture, line, width));
    picture
}

/// Appends an indented line. One that is too wide continues in the next lines, indented further.
fn push_line(picture: &mut String, line: &str, width: usize) {
    push_wrapped(picture, "  ", 4, line, width);
}

/// Appends a line after `start`. One that is wider than `width` columns continues in the next
/// lines, after `indent` blanks.
pub(crate) fn push_wrapped(
    picture: &mut String,
    start: &str,
    indent: usize,
    line: &str,
    width: usize,
) {
    let len = |text: &str| text.chars().count();
    picture.push_str(start);
    // Only a line that is too long is taken apart into words, which loses runs of blanks, such as
    // the gap before a meaning.
    if len(start) + len(line) <= width {
        picture.push_str(line);
    } else {
        let mut column = len(start);
        for (number, word) in line.split_whitespace().enumerate() {
            // The first word stands where it is, and a blank is needed before the others.
            if number > 0 && column + 1 + len(word) <= width {
                picture.push(' ');
                column += 1;
            } else if number > 0 {
                let _ = write!(picture, "\n{:indent$}", "");
                column = indent;
            }
            picture.push_str(word);
            column += len(word);
        }
    }
    picture.push('\n');
}

/// Returns the name of a field for people.
fn title(name: &str) -> String {
    name.replace('_', " ")
}

struct Readable(MemberValue);

impl core::fmt::Display for Readable {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if matches!(self.0, MemberValue::Hex(..)) {
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
fn rows(fields: &[Field], width: usize) -> Vec<Vec<Cell>> {
    let longest = u32::try_from(width.saturating_sub(2)).unwrap_or(u32::MAX).max(1);
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    // Begin as if a row were full, so that the first field starts one.
    let mut column = width;
    // A field that others divide is not drawn; one in two places is drawn twice, in one colour.
    let drawn = fields.iter().filter(|field| !field.is_divided());
    let mut spans: Vec<_> = drawn
        .zip(COLOURS.iter().cycle())
        .flat_map(|(field, colour)| field.spans().map(move |span| (field.name(), span, *colour)))
        .collect();
    spans.sort_by_key(|(_, span, _)| span.start);
    for (name, span, colour) in spans {
        let (mut name, mut start, mut left) = (name, span.start, span.bits);
        while left > 0 {
            // For example, a field of 122 bits in 80 columns becomes cells of 78 and 44, of which
            // the first has the name.
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

/// Draws a row: the names, and below them what `content` says of each cell.
fn draw_row(picture: &mut String, row: &[Cell], content: &dyn Fn(&Cell) -> String) {
    let line = |picture: &mut String, content: &dyn Fn(&Cell) -> String| {
        let mut gap = 2;
        for cell in row {
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
    line(picture, content);
}

/// Returns a line as long as a field has bits, with their number.
fn ruler(cell: &Cell) -> String {
    let (len, count) = (cell.len as usize, cell.len.to_string());
    match len.checked_sub(count.len() + 2) {
        Some(dashes) => format!("<{count:-^width$}>", width = dashes + count.len()),
        None => format!("{count:-<len$}"),
    }
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
    use tickid_convert::Settings;
    use tickid_detect::Identifier;
    use tickid_snowflake::SnowflakeId;

    use super::*;

    fn drawn(inspection: &Inspection<'_>, heading: &Heading, width: usize) -> String {
        anstream::adapter::strip_str(&draw(inspection, heading, width)).to_string()
    }

    fn of_discord(number: u64) -> Inspection<'static> {
        let id = Identifier::Preset(Preset::Discord, SnowflakeId::new(number));
        Inspection::new(id, "", &Settings::default())
    }

    #[test]
    fn labels_stand_over_their_bits() {
        let inspection = of_discord(0xa0ff << 48);
        let plain = drawn(&inspection, &Heading::default(), WIDTH);
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(lines[1], "  2102-08-25T15:17:09.760Z");
        let bits = "101000001111111100000000000000000000000000 00000  00000   000000000000";
        assert_eq!(lines[2].find("worker"), Some(45), "{plain}");
        assert_eq!(lines[3], format!("  {bits}"));
    }

    #[test]
    fn lines_of_text_fit_the_width() {
        let inspection = of_discord(123_456_789);
        let local = Some("1970-01-01 00:00:00 UTC  56 years 10 months ago".to_owned());
        let remark = Some("likely: a decimal integer of up to 64 bits".to_owned());
        let heading = Heading { name: "Discord Snowflake".to_owned(), local, remark };
        let words = |width| {
            let plain = drawn(&inspection, &heading, width);
            let longest = plain.lines().map(str::len).max();
            assert!(longest <= Some(width.max(26)), "{plain}");
            let is_bits = |word: &&str| word.bytes().all(|byte| matches!(byte, b'0' | b'1'));
            plain.split_whitespace().filter(|word| !is_bits(word)).collect::<String>()
        };
        // An instant has 24 characters, which are not taken apart.
        let all = words(WIDTH);
        assert!((MIN_WIDTH..WIDTH).all(|width| words(width) == all));
    }

    #[test]
    fn cards_fit_the_width_and_lose_no_bit() {
        let fields = Field::row([("a", 60, ""), ("b", 50, ""), ("c", 18, "")]);
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
