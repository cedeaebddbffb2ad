//! IDs as the protocols write them.

use tickid_core::{Plain, Scheme, Variant};
use tickid_kuid::{Global, GlobalId, Kuid, Local, LocalId};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Meta, Sno, SnoId};

/// The form of an ID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
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

/// An ID that can be served.
pub(crate) trait ServedId: Copy {
    /// Any ID, to make room for others.
    const BLANK: Self;
    /// The number of bytes.
    const SIZE: usize;
    /// Set if the ID has a form as an integer of up to 64 bits.
    const IS_INTEGER: bool;

    /// Calls `write` with the text.
    fn text(self, write: impl FnOnce(&str));

    /// Appends the bytes, the highest first.
    fn bytes(self, out: &mut Vec<u8>);

    /// Returns the ID as an integer. Zero for IDs without that form.
    fn integer(self) -> u64;
}

macro_rules! served_integer {
    ($id:ty, $blank:expr, $integer:expr) => {
        impl ServedId for $id {
            const BLANK: Self = $blank;
            const SIZE: usize = 8;
            const IS_INTEGER: bool = true;

            fn text(self, write: impl FnOnce(&str)) {
                write(&self.encode());
            }

            fn bytes(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }

            fn integer(self) -> u64 {
                $integer(self)
            }
        }
    };
}

served_integer!(Scru64Id, Scru64Id::MIN, Scru64Id::get);
served_integer!(NanoflakeId, NanoflakeId::MIN, u64::from);
served_integer!(LocalId, LocalId::MIN, LocalId::get);

macro_rules! served_bytes {
    ($id:ty, $size:expr) => {
        impl ServedId for $id {
            const BLANK: Self = <$id>::MIN;
            const SIZE: usize = $size;
            const IS_INTEGER: bool = false;

            fn text(self, write: impl FnOnce(&str)) {
                write(&self.encode());
            }

            fn bytes(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_bytes());
            }

            fn integer(self) -> u64 {
                0
            }
        }
    };
}

served_bytes!(GlobalId, 12);
served_bytes!(SnoId, SnoId::LEN);

/// A variant of IDs that requests choose.
pub(crate) trait Choice<S: Scheme>:
    Variant<S, Id: ServedId> + Send + Sync + 'static
{
    /// Set if requests may name a metabyte.
    const HAS_META: bool = false;

    /// Returns the variant with a metabyte, if it has one.
    fn with_meta(meta: u8) -> Self;
}

impl Choice<Scru64> for Plain {
    fn with_meta(_: u8) -> Self {
        Self
    }
}

impl Choice<Nanoflake> for Plain {
    fn with_meta(_: u8) -> Self {
        Self
    }
}

impl Choice<Kuid> for Local {
    fn with_meta(_: u8) -> Self {
        Self
    }
}

impl Choice<Kuid> for Global {
    fn with_meta(_: u8) -> Self {
        Self
    }
}

impl Choice<Sno> for Meta {
    const HAS_META: bool = true;

    fn with_meta(meta: u8) -> Self {
        Self(meta)
    }
}

/// Appends IDs.
pub(crate) fn write_ids<I: ServedId>(
    ids: &[I],
    format: Format,
    framing: Framing,
    out: &mut Vec<u8>,
) {
    match (format, framing) {
        (Format::Bytes, _) => {
            out.reserve(ids.len() * I::SIZE);
            ids.iter().for_each(|id| id.bytes(out));
        }
        (Format::Text, Framing::Resp) => ids.iter().for_each(|id| id.text(|text| bulk(text, out))),
        (Format::Text, Framing::Json) => {
            ids.iter().for_each(|id| id.text(|text| json_string(text, out)));
        }
        (Format::Text, Framing::Lines) => ids.iter().for_each(|id| {
            id.text(|text| out.extend_from_slice(text.as_bytes()));
            out.push(b'\n');
        }),
        (Format::Int, framing) => {
            let mut buffer = itoa::Buffer::new();
            for id in ids {
                let digits = buffer.format(id.integer());
                match framing {
                    Framing::Resp => {
                        out.push(b':');
                        out.extend_from_slice(digits.as_bytes());
                        out.extend_from_slice(b"\r\n");
                    }
                    Framing::Json => json_string(digits, out),
                    Framing::Lines => {
                        out.extend_from_slice(digits.as_bytes());
                        out.push(b'\n');
                    }
                }
            }
        }
    }
}

/// Appends a bulk string of RESP.
fn bulk(text: &str, out: &mut Vec<u8>) {
    out.push(b'$');
    out.extend_from_slice(itoa::Buffer::new().format(text.len()).as_bytes());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Appends a JSON string and a comma. The characters of IDs need no escapes.
fn json_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(b"\",");
}
