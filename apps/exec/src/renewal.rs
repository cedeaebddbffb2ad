//! Keeps the lease on a separate thread, which sends the store the requests of a session.

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
    /// It was not granted; it is tried again.
    Failed(StoreError),
    /// It has ended.
    Lost(StoreError),
    /// It cannot be requested any more.
    Broken(Error),
}

/// Keeps one lease until it is lost, or until the supervisor has gone. `number` is the session's.
pub(super) fn keep(
    (number, mut session): (usize, LeaseSession),
    store: &Store,
    news: &Sender<(usize, News)>,
    bell: &Bell,
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
        // No claim follows that would show it to the store.
        if let Some((lease, why)) = held.zip(why)
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
    // A program whose clock falls behind its window is killed, so that nothing stalls.
    let request = session.request(now.boot, tick, Duration::ZERO, Token::random);
    let Some(mut request) = request.map_err(Error::Randomness)? else {
        sleep_until(session.due())?;
        return Ok(None);
    };
    let timeout = session.timeout(&request);
    let answer = block_on(request.send(store, session.realm()), timeout);
    let answered = ClockTimes::read()?;
    Ok(match session.answered(request, now.boot, answered.boot, answer) {
        Outcome::Acquired(lease) | Outcome::Renewed(lease) => {
            Some(News::Granted(ProgramWindow::new(session.realm(), lease, now.boot)))
        }
        Outcome::Failed(error) => Some(News::Failed(error)),
        Outcome::Lost(error) => Some(News::Lost(error)),
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
