//! `tickid gen uuid`: global kuids in UUIDs.

use clap::ValueEnum;
use tickid_convert::{AnyId, Layouts, TextForm, carry};
use tickid_detect::{Identifier, Inspection};
use uuid::Uuid;

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
    pub(super) fn of(self, kuid: AnyId, layouts: &Layouts) -> UuidId {
        UuidId(match self {
            // Version 7 has all times up to the year 10889, and clocks show none after it.
            Self::V7 => carry::to_uuid_v7(kuid, layouts).unwrap_or(carry::to_uuid(kuid)),
            Self::V8 => carry::to_uuid(kuid),
        })
    }
}

/// A global kuid in a UUID.
#[derive(Clone, Copy, Debug)]
pub(super) struct UuidId(Uuid);

impl Printed for UuidId {
    fn write_text(self, _: TextForm, out: &mut Vec<u8>) {
        let mut text = Uuid::encode_buffer();
        out.extend_from_slice(self.0.hyphenated().encode_lower(&mut text).as_bytes());
    }

    fn bytes(self) -> impl AsRef<[u8]> {
        self.0.into_bytes()
    }

    fn number(self) -> u128 {
        self.0.as_u128()
    }

    fn inspection(self, style: &Style) -> Inspection<'static> {
        Inspection::new(Identifier::Uuid(self.0), "", &style.layouts)
    }
}
