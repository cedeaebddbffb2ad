//! Waiting for IDs.

use core::num::NonZeroU32;
use core::time::Duration;

use crate::clock::Clock;
use crate::engine::Block;
use crate::error::{Error, ErrorKind};
use crate::generator::DEFAULT_MAX_WAIT;
use crate::generator::overflow::Waiting;
use crate::generator::source::Timed;
use crate::scheme::Scheme as _;

/// The longest sleep of a waiting call before it rereads the clock, since a step of the clock or a
/// wider window may have shortened the wait.
const MAX_SLEEP: Duration = Duration::from_millis(50);

/// Waits until `source` can issue after `error`, and draws a block.
#[cold]
pub(crate) fn for_block<D: Timed>(
    source: &mut D,
    want: NonZeroU32,
    mut error: Error,
) -> Result<Block<D::Scheme>, Error> {
    let start = source.timing().clock.monotonic();
    loop {
        until_ready(source, error, start)?;
        match source.try_block(want) {
            Ok(block) => return Ok(block),
            Err(again) => error = again,
        }
    }
}

/// Sleeps until `source` could issue, without drawing anything.
fn until_ready<D: Timed>(source: &D, mut error: Error, start: Duration) -> Result<(), Error> {
    let mut waiting = None;
    loop {
        let pause = pause(source, &error, start)?;
        if is_counted(source, &error, &mut waiting) {
            source.timing().clock.sleep(pause);
        }
        match source.check_ready() {
            Ok(()) => return Ok(()),
            Err(again) => error = again,
        }
    }
}

/// Does the same, awaiting `sleep`.
pub(crate) async fn for_block_async<D, F, Fut>(
    source: &mut D,
    want: NonZeroU32,
    mut error: Error,
    sleep: F,
) -> Result<Block<D::Scheme>, Error>
where
    D: Timed,
    F: Fn(Duration) -> Fut,
    Fut: Future<Output = ()>,
{
    let start = source.timing().clock.monotonic();
    loop {
        let mut waiting = None;
        loop {
            let pause = pause(source, &error, start)?;
            if is_counted(source, &error, &mut waiting) {
                sleep(pause).await;
            }
            match source.check_ready() {
                Ok(()) => break,
                Err(again) => error = again,
            }
        }
        drop(waiting);
        match source.try_block(want) {
            Ok(block) => return Ok(block),
            Err(again) => error = again,
        }
    }
}

/// Counts the call as waiting as soon as the tick turns out to be used up. Returns `false` if that
/// happened just now, because the observer may have taken its time and the clock has to be reread.
fn is_counted<'a, D: Timed>(
    source: &'a D,
    error: &Error,
    waiting: &mut Option<Waiting<'a>>,
) -> bool {
    if let (ErrorKind::Exhausted, Some(now), None) = (error.kind, error.now, &waiting)
        && let Ok(tick) = source.rules().scheme.tick_at(now)
    {
        *waiting = Some(source.timing().overflow.enter(now, tick.get()));
        return false;
    }
    true
}

/// Returns the next pause on `error`. Returns the error itself if waiting does not help, if its end
/// is unknown and no `max_wait` was set, or if the rest of `max_wait` since `start` is too short.
fn pause<D: Timed>(source: &D, error: &Error, start: Duration) -> Result<Duration, Error> {
    match error.kind {
        ErrorKind::Rollback | ErrorKind::Exhausted | ErrorKind::Window => {}
        _ => return Err(*error),
    }
    let timing = source.timing();
    let (rest, max_wait) = match (error.retry_after(), timing.max_wait) {
        (None, None) => return Err(*error),
        (rest, max_wait) => (rest, max_wait.unwrap_or(DEFAULT_MAX_WAIT)),
    };
    let left = max_wait.saturating_sub(timing.clock.monotonic().saturating_sub(start));
    if left.is_zero() || rest.is_some_and(|rest| rest > left) {
        return Err(*error);
    }
    Ok(rest.unwrap_or(MAX_SLEEP).min(MAX_SLEEP).min(left))
}
