//! Simulated holders.

use core::num::NonZeroU32;
use core::time::Duration;
use std::sync::{Arc, Mutex};

use tickid_core::{AnyNode, Clock as _, Generator, Lowest, Scheme, SequenceBounds, Snapshot};
use tickid_lease::backend::StoreErrorKind;
use tickid_lease::session::{Claim, LeaseSession, Outcome, Request, Token};
use tickid_lease::{Lease, Realm, RealmSpec, StoreError};
use tickid_testkit::Dice;

use super::bug::Bug;
use super::clock::HookedClock;
use super::watch::Watch;
use crate::subjects::{Issued, LeasedScheme};

/// A process with its own clock and one generator at a time.
pub(crate) struct Holder<S: LeasedScheme> {
    pub(crate) clock: Arc<HookedClock>,
    session: LeaseSession,
    running: Option<Running<S>>,
    asked: Option<Asked>,
    /// The highest era that it has seen.
    pub(crate) seen_era: Option<u64>,
    /// Differs for each process.
    pub(crate) id: u64,
    /// The end of its pause, by the true time.
    pub(crate) paused_until: i64,
}

/// A request without an answer so far.
struct Asked {
    number: u64,
    at: Duration,
    timeout: Duration,
    message: Message,
}

/// A request on its way. Copies that the network makes of a claim share it.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    Acquire(Arc<Mutex<Claim>>),
    Renew(Lease),
    Release(Lease, Option<u64>),
    /// A release in place of its holder.
    ReleaseByHand(Lease, Option<u64>),
}

/// A lease that its holder left, and its highest tick.
pub(crate) type Left = (Lease, Option<u64>);

type Engine<S> = Generator<<S as LeasedScheme>::Scheme, Arc<HookedClock>>;

struct Running<S: LeasedScheme> {
    generator: Arc<Engine<S>>,
    lease: Lease,
    /// Its number in the watch.
    number: usize,
}

/// Returns the true time as a holder's boot-time clock shows it: it never steps, and continues in a
/// pause.
fn boot(time: i64) -> Duration {
    Duration::from_micros(time.unsigned_abs())
}

impl<S: LeasedScheme> Holder<S> {
    pub(crate) fn new(realm: RealmSpec, clock: i64, seed: u64) -> Self {
        let session = LeaseSession::new(realm, &format!("holder {seed}"), seed);
        let clock = Arc::new(HookedClock::new(clock));
        let (id, paused_until) = (seed, 0);
        Self { clock, session, running: None, asked: None, seen_era: None, id, paused_until }
    }

    pub(crate) fn realm(&self) -> &RealmSpec {
        self.session.realm()
    }

    pub(crate) fn lease(&self) -> Option<&Lease> {
        self.session.lease()
    }

    /// Returns its next request, if one is due.
    pub(crate) fn ask(
        &mut self,
        dice: &mut Dice,
        watch: &mut Watch,
        time: i64,
        number: u64,
        bug: Option<Bug>,
    ) -> Result<Option<Message>, String> {
        let now = boot(time);
        if let Some(asked) = &self.asked {
            if now < asked.at + asked.timeout {
                return Ok(None);
            }
            let silence = StoreError::new("simulated", StoreErrorKind::Unreachable);
            let waiting_for = asked.number;
            self.hear(watch, time, waiting_for, Err(silence), bug)?;
        }
        let tick = self.realm().tick_at(self.clock.now().unwrap());
        let ready = self.running.as_ref().map_or(Ok(()), |one| one.generator.check_ready());
        let stall = ready.err().and_then(|error| error.retry_after()).unwrap_or_default();
        let draw = || {
            let mut half = || u128::from(dice.below(u64::MAX));
            Ok(Token::from_bits(half() << 64 | half()))
        };
        let Some(request) = self.session.request(now, tick, stall, draw).unwrap() else {
            return Ok(None);
        };
        let timeout = self.session.timeout(&request);
        let message = match request {
            Request::Acquire(mut claim) => {
                if matches!(bug, Some(Bug::LostLeaseHidden | Bug::OwnTicksForgotten)) {
                    claim.lost = None;
                }
                if bug == Some(Bug::EraForgotten) {
                    claim.seen_era = None;
                }
                Message::Acquire(Arc::new(Mutex::new(claim)))
            }
            Request::Renew(lease) => Message::Renew(lease),
            _ => return Ok(None),
        };
        self.asked = Some(Asked { number, at: now, timeout, message: message.clone() });
        Ok(Some(message))
    }

    /// Takes in an answer to `number`; one to another request is too late. A lease that it leaves
    /// for another is returned with its highest tick.
    pub(crate) fn hear(
        &mut self,
        watch: &mut Watch,
        time: i64,
        number: u64,
        answer: Result<Lease, StoreError>,
        bug: Option<Bug>,
    ) -> Result<Option<(Outcome, Option<Left>)>, String> {
        let Some(asked) = self.asked.take_if(|asked| asked.number == number) else {
            return Ok(None);
        };
        let request = match asked.message {
            Message::Acquire(claim) => {
                let claim = claim.lock().unwrap().clone();
                self.seen_era = self.seen_era.max(claim.seen_era);
                Request::Acquire(claim)
            }
            Message::Renew(lease) => Request::Renew(lease),
            Message::Release(..) | Message::ReleaseByHand(..) => return Ok(None),
        };
        let outcome = self.session.answered(request, asked.at, boot(time), answer);
        let mut left = None;
        match &outcome {
            Outcome::Acquired(lease) => {
                left = self.close(watch, bug);
                self.begin(watch, lease, bug)?;
            }
            Outcome::Renewed(lease) => {
                if let Some(running) = &mut self.running {
                    running.lease = *lease;
                    let widened = running.generator.widen(lease.ceiling);
                    widened.map_err(|error| format!("widen: {error}"))?;
                    watch.widen(running.number, lease.ceiling)?;
                }
            }
            Outcome::Lost(_) => {
                // It keeps its window, but has no further use for it.
                if let Some(running) = self.running.take() {
                    let snapshot = running.generator.close();
                    self.note_used(running.lease.node, &snapshot, bug);
                }
            }
            Outcome::Repeated(lease, used) => {
                watch.counts.refused += 1;
                left = Some((*lease, Some(*used)));
            }
            // The store is near: a renewal reads first, so none is outdated.
            Outcome::Failed(_) | Outcome::Outdated => {}
            other => return Err(format!("not simulated: {other:?}")),
        }
        Ok(Some((outcome, left)))
    }

    fn note_used(&mut self, node: AnyNode, snapshot: &Snapshot<S::Scheme>, bug: Option<Bug>) {
        if let Some(tick) = snapshot.highest_tick()
            && bug != Some(Bug::OwnTicksForgotten)
        {
            self.session.note_used(node, tick.get());
        }
    }

    fn begin(&mut self, watch: &mut Watch, lease: &Lease, bug: Option<Bug>) -> Result<(), String> {
        let realm = Realm::from_spec(self.realm().clone(), S::Scheme::default()).unwrap();
        let (whole, share) = S::Scheme::default().split_node(lease.node).unwrap();
        let is_dropped = bug == Some(Bug::FurtherBitsDropped);
        let lowest = if is_dropped { 0 } else { share.lowest() };
        let mut taken = *lease;
        if is_dropped {
            taken.node = AnyNode::of(&whole).unwrap();
        }
        let builder = realm.generator_builder(&taken);
        let builder = builder.map_err(|error| format!("builder: {error}"))?;
        let generator = builder
            .clock(Arc::clone(&self.clock))
            .sequence(Lowest)
            .bounds(SequenceBounds::new(lowest, lowest + 7))
            .build()
            .map_err(|error| format!("build: {error}"))?;
        let window = lease.floor..lease.ceiling;
        let number = watch.open(self.id, lease.node, window, lease.granted_at)?;
        self.running = Some(Running { generator: Arc::new(generator), lease: *lease, number });
        Ok(())
    }

    /// Draws up to `want` IDs and returns whether it could.
    pub(crate) fn issue(&mut self, watch: &mut Watch, want: NonZeroU32) -> Result<bool, String> {
        let Some(running) = &self.running else { return Ok(false) };
        running.issue(watch, want)
    }

    /// Closes the generator for good. Returns the lease and its highest tick.
    pub(crate) fn close(&mut self, watch: &mut Watch, bug: Option<Bug>) -> Option<Left> {
        let running = self.running.take()?;
        let snapshot = close(&running.generator, bug);
        self.note_used(running.lease.node, &snapshot, bug);
        watch.close(running.number, snapshot.highest_tick().map(|tick| tick.get()));
        Some((running.lease, used::<S>(&snapshot, bug)))
    }

    /// Closes the generator while one of its threads sleeps within a call, at the reading of the
    /// clock after the next `after`.
    pub(crate) fn close_during_a_call(
        &mut self,
        watch: &mut Watch,
        bug: Option<Bug>,
        after: u32,
    ) -> Result<Option<Left>, String> {
        let Some(running) = self.running.take() else { return Ok(None) };
        let snapshot = Arc::new(Mutex::new(None));
        // The other threads of the process had read the clock a moment before.
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
        self.note_used(running.lease.node, &snapshot, bug);
        watch.close(running.number, snapshot.highest_tick().map(|tick| tick.get()));
        if let Ok(ids) = block {
            running.note(watch, ids)?;
        }
        Ok(Some((running.lease, used::<S>(&snapshot, bug))))
    }
}

impl<S: LeasedScheme> Running<S> {
    fn issue(&self, watch: &mut Watch, want: NonZeroU32) -> Result<bool, String> {
        match self.generator.try_block(want) {
            Ok(ids) => self.note(watch, ids).map(|()| true),
            Err(_) => Ok(false),
        }
    }

    fn note(&self, watch: &mut Watch, ids: impl Iterator<Item = S::Id>) -> Result<(), String> {
        for id in ids {
            let Issued { number, tick, .. } = S::read(id);
            watch.issue(self.number, tick, number)?;
        }
        Ok(())
    }
}

fn tick_micros<S: LeasedScheme>() -> i64 {
    S::Scheme::default().scale().micros_per_tick().cast_signed()
}

fn close<S: Scheme>(generator: &Generator<S, Arc<HookedClock>>, bug: Option<Bug>) -> Snapshot<S> {
    if bug != Some(Bug::CloseByExhausting) {
        return generator.close();
    }
    // Until it reports that the tick is exhausted.
    for _ in 0..4 {
        if generator.try_block(NonZeroU32::MAX).is_err() {
            break;
        }
    }
    generator.state().snapshot
}

/// Returns the tick to release with.
fn used<S: LeasedScheme>(snapshot: &Snapshot<S::Scheme>, bug: Option<Bug>) -> Option<u64> {
    let tick = match bug {
        Some(Bug::ReleaseAtWordsTick) => snapshot.tick,
        _ => snapshot.highest_tick(),
    };
    tick.map(|tick| tick.get())
}
