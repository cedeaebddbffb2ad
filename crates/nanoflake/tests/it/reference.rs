//! Tests that generators follow the document, call by call, with its state machine in plain lines.

use crate::support::Subject;
use tickid_nanoflake::NanoflakeId;
use tickid_nanoflake::tickid_core::Plain;
use tickid_testkit::reference::{Document, Given};

#[derive(Clone)]
pub(crate) struct Written {
    given: Given,
    /// The timestamp and the sequence issued last.
    last: Option<(u64, u32)>,
}

/// Builds an ID: 41 bits of milliseconds since 2015, datacenter 21, worker 10, and 12 bits that
/// count within a millisecond.
fn id(timestamp: u64, sequence: u32) -> Option<NanoflakeId> {
    let node = 21 * 32 + 10;
    NanoflakeId::try_from((timestamp * 1_024 + node) * 4_096 + u64::from(sequence)).ok()
}

impl Document<Subject> for Written {
    fn new(given: Given) -> Self {
        Self { given, last: None }
    }

    fn given(&mut self) -> &mut Given {
        &mut self.given
    }

    fn next(&mut self, micros: i64, Plain: Plain) -> Option<NanoflakeId> {
        let now = u64::try_from(micros.div_euclid(1_000) - 1_420_070_400_000).ok()?;
        if now >= 1 << 41 {
            return None;
        }
        let next = match self.last {
            Some((timestamp, _)) if now < timestamp => None,
            Some((timestamp, sequence)) if now == timestamp => {
                (sequence < self.given.last).then_some((timestamp, sequence + 1))
            }
            _ => self.given.enter(now).map(|start| (now, start)),
        };
        self.last = Some(next?);
        next.and_then(|(timestamp, sequence)| id(timestamp, sequence))
    }

    fn more(&mut self, Plain: Plain) -> Option<NanoflakeId> {
        let (timestamp, sequence) = self.last.filter(|last| last.1 < self.given.last)?;
        self.last = Some((timestamp, sequence + 1));
        id(timestamp, sequence + 1)
    }
}
