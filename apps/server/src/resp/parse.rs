//! The requests of RESP, which are arrays of bulk strings and inline commands.
//!
//! The parser is small, because servers need so little of the protocol. General codecs build a tree
//! of owned frames for each request, without bounds on its depth and its size.

use core::ops::Range;

/// The largest number of arguments whose places are kept. No command has as many.
pub(crate) const MAX_ARGS: usize = 16;
/// The largest number of arguments.
const MAX_COUNT: i64 = 1_024;
/// The longest line, which is a length or an inline command.
const MAX_LINE: usize = 1_024;

/// A command, as the places of its arguments in the buffer, its name first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RespCommand {
    /// The first ones, as many as are kept.
    args: [(u32, u32); MAX_ARGS],
    /// The number of all.
    len: usize,
}

impl RespCommand {
    /// Reads the command at the start of `buffer` and returns the number of its bytes, which is at
    /// most `max`, or `None` if not all of it is there yet. An empty command has no arguments.
    ///
    /// Commands are not returned, since moving one takes as long as reading it.
    pub(crate) fn read(
        &mut self,
        buffer: &[u8],
        max: usize,
    ) -> Result<Option<usize>, ProtocolError> {
        self.len = 0;
        let len = match buffer.first() {
            None => return Ok(None),
            Some(b'*') => self.read_array(buffer, max)?,
            Some(_) => self.read_line(buffer)?,
        };
        match len {
            Some(len) if len > max => Err(ProtocolError::TooBig(max)),
            None if buffer.len() >= max => Err(ProtocolError::TooBig(max)),
            len => Ok(len),
        }
    }

    /// Returns the number of arguments, the name among them.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns an argument, which is empty if it does not exist or was not kept.
    pub(crate) fn arg<'a>(&self, index: usize, buffer: &'a [u8]) -> &'a [u8] {
        if index >= self.len {
            return b"";
        }
        let place = self.args.get(index).map(|&(start, end)| start as usize..end as usize);
        place.and_then(|place| buffer.get(place)).unwrap_or_default()
    }

    fn push(&mut self, place: Range<usize>) {
        if let Some(arg) = self.args.get_mut(self.len) {
            // Within the buffer's limit, which is far below.
            *arg = (
                u32::try_from(place.start).unwrap_or(u32::MAX),
                u32::try_from(place.end).unwrap_or(u32::MAX),
            );
        }
        self.len += 1;
    }

    fn read_array(&mut self, buffer: &[u8], max: usize) -> Result<Option<usize>, ProtocolError> {
        let Some((count, mut at)) = number(buffer, 1, ProtocolError::Count)? else {
            return Ok(None);
        };
        if count > MAX_COUNT {
            return Err(ProtocolError::Count);
        }
        // Like Redis: an array without elements, or a null one, is not a command.
        for _ in 0..count {
            match buffer.get(at) {
                None => return Ok(None),
                Some(b'$') => {}
                Some(&other) => return Err(ProtocolError::NoBulk(other)),
            }
            let Some((len, start)) = number(buffer, at + 1, ProtocolError::Length)? else {
                return Ok(None);
            };
            let len = usize::try_from(len).map_err(|_| ProtocolError::Length)?;
            if len > max {
                return Err(ProtocolError::TooBig(max));
            }
            let end = start + len;
            match buffer.get(end..end + 2) {
                Some(b"\r\n") => {}
                Some(_) => return Err(ProtocolError::NoEnd),
                // A wrong first byte will not get better.
                None if buffer.get(end).is_some_and(|&byte| byte != b'\r') => {
                    return Err(ProtocolError::NoEnd);
                }
                None if end >= max => return Err(ProtocolError::TooBig(max)),
                None => return Ok(None),
            }
            self.push(start..end);
            at = end + 2;
        }
        Ok(Some(at))
    }

    /// Reads a line of words, for people with a terminal. Quotes have no meaning.
    fn read_line(&mut self, buffer: &[u8]) -> Result<Option<usize>, ProtocolError> {
        let line = &buffer[..buffer.len().min(MAX_LINE)];
        let Some(end) = line.iter().position(|&byte| byte == b'\n') else {
            return if buffer.len() >= MAX_LINE { Err(ProtocolError::Line) } else { Ok(None) };
        };
        let line = &line[..end];
        let mut at = 0;
        while at < line.len() {
            let word = line[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            if word > 0 {
                self.push(at..at + word);
            }
            at += word + 1;
        }
        Ok(Some(end + 1))
    }
}

/// A violation of the protocol, after which the rest of the input has no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProtocolError {
    #[error("invalid multibulk length")]
    Count,
    #[error("expected '$', got '{}'", .0.escape_ascii())]
    NoBulk(u8),
    #[error("invalid bulk length")]
    Length,
    #[error("expected CRLF after a bulk string")]
    NoEnd,
    #[error("too big inline request, more than 1024 bytes")]
    Line,
    #[error("too big request, more than the limit request bytes, {0}")]
    TooBig(usize),
}

/// Reads a decimal number and the end of its line, and returns it with the place after them.
fn number(
    buffer: &[u8],
    start: usize,
    error: ProtocolError,
) -> Result<Option<(i64, usize)>, ProtocolError> {
    /// A sign and as many digits as fit into the number, with room to spare.
    const MAX_DIGITS: usize = 12;
    let rest = buffer.get(start..).unwrap_or_default();
    let (is_negative, digits) = match rest.first() {
        Some(b'-') => (true, &rest[1..]),
        _ => (false, rest),
    };
    // Most lengths have one digit.
    if let [digit @ b'0'..=b'9', b'\r', b'\n', ..] = digits
        && !is_negative
    {
        return Ok(Some((i64::from(digit - b'0'), start + 3)));
    }
    let mut value: i64 = 0;
    for (index, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' if index < MAX_DIGITS => value = value * 10 + i64::from(byte - b'0'),
            b'\r' if index > 0 => {
                return match digits.get(index + 1) {
                    Some(b'\n') => {
                        let at = start + usize::from(is_negative) + index + 2;
                        Ok(Some((if is_negative { -value } else { value }, at)))
                    }
                    Some(_) => Err(error),
                    None => Ok(None),
                };
            }
            _ => return Err(error),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 4_096;

    /// Reads a command, and returns it with the number of its bytes. An empty command is `None`.
    fn parse(
        buffer: &[u8],
        max: usize,
    ) -> Result<Option<(usize, Option<RespCommand>)>, ProtocolError> {
        let mut command = RespCommand::default();
        let len = command.read(buffer, max)?;
        Ok(len.map(|len| (len, (command.len() > 0).then_some(command))))
    }

    fn args(buffer: &[u8]) -> Vec<Vec<u8>> {
        let (len, command) = parse(buffer, MAX).unwrap().unwrap();
        assert_eq!(len, buffer.len());
        let command = command.unwrap();
        (0..command.len()).map(|index| command.arg(index, buffer).to_vec()).collect()
    }

    #[test]
    fn commands_are_read() {
        assert_eq!(args(b"*2\r\n$4\r\nINCR\r\n$6\r\norders\r\n"), [&b"INCR"[..], b"orders"]);
        assert_eq!(args(b"*2\r\n$0\r\n\r\n$2\r\n\r\n\r\n"), [&b""[..], b"\r\n"]);
        assert_eq!(args(b"  INCR\torders \r\n"), [&b"INCR"[..], b"orders"]);
        assert_eq!(args(b"PING\n"), [b"PING"]);
        for empty in [&b"*0\r\n"[..], b"*-1\r\n", b"\r\n", b" \n"] {
            assert_eq!(parse(empty, MAX), Ok(Some((empty.len(), None))));
        }
    }

    #[test]
    fn every_split_is_awaited() {
        for whole in [&b"*2\r\n$4\r\nINCR\r\n$6\r\norders\r\n"[..], b"INCR orders\r\n", b"*0\r\n"] {
            for len in 0..whole.len() {
                assert_eq!(parse(&whole[..len], MAX), Ok(None), "{len}");
            }
            let mut pipelined = whole.to_vec();
            pipelined.extend_from_slice(whole);
            assert_eq!(parse(&pipelined, MAX), parse(whole, MAX));
        }
    }

    #[test]
    fn violations_are_refused() {
        use ProtocolError::{Count, Length, Line, NoBulk, NoEnd, TooBig};
        let long = [b'a'; MAX_LINE];
        let cases: [(&[u8], ProtocolError); 14] = [
            (b"*x\r\n", Count),
            (b"*\r\n", Count),
            (b"*-\r\n", Count),
            (b"*1025\r\n", Count),
            (b"*99999999999999999999\r\n", Count),
            (b"*1\rx", Count),
            (b"*1\r\n:1\r\n", NoBulk(b':')),
            (b"*1\r\n*1\r\n", NoBulk(b'*')),
            (b"*1\r\n$x\r\n", Length),
            (b"*1\r\n$-1\r\n", Length),
            (b"*1\r\n$4097\r\n", TooBig(MAX)),
            (b"*1\r\n$1\r\nax", NoEnd),
            (b"*1\r\n$1\r\na\rx", NoEnd),
            (&long, Line),
        ];
        for (buffer, error) in cases {
            assert_eq!(parse(buffer, MAX), Err(error), "{}", buffer.escape_ascii());
        }
    }

    #[test]
    fn requests_are_bounded() {
        // Many small arguments.
        let mut buffer = b"*1000\r\n".to_vec();
        while buffer.len() < MAX {
            buffer.extend_from_slice(b"$1\r\na\r\n");
        }
        assert_eq!(parse(&buffer, MAX), Err(ProtocolError::TooBig(MAX)));
        // One whose end cannot be within the limit.
        assert_eq!(parse(b"*1\r\n$4096\r\n", MAX), Err(ProtocolError::TooBig(MAX)));
    }

    #[test]
    fn further_arguments_are_counted() {
        let mut buffer = b"*20\r\n".to_vec();
        for _ in 0..20 {
            buffer.extend_from_slice(b"$1\r\na\r\n");
        }
        let (len, command) = parse(&buffer, MAX).unwrap().unwrap();
        let command = command.unwrap();
        assert_eq!((len, command.len()), (buffer.len(), 20));
        assert_eq!(command.arg(MAX_ARGS - 1, &buffer), b"a");
        assert_eq!(command.arg(MAX_ARGS, &buffer), b"");
    }
}
