//! Keeps the lease, on a thread of its own: sends the store the requests of an agenda.

use core::time::Duration;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use tickid_lease::{Agenda, Duty, Outcome, Store, StoreError, Token};

use super::wake::Bell;
use super::window::{Now, Window};
use crate::failure::Failure;
use crate::store::answer_within;

/// A change of the lease.
#[derive(Debug)]
pub(super) enum News {
    /// It was granted, or renewed.
    Granted(Window),
    /// It was not; it is tried again.
    Failed(StoreError),
    /// It has ended.
    Lost(StoreError),
    /// It cannot be requested any more.
    Broken(Failure),
}

/// Keeps one lease until it is lost, or until the supervisor has gone.
pub(super) fn keep(mut agenda: Agenda, store: &Arc<dyn Store>, news: &Sender<News>, bell: &Bell) {
    loop {
        let new = match step(&mut agenda, store) {
            Ok(None) => continue,
            Ok(Some(new)) => new,
            Err(failure) => News::Broken(failure),
        };
        let is_over = matches!(new, News::Lost(_) | News::Broken(_));
        let is_heard = news.send(new).is_ok();
        bell.ring();
        if is_over || !is_heard {
            return;
        }
    }
}

/// Sends the request that is due, or waits until one is.
fn step(agenda: &mut Agenda, store: &Arc<dyn Store>) -> Result<Option<News>, Failure> {
    let realm = agenda.realm().clone();
    let now = Now::read()?;
    let tick = now.wall.and_then(|wall| realm.tick_at(wall));
    let request = match agenda.duty(now.boot, tick, Token::random)? {
        Duty::Ask(request) => request,
        Duty::Wait(until) => {
            sleep_until(until)?;
            return Ok(None);
        }
        _ => return Ok(None),
    };
    let most = (realm.terms().term / 4).clamp(Duration::from_millis(50), Duration::from_secs(5));
    let answer = answer_within(store, request.send(store, &realm), most);
    let answered = Now::read()?;
    Ok(match agenda.answered(now.boot, answered.boot, answer) {
        Outcome::Granted(grant) | Outcome::Renewed(grant) => {
            Some(News::Granted(Window::new(&realm, &grant, now.boot)))
        }
        Outcome::Failed(error) => Some(News::Failed(error)),
        Outcome::Lost(error) => Some(News::Lost(error)),
        _ => None,
    })
}

/// Sleeps by the clock that counts a suspend.
fn sleep_until(time: Duration) -> Result<(), Failure> {
    let time = TimeSpec::from(time);
    match clock_nanosleep(ClockId::CLOCK_BOOTTIME, ClockNanosleepFlags::TIMER_ABSTIME, &time) {
        Ok(_) | Err(nix::Error::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
