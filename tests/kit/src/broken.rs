//! A faulty subject: the tests of this crate must find its faults.

use tickid_core::UnixTime;
use tickid_core::example::{Node, Plain, Toggling};

use crate::example::{Example, parts};
use crate::subject::{Parts, Subject};

/// The example scheme, with IDs that are read wrongly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Broken {
    Not,
    Repeats,
    Drifts,
    Falls,
    IsForeign,
    LeavesItsBounds,
}

impl Subject for Broken {
    type Scheme = Toggling;
    type Variant = Plain;
    type Id = u64;

    fn settings(&self) -> Toggling {
        Toggling
    }

    fn node(&self) -> Node {
        Example(Toggling).node()
    }

    fn start(&self) -> UnixTime {
        Example(Toggling).start()
    }

    fn blank(&self) -> u64 {
        0
    }

    fn parts(&self, id: u64) -> Parts {
        let mut parts = parts(id);
        match self {
            Self::Repeats => parts.sequence &= !1,
            Self::Drifts => parts.tick += 1,
            Self::LeavesItsBounds => parts.sequence += 250,
            Self::Not | Self::Falls | Self::IsForeign => {}
        }
        parts
    }

    fn is_of(&self, id: u64, form: Plain) -> bool {
        Example(Toggling).is_of(id, form) && *self != Self::IsForeign
    }

    fn increases(&self, id: u64, next: u64) -> bool {
        id < next && *self != Self::Falls
    }
}
