//! IDs as the protocols write them.

use tickid_convert::SchemeId;

/// The form of an ID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OutputForm {
    /// The scheme's text.
    #[default]
    Text,
    /// A decimal integer, for IDs of up to 64 bits.
    Int,
    /// The raw bytes, the highest first.
    Bytes,
}

/// The delimiters of IDs in a sequence. Raw bytes have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// RESP: text as bulk strings, integers as integers.
    Resp,
    /// JSON: strings, each with a comma after it.
    Json,
    /// A line each.
    Lines,
}

/// Appends IDs.
pub(crate) fn write_ids<I: SchemeId>(
    ids: &[I],
    format: OutputForm,
    framing: Framing,
    out: &mut Vec<u8>,
) {
    let mut buffer = itoa::Buffer::new();
    for &id in ids {
        match (format, framing) {
            (OutputForm::Bytes, _) => out.extend_from_slice(id.bytes().as_ref()),
            (OutputForm::Text, Framing::Resp) => bulk(&id.text(), out),
            (OutputForm::Text, framing) => delimited(&id.text(), framing, out),
            (OutputForm::Int, Framing::Resp) => {
                out.push(b':');
                out.extend_from_slice(buffer.format(integer(id)).as_bytes());
                out.extend_from_slice(b"\r\n");
            }
            (OutputForm::Int, framing) => delimited(buffer.format(integer(id)), framing, out),
        }
    }
}

/// Returns an ID as an integer, if it has no more than 64 bits.
pub(crate) fn integer(id: impl SchemeId) -> u64 {
    u64::try_from(id.number()).unwrap_or(u64::MAX)
}

/// Appends a text as a JSON string with a comma after it, or as a line. The characters of IDs need
/// no escapes.
fn delimited(text: &str, framing: Framing, out: &mut Vec<u8>) {
    let (before, after): (&[u8], &[u8]) =
        if framing == Framing::Json { (b"\"", b"\",") } else { (b"", b"\n") };
    out.extend_from_slice(before);
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(after);
}

/// Appends a bulk string of RESP.
fn bulk(text: &str, out: &mut Vec<u8>) {
    out.push(b'$');
    out.extend_from_slice(itoa::Buffer::new().format(text.len()).as_bytes());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(b"\r\n");
}
