//! What library sources may not hold.

use crate::tidy::{Files, Finding};

/// Left-overs of work in progress. Clippy warns of them, too, but not in code that is compiled out.
const LEFT_OVERS: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// The only files that may hold `unsafe`. The design names three places: core's codec kernels, core's
/// counter clock, and the fork handler (in core: process-wide generators need it as leases do).
const UNSAFE_PERMITS: [&str; 7] = [
    "crates/core/src/clock/counter/hardware.rs",
    "crates/core/src/fork.rs",
    "crates/core/src/text/kernels/x86_64/avx2.rs",
    "crates/core/src/text/kernels/x86_64/avx512.rs",
    "crates/core/src/text/kernels/x86_64/mod.rs",
    "crates/core/src/text/kernels/x86_64/sse2.rs",
    // Forks.
    "crates/lease/tests/fork.rs",
];

pub(super) fn check(path: &str, text: &str) -> Vec<Finding> {
    check_with(path, text, &UNSAFE_PERMITS)
}

/// Permits for files that have gone, or need none any more.
pub(super) fn stale_permits(files: &Files) -> Vec<Finding> {
    stale(files, &UNSAFE_PERMITS)
}

fn check_with(path: &str, text: &str, unsafe_permits: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in code(text).lines().enumerate() {
        let mut find = |message| {
            findings.push(Finding { path: path.to_owned(), line: Some(number + 1), message });
        };
        for name in LEFT_OVERS.into_iter().filter(|name| calls_macro(line, name)) {
            find(format!("`{name}!` in a library"));
        }
        if has_unsafe(line) && !unsafe_permits.contains(&path) {
            find("`unsafe` outside of the modules that may hold it".to_owned());
        }
    }
    findings
}

fn stale(files: &Files, permits: &[&str]) -> Vec<Finding> {
    let uses = |path| files.get(path).is_some_and(|text| has_unsafe(&code(text)));
    let stale = permits.iter().filter(|path| !uses(**path));
    stale
        .map(|path| Finding {
            path: (*path).to_owned(),
            line: None,
            message: "is permitted to hold `unsafe`, but does not".to_owned(),
        })
        .collect()
}

fn has_unsafe(code: &str) -> bool {
    after_word(code, "unsafe").next().is_some()
}

fn calls_macro(code: &str, name: &str) -> bool {
    after_word(code, name).any(|rest| rest.starts_with('!') && !rest.starts_with("!="))
}

/// What follows each occurrence of `word` as a whole word.
fn after_word<'a>(code: &'a str, word: &str) -> impl Iterator<Item = &'a str> {
    code.match_indices(word).filter_map(move |(start, word)| {
        let rest = &code[start + word.len()..];
        let whole = !code[..start].ends_with(in_word) && !rest.starts_with(in_word);
        whole.then_some(rest)
    })
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The source with comments and the insides of literals left out; the lines stay where they are.
fn code(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let word_before = code.ends_with(in_word);
        let skip = comment(rest).or_else(|| string(rest, word_before)).or_else(|| character(rest));
        let len = match skip {
            Some(len) => {
                code.extend(rest[..len].chars().filter(|&c| c == '\n'));
                // So that what stood on both sides does not become one word.
                code.push(' ');
                len
            }
            None => {
                code.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[len..];
    }
    code
}

/// How long the comment is that `source` begins with.
fn comment(source: &str) -> Option<usize> {
    if source.starts_with("//") {
        return Some(source.find('\n').unwrap_or(source.len()));
    }
    if !source.starts_with("/*") {
        return None;
    }
    let (mut depth, mut at) = (1, 2);
    while let Some(next) = source.get(at..).filter(|next| depth > 0 && !next.is_empty()) {
        let (change, len) = match next.as_bytes() {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, next.chars().next().map_or(1, char::len_utf8)),
        };
        (depth, at) = (depth + change, at + len);
    }
    Some(at)
}

/// How long the string is that `source` begins with, its prefix included.
fn string(source: &str, word_before: bool) -> Option<usize> {
    let prefixes = ["br", "cr", "b", "c", "r", ""];
    let prefix = prefixes.into_iter().find(|prefix| source.starts_with(prefix))?;
    let after = &source[prefix.len()..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    let text = after[hashes..].strip_prefix('"')?;
    let (is_raw, is_end_of_word) = (prefix.ends_with('r'), word_before && !prefix.is_empty());
    if is_end_of_word || hashes > 0 && !is_raw {
        return None;
    }
    let len = if is_raw {
        let end = format!("\"{}", "#".repeat(hashes));
        text.find(&end).map_or(text.len(), |at| at + end.len())
    } else {
        up_to(text, '"')
    };
    Some(source.len() - text.len() + len)
}

/// How long the character is that `source` begins with. A lifetime is none.
fn character(source: &str) -> Option<usize> {
    let inside = source.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    if first == '\\' || inside[first.len_utf8()..].starts_with('\'') {
        return Some(1 + up_to(inside, '\''));
    }
    None
}

/// How long the inside of a literal is, with the `quote` that ends it.
fn up_to(inside: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in inside.char_indices() {
        if c == quote && !is_escaped {
            return at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    inside.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(source: &str) -> Vec<String> {
        let findings = check_with("a.rs", source, &["permitted.rs"]);
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn left_overs_are_found() {
        let source = "fn a() {\n    todo!()\n}\nfn b() { dbg!(1); unimplemented! {} }\n";
        assert_eq!(
            messages(source),
            [
                "a.rs:2: `todo!` in a library",
                "a.rs:4: `unimplemented!` in a library",
                "a.rs:4: `dbg!` in a library",
            ]
        );
    }

    #[test]
    fn unsafe_is_found_in_every_shape() {
        for source in [
            "unsafe { f() }",
            "pub unsafe fn f() {}",
            "unsafe impl Send for A {}",
            "#[unsafe(no_mangle)]",
            "f('\"', unsafe { 1 })",
            "f(\"\\\"\", unsafe { 1 })",
            "f(r#\"\"\"#, unsafe { 1 })",
            "f('\\'', unsafe { 1 })",
            "/* /* */ */ unsafe { f() } // \"",
            "fn f<'a>(a: &'a str) { unsafe { g('a') } }",
        ] {
            let expected = "a.rs:1: `unsafe` outside of the modules that may hold it";
            assert_eq!(messages(source), [expected], "{source}");
        }
    }

    #[test]
    fn unsafe_is_fine_where_it_is_permitted() {
        let permits = ["a.rs"];
        assert_eq!(check_with("a.rs", "unsafe { f() }", &permits), []);
        assert_eq!(check_with("b.rs", "unsafe { f() }", &permits).len(), 1);
    }

    #[test]
    fn stale_permits_are_found() {
        let files = [("a.rs", "unsafe { f() }"), ("b.rs", "// unsafe")];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let stale = stale(&Files::from(files), &["a.rs", "b.rs", "c.rs"]);
        assert_eq!(stale.iter().map(|f| &*f.path).collect::<Vec<_>>(), ["b.rs", "c.rs"]);
    }

    #[test]
    fn words_and_text_are_not_code() {
        for source in [
            "#![forbid(unsafe_code)]",
            "#![warn(unsafe_op_in_unsafe_fn)]",
            "// todo!() in unsafe",
            "/// todo!()\n//! unsafe\n/* dbg!(1)\n/* unsafe */ todo!() */",
            "let a = \"todo!() \\\" unsafe\";",
            "let a = \"\\\\\"; // unsafe",
            "let a = (b\"unsafe\", c\"unsafe\", r\"\\\", \"unsafe\");",
            "let a = r##\"\"# unsafe\"##;",
            "if todo != 1 { r#dbg }",
            "if todo!=1 {}",
            "my_todo!();",
            "/* unsafe",
            "\"unsafe",
        ] {
            assert_eq!(messages(source), [""; 0], "{source}");
        }
    }

    #[test]
    fn lines_stay_where_they_are() {
        let source = "let a = \"\n\n\"; /*\n*/\ntodo!()";
        assert_eq!(messages(source), ["a.rs:5: `todo!` in a library"]);
    }
}
