//! Tests that generators follow the specification, call by call, with its state machine in plain
//! lines.
//!
//! "Clock rollback handling", "Counter overflow handling" and "Special-purpose IDs" of SCRU64
//! v1.0.0; the test sets the start of the counter.

use crate::support::Subject;
use tickid_scru64::Scru64Id;
use tickid_scru64::tickid_core::Plain;
use tickid_testkit::invariants::Rule;
use tickid_testkit::reference::{Document, Given, follow};

#[derive(Clone)]
pub(crate) struct Specification {
    given: Given,
    /// The timestamp and the counter issued last.
    last: Option<(u64, u32)>,
}

/// Builds an ID: 38 bits of `timestamp` and 24 of `node_ctr`. In these tests, 12 of those belong to
/// the node, 0xb00.
fn id(timestamp: u64, counter: u32) -> Option<Scru64Id> {
    Scru64Id::try_from(timestamp * 16_777_216 + 0xb00 * 4_096 + u64::from(counter)).ok()
}

impl Document<Subject> for Specification {
    fn new(given: Given) -> Self {
        Self { given, last: None }
    }

    fn given(&mut self) -> &mut Given {
        &mut self.given
    }

    fn next(&mut self, micros: i64, Plain: Plain) -> Option<Scru64Id> {
        let now = u64::try_from(micros).ok()? / 256_000;
        if !(1..282_429_536_480).contains(&now) {
            return None;
        }
        let Given { allowance, floor, last: last_counter, .. } = self.given;
        let enter = |timestamp| {
            let is_issued = timestamp < 282_429_536_480;
            is_issued.then(|| self.given.enter(timestamp)).flatten().map(|start| (timestamp, start))
        };
        let next = match self.last {
            Some((timestamp, _)) if timestamp.saturating_sub(now) > allowance => None,
            Some((timestamp, counter)) if now <= timestamp && counter < last_counter => {
                Some((timestamp, counter + 1))
            }
            Some((timestamp, _)) if now <= timestamp => enter(timestamp + 1),
            // A window that is yet to come is like a clock that is behind.
            _ if floor.saturating_sub(now) > allowance => None,
            _ => enter(now.max(floor)),
        };
        self.last = Some(next?);
        next.and_then(|(timestamp, counter)| id(timestamp, counter))
    }

    fn more(&mut self, Plain: Plain) -> Option<Scru64Id> {
        let (timestamp, counter) = self.last.filter(|last| last.1 < self.given.last)?;
        self.last = Some((timestamp, counter + 1));
        id(timestamp, counter + 1)
    }
}

#[test]
fn ratchets_agree_with_the_spec() {
    follow::<_, Specification>(&Subject::default(), Rule::Ratchet);
}
