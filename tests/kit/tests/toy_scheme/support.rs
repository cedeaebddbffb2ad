//! The subject, as `tests/it/support/mod.rs` of a scheme has it.

use tickid_core::{Plain, UnixTime};
use tickid_testkit::{Parts, Subject};

use crate::id::TicketId;
use crate::node::Desk;
use crate::scheme::Ticket;

/// Generators of desk 7 that count from 1970.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tickets;

impl Subject for Tickets {
    type Scheme = Ticket;
    type Variant = Plain;
    type Id = TicketId;

    fn settings(&self) -> Ticket {
        Ticket { epoch: UnixTime::EPOCH }
    }

    fn node(&self) -> Desk {
        Desk::new(7)
    }

    fn start(&self) -> UnixTime {
        UnixTime::from_micros(1_700_000_000_000_000)
    }

    fn blank(&self) -> TicketId {
        TicketId::MIN
    }

    fn parts(&self, id: TicketId) -> Parts {
        Parts { tick: id.time(), toggle: false, sequence: id.number() }
    }

    fn is_of(&self, id: TicketId, Plain: Plain) -> bool {
        id.desk() == Desk::new(7)
    }

    fn increases(&self, id: TicketId, next: TicketId) -> bool {
        id < next && *id.encode() < *next.encode()
    }
}
