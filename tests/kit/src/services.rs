//! Services that send each other IDs and observe those that they receive, while their clocks
//! disagree, stand still and step both ways.

#![allow(clippy::print_stdout, reason = "tests print the seeds of what fails")]

use core::fmt::Debug;
use core::hash::Hash;
use core::num::NonZeroU32;
use core::time::Duration;
use std::collections::HashSet;

use tickid_core::{
    Builder, Clock, Generator, Handle, LocalGenerator, ManualClock, Observable, ObserveError,
    Policy, Scheme, SequenceBounds, Snapshot, State, Ticks, UnixTime,
};

use crate::cases::scaled;
use crate::dice::Dice;

/// The number of calls before all services are restarted from their snapshots.
const CALLS: usize = 400;
const LIVES: usize = 3;

/// Checks that services which observe each other's IDs issue only greater ones, each once, under
/// ratchets and when they wait. No service may stall because of an ID that it accepts.
///
/// Two of the services have shared generators and handles, one has a local generator.
///
/// # Panics
/// If an ID breaks a promise. The seed is printed before.
pub fn observe_each_other<S, V>(scheme: S, nodes: [S::Node; 3], variants: &[V], start: UnixTime)
where
    S: Scheme,
    V: Observable<S> + 'static,
    V::Id: Debug + Hash + Eq + Ord + 'static,
{
    let mut seen = Seen::default();
    for seed in 0..u64::try_from(scaled(60)).unwrap() {
        println!("services of {} with seed {seed}", S::NAME);
        let mut dice = Dice::new(seed);
        let allowance = dice.one_of(&[0, 1, 2, 9, 40]);
        let policy = match dice.below(5) {
            0 => Policy::Wait,
            _ => Policy::Ratchet { allowance: Ticks::new(allowance) },
        };
        // Few sequences to a tick, so that ticks are used up and generators get ahead of their
        // clocks.
        let all = scheme.sequence_bounds(&nodes[0]);
        let pool = dice.one_of(&[2, 5, 40, u32::MAX]).max(S::MIN_POOL);
        let last = all.lowest().saturating_add(pool - 1).min(all.last());
        let bounds = SequenceBounds::new(all.lowest(), last);

        let mut services = Services::new(&mut seen);
        let mut snapshots = [Snapshot::EMPTY; 3];
        let clocks = [(); 3].map(|()| ManualClock::new(start));
        // Each life continues from the snapshots of the one before.
        for _ in 0..LIVES {
            let [one, two, three] = [0, 1, 2].map(|at| {
                clocks[at].advance(ticks(&scheme, dice.below(8)));
                Builder::seeded_of(scheme, nodes[at], seed)
                    .clock(&clocks[at])
                    .policy(policy)
                    .bounds(bounds)
                    .restore(snapshots[at])
                    .max_wait(Duration::MAX)
            });
            let (one, two) = (one.build().unwrap(), two.build().unwrap());
            let mut local = three.build_local().unwrap();
            let (mut first, mut second) = (one.handle(), one.handle());
            let (mut third, mut fourth) = (two.handle(), two.handle());
            for _ in 0..CALLS {
                // Choose one of three generators, and with a shared one itself or one of its
                // handles.
                let number = dice.below(8);
                let at = if number < 3 {
                    0
                } else if number < 6 {
                    1
                } else {
                    2
                };
                turn(&scheme, &clocks[at], &mut dice);
                let now = scheme.tick_at(clocks[at].now().unwrap()).unwrap().get();
                let before = [one.state(), two.state(), local.state()][at];
                let at_once = Duration::ZERO;
                let is_ready = match at {
                    0 => one.wait_ready(at_once).is_ok(),
                    1 => two.wait_ready(at_once).is_ok(),
                    _ => local.wait_ready(at_once).is_ok(),
                };
                let service: &mut dyn Service<S, V> = match number {
                    0 => &mut &one,
                    1 => &mut first,
                    2 => &mut second,
                    3 => &mut &two,
                    4 => &mut third,
                    5 => &mut fourth,
                    _ => &mut local,
                };
                // Draw or observe. After an accepted ID, a generator that was ready has a greater
                // one.
                let variant = dice.one_of(variants);
                if dice.below(3) > 0 {
                    services.draw(at, service, variant, &mut dice);
                } else if services.observe(at, service, variant, &mut dice) && is_ready {
                    services.draw_one(at, service, variant);
                }
                // An observed ID must not take a generator further ahead than its policy allows.
                let after = [one.state(), two.state(), local.state()][at];
                let most = if policy == Policy::Wait { 0 } else { allowance + 1 };
                let (before, after) = (ahead(&before, now), ahead(&after, now));
                assert!(after <= before.max(most), "{after} ticks ahead under {policy}");
            }
            snapshots = [one.close(), two.close(), local.close()];
        }
    }
    println!("shown: services of {}: {seen:?}", S::NAME);
    let Seen { ids, accepted, refused } = seen;
    assert!(ids > scaled(10_000) && accepted > scaled(5_000) && refused > scaled(500), "{seen:?}");
}

/// The time between an answer and the next.
pub const HOP: Duration = Duration::from_micros(50);
/// The maximum number of hops to count.
pub const MOST_HOPS: usize = 200_000;

/// Returns how often two services with equal clocks answer each other until one of them cannot.
///
/// # Panics
/// Unless both generators can be built, and the first can issue.
pub fn hops<S: Scheme>(scheme: S, nodes: [S::Node; 2], policy: Policy<S>) -> usize
where
    S::Variant: Observable<S>,
{
    hops_of(scheme, nodes, policy, S::Variant::default())
}

fn hops_of<S: Scheme, V: Observable<S>>(
    scheme: S,
    nodes: [S::Node; 2],
    policy: Policy<S>,
    variant: V,
) -> usize {
    let clock = ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000));
    let services = nodes.map(|node| {
        Builder::seeded_of(scheme, node, 0).clock(&clock).policy(policy).build().unwrap()
    });
    let mut message = services[0].with(variant).try_generate().unwrap();
    for hop in 0..MOST_HOPS {
        let service = services[(hop + 1) % 2].with(variant);
        if service.observe(message).is_err() {
            return hop;
        }
        let Ok(answer) = service.try_generate() else { return hop };
        message = answer;
        clock.advance(HOP);
    }
    MOST_HOPS
}

/// Returns the length of the first `n` ticks.
fn ticks<S: Scheme>(scheme: &S, n: u64) -> Duration {
    scheme.scale().time_of(n).saturating_since(scheme.scale().epoch())
}

/// Sets the clock now and then, ahead more often than back.
fn turn<S: Scheme>(scheme: &S, clock: &ManualClock, dice: &mut Dice) {
    let by = i64::try_from(ticks(scheme, dice.below(12)).as_micros()).unwrap() / 4;
    let now = clock.now().unwrap().as_micros();
    match dice.below(8) {
        0 | 1 => clock.set(UnixTime::from_micros(now + by)),
        2 => clock.set(UnixTime::from_micros(now - by)),
        _ => {}
    }
}

/// The number of outcomes of each kind.
#[derive(Debug, Default)]
struct Seen {
    ids: usize,
    accepted: usize,
    refused: usize,
}

/// Returns how many ticks the generator is ahead of the clock.
fn ahead<S: Scheme>(state: &State<S>, now: u64) -> u64 {
    state.snapshot.highest_tick().map_or(0, |tick| tick.get().saturating_sub(now))
}

/// A generator, or another way to use it.
trait Service<S: Scheme, V: Observable<S>> {
    /// Draws up to `n` IDs by the call of this number.
    fn draw(&mut self, variant: V, n: NonZeroU32, call: u64) -> Vec<V::Id>;
    fn observe(&mut self, variant: V, id: V::Id) -> Result<(), ObserveError>;
}

macro_rules! service {
    ($type:ty) => {
        impl<S: Scheme, V: Observable<S>> Service<S, V> for $type {
            fn draw(&mut self, variant: V, n: NonZeroU32, call: u64) -> Vec<V::Id> {
                let Ok(first) = self.with(variant).try_generate() else { return Vec::new() };
                let mut ids = vec![first];
                if call == 0 {
                    ids.extend(self.with(variant).try_block(n).into_iter().flatten());
                } else if call == 1 {
                    let mut out = vec![first; usize::try_from(n.get()).unwrap()];
                    let filled = self.with(variant).try_fill(&mut out);
                    ids.extend(filled.iter().flat_map(|filled| filled.iter().copied()));
                }
                ids
            }

            fn observe(&mut self, variant: V, id: V::Id) -> Result<(), ObserveError> {
                self.with(variant).observe(id)
            }
        }
    };
}
service!(&Generator<S, &ManualClock>);
service!(Handle<'_, S, &ManualClock>);
service!(LocalGenerator<S, &ManualClock>);

/// The IDs of all services.
struct Services<'a, Id> {
    seen: &'a mut Seen,
    /// In the order of their issue.
    sent: Vec<Id>,
    /// The greatest ID that each service has accepted.
    observed: [Option<Id>; 3],
    issued: [HashSet<Id>; 3],
}

impl<'a, Id: Copy + Ord + Hash + Debug> Services<'a, Id> {
    fn new(seen: &'a mut Seen) -> Self {
        Self {
            seen,
            sent: Vec::new(),
            observed: [None; 3],
            issued: [(); 3].map(|()| HashSet::new()),
        }
    }

    fn draw<S: Scheme, V: Observable<S, Id = Id>>(
        &mut self,
        at: usize,
        service: &mut dyn Service<S, V>,
        variant: V,
        dice: &mut Dice,
    ) {
        let n = NonZeroU32::new(dice.count(9)).unwrap();
        let ids = service.draw(variant, n, dice.below(8));
        self.check(at, ids);
    }

    fn draw_one<S: Scheme, V: Observable<S, Id = Id>>(
        &mut self,
        at: usize,
        service: &mut dyn Service<S, V>,
        variant: V,
    ) {
        let ids = service.draw(variant, NonZeroU32::MIN, u64::MAX);
        assert!(!ids.is_empty(), "stalls because of {:?}", self.observed[at]);
        self.check(at, ids);
    }

    fn check(&mut self, at: usize, ids: Vec<Id>) {
        for id in ids {
            assert!(self.observed[at] < Some(id), "{id:?} is not after {:?}", self.observed[at]);
            assert!(self.issued[at].insert(id), "{id:?} is issued twice");
            self.sent.push(id);
            self.seen.ids += 1;
        }
    }

    /// Sends the service an ID, mostly one of the last. Reports whether it was accepted.
    fn observe<S: Scheme, V: Observable<S, Id = Id>>(
        &mut self,
        at: usize,
        service: &mut dyn Service<S, V>,
        variant: V,
        dice: &mut Dice,
    ) -> bool {
        let most = self.sent.len().min(1 << dice.below(10));
        let Some(back) = (most > 0).then(|| 1 + dice.below(most as u64)) else { return false };
        let id = self.sent[self.sent.len() - usize::try_from(back).unwrap()];
        match service.observe(variant, id) {
            Ok(()) => {
                self.observed[at] = self.observed[at].max(Some(id));
                self.seen.accepted += 1;
                true
            }
            Err(ObserveError::Ahead { .. }) => {
                self.seen.refused += 1;
                false
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use tickid_core::example::{Node, Plain, Seconds, Toggling};

    use super::*;
    use crate::example::{Narrow, at};

    #[test]
    fn examples_follow_each_other() {
        let nodes = [Node(7), Node(3), Node(200)];
        observe_each_other(Seconds, nodes, &[Plain], at(1_000));
        observe_each_other(Toggling, nodes, &[Plain], at(1_000));
        observe_each_other(Narrow, nodes, &[Plain], at(1_000));
    }

    #[test]
    fn hops_of_real_schemes() {
        let nodes = [3, 500].map(|id| tickid_nanoflake::GeneratorId::new(id).unwrap());
        let nanoflake = tickid_nanoflake::Nanoflake::default();
        let ratchet = Policy::Ratchet { allowance: Ticks::new(500) };
        let waiting = hops(nanoflake, nodes, Policy::Wait);
        assert_eq!((waiting, hops(nanoflake, nodes, ratchet)), (1, 557));
        let nodes = ["3/8", "200/8"].map(|node| node.parse().unwrap());
        let scru64 = hops(tickid_scru64::Scru64, nodes, tickid_scru64::Scru64.default_policy());
        let nodes = [3, 60_000].map(tickid_sno::Partition::new);
        let ratchet = Policy::Ratchet { allowance: Ticks::new(125) };
        let sno = hops(tickid_sno::Sno, nodes, ratchet);
        let nodes = ["a", "b"].map(tickid_kuid::Node::phash2);
        let kuid = tickid_kuid::Kuid::default();
        let local = hops_of(kuid, nodes, kuid.default_policy(), tickid_kuid::Local);
        // As docs/causality.md states.
        assert_eq!((scru64, sno, local), (41, 129, MOST_HOPS));
    }

    #[test]
    fn real_schemes_follow_each_other() {
        let start = UnixTime::from_micros(1_700_000_000_000_000);
        let nodes = [500, 3, 1_000].map(|id| tickid_nanoflake::GeneratorId::new(id).unwrap());
        let nanoflake = tickid_nanoflake::Nanoflake::default();
        observe_each_other(nanoflake, nodes, &[Plain], start);
        let nodes = ["50/8", "3/8", "200/8"].map(|node| node.parse().unwrap());
        observe_each_other(tickid_scru64::Scru64, nodes, &[Plain], start);
        let nodes = [500, 3, 60_000].map(tickid_sno::Partition::new);
        observe_each_other(tickid_sno::Sno, nodes, &[0, 9, 255].map(tickid_sno::Meta), start);
        let nodes = ["a", "b", "c"].map(tickid_kuid::Node::phash2);
        observe_each_other(tickid_kuid::Kuid::default(), nodes, &[tickid_kuid::Local], start);
    }
}
