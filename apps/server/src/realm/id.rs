//! Requests for IDs, and IDs as the protocols write them.

use tickid_convert::{IdsVisitor, SchemeId};

/// The form of an ID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IdForm {
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
    /// RESP, with text as bulk strings and integers as integers.
    Resp,
    /// JSON strings, each with a comma after it.
    Json,
    /// A line each.
    Lines,
}

/// A request for IDs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdRequest {
    pub(crate) count: u32,
    pub(crate) format: IdForm,
    pub(crate) framing: Framing,
    /// The metabyte, for schemes that have one.
    pub(crate) meta: Option<u8>,
}

/// Appends IDs in the form of a request.
pub(super) struct WriteIds<'a> {
    pub(super) request: IdRequest,
    pub(super) out: &'a mut Vec<u8>,
}

impl IdsVisitor for WriteIds<'_> {
    type Output = ();

    fn visit<I: SchemeId>(self, ids: impl ExactSizeIterator<Item = I>) {
        let Self { request: IdRequest { format, framing, .. }, out } = self;
        let mut buffer = itoa::Buffer::new();
        // IDs of more than 64 bits have no integer form. The caller has checked that.
        let integer = |id: I| u64::try_from(id.number()).unwrap_or(u64::MAX);
        for id in ids {
            match (format, framing) {
                (IdForm::Bytes, _) => out.extend_from_slice(id.bytes().as_ref()),
                (IdForm::Text, Framing::Resp) => bulk(&id.text(), out),
                (IdForm::Text, framing) => delimited(&id.text(), framing, out),
                (IdForm::Int, Framing::Resp) => {
                    out.push(b':');
                    out.extend_from_slice(buffer.format(integer(id)).as_bytes());
                    out.extend_from_slice(b"\r\n");
                }
                (IdForm::Int, framing) => delimited(buffer.format(integer(id)), framing, out),
            }
        }
    }
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
