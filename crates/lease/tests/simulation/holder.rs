use core::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use tickid_core::{
    Builder, Clock as _, Generator, NodeId as _, Scheme, SequenceBounds, SequenceStart, Snapshot,
    Tick, Window,
};
use tickid_lease::{Claim, Lease, RealmSpec, StoreError, Token};
use tickid_testkit::Dice;

use crate::bug::Bug;
use crate::clock::HookedClock;
use crate::subject::Subject;
use crate::watch::Watch;

/// A process with a clock of its own and one generator at a time.
pub(crate) struct Holder<S: Subject> {
    pub(crate) clock: Arc<HookedClock>,
    realm: RealmSpec,
    name: String,
    /// Its claim, which the requests for it share.
    claim: Option<Arc<Mutex<Claim>>>,
    pub(crate) lease: Option<Lease>,
    running: Option<Running<S>>,
    /// The request that it waits for: its number, when it was sent, and when the holder gives up.
    asked: Option<(u64, i64, i64)>,
    /// It asks nothing before that time.
    due: i64,
    /// It stands still until then, by the true time.
    pub(crate) paused_until: i64,
}

type Engine<S> = Generator<<S as Subject>::Scheme, Arc<HookedClock>>;

struct Running<S: Subject> {
    generator: Arc<Engine<S>>,
    lease: Lease,
    /// Its number at the watch.
    number: usize,
}

/// A request to the store.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    Acquire(Arc<Mutex<Claim>>),
    Renew(Lease),
}

/// The meaning of an answer.
#[derive(Debug)]
pub(crate) enum Outcome {
    Granted,
    Renewed,
    Lost,
    Failed,
}

/// The timeout for an answer.
const TIMEOUT: i64 = 700_000;

impl<S: Subject> Holder<S> {
    pub(crate) fn new(realm: RealmSpec, clock: i64, index: usize) -> Self {
        Self {
            clock: Arc::new(HookedClock::new(clock)),
            realm,
            name: format!("holder {index}"),
            claim: None,
            lease: None,
            running: None,
            asked: None,
            due: 0,
            paused_until: 0,
        }
    }

    pub(crate) fn realm(&self) -> &RealmSpec {
        &self.realm
    }

    fn term(&self) -> i64 {
        self.realm.terms().term.as_micros().try_into().unwrap()
    }

    /// Returns its next request, if one is due.
    pub(crate) fn ask(&mut self, dice: &mut Dice, time: i64, number: u64) -> Option<Request> {
        if let Some((_, _, gives_up)) = self.asked {
            if time < gives_up {
                return None;
            }
            self.asked = None;
            self.due = time + self.term() / 10;
        }
        if time < self.due {
            return None;
        }
        self.asked = Some((number, time, time + TIMEOUT));
        if let Some(lease) = self.lease {
            return Some(Request::Renew(lease));
        }
        let mut bits = || u128::from(dice.below(u64::MAX)) << 64 | u128::from(dice.below(u64::MAX));
        let claim = self.claim.get_or_insert_with(|| {
            let claim = Claim::new(Token::from_bits(bits()), &self.name, None);
            Arc::new(Mutex::new(claim))
        });
        claim.lock().unwrap().now = self.realm.tick_at(self.clock.now().unwrap());
        Some(Request::Acquire(Arc::clone(claim)))
    }

    /// Takes in an answer to `number`; one to another request is too late.
    pub(crate) fn hear(
        &mut self,
        watch: &mut Watch,
        time: i64,
        number: u64,
        answer: Result<Lease, StoreError>,
    ) -> Result<Option<Outcome>, String> {
        let Some((_, asked, _)) = self.asked.take_if(|(asked, ..)| *asked == number) else {
            return Ok(None);
        };
        Ok(Some(match answer {
            Ok(lease) => {
                self.due = asked + self.term() / 2;
                let is_new = self.lease.replace(lease).is_none();
                if is_new {
                    self.begin(watch, &lease)?;
                    Outcome::Granted
                } else {
                    if let Some(running) = &mut self.running {
                        running.lease = lease;
                        running
                            .generator
                            .widen(lease.ceiling)
                            .map_err(|e| format!("widen: {e}"))?;
                        watch.widen(running.number, lease.ceiling)?;
                    }
                    Outcome::Renewed
                }
            }
            Err(error) if error.is_lost() && self.lease.is_some() => {
                (self.lease, self.claim, self.due) = (None, None, time);
                // Its window stays its own; it just has no more use for it.
                if let Some(running) = self.running.take() {
                    running.generator.close();
                }
                Outcome::Lost
            }
            Err(_) => {
                self.due = time + self.term() / 10;
                Outcome::Failed
            }
        }))
    }

    fn begin(&mut self, watch: &mut Watch, lease: &Lease) -> Result<(), String> {
        if let Some(old) = self.running.take() {
            old.generator.close();
        }
        let node = <S::Scheme as Scheme>::Node::from_bits(lease.node.bits(), lease.node.value());
        let window = Window::new(Tick::new(lease.floor).unwrap(), lease.ceiling);
        let generator = Builder::<S::Scheme, _>::new(node.unwrap())
            .window(window.map_err(|error| format!("window: {error}"))?)
            .clock(Arc::clone(&self.clock))
            .sequence(SequenceStart::LOWEST)
            .bounds(SequenceBounds::new(0, 7))
            .build()
            .map_err(|error| format!("build: {error}"))?;
        let number = watch.open(lease.node, lease.floor, lease.ceiling)?;
        self.running = Some(Running { generator: Arc::new(generator), lease: *lease, number });
        Ok(())
    }

    /// Draws up to `want` IDs and returns whether it could.
    pub(crate) fn issue(&mut self, watch: &mut Watch, want: NonZeroU32) -> Result<bool, String> {
        let Some(running) = &self.running else { return Ok(false) };
        running.issue(watch, want)
    }

    /// Closes the generator for good. Returns the lease and its highest tick.
    pub(crate) fn close(
        &mut self,
        watch: &mut Watch,
        bug: Option<Bug>,
    ) -> Option<(Lease, Option<u64>)> {
        let running = self.running.take()?;
        let snapshot = close(&running.generator, bug);
        watch.close(running.number, snapshot.highest_tick().map(|tick| tick.get()));
        Some((running.lease, used::<S>(&snapshot, bug)))
    }

    /// Closes the generator while one of its threads sleeps within a call, at the reading of the clock
    /// after the next `after`.
    pub(crate) fn close_during_a_call(
        &mut self,
        watch: &mut Watch,
        bug: Option<Bug>,
        after: u32,
    ) -> Result<Option<(Lease, Option<u64>)>, String> {
        let Some(running) = self.running.take() else { return Ok(None) };
        let snapshot = Arc::new(Mutex::new(None));
        // The others of the process had read the clock a moment before.
        let (now, before) = (self.clock.micros(), self.clock.micros() - tick_micros::<S>());
        let (generator, clock) = (Arc::clone(&running.generator), Arc::clone(&self.clock));
        let closed = Arc::clone(&snapshot);
        self.clock.hook(after, move || {
            clock.set(before);
            *closed.lock().unwrap() = Some(close(&generator, bug));
            clock.set(now);
        });
        let block = running.generator.try_block(NonZeroU32::MIN);
        if self.clock.unhook() {
            *snapshot.lock().unwrap() = Some(close(&running.generator, bug));
        }
        let snapshot = snapshot.lock().unwrap().take().unwrap();
        watch.close(running.number, snapshot.highest_tick().map(|tick| tick.get()));
        if let Ok(ids) = block {
            running.note(watch, ids)?;
        }
        Ok(Some((running.lease, used::<S>(&snapshot, bug))))
    }
}

impl<S: Subject> Running<S> {
    fn issue(&self, watch: &mut Watch, want: NonZeroU32) -> Result<bool, String> {
        match self.generator.try_block(want) {
            Ok(ids) => self.note(watch, ids).map(|()| true),
            Err(_) => Ok(false),
        }
    }

    fn note(&self, watch: &mut Watch, ids: impl Iterator<Item = S::Id>) -> Result<(), String> {
        for id in ids {
            watch.issue(self.number, S::tick(id), S::number(id))?;
        }
        Ok(())
    }
}

fn tick_micros<S: Subject>() -> i64 {
    S::Scheme::default().scale().micros_per_tick().cast_signed()
}

fn close<S: Scheme>(generator: &Generator<S, Arc<HookedClock>>, bug: Option<Bug>) -> Snapshot<S> {
    if bug != Some(Bug::CloseByExhausting) {
        return generator.close();
    }
    // Until it says that there is no more in this tick.
    for _ in 0..4 {
        if generator.try_block(NonZeroU32::MAX).is_err() {
            break;
        }
    }
    generator.state().snapshot
}

/// Returns the tick to release with.
fn used<S: Subject>(snapshot: &Snapshot<S::Scheme>, bug: Option<Bug>) -> Option<u64> {
    let tick = match bug {
        Some(Bug::ReleaseAtWordsTick) => snapshot.tick,
        _ => snapshot.highest_tick(),
    };
    tick.map(|tick| tick.get())
}
