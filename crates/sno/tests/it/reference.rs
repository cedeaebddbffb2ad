//! Tests that generators follow the document, call by call, with its state machine in plain lines.

use crate::support::{PARTITION, Subject};
use tickid_sno::{Meta, SnoId};
use tickid_testkit::reference::{Document, Given};

#[derive(Clone)]
pub(crate) struct Written {
    given: Given,
    /// The time and the sequence issued last.
    last: Option<(u64, u32)>,
    tick_tock: bool,
    /// The time when tick-tock left each bit: this one and the other.
    left: [Option<u64>; 2],
}

impl Document<Subject> for Written {
    fn new(given: Given) -> Self {
        Self { given, last: None, tick_tock: false, left: [None; 2] }
    }

    fn given(&mut self) -> &mut Given {
        &mut self.given
    }

    fn next(&mut self, micros: i64, meta: Meta) -> Option<SnoId> {
        let now =
            u64::try_from(micros.saturating_sub(1_262_304_000_000_000).div_euclid(4_000)).ok()?;
        if now >= 1 << 39 {
            return None;
        }
        let sequence = match self.last {
            Some((time, sequence)) if now == time => {
                (sequence < self.given.last).then_some(sequence + 1)?
            }
            // The clock went back, so continue under the other bit, unless that has been here
            // already.
            Some((time, _)) if now < time => {
                let other = !self.tick_tock;
                if self.left[usize::from(other)] >= Some(now) {
                    return None;
                }
                let start = self.given.enter(now)?;
                self.left[usize::from(self.tick_tock)] = Some(time);
                self.tick_tock = other;
                start
            }
            _ => self.given.enter(now)?,
        };
        self.last = Some((now, sequence));
        self.id(meta)
    }

    fn more(&mut self, meta: Meta) -> Option<SnoId> {
        let (time, sequence) = self.last.filter(|last| last.1 < self.given.last)?;
        self.last = Some((time, sequence + 1));
        self.id(meta)
    }
}

impl Written {
    /// Builds an ID: 39 bits of 4 milliseconds since 2010, the tick-tock bit, metabyte, partition
    /// and sequence.
    fn id(&self, meta: Meta) -> Option<SnoId> {
        let (time, sequence) = self.last?;
        let mut bits = u128::from(time);
        bits = bits << 1 | u128::from(self.tick_tock);
        bits = bits << 8 | u128::from(meta.0);
        bits = bits << 16 | u128::from(PARTITION.get());
        bits = bits << 16 | u128::from(sequence);
        SnoId::try_from(bits).ok()
    }
}
