//! Keeps the lease on a separate thread, which sends the store the requests of a session.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::mpsc::Sender;

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use tickid_lease::session::{LeaseSession, Outcome, Token, block_on};
use tickid_lease::{Store, StoreError};

use crate::error::Error;
use crate::wake::Bell;
use crate::window::{ClockTimes, ProgramWindow};

/// The timeout of a request that no session makes.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// A change of the lease.
#[derive(Debug)]
pub(super) enum News {
    /// It was granted, or renewed.
    Granted(ProgramWindow),
    /// It was not granted, and is requested again.
    Failed(StoreError),
    /// It has ended.
    Lost(StoreError),
    /// It cannot be requested any more.
    Broken(Error),
}

/// Keeps one lease until it is lost, or until the supervisor has gone. `number` is the session's.
/// Once the supervisor `is_releasing` its nodes, a lease that is gone was not lost.
pub(super) fn keep(
    (number, mut session): (usize, LeaseSession),
    store: &Store,
    news: &Sender<(usize, News)>,
    bell: &Bell,
    is_releasing: &AtomicBool,
    say: fn(&str),
) {
    loop {
        let held = session.lease().copied();
        let new = match step(&mut session, store) {
            Ok(None) => continue,
            Ok(Some(new)) => new,
            Err(failure) => News::Broken(failure),
        };
        let is_over = matches!(new, News::Lost(_) | News::Broken(_));
        let why = if let News::Lost(error) = &new { error.lease_end() } else { None };
        let is_heard = news.send((number, new)).is_ok();
        bell.ring();
        // No claim follows that would show it to the store. A lease that the supervisor has
        // released would be taken for a proof that the store lost data, and end all leases.
        if let Some((lease, why)) = held.zip(why)
            && !is_releasing.load(Ordering::SeqCst)
            && let Err(error) = answer(store.report_lost(session.realm(), &lease, why))
        {
            say(&format!("the lost lease was not reported to the store: {error:?}"));
        }
        if is_over || !is_heard {
            return;
        }
    }
}

/// Sends the request that is due, or waits until one is.
fn step(session: &mut LeaseSession, store: &Store) -> Result<Option<News>, Error> {
    let now = ClockTimes::read()?;
    let tick = now.wall.and_then(|wall| session.realm().tick_at(wall));
    // No time to wait for: a program whose clock falls behind its window is killed, so its
    // generator never stalls.
    let request = session.request(now.boot, tick, Duration::ZERO, Token::random);
    let Some(mut request) = request.map_err(Error::Randomness)? else {
        sleep_until(session.due())?;
        return Ok(None);
    };
    // An answer that comes after the timeout is dropped. The store may have carried out the
    // request, so the session repeats the same one.
    let timeout = session.timeout(&request);
    let answer = block_on(request.send(store, session.realm()), timeout);
    let answered = ClockTimes::read()?;
    Ok(match session.answered(request, now.boot, answered.boot, answer) {
        // The window is counted from the time before the request, because the store has read its
        // clock at some moment after that. Counted from the answer, it would seem to last longer by
        // up to a round trip.
        Outcome::Acquired(lease) | Outcome::Renewed(lease) => {
            Some(News::Granted(ProgramWindow::new(session.realm(), lease, now.boot)))
        }
        Outcome::Failed(error) => Some(News::Failed(error)),
        Outcome::Lost(error) => Some(News::Lost(error)),
        // The renewal is sent again at once. And `Repeated` needs notes of the ticks that were
        // used, which only a session beside a generator has.
        Outcome::Outdated | Outcome::Repeated(..) => None,
        _ => None,
    })
}

/// Sleeps by the clock that counts a suspend.
fn sleep_until(time: Duration) -> Result<(), Error> {
    let time = TimeSpec::from(time);
    match clock_nanosleep(ClockId::CLOCK_BOOTTIME, ClockNanosleepFlags::TIMER_ABSTIME, &time) {
        Ok(_) | Err(nix::Error::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Waits for an answer of the store.
pub(super) fn answer<T>(
    request: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    block_on(request, ANSWER_WITHIN)
}

#[cfg(test)]
mod tests {
    use core::pin::pin;
    use core::sync::atomic::{AtomicBool, Ordering};
    use core::task::{Context, Poll, Waker};
    use std::sync::{Arc, mpsc};
    use std::thread;

    use tickid_core::example::Seconds;
    use tickid_core::{Clock as _, ManualClock, UnixTime};
    use tickid_lease::backend::StoreErrorKind;
    use tickid_lease::conformance::distant::Distant;
    use tickid_lease::session::Claim;
    use tickid_lease::{Lease, Realm, RealmSpec};
    use tickid_nanoflake::Nanoflake;

    use super::*;
    use crate::wake::Wake;

    /// Sends a request along a line on which each half of a round trip takes this time.
    fn send(
        request: impl Future<Output = Result<Lease, StoreError>>,
        clock: &ManualClock,
        half: Duration,
        timeout: Duration,
    ) -> Result<Lease, StoreError> {
        let (mut request, mut left) = (pin!(request), timeout);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(answer) = request.as_mut().poll(&mut context) {
                return answer;
            }
            let Some(rest) = left.checked_sub(half) else {
                clock.advance(left);
                return Err(StoreError::new("distant", StoreErrorKind::Unreachable));
            };
            clock.advance(half);
            left = rest;
        }
    }

    /// A grant of a new node changes the record, which a renewal compares.
    #[test]
    fn programs_go_on_at_a_distance_while_others_are_granted_nodes() {
        const TERM: Duration = Duration::from_secs(10);
        let start = UnixTime::from_micros(1_700_000_000_000_000);
        let parts = [5.0, 5.6, 6.0, 7.0, 9.0, 11.0, 12.0, 20.0];
        for (seed, parts) in (0..20).flat_map(|seed| parts.map(|parts| (seed, parts))) {
            let distant = Distant::new(start);
            let (near, clock) = (distant.near(), Arc::clone(distant.clock()));
            let store = Store::new(distant);
            let realm = Realm::builder("a", Nanoflake::default()).pool("0-63/10").term(TERM);
            let realm = RealmSpec::from(realm.build().unwrap());
            let mut session = LeaseSession::new(realm.clone(), "me", seed);
            let half = TERM.div_f64(parts) / 2;
            let now = || {
                let wall = clock.now().unwrap();
                ClockTimes { boot: wall.saturating_since(start), wall: Some(wall) }
            };
            let mut window = None::<ProgramWindow>;
            let mut renewals = 0;
            while renewals < 5 {
                let asked = now();
                let tick = asked.wall.and_then(|wall| realm.tick_at(wall));
                let draw = || Ok(Token::from_bits(1));
                let request = session.request(asked.boot, tick, Duration::ZERO, draw).unwrap();
                let Some(mut request) = request else {
                    // The clock has no nanoseconds.
                    clock.advance(session.due() - asked.boot + Duration::from_micros(1));
                    let mut claim = Claim::new(Token::from_bits(2 + renewals), "other", None);
                    answer(near.acquire(&realm, &mut claim)).unwrap();
                    continue;
                };
                let timeout = session.timeout(&request);
                let answer = send(request.send(&store, &realm), &clock, half, timeout);
                let answered = now();
                // By default, SIGTERM comes half a term before SIGKILL. Other holders have the whole
                // window.
                let grace = if parts < 5.6 { Duration::ZERO } else { TERM / 2 };
                let is_in_time = window.is_none_or(|window| window.left(answered) > grace);
                assert!(is_in_time, "seed {seed}, 1/{parts} of the term: {answer:?}");
                match session.answered(request, asked.boot, answered.boot, answer) {
                    Outcome::Acquired(lease) | Outcome::Renewed(lease) => {
                        renewals += u128::from(window.is_some());
                        window = Some(ProgramWindow::new(&realm, lease, asked.boot));
                    }
                    Outcome::Outdated | Outcome::Failed(_) => {}
                    Outcome::Lost(_) | Outcome::Repeated(..) => panic!("the lease is lost"),
                    _ => panic!("another outcome"),
                }
            }
        }
    }

    /// A renewal that falls due while the nodes are released finds no lease, which is no loss.
    #[test]
    fn a_released_lease_is_not_reported_lost() {
        let realm = RealmSpec::from(Realm::builder("a", Seconds).pool("1/8").build().unwrap());
        let terms = realm.terms().with_term(Duration::from_secs(2));
        let realm = realm.with_terms(terms).unwrap();
        let store = Store::in_memory();
        let session = LeaseSession::new(realm.clone(), "me", 1);
        let (sender, news) = mpsc::channel();
        let bell = Wake::new(mpsc::channel::<()>().1).unwrap().bell();
        let is_releasing = AtomicBool::new(false);
        thread::scope(|scope| {
            let (store, is_releasing) = (&store, &is_releasing);
            scope.spawn(move || keep((0, session), store, &sender, &bell, is_releasing, |_| ()));
            let Ok((0, News::Granted(window))) = news.recv() else { panic!("no lease") };
            is_releasing.store(true, Ordering::SeqCst);
            answer(store.release(&realm, &window.lease, Some(window.lease.floor))).unwrap();
            // On a busy machine it may have been renewed before the release, but not for ever.
            let next = news.iter().take(100).find(|(_, news)| !matches!(news, News::Granted(_)));
            let Some((0, News::Lost(_))) = next else { panic!("it was renewed") };
        });
        assert_eq!(answer(store.realm(realm.name())).unwrap().era, 0);
    }
}
