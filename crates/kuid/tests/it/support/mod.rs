//! Helpers shared by several test files.

use tickid_kuid::tickid_core::{Slot, Variant};
use tickid_kuid::{Drift, Global, GlobalId, Kuid, Local, LocalId, Node, UnixTime};
use tickid_testkit::Parts;

pub(crate) const NODE: Node = Node::phash2("uid@127.0.0.1");
pub(crate) const DRIFT: Drift = Drift::DEFAULT;

/// Generators of both kinds of IDs, half a second before a million seconds are full.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject;

/// Either form of ID.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Kind {
    #[default]
    Local,
    Global,
}

/// An ID of either.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) enum Id {
    Local(LocalId),
    Global(GlobalId),
}

impl Id {
    pub(crate) fn local(self) -> LocalId {
        match self {
            Self::Local(id) => id,
            Self::Global(id) => id.to_local(DRIFT),
        }
    }

    pub(crate) fn global(self) -> GlobalId {
        match self {
            Self::Local(id) => GlobalId::from_local(id, NODE, DRIFT),
            Self::Global(id) => id,
        }
    }
}

impl Variant<Kuid> for Kind {
    type Id = Id;

    fn has_node(self) -> bool {
        self == Self::Global
    }

    fn id(self, scheme: &Kuid, slot: Slot<Kuid>) -> Id {
        match self {
            Self::Local => Id::Local(Local.id(scheme, slot)),
            Self::Global => Id::Global(Global.id(scheme, slot)),
        }
    }
}

impl tickid_testkit::Subject for Subject {
    type Scheme = Kuid;
    type Variant = Kind;
    type Id = Id;

    fn settings(&self) -> Kuid {
        Kuid::default()
    }

    fn node(&self) -> Node {
        NODE
    }

    fn start(&self) -> UnixTime {
        UnixTime::from_micros(1_539_999_999_500_000)
    }

    fn forms(&self) -> Vec<Kind> {
        vec![Kind::Local, Kind::Global]
    }

    fn blank(&self) -> Id {
        Id::Local(LocalId::MIN)
    }

    fn parts(&self, id: Id) -> Parts {
        let id = id.local();
        // The tick is `None` for a time that no calendar has.
        let tick = id.tick().map_or(u64::MAX >> 1, |tick| tick.get());
        Parts { tick, toggle: false, sequence: id.sequence() }
    }

    fn is_of(&self, id: Id, kind: Kind) -> bool {
        let local = id.local();
        let is_valid = local.seconds() <= 999_999 && local.micro_seconds() <= 999_424;
        let is_of_kind = match id {
            Id::Local(_) => kind == Kind::Local,
            Id::Global(id) => kind == Kind::Global && id.node(DRIFT) == NODE,
        };
        is_valid && is_of_kind
    }

    /// Both kinds come from one sequence, so in either form each ID is above the one before it.
    fn increases(&self, id: Id, next: Id) -> bool {
        id.local() < next.local() && id.global() < next.global()
    }
}
