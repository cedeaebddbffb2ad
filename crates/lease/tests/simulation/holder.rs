use core::num::NonZeroU32;
use core::time::Duration;
use std::sync::{Arc, Mutex};

use tickid_core::{Clock as _, Generator, Scheme, SequenceBounds, SequenceStart, Snapshot};
use tickid_lease::{
    Agenda, Duty, Grant, Lease, Outcome, Realm, Request, StoreError, StoreErrorKind, Token,
};
use tickid_testkit::Dice;

use crate::bug::Bug;
use crate::clock::HookedClock;
use crate::subject::Subject;
use crate::watch::Watch;

/// A process with a clock of its own and one generator at a time.
pub(crate) struct Holder<S: Subject> {
    pub(crate) clock: Arc<HookedClock>,
    agenda: Agenda,
    running: Option<Running<S>>,
    /// What it waits for: the number, when it asked, and when it gives up.
    asked: Option<(u64, Duration, Duration)>,
    /// Until when it stands still, by the true time.
    pub(crate) paused_until: i64,
}

type Engine<S> = Generator<<S as Subject>::Scheme, Arc<HookedClock>>;

struct Running<S: Subject> {
    generator: Arc<Engine<S>>,
    lease: Lease,
    /// As the watch knows it.
    number: usize,
}

/// The true time as a holder's boot-time clock shows it: it never steps, and counts on in a pause.
fn boot(time: i64) -> Duration {
    Duration::from_micros(time.unsigned_abs())
}

/// How long to wait for an answer.
const PATIENCE: Duration = Duration::from_millis(700);

impl<S: Subject> Holder<S> {
    pub(crate) fn new(realm: Realm, clock: i64, index: usize) -> Self {
        Self {
            clock: Arc::new(HookedClock::new(clock)),
            agenda: Agenda::new(realm, &format!("holder {index}")),
            running: None,
            asked: None,
            paused_until: 0,
        }
    }

    pub(crate) fn realm(&self) -> &Realm {
        self.agenda.realm()
    }

    fn tick(&self) -> Option<u64> {
        let now = self.clock.now().unwrap();
        self.realm().tick_at(now)
    }

    /// What it asks now, if anything, under that number.
    pub(crate) fn ask(
        &mut self,
        dice: &mut Dice,
        watch: &mut Watch,
        time: i64,
        number: u64,
    ) -> Result<Option<Request>, String> {
        let now = boot(time);
        if let Some((waiting_for, _, gives_up)) = self.asked {
            if now < gives_up {
                return Ok(None);
            }
            let silence = StoreError::new("simulated", StoreErrorKind::Unreachable);
            self.hear(watch, time, waiting_for, Err(silence))?;
        }
        let tick = self.tick();
        let mut draw = || u128::from(dice.below(u64::MAX)) << 64 | u128::from(dice.below(u64::MAX));
        match self.agenda.duty(now, tick, || Ok(Token::from_bits(draw()))).unwrap() {
            Duty::Ask(request) => {
                self.asked = Some((number, now, now + PATIENCE));
                Ok(Some(request))
            }
            _ => Ok(None),
        }
    }

    /// Takes in an answer to `number`; one to something else is too late.
    pub(crate) fn hear(
        &mut self,
        watch: &mut Watch,
        time: i64,
        number: u64,
        answer: Result<Grant, StoreError>,
    ) -> Result<Option<Outcome>, String> {
        let Some((_, asked, _)) = self.asked.take_if(|(asked, ..)| *asked == number) else {
            return Ok(None);
        };
        let outcome = self.agenda.answered(asked, boot(time), answer);
        match &outcome {
            Outcome::Granted(grant) => self.begin(watch, grant)?,
            Outcome::Renewed(grant) => {
                if let Some(running) = &self.running {
                    running.generator.widen(grant.ceiling).map_err(|e| format!("widen: {e}"))?;
                    watch.widen(running.number, grant.ceiling)?;
                }
            }
            Outcome::Lost(_) => {
                // Its window stays its own; it just has no more use for it.
                if let Some(running) = self.running.take() {
                    running.generator.close();
                }
            }
            _ => {}
        }
        Ok(Some(outcome))
    }

    fn begin(&mut self, watch: &mut Watch, grant: &Grant) -> Result<(), String> {
        if let Some(old) = self.running.take() {
            old.generator.close();
        }
        let layout = S::Scheme::default();
        let lease = Lease::new(self.realm().clone(), *grant);
        let builder = lease.builder(&layout).map_err(|error| format!("builder: {error}"))?;
        let generator = builder
            .clock(Arc::clone(&self.clock))
            .sequence(SequenceStart::LOWEST)
            .bounds(SequenceBounds::new(0, 7))
            .build()
            .map_err(|error| format!("build: {error}"))?;
        let (floor, ceiling) = lease.ticks();
        let number = watch.open(lease.node(), floor, ceiling)?;
        self.running = Some(Running { generator: Arc::new(generator), lease, number });
        Ok(())
    }

    /// Draws up to `want` IDs, if it can; returns whether it did.
    pub(crate) fn issue(&mut self, watch: &mut Watch, want: NonZeroU32) -> Result<bool, String> {
        let Some(running) = &self.running else { return Ok(false) };
        running.issue(watch, want)
    }

    /// Closes the generator for good. Returns the lease and what was used of it.
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

    /// Closes the generator while one of its threads sleeps within a call. `after` says at which look at
    /// the clock, and the clock goes on by `ticks` ticks before that.
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

/// What to give back.
fn used<S: Subject>(snapshot: &Snapshot<S::Scheme>, bug: Option<Bug>) -> Option<u64> {
    let tick = match bug {
        Some(Bug::ReleaseAtWordsTick) => snapshot.tick,
        _ => snapshot.highest_tick(),
    };
    tick.map(|tick| tick.get())
}
