use core::fmt;

/// Why a text does not say where a store is. It leaves the text out, which may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no URL of a store of the form {form}: {why}")]
pub struct UrlError {
    form: &'static str,
    why: String,
}

impl UrlError {
    pub(crate) fn new(form: &'static str, why: impl fmt::Display) -> Self {
        Self { form, why: why.to_string() }
    }

    /// The form that it should have.
    #[must_use]
    pub const fn form(&self) -> &'static str {
        self.form
    }
}
