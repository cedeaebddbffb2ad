//! The schemes of the tests with many holders.

#![allow(dead_code, reason = "no target uses all of it")]

use core::fmt;
use core::str::FromStr;

use tickid_core::{AnyNode, Policy, Scheme, Ticks, Variant};
use tickid_kuid::{GlobalId, Kuid};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};

/// A scheme under test, with pools that a realm of it may have one after the other.
pub(crate) trait LeasedScheme: 'static {
    type Scheme: Scheme<Variant: Variant<Self::Scheme, Id = Self::Id>> + Default;
    type Id: fmt::Display + FromStr<Err: fmt::Debug>;
    /// The number of bits of an ID that can be its node.
    const NODE_BITS: u32;
    const POOLS: &'static [&'static str];

    /// Returns the scheme's policy, with an allowance that a test can wait for.
    fn policy() -> Policy<Self::Scheme>;

    fn read(id: Self::Id) -> Issued;
}

/// The parts of an ID.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Issued {
    /// All of it.
    pub(crate) number: u128,
    pub(crate) tick: u64,
    /// The node and the bits that follow it, in `bits` bits.
    node: u64,
    bits: u32,
}

impl Issued {
    pub(crate) fn is_of(&self, node: AnyNode) -> bool {
        self.node >> (self.bits - node.bits()) == node.value()
    }
}

fn issued<S: LeasedScheme>(bytes: &[u8], tick: u64, node: impl Into<u64>) -> Issued {
    let number = bytes.iter().fold(0, |number, &byte| number << 8 | u128::from(byte));
    Issued { number, tick, node: node.into(), bits: S::NODE_BITS }
}

/// SCRU64, with the ratchet policy and nodes of several sizes.
pub(crate) struct Scru64s;

impl LeasedScheme for Scru64s {
    type Scheme = Scru64;
    type Id = Scru64Id;
    const NODE_BITS: u32 = 24;
    const POOLS: &'static [&'static str] =
        &["0/1,4-5/3", "0-1/2,4-5/3", "0/1,2/2", "0-3/3,1/1", "0/1", "2/3,7/3"];

    fn policy() -> Policy<Scru64> {
        Policy::Ratchet { allowance: Ticks::new(2) }
    }

    fn read(id: Scru64Id) -> Issued {
        issued::<Self>(&id.to_be_bytes(), id.timestamp(), id.node_ctr())
    }
}

/// Nanoflake, with the wait policy and shares of nodes.
pub(crate) struct Nanoflakes;

impl LeasedScheme for Nanoflakes {
    type Scheme = Nanoflake;
    type Id = NanoflakeId;
    const NODE_BITS: u32 = 22;
    const POOLS: &'static [&'static str] = &[
        "0-2/10",
        "0/10,8-9/13,11/13",
        "0-1/11,1/10",
        "0-1/10,1023/10",
        "0/11,2-3/12,8191/13",
        "0/10",
    ];

    fn policy() -> Policy<Nanoflake> {
        Policy::Wait
    }

    fn read(id: NanoflakeId) -> Issued {
        let node = u64::from(id.generator().get()) << 12 | u64::from(id.sequence());
        issued::<Self>(&id.get().to_be_bytes(), id.timestamp(), node)
    }
}

/// kuid, with the ratchet policy and ticks that are cut short.
pub(crate) struct Kuids;

impl LeasedScheme for Kuids {
    type Scheme = Kuid;
    type Id = GlobalId;
    const NODE_BITS: u32 = 46;
    const POOLS: &'static [&'static str] = &["7/32", "14/33,30-31/34", "7-9/32", "8/32"];

    fn policy() -> Policy<Kuid> {
        Policy::Ratchet { allowance: Ticks::new(100) }
    }

    fn read(id: GlobalId) -> Issued {
        let drift = Kuid::default().drift;
        let node = u64::from(id.node(drift).get()) << 14 | u64::from(id.sequence());
        issued::<Self>(&id.to_bytes(), id.tick(drift).unwrap().get(), node)
    }
}

/// sno, with the tick-tock policy.
pub(crate) struct Snos;

impl LeasedScheme for Snos {
    type Scheme = Sno;
    type Id = SnoId;
    const NODE_BITS: u32 = 32;
    const POOLS: &'static [&'static str] = &["0-1/16", "1/16", "4-5/18,0/16"];

    fn policy() -> Policy<Sno> {
        Policy::TickTock
    }

    fn read(id: SnoId) -> Issued {
        let node = u64::from(id.partition().get()) << 16 | u64::from(id.sequence());
        issued::<Self>(&id.to_bytes(), id.timestamp(), node)
    }
}
