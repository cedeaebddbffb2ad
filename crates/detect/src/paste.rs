//! The texts around IDs that are copied along with them.

/// White space and quotation marks of texts for people, in UTF-8: U+00A0, U+200B, U+FEFF, ‘’, “”
/// and «».
const MARKS: [&[u8]; 9] = [
    b"\xc2\xa0",
    b"\xe2\x80\x8b",
    b"\xef\xbb\xbf",
    b"\xe2\x80\x98",
    b"\xe2\x80\x99",
    b"\xe2\x80\x9c",
    b"\xe2\x80\x9d",
    b"\xc2\xab",
    b"\xc2\xbb",
];

/// Returns `text` without what people paste along with an ID. Around the ID, this removes white
/// space, quotation marks, backquotes and parentheses, and the name of a function that is called
/// with it. It also removes commas and semicolons after the ID, the name of a JSON member before
/// it, the `n` of JavaScript's large integers, and the apostrophe or the `="…"` that keep digits
/// text in a spreadsheet.
///
/// Call it before [`inspect`](crate::inspect) and [`detect`](crate::detect()), which read a text as
/// it is.
///
/// # Examples
/// ```
/// use tickid_detect::trimmed;
///
/// assert_eq!(trimmed(b"  \"0u375nxqh5cq\",\r\n"), b"0u375nxqh5cq");
/// assert_eq!(trimmed(b"\"id\": \"0u375nxqh5cq\","), b"0u375nxqh5cq");
/// assert_eq!(trimmed(b"ObjectId('507f1f77bcf86cd799439011')"), b"507f1f77bcf86cd799439011");
/// assert_eq!(trimmed("“0u375nxqh5cq”".as_bytes()), b"0u375nxqh5cq");
/// assert_eq!(trimmed(b"110009624767914842n,"), b"110009624767914842");
/// assert_eq!(trimmed(b"=\"110009624767914842\""), b"110009624767914842");
/// assert_eq!(trimmed(b"b'\\x01'"), b"b'\\x01'");
/// ```
#[inline]
#[must_use]
pub fn trimmed(text: &[u8]) -> &[u8] {
    // The first and the last characters of most IDs.
    let is_own = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    match text {
        [digits @ .., b'n'] if is_large_integer(digits) => digits,
        [first, .., last] if is_own(first) && is_own(last) => text,
        _ => unwrapped(text),
    }
}

/// Reports whether a text is the digits of an integer that JavaScript prints with an `n`. Shorter
/// ones and an `n` are the texts of other IDs.
fn is_large_integer(text: &[u8]) -> bool {
    (17..=20).contains(&text.len()) && text.iter().all(u8::is_ascii_digit)
}

/// The longest text around an ID that is taken away. Each layer is searched as a whole, so a text
/// of a megabyte of quotation marks would take minutes.
const MAX_PASTE: usize = 1_024;

fn unwrapped(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii();
    if text.len() > MAX_PASTE {
        return text;
    }
    loop {
        let inner = match text {
            [inner @ .., b',' | b';'] | [b'(', inner @ .., b')'] => inner,
            [digits @ .., b'n'] if is_large_integer(digits) => digits,
            // As a spreadsheet keeps digits from becoming a number.
            [b'=', quoted @ ..] if quoted.first() == Some(&b'"') => quoted,
            [b'\'', inner @ ..] if inner.iter().all(u8::is_ascii_alphanumeric) => inner,
            [b'"', rest @ ..] => member_value(rest).or(rest.strip_suffix(b"\"")).unwrap_or(text),
            [open @ (b'\'' | b'`'), inner @ .., close] if open == close => inner,
            [call @ .., b')'] => argument(call).unwrap_or(text),
            _ => without_mark(text),
        };
        if inner.len() == text.len() {
            return text;
        }
        text = inner.trim_ascii();
    }
}

/// Returns the value after the name of a JSON member.
fn member_value(text: &[u8]) -> Option<&[u8]> {
    let end = text.windows(2).position(|pair| pair == b"\":")?;
    text.get(end + 2..)
}

/// Returns the argument of a call without its closing parenthesis.
fn argument(call: &[u8]) -> Option<&[u8]> {
    let start = call.iter().position(|byte| *byte == b'(')?;
    let (name, argument) = call.split_at_checked(start)?;
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(byte));
    if is_name { argument.get(1..) } else { None }
}

fn without_mark(text: &[u8]) -> &[u8] {
    let stripped = |mark: &&[u8]| text.strip_prefix(*mark).or_else(|| text.strip_suffix(*mark));
    MARKS.iter().find_map(stripped).unwrap_or(text)
}
