//! The formats of many texts, and how many texts have each.

use std::vec::Vec;

use tickid_core::UnixTime;

use crate::formats::Format;

/// The formats of many texts, such as the lines of a column, with the number of texts in each
/// format and their first and last time. Its size depends on the formats and not on the number of
/// texts, so it can summarize a file of any length.
///
/// # Examples
/// ```
/// use tickid_detect::{Detector, Format, Summary};
///
/// let detector = Detector::default();
/// let mut summary = Summary::default();
/// for text in ["0u375nxqh5cq", "0u375nxqh5cr", "NULL"] {
///     let found = detector.inspect(text);
///     let likely = found.readings().likely();
///     summary.add(likely.map(|one| (one.format(), one.unix_time())));
/// }
/// let rows = summary.rows();
/// assert_eq!((rows[0].format, rows[0].texts), (Some(Format::Scru64), 2));
/// assert_eq!((rows[1].format, rows[1].texts), (None, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Summary {
    groups: Vec<Group>,
    /// The number of texts without an ID.
    others: u64,
}

/// The texts that fit the same formats.
#[derive(Clone, Debug)]
struct Group {
    /// Each with the earliest and the latest time as an ID of it. The likeliest of one text comes
    /// first.
    formats: Vec<(Format, Option<[UnixTime; 2]>)>,
    texts: u64,
}

/// The texts of one format, or those without an ID.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SummaryRow {
    /// The format, or `None` for texts without an ID.
    pub format: Option<Format>,
    /// Other formats that all of these texts fit as well.
    pub also: Vec<Format>,
    /// The number of texts.
    pub texts: u64,
    /// The earliest and the latest time, if the format has times.
    pub span: Option<[UnixTime; 2]>,
}

impl SummaryRow {
    /// Returns the name of the format, or `no ID`.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.format.map_or("no ID", Format::title)
    }

    /// Returns the earliest time.
    #[must_use]
    pub fn first(&self) -> Option<UnixTime> {
        self.span.map(|[first, _]| first)
    }

    /// Returns the latest time.
    #[must_use]
    pub fn last(&self) -> Option<UnixTime> {
        self.span.map(|[_, last]| last)
    }
}

impl Summary {
    /// Adds a text with the formats that it likely has, likeliest first, and the ID's time in each
    /// of them. Pass no format for a text that is not an ID.
    pub fn add(&mut self, likely: impl IntoIterator<Item = (Format, Option<UnixTime>)>) {
        let likely: Vec<_> = likely.into_iter().collect();
        if likely.is_empty() {
            self.others += 1;
            return;
        }
        let is_same = |group: &&mut Group| {
            let mut formats = group.formats.iter();
            group.formats.len() == likely.len()
                && formats.all(|(format, _)| likely.iter().any(|(it, _)| it == format))
        };
        let Some(group) = self.groups.iter_mut().find(is_same) else {
            let formats = likely.iter().map(|(format, time)| (*format, time.map(|time| [time; 2])));
            self.groups.push(Group { formats: formats.collect(), texts: 1 });
            return;
        };
        group.texts += 1;
        for (format, span) in &mut group.formats {
            let time = likely.iter().find(|(it, _)| it == format).and_then(|(_, time)| *time);
            *span = joined(*span, time.map(|time| [time; 2]));
        }
    }

    /// Returns the number of texts that are not IDs.
    #[must_use]
    pub const fn others(&self) -> u64 {
        self.others
    }

    /// Returns a row for each format, the most frequent first, and one for the texts without an ID.
    /// A text that fits several formats counts for the one that most texts fit, since most columns
    /// have a single format.
    #[must_use]
    pub fn rows(&self) -> Vec<SummaryRow> {
        let mut rows = Vec::new();
        let mut groups: Vec<&Group> = self.groups.iter().collect();
        // Each format is the most frequent of fewer groups than the one before, so the rows descend.
        while let Some(format) = most_frequent(&groups) {
            let has = |group: &Group, format| group.formats.iter().any(|(it, _)| *it == format);
            let (own, rest): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| has(group, format));
            groups = rest;
            let spans = own.iter().flat_map(|group| &group.formats).filter(|(it, _)| *it == format);
            let span = spans.fold(None, |span, (_, other)| joined(span, *other));
            let first = own.first().into_iter().flat_map(|group| &group.formats);
            let also = first.map(|(it, _)| *it).filter(|it| *it != format);
            let also = also.filter(|it| own.iter().all(|group| has(group, *it))).collect();
            let texts = own.iter().map(|group| group.texts).sum();
            rows.push(SummaryRow { format: Some(format), also, texts, span });
        }
        if self.others > 0 {
            rows.push(SummaryRow {
                format: None,
                also: Vec::new(),
                texts: self.others,
                span: None,
            });
        }
        rows
    }
}

/// Returns the format that most texts fit. If there are several, it is the one that is the
/// likeliest for more texts.
fn most_frequent(groups: &[&Group]) -> Option<Format> {
    let count = |is_it: &dyn Fn(&Group) -> bool| -> u64 {
        groups.iter().filter(|group| is_it(group)).map(|group| group.texts).sum()
    };
    let formats = groups.iter().flat_map(|group| &group.formats).map(|(format, _)| *format);
    // Of equals, the first.
    let formats: Vec<Format> = formats.collect();
    formats.into_iter().rev().max_by_key(|format| {
        let fitting = count(&|group| group.formats.iter().any(|(it, _)| it == format));
        let is_first = |group: &Group| group.formats.first().is_some_and(|(it, _)| it == format);
        (fitting, count(&is_first))
    })
}

/// Returns the span of two.
fn joined(one: Option<[UnixTime; 2]>, other: Option<[UnixTime; 2]>) -> Option<[UnixTime; 2]> {
    match (one, other) {
        (Some([first, last]), Some([other, later])) => Some([first.min(other), last.max(later)]),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    #[test]
    fn texts_count_for_the_format_that_most_fit() {
        let time = |millis| UnixTime::from_millis(millis).ok();
        let mut summary = Summary::default();
        // Discord's, which look like Twitter's now and then, and sometimes more so.
        for text in 0..20 {
            let discord = (Format::Discord, time(1_000 * text));
            let twitter = (Format::Twitter, time(1));
            let likely = if text % 3 == 0 { vec![twitter, discord] } else { vec![discord] };
            summary.add(likely);
        }
        for _ in 0..5 {
            summary.add([(Format::Mastodon, None), (Format::Scru64, None)]);
        }
        (0..7).for_each(|_| summary.add([]));
        // What takes memory.
        assert_eq!(summary.groups.len(), 3);
        let row = |format, also, texts, span| SummaryRow { format, also, texts, span };
        let of_discord = time(0).zip(time(19_000)).map(|(first, last)| [first, last]);
        let expected = [
            row(Some(Format::Discord), vec![], 20, of_discord),
            row(Some(Format::Mastodon), vec![Format::Scru64], 5, None),
            row(None, vec![], 7, None),
        ];
        assert_eq!((summary.rows(), summary.others()), (expected.to_vec(), 7));
        assert_eq!((expected[0].first(), expected[0].last()), (time(0), time(19_000)));
        assert_eq!((expected[1].first(), expected[1].last()), (None, None));
        let titles = [Format::Discord.title(), Format::Mastodon.title(), "no ID"];
        assert!(expected.iter().map(SummaryRow::title).eq(titles));
    }
}
