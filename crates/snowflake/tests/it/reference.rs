//! The presets' documents as state machines in plain lines, which share no code with the layouts.

use core::marker::PhantomData;

use tickid_snowflake::tickid_core::Plain;
use tickid_snowflake::{NodeAboveSequence, Order, SequenceAboveNode, Snowflake, SnowflakeId};
use tickid_testkit::reference::{Document, Given};
use tickid_testkit::suite::agree_with;

use crate::support::{Subject, subject};

/// A preset's document: its numbers, and how an ID is made of them.
pub(crate) trait Original {
    type Order: Order;
    const LAYOUT: Snowflake<Self::Order>;
    const UNIT_MICROS: i64;
    const EPOCH_MILLIS: i64;
    const TIME_BITS: u32;
    const NODE: u64;
    fn id(tick: u64, node: u64, sequence: u64) -> u64;
}

macro_rules! originals {
    ($(
        $name:ident: $order:ty, $unit:literal micros since $epoch:literal, $bits:literal bits,
        node $node:literal, |$tick:ident, $of:ident, $sequence:ident| $id:expr;
    )+) => {$(
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the preset's name")]
        pub(crate) struct $name;

        impl Original for $name {
            type Order = $order;
            const LAYOUT: Snowflake<$order> = Snowflake::<$order>::$name;
            const UNIT_MICROS: i64 = $unit;
            const EPOCH_MILLIS: i64 = $epoch;
            const TIME_BITS: u32 = $bits;
            const NODE: u64 = $node;

            fn id($tick: u64, $of: u64, $sequence: u64) -> u64 {
                $id
            }
        }
    )+};
}

originals! {
    TWITTER: NodeAboveSequence, 1_000 micros since 1_288_834_974_657, 41 bits, node 1_022,
        |time, worker, sequence| (time * 1_024 + worker) * 4_096 + sequence;
    DISCORD: NodeAboveSequence, 1_000 micros since 1_420_070_400_000, 42 bits, node 1_022,
        |time, worker, increment| time << 22 | worker << 12 | increment;
    INSTAGRAM: NodeAboveSequence, 1_000 micros since 1_314_220_021_721, 41 bits, node 8_190,
        |time, shard, sequence| time << 23 | shard << 10 | sequence;
    PGEDGE: NodeAboveSequence, 1_000 micros since 1_672_531_200_000, 41 bits, node 1_022,
        |time, node, count| count | node << 12 | time << 22;
    UNIX_EPOCH: NodeAboveSequence, 1_000 micros since 0, 41 bits, node 1_022,
        |time, node, sequence| time << 22 | node << 12 | sequence;
    TSID: NodeAboveSequence, 1_000 micros since 1_577_836_800_000, 42 bits, node 1_022,
        |time, node, counter| time << 22 | node << 12 | counter;
    JS_SAFE: NodeAboveSequence, 1_000 micros since 1_735_689_600_000, 41 bits, node 62,
        |time, node, sequence| time * 4_096 + node * 64 + sequence;
    BAIDU: NodeAboveSequence, 1_000_000 micros since 1_463_673_600_000, 28 bits, node 4_194_302,
        |time, worker, sequence| time << 35 | worker << 13 | sequence;
    SONYFLAKE: SequenceAboveNode, 10_000 micros since 1_409_529_600_000, 39 bits, node 65_534,
        |time, machine, sequence| (time * 256 + sequence) * 65_536 + machine;
    SONYFLAKE_V2: SequenceAboveNode, 10_000 micros since 1_735_689_600_000, 39 bits, node 65_534,
        |time, machine, sequence| time << 24 | sequence << 16 | machine;
}

/// The state machine: a generator counts within a tick, and waits for its clock.
pub(crate) struct Written<P> {
    given: Given,
    /// The tick and the sequence issued last.
    last: Option<(u64, u32)>,
    original: PhantomData<P>,
}

impl<P: Original> Document<Subject<P::Order>> for Written<P> {
    fn new(given: Given) -> Self {
        Self { given, last: None, original: PhantomData }
    }

    fn given(&mut self) -> &mut Given {
        &mut self.given
    }

    fn next(&mut self, micros: i64, Plain: Plain) -> Option<SnowflakeId> {
        let since = micros.checked_sub(P::EPOCH_MILLIS * 1_000)?;
        let now = u64::try_from(since.div_euclid(P::UNIT_MICROS)).ok()?;
        if now >= 1 << P::TIME_BITS {
            return None;
        }
        let next = match self.last {
            Some((tick, _)) if now < tick => None,
            Some((tick, sequence)) if now == tick => {
                (sequence < self.given.last).then_some((tick, sequence + 1))
            }
            _ => self.given.enter(now).map(|start| (now, start)),
        };
        self.last = Some(next?);
        next.map(|(tick, sequence)| SnowflakeId::new(P::id(tick, P::NODE, sequence.into())))
    }

    fn more(&mut self, Plain: Plain) -> Option<SnowflakeId> {
        let (tick, sequence) = self.last.filter(|last| last.1 < self.given.last)?;
        self.last = Some((tick, sequence + 1));
        Some(SnowflakeId::new(P::id(tick, P::NODE, u64::from(sequence) + 1)))
    }
}

/// TSID and Sonyflake are compared in the suites.
#[test]
fn other_presets_agree_with_documents() {
    agree_with::<_, Written<TWITTER>>(&subject(TWITTER::LAYOUT));
    agree_with::<_, Written<DISCORD>>(&subject(DISCORD::LAYOUT));
    agree_with::<_, Written<INSTAGRAM>>(&subject(INSTAGRAM::LAYOUT));
    agree_with::<_, Written<PGEDGE>>(&subject(PGEDGE::LAYOUT));
    agree_with::<_, Written<UNIX_EPOCH>>(&subject(UNIX_EPOCH::LAYOUT));
    agree_with::<_, Written<JS_SAFE>>(&subject(JS_SAFE::LAYOUT));
    agree_with::<_, Written<BAIDU>>(&subject(BAIDU::LAYOUT));
    agree_with::<_, Written<SONYFLAKE_V2>>(&subject(SONYFLAKE_V2::LAYOUT));
}
