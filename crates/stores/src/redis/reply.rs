//! The protocol's requests and replies.

use std::io::{self, BufRead, Read as _, Write as _};

/// The limit of nesting, deeper than any expected reply.
const MAX_DEPTH: u32 = 4;
/// The limit of elements, more than any expected reply has, since a page has two for each row.
const MAX_ELEMENTS: u32 = 1 << 16;

/// A reply. Numbers are their digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Nil,
    Text(Vec<u8>),
    Error(String),
    List(Vec<Self>),
}

impl Reply {
    /// Reads a reply. It takes little more memory than the bytes read.
    pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Self> {
        Self::read_nested(from, MAX_DEPTH, &mut MAX_ELEMENTS.clone())
    }

    fn read_nested(from: &mut impl BufRead, depth: u32, left: &mut u32) -> io::Result<Self> {
        // `*1000000000` costs a hostile server ten bytes, so the parts of an answer are counted,
        // not only its bytes.
        *left = left.checked_sub(1).ok_or_else(malformed)?;
        let mut line = Vec::new();
        from.read_until(b'\n', &mut line)?;
        let Some(line) = line.strip_suffix(b"\r\n") else { return Err(broken_off()) };
        let Some((kind, rest)) = line.split_first() else { return Err(malformed()) };
        let length = || str::from_utf8(rest).ok()?.parse::<i64>().ok();
        match kind {
            b'+' | b':' => Ok(Self::Text(rest.to_vec())),
            b'-' => Ok(Self::Error(String::from_utf8_lossy(rest).into_owned())),
            b'$' | b'*' => match (u64::try_from(length().ok_or_else(malformed)?), kind) {
                // `$-1` and `*-1`.
                (Err(_), _) => Ok(Self::Nil),
                (Ok(length), b'$') => {
                    let mut text = Vec::new();
                    // Not `with_capacity`: the length is a claim of the server's, and memory is
                    // taken only for what comes.
                    from.take(length.saturating_add(2)).read_to_end(&mut text)?;
                    let is_whole = text.ends_with(b"\r\n")
                        && u64::try_from(text.len()).is_ok_and(|read| read == length + 2);
                    text.truncate(text.len().saturating_sub(2));
                    if is_whole { Ok(Self::Text(text)) } else { Err(broken_off()) }
                }
                (Ok(_), _) if depth == 0 => Err(malformed()),
                (Ok(length), _) => {
                    let mut list = Vec::new();
                    for _ in 0..length {
                        list.push(Self::read_nested(from, depth - 1, left)?);
                    }
                    Ok(Self::List(list))
                }
            },
            _ => Err(malformed()),
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        let Self::Text(text) = self else { return None };
        str::from_utf8(text).ok()
    }

    pub(super) fn number<N: core::str::FromStr>(&self) -> Option<N> {
        self.text()?.parse().ok()
    }

    pub(super) fn list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it does not speak Redis' protocol")
}

fn broken_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the answer breaks off")
}

/// Appends a command to a request.
pub(super) fn append(request: &mut Vec<u8>, words: &[&str]) {
    // Writing to a vector does not fail.
    let _ = write!(request, "*{}\r\n", words.len());
    for word in words {
        let _ = write!(request, "${}\r\n{word}\r\n", word.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Reply> {
        Reply::read(&mut &*bytes)
    }

    #[test]
    fn replies_are_read() {
        let text = |text: &str| Reply::Text(text.into());
        assert_eq!(read(b"+OK\r\n").unwrap(), text("OK"));
        assert_eq!(read(b":-7\r\n").unwrap().number(), Some(-7));
        assert_eq!(read(b"$4\r\na\r\nb\r\n").unwrap(), text("a\r\nb"));
        assert_eq!(read(b"-ERR no\r\n").unwrap(), Reply::Error("ERR no".to_owned()));
        let list = Reply::List(vec![Reply::Nil, Reply::List(vec![text("a")]), Reply::Nil]);
        assert_eq!(read(b"*3\r\n$-1\r\n*1\r\n$1\r\na\r\n*-1\r\n").unwrap(), list);
    }

    #[test]
    fn other_bytes_are_refused() {
        let whole = b"*2\r\n$2\r\nab\r\n:7\r\n";
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
        let deep = "*1\r\n".repeat(100);
        let huge = "$9223372036854775807\r\nab";
        for bytes in ["\r\n", "HTTP/1.1 400\r\n", "$x\r\n", "*\r\n", "$1\r\nabc\r\n", &deep, huge] {
            assert!(read(bytes.as_bytes()).is_err(), "{bytes}");
        }
        assert!(read(b"*9223372036854775807\r\n:1\r\n").is_err());
        let long = "*0\r\n".repeat(70_000);
        let error = read(format!("*70000\r\n{long}").as_bytes()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn commands_are_written() {
        let mut request = Vec::new();
        append(&mut request, &["GET", "é"]);
        assert_eq!(request, "*2\r\n$3\r\nGET\r\n$2\r\né\r\n".as_bytes());
    }
}
