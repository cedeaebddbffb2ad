//! An ID's report for people: its bit fields in colour, each under its name.

use core::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use crate::report::Report;

/// Columns after which the bit fields go on in a new row.
const WIDTH: usize = 100;

const COLOURS: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Yellow,
    AnsiColor::Green,
    AnsiColor::Magenta,
    AnsiColor::Blue,
    AnsiColor::Red,
];

/// Draws `report`: a headline, the bit fields, then every field by name.
pub(crate) fn draw(report: &Report) -> String {
    let mut picture = String::new();
    let bold = Style::new().bold();
    let time = report.time.map_or_else(String::new, |time| time.to_string());
    let text = String::from_utf8_lossy(&report.text);
    // Writing to a string can't fail.
    let _ = writeln!(picture, "{bold}{text}{bold:#}  {}  {time}", report.scheme);
    for row in rows(&report.bits) {
        draw_row(&mut picture, report, row);
    }
    let _ = writeln!(picture, "  hex {}", report.hex());
    for (name, value) in &report.fields {
        let _ = writeln!(picture, "  {name} {value}");
    }
    picture
}

/// One bit field: its name, its place from the high end, its colour.
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

/// Returns the fields in rows of at most [`WIDTH`] columns.
fn rows(bits: &[(&'static str, u32)]) -> Vec<Vec<Cell>> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let (mut start, mut column) = (0, WIDTH);
    for (&(name, len), &colour) in bits.iter().zip(COLOURS.iter().cycle()) {
        let cell = Cell { name, start, len, colour };
        start += len;
        if column + cell.width() > WIDTH {
            rows.push(Vec::new());
            column = 2;
        }
        column += cell.width() + 1;
        if let Some(row) = rows.last_mut() {
            row.push(cell);
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
    line(picture, &|cell| cell.name.to_owned());
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

    #[test]
    fn labels_stand_over_their_bits() {
        let mut report = Report::default();
        report.start("test", UnixTime::EPOCH, &[0b1010_0000, 0b1111_1111]);
        report.bits.extend([("a", 3), ("rest", 13)]);
        let plain = anstream::adapter::strip_str(&draw(&report)).to_string();
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(lines[1], "  a   rest");
        assert_eq!(lines[2], "  101 0000011111111");
    }

    #[test]
    fn long_ids_wrap() {
        let fields = [("a", 60), ("b", 50), ("c", 18)];
        let rows = rows(&fields);
        assert_eq!(rows.len(), 2);
        let cells: Vec<Cell> = rows.into_iter().flatten().collect();
        assert_eq!(cells.iter().map(|cell| cell.start).collect::<Vec<_>>(), [0, 60, 110]);
        assert!(cells.iter().map(|cell| (cell.name, cell.len)).eq(fields));
    }
}
