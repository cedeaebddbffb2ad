//! The subject and the reference model, as `tests/support` and `tests/reference.rs` of a scheme have
//! them, and the promises that they are held to.

use tickid_core::{Plain, Scheme as _, UnixTime};
use tickid_testkit::bounds::hold_at_every_edge;
use tickid_testkit::invariants::{Rule, hold};
use tickid_testkit::reference::{Document, Given, follow};
use tickid_testkit::storm::Storm;
use tickid_testkit::{Parts, Subject};

use crate::id::TicketId;
use crate::node::Desk;
use crate::scheme::Ticket;

/// Generators of desk 7 that count from 1970.
#[derive(Clone, Copy, Debug)]
struct Tickets;

impl Subject for Tickets {
    type Scheme = Ticket;
    type Variant = Plain;
    type Id = TicketId;

    fn layout(&self) -> Ticket {
        Ticket { epoch: UnixTime::EPOCH }
    }

    fn node(&self) -> Desk {
        Desk::new(7)
    }

    fn start(&self) -> UnixTime {
        UnixTime::from_micros(1_700_000_000_000_000)
    }

    fn forms(&self) -> Vec<Plain> {
        vec![Plain]
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

/// A ticket machine in plain words: it goes on from the last ticket, into the next hundredth of a
/// second if it must, as long as the clock is not too far behind.
struct Machine {
    given: Given,
    /// The time and the number of the last ticket.
    last: Option<(u64, u32)>,
}

fn ticket(time: u64, number: u32) -> Option<TicketId> {
    TicketId::try_from((time * 256 + 7) * 32_768 + u64::from(number)).ok()
}

impl Document<Tickets> for Machine {
    fn new(given: Given) -> Self {
        Self { given, last: None }
    }

    fn given(&mut self) -> &mut Given {
        &mut self.given
    }

    fn next(&mut self, micros: i64, Plain: Plain) -> Option<TicketId> {
        let now = u64::try_from(micros.div_euclid(10_000)).ok().filter(|&now| now < 1 << 40)?;
        let Given { allowance, floor, last: most, .. } = self.given;
        let next = match self.last {
            Some((time, _)) if now.saturating_add(allowance) < time => None,
            Some((time, number)) if now <= time && number < most => Some((time, number + 1)),
            last => {
                let time = last.map_or(now, |(time, _)| now.max(time + 1)).max(floor);
                let is_near = time <= now.saturating_add(allowance) || time > floor;
                let start = self.given.enter(time).filter(|_| is_near);
                start.map(|start| (time, start))
            }
        };
        self.last = Some(next?);
        next.and_then(|(time, number)| ticket(time, number))
    }

    fn more(&mut self, Plain: Plain) -> Option<TicketId> {
        let (time, number) = self.last.filter(|last| last.1 < self.given.last)?;
        self.last = Some((time, number + 1));
        ticket(time, number + 1)
    }
}

#[test]
fn promises_hold_whatever_the_clock_does() {
    for rule in [Rule::Default, Rule::Ratchet, Rule::Wait] {
        hold(&Tickets, rule);
    }
}

#[test]
fn generators_do_what_the_model_says() {
    for rule in [Rule::Default, Rule::Ratchet] {
        follow::<_, Machine>(&Tickets, rule);
    }
}

#[test]
fn bounds_hold_at_every_edge() {
    hold_at_every_edge(&Tickets);
}

#[test]
fn eight_threads_under_a_wild_clock_break_no_promise() {
    let layout = Tickets.layout();
    let bounds = tickid_core::SequenceBounds::new(20, 119);
    let storm = Storm {
        subject: &Tickets,
        policy: layout.default_policy(),
        bounds,
        calls: 12_000,
        ids: 10_000,
    };
    let after = storm.weather();
    assert!(after.seen.ids >= 80_000);
}

tickid_testkit::promises_over_every_clock!(Tickets);
