//! The forms of an answer that a request accepts.

use core::cmp::Reverse;

use axum::http::{HeaderMap, header};

/// Returns the one of two media types that a request prefers by RFC 9110, section 12.5.1, which is
/// the one of the higher quality. If both have the same quality, it is the one that the request
/// names more precisely, or earlier, or else the first.
///
/// A request that accepts neither gets the first one all the same, which the RFC permits, because
/// clients that always send `text/html` would have no use for an error. Parameters other than the
/// quality are not compared.
pub(super) fn preferred(headers: &HeaderMap, kinds: &[&'static str; 2]) -> &'static str {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<MediaRange<'_>> =
        values.flat_map(|value| value.split(',')).filter_map(MediaRange::parse).collect();
    let rank = |kind: &str| {
        let matching = ranges.iter().enumerate();
        let matching = matching.filter_map(|(index, range)| {
            Some((range.precision(kind)?, Reverse(index), range.quality))
        });
        // The most precise range decides: "text/plain;q=0, */*" excludes text/plain.
        matching.max().map(|(precision, index, quality)| (quality, precision, index))
    };
    match kinds.map(rank) {
        [first, Some(second)] if second.0 > 0 && first.is_none_or(|first| second > first) => {
            kinds[1]
        }
        _ => kinds[0],
    }
}

/// A media range of the header Accept, such as `text/*;q=0.5`.
struct MediaRange<'a> {
    kind: &'a str,
    subkind: &'a str,
    /// In thousandths.
    quality: u16,
}

impl<'a> MediaRange<'a> {
    /// Parses a range, or returns `None` if it is malformed.
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subkind) = parts.next()?.split_once('/')?;
        let is_quality =
            |part: &&str| part.get(..2).is_some_and(|it| it.eq_ignore_ascii_case("q="));
        let quality = parts.find(is_quality).map_or(Some(1_000), |part| quality(&part[2..]))?;
        Some(Self { kind, subkind, quality })
    }

    /// Returns the number of parts of a media type that the range names, if it fits.
    fn precision(&self, kind: &str) -> Option<u8> {
        let (kind, subkind) = kind.split_once('/')?;
        match (self.kind, self.subkind) {
            ("*", "*") => Some(0),
            (own, _) if !own.eq_ignore_ascii_case(kind) => None,
            (_, "*") => Some(1),
            (_, own) => own.eq_ignore_ascii_case(subkind).then_some(2),
        }
    }
}

/// Parses a quality, from 0 to 1 with at most three decimals, and returns it in thousandths.
fn quality(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_number = decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let thousandths = format!("{decimals:0<3}").parse().ok().filter(|_| is_number)?;
    match (whole, thousandths) {
        ("0", thousandths) => Some(thousandths),
        ("1", 0) => Some(1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_quality_is_preferred() {
        let kinds = ["application/json", "text/plain"];
        for (accept, expected) in [
            ("", 0),
            ("*/*", 0),
            ("text/html", 0),
            ("text/plain", 1),
            ("TEXT/PLAIN; charset=utf-8", 1),
            ("text/plain, application/json;q=0.5", 1),
            ("application/json;q=0.5, text/plain;q=0.6", 1),
            ("text/plain;q=0.2, application/json;q=0.9", 0),
            // Ranges.
            ("text/*", 1),
            ("Text/*;q=0.1", 1),
            ("application/*", 0),
            ("image/*", 0),
            ("*/*;q=0.1, text/*;q=0.2", 1),
            ("*/*;q=0.2, text/*;q=0.1", 0),
            ("text/*, application/json;q=0.9", 1),
            ("text/html, */*;q=0.8", 0),
            // The most precise one decides.
            ("text/plain;q=0.1, text/*, application/json;q=0.5", 0),
            ("application/json;q=0, */*", 1),
            ("application/*;q=0.1, */*", 1),
            ("text/plain;q=0, */*;q=0.1", 0),
            // Of equal quality.
            ("application/json, text/plain", 0),
            ("text/plain, application/json", 1),
            ("*/*, text/plain", 1),
            ("application/*, text/plain", 1),
            // Neither.
            ("text/plain;q=0", 0),
            ("application/json;q=0", 0),
        ] {
            assert_eq!(preferred(&accepting(accept), &kinds), kinds[expected], "{accept}");
        }
        let mut headers = accepting("application/json;q=0.5");
        headers.append(header::ACCEPT, "text/plain".parse().unwrap());
        assert_eq!(preferred(&headers, &kinds), "text/plain", "in two headers");
    }

    #[test]
    fn malformed_ranges_do_not_count() {
        let kinds = ["application/json", "text/plain"];
        for range in
            ["text", "/", "*", "*/plain", "text/plain/", "text / plain", "text/pl*n", ";q=1"]
        {
            assert_eq!(preferred(&accepting(range), &kinds), kinds[0], "{range}");
        }
        for text in [
            "", "x", "2", "1.1", "1.001", "-1", "+1", "1e0", "nan", "inf", "0.1234", ".5", "0.5.",
            "00",
        ] {
            let accept = format!("text/plain;q={text}");
            assert_eq!(preferred(&accepting(&accept), &kinds), kinds[0], "{accept}");
        }
        for (text, expected) in [("1", 1_000), ("1.", 1_000), ("1.000", 1_000), ("0.05", 50)] {
            assert_eq!(quality(text), Some(expected), "{text}");
        }
        assert_eq!(preferred(&accepting("text/plain;Q=0.5, */*;q=0.4"), &kinds), kinds[1]);
    }

    fn accepting(value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, value.parse().unwrap());
        headers
    }
}
