//! IDs as they are printed.

use tickid_convert::{AnyId, Form, SchemeId, Settings};
use tickid_detect::Inspection;

use crate::failure::Failure;

/// The facts that the options state about the IDs of a scheme.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) settings: Settings,
    pub(crate) form: Form,
}

/// An ID that can be printed.
pub(crate) trait Printed: Copy {
    /// Appends the ID in a form, or returns `None` if it has no such form.
    fn write(self, form: Form, out: &mut Vec<u8>) -> Option<()>;

    /// Takes the ID apart.
    fn inspection(self, style: &Style) -> Inspection<'static>;
}

impl<I: SchemeId> Printed for I {
    #[inline]
    fn write(self, form: Form, out: &mut Vec<u8>) -> Option<()> {
        form.write(self, |text| out.extend_from_slice(text))
    }

    fn inspection(self, style: &Style) -> Inspection<'static> {
        let id: AnyId = self.into();
        let inspection = Inspection::new(id.into(), "", &style.settings);
        // Integers and bytes are members of every inspection, beside the text.
        inspection.in_form(style.form).unwrap_or(inspection)
    }
}

/// Appends one ID as a line, or as raw bytes, which have no separator.
pub(crate) fn write_id(id: impl Printed, form: Form, out: &mut Vec<u8>) -> Result<(), Failure> {
    let no_form = || Failure::Usage(format!("these IDs have no form {}", form.name()));
    id.write(form, out).ok_or_else(no_form)?;
    match form {
        Form::Bytes => {}
        Form::Text(_) | Form::Own | Form::Int | Form::Hex | Form::Tuple => out.push(b'\n'),
    }
    Ok(())
}

/// Appends a line of JSON.
pub(crate) fn write_json(value: &impl serde::Serialize, out: &mut Vec<u8>) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value).map_err(|error| Failure::Write(error.into()))?;
    out.push(b'\n');
    Ok(())
}
