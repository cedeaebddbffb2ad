//! The answers of RESP.

use std::io::Write as _;

/// The version of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RespVersion {
    #[default]
    Resp2,
    Resp3,
}

impl RespVersion {
    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Resp2 => 2,
            Self::Resp3 => 3,
        }
    }
}

pub(crate) fn status(text: &str, out: &mut Vec<u8>) {
    let _ = write!(out, "+{text}\r\n");
}

/// Appends an error, as one line of printable characters.
pub(crate) fn error(text: &str, out: &mut Vec<u8>) {
    out.push(b'-');
    for character in text.chars() {
        if character.is_control() {
            let _ = write!(out, "{}", character.escape_default());
        } else {
            let _ = write!(out, "{character}");
        }
    }
    out.extend_from_slice(b"\r\n");
}

pub(crate) fn integer(value: i64, out: &mut Vec<u8>) {
    out.push(b':');
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    out.extend_from_slice(b"\r\n");
}

pub(crate) fn bulk(bytes: &[u8], out: &mut Vec<u8>) {
    bulk_header(bytes.len(), out);
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

pub(crate) fn bulk_header(len: usize, out: &mut Vec<u8>) {
    let _ = write!(out, "${len}\r\n");
}

pub(crate) fn array(len: usize, out: &mut Vec<u8>) {
    let _ = write!(out, "*{len}\r\n");
}

/// Starts a map, which in RESP2 is an array of keys and values.
pub(crate) fn map(len: usize, version: RespVersion, out: &mut Vec<u8>) {
    match version {
        RespVersion::Resp2 => array(2 * len, out),
        RespVersion::Resp3 => drop(write!(out, "%{len}\r\n")),
    }
}

/// Starts a set, which in RESP2 is an array.
pub(crate) fn set(len: usize, version: RespVersion, out: &mut Vec<u8>) {
    match version {
        RespVersion::Resp2 => array(len, out),
        RespVersion::Resp3 => drop(write!(out, "~{len}\r\n")),
    }
}

pub(crate) fn null(version: RespVersion, out: &mut Vec<u8>) {
    out.extend_from_slice(match version {
        RespVersion::Resp2 => b"$-1\r\n",
        RespVersion::Resp3 => b"_\r\n",
    });
}

/// Appends the null that takes the place of an array.
pub(crate) fn null_array(version: RespVersion, out: &mut Vec<u8>) {
    out.extend_from_slice(match version {
        RespVersion::Resp2 => b"*-1\r\n",
        RespVersion::Resp3 => b"_\r\n",
    });
}
