use clap::ValueEnum;
use tickid_convert::{Layouts, Reading, carry};
use tickid_core::{Slot, UnixTime, Variant};
use tickid_kuid::{Global, GlobalId, Kuid};
use uuid::Uuid;

use crate::describe::Describe;
use crate::options::KuidOptions;
use crate::report::{Facts, bit_fields};

/// The shape of the UUIDs to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UuidVersion {
    /// Version 7: sorts by time among all UUIDs of version 7
    V7,
    /// Version 8: the bytes of a kuid
    V8,
}

/// A global kuid in a UUID.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UuidId {
    pub(crate) kuid: GlobalId,
    pub(crate) uuid: Uuid,
}

impl Variant<Kuid> for UuidVersion {
    type Id = UuidId;

    fn id(self, scheme: &Kuid, slot: Slot<Kuid>) -> UuidId {
        let kuid = Global.id(scheme, slot);
        let layouts = Layouts { drift: scheme.drift, ..Layouts::default() };
        let uuid = match self {
            // Version 7 has all times up to the year 10889, and clocks show none after it.
            Self::V7 => carry::to_uuid_v7(kuid, &layouts).unwrap_or(carry::to_uuid(kuid)),
            Self::V8 => carry::to_uuid(kuid),
        };
        UuidId { kuid, uuid }
    }
}

impl Describe for UuidId {
    const SCHEME: &'static str = "uuid";
    type Layout = KuidOptions;

    fn write_text(&self, _: &KuidOptions, out: &mut Vec<u8>) {
        let mut text = Uuid::encode_buffer();
        out.extend_from_slice(self.uuid.hyphenated().encode_lower(&mut text).as_bytes());
    }

    fn bytes(&self) -> impl AsRef<[u8]> {
        self.uuid.into_bytes()
    }

    fn time(&self, layout: &KuidOptions) -> UnixTime {
        Kuid { drift: layout.drift() }.unix_time(self.kuid)
    }

    fn fields(&self, _: &KuidOptions, facts: &mut impl Facts) {
        bit_fields(&Reading::Uuid(self.uuid), &Layouts::default(), facts);
    }
}
