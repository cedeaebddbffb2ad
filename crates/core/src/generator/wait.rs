//! Waiting for IDs, in one loop for all generators. What it waits for is up to each [`Source`].

use core::num::NonZeroU32;
use core::time::Duration;

use crate::clock::Clock;
use crate::engine::Block;
use crate::error::{Detail, Error, ErrorKind, StallReason};
use crate::generator::overflow::WaitingCall;
use crate::generator::source::{Deadline, Source, Timed};
use crate::generator::timing::DEFAULT_MAX_WAIT;
use crate::scheme::Scheme as _;
use crate::tick::Tick;

/// The longest sleep of a waiting call before it rereads the clock, since a step of the clock or a
/// wider window may have shortened the wait.
const MAX_SLEEP: Duration = Duration::from_millis(50);

/// The longest time for which a waiting call spins because its pauses are too short to sleep. By a
/// clock that stands they stay short, so after this time they are at least as long.
const MAX_SPIN: Duration = Duration::from_millis(1);

/// The number of looks after which a waiting call fails because neither of its clocks has moved.
/// Where a thread cannot sleep, both may stand until the call returns, as in Cloudflare Workers.
/// Browsers round their clocks, some to 100 ms, which is less than this many looks take.
const MAX_LOOKS: u32 = 1_000_000;

/// Waits until `source` can issue after `error`, for at most `within` or for as long as its options
/// permit, and draws a block.
#[cold]
pub(crate) fn for_block<D: Source>(
    source: &mut D,
    want: NonZeroU32,
    error: D::Error,
    within: Option<Duration>,
) -> Result<Block<D::Scheme>, D::Error> {
    let mut error = source.note(error);
    let deadline = source.deadline(within);
    loop {
        source.until_ready(error, deadline)?;
        match source.try_block(want) {
            Ok(block) => return Ok(block),
            Err(again) => error = again,
        }
    }
}

/// Does the same, awaiting `sleep`.
pub(crate) async fn for_block_async<D, F, Fut>(
    source: &mut D,
    want: NonZeroU32,
    error: D::Error,
    within: Option<Duration>,
    sleep: F,
) -> Result<Block<D::Scheme>, D::Error>
where
    D: Source,
    F: Fn(Duration) -> Fut,
    Fut: Future<Output = ()>,
{
    let mut error = source.note(error);
    let mut deadline = source.deadline(within);
    loop {
        source.until_ready_async(error, &mut deadline, &sleep).await?;
        match source.try_block(want) {
            Ok(block) => return Ok(block),
            Err(again) => error = again,
        }
    }
}

/// Waits until an ID can be issued, without drawing one.
pub fn wait_ready<D: Source>(mut source: D, within: Duration) -> Result<(), D::Error> {
    let Err(error) = source.check_ready() else { return Ok(()) };
    let deadline = source.deadline(Some(within));
    source.until_ready(error, deadline)
}

/// Does the same, awaiting `sleep`.
pub async fn wait_ready_async<D, F, Fut>(
    mut source: D,
    within: Duration,
    sleep: F,
) -> Result<(), D::Error>
where
    D: Source,
    F: Fn(Duration) -> Fut,
    Fut: Future<Output = ()>,
{
    let Err(error) = source.check_ready() else { return Ok(()) };
    let mut deadline = source.deadline(Some(within));
    source.until_ready_async(error, &mut deadline, &sleep).await
}

/// Returns the deadline of a wait that starts now.
pub(crate) fn deadline(source: &impl Timed, within: Option<Duration>) -> Deadline {
    let timing = source.timing();
    let within = within.or(timing.max_wait);
    let bound = within.unwrap_or(DEFAULT_MAX_WAIT);
    let deadline = Deadline::after(timing.clock.monotonic(), bound);
    Deadline { is_explicit: within.is_some(), ..deadline }
}

/// Waits until the tick `last` of a closed `source` is over, for at most `within`.
pub(crate) fn until_over<D: Timed>(
    source: &D,
    last: Option<Tick<D::Scheme>>,
    within: Duration,
) -> Result<(), Error> {
    let check = || source.rules().check_over(last, &source.timing().clock);
    let Err(error) = check() else { return Ok(()) };
    until(source, error, deadline(source, Some(within)), check)
}

/// Does the same, awaiting `sleep`.
pub(crate) async fn until_over_async<D, F, Fut>(
    source: &D,
    last: Option<Tick<D::Scheme>>,
    within: Duration,
    sleep: F,
) -> Result<(), Error>
where
    D: Timed,
    F: Fn(Duration) -> Fut,
    Fut: Future<Output = ()>,
{
    let check = || source.rules().check_over(last, &source.timing().clock);
    let Err(error) = check() else { return Ok(()) };
    let mut deadline = deadline(source, Some(within));
    until_async(source, error, &mut deadline, &sleep, check).await
}

/// Sleeps until `source` could issue.
pub(crate) fn until_ready<D: Timed>(
    source: &D,
    error: Error,
    deadline: Deadline,
) -> Result<(), Error> {
    until(source, error, deadline, || source.check_ready())
}

/// Sleeps until `check` succeeds.
fn until<D: Timed>(
    source: &D,
    mut error: Error,
    deadline: Deadline,
    check: impl Fn() -> Result<(), Error>,
) -> Result<(), Error> {
    let (clock, scheme) = (&source.timing().clock, source.scheme());
    let (mut waiting, mut short_in, mut short_since) = (None, None, Duration::ZERO);
    let (mut seen, mut looks) = (None, 0);
    loop {
        let mut pause = pause(source, &error, deadline)?;
        let now = clock.monotonic();
        // If neither clock moves, nothing ends this wait.
        looks = if seen == Some((error.now, now)) { looks + 1 } else { 0 };
        if looks == MAX_LOOKS {
            return Err(error);
        }
        seen = Some((error.now, now));
        // A clock that stands leaves every pause too short to sleep. After a while of such pauses by
        // the monotonic clock, which goes on, sleep all the same, or this would burn a core. A new
        // tick starts the count again, since with ticks as short as that all pauses are short, and a
        // call that slept through the start of each tick would leave it to others. The reading
        // itself may not start it again, or this would spin by a clock that creeps.
        let tick = error.now.and_then(|now| scheme.tick_at(now).ok());
        if pause >= MAX_SPIN || tick != short_in {
            (short_in, short_since) = (tick, now);
        } else if now.saturating_sub(short_since) >= MAX_SPIN {
            pause = MAX_SPIN.min(deadline.left(now));
        }
        if is_counted(source, &error, &mut waiting) {
            clock.sleep(pause);
        }
        match check() {
            Ok(()) => return Ok(()),
            Err(again) => error = again,
        }
    }
}

/// Does the same, awaiting `sleep`.
pub(crate) async fn until_ready_async<D, F, Fut>(
    source: &D,
    error: Error,
    deadline: &mut Deadline,
    sleep: &F,
) -> Result<(), Error>
where
    D: Timed,
    F: Fn(Duration) -> Fut,
    Fut: Future<Output = ()>,
{
    until_async(source, error, deadline, sleep, || source.check_ready()).await
}

async fn until_async<D, F, Fut>(
    source: &D,
    mut error: Error,
    deadline: &mut Deadline,
    sleep: &F,
    check: impl Fn() -> Result<(), Error>,
) -> Result<(), Error>
where
    D: Timed,
    F: Fn(Duration) -> Fut,
    Fut: Future<Output = ()>,
{
    let mut waiting = None;
    loop {
        let pause = pause(source, &error, *deadline)?;
        if is_counted(source, &error, &mut waiting) {
            sleep(pause).await;
            deadline.awaited(pause);
        }
        match check() {
            Ok(()) => return Ok(()),
            Err(again) => error = again,
        }
    }
}

/// Counts the call as waiting as soon as the tick turns out to be used up. Returns `false` if that
/// happened just now, because the observer may have taken its time and the clock has to be reread.
fn is_counted<'a, D: Timed>(
    source: &'a D,
    error: &Error,
    waiting: &mut Option<WaitingCall<'a>>,
) -> bool {
    const USED_UP: ErrorKind = ErrorKind::Stalled(StallReason::TickUsedUp);
    if let (USED_UP, Some(now), None) = (error.kind, error.now, &waiting)
        && let Ok(tick) = source.rules().scheme.tick_at(now)
    {
        let toggle = matches!(error.detail, Detail::Toggled);
        *waiting = Some(source.timing().overflow.enter(now, tick.get(), toggle));
        return false;
    }
    true
}

/// Returns the next pause on `error`. Returns the error itself if waiting does not help, if its end
/// is unknown and no bound was set, or if the rest of the bound is too short.
fn pause<D: Timed>(source: &D, error: &Error, deadline: Deadline) -> Result<Duration, Error> {
    let ErrorKind::Stalled(_) = error.kind else { return Err(*error) };
    let rest = error.retry_after();
    let left = deadline.left(source.timing().clock.monotonic());
    let is_too_long = match rest {
        Some(rest) => rest > left,
        None => !deadline.is_explicit,
    };
    if left.is_zero() || is_too_long {
        return Err(*error);
    }
    Ok(rest.unwrap_or(MAX_SLEEP).min(MAX_SLEEP).min(left))
}
