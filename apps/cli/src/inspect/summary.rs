//! The formats of all inputs, with their numbers and times, and the inputs without a format.

use serde::Serialize;
use tickid_core::UnixTime;
use tickid_detect::{Format, Summary, SummaryRow};

use crate::failure::Failure;
use crate::options::when::date_time;
use crate::output::printed::write_json;

/// The number of inputs without an ID that are named.
const MAX_NAMED: usize = 10;

/// The inputs so far. Memory is constant: it depends on the formats, not on the inputs.
#[derive(Default)]
pub(super) struct InputSummary {
    formats: Summary,
    /// The number of inputs, and the lines of the first of them that have no ID.
    inputs: u64,
    named: Vec<u64>,
    /// The number of cells and members without a value.
    empty: u64,
}

/// The name of the cells without a value, in the place of a format's.
const EMPTY: &str = "empty";

impl InputSummary {
    /// Adds an input with its likely readings, likeliest first. `line` is its number, unless it is
    /// an argument.
    pub(super) fn add(&mut self, line: Option<u64>, likely: &[(Format, Option<UnixTime>)]) {
        self.inputs += 1;
        self.formats.add(likely.iter().copied());
        if likely.is_empty() && self.named.len() < MAX_NAMED {
            self.named.push(line.unwrap_or(self.inputs));
        }
    }

    /// Adds a cell or a member without a value, which is no input.
    pub(super) const fn add_empty(&mut self) {
        self.empty += 1;
    }

    /// Reports whether every input has an ID.
    pub(super) const fn is_clear(&self) -> bool {
        self.formats.others() == 0
    }

    /// Appends the summary as lines of JSON.
    pub(super) fn write_json(self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let rows = self.formats.rows();
        rows.iter().try_for_each(|row| write_json(&RowJson::new(row, &self.named), out))?;
        if self.empty == 0 {
            return Ok(());
        }
        let empty = RowJson { scheme: Some(EMPTY), lines: self.empty, ..RowJson::default() };
        write_json(&empty, out)
    }

    /// Appends the summary as a table.
    pub(super) fn write_table(self, out: &mut Vec<u8>) {
        let rows = self.formats.rows();
        if rows.is_empty() && self.empty == 0 {
            return;
        }
        // Columns are as wide as their widest cell.
        let [mut lines, mut name] =
            ["LINES".len().max(self.empty.to_string().len()), "FORMAT".len()];
        for row in &rows {
            lines = lines.max(row.texts.to_string().len());
            name = name.max(row.title().len());
        }
        let time = |time: Option<UnixTime>| {
            time.map_or_else(String::new, |time| {
                date_time(time).unwrap_or_else(|| time.to_string())
            })
        };
        let mut table = format!("{:>lines$}  {:name$}  {:24}  LAST\n", "LINES", "FORMAT", "FIRST");
        for row in rows {
            // Inputs without an ID have no times, and are named for people to find them.
            let times = if row.format.is_some() {
                format!("{:24}  {}", time(row.first()), time(row.last()))
            } else {
                let named: Vec<String> = self.named.iter().map(u64::to_string).collect();
                let more = if row.texts > named.len() as u64 { ", …" } else { "" };
                format!("in {}{more}", named.join(", "))
            };
            let line = format!("{:>lines$}  {:name$}  {times}", row.texts, row.title());
            table.push_str(line.trim_end());
            table.push('\n');
            if !row.also.is_empty() {
                let also: Vec<&str> = row.also.iter().map(|format| format.title()).collect();
                table.push_str(&format!("{:lines$}  or {}\n", "", also.join(", ")));
            }
        }
        if self.empty > 0 {
            table.push_str(&format!("{:>lines$}  {EMPTY}\n", self.empty));
        }
        out.extend_from_slice(table.as_bytes());
    }
}

/// A row as JSON.
#[derive(Default, Serialize)]
struct RowJson<'a> {
    scheme: Option<&'static str>,
    lines: u64,
    first_ms: Option<i64>,
    first: Option<String>,
    last_ms: Option<i64>,
    last: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<&'static str>,
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    numbers: &'a [u64],
}

impl<'a> RowJson<'a> {
    fn new(row: &SummaryRow, named: &'a [u64]) -> Self {
        Self {
            scheme: row.format.map(Format::key),
            lines: row.texts,
            first_ms: row.first().map(UnixTime::as_millis),
            first: row.first().and_then(date_time),
            last_ms: row.last().map(UnixTime::as_millis),
            last: row.last().and_then(date_time),
            also: row.also.iter().map(|format| format.key()).collect(),
            numbers: if row.format.is_none() { named } else { &[] },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_aligned_and_names_lines() {
        let mut summary = InputSummary::default();
        let time = |millis| UnixTime::from_millis(millis).ok();
        for line in 0..20 {
            summary.add(Some(line), &[(Format::Discord, time(1_000 * line.cast_signed()))]);
        }
        for line in 0..5 {
            summary.add(Some(100 + line), &[(Format::Mastodon, None), (Format::Scru64, None)]);
        }
        (200..220).for_each(|line| summary.add(Some(line), &[]));
        (0..3).for_each(|_| summary.add_empty());
        assert!(!summary.is_clear());
        let mut out = Vec::new();
        summary.write_table(&mut out);
        let expected = "\
LINES  FORMAT             FIRST                     LAST
   20  Discord Snowflake  1970-01-01T00:00:00.000Z  1970-01-01T00:00:19.000Z
    5  Mastodon ID
       or SCRU64
   20  no ID              in 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, …
    3  empty
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
