//! IDs as they are printed: their texts, numbers and bytes.

use tickid_convert::{Layouts, SchemeId};
use tickid_detect::{Identifier, Inspection, Notation};

use crate::failure::Failure;
use crate::options::OutputForm;

/// The facts that the options state about the IDs of a scheme.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) layouts: Layouts,
    pub(crate) notation: Notation,
}

/// An ID that can be printed.
pub(crate) trait Printed: Copy {
    /// Appends the text.
    fn write_text(self, notation: Notation, out: &mut Vec<u8>);

    /// Returns the bytes, the highest first.
    fn bytes(self) -> impl AsRef<[u8]>;

    /// Returns the bytes as a number.
    fn number(self) -> u128;

    /// Returns what is inspected.
    fn identifier(self, notation: Notation) -> Identifier;

    /// Takes the ID apart.
    fn inspection(self, style: &Style) -> Inspection<'static> {
        Inspection::new(self.identifier(style.notation), "", &style.layouts)
    }
}

impl<I: SchemeId> Printed for I {
    #[inline]
    fn write_text(self, notation: Notation, out: &mut Vec<u8>) {
        match notation {
            Notation::Decimal => write_number(SchemeId::number(self), out),
            Notation::Url => {
                let text = self.url_text().unwrap_or_else(|| SchemeId::text(self));
                out.extend_from_slice(text.as_bytes());
            }
            _ => out.extend_from_slice(SchemeId::text(self).as_bytes()),
        }
    }

    fn bytes(self) -> impl AsRef<[u8]> {
        SchemeId::bytes(self)
    }

    fn number(self) -> u128 {
        SchemeId::number(self)
    }

    fn identifier(self, notation: Notation) -> Identifier {
        Identifier::Scheme(self.into(), notation)
    }
}

/// Appends one ID as a line, or as raw bytes, which have no separator.
pub(crate) fn write_id(id: impl Printed, notation: Notation, form: OutputForm, out: &mut Vec<u8>) {
    match form {
        OutputForm::Text => id.write_text(notation, out),
        OutputForm::Int => write_number(id.number(), out),
        OutputForm::Hex => write_hex(id.bytes().as_ref(), out),
        OutputForm::Bytes => return out.extend_from_slice(id.bytes().as_ref()),
    }
    out.push(b'\n');
}

fn write_number(number: u128, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends lower-case hexadecimal digits.
pub(crate) fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    for byte in bytes {
        out.extend([byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]));
    }
}

/// Returns the text of a scheme's ID in a notation.
pub(crate) fn text(id: tickid_convert::AnyId, notation: Notation) -> String {
    match notation {
        Notation::Decimal => id.to_u128().to_string(),
        Notation::Url => id.url_text().unwrap_or(id.text()).to_string(),
        _ => id.to_string(),
    }
}

/// Appends a line of JSON.
pub(crate) fn write_json(value: &impl serde::Serialize, out: &mut Vec<u8>) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(|error| Failure::Write(error.into()))?;
    out.push(b'\n');
    Ok(())
}
