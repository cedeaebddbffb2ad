//! Messages on standard error. Text of foreign origin in them is escaped, so that a terminal
//! interprets none of it as a command, and cut to a bounded length.

use std::io::{self, Write as _};
use std::sync::LazyLock;

use anstyle::{AnsiColor, Style};

use crate::output::progress;

/// The characters shown of one input.
const INPUT: usize = 300;

/// The characters shown of one message, which may quote several inputs and the answers of servers.
const MESSAGE: usize = 2_000;

/// Returns the first 300 characters of an input, escaped.
pub(crate) fn shown(input: impl AsRef<[u8]>) -> String {
    escaped(input.as_ref(), INPUT)
}

/// Writes a remark to standard error, as a separate line.
pub(crate) fn say(remark: &str) {
    write("tickid", Style::new(), remark);
}

/// Writes an error to standard error, and the hint on a separate line.
pub(crate) fn say_error(error: &str, hint: Option<&str>) {
    write("error", AnsiColor::Red.on_default().bold(), error);
    if let Some(hint) = hint {
        say_hint(hint);
    }
}

/// Writes a hint to standard error, as a separate line.
pub(crate) fn say_hint(hint: &str) {
    write("hint", AnsiColor::Cyan.on_default().bold(), hint);
}

fn write(label: &str, style: Style, message: &str) {
    // Found out once: there may be a message for each of a million lines.
    static IS_COLOURED: LazyLock<bool> = LazyLock::new(|| {
        anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
    });
    let style = if *IS_COLOURED { style } else { Style::new() };
    let line = format!("{style}{label}:{style:#} {}\n", escaped(message.as_bytes(), MESSAGE));
    progress::erase();
    // No place is left to report a failure to.
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Replaces all but printable characters by escapes and cuts the text to `most` characters of
/// output.
fn escaped(text: &[u8], most: usize) -> String {
    let mut out = String::new();
    let mut left = most;
    // An escape is written as a whole or not at all, because a cut one, such as `\u{1`, would not
    // show which character it stands for.
    let mut push = |piece: &str, len: usize| {
        let fits = len <= left;
        if fits {
            left -= len;
            out.push_str(piece);
        }
        fits
    };
    let fit = text.utf8_chunks().all(|chunk| {
        chunk.valid().chars().all(|character| match character {
            // `escape_debug` would escape these as well. No terminal interprets them, and users
            // compare what they see with what they have typed.
            '\'' | '"' | '\\' => push(character.encode_utf8(&mut [0; 4]), 1),
            _ => {
                let escape = character.escape_debug();
                push(&escape.to_string(), escape.len())
            }
        }) && chunk.invalid().iter().all(|byte| push(&byte.escape_ascii().to_string(), 4))
    });
    if !fit {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_is_unchanged() {
        for text in ["", "0u375nxqh5cq", "Grüße, 世界", "it's \"a\\b\""] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn controls_are_escaped() {
        let cases: [(&[u8], &str); 5] = [
            (b"a\x1b[2Jb\r\n\t\0", "a\\u{1b}[2Jb\\r\\n\\t\\0"),
            ("\u{9b}31m".as_bytes(), "\\u{9b}31m"),
            ("a\u{202e}b".as_bytes(), "a\\u{202e}b"),
            (b"ab\xffcd", "ab\\xffcd"),
            (b"\xe4\xb8", "\\xe4\\xb8"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shown("a".repeat(300)), "a".repeat(300));
        assert_eq!(shown("a".repeat(301)), "a".repeat(300) + "…");
        assert_eq!(shown("ü".repeat(301)), "ü".repeat(300) + "…");
        // Escapes are counted by their length, and not taken apart.
        assert_eq!(shown([0xff; 301]), "\\xff".repeat(75) + "…");
        assert_eq!(shown("\x1b".repeat(301)), "\\u{1b}".repeat(50) + "…");
        assert_eq!(
            shown("a".to_owned() + &"\x1b".repeat(301)),
            "a".to_owned() + &"\\u{1b}".repeat(49) + "…"
        );
    }
}
