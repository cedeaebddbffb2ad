//! The escapes that stand before an ID in JSON, URLs, mails and what terminals show.
//!
//! Their last characters are those of IDs, so what follows an escape looks like a part of it.

/// The longest parameters of a control sequence, so that a long list takes no longer.
const MAX_PARAMETERS: usize = 24;

/// The most characters of IDs that end an escape, which `\U0000001b` has.
pub(crate) const MAX_ESCAPE: usize = 9;

/// How the character ESC is written out: by rsyslog, `cat -v`, shells, programming languages, URLs
/// and mails.
const ESC: [&[u8]; 15] = [
    b"\x1b", b"#033", b"^[", b"\\e", b"\\E", b"\\033", b"\\x1b", b"\\x1B", b"\\u001b", b"\\u001B",
    b"\\u{1b}", b"%1b", b"%1B", b"%251B", b"=1B",
];

/// Returns the numbers of characters at the start of a run that may be the end of an escape before
/// it, the highest first. `after` is what follows the run.
pub(crate) fn escapes(before: &[u8], run: &[u8], after: &[u8]) -> [Option<usize>; 3] {
    if let Some(len) = control_sequence(before, run) {
        return [Some(len), None, None];
    }
    // The number of digits of a code, with the characters around them.
    let of_code = |start: usize, digits: usize| {
        let code = hex(run.get(start..)?.get(..digits)?)?;
        Some((code, start + digits))
    };
    match (before, run) {
        // `%3D`, and `%253D` if it was escaped twice. What needs no escape was not, so that the
        // digits in `%25175928847299117063` are those of an ID, and so are all in `%25…%25`.
        ([.., b'%'], _) => {
            let is_twice = run.starts_with(b"25") && !is_percent_sign(after);
            let twice = if is_twice { of_code(2, 2) } else { None };
            let twice = twice.filter(|(code, _)| is_escaped(*code));
            let [letter, twice] = with_letter(run, twice);
            let [other, once] = with_letter(run, of_code(0, 2));
            [letter.or(other), twice, once]
        }
        // Of a mail. Other codes look like the start of an ID, except behind another one, as in
        // `=C3=A4`.
        ([.., b'='], [b'3', b'D', ..]) => [Some(2), None, None],
        ([.., b'=', b'8'..=b'9' | b'A'..=b'F', _, b'='], [b'8' | b'9' | b'A' | b'B', ..]) => {
            [of_code(0, 2).map(|(_, len)| len), None, None]
        }
        ([.., b'\\'], [b'x', ..]) => with_none(with_letter(run, of_code(1, 2))),
        ([.., b'\\'], [b'u', ..]) => with_none(with_letter(run, of_code(1, 4))),
        ([.., b'\\'], [b'U', ..]) => [of_code(1, 8).map(|(_, len)| len), None, None],
        // Octal. Paths of Windows have digits behind a backslash as well, so the character is a
        // control character or punctuation, or follows another code. rsyslog writes control
        // characters with a number sign.
        ([.., b'\\' | b'#'], [b'0', b'0'..=b'5' | b'7', b'0'..=b'7', ..])
            if !matches!(run, [_, b'7', b'0' | b'1', ..]) =>
        {
            [Some(3), None, None]
        }
        ([.., b'\\', b'2' | b'3', _, _, b'\\'], [b'2', b'0'..=b'7', b'0'..=b'7', ..]) => {
            [Some(3), None, None]
        }
        ([.., b'\\'], [b'0' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v', ..])
        // As `cat -v` writes them.
        | ([.., b'^'], [b'A'..=b'Z', ..]) => [Some(1), None, None],
        _ => [None; 3],
    }
}

fn with_none([one, other]: [Option<usize>; 2]) -> [Option<usize>; 3] {
    [one, other, None]
}

/// Returns the end of a code, and also that of the escape that a backslash in it starts, as in
/// `\x5Cn`.
fn with_letter(run: &[u8], code: Option<(u32, usize)>) -> [Option<usize>; 2] {
    let Some((code, end)) = code else { return [None; 2] };
    let is_letter = matches!(run.get(end), Some(b'b' | b'f' | b'n' | b'r' | b't'));
    let has_letter = code == u32::from(b'\\') && is_letter;
    [has_letter.then_some(end + 1), Some(end)]
}

/// Reports whether a text starts with an escaped percent sign that is not part of another escape.
fn is_percent_sign(text: &[u8]) -> bool {
    let code = |rest: &[u8]| rest.get(..2).and_then(hex);
    text.strip_prefix(b"%25").is_some_and(|rest| !code(rest).is_some_and(is_escaped))
}

/// Reports whether URLs escape a character: white space, punctuation, and bytes of other scripts.
fn is_escaped(code: u32) -> bool {
    let code = u8::try_from(code).unwrap_or(u8::MAX);
    let is_plain = code.is_ascii_alphanumeric() || matches!(code, b'-' | b'.' | b'_' | b'~');
    let is_space = matches!(code, b'\t' | b'\n' | b'\r' | b'\x1b' | b' ');
    is_space || !(is_plain || code.is_ascii_control())
}

/// Returns the value of hexadecimal digits in either case.
fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |code, digit| Some(code << 4 | char::from(*digit).to_digit(16)?))
}

/// Returns the number of characters that end a control sequence of a terminal, for example those of
/// `31m` behind `ESC [`.
fn control_sequence(before: &[u8], run: &[u8]) -> Option<usize> {
    let is_esc = |text: &[u8]| ESC.iter().any(|esc| text.ends_with(esc));
    match before {
        // Of two characters, and a character set, which `tput sgr0` selects.
        [.., b'\x1b'] => return Some(1),
        [esc @ .., b'(' | b')'] if is_esc(esc) => return Some(1),
        _ => {}
    }
    // The bracket may be escaped as well.
    let is_escaped = [&b"%1B%"[..], b"%1b%"].iter().any(|esc| before.ends_with(esc));
    let escaped = if is_escaped && run.get(..2)?.eq_ignore_ascii_case(b"5B") { 2 } else { 0 };
    if escaped == 0 {
        let last = before.iter().rev().take(MAX_PARAMETERS);
        let len = last.take_while(|byte| matches!(byte, b' '..=b'?')).count();
        let [esc @ .., b'['] = before.get(..before.len() - len)? else { return None };
        if !is_esc(esc) {
            return None;
        }
    }
    let digits = run.get(escaped..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let last = escaped + digits;
    run.get(last)?.is_ascii_alphabetic().then_some(last + 1)
}
