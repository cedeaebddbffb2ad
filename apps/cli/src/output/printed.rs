//! IDs as they are printed: their texts, numbers and bytes.

use tickid_convert::{AnyId, Form, Layouts, SchemeId, TextForm};
use tickid_detect::Inspection;

use crate::failure::Failure;
use crate::options::OutputForm;

/// The facts that the options state about the IDs of a scheme.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) layouts: Layouts,
    pub(crate) form: TextForm,
}

/// An ID that can be printed.
pub(crate) trait Printed: Copy {
    /// Appends the text.
    fn write_text(self, form: TextForm, out: &mut Vec<u8>);

    /// Returns the bytes, the highest first.
    fn bytes(self) -> impl AsRef<[u8]>;

    /// Returns the bytes as a number.
    fn number(self) -> u128;

    /// Takes the ID apart.
    fn inspection(self, style: &Style) -> Inspection<'static>;
}

impl<I: SchemeId> Printed for I {
    #[inline]
    fn write_text(self, form: TextForm, out: &mut Vec<u8>) {
        let _ = Form::Text(form).write(self, |text| out.extend_from_slice(text));
    }

    fn bytes(self) -> impl AsRef<[u8]> {
        SchemeId::bytes(self)
    }

    fn number(self) -> u128 {
        SchemeId::number(self)
    }

    fn inspection(self, style: &Style) -> Inspection<'static> {
        let id: AnyId = self.into();
        let inspection = Inspection::new(id.into(), "", &style.layouts);
        inspection.in_form(Form::Text(style.form)).unwrap_or(inspection)
    }
}

/// Appends one ID as a line, or as raw bytes, which have no separator.
pub(crate) fn write_id(id: impl Printed, form: TextForm, format: OutputForm, out: &mut Vec<u8>) {
    match format {
        OutputForm::Text => id.write_text(form, out),
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

/// Appends a line of JSON.
pub(crate) fn write_json(value: &impl serde::Serialize, out: &mut Vec<u8>) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(|error| Failure::Write(error.into()))?;
    out.push(b'\n');
    Ok(())
}
