//! `tickid gen uuid`: global kuids in UUIDs.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use tickid_convert::{AnyId, Form, Settings, carry};
use tickid_detect::{Identifier, Inspection};
use uuid::Uuid;

use crate::message::shown;
use crate::output::printed::{Printed, Style};

/// The shape of the UUIDs to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum UuidVersion {
    /// Version 7: sorts by time among all UUIDs of version 7
    V7,
    /// Version 8: the bytes of a kuid
    V8,
}

impl UuidVersion {
    /// Returns a kuid in a UUID.
    pub(super) fn of(self, kuid: AnyId, settings: &Settings) -> UuidId {
        UuidId(match self {
            // Version 7 has all times up to the year 10889, and clocks show none after it.
            Self::V7 => carry::to_uuid_v7(kuid, settings).unwrap_or(carry::to_uuid(kuid)),
            Self::V8 => carry::to_uuid(kuid),
        })
    }
}

/// A global kuid in a UUID.
#[derive(Clone, Copy, Debug)]
pub(super) struct UuidId(Uuid);

impl Printed for UuidId {
    fn write(self, form: Form, out: &mut Vec<u8>) -> Option<()> {
        let mut text = Uuid::encode_buffer();
        match form {
            Form::Own => {
                out.extend_from_slice(self.0.hyphenated().encode_lower(&mut text).as_bytes());
            }
            Form::Hex => out.extend_from_slice(self.0.simple().encode_lower(&mut text).as_bytes()),
            Form::Int => {
                out.extend_from_slice(itoa::Buffer::new().format(self.0.as_u128()).as_bytes());
            }
            Form::Bytes => out.extend_from_slice(self.0.as_bytes()),
            Form::Text(_) | Form::Tuple => return None,
        }
        Some(())
    }

    fn inspection(self, style: &Style) -> Inspection<'static> {
        Inspection::new(Identifier::Uuid(self.0), "", &style.settings)
    }
}

/// The forms of UUIDs by their names. The first is their text.
const FORMS: [(&str, Form); 4] =
    [("text", Form::Own), ("int", Form::Int), ("hex", Form::Hex), ("bytes", Form::Bytes)];

impl UuidVersion {
    /// Returns the versions, each in all forms, as the option names them.
    pub(super) fn values() -> Vec<PossibleValue> {
        let mut values = Vec::new();
        for version in Self::value_variants().iter().filter_map(Self::to_possible_value) {
            let name = version.get_name().to_owned();
            values.push(version);
            let form = |form: &str| PossibleValue::new(format!("{name}/{form}")).hide(true);
            values.extend(FORMS.map(|(name, _)| form(name)));
        }
        values
    }

    /// Reads the name of a version, with a form after a slash if there is one.
    pub(super) fn named(text: &str) -> Result<(Self, Form), String> {
        let (version, form) = text.split_once('/').unwrap_or((text, "text"));
        let form = FORMS.iter().find(|(name, _)| *name == form);
        let (_, form) = form.ok_or_else(|| format!("UUIDs have no form '{}'", shown(text)))?;
        Ok((Self::from_str(version, true)?, *form))
    }
}
