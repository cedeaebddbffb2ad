//! IDs with the times when they were generated.

use core::time::Duration;

use tickid_core::{
    Builder, Clock as _, Lowest, ManualClock, Plain, RangeError, Scheme, UnixTime, Variant,
};
use tickid_kuid::{Drift, Global, GlobalId, Kuid, Local, LocalId, Node};
use tickid_nanoflake::{GeneratorId, Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Meta, Partition, Sno, SnoId};
use tickid_snowflake::{Snowflake, SnowflakeId};
use tickid_testkit::Dice;

/// An ID, and the clock's reading when it was generated.
#[derive(Clone, Copy, Debug)]
pub struct Issued<Id> {
    pub id: Id,
    pub at: UnixTime,
}

/// The time from the start of a tick to the end of a tick, and the ends of the range scan for it.
#[derive(Clone, Copy, Debug)]
pub struct TimeRange<Id> {
    pub first: UnixTime,
    pub last: UnixTime,
    pub min: Id,
    pub max: Id,
}

/// The IDs that one generator issued, in their order.
#[derive(Clone, Debug)]
pub struct History<Id> {
    pub seed: u64,
    pub issued: Vec<Issued<Id>>,
    pub ranges: Vec<TimeRange<Id>>,
}

impl<Id: Copy> History<Id> {
    /// Returns the same history with the IDs in another form.
    #[must_use]
    pub fn map<T>(&self, form: impl Fn(Id) -> T) -> History<T> {
        let issued = self.issued.iter().map(|&Issued { id, at }| Issued { id: form(id), at });
        let ranges = self.ranges.iter().map(|&TimeRange { first, last, min, max }| TimeRange {
            first,
            last,
            min: form(min),
            max: form(max),
        });
        History { seed: self.seed, issued: issued.collect(), ranges: ranges.collect() }
    }
}

/// Just before kuid's mega-seconds turn.
const START: UnixTime = UnixTime::from_micros(1_799_999_999_500_000);
const IDS: usize = 200;
const RANGES: usize = 20;

#[must_use]
pub fn scru64(seed: u64) -> History<Scru64Id> {
    let builder = Builder::<Scru64>::seeded("42/8".parse().unwrap(), seed);
    record(seed, builder, Plain, even_tick::<256_000>, Scru64Id::min_at, Scru64Id::max_at)
}

#[must_use]
pub fn nanoflake(seed: u64) -> History<NanoflakeId> {
    let builder = Builder::<Nanoflake>::seeded(GeneratorId::new(378).unwrap(), seed);
    let nanoflake = Nanoflake::default();
    let (min_at, max_at) = (|time| nanoflake.min_at(time), |time| nanoflake.max_at(time));
    record(seed, builder, Plain, even_tick::<1_000>, min_at, max_at)
}

#[must_use]
pub fn snowflake(seed: u64) -> History<SnowflakeId> {
    let layout = Snowflake::SONYFLAKE;
    let builder = Builder::seeded_of(layout, layout.node(378).unwrap(), seed);
    let (min_at, max_at) = (|time| layout.min_at(time), |time| layout.max_at(time));
    record(seed, builder, Plain, even_tick::<10_000>, min_at, max_at)
}

#[must_use]
pub fn sno(seed: u64) -> History<SnoId> {
    let builder = Builder::<Sno>::seeded(Partition::new(258), seed);
    record(seed, builder, Meta(24), even_tick::<4_000>, SnoId::min_at, SnoId::max_at)
}

#[must_use]
pub fn kuid_local(seed: u64) -> History<LocalId> {
    let builder = Builder::<Kuid>::seeded(Node::phash2("a@host"), seed);
    record(seed, builder, Local, kuid_tick, LocalId::min_at, LocalId::max_at)
}

/// Returns the history of one node; its ranges cover this node alone.
#[must_use]
pub fn kuid_global(seed: u64, drift: Drift) -> History<GlobalId> {
    let node = Node::phash2("a@host");
    let builder = Builder::<Kuid>::seeded(node, seed).settings(Kuid { drift });
    let global = |local: Result<_, RangeError>| local.map(|l| GlobalId::from_local(l, node, drift));
    let (min_at, max_at) =
        (|time| global(LocalId::min_at(time)), |time| global(LocalId::max_at(time)));
    record(seed, builder, Global, kuid_tick, min_at, max_at)
}

/// The first and the last microsecond of a tick. Computed here, as the schemes' ranges are checked
/// against it.
type Tick = (i64, i64);

fn even_tick<const MICROS: i64>(at: i64) -> Tick {
    let first = at - at % MICROS;
    (first, first + MICROS - 1)
}

/// Returns a tick of kuid: 1,024 µs within each second, so that the last is shorter.
fn kuid_tick(at: i64) -> Tick {
    let (first, last) = even_tick::<1_024>(at % 1_000_000);
    let second = at - at % 1_000_000;
    (second + first, second + last.min(999_999))
}

/// Records a generator's IDs under a clock that mostly stays within a tick or moves to one of the
/// next, and sometimes far ahead.
fn record<S: Scheme, F: Variant<S>>(
    seed: u64,
    builder: Builder<S>,
    form: F,
    tick: fn(i64) -> Tick,
    min_at: impl Fn(UnixTime) -> Result<F::Id, RangeError>,
    max_at: impl Fn(UnixTime) -> Result<F::Id, RangeError>,
) -> History<F::Id> {
    let mut dice = Dice::new(seed);
    let clock = ManualClock::new(START);
    let mut generator = builder.clock(&clock).sequence(Lowest).build_local().unwrap();
    let issue = |_| {
        let at = clock.now().unwrap();
        let id = generator.with(form).try_generate().unwrap();
        let far = if dice.below(20) == 0 { 1_000 } else { 2 };
        let (first, last) = tick(at.as_micros());
        let length = (last - first).unsigned_abs();
        clock.advance(Duration::from_micros(dice.below(far * length)));
        Issued { id, at }
    };
    let issued: Vec<_> = (0..IDS).map(issue).collect();
    let range = |_| {
        let mut at = || {
            let index = usize::try_from(dice.below(IDS as u64)).unwrap();
            issued[index].at.as_micros() + dice.within(-1_000..1_000)
        };
        let (one, other) = (at(), at());
        let (first, last) = (tick(one.min(other)).0, tick(one.max(other)).1);
        let [first, last] = [first, last].map(UnixTime::from_micros);
        TimeRange { first, last, min: min_at(first).unwrap(), max: max_at(last).unwrap() }
    };
    let ranges = (0..RANGES).map(range).collect();
    History { seed, issued, ranges }
}
