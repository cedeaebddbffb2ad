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
        // `Repeated` needs notes of the ticks that were used, which only a session beside a
        // generator has.
        Outcome::Repeated(..) => None,
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
    use core::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use tickid_core::example::Seconds;
    use tickid_lease::{Realm, RealmSpec};

    use super::*;
    use crate::wake::Wake;

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
            let Ok((0, News::Lost(_))) = news.recv() else { panic!("it was renewed") };
        });
        assert_eq!(answer(store.realm(realm.name())).unwrap().era, 0);
    }
}
