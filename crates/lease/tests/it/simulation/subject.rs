use core::fmt;

use tickid_core::{Scheme, Variant};
use tickid_kuid::{GlobalId, Kuid};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};

/// A scheme, with pools that a realm of it may have one after the other.
pub(crate) trait Subject: Copy + 'static {
    type Scheme: Scheme<Variant: Variant<Self::Scheme, Id = Self::Id>> + Default;
    type Id: Copy + fmt::Debug;
    const POOLS: &'static [&'static str];

    /// Returns a number that is unique to the ID.
    fn number(id: Self::Id) -> u128;

    /// Returns the tick of an ID.
    fn tick(id: Self::Id) -> u64;
}

/// SCRU64, with the ratchet policy and nodes of several sizes.
#[derive(Clone, Copy)]
pub(crate) struct Scru64s;

impl Subject for Scru64s {
    type Scheme = Scru64;
    type Id = Scru64Id;
    const POOLS: &'static [&'static str] =
        &["0/1,4-5/3", "0-1/2,4-5/3", "0/1,2/2", "0-3/3,1/1", "0/1", "2/3,7/3"];

    fn number(id: Scru64Id) -> u128 {
        id.get().into()
    }

    fn tick(id: Scru64Id) -> u64 {
        id.timestamp()
    }
}

/// Nanoflake, with the wait policy.
#[derive(Clone, Copy)]
pub(crate) struct Nanoflakes;

impl Subject for Nanoflakes {
    type Scheme = Nanoflake;
    type Id = NanoflakeId;
    const POOLS: &'static [&'static str] = &["0-2/10", "0-1/10,1023/10", "0/10"];

    fn number(id: NanoflakeId) -> u128 {
        id.get().unsigned_abs().into()
    }

    fn tick(id: NanoflakeId) -> u64 {
        id.timestamp()
    }
}

/// kuid, with the ratchet policy and ticks that are cut short.
#[derive(Clone, Copy)]
pub(crate) struct Kuids;

impl Subject for Kuids {
    type Scheme = Kuid;
    type Id = GlobalId;
    const POOLS: &'static [&'static str] = &["7/32", "7-9/32", "8/32"];

    fn number(id: GlobalId) -> u128 {
        let bytes = id.to_bytes();
        bytes.iter().fold(0, |number, &byte| number << 8 | u128::from(byte))
    }

    fn tick(id: GlobalId) -> u64 {
        let layout = Kuid::default();
        layout.tick_at(layout.unix_time(id)).unwrap().get()
    }
}

/// sno, with the tick-tock policy.
#[derive(Clone, Copy)]
pub(crate) struct Snos;

impl Subject for Snos {
    type Scheme = Sno;
    type Id = SnoId;
    const POOLS: &'static [&'static str] = &["0-1/16", "1/16", "0-2/16"];

    fn number(id: SnoId) -> u128 {
        let bytes = id.to_bytes();
        bytes.iter().fold(0, |number, &byte| number << 8 | u128::from(byte))
    }

    fn tick(id: SnoId) -> u64 {
        id.timestamp()
    }
}
