//! One shared generator and eight threads of a million IDs each, of both kinds and through every
//! method, under clocks that run, stand still, leap and repeat themselves.

#![cfg(feature = "std")]

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use core::num::NonZeroU32;
    use core::sync::atomic::{AtomicI64, AtomicU64, Ordering};
    use core::time::Duration;
    use std::collections::BTreeSet;
    use std::thread;

    use tickid_kuid::core::{Clock, ClockError, ManualClock, Scheme, Tick, Ticks};
    use tickid_kuid::{
        Builder, Drift, Generator, GlobalId, Kuid, Local, LocalId, Node, Policy, UnixTime, Window,
    };

    const THREADS: u64 = 8;
    const IDS: usize = 1_000_000;
    const NODE: Node = Node::phash2("uid@127.0.0.1");
    const DRIFT: Drift = Drift::DEFAULT;
    /// Half a second before a million seconds are full.
    const START: i64 = 1_539_999_999_500_000;

    #[test]
    fn ids_of_all_threads_are_distinct_and_each_threads_increase() {
        let clock = ManualClock::new(UnixTime::from_micros(START));
        let generator = builder().clock(&clock).build().unwrap();
        let ids = on_all_threads(|seed| {
            let (mut random, mut ids) = (Random(seed), Ids::default());
            while ids.is_short() {
                ids.draw(&generator, &mut random, Wait::Yes);
            }
            ids
        });
        assert_distinct(ids);
    }

    #[test]
    fn invariants_hold_by_default_whatever_the_clock_does() {
        invariants_hold_whatever_the_clock_does(None);
    }

    #[test]
    fn invariants_hold_under_ratchet_whatever_the_clock_does() {
        let allowance = Ticks::new(3);
        invariants_hold_whatever_the_clock_does(Some(Policy::Ratchet { allowance }));
    }

    #[test]
    fn invariants_hold_under_wait_whatever_the_clock_does() {
        invariants_hold_whatever_the_clock_does(Some(Policy::Wait));
    }

    fn invariants_hold_whatever_the_clock_does(policy: Option<Policy<Kuid>>) {
        let clock = Script::new();
        let floor = tick_at(START);
        let builder = builder().clock(&clock).window(window(floor, u64::MAX));
        let builder = match policy {
            Some(policy) => builder.policy(policy),
            None => builder,
        };
        let generator = builder.build().unwrap();
        let most_ahead = most_ahead(&generator);
        let ids = on_all_threads(|seed| {
            let (mut random, mut ids) = (Random(seed), Ids::default());
            while ids.is_short() {
                clock.turn(&mut random);
                READINGS.set(None);
                let wait = if random.below(4) == 0 { Wait::Yes } else { Wait::No };
                let new = ids.draw(&generator, &mut random, wait);
                assert_near_the_clock(new, most_ahead);
                assert!(new.iter().all(|&id| tick(id) >= floor));
            }
            ids
        });
        assert_distinct(ids);
    }

    /// The ceiling follows the clock at some distance, so that now the one and now the other stalls.
    #[test]
    fn no_id_lies_outside_of_a_window_that_is_widened_meanwhile() {
        let clock = Script::new();
        let floor = tick_at(START);
        let generator = builder().clock(&clock).window(window(floor, floor + 1)).build().unwrap();
        let most_ahead = most_ahead(&generator);
        let ceiling = AtomicU64::new(floor + 1);
        let ids = on_all_threads(|seed| {
            let (mut random, mut ids) = (Random(seed), Ids::default());
            while ids.is_short() {
                clock.turn(&mut random);
                if random.below(100) == 0 {
                    let wider = (clock.read_tick() + random.below(2_000)).max(floor + 1);
                    // Before the generator hears of it, so that no ID is ahead of it.
                    ceiling.fetch_max(wider, Ordering::SeqCst);
                    generator.widen(wider).unwrap();
                }
                READINGS.set(None);
                let new = ids.draw(&generator, &mut random, Wait::No);
                assert_near_the_clock(new, most_ahead);
                let ceiling = ceiling.load(Ordering::SeqCst);
                assert!(new.iter().all(|&id| (floor..ceiling).contains(&tick(id))));
            }
            ids
        });
        assert_distinct(ids);
    }

    /// Each call that gets nothing has drawn all the same; what is drawn must not spill into the tick.
    #[test]
    fn asking_in_vain_does_not_bring_the_next_tick_nearer() {
        let clock = ManualClock::new(UnixTime::from_micros(START));
        let builder = builder().clock(&clock).policy(Policy::Wait);
        let generator = builder.build().unwrap();
        let ids = on_all_threads(|_| {
            let local = (0..IDS).filter_map(|_| generator.try_generate_as(Local).ok());
            Ids { local: local.collect(), last_global: None }
        });
        assert_eq!(ids.len(), 16_384);
        let sequences = ids.iter().map(|id| id.sequence());
        assert_eq!(sequences.collect::<BTreeSet<_>>().len(), 16_384);
        assert!(ids.iter().all(|&id| tick(id) == tick_at(START)));
        assert_eq!(generator.state().snapshot.tick.unwrap().get(), tick_at(START));
    }

    fn builder() -> Builder {
        Builder::new(NODE)
    }

    fn window(floor: u64, ceiling: u64) -> Window<Kuid> {
        let ceiling = ceiling.min(Kuid::MAX_TICK + 1);
        Window::new(Tick::new(floor).unwrap(), ceiling).unwrap()
    }

    fn on_all_threads(work: impl Fn(u64) -> Ids + Sync) -> Vec<LocalId> {
        let work = &work;
        thread::scope(|scope| {
            let threads: Vec<_> =
                (1..=THREADS).map(|seed| scope.spawn(move || work(seed).local)).collect();
            let ids = threads.into_iter().map(|thread| thread.join().unwrap());
            ids.collect::<Vec<_>>().concat()
        })
    }

    /// Time and sequence alone are distinct, which is more than the IDs have to be: they are of two
    /// kinds.
    fn assert_distinct(mut ids: Vec<LocalId>) {
        assert!(ids.len() >= IDS * usize::try_from(THREADS).unwrap());
        ids.sort();
        for pair in ids.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Wait {
        Yes,
        No,
    }

    /// What one thread has drawn, held against what came before.
    #[derive(Default)]
    struct Ids {
        /// All, the global ones without their node.
        local: Vec<LocalId>,
        last_global: Option<GlobalId>,
    }

    impl Ids {
        fn is_short(&self) -> bool {
            self.local.len() < IDS
        }

        /// Asks once, by a method and for a kind at random; what came of it, if anything.
        fn draw<C: Clock>(
            &mut self,
            generator: &Generator<C>,
            random: &mut Random,
            wait: Wait,
        ) -> &[LocalId] {
            let from = self.local.len();
            let n = 1 + random.below(200);
            let (method, is_global) = (random.below(3), random.below(2) == 0);
            let count = NonZeroU32::new(u32::try_from(n).unwrap()).unwrap();
            let len = usize::try_from(n).unwrap();
            if is_global {
                let mut slice = vec![GlobalId::MIN; len];
                let ids: Vec<_> = match (method, wait) {
                    (0, Wait::Yes) => vec![generator.generate().unwrap()],
                    (0, Wait::No) => generator.try_generate().into_iter().collect(),
                    (1, Wait::Yes) => generator.block(count).unwrap().collect(),
                    (1, Wait::No) => generator.try_block(count).into_iter().flatten().collect(),
                    (_, Wait::Yes) => {
                        generator.fill(&mut slice).unwrap();
                        slice
                    }
                    (_, Wait::No) => {
                        generator.try_fill(&mut slice).map_or(vec![], |ids| ids.to_vec())
                    }
                };
                for id in ids {
                    assert!(Some(id) > self.last_global);
                    assert_eq!(id.node(DRIFT), NODE);
                    self.last_global = Some(id);
                    self.push(id.to_local(DRIFT));
                }
            } else {
                let mut slice = vec![LocalId::MIN; len];
                let ids: Vec<_> = match (method, wait) {
                    (0, Wait::Yes) => vec![generator.generate_as(Local).unwrap()],
                    (0, Wait::No) => generator.try_generate_as(Local).into_iter().collect(),
                    (1, Wait::Yes) => generator.block_as(Local, count).unwrap().collect(),
                    (1, Wait::No) => {
                        let block = generator.try_block_as(Local, count);
                        block.into_iter().flatten().collect()
                    }
                    (_, Wait::Yes) => {
                        generator.fill_as(Local, &mut slice).unwrap();
                        slice
                    }
                    (_, Wait::No) => {
                        let ids = generator.try_fill_as(Local, &mut slice);
                        ids.map_or(vec![], |ids| ids.to_vec())
                    }
                };
                for id in ids {
                    self.push(id);
                }
            }
            &self.local[from..]
        }

        fn push(&mut self, id: LocalId) {
            assert!(Some(&id) > self.local.last());
            assert!(id.seconds() <= 999_999 && id.micro_seconds() <= 999_424);
            self.local.push(id);
        }
    }

    /// By how many ticks the policy lets IDs be ahead of the clock.
    fn most_ahead<C: Clock>(generator: &Generator<C>) -> u64 {
        match generator.policy() {
            Policy::Ratchet { allowance } => allowance.get() + 1,
            _ => 0,
        }
    }

    /// Each of the IDs is at or ahead of some reading that the call made, by no more than it may.
    fn assert_near_the_clock(ids: &[LocalId], most_ahead: u64) {
        let Some((lowest, highest)) = READINGS.get() else {
            assert_eq!(ids, []);
            return;
        };
        for &id in ids {
            let tick = tick(id);
            assert!(lowest <= tick && tick <= highest + most_ahead);
        }
    }

    fn tick(id: LocalId) -> u64 {
        id.tick().unwrap().get()
    }

    fn tick_at(micros: i64) -> u64 {
        let time = UnixTime::from_micros(micros);
        Kuid::default().tick_at(time).unwrap().get()
    }

    std::thread_local! {
        /// The lowest and the highest tick that this thread read since it was last cleared.
        static READINGS: Cell<Option<(u64, u64)>> = const { Cell::new(None) };
    }

    /// A clock that the threads move as they like.
    struct Script {
        micros: AtomicI64,
    }

    impl Script {
        fn new() -> Self {
            Self { micros: AtomicI64::new(START) }
        }

        /// Now and then: a little forward, a leap forward, a leap back, back to the start of the second.
        fn turn(&self, random: &mut Random) {
            let now = self.micros.load(Ordering::SeqCst);
            let next = match random.below(64) {
                0..8 => now + random.micros(2_000),
                8 => now + random.micros(3_000_000),
                9 => now - random.micros(1_500_000),
                10 => now - random.micros(5_000),
                11 => now - now % 1_000_000,
                _ => return,
            };
            self.micros.store(next, Ordering::SeqCst);
        }

        fn read_tick(&self) -> u64 {
            tick_at(self.micros.load(Ordering::SeqCst))
        }
    }

    impl Clock for Script {
        fn now(&self) -> Result<UnixTime, ClockError> {
            let micros = self.micros.load(Ordering::SeqCst);
            let tick = tick_at(micros);
            READINGS.set(match READINGS.get() {
                None => Some((tick, tick)),
                Some((lowest, highest)) => Some((lowest.min(tick), highest.max(tick))),
            });
            Ok(UnixTime::from_micros(micros))
        }

        fn sleep(&self, duration: Duration) {
            let micros = i64::try_from(duration.as_micros()).unwrap().max(1);
            self.micros.fetch_add(micros, Ordering::SeqCst);
        }
    }

    /// Marsaglia's xorshift, so that every run does the same as far as one thread can.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) % end
        }

        fn micros(&mut self, end: u64) -> i64 {
            self.below(end).cast_signed()
        }
    }
}
