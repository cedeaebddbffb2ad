//! One column of CSV records, as programs and spreadsheets write them. Quoted fields may have
//! several lines.
//!
//! The parser is the one of the crate `csv`, without its reader. Because of a quotation mark that
//! never ends, the reader would collect all the rest of the input in memory, and it reads ahead, so
//! a line would not be answered before the next one.

use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use tickid_core::counted;

use crate::failure::Failure;
use crate::message::shown;

/// The most bytes of a field that are kept. No ID is nearly as long.
const MAX_FIELD: usize = 64 * 1024;

/// The delimiters that the first line decides between. If two are equally frequent in it, the first
/// of them here wins, because commas also occur in titles and numbers.
const DELIMITERS: [u8; 3] = *b"\t;,";

/// The column to read.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    /// By its number, from 1.
    Number(usize),
    /// By its title in the first record.
    Title(String),
}

/// Parses a number, or else takes the text for a title.
pub(crate) fn column(text: &str) -> Result<Column, String> {
    match text.parse() {
        Ok(0) => Err("columns are counted from 1".into()),
        Ok(number) => Ok(Column::Number(number)),
        Err(_) => Ok(Column::Title(text.to_owned())),
    }
}

/// Parses a delimiter: an ASCII character, or `tab`.
pub(crate) fn delimiter(text: &str) -> Result<u8, String> {
    match (text, text.as_bytes()) {
        ("tab" | "\\t", _) => Ok(b'\t'),
        (_, [byte]) if !matches!(byte, b'"' | b'\n' | b'\r' | 0) => Ok(*byte),
        _ => Err("a delimiter is one ASCII character other than '\"', or tab".into()),
    }
}

/// The words that programs write into a cell without a value: pandas, PostgreSQL, MySQL and other
/// databases. All of them are unquoted, and one in quotation marks is a text.
const MISSING: [&[u8]; 5] = [b"NaN", b"NULL", b"None", b"<NA>", b"\\N"];

/// What a line of input holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Id,
    /// A cell or a member without a value.
    Empty,
    /// Nothing where the ID would be.
    Gap,
    /// The titles of the columns.
    Titles,
    /// A part of the file: a record that continues in the next line, or a note on the delimiter.
    Part,
}

/// A reader of one column, line by line.
pub(crate) struct ColumnReader {
    column: Column,
    /// The delimiter. It is `None` before the first line, which decides it if no option does.
    delimiter: Option<u8>,
    csv: Reader,
    /// The number of the current field.
    number: usize,
    /// The number of the column, once the current record has turned out to have it.
    found: Option<usize>,
    /// The current field, or the one of the column.
    field: Vec<u8>,
    /// The titles that are others.
    titles: Vec<String>,
    is_open: bool,
    /// Set if the next byte is the first of a field.
    is_start: bool,
    /// Set if the column's field began with a quotation mark.
    is_quoted: bool,
}

impl ColumnReader {
    pub(crate) fn new(column: Column, delimiter: Option<u8>) -> Self {
        let (csv, field, titles) = (Reader::new(), Vec::new(), Vec::new());
        let (is_open, is_start, is_quoted) = (false, true, false);
        let (number, found) = (1, None);
        let mut new = Self {
            column,
            delimiter,
            csv,
            number,
            found,
            field,
            titles,
            is_open,
            is_start,
            is_quoted,
        };
        if let Some(delimiter) = delimiter {
            new.divide_by(delimiter);
        }
        new
    }

    fn divide_by(&mut self, delimiter: u8) {
        self.delimiter = Some(delimiter);
        let mut builder = ReaderBuilder::new();
        self.csv = builder.terminator(Terminator::Any(b'\n')).delimiter(delimiter).build();
    }

    /// Reports whether the last line ended within a quoted field.
    pub(crate) const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns the column's field of the last record.
    pub(crate) fn field(&self) -> &[u8] {
        &self.field
    }

    /// Reads a line without its end. Reports whether it is a part of the file, or a record ends with
    /// it: the titles, or one with a [field](Self::field).
    pub(crate) fn read(&mut self, line: &[u8]) -> Result<Content, Failure> {
        if self.delimiter.is_none() {
            // Excel's own note on the delimiter, which is not a record.
            if let [b's', b'e', b'p', b'=', delimiter] = line {
                self.divide_by(*delimiter);
                return Ok(Content::Part);
            }
            self.divide_by(most_frequent(line));
        }
        // A record starts, unless a quoted field of the one before has further lines.
        if !self.is_open {
            (self.number, self.found, self.is_start) = (1, None, true);
            self.field.clear();
        }
        self.is_open = !(self.feed(line) || self.feed(b"\n"));
        if self.is_open {
            return Ok(Content::Part);
        }
        // A single column is mostly one that is divided by another character.
        let hint = (self.number == 1).then_some(
            "columns are divided by the tabs, semicolons or commas of the first line; --delimiter \
             names another character",
        );
        match (&self.column, self.found) {
            (Column::Number(_), Some(_)) => {
                let is_missing = !self.is_quoted && MISSING.contains(&self.field.as_slice());
                Ok(if is_missing { Content::Empty } else { Content::Id })
            }
            // The titles are in the first record, which has no ID.
            (Column::Title(_), Some(found)) => {
                self.column = Column::Number(found);
                Ok(Content::Titles)
            }
            (Column::Number(_), None) => {
                let reason = format!("has only {}", counted(self.number, "column"));
                Err(Failure::Invalid { reason, hint: hint.map(Into::into) })
            }
            (Column::Title(title), None) => {
                let (title, titles) = (shown(title), self.titles.join(", "));
                let reason = format!("no column is titled '{title}'; the titles are: {titles}");
                let hint = hint.unwrap_or("--column 1 is the first, whatever its title");
                Err(Failure::Usage(reason).hinting(hint))
            }
        }
    }

    /// Reads a piece of a record. Reports whether the record ends there.
    fn feed(&mut self, mut piece: &[u8]) -> bool {
        let mut room = [0; 512];
        // An empty piece would mean the end of all records.
        while let Some(first) = piece.first() {
            let is_quoted = *first == b'"';
            let (result, read, written) = self.csv.read_field(piece, &mut room);
            piece = &piece[read..];
            // While a title is looked for, each field of the first record is one that it may be.
            let is_kept = match self.column {
                Column::Number(column) => column == self.number,
                Column::Title(_) => self.found.is_none(),
            };
            if is_kept && self.is_start {
                self.is_quoted = is_quoted;
            }
            self.is_start = matches!(result, ReadFieldResult::Field { .. });
            if is_kept && self.field.len() < MAX_FIELD {
                self.field.extend_from_slice(&room[..written]);
            }
            // Otherwise the piece or the room is used up, and the field continues.
            if let ReadFieldResult::Field { record_end } = result {
                if is_kept {
                    self.end_field();
                }
                if record_end {
                    return true;
                }
                self.number += 1;
            }
        }
        false
    }

    fn end_field(&mut self) {
        match &self.column {
            Column::Title(title) if self.field.trim_ascii() != title.trim().as_bytes() => {
                self.titles.push(shown(self.field.trim_ascii()));
                self.field.clear();
            }
            Column::Title(_) | Column::Number(_) => self.found = Some(self.number),
        }
    }
}

/// Returns the delimiter that is most frequent in a line, outside of quotation marks.
fn most_frequent(line: &[u8]) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in line {
        is_quoted ^= *byte == b'"';
        if let Some(place) = DELIMITERS.iter().position(|it| it == byte && !is_quoted) {
            counts[place] += 1;
        }
    }
    let most = counts.iter().max();
    let place = counts.iter().position(|count| Some(count) == most && *count > 0);
    place.map_or(b',', |place| DELIMITERS[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what each line of a text yields.
    fn read(column_text: &str, text: &str) -> Vec<Result<Option<String>, String>> {
        let mut reader = ColumnReader::new(column(column_text).unwrap(), None);
        let lines = text.lines().map(|line| {
            let content = reader.read(line.as_bytes()).map_err(|error| error.to_string())?;
            let field = || String::from_utf8(reader.field().to_vec()).unwrap();
            Ok((content == Content::Id).then(field))
        });
        lines.collect()
    }

    #[test]
    fn fields_are_unquoted() {
        let text = "a,\"b, \"\"c\"\"\",d\n,,\nx,y\n";
        let some = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(read("2", text), [some("b, \"c\""), some(""), some("y")]);
        assert_eq!(read("1", text), [some("a"), some(""), some("x")]);
        let no = |columns| Err(format!("has only {columns} columns"));
        assert_eq!(read("3", text), [some("d"), some(""), no(2)]);
    }

    #[test]
    fn quoted_fields_have_several_lines() {
        let text = "note,id\n\"one\n\ntwo, \"\"three\"\"\n\",first\nx,\"sec\nond\"\ny,third\n";
        let some = |text: &str| Ok(Some(text.to_owned()));
        let expected =
            [Ok(None), Ok(None), Ok(None), Ok(None), some("first"), Ok(None), some("sec\nond")];
        let found = read("id", text);
        assert_eq!(found[..7], expected);
        assert_eq!(found[7], some("third"));
        let mut reader = ColumnReader::new(Column::Number(1), None);
        assert!(reader.read(b"a,\"b").unwrap() == Content::Part && reader.is_open());
        assert!(reader.read(b"\"").unwrap() == Content::Id && !reader.is_open());
        assert_eq!(reader.field(), b"a");
    }

    #[test]
    fn words_for_nothing_are_no_fields() {
        let some = |text: &str| Ok(Some(text.to_owned()));
        for word in ["NaN", "NULL", "None", "<NA>", "\\N"] {
            let text = format!("a,{word}\n{word},\"{word}\"\n{word},{word} \nb,{word}\n");
            let found = read("2", &text);
            assert_eq!(found[0], Ok(None), "{word}");
            assert_eq!(found[1..3], [some(word), some(&format!("{word} "))], "{word}");
            assert_eq!(found[3], Ok(None), "{word}");
            // A title may be one of them.
            assert_eq!(read(word, &format!("{word}\nx\n"))[1], some("x"));
        }
        for text in ["nan", "null", "NA", "none", "nil", "-", "NULLS", "'NULL'"] {
            assert_eq!(read("1", text), [some(text)]);
        }
    }

    #[test]
    fn titles_are_looked_for_once() {
        for titles in ["a,b", "a, b", "a ,\"b\" "] {
            let found = read("b", &format!("{titles}\nb,a\n"));
            assert_eq!(found, [Ok(None), Ok(Some("a".to_owned()))], "{titles}");
        }
        let error = "no column is titled 'c'; the titles are: a, b".to_owned();
        assert_eq!(read("c", "a,b\n"), [Err(error)]);
        assert!(column("0").is_err());
    }

    #[test]
    fn long_fields_are_cut() {
        let long = "a".repeat(3 * MAX_FIELD);
        let found = read("2", &format!("{long},{long},x\n1,2"));
        let len = found[0].as_ref().unwrap().as_ref().unwrap().len();
        assert!((MAX_FIELD..MAX_FIELD + 512).contains(&len), "{len}");
        assert_eq!(found[1], Ok(Some("2".to_owned())));
    }

    #[test]
    fn first_line_tells_the_delimiter() {
        for (titles, row) in [
            ("name;id", "a,b;1"),
            ("name\tid", "a;b,c\t1"),
            ("\"name; first, last\",id", "a;1"),
            ("amount, in EUR;id", "1,5;1"),
            ("sep=;\nname;id", "a,b;1"),
            ("sep=|\nname|id", "a,b;c|1"),
            // A tie goes to the delimiter that is rarer in titles and numbers.
            ("a,b\tid", "1\t1"),
        ] {
            let found = read("id", &format!("{titles}\n{row}\n"));
            let last = found.last().expect("a row").clone();
            let expected = if titles.starts_with('"') { Err(()) } else { Ok(Some("1".to_owned())) };
            assert_eq!(last.map_err(drop), expected, "{titles}");
        }
        let mut reader = ColumnReader::new(Column::Number(2), Some(b'|'));
        assert_eq!(reader.read(b"a;b,c|1").unwrap(), Content::Id);
        assert_eq!(reader.field(), b"1");
        assert_eq!(["tab", "\\t", ";"].map(delimiter), [Ok(b'\t'), Ok(b'\t'), Ok(b';')]);
        for text in ["", "\"", ";;", "é", "\n"] {
            assert!(delimiter(text).is_err(), "{text}");
        }
    }
}
