use core::num::NonZeroU32;
use core::sync::atomic::Ordering;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::sync::Arc;

use tickid_core::{Clock as _, ManualClock, UnixTime};
use tickid_lease::{
    Answer, Contents, Grant, Hold, Outcome, Realm, Request, Store as _, StoreError, TableStore,
};
use tickid_testkit::Dice;

use crate::bug::Bug;
use crate::holder::Holder;
use crate::network::{Network, Work, pick};
use crate::subject::Subject;
use crate::table::SlowTable;
use crate::watch::Watch;

/// How many things happen in a world.
const STEPS: u32 = 500;

const SECOND: i64 = 1_000_000;

/// The holders, the store, and everything between and around them.
pub(crate) struct World<S: Subject> {
    dice: Dice,
    bug: Option<Bug>,
    /// The true time, in microseconds since 1970.
    time: i64,
    store_clock: Arc<ManualClock>,
    table: Arc<SlowTable>,
    /// What processes that start now bring along.
    realm: Realm,
    holders: Vec<Holder<S>>,
    network: Network,
    watch: Watch,
    /// Numbers requests.
    asked: u64,
    backup: Option<Contents>,
    /// A store that forgets trusts its clock: in a world where that happens, its clock does not step.
    store_forgets: bool,
    tally: Tally,
}

/// What happened, and how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    ids: u64,
    granted: u64,
    renewed: u64,
    lost: u64,
    released: u64,
    closed_in_calls: u64,
    reshaped: u64,
    restored: u64,
    given_on: u64,
}

impl Tally {
    pub(crate) fn counts(&self) -> [(&'static str, u64); 9] {
        [
            ("IDs", self.ids),
            ("granted", self.granted),
            ("renewed", self.renewed),
            ("lost", self.lost),
            ("released", self.released),
            ("closed during a call", self.closed_in_calls),
            ("reshaped", self.reshaped),
            ("restored", self.restored),
            ("given on before its time", self.given_on),
        ]
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.ids += other.ids;
        self.granted += other.granted;
        self.renewed += other.renewed;
        self.lost += other.lost;
        self.released += other.released;
        self.closed_in_calls += other.closed_in_calls;
        self.reshaped += other.reshaped;
        self.restored += other.restored;
        self.given_on += other.given_on;
    }
}

/// Something for the store.
#[derive(Clone, Debug)]
enum Message {
    Ask(Request),
    Release(Hold, Option<u64>),
}

impl<S: Subject> World<S> {
    /// One life. The error is the invariant that does not hold.
    pub(crate) fn run(seed: u64, bug: Option<Bug>) -> Result<Tally, String> {
        let mut world = Self::new(seed, bug);
        for step in 0..STEPS {
            world.step().map_err(|violation| format!("{violation} (step {step})"))?;
        }
        world.tally.ids = world.watch.issued() as u64;
        world.tally.given_on = world.table.given_on.load(Ordering::Relaxed);
        Ok(world.tally)
    }

    fn new(seed: u64, bug: Option<Bug>) -> Self {
        let mut dice = Dice::new(seed);
        let time = 1_700_000_000 * SECOND + dice.within(0..SECOND);
        let store_clock = Arc::new(ManualClock::new(UnixTime::from_micros(time)));
        let table = Arc::new(SlowTable::new(Arc::clone(&store_clock), seed, bug));
        let realm = realm::<S>(S::POOLS[0]);
        let store_forgets = dice.below(2) == 0;
        let mut world = Self {
            dice,
            bug,
            time,
            store_clock,
            table,
            realm,
            holders: Vec::new(),
            network: Network::default(),
            watch: Watch::default(),
            asked: 0,
            backup: None,
            store_forgets,
            tally: Tally::default(),
        };
        for index in 0..3 + pick(&mut world.dice, 3) {
            let born = world.born(index);
            world.holders.push(born);
        }
        world
    }

    /// A process that starts now, with a clock of its own.
    fn born(&mut self, index: usize) -> Holder<S> {
        let off = self.clock_error();
        Holder::new(self.realm.clone(), self.time + off, index)
    }

    /// How wrong a clock is: mostly a little.
    fn clock_error(&mut self) -> i64 {
        match self.dice.below(16) {
            0 => self.dice.within(-40 * SECOND..40 * SECOND),
            1 | 2 => self.dice.within(-3 * SECOND..3 * SECOND),
            _ => self.dice.within(-20_000..20_000),
        }
    }

    fn step(&mut self) -> Result<(), String> {
        match self.dice.below(400) {
            0..120 => self.pass(),
            120..360 => self.issue()?,
            360..366 => self.crash(),
            366..376 => self.shut_down(false)?,
            376..382 => self.shut_down(true)?,
            382..388 => self.step_a_clock(),
            388..391 => self.pause(),
            391 => self.network.down_until = self.time + self.dice.within(0..10 * SECOND),
            392 | 393 => self.reshape(),
            394..397 => self.backup = Some(self.table.memory.back_up()),
            _ => self.store_trouble(),
        }
        self.ask()?;
        for _ in 0..self.dice.below(5) {
            self.network.work(&mut self.dice, self.time);
        }
        self.hear()
    }

    /// Time goes on, and with it all clocks that don't stand still.
    fn pass(&mut self) {
        let micros = match self.dice.below(16) {
            0 => self.dice.within(0..8 * SECOND),
            1..=4 => self.dice.within(0..SECOND),
            5..=10 => self.dice.within(0..200_000),
            _ => self.dice.within(0..2_000),
        };
        self.time += micros;
        self.store_clock.advance(Duration::from_micros(micros.unsigned_abs()));
        for holder in &self.holders {
            holder.clock.set(holder.clock.micros() + micros);
        }
    }

    /// Somebody who is not paused.
    fn somebody(&mut self) -> Option<usize> {
        let index = pick(&mut self.dice, self.holders.len());
        (self.holders[index].paused_until <= self.time).then_some(index)
    }

    fn ask(&mut self) -> Result<(), String> {
        let Some(index) = self.somebody() else { return Ok(()) };
        self.asked += 1;
        let holder = &mut self.holders[index];
        let request = holder.ask(&mut self.dice, &mut self.watch, self.time, self.asked)?;
        if let Some(request) = request {
            self.send(index, Message::Ask(request));
        }
        Ok(())
    }

    fn send(&mut self, from: usize, message: Message) {
        let realm = self.holders[from].realm().clone();
        let (table, bug) = (Arc::clone(&self.table), self.bug);
        let work = || work(Arc::clone(&table), realm.clone(), message.clone(), bug);
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
            let outcome = self.holders[to].hear(&mut self.watch, self.time, number, answer)?;
            match outcome {
                Some(Outcome::Granted(_)) => self.tally.granted += 1,
                Some(Outcome::Renewed(_)) => self.tally.renewed += 1,
                Some(Outcome::Lost(_)) => self.tally.lost += 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// Somebody issues a few, up to more than a tick has.
    fn issue(&mut self) -> Result<(), String> {
        let Some(index) = self.somebody() else { return Ok(()) };
        for _ in 0..self.dice.count(4) {
            let want = NonZeroU32::new(self.dice.count(8)).unwrap();
            if !self.holders[index].issue(&mut self.watch, want)? {
                break;
            }
        }
        Ok(())
    }

    /// A process is gone without a word, and another starts in its place, its clock perhaps set back.
    fn crash(&mut self) {
        let index = pick(&mut self.dice, self.holders.len());
        self.holders[index] = self.born(index);
        if self.dice.below(3) == 0 {
            let back = self.dice.within(0..3_600 * SECOND);
            self.holders[index].clock.set(self.time - back);
        }
    }

    /// A process ends properly, perhaps while one of its threads is within a call.
    fn shut_down(&mut self, during_a_call: bool) -> Result<(), String> {
        let Some(index) = self.somebody() else { return Ok(()) };
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
            self.send(index, Message::Release(lease.hold(), used));
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
            // Mostly back to where it should be.
            let clock = &self.holders[index].clock;
            clock.set(if self.dice.below(2) == 0 { self.time } else { clock.micros() + by });
        }
    }

    fn pause(&mut self) {
        let index = pick(&mut self.dice, self.holders.len());
        self.holders[index].paused_until = self.time + self.dice.within(0..30 * SECOND);
    }

    /// Runs something at the store from beginning to end, with nothing in between.
    fn at_once<T>(table: &SlowTable, answer: Answer<'_, T>) -> Result<T, StoreError> {
        table.hurries.store(true, Ordering::Relaxed);
        let mut answer = answer;
        let poll = answer.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        table.hurries.store(false, Ordering::Relaxed);
        match poll {
            Poll::Ready(result) => result,
            Poll::Pending => unreachable!("nobody is let in before"),
        }
    }

    /// The pool changes, while holders run; who starts from now on brings the new one.
    fn reshape(&mut self) {
        let pool = S::POOLS[pick(&mut self.dice, S::POOLS.len())];
        self.realm = realm::<S>(pool);
        let store = TableStore::new(Arc::clone(&self.table));
        if Self::at_once(&self.table, store.reshape(&self.realm)).is_ok() {
            self.tally.reshaped += 1;
        }
    }

    /// The store fails over to a replica that lacks the latest, or a backup is restored.
    fn store_trouble(&mut self) {
        if !self.store_forgets {
            return;
        }
        let Some(backup) = self.backup.take() else { return };
        self.table.memory.restore(backup);
        self.tally.restored += 1;
        let view = self.table.memory.view(self.realm.name()).unwrap();
        let is_there = view.record.is_some();
        let waits = self.bug == Some(Bug::QuarantineByWaiting);
        if is_there && (waits || self.dice.below(2) == 0) {
            self.table.change_generation();
        } else if !waits {
            // It looks as if nothing had happened, or as if there had never been anything. Somebody has to
            // say so, before it is let go on.
            let store = TableStore::new(Arc::clone(&self.table));
            let realm = Self::at_once(&self.table, store.list(self.realm.name()))
                .map_or_else(|_| self.realm.clone(), |listing| listing.record.realm);
            assert!(Self::at_once(&self.table, store.recover(&realm)).is_ok());
        }
    }
}

/// On terms under which something happens in a short life.
fn realm<S: Subject>(pool: &str) -> Realm {
    let layout = S::Scheme::default();
    let realm = Realm::new("world".parse().unwrap(), &layout, pool.parse().unwrap()).unwrap();
    let terms = realm.terms().with_skew(Duration::from_secs(1)).with_term(Duration::from_secs(2));
    realm.with_terms(terms).unwrap()
}

/// What the store does with a message.
fn work(table: Arc<SlowTable>, realm: Realm, message: Message, bug: Option<Bug>) -> Work {
    Box::pin(async move {
        let store = TableStore::new(Arc::clone(&table));
        match message {
            Message::Ask(Request::Renew(hold)) if bug == Some(Bug::RenewOnTokenAlone) => {
                let view = table.memory.view(realm.name()).unwrap();
                let row = view.rows.get(&hold.node).map(|entry| &entry.row);
                let row = row.filter(|row| row.token == Some(hold.token));
                let floor = row.map_or(hold.floor, |row| row.floor);
                store.renew(realm.name(), &Hold { floor, ..hold }).await.map(Some)
            }
            Message::Ask(request) => request.send(&store, &realm).await.map(Some),
            Message::Release(hold, used) => {
                store.release(realm.name(), &hold, used).await.map(|()| None::<Grant>)
            }
        }
    })
}
