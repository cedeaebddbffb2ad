//! The formats of all inputs, with their numbers and times, and the inputs without a format.

use serde::Serialize;
use tickid_core::UnixTime;
use tickid_detect::Format;

use crate::failure::Failure;
use crate::options::when::date_time;
use crate::output::printed::write_json;

/// The number of inputs without an ID that are named.
const MAX_NAMED: usize = 10;

/// The inputs so far. Memory is constant: it depends on the formats, not on the inputs.
#[derive(Default)]
pub(super) struct Summary {
    groups: Vec<FormatGroup>,
    /// The number of inputs.
    inputs: u64,
    /// The number of inputs without an ID, and the lines of the first of them.
    others: u64,
    named: Vec<u64>,
}

/// The inputs that fit the same formats.
struct FormatGroup {
    /// Each with the earliest and the latest time as an ID of it; the likeliest of one input first.
    formats: Vec<(Format, Option<[UnixTime; 2]>)>,
    lines: u64,
}

impl Summary {
    /// Adds an input with its likely readings, likeliest first. `line` is its number, unless it is
    /// an argument.
    pub(super) fn add(&mut self, line: Option<u64>, likely: &[(Format, Option<UnixTime>)]) {
        self.inputs += 1;
        if likely.is_empty() {
            self.others += 1;
            if self.named.len() < MAX_NAMED {
                self.named.push(line.unwrap_or(self.inputs));
            }
            return;
        }
        let is_same = |group: &FormatGroup| {
            let mut formats = group.formats.iter();
            group.formats.len() == likely.len()
                && formats.all(|(format, _)| likely.iter().any(|(it, _)| it == format))
        };
        let place = self.groups.iter().position(is_same).unwrap_or_else(|| {
            let formats = likely.iter().map(|(format, _)| (*format, None)).collect();
            self.groups.push(FormatGroup { formats, lines: 0 });
            self.groups.len() - 1
        });
        let group = &mut self.groups[place];
        group.lines += 1;
        for (format, span) in &mut group.formats {
            let time = likely.iter().find(|(it, _)| it == format).and_then(|(_, time)| *time);
            *span = joined(*span, time.map(|time| [time; 2]));
        }
    }

    /// Reports whether every input has an ID.
    pub(super) const fn is_clear(&self) -> bool {
        self.others == 0
    }

    /// Returns a row for each format, the most frequent first, and one for the inputs without an
    /// ID. An input that fits several formats counts for the one that most inputs fit.
    fn rows(mut self) -> Vec<SummaryRow> {
        let mut rows = Vec::new();
        while let Some(format) = self.most_frequent() {
            let has =
                |group: &FormatGroup, format| group.formats.iter().any(|(it, _)| *it == format);
            let (own, rest) = self.groups.into_iter().partition(|group| has(group, format));
            self.groups = rest;
            let own: Vec<FormatGroup> = own;
            let spans = own.iter().flat_map(|group| &group.formats).filter(|(it, _)| *it == format);
            let span = spans.fold(None, |span, (_, other)| joined(span, *other));
            let also = own[0].formats.iter().map(|(it, _)| *it).filter(|it| *it != format);
            let also = also.filter(|it| own.iter().all(|group| has(group, *it))).collect();
            let lines = own.iter().map(|group| group.lines).sum();
            rows.push(SummaryRow { format: Some(format), also, lines, span, named: Vec::new() });
        }
        rows.sort_by_key(|row| core::cmp::Reverse(row.lines));
        if self.others > 0 {
            let (lines, named) = (self.others, self.named);
            rows.push(SummaryRow { format: None, also: Vec::new(), lines, span: None, named });
        }
        rows
    }

    /// Returns the format that most inputs fit. A tie goes to the one that is likelier for more of
    /// them.
    fn most_frequent(&self) -> Option<Format> {
        let count = |is_it: &dyn Fn(&FormatGroup) -> bool| -> u64 {
            self.groups.iter().filter(|group| is_it(group)).map(|group| group.lines).sum()
        };
        let formats =
            self.groups.iter().flat_map(|group| &group.formats).map(|(format, _)| *format);
        // If several are equal, the first.
        let formats: Vec<Format> = formats.collect();
        formats.into_iter().rev().max_by_key(|format| {
            let fitting = count(&|group| group.formats.iter().any(|(it, _)| it == format));
            (fitting, count(&|group| group.formats[0].0 == *format))
        })
    }

    /// Appends the summary as lines of JSON.
    pub(super) fn write_json(self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.rows().iter().try_for_each(|row| write_json(&RowJson::new(row), out))
    }

    /// Appends the summary as a table.
    pub(super) fn write_table(self, out: &mut Vec<u8>) {
        let rows = self.rows();
        if rows.is_empty() {
            return;
        }
        let [mut lines, mut name] = ["LINES".len(), "FORMAT".len()];
        for row in &rows {
            lines = lines.max(row.lines.to_string().len());
            name = name.max(row.title().len());
        }
        let time = |time: Option<UnixTime>| {
            time.map_or_else(String::new, |time| {
                date_time(time).unwrap_or_else(|| time.to_string())
            })
        };
        let mut table = format!("{:>lines$}  {:name$}  {:24}  LAST\n", "LINES", "FORMAT", "FIRST");
        for row in rows {
            let times = if row.format.is_some() {
                format!("{:24}  {}", time(row.first()), time(row.last()))
            } else {
                let named: Vec<String> = row.named.iter().map(u64::to_string).collect();
                let more = if row.lines > named.len() as u64 { ", …" } else { "" };
                format!("in {}{more}", named.join(", "))
            };
            let line = format!("{:>lines$}  {:name$}  {times}", row.lines, row.title());
            table.push_str(line.trim_end());
            table.push('\n');
            if !row.also.is_empty() {
                let also: Vec<&str> = row.also.iter().map(|format| format.title()).collect();
                table.push_str(&format!("{:lines$}  or {}\n", "", also.join(", ")));
            }
        }
        out.extend_from_slice(table.as_bytes());
    }
}

/// Returns the span of two.
fn joined(one: Option<[UnixTime; 2]>, other: Option<[UnixTime; 2]>) -> Option<[UnixTime; 2]> {
    match (one, other) {
        (Some([first, last]), Some([other, later])) => Some([first.min(other), last.max(later)]),
        (one, other) => one.or(other),
    }
}

/// The inputs of one format, or of none.
struct SummaryRow {
    format: Option<Format>,
    /// Other formats that all of them fit as well.
    also: Vec<Format>,
    lines: u64,
    span: Option<[UnixTime; 2]>,
    /// The lines without an ID.
    named: Vec<u64>,
}

impl SummaryRow {
    fn title(&self) -> &'static str {
        self.format.map_or("no ID", Format::title)
    }

    fn first(&self) -> Option<UnixTime> {
        self.span.map(|[first, _]| first)
    }

    fn last(&self) -> Option<UnixTime> {
        self.span.map(|[_, last]| last)
    }
}

/// A row as JSON.
#[derive(Serialize)]
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
    fn new(row: &'a SummaryRow) -> Self {
        Self {
            scheme: row.format.map(Format::key),
            lines: row.lines,
            first_ms: row.first().map(UnixTime::as_millis),
            first: row.first().and_then(date_time),
            last_ms: row.last().map(UnixTime::as_millis),
            last: row.last().and_then(date_time),
            also: row.also.iter().map(|format| format.key()).collect(),
            numbers: &row.named,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_count_for_the_format_that_most_fit() {
        let time = |millis| UnixTime::from_millis(millis).ok();
        let mut summary = Summary::default();
        // IDs of Discord. Some of them look like Twitter's as well, or even more.
        for line in 0..20 {
            let discord = (Format::Discord, time(1_000 * line));
            let twitter = (Format::Twitter, time(1));
            let likely = if line % 3 == 0 { vec![twitter, discord] } else { vec![discord] };
            summary.add(None, &likely);
        }
        for line in 0..5 {
            summary.add(Some(100 + line), &[(Format::Mastodon, None), (Format::Scru64, None)]);
        }
        (200..220).for_each(|line| summary.add(Some(line), &[]));
        assert!(!summary.is_clear());
        let mut out = Vec::new();
        summary.write_table(&mut out);
        let expected = "\
LINES  FORMAT             FIRST                     LAST
   20  Discord Snowflake  1970-01-01T00:00:00.000Z  1970-01-01T00:00:19.000Z
    5  Mastodon ID
       or SCRU64
   20  no ID              in 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, …
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
