use core::fmt;
use core::str::FromStr;
use core::time::Duration;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use tickid_core::{Policy, Scheme, Ticks, Variant};
use tickid_kuid::{GlobalId, Kuid};
use tickid_lease::admin::RealmName;
use tickid_lease::{Node, NodePool, Realm, RealmSpec};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};

use crate::holder;
use crate::task::Task;

/// A scheme under test.
pub(crate) trait Subject: 'static {
    type Scheme: Scheme<Variant: Variant<Self::Scheme, Id = Self::Id>> + Default;
    type Id: fmt::Display + FromStr<Err: fmt::Debug>;
    /// The number of bits of an ID that can be its node.
    const NODE_BITS: u32;

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
    pub(crate) fn is_of(&self, node: Node) -> bool {
        self.node >> (self.bits - node.bits()) == node.value()
    }
}

/// The schemes by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    Scru64,
    Nanoflake,
    Kuid,
    Sno,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Scru64, Self::Nanoflake, Self::Kuid, Self::Sno];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Scru64 => <Scru64s as Subject>::Scheme::NAME,
            Self::Nanoflake => <Nanoflakes as Subject>::Scheme::NAME,
            Self::Kuid => <Kuids as Subject>::Scheme::NAME,
            Self::Sno => <Snos as Subject>::Scheme::NAME,
        }
    }

    /// The first `count` nodes of the scheme's usual size.
    pub(crate) fn pool(self, count: usize) -> String {
        let bits = match self {
            Self::Scru64 => 8,
            Self::Nanoflake => 10,
            Self::Kuid => 32,
            Self::Sno => 16,
        };
        format!("0-{}/{bits}", count - 1)
    }

    pub(crate) fn realm(
        self,
        name: RealmName,
        pool: NodePool,
        term: Duration,
        skew: Duration,
    ) -> RealmSpec {
        match self {
            Self::Scru64 => realm::<Scru64s>(name, pool, term, skew),
            Self::Nanoflake => realm::<Nanoflakes>(name, pool, term, skew),
            Self::Kuid => realm::<Kuids>(name, pool, term, skew),
            Self::Sno => realm::<Snos>(name, pool, term, skew),
        }
    }

    pub(crate) fn hold(self, task: Task) -> ExitCode {
        match self {
            Self::Scru64 => holder::run::<Scru64s>(&task),
            Self::Nanoflake => holder::run::<Nanoflakes>(&task),
            Self::Kuid => holder::run::<Kuids>(&task),
            Self::Sno => holder::run::<Snos>(&task),
        }
    }

    pub(crate) fn read(self, text: &str) -> Issued {
        match self {
            Self::Scru64 => read::<Scru64s>(text),
            Self::Nanoflake => read::<Nanoflakes>(text),
            Self::Kuid => read::<Kuids>(text),
            Self::Sno => read::<Snos>(text),
        }
    }
}

fn realm<S: Subject>(name: RealmName, pool: NodePool, term: Duration, skew: Duration) -> RealmSpec {
    let realm = Realm::builder(name, S::Scheme::default()).pool(pool).policy(S::policy());
    realm.term(term).skew(skew).build().unwrap().into()
}

fn read<S: Subject>(text: &str) -> Issued {
    S::read(text.parse().unwrap())
}

fn issued<S: Subject>(bytes: &[u8], tick: u64, node: impl Into<u64>) -> Issued {
    let number = bytes.iter().fold(0, |number, &byte| number << 8 | u128::from(byte));
    Issued { number, tick, node: node.into(), bits: S::NODE_BITS }
}

/// SCRU64, with the ratchet policy and nodes of several sizes.
pub(crate) struct Scru64s;

impl Subject for Scru64s {
    type Scheme = Scru64;
    type Id = Scru64Id;
    const NODE_BITS: u32 = 24;

    fn policy() -> Policy<Scru64> {
        Policy::Ratchet { allowance: Ticks::new(2) }
    }

    fn read(id: Scru64Id) -> Issued {
        issued::<Self>(&id.to_be_bytes(), id.timestamp(), id.node_ctr())
    }
}

/// Nanoflake, with the wait policy.
pub(crate) struct Nanoflakes;

impl Subject for Nanoflakes {
    type Scheme = Nanoflake;
    type Id = NanoflakeId;
    const NODE_BITS: u32 = 10;

    fn policy() -> Policy<Nanoflake> {
        Policy::Wait
    }

    fn read(id: NanoflakeId) -> Issued {
        issued::<Self>(&id.get().to_be_bytes(), id.timestamp(), id.generator().get())
    }
}

/// kuid, with the ratchet policy and ticks that are cut short.
pub(crate) struct Kuids;

impl Subject for Kuids {
    type Scheme = Kuid;
    type Id = GlobalId;
    const NODE_BITS: u32 = 32;

    fn policy() -> Policy<Kuid> {
        Policy::Ratchet { allowance: Ticks::new(100) }
    }

    fn read(id: GlobalId) -> Issued {
        let drift = Kuid::default().drift;
        issued::<Self>(&id.to_bytes(), id.tick(drift).unwrap().get(), id.node(drift).get())
    }
}

/// sno, with the tick-tock policy.
pub(crate) struct Snos;

impl Subject for Snos {
    type Scheme = Sno;
    type Id = SnoId;
    const NODE_BITS: u32 = 16;

    fn policy() -> Policy<Sno> {
        Policy::TickTock
    }

    fn read(id: SnoId) -> Issued {
        issued::<Self>(&id.to_bytes(), id.timestamp(), id.partition().get())
    }
}
