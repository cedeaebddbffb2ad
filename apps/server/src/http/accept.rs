//! The forms of an answer that a request accepts.

use axum::http::{HeaderMap, header};

/// Returns the one of `kinds`, which are media types, that a request prefers: of those that it
/// names the one of the highest quality, or the first; else the first of `kinds`.
pub(super) fn preferred(headers: &HeaderMap, kinds: &[&'static str; 2]) -> &'static str {
    let mut best = (0.0, kinds[0]);
    let ranges = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    for range in ranges.flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let Some(kind) = kinds.iter().find(|kind| kind.eq_ignore_ascii_case(name)) else {
            continue;
        };
        let quality = parts.find_map(|part| part.strip_prefix("q="));
        // One that is malformed counts as none.
        let quality = quality.map_or(1.0, |it| it.parse::<f32>().unwrap_or(0.0));
        if quality > best.0 {
            best = (quality, kind);
        }
    }
    best.1
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
            ("application/json, text/plain", 0),
            ("text/plain;q=0.2, application/json;q=0.9", 0),
            ("text/plain;q=0", 0),
            ("text/plain;q=x", 0),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(preferred(&headers, &kinds), kinds[expected], "{accept}");
        }
    }
}
