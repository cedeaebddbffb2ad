//! The state machine of the document, as `tests/it/reference.rs` of a scheme has it.

use tickid_core::Plain;
use tickid_testkit::invariants::Rule;
use tickid_testkit::reference::{Document, Given, follow};

use crate::id::TicketId;
use crate::support::Tickets;

/// A ticket machine in plain words: it continues from the last ticket, into the next hundredth of a
/// second if it must, as long as the clock is not too far behind.
pub(crate) struct Machine {
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
fn ratchets_agree_with_the_model() {
    follow::<_, Machine>(&Tickets, Rule::Ratchet);
}
