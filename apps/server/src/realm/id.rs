//! Requests for IDs, and IDs as the protocols write them.

use tickid_convert::{Form, IdsVisitor, SchemeId};

/// What an ID of some form is in a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdItem {
    /// A text, which needs no escapes in JSON.
    Text,
    /// The digits of an integer of up to 64 bits.
    Integer,
    /// Raw bytes, with nothing between those of two IDs.
    Bytes,
}

impl From<Form> for IdItem {
    fn from(form: Form) -> Self {
        match form {
            Form::Text(_) | Form::Own | Form::Hex | Form::Tuple => Self::Text,
            Form::Int => Self::Integer,
            Form::Bytes => Self::Bytes,
        }
    }
}

/// What a client names a form for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FormUse {
    /// To get IDs in it.
    Issue,
    /// To send an ID in it.
    Observe,
}

impl FormUse {
    pub(super) const fn takes(self, item: IdItem) -> bool {
        match (self, item) {
            (Self::Issue, IdItem::Text | IdItem::Integer | IdItem::Bytes)
            | (Self::Observe, IdItem::Text | IdItem::Integer) => true,
            // Raw bytes would have to be escaped in a URL, and RESP takes what HTTP does.
            (Self::Observe, IdItem::Bytes) => false,
        }
    }
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

/// The options of a request for IDs, as the client wrote them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdOptions<'a> {
    pub(crate) count: Option<&'a [u8]>,
    pub(crate) form: Option<&'a [u8]>,
    pub(crate) meta: Option<&'a [u8]>,
}

/// A request for IDs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdRequest {
    pub(crate) count: u32,
    /// A form that IDs of the realm have.
    pub(crate) form: Form,
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
        use Form::{Hex, Own, Text, Tuple};
        let Self { request: IdRequest { count: _, form, framing, meta: _ }, out } = self;
        // A loop for each case, in which the form is a constant where it can be, decides nothing by
        // ID.
        match (form, framing) {
            (Form::Bytes, Framing::Resp | Framing::Json | Framing::Lines) => {
                each(ids, Form::Bytes, |id| out.extend_from_slice(id));
            }
            (Form::Int, Framing::Resp) => {
                each(ids, Form::Int, |id| frame(b":", id, b"\r\n", out));
            }
            (Form::Int, Framing::Json) => {
                each(ids, Form::Int, |id| frame(b"\"", id, b"\",", out));
            }
            (Form::Int, Framing::Lines) => {
                each(ids, Form::Int, |id| frame(b"", id, b"\n", out));
            }
            (Text(_) | Own | Hex | Tuple, Framing::Resp) => each(ids, form, |id| bulk(id, out)),
            (Text(_) | Own | Hex | Tuple, Framing::Json) => {
                each(ids, form, |id| frame(b"\"", id, b"\",", out))
            }
            (Text(_) | Own | Hex | Tuple, Framing::Lines) => {
                each(ids, form, |id| frame(b"", id, b"\n", out))
            }
        }
    }
}

/// Calls a function with each ID in a form, which the scheme has, as it was found by its name.
#[inline]
fn each<I: SchemeId>(ids: impl Iterator<Item = I>, form: Form, mut append: impl FnMut(&[u8])) {
    let mut append = |id, form: Form| {
        let written = form.write(id, &mut append);
        debug_assert!(written.is_some(), "{} has no {form:?}", I::KIND);
    };
    // Nearly all IDs are in this form, and as a constant it decides nothing in the loop.
    let canonical = Form::canonical(I::KIND);
    if form == canonical {
        ids.for_each(|id| append(id, canonical));
    } else {
        ids.for_each(|id| append(id, form));
    }
}

/// Appends an ID between two delimiters.
#[inline]
fn frame(before: &[u8], id: &[u8], after: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(before);
    out.extend_from_slice(id);
    out.extend_from_slice(after);
}

/// Appends a bulk string of RESP.
#[inline]
fn bulk(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'$');
    out.extend_from_slice(itoa::Buffer::new().format(text.len()).as_bytes());
    frame(b"\r\n", text, b"\r\n", out);
}

/// Reads a decimal number without a sign.
pub(crate) fn number(text: &[u8]) -> Option<u32> {
    let is_decimal = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    str::from_utf8(text).ok().filter(|_| is_decimal)?.parse().ok()
}

/// Returns a value as errors show it, that is quoted, escaped and cut.
pub(crate) fn shown(value: impl AsRef<[u8]>) -> String {
    let value = String::from_utf8_lossy(value.as_ref());
    format!("{:?}", value.chars().take(64).collect::<String>())
}
