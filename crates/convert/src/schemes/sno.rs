//! sno as a scheme to convert from and to.

use core::ops::RangeInclusive;

use tickid_core::{Observable, RangeError, Scheme as _, UnixTime};
use tickid_sno::{Meta, Partition, Sno, SnoId};

use super::scheme_id::sealed::{Assemble, Shape};
use super::{Fields, SchemeId, SchemeVariant, held};
use crate::any::Kind;
use crate::carry::{CarryError, not_carried};
use crate::error::ConvertError;
use crate::options::Settings;
use crate::parts::{Bits, Parts, mask};
use crate::to_parts::ToParts;

/// The bits below the fields in a UUID of version 7.
const UNUSED_BITS: u32 = 23;

/// The parts have a tick-tock bit and a metabyte.
impl ToParts for SnoId {
    #[inline]
    fn parts(self, _: &Settings) -> Result<Parts, ConvertError> {
        let sequence = Bits::held(self.sequence().into(), u16::BITS);
        let partition = Bits::held(self.partition().get().into(), u16::BITS);
        let parts = Parts::held(self.unix_time(), Sno.scale(), sequence);
        Ok(parts.with_node(partition).with_toggle(self.toggle()).with_metabyte(self.meta()))
    }
}

impl SchemeVariant<Sno> for Meta {
    const HAS_METABYTE: bool = true;
    const LEAST: Option<Self> = Some(<Self as Observable<Sno>>::LEAST);

    fn with_metabyte(metabyte: u8) -> Self {
        Self(metabyte)
    }
}

impl SchemeId for SnoId {
    const KIND: Kind = Kind::Sno;
    const MAX_NUMBER: u128 = (1 << 80) - 1;
    const BLANK: Self = Self::MIN;

    type Scheme = Sno;
    type Variant = Meta;

    fn scheme(_: &Settings) -> Sno {
        Sno
    }

    own_texts!();
    own_bytes!(Self::LEN);

    fn fields(_: &Settings) -> Fields {
        Fields::new(&Self::FIELDS)
    }

    own_times!();
}

impl Assemble for SnoId {
    #[inline]
    fn shape(_: &Settings) -> Shape {
        let scale = Sno.scale();
        Shape { scale, node_bits: Some(u16::BITS), sequence_bits: u16::BITS, is_sno: true }
    }

    #[inline]
    fn of(tick: i64, time: UnixTime, parts: &Parts, _: &Settings) -> Result<Self, ConvertError> {
        let tick = held(Sno, tick, time)?;
        let (toggle, meta) = (parts.toggle == Some(true), parts.metabyte.unwrap_or(0));
        #[allow(clippy::cast_possible_truncation, reason = "16 bits each")]
        let (partition, sequence) =
            (parts.node.map_or(0, Bits::value) as u16, parts.sequence.value() as u16);
        let id = Self::from_parts(tick, toggle, Partition::new(partition), sequence);
        id.map(|id| id.with_meta(meta)).map_err(ConvertError::Time)
    }

    fn time_to_carry(self, _: &Settings) -> Result<UnixTime, RangeError> {
        Ok(self.unix_time())
    }

    fn rest_to_carry(self, _: &Settings) -> u64 {
        let fields = u64::from(self.toggle()) << 40
            | u64::from(self.meta()) << 32
            | u64::from(self.partition().get()) << 16
            | u64::from(self.sequence());
        fields << UNUSED_BITS
    }

    fn from_v7(millis: i64, rest: u64, _: u8, _: &Settings) -> Result<Self, CarryError> {
        let fields = rest >> UNUSED_BITS;
        let time = UnixTime::from_millis(millis);
        // A tick lasts 4 ms. To take its first millisecond alone keeps to one UUID for an ID.
        let first = time.and_then(Self::min_at).ok();
        let first = first.filter(|first| first.unix_time().as_millis() == millis);
        let first = first.ok_or(not_carried("a millisecond in which no sno tick starts"))?;
        if rest & mask(UNUSED_BITS) != 0 {
            return Err(not_carried("more bits than the kind has"));
        }
        #[allow(
            clippy::cast_possible_truncation,
            reason = "8, 16 and 16 bits, one after the other"
        )]
        let (meta, partition, sequence) =
            ((fields >> 32) as u8, Partition::new((fields >> 16) as u16), fields as u16);
        let id = Self::from_parts(first.timestamp(), fields >> 40 == 1, partition, sequence);
        id.map(|id| id.with_meta(meta)).map_err(|_| not_carried("fields that are not of a sno ID"))
    }
}
