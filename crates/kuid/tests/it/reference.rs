//! Tests that generators follow the document, call by call, with its state machine in plain lines.

use crate::support::{DRIFT, Id, Kind, NODE, Subject};
use tickid_kuid::tickid_core::Scheme as _;
use tickid_kuid::{GlobalId, Kuid, LocalId};
use tickid_testkit::invariants::Rule;
use tickid_testkit::reference::{Document, Given, follow};

/// Mega-seconds, seconds and steps of 1,024 microseconds.
type Time = (u64, u64, u64);

#[derive(Clone)]
pub(crate) struct Written {
    given: Given,
    /// The time and the sequence issued last.
    last: Option<(Time, u32)>,
}

/// Returns the number of steps before a time, with 977 steps in every second.
fn steps((a, b, c): Time) -> u64 {
    (a * 1_000_000 + b) * 977 + c
}

fn time(steps: u64) -> Time {
    let seconds = steps / 977;
    (seconds / 1_000_000, seconds % 1_000_000, steps % 977)
}

/// Returns the next time that a calendar has.
fn after((a, b, c): Time) -> Time {
    match (b, c) {
        (999_999, 976) => (a + 1, 0, 0),
        (_, 976) => (a, b + 1, 0),
        _ => (a, b, c + 1),
    }
}

/// Builds an ID: 20 bits of mega-seconds, 20 of seconds, 10 of steps, 14 of sequence. In a global
/// ID the node's 32 bits come between the seconds that count neighborhoods and the 2^8 within one.
fn id((a, b, c): Time, sequence: u32, kind: Kind) -> Option<Id> {
    let low = c << 14 | u64::from(sequence);
    match kind {
        Kind::Local => Some(Id::Local(LocalId::from(a << 44 | b << 24 | low))),
        Kind::Global => {
            let (high, within) = (u128::from((a << 12) + b / 256), u128::from(b % 256));
            let bits = high << 64 | u128::from(NODE.get()) << 32 | within << 24 | u128::from(low);
            GlobalId::try_from(bits).ok().map(Id::Global)
        }
    }
}

impl Document<Subject> for Written {
    fn new(given: Given) -> Self {
        assert_eq!(DRIFT.get(), 8);
        Self { given, last: None }
    }

    fn given(&mut self) -> &mut Given {
        &mut self.given
    }

    fn next(&mut self, micros: i64, kind: Kind) -> Option<Id> {
        let micros = u64::try_from(micros).ok()?;
        let now = (
            micros / 1_000_000_000_000,
            micros / 1_000_000 % 1_000_000,
            micros % 1_000_000 / 1_024,
        );
        if steps(now) > Kuid::LAST_TICK {
            return None;
        }
        let Given { allowance, floor, last: last_sequence, .. } = self.given;
        let ahead = |of| steps(of).saturating_sub(steps(now));
        let enter = |time| {
            let start = self.given.enter(steps(time)).filter(|_| steps(time) <= Kuid::LAST_TICK);
            start.map(|start| (time, start))
        };
        let next = match self.last {
            Some((time, _)) if ahead(time) > allowance => None,
            Some((time, sequence)) if now <= time && sequence < last_sequence => {
                Some((time, sequence + 1))
            }
            Some((time, _)) if now <= time => enter(after(time)),
            _ if ahead(time(floor)) > allowance => None,
            _ => enter(now.max(time(floor))),
        };
        let (time, sequence) = next?;
        self.last = next;
        id(time, sequence, kind)
    }

    fn more(&mut self, kind: Kind) -> Option<Id> {
        let (time, sequence) = self.last.filter(|last| last.1 < self.given.last)?;
        self.last = Some((time, sequence + 1));
        id(time, sequence + 1, kind)
    }
}

#[test]
fn ratchets_agree_with_the_document() {
    follow::<_, Written>(&Subject, Rule::Ratchet);
}
