//! A world of holders and a store, driven by a seed.

mod masked;

use core::num::NonZeroU32;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::sync::Arc;

use tickid_core::{Clock as _, ManualClock, UnixTime};
use tickid_lease::admin::{LeaseEnd, RealmRules, Refusal, Terms};
use tickid_lease::backend::{Backup, Record, RowState, Version};
use tickid_lease::session::Outcome;
use tickid_lease::{Lease, Realm, RealmSpec, Store, StoreError};
use tickid_testkit::Dice;

use crate::simulation::backend::SlowBackend;
use crate::simulation::bug::Bug;
use crate::simulation::holder::{Holder, Message};
use crate::simulation::network::{Network, Work, pick};
use crate::simulation::watch::Watch;
use crate::subjects::LeasedScheme;

use self::masked::Unnoticed;
pub(crate) use self::masked::{Life, Lost, Masked};

/// The number of events in a world.
const STEPS: u32 = 500;

const SECOND: i64 = 1_000_000;

/// The term, unless it is raised.
const TERM: Duration = Duration::from_secs(2);

/// The holders, the store, and everything between and around them.
pub(crate) struct World<S: LeasedScheme> {
    dice: Dice,
    bug: Option<Bug>,
    /// The true time, in microseconds since 1970.
    time: i64,
    store_clock: Arc<ManualClock>,
    backend: SlowBackend,
    store: Store,
    /// The realm of processes that start now.
    realm: RealmSpec,
    /// The longest terms that it ever had.
    longest: Terms,
    holders: Vec<Holder<S>>,
    network: Network,
    watch: Watch,
    /// Numbers requests.
    asked: u64,
    backup: Option<Backup>,
    /// The store loses data. Invalidation trusts the store's clock, which does not step in such a
    /// world.
    store_forgets: bool,
    /// The record's era in a world whose store loses nothing.
    era: u64,
    life: Life,
    /// It loses data once, unnoticed.
    is_masked: bool,
    /// That loss, once it has happened.
    loss: Option<Unnoticed>,
    tally: Tally,
}

macro_rules! tally {
    ($($field:ident: $what:literal,)*) => {
        /// The numbers of events of each kind.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub(crate) struct Tally {
            $($field: u64,)*
        }

        impl Tally {
            pub(crate) fn counts(&self) -> Vec<(&'static str, u64)> {
                vec![$(($what, self.$field)),*]
            }

            pub(crate) fn add(&mut self, other: &Self) {
                $(self.$field += other.$field;)*
            }
        }
    };
}

tally! {
    ids: "IDs",
    granted: "granted",
    renewed: "renewed",
    lost: "lost",
    released: "released",
    closed_in_calls: "closed during a call",
    reconfigured: "reconfigured",
    restored: "restored",
    proven: "proven",
    moved: "moved",
    raised: "restored to before a raised term",
    given_on: "given on before its time",
}

impl<S: LeasedScheme> World<S> {
    /// Runs one world. Returns the violated invariant as an error.
    pub(crate) fn run(seed: u64, bug: Option<Bug>) -> Result<Tally, String> {
        let mut world = Self::new(seed, bug);
        for step in 0..STEPS {
            world.step().map_err(|violation| format!("{violation} (step {step})"))?;
        }
        world.tally.ids = world.watch.issued() as u64;
        world.tally.given_on = world.backend.given_on();
        Ok(world.tally)
    }

    fn new(seed: u64, bug: Option<Bug>) -> Self {
        let mut dice = Dice::new(seed);
        let time = 1_700_000_000 * SECOND + dice.within(0..SECOND);
        let store_clock = Arc::new(ManualClock::new(UnixTime::from_micros(time)));
        let backend = SlowBackend::new(Arc::clone(&store_clock), seed, bug);
        let store = Store::new(backend.clone());
        // A realm that starts beyond earlier ones ends their leases.
        let era = u64::from(!store.starts_immediately());
        let realm = realm::<S>(S::POOLS[0], TERM);
        let longest = realm.terms();
        let store_forgets = dice.below(2) == 0;
        let mut world = Self {
            dice,
            bug,
            time,
            store_clock,
            backend,
            store,
            realm,
            longest,
            holders: Vec::new(),
            network: Network::default(),
            watch: Watch::default(),
            asked: 0,
            backup: None,
            store_forgets,
            era,
            life: Life::Rough,
            is_masked: false,
            loss: None,
            tally: Tally::default(),
        };
        for index in 0..3 + pick(&mut world.dice, 3) {
            let born = world.born(index);
            world.holders.push(born);
        }
        world
    }

    /// Starts a process with its own clock.
    fn born(&mut self, index: usize) -> Holder<S> {
        let off = self.clock_error();
        let seed = self.dice.below(1 << 32) << 8 | index as u64;
        Holder::new(self.realm.clone(), self.time + off, seed)
    }

    /// Draws a clock's error, mostly a small one.
    fn clock_error(&mut self) -> i64 {
        match self.dice.below(16) {
            0 => self.dice.within(-40 * SECOND..40 * SECOND),
            1 | 2 => self.dice.within(-3 * SECOND..3 * SECOND),
            _ => self.dice.within(-20_000..20_000),
        }
    }

    fn step(&mut self) -> Result<(), String> {
        match self.dice.below(400) {
            360..393 if self.life == Life::Calm && self.loss.is_some() => self.pass(),
            0..120 => self.pass(),
            120..360 => self.issue()?,
            360..366 => self.crash(),
            366..376 => self.shut_down(false)?,
            376..382 => self.shut_down(true)?,
            382..384 => self.release_by_hand(),
            384..388 => self.step_a_clock(),
            388..391 => self.pause(),
            391 => self.network.down_until = self.time + self.dice.within(0..10 * SECOND),
            392 | 393 => self.reconfigure(),
            394..397 => self.backup = Some(self.backend.memory().back_up()),
            _ => self.store_trouble(),
        }
        self.ask()?;
        for _ in 0..self.dice.below(5) {
            self.network.work(&mut self.dice, self.time);
        }
        self.hear()?;
        self.check_era()
    }

    /// Returns an error if a store that loses nothing has invalidated the realm.
    fn check_era(&self) -> Result<(), String> {
        let view = self.backend.view(self.realm.name());
        match view.record {
            Some((record, _)) if record.era > self.era && !self.store_forgets => {
                Err(format!("for nothing: era {}, not {}", record.era, self.era))
            }
            _ => Ok(()),
        }
    }

    /// Advances the time, and with it all clocks that do not stand still.
    fn pass(&mut self) {
        let micros = match self.dice.below(16) {
            0 => self.dice.within(0..8 * SECOND),
            1..=4 => self.dice.within(0..SECOND),
            5..=10 => self.dice.within(0..200_000),
            _ => self.dice.within(0..2_000),
        };
        self.advance(micros);
    }

    fn advance(&mut self, micros: i64) {
        self.time += micros;
        self.store_clock.advance(Duration::from_micros(micros.unsigned_abs()));
        for holder in &self.holders {
            holder.clock.set(holder.clock.micros() + micros);
        }
    }

    /// Returns a process that is not paused.
    fn active(&mut self) -> Option<usize> {
        let index = pick(&mut self.dice, self.holders.len());
        (self.holders[index].paused_until <= self.time).then_some(index)
    }

    fn ask(&mut self) -> Result<(), String> {
        let Some(index) = self.active() else { return Ok(()) };
        self.asked += 1;
        let holder = &mut self.holders[index];
        let message =
            holder.ask(&mut self.dice, &mut self.watch, self.time, self.asked, self.bug)?;
        if let Some(message) = message {
            self.send(index, message);
        }
        Ok(())
    }

    fn send(&mut self, from: usize, message: Message) {
        let realm = self.holders[from].realm().clone();
        let (backend, store, bug) = (&self.backend, &self.store, self.bug);
        let work = || {
            let (backend, store, realm) = (backend.clone(), store.clone(), realm.clone());
            let work: Work = Box::pin(work(backend, store, realm, message.clone(), bug));
            work
        };
        self.network.send(&mut self.dice, self.time, (from, self.asked), work);
    }

    fn hear(&mut self) -> Result<(), String> {
        for ((to, number), answer) in self.network.arrived(self.time) {
            let Some(answer) = answer.transpose() else { continue };
            let goes_on = self.holders[to].paused_until;
            if goes_on > self.time {
                self.network.keep(goes_on, (to, number), answer.map(Some));
                continue;
            }
            let (watch, bug) = (&mut self.watch, self.bug);
            let heard = self.holders[to].hear(watch, self.time, number, answer, bug)?;
            let Some((outcome, left)) = heard else { continue };
            self.note_heard(to, number, &outcome);
            match outcome {
                Outcome::Acquired(_) => self.tally.granted += 1,
                Outcome::Renewed(_) => self.tally.renewed += 1,
                Outcome::Lost(_) => self.tally.lost += 1,
                Outcome::Repeated(..) | Outcome::Outdated | Outcome::Failed(_) => {}
                other => return Err(format!("not simulated: {other:?}")),
            }
            // A move to another node, after a rollback of the holder's clock.
            if let Some((lease, used)) = left {
                self.tally.moved += 1;
                self.asked += 1;
                self.send(to, Message::Release(lease, used));
            }
        }
        Ok(())
    }

    /// Lets a process issue a few IDs, or more than a tick has.
    fn issue(&mut self) -> Result<(), String> {
        let Some(index) = self.active() else { return Ok(()) };
        // A generator that is far ahead of its clock shows what it repeats.
        let most = if self.life == Life::Calm { 64 } else { 4 };
        for _ in 0..self.dice.count(most) {
            let want = NonZeroU32::new(self.dice.count(8)).unwrap();
            if !self.holders[index].issue(&mut self.watch, want)? {
                break;
            }
        }
        Ok(())
    }

    /// Crashes a process, and starts another in its place, perhaps with its clock set back.
    fn crash(&mut self) {
        let index = pick(&mut self.dice, self.holders.len());
        self.holders[index] = self.born(index);
        if self.dice.below(3) == 0 {
            let back = self.dice.within(0..3_600 * SECOND);
            self.holders[index].clock.set(self.time - back);
        }
    }

    /// Shuts a process down, perhaps while one of its threads is within a call.
    fn shut_down(&mut self, during_a_call: bool) -> Result<(), String> {
        let Some(index) = self.active() else { return Ok(()) };
        let holder = &mut self.holders[index];
        let left = if during_a_call {
            let after = self.dice.count(3) - 1;
            holder.close_during_a_call(&mut self.watch, self.bug, after)?
        } else {
            holder.close(&mut self.watch, self.bug)
        };
        if let Some((lease, used)) = left {
            self.tally.released += 1;
            self.tally.closed_in_calls += u64::from(during_a_call);
            self.asked += 1;
            self.send(index, Message::Release(lease, used));
        }
        self.holders[index] = self.born(index);
        Ok(())
    }

    fn step_a_clock(&mut self) {
        let by = match self.dice.below(3) {
            0 => self.dice.within(-3_600 * SECOND..3_600 * SECOND),
            1 => self.dice.within(-20 * SECOND..20 * SECOND),
            _ => self.dice.within(-SECOND..SECOND),
        };
        if self.dice.below(4) == 0 && !self.store_forgets {
            let now = self.store_clock.now().unwrap().as_micros();
            self.store_clock.set(UnixTime::from_micros(now + by));
        } else {
            let index = pick(&mut self.dice, self.holders.len());
            // Sometimes it is set right.
            let clock = &self.holders[index].clock;
            clock.set(if self.dice.below(4) == 0 { self.time } else { clock.micros() + by });
        }
    }

    fn pause(&mut self) {
        let index = pick(&mut self.dice, self.holders.len());
        self.holders[index].paused_until = self.time + self.dice.within(0..30 * SECOND);
    }

    /// Stops a process's generator and releases its lease, as an operator does. The process notices
    /// at its next renewal.
    fn release_by_hand(&mut self) {
        let Some(index) = self.active() else { return };
        let holder = &mut self.holders[index];
        if let Some((lease, used)) = holder.close(&mut self.watch, self.bug) {
            self.asked += 1;
            let message = match self.bug {
                Some(Bug::CutUnnoted) => Message::Release(lease, used),
                _ => Message::ReleaseByHand(lease, used),
            };
            self.send(index, message);
        }
    }

    /// Runs a request from start to end, with nothing in between.
    fn atomically<T>(
        &self,
        request: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.backend.hurry(true);
        let poll = pin!(request).poll(&mut Context::from_waker(Waker::noop()));
        self.backend.hurry(false);
        match poll {
            Poll::Ready(result) => result,
            Poll::Pending => unreachable!("no other is let in before"),
        }
    }

    /// Changes the pool and the term while holders run; processes that start from now on use the new
    /// ones.
    fn reconfigure(&mut self) {
        let at = pick(&mut self.dice, S::POOLS.len());
        // Worlds with a masked loss have one term: whoever discovers the loss may not know of another.
        let is_raised = at % 2 == 1 && !self.is_masked;
        self.realm = realm::<S>(S::POOLS[at], if is_raised { TERM * 8 } else { TERM });
        if is_raised {
            self.longest = self.realm.terms();
        }
        if self.atomically(self.store.reconfigure(&self.realm)).is_ok() {
            self.tally.reconfigured += 1;
        }
        if let Some((record, _)) = self.backend.view(self.realm.name()).record {
            self.era = record.era;
        }
    }

    /// The store loses data.
    fn store_trouble(&mut self) {
        if !self.store_forgets || self.is_masked {
            return;
        }
        let is_there = self.backend.view(self.realm.name()).record.is_some();
        match self.dice.below(3) {
            // It fails over to a replica that lacks the latest writes, and detects that.
            0 => {
                let Some(backup) = self.backup.take() else { return };
                self.backend.memory().restore(backup);
                self.backend.forget_replica();
                if self.backend.view(self.realm.name()).record.is_some() {
                    self.backend.memory().change_generation();
                    self.tally.restored += 1;
                    self.name_the_longest_terms();
                    return;
                }
            }
            _ if self.bug == Some(Bug::QuarantineByWaiting) => return,
            // A backup is restored or a dump loaded, or all is deleted.
            1 => {
                let backup = self.backup.take().unwrap_or_default();
                self.backend.memory().restore(backup);
            }
            // Single rows are lost or damaged.
            _ if is_there => self.lose_rows(),
            _ => return,
        }
        self.backend.forget_replica();
        self.tally.restored += 1;
        if !self.name_the_longest_terms() {
            self.discover();
        }
    }

    /// An operator invalidates a realm whose term was raised since the backup: its record does not
    /// say so. Returns whether it was.
    fn name_the_longest_terms(&mut self) -> bool {
        let spec = |(record, _): (Record, Version)| record.realm;
        let kept = self.backend.view(self.realm.name()).record;
        let known = kept.as_ref().map_or(0, |(record, _)| record.max_ahead);
        let realm = kept.map_or_else(|| self.realm.clone(), spec);
        let longest = realm.clone().with_terms(self.longest).unwrap();
        let is_raised = self.longest.term > TERM && known < longest.max_ahead();
        if is_raised {
            let terms = self.named_terms();
            assert!(self.atomically(self.store.invalidate_beyond(&realm, terms)).is_ok());
            self.tally.raised += 1;
        }
        is_raised
    }

    fn named_terms(&self) -> Terms {
        match self.bug {
            Some(Bug::RaisedTermsForgotten) => self.longest.with_term(TERM),
            _ => self.longest,
        }
    }

    fn lose_rows(&mut self) {
        let name = self.realm.name().clone();
        for (node, state) in self.backend.view(&name).rows {
            let RowState::Intact { row, version, .. } = state else { continue };
            let lost = match self.dice.below(4) {
                0 => None,
                1 if version > Version(1) && row.ceiling > row.floor + 2 => {
                    let ceiling = row.ceiling - 1;
                    let (row, version) =
                        (tickid_lease::backend::Row { ceiling, ..row }, Version(version.0 - 1));
                    Some(RowState::Intact { row, version, is_dead: false })
                }
                _ => continue,
            };
            self.backend.memory().set_row(&name, node, lost);
        }
    }

    /// All holders renew before any other request. Where none can prove the loss, an operator has
    /// to report it.
    fn discover(&mut self) {
        let leases: Vec<_> = self
            .holders
            .iter()
            .filter_map(|holder| Some((holder.realm().clone(), *holder.lease()?)))
            .collect();
        let proof = leases.iter().find(|(realm, lease)| self.backend.proves_a_loss(realm, lease));
        if let Some((realm, lease)) = proof {
            self.tally.proven += 1;
            let (backend, store) = (self.backend.clone(), self.store.clone());
            let message = Message::Renew(*lease);
            let answer = self.atomically(work(backend, store, realm.clone(), message, self.bug));
            assert!(answer.unwrap_err().is_lost(), "{lease:?} proves nothing");
        } else {
            let realm = self.atomically(self.store.realm(self.realm.name()));
            let realm = realm.map_or_else(|_| self.realm.clone(), |record| record.realm);
            assert!(self.atomically(self.store.invalidate(&realm)).is_ok());
        }
    }
}

/// A realm with terms under which much happens in a short life.
fn realm<S: LeasedScheme>(pool: &str, term: Duration) -> RealmSpec {
    let layout = S::Scheme::default();
    let realm = RealmSpec::from(Realm::builder("world", layout).pool(pool).build().unwrap());
    let terms = realm.terms().with_skew(Duration::from_secs(1)).with_term(term);
    realm.with_terms(terms).unwrap()
}

/// Carries out a message at the store.
async fn work(
    backend: SlowBackend,
    store: Store,
    realm: RealmSpec,
    message: Message,
    bug: Option<Bug>,
) -> Result<Option<Lease>, StoreError> {
    match message {
        Message::Acquire(shared) => {
            let mut claim = shared.lock().unwrap().clone();
            let answer = store.acquire(&realm, &mut claim).await;
            let mut shared = shared.lock().unwrap();
            (shared.attempt, shared.lost) = (claim.attempt, claim.lost);
            shared.seen_era = shared.seen_era.max(claim.seen_era);
            answer.map(Some)
        }
        Message::Renew(mut lease) => {
            simplify(&backend, &store, &realm, &mut lease, bug).await?;
            store.renew(&realm, &lease).await.map(Some)
        }
        Message::Release(mut lease, used) => {
            simplify(&backend, &store, &realm, &mut lease, bug).await?;
            store.release(&realm, &lease, used).await.map(|()| None)
        }
        Message::ReleaseByHand(lease, used) => {
            store.release_by_hand(&realm, &lease, used).await.map(|()| None)
        }
    }
}

/// Handles a lease as the simplified rule does.
async fn simplify(
    backend: &SlowBackend,
    store: &Store,
    realm: &RealmSpec,
    lease: &mut Lease,
    bug: Option<Bug>,
) -> Result<(), StoreError> {
    let view = backend.view(realm.name());
    let Some((record, _)) = &view.record else { return Ok(()) };
    let (node, state) = (lease.node, view.rows.get(&lease.node));
    let row = state.and_then(RowState::row);
    match bug {
        Some(Bug::RenewOnTokenAlone) => {
            let row = row.filter(|row| row.token == Some(lease.token));
            lease.floor = row.map_or(lease.floor, |row| row.floor);
        }
        Some(Bug::ProofIgnored) => {
            let answer =
                RealmRules::new(record, view.now).and_then(|rules| rules.renew(lease, state));
            if matches!(answer, Err(Refusal::Lost { why: LeaseEnd::Forgotten, .. })) {
                let refusal = Refusal::Lost { node, why: LeaseEnd::Token };
                return Err(StoreError::refused("simulated", refusal));
            }
        }
        Some(Bug::RenewalDecides) => {
            let answer =
                RealmRules::new(record, view.now).and_then(|rules| rules.renew(lease, state));
            if matches!(answer, Err(Refusal::Lost { why: LeaseEnd::Overtaken, .. })) {
                store.invalidate(&record.realm).await?;
            }
        }
        Some(Bug::ProofOfEarlierEra) => {
            let is_over = record.part_of(node).is_none_or(|part| part.since_era > lease.era);
            if is_over && row.is_none_or(|row| row.token != Some(lease.token)) {
                store.invalidate(&record.realm).await?;
            }
        }
        _ => {}
    }
    Ok(())
}
