//! The toy scheme's layout.

use core::fmt;
use core::time::Duration;

use tickid_core::{
    Observable, Plain, Policy, Prefix, Scheme, Slot, Tick, TickScale, UnixTime, Variant,
};

use crate::id::TicketId;
use crate::node::Desk;

/// The ticket scheme: hundredths of a second since an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ticket {
    /// The time of ticket 0.
    pub(crate) epoch: UnixTime,
}

/// Counts from 2020-01-01.
impl Default for Ticket {
    fn default() -> Self {
        Self { epoch: UnixTime::from_micros(1_577_836_800_000_000) }
    }
}

impl Scheme for Ticket {
    const NAME: &'static str = "ticket";
    const MAX_TICK: u64 = TicketId::MAX_TIME;
    const MAX_SEQUENCE: u32 = TicketId::MAX_NUMBER;

    type Node = Desk;
    type Variant = Plain;

    fn scale(&self) -> TickScale {
        TickScale::every(self.epoch, 10_000)
    }

    fn write_settings(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "epoch {}", self.epoch.as_micros())
    }

    fn node_bits(&self) -> Option<u32> {
        Some(Desk::BITS)
    }

    fn prefix(&self, desk: &Desk, tick: Tick<Self>, _: bool) -> Prefix {
        Prefix::new(0, TicketId::assemble(tick.get(), *desk, 0).get())
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Ratchet { allowance: self.ticks_in(Duration::from_millis(250)) }
    }
}

impl Observable<Ticket> for Plain {
    const LEAST: Self = Self;
}

impl Variant<Ticket> for Plain {
    type Id = TicketId;

    fn id(self, _: &Ticket, slot: Slot<Ticket>) -> TicketId {
        TicketId::from_slot(slot)
    }
}
