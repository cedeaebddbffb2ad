//! IDs among other text, for example in log lines, URLs, JSON and prose.

use core::ops::Range;

use tickid_convert::Form;
use tickid_core::Clock;

use crate::confidence::{Confidence, Doubt};
use crate::detect::MAX_TEXT;
use crate::detector::{Detector, Inspections};
use crate::escapes::{MAX_ESCAPE, escapes};
use crate::evidence::Scope;
use crate::formats::Format;
use crate::paste::trimmed;
use crate::reading::Readings;

/// Finds the IDs in a text, such as a line of a log, and returns each with its place in bytes.
///
/// This uses the default settings and the system's clock, and a [`Detector`] takes others. If a
/// text is an ID as a whole, use [`inspect`](crate::inspect), which also reads forms that would
/// cause false alarms among other text, for example lists of bytes.
///
/// # Examples
/// ```
/// let line = b"GET /orders/0u375nxqh5cq?user=user_01j1hzw2p7es59rpw0qfqnr7bc 200";
/// let found: Vec<_> = tickid_detect::find(line)
///     .filter_map(|(place, found)| Some((place, found.first()?.format().key())))
///     .collect();
/// assert_eq!(found, [(12..24, "scru64"), (30..61, "typeid")]);
/// ```
#[cfg(feature = "std")]
pub fn find(text: &[u8]) -> impl Iterator<Item = (Range<usize>, Inspections<'_>)> {
    let detector = Detector::default();
    Finder::new(text, move |text| detector.inspect_in(Scope::Part, text), is_id)
}

impl<C: Clock> Detector<C> {
    /// Finds the IDs in a text, and returns each with its place in bytes.
    ///
    /// An ID is found if something other than a letter or a digit stands on both sides of it, and
    /// if its likeliest reading is certain or likely. Unix times are passed over, because a log is
    /// full of them, and [`find_if`](Self::find_if) can look for them.
    ///
    /// Erlang's tuples are found, and hexadecimal digits also after `0x` and `\x` and in `x'…'`.
    /// Lists such as `[1, 134, …]` are not found, since any eight numbers below 256 are one.
    /// Escapes before an ID are not part of it: those of JSON, URLs, mails and terminals, also as
    /// loggers write them out, for example `\n`, `\x22`, `%3D`, `=3D`, and `#033[31m`.
    ///
    /// The time that this takes is linear in the length of the text, whatever it contains.
    ///
    /// # Examples
    /// ```
    /// use tickid_detect::Detector;
    ///
    /// let detector = Detector::default();
    /// let found: Vec<_> = detector.find(b"req-0u375nxqh5cq: the information").collect();
    /// assert_eq!(found.len(), 1); // and no word of English
    /// assert_eq!(found[0].0, 4..16);
    /// assert_eq!(found[0].1.first().map(|id| id.name().to_string()), Some("SCRU64".to_owned()));
    /// ```
    pub fn find<'a>(
        &'a self,
        text: &'a [u8],
    ) -> impl Iterator<Item = (Range<usize>, Inspections<'a>)> {
        self.find_if(text, is_id)
    }

    /// Finds the texts within a text whose readings are accepted, such as the IDs of one format.
    /// `accepts` gets all readings, so it can also take those that are only possible, which
    /// [`find`](Self::find) does not.
    ///
    /// # Examples
    /// ```
    /// use tickid_detect::{Detector, Format, Readings};
    ///
    /// let detector = Detector::default();
    /// let line = b"ts=1763353455 id=113882101964472591";
    /// let is_time = |found: &Readings| found.likely().any(|one| one.format() == Format::UnixTime);
    /// assert!(detector.find_if(line, is_time).map(|(place, _)| place).eq([3..13]));
    /// ```
    pub fn find_if<'a>(
        &'a self,
        text: &'a [u8],
        accepts: impl FnMut(&Readings) -> bool,
    ) -> impl Iterator<Item = (Range<usize>, Inspections<'a>)> {
        Finder::new(text, |text| self.inspect_in(Scope::Part, text), accepts)
    }
}

/// Reports whether a text is more likely an ID than anything else.
fn is_id(found: &Readings) -> bool {
    found.first().is_some_and(|one| {
        one.confidence() <= Confidence::Likely && one.format() != Format::UnixTime
    })
}

/// Reports whether a text behind an escape is probably a whole ID, so that the escape is one. A time
/// counts as well, and so does an ID that is only possible because any number looks like it.
fn is_whole(found: &Readings) -> bool {
    found.weighed().any(|one| match one.doubt() {
        None => true,
        Some(Doubt::Date | Doubt::UnixTime | Doubt::Number | Doubt::OtherNumber)
        | Some(Doubt::Unexplained | Doubt::Retired) => {
            one.format().prior().doubt != Some(Doubt::Unexplained)
        }
        Some(Doubt::Time | Doubt::NoClock | Doubt::NeverIssued)
        | Some(Doubt::Words | Doubt::Digits | Doubt::HexDigits) => false,
    })
}

/// The shortest text that is looked at. Unix times and Instagram's shortcodes may have 10
/// characters, and other likely IDs have more.
const MIN_LEN: usize = 10;
/// The longest one, which is a TypeID with a prefix of 63 letters.
const MAX_LEN: usize = TYPE_ID_PREFIX + 1 + TYPE_ID_DIGITS;

const TYPE_ID_PREFIX: usize = 63;
const TYPE_ID_DIGITS: usize = 26;

/// What stands before a text in Base64: the names of hashes, and the end of what precedes it in a
/// URL of data.
const BEFORE_BASE64: [&[u8]; 4] = [b"sha256-", b"sha384-", b"sha512-", b"base64,"];

/// The names of spans and of their parents, in small letters without joints.
const OF_SPANS: [&[u8]; 2] = [b"spanid", b"parentid"];

/// The length of a text in Base64 above which an ID in it is one by chance, and the most characters
/// that are looked at on each side.
const LONG_BASE64: usize = 64;

/// The places of the hyphens in a UUID.
const UUID_HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// The lengths of kuids and of Instagram's shortcodes, the only IDs that can have joints anywhere.
const LENS_WITH_JOINTS: [usize; 4] = [22, 16, 11, 10];

/// A search through a text. It goes through the runs of characters that IDs have, and in each run
/// through the pieces between its joints.
///
/// From each start it looks at a bounded number of ends, so 10 MB of joints take no longer than
/// 10 MB without any.
struct Finder<'a, I, A> {
    text: &'a [u8],
    /// The run that is being searched, without pieces that are parts of a word, and the end of the
    /// whole run.
    run: Range<usize>,
    run_end: usize,
    /// The next start in the run.
    at: usize,
    /// Returns the inspections of a text.
    inspect: I,
    /// Reports whether they are those of an ID that is looked for.
    accepts: A,
}

impl<'a, I, A> Finder<'a, I, A>
where
    I: FnMut(&'a str) -> Inspections<'a>,
    A: FnMut(&Readings) -> bool,
{
    const fn new(text: &'a [u8], inspect: I, accepts: A) -> Self {
        Self { text, run: 0..0, run_end: 0, at: 0, inspect, accepts }
    }

    fn byte(&self, place: usize) -> Option<u8> {
        self.text.get(place).copied()
    }

    /// Goes to the next run that is long enough for an ID, unless there is none.
    fn next_run(&mut self) -> Option<()> {
        loop {
            let rest = self.text.get(self.run_end..)?;
            let start = self.run_end + rest.iter().position(|byte| is_of_ids(*byte))?;
            let rest = self.text.get(start..)?;
            let len = rest.iter().position(|byte| !is_of_ids(*byte)).unwrap_or(rest.len());
            self.run_end = start + len;
            if let Some(run) = self.without_words(start..start + len)
                && (run.len() >= MIN_LEN || self.is_tuple(&run))
            {
                self.at = run.start;
                self.run = run;
                return Some(());
            }
        }
    }

    /// Returns a run without the pieces at its ends that letters of other alphabets continue, which
    /// may leave an empty range. Such a piece is a part of a word, as in `größe`. Scripts without
    /// spaces between words, such as Chinese, do not continue one.
    fn without_words(&self, run: Range<usize>) -> Option<Range<usize>> {
        let Range { mut start, mut end } = run;
        let (before, after) = (self.text.get(..start)?, self.text.get(end..)?);
        let bytes = self.text.get(start..end)?;
        if before.last().is_some_and(|byte| !byte.is_ascii())
            && last_char(before).is_some_and(is_letter)
        {
            start += bytes.iter().position(|byte| is_joint(*byte))? + 1;
        }
        if after.first().is_some_and(|byte| !byte.is_ascii())
            && first_char(after).is_some_and(is_letter)
        {
            end = run.start + bytes.iter().rposition(|byte| is_joint(*byte))?;
        }
        Some(start..end)
    }

    /// Returns the ID that starts at the next start, if one does. `end` is the end of the piece.
    fn at_start(&mut self, start: usize, end: usize) -> Option<(Range<usize>, Inspections<'a>)> {
        // The only joint that an ID made today can start with is a kuid's point.
        if !self.byte(start)?.is_ascii_alphanumeric() && self.byte(start) != Some(b'.') {
            return None;
        }
        if start == self.run.start {
            for behind in self.behind_escapes() {
                let found = self.of_pieces(behind, end);
                // An escape and a whole ID are no other ID, even if this one is not looked for.
                if found.is_some() || self.is_whole(behind, end) {
                    return found;
                }
            }
            if let Some(place) = self.literal(start, end)
                && let Some(found) = self.inspected(place)
            {
                return Some(found);
            }
        }
        self.of_pieces(start, end)
    }

    /// Returns the places behind escapes that the first characters of the run may belong to.
    fn behind_escapes(&self) -> impl Iterator<Item = usize> + use<'a, I, A> {
        let start = self.run.start;
        let (before, from) = (self.text.get(..start), self.text.get(start..self.run.end));
        let after = self.text.get(self.run.end..).unwrap_or_default();
        let escapes =
            before.zip(from).map_or([None; 3], |(before, run)| escapes(before, run, after));
        escapes.into_iter().flatten().map(move |len| start + len)
    }

    /// Reports whether an ID starts there that is whole, whether it is looked for or not.
    fn is_whole(&mut self, start: usize, end: usize) -> bool {
        let mut places = self.ends(start, end).into_iter().flatten();
        places.any(|end| {
            let text = self.candidate(start..end).and_then(|place| self.text.get(place));
            let text = text.and_then(|text| str::from_utf8(text).ok());
            text.is_some_and(|text| is_whole((self.inspect)(text).readings()))
        })
    }

    /// Returns the place of a literal that has marks around the first piece of a run.
    fn literal(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let (before, after) = (self.text.get(..start)?, self.text.get(end..)?);
        match (before, after) {
            // `\x0186…`, as psql prints bytes, and not with other characters as in C.
            ([.., b'\\'], _) if self.byte(start) == Some(b'x') => {
                let digits = self.text.get(start + 1..end)?;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(start - 1..end)
            }
            // `x'0186…'`, as SQL has them.
            ([others @ .., b'x' | b'X', b'\''], [b'\'', ..]) if is_end_of_other(others) => {
                Some(start - 2..end + 1)
            }
            // `{uid,{1539,625275,432128},1}`, of which the second brace is the last.
            _ if self.is_tuple(&(start..end)) => {
                let rest = after.get(..after.len().min(MAX_TEXT))?;
                // Those of a node are part of its string.
                let (mut is_string, mut is_escaped) = (false, false);
                let mut braces = (end..).zip(rest).filter(|(_, byte)| {
                    is_string ^= **byte == b'"' && !is_escaped;
                    is_escaped = is_string && **byte == b'\\' && !is_escaped;
                    **byte == b'}' && !is_string
                });
                braces.nth(1).map(|(last, _)| start - 1..last + 1)
            }
            _ => None,
        }
    }

    /// Reports whether a run is the name in a tuple of Erlang's uid.
    fn is_tuple(&self, run: &Range<usize>) -> bool {
        let before = self.text.get(..run.start).unwrap_or_default();
        before.ends_with(b"{") && self.text.get(run.clone()) == Some(b"uid")
    }

    /// Returns the ID that consists of the piece, or of it and others that follow.
    fn of_pieces(&mut self, start: usize, end: usize) -> Option<(Range<usize>, Inspections<'a>)> {
        self.ends(start, end).into_iter().find_map(|end| self.read(start..end?))
    }

    /// Returns the ends that an ID may have.
    fn ends(&self, start: usize, end: usize) -> [Option<usize>; LENS_WITH_JOINTS.len() + 3] {
        let is_other = |other: &usize| *other != end && self.is_end(*other);
        let [a, b, c, d] = LENS_WITH_JOINTS.map(|len| Some(start + len).filter(is_other));
        // The piece comes last, because it may be the start of an ID that goes on behind a joint.
        [self.uuid_end(start), self.type_id_end(start), a, b, c, d, Some(end)]
    }

    /// Reports whether an ID may end there, at a joint or at the end of the run.
    fn is_end(&self, end: usize) -> bool {
        end <= self.run.end && !self.byte(end).is_some_and(|byte| byte.is_ascii_alphanumeric())
    }

    /// Returns the end of a text in the groups of a UUID.
    fn uuid_end(&self, start: usize) -> Option<usize> {
        let end = start + uuid::fmt::Hyphenated::LENGTH;
        let is_grouped = UUID_HYPHENS.iter().all(|place| self.byte(start + place) == Some(b'-'));
        (is_grouped && self.is_end(end)).then_some(end)
    }

    /// Returns the end of a text with the prefix of a TypeID. The prefix ends at the first digit,
    /// because the 26 characters after it start with one.
    fn type_id_end(&self, start: usize) -> Option<usize> {
        let rest = self.text.get(start..self.run.end)?;
        let prefix = rest.iter().take(MAX_LEN);
        let len = prefix.take_while(|byte| matches!(byte, b'a'..=b'z' | b'_')).count();
        let end = start + len + TYPE_ID_DIGITS;
        let is_prefix = rest.get(..len).is_some_and(|prefix| prefix.ends_with(b"_"));
        (is_prefix && self.is_end(end)).then_some(end)
    }

    /// Reads a text as an ID that is looked for.
    fn read(&mut self, place: Range<usize>) -> Option<(Range<usize>, Inspections<'a>)> {
        self.inspected(self.candidate(place)?)
    }

    /// Returns the place of a text that may be an ID.
    fn candidate(&self, place: Range<usize>) -> Option<Range<usize>> {
        if !(MIN_LEN..=MAX_LEN).contains(&place.len()) || self.is_part_of_number(&place) {
            return None;
        }
        // Without the `n` of JavaScript's large integers.
        let text = trimmed(self.text.get(place.clone())?);
        (!is_name(text)).then(|| place.start..place.start + text.len())
    }

    fn inspected(&mut self, place: Range<usize>) -> Option<(Range<usize>, Inspections<'a>)> {
        let found = (self.inspect)(str::from_utf8(self.text.get(place.clone())?).ok()?);
        let is_id = (self.accepts)(found.readings())
            && !self.is_of_base64(&place, &found)
            && !self.is_of_span(&place, &found);
        is_id.then_some((place, found))
    }

    /// Reports whether hexadecimal digits that would be another system's ID have the name of a
    /// span's, as in `"span_id": "0x…"`, which OpenTelemetry's console exporter for Python writes.
    /// Spans are random and stand in every line of such a log, while other systems write decimals.
    fn is_of_span(&self, place: &Range<usize>, found: &Inspections<'_>) -> bool {
        /// The most characters of a name and of what joins it to the digits.
        const MAX_NAME: usize = 16;
        let first = found.readings().first();
        if !first.is_some_and(|one| one.form() == Form::Hex && one.identifier().is_decimal()) {
            return false;
        }
        let before = self.text.get(..place.start).unwrap_or_default();
        let letters = before.iter().rev().take(MAX_NAME).filter(|byte| byte.is_ascii_alphabetic());
        let letters = letters.map(u8::to_ascii_lowercase);
        let is_name =
            |name: &&[u8]| letters.clone().take(name.len()).eq(name.iter().rev().copied());
        OF_SPANS.iter().any(is_name)
    }

    /// Reports whether an ID of base 62 is a part of a longer text in Base64, such as a hash. Its
    /// other characters stand around the ID, but so does a slash in the path of every URL.
    fn is_of_base64(&self, place: &Range<usize>, found: &Inspections<'_>) -> bool {
        if !found.readings().first().is_some_and(|one| one.identifier().is_base_62()) {
            return false;
        }
        let is_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let before = self.text.get(..place.start).unwrap_or_default();
        let before_len = before.iter().rev().take(LONG_BASE64).take_while(is_base64).count();
        let after = self.text.get(place.end..).unwrap_or_default();
        let after_len = after.iter().take(LONG_BASE64).take_while(is_base64).count();
        let (outside, start) =
            before.split_at_checked(before.len() - before_len).unwrap_or_default();
        let (end, beyond) = after.split_at_checked(after_len).unwrap_or_default();
        // The rest of the path of a URL has words, and other IDs of the same length, of which the end
        // may be out of sight.
        let is_mixed = |part: &[u8]| {
            let has = |is_it: fn(&u8) -> bool| part.iter().any(is_it);
            has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit)
        };
        let is_part = |text: &[u8], part: &[u8]| {
            let is_cut = text.len() == LONG_BASE64 && part.len() < place.len();
            part.len() != place.len() && !is_cut && is_mixed(part)
        };
        let has_part =
            |text: &[u8]| text.split(|byte| *byte == b'/').any(|part| is_part(text, part));
        start.contains(&b'+')
            || end.contains(&b'+')
            || beyond.first() == Some(&b'=')
            || BEFORE_BASE64.iter().any(|before| outside.ends_with(before))
            || (before_len + place.len() + after_len > LONG_BASE64
                && (has_part(start) || has_part(end)))
    }

    /// Reports whether digits are the whole or the fractional part of a decimal number, or stand
    /// behind a sign.
    fn is_part_of_number(&self, place: &Range<usize>) -> bool {
        let is_digit = |place: Option<usize>| {
            place.and_then(|place| self.byte(place)).is_some_and(|byte| byte.is_ascii_digit())
        };
        let is_point =
            |place: Option<usize>| place.and_then(|place| self.byte(place)) == Some(b'.');
        let is_fraction =
            is_point(place.start.checked_sub(1)) && is_digit(place.start.checked_sub(2));
        let is_whole = is_point(Some(place.end)) && is_digit(Some(place.end + 1));
        // Before the sign is nothing or an escape.
        let sign = place.start.checked_sub(1).filter(|sign| self.byte(*sign) == Some(b'-'));
        let is_negative = sign.is_some_and(|sign| {
            sign == self.run.start || self.behind_escapes().any(|behind| sign == behind)
        });
        // With an exponent, as in `1.5e5`.
        let is_number = |text: &[u8]| {
            text.split(|byte| byte.eq_ignore_ascii_case(&b'e'))
                .all(|digits| digits.iter().all(u8::is_ascii_digit))
        };
        (is_fraction || is_whole || is_negative)
            && self.text.get(place.clone()).is_some_and(is_number)
    }
}

impl<'a, I, A> Iterator for Finder<'a, I, A>
where
    I: FnMut(&'a str) -> Inspections<'a>,
    A: FnMut(&Readings) -> bool,
{
    type Item = (Range<usize>, Inspections<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.at >= self.run.end {
                self.next_run()?;
            }
            let start = self.at;
            let rest = self.text.get(start..self.run.end)?;
            let len = rest.iter().position(|byte| is_joint(*byte)).unwrap_or(rest.len());
            let found = self.at_start(start, start + len);
            // Continue after the joint at its end, or after a literal that has several runs.
            self.at = found.as_ref().map_or(start + len, |(place, _)| place.end) + 1;
            if let Some((place, _)) = &found {
                self.run_end = self.run_end.max(place.end);
                return found;
            }
        }
    }
}

/// Reports whether a text ends in something other than a character of IDs, or in an escape.
fn is_end_of_other(text: &[u8]) -> bool {
    let last = text.iter().rev().take(MAX_ESCAPE + 1);
    let len = last.take_while(|byte| is_of_ids(**byte)).count();
    let (before, run) = text.split_at_checked(text.len() - len).unwrap_or_default();
    len == 0 || escapes(before, run, b"").contains(&Some(len))
}

/// Reports whether a byte is a character of IDs. All others end one.
const fn is_of_ids(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || is_joint(byte)
}

/// Reports whether a byte, although IDs have it, may stand between an ID and other text.
const fn is_joint(byte: u8) -> bool {
    matches!(byte, b'-' | b'_' | b'.')
}

/// Reports whether a text has letters of one case and no digit, as a name of several words has, for
/// example `AF_SECURITY` or `state-of-the-art`.
fn is_name(text: &[u8]) -> bool {
    let has = |is_it: fn(&u8) -> bool| text.iter().any(is_it);
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    !has(u8::is_ascii_digit) && !is_mixed
}

/// Reports whether a character continues a word. This holds for combining marks, and for letters
/// that have a case, because scripts with cases put spaces between words.
fn is_letter(character: char) -> bool {
    character.is_lowercase()
        || character.is_uppercase()
        || matches!(character, '\u{300}'..='\u{36f}')
}

/// The largest number of bytes of a character.
const MAX_CHAR: usize = 4;

/// Returns the character at the start of a text, if it is valid.
fn first_char(text: &[u8]) -> Option<char> {
    let text = text.get(..text.len().min(MAX_CHAR))?;
    text.utf8_chunks().next()?.valid().chars().next()
}

/// Returns the character at the end of a text, if it is valid.
fn last_char(text: &[u8]) -> Option<char> {
    let text = text.get(text.len().saturating_sub(MAX_CHAR)..)?;
    let last = text.utf8_chunks().last()?;
    if last.invalid().is_empty() { last.valid().chars().next_back() } else { None }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use tickid_convert::Settings;
    use tickid_core::{ManualClock, UnixTime};

    use super::*;

    fn detector() -> Detector<ManualClock> {
        let now = UnixTime::from_millis(1_764_000_000_000).unwrap();
        Detector::new(Settings::default(), ManualClock::new(now))
    }

    fn found(text: &[u8]) -> Vec<(usize, &[u8])> {
        let detector = detector();
        detector.find(text).map(|(place, _)| (place.start, &text[place])).collect()
    }

    const ID: &str = "0u375nxqh5cq";
    const UUID: &str = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
    const TUPLE: &str = "{uid,{1539,625275,432128},1}";
    const TYPE_ID: &str = "user_01j1hzw2p7es59rpw0qfqnr7bc";

    #[test]
    fn ids_are_found_between_other_text() {
        let longest = std::format!("{}{TYPE_ID}", "a".repeat(TYPE_ID_PREFIX - 4));
        for (before, id, after) in [
            ("", ID, ""),
            ("2024-03-01T12:00:00.123Z INFO order ", ID, " created"),
            ("id=", ID, "&page=2"),
            ("https://example.org/orders/", ID, "?q=1"),
            ("https://example.org/?q=id%3D", ID, "%26page"),
            ("req-", ID, ""),
            ("req_", ID, "_retry"),
            ("/var/log/", ID, ".json"),
            ("the order ", ID, "."),
            ("the message ", "175928847299117063", "."),
            ("{\"id\":\"", ID, "\",\"n\":1}"),
            ("{\"text\":\"a\\n", ID, "\\nb\"}"),
            ("{\"text\":\"a\\u000a", ID, "\"}"),
            ("C:\\new\\", "bppc0m3ju134", ""),
            ("\x1b[31m", ID, "\x1b[0m"),
            ("\x1b[1;38;5;208m", ID, "\x1b[0m"),
            ("“", ID, "”"),
            ("订单", ID, "已创建"),
            ("größe ", ID, ""),
            ("größe-", ID, "-größe"),
            ("<@", "175928847299117063", ">"),
            ("id: ", "175928847299117063", "n,"),
            ("urn:uuid:", UUID, ""),
            ("{", UUID, "}"),
            ("req-", UUID, "-1"),
            ("a_b-", UUID, "_2.log"),
            ("as ", TYPE_ID, ", once"),
            ("key-", TYPE_ID, ".1"),
            ("key-", &longest, ".1"),
            ("order ", ".5.tXbhdV.3", " of"),
            ("order-", ".5.tXbhdV.3", "-1"),
            ("", ".5.tXbhdV.3", "-1"),
            // Its first 11 characters are one as well.
            ("order ", "AGA5igPrJzI-aYAB", "."),
            ("order-", "175928847299117063", ""),
            ("-", ID, ""),
            ("-a-", "175928847299117063", ""),
            ("cache/.", "175928847299117063", ""),
            ("größe-", "175928847299117063", ""),
            ("éabc-", "175928847299117063", ""),
            ("bytes ", "\\x0186d52bbe2a635a", "|"),
            ("bytes ", "0x0186d52bbe2a635a", ","),
            ("bytes=", "x'0186d52bbe2a635a'", ","),
            ("{\"message_id\": \"", "0x0271065ac1020007", "\"}"),
            ("span_id=0x0271065ac1020007, ", "0x0271065ac1020007", ""),
            ("span_id=", "0x0186d52bbe2a635a", ""),
            ("span_id=", "175928847299117063", ""),
            ("(", "X'0186d52bbe2a635a'", ")"),
            ("max'", "0186d52bbe2a635a", "'"),
            ("user ", TUPLE, " logged in"),
            ("[{id,", TUPLE, "},{n,1}]"),
            ("", "{uid,'uid@127.0.0.1',{1539,625275,432128},<<0,1:6>>}", "{uid,}"),
            ("", "{uid,<<\"}\\\"}Q\">>,{1539,625275,432128},1}", "}"),
            ("{uid,{uid,", "{uid,<<3,235,39,49>>,{1539, 625275, 432128},1}", "{uid"),
        ] {
            let text = std::format!("{before}{id}{after}");
            assert_eq!(found(text.as_bytes()), [(before.len(), id.as_bytes())], "{text}");
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn ids_are_found_in_one_call() {
        let text = b"no time: 919108f7-52d1-4320-9bac-f847db4148a8";
        assert!(find(text).map(|(place, _)| (place.start, place.end)).eq([(9, 45)]));
    }

    #[test]
    fn several_ids_are_found_in_order() {
        let text = std::format!("{ID},{UUID};{TYPE_ID} {ID}-{ID},{TUPLE}{TUPLE},{ID}");
        let places: Vec<usize> = found(text.as_bytes()).iter().map(|(place, _)| *place).collect();
        assert_eq!(places, [0, 13, 50, 82, 95, 108, 136, 165]);
    }

    #[test]
    fn words_and_numbers_are_not_found() {
        for text in [
            "",
            "-.-._-",
            "implausibly state-of-the-art information 2024-03-01T12:00:00.123456789Z",
            "0.175928847299117063 175928847299117063.5 1.175928847299117063e5",
            "-175928847299117063 id=-175928847299117063",
            r#""span_id": "0x0271065ac1020007", ParentSpanId=0x0271065ac1020007"#,
            r#"{"parent_id":"0x0271065ac1020007"}"#,
            "10.0.0.1:8080 192.168.100.200 v1.2.3-beta.4 1763353455622 1763353455",
            // As kuids in the URL-safe alphabet, they would be of these years.
            "AGEING_TIME AF_SECURITY AFFECTS_MULTIPLE AFRIKAANS_SOUTH_AFRICA",
            "größe0u375nxqh5cq",
            "0u375nxqh5cqé e\u{301}0u375nxqh5cq",
            "a0u375nxqh5cq 0u375nxqh5cqb",
            "{uid,1} {uid,{1,2,3}} uid,{1539,625275,432128},1}",
            "uid,{1539,625275,432128},1}}",
            ".5.tXbhdV.3a .5.tXbhdV.3a-b 017f22e2-79b0-7cc3-98c4-dc0c0c07398fa",
            "user_01j1hzw2p7es59rpw0qfqnr7bcab",
            // No escapes, and with these letters no IDs.
            r"%ssbppc0m3ju134 C:\usersbppc0m3ju134 [1mbppc0m3ju134",
            "[1, 134, 213, 43, 190, 42, 99, 90] <<1,134,213,43,190,42,99,90>>",
            "d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709",
        ] {
            assert_eq!(found(text.as_bytes()), [], "{text}");
        }
    }

    /// Each is likely an ID by itself, and one of the format if that is looked for by name.
    #[test]
    fn paths_of_pictures_are_not_found() {
        let detector = detector();
        for (text, format) in
            [("162v549h202v", Format::Nanoflake), ("495h524v495h243v", Format::Sno)]
        {
            let line = std::format!("<path d=\"M12 {text} z\"/>");
            assert_eq!(found(line.as_bytes()), [], "{line}");
            let alone = detector.inspect(text);
            assert!(alone.readings().likely().any(|one| one.format() == format), "{text}");
            let is_it = |found: &Readings| {
                let is_open = |doubt| matches!(doubt, None | Some(Doubt::Unexplained));
                found.iter().any(|one| one.format() == format && is_open(one.doubt()))
            };
            assert_eq!(detector.find_if(line.as_bytes(), is_it).count(), 1, "{text}");
        }
    }

    #[test]
    fn ksuids_in_base64_are_not_found() {
        const KSUID: &str = "0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        let of = |template: &str| template.replace('K', KSUID);
        for template in [
            "sha512-K/ab",
            "sha256-/K/ab",
            "url(data:font/woff2;base64,K/abc)",
            "K=",
            "K/abc==",
            "ab+c/K",
            "/K/ab+c",
            "d09GMgABAAAAAGtY/K/AABkAAAAjqQAAGrtAAEAAAAA",
            "K/d09GMgABAAAAAGtYAA4AAAABkAAAAjqQAAGrtAAEAAAAA",
            // A number and its unit.
            "waits 18446744073709551615seconds",
        ] {
            assert_eq!(found(of(template).as_bytes()), [], "{template}");
        }
        for (template, ids) in [
            ("id=K", 1),
            ("GET /v1/orders/K/items?a=b+c HTTP/1.1", 1),
            ("/api/v1/userAccounts/K/paymentMethods/K/transactions/K/all", 3),
            ("https://example.org/files/K", 1),
            ("K/K/K/K", 4),
            ("\"K\":\"K\"", 2),
            ("hash-K", 1),
        ] {
            assert_eq!(found(of(template).as_bytes()).len(), ids, "{template}");
        }
    }

    /// The percent sign itself is escaped, and the ID starts with digits that look like a code.
    #[test]
    fn digits_behind_an_escaped_percent_sign_are_kept() {
        // A space, a quotation mark, a parenthesis and a slash.
        const LIKE_CODES: [&str; 4] = [
            "2000599121920012288",
            "60b8d295f8a1b2c3d4e5f607",
            "28d8f3b0-52d1-4320-9bac-f847db4148a8",
            "2FhXzJr0Vq0vXkJf5f1q0aP7W3x",
        ];
        let ids = ["175928847299117063", "0u375nxqh5cq", "507f1f77bcf86cd799439011", UUID];
        for id in ids.into_iter().chain(LIKE_CODES) {
            for (escape, after) in [
                ("%25", "%25"),
                ("%25", "%25%27"),
                ("%253D", "%253B"),
                ("%2520", "%2520"),
                ("%2520", ""),
                ("%22", "%22"),
            ] {
                let text = std::format!("LIKE+{escape}{id}{after}");
                let place = 5 + escape.len();
                assert_eq!(found(text.as_bytes()), [(place, id.as_bytes())], "{text}");
            }
        }
    }

    #[test]
    fn any_bytes_are_searched() {
        let text = [b"\xff", ID.as_bytes(), b"\xe4\xb8\0", ID.as_bytes(), b"\xf0\x9f"].concat();
        assert_eq!(found(&text).len(), 2);
        let utf_16: Vec<u8> = ID.bytes().flat_map(|byte| [byte, 0]).collect();
        assert_eq!(found(&utf_16), []);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

        /// In any mixture of texts, places are in order, and each is an ID by itself.
        #[test]
        fn found_texts_are_ids_themselves(
            pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12),
        ) {
            let text = pieces.concat();
            let mut last = 0;
            for (place, found) in detector().find(&text) {
                proptest::prop_assert!(last <= place.start && place.start < place.end);
                last = place.end;
                let id = str::from_utf8(&text[place]).unwrap();
                let alone = *detector().inspect_in(Scope::Part, id).readings();
                proptest::prop_assert!(is_id(&alone) && alone == *found.readings(), "{}", id);
            }
        }
    }

    const PIECES: &[&[u8]] = &[
        ID.as_bytes(),
        UUID.as_bytes(),
        TYPE_ID.as_bytes(),
        b"175928847299117063",
        b".5.tXbhdV.3",
        TUPLE.as_bytes(),
        b"{",
        b"x'0186d52bbe2a635a'",
        b"'",
        b"\\x0186d52bbe2a635a",
        b"user_",
        b"a",
        b"0",
        b"-",
        b"_",
        b".",
        b"\\",
        b"\\n",
        b"%3D",
        b"\x1b[31m",
        b" ",
        b"\xff",
        b"\xc3",
        b"\xc3\xa9",
        b"e5",
    ];

    /// By the number of texts that are inspected, as time depends on the machine.
    #[test]
    fn each_start_is_read_a_few_times() {
        let detector = detector();
        for piece in [
            "a",
            "-",
            "a-",
            "-a",
            "a_",
            "aa.",
            "0123456-",
            "a_0123456789",
            "00000000-0000-",
            "{uid,}",
            "%253D0123456789-",
            "\\x5cn0123456789012345-",
            "\x1b[1;1m0123456789-",
        ] {
            let text = piece.repeat(20_000);
            let mut count = 0;
            let none = |_| {
                count += 1;
                detector.inspect("")
            };
            assert_eq!(Finder::new(text.as_bytes(), none, |_| false).count(), 0);
            assert!(count <= 5 * text.len(), "{piece}: {count}");
        }
    }
}
