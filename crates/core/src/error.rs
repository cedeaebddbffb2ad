//! The errors of clocks, generators and builders, which all schemes share.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::time::Duration;

use crate::any_node::AnyNode;
use crate::range::RangeError;
use crate::sequence::SequenceBounds;
use crate::time::UnixTime;
use crate::variant::Variants;

/// A clock could not be read, or reads a time outside of the scheme's ticks. Generators do not wait
/// for it to pass, because nothing says when it would.
#[derive(Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ClockError {
    /// The time lies before the first or after the last tick that may be issued. For example, a
    /// machine without a battery starts in 1970, which is before sno's epoch.
    #[error("the clock reads {time}, outside of {first} to {last}")]
    OutOfRange {
        /// The clock reading.
        time: UnixTime,
        /// The start of the first tick.
        first: UnixTime,
        /// The start of the last tick.
        last: UnixTime,
    },
    /// The clock could not be read.
    #[error("the clock cannot be read: {reason}")]
    Unreadable {
        /// The reason that the clock gives.
        reason: &'static str,
    },
    /// The clock and the generator belong to the process that this one was forked from. Build a new
    /// generator in the child, with a different node.
    #[error("the generator belongs to the parent process; a forked child needs its own")]
    Forked,
}

crate::debug_error! {
    enum ClockError { OutOfRange { time, first, last }, Unreadable { reason }, Forked }
}

/// The reason why a generator did not issue an ID.
///
/// [`kind`](Self::kind) returns the cause, to decide what to do. [`retry_after`](Self::retry_after)
/// returns the time until the cause ends if the clock runs on as it does now, for example for a
/// `Retry-After` header. The message of a stall ends with both times, for example `(it is
/// 2026-05-01T12:00:00Z, continues at 2026-05-01T12:00:01Z)`.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_core::{ErrorKind, LocalGenerator, ManualClock, StallReason, UnixTime, example};
///
/// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
/// let mut generator =
///     LocalGenerator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build_local()?;
/// generator.try_generate()?;
///
/// clock.set(UnixTime::from_millis(99_500)?);
/// let error = generator.try_generate().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::ClockBehind));
/// assert_eq!(error.retry_after(), Some(Duration::from_millis(500)));
///
/// generator.close();
/// let error = generator.try_generate().unwrap_err();
/// assert_eq!((error.kind(), error.retry_after()), (ErrorKind::Closed, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Error {
    pub(crate) scheme: &'static str,
    pub(crate) kind: ErrorKind,
    /// The clock reading when the engine stalled.
    pub(crate) now: Option<UnixTime>,
    /// The clock reading that ends the stall.
    pub(crate) until: Option<UnixTime>,
    pub(crate) detail: Detail,
}

crate::debug_error! {
    struct Error { scheme, kind, now, until, detail }
}

/// The facts about a stall that are not public. Those that its message does not mention make no
/// difference between two errors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Detail {
    None,
    /// The tick is used up with the toggle set. Whether it is without, nothing says.
    Toggled,
    /// The clock is behind the window, and not behind the last ID.
    BeforeWindow,
    /// The clock is within the window, but no tick of it is left.
    WindowUsedUp,
    /// The generator is closed, and the clock is not past its last ID.
    NotOver,
}

impl Detail {
    /// Returns a number for what the message says.
    const fn shown(self) -> u8 {
        match self {
            Self::None | Self::Toggled => 0,
            Self::BeforeWindow => 1,
            Self::WindowUsedUp => 2,
            Self::NotOver => 3,
        }
    }
}

impl PartialEq for Detail {
    fn eq(&self, other: &Self) -> bool {
        self.shown() == other.shown()
    }
}

impl Eq for Detail {}

impl Hash for Detail {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shown().hash(state);
    }
}

/// The cause that kept a generator from issuing an ID. Of these, only [`Stalled`](Self::Stalled) is
/// worth waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The generator can issue again once its clock has moved on or its window is widened, so
    /// waiting helps.
    Stalled(StallReason),
    /// The generator was closed.
    Closed,
    /// The scheme has no tick left. This is final, and only a different scheme or layout helps.
    EndOfTime,
    /// The clock failed, or reads a time for which the scheme has no tick.
    Clock(ClockError),
    /// The generator issues only these variants of IDs, and the call asked for a different one.
    Variant(Variants),
    /// The generator's [`Sequence`](crate::Sequence) returned a start outside of the bounds.
    SequenceStart {
        /// The start.
        start: u32,
        /// The lowest sequence allowed.
        lowest: u32,
        /// The last sequence allowed.
        last: u32,
    },
}

/// The reason why a generator that works has no ID at the moment. Which one is frequent shows what
/// to change.
///
/// # Examples
/// ```
/// use tickid_core::{ErrorKind, LocalGenerator, ManualClock, StallReason, UnixTime, example};
///
/// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
/// let mut generator =
///     LocalGenerator::<example::Seconds>::builder(example::Node(1)).clock(&clock).build_local()?;
/// generator.try_generate()?;
///
/// clock.set(UnixTime::from_millis(99_500)?);
/// let ErrorKind::Stalled(reason) = generator.try_generate().unwrap_err().kind() else {
///     panic!("the clock went back");
/// };
/// assert_eq!((reason, reason.label()), (StallReason::ClockBehind, "clock_behind"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StallReason {
    /// The clock is behind the last ID issued by more than the policy allows, because it went back,
    /// or because overflows of a ratchet ran ahead of it. Or it has not reached the generator's
    /// window yet. If this happens often, set a larger allowance, or look at the machine's time
    /// synchronization.
    ClockBehind,
    /// All sequences of the tick are used up. The stall is over with the tick, so it is short in
    /// most schemes. If it is frequent, the load needs more nodes.
    TickUsedUp,
    /// The clock is past the generator's window, or all ticks of the window are used up. Only a
    /// [wider window](crate::Generator::widen) helps, which for a leased generator means that its
    /// store has to be reachable.
    WindowEnded,
}

crate::cases! {
    #[doc(hidden)]
    pub ALL of StallReason: ClockBehind, TickUsedUp, WindowEnded
}

impl StallReason {
    /// Returns the name that metrics have for the reason, for example `"clock_behind"`.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::ClockBehind => "clock_behind",
            Self::TickUsedUp => "tick_used_up",
            Self::WindowEnded => "window_ended",
        }
    }
}

impl fmt::Display for StallReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ClockBehind => "the clock is behind",
            Self::TickUsedUp => "the tick's sequences are used up",
            Self::WindowEnded => "the window has ended",
        })
    }
}

impl Error {
    /// Returns the cause.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{ErrorKind, Generator};
    ///
    /// let generator = Generator::<Seconds>::new(Node(7))?;
    /// generator.close();
    /// let error = generator.try_generate().unwrap_err();
    /// assert_eq!((error.kind(), error.retry_after()), (ErrorKind::Closed, None));
    /// # Ok::<(), tickid_core::BuildError>(())
    /// ```
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the time until the generator can continue, if its clock runs on steadily. It is
    /// `None` if waiting does not help, or if something other than the clock has to change, as for
    /// a window that has ended.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{LocalGenerator, ManualClock, UnixTime};
    ///
    /// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
    /// let builder = LocalGenerator::<Seconds>::builder(Node(7)).clock(&clock);
    /// let mut generator = builder.build_local()?;
    /// generator.try_generate()?;
    /// clock.set(UnixTime::from_millis(97_000)?); // this scheme waits
    /// let error = generator.try_generate().unwrap_err();
    /// assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        Some(self.until?.saturating_since(self.now?))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.scheme)?;
        match self.kind {
            ErrorKind::Stalled(reason) => f.write_str(match (reason, self.detail) {
                (_, Detail::BeforeWindow) => "the clock is before the generator's window",
                (_, Detail::WindowUsedUp) => "all ticks of the generator's window are used up",
                (_, Detail::NotOver) => "the clock is not past the last ID issued",
                (StallReason::ClockBehind, Detail::None | Detail::Toggled) => {
                    "the clock is too far behind the last ID issued"
                }
                (StallReason::TickUsedUp, Detail::None | Detail::Toggled) => {
                    "all sequences of this tick are used up"
                }
                (StallReason::WindowEnded, Detail::None | Detail::Toggled) => {
                    "the clock is past the generator's window"
                }
            })?,
            ErrorKind::Closed => f.write_str("the generator is closed")?,
            ErrorKind::EndOfTime => f.write_str("the last tick of the scheme is used up")?,
            ErrorKind::Clock(error) => error.fmt(f)?,
            ErrorKind::Variant(variants) => write!(f, "the generator issues only {variants}")?,
            ErrorKind::SequenceStart { start, lowest, last } => {
                write!(f, "the sequence start {start} is outside of {lowest}..={last}")?;
            }
        }
        // For example "(it is 2026-05-01T12:00:00Z, continues at 2026-05-01T12:00:01Z)".
        match (self.now, self.until) {
            (Some(now), Some(until)) if self.detail == Detail::NotOver => {
                write!(f, " (it is {now}, past it at {until})")
            }
            (Some(now), Some(until)) => write!(f, " (it is {now}, continues at {until})"),
            (Some(now), None) => write!(f, " (it is {now})"),
            (None, _) => Ok(()),
        }
    }
}

impl core::error::Error for Error {}

/// The reason why a generator did not observe an ID ([`Generator::observe`]). The call has changed
/// nothing, so the generator goes on as before.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_core::{LocalGenerator, ManualClock, ObserveError, Policy, Ticks, UnixTime, example};
///
/// let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
/// let mut generator = LocalGenerator::<example::Seconds>::builder(example::Node(1))
///     .policy(Policy::Ratchet { allowance: Ticks::new(10) })
///     .clock(&clock)
///     .build_local()?;
///
/// let id = 108 << 17; // of second 108, from a peer whose clock is 8 seconds ahead
/// let error = generator.observe(id).unwrap_err();
/// assert!(matches!(error, ObserveError::Ahead { allowed, .. } if allowed.as_secs() == 5));
/// assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
///
/// clock.advance(Duration::from_secs(2));
/// generator.observe(id)?;
/// assert!(generator.try_generate()? > id);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Generator::observe`]: crate::Generator::observe
#[derive(Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ObserveError {
    /// To follow the ID, the generator would have to run further ahead of its clock than it may.
    /// The limit is half of its policy's allowance, because the other half is left for overflows
    /// and for a clock that goes back. For example, a ratchet of 10 seconds follows IDs that are up
    /// to 5 seconds ahead.
    ///
    /// Under [`Policy::Wait`](crate::Policy::Wait), and under a ratchet without an allowance, the
    /// limit is 0. There, an ID that leaves the generator no sequence of the present tick is
    /// refused until that tick is over.
    #[error(
        "following the ID takes the generator to {time}, {:?} ahead of the clock, which reads \
         {now}; it follows IDs that are at most {allowed:?} ahead",
        time.saturating_since(*now)
    )]
    Ahead {
        /// The start of the tick that the generator would have to enter.
        time: UnixTime,
        /// The clock reading.
        now: UnixTime,
        /// The largest lead that is accepted.
        allowed: Duration,
        /// The time until the clock is close enough, if it runs on steadily.
        retry_after: Duration,
    },
    /// The ID is from a tick at or after the end of the generator's window, or uses up the window's
    /// last tick.
    #[error(
        "following the ID takes the generator to tick {tick}, and its window ends before tick \
         {ceiling}"
    )]
    Window {
        /// The tick that the generator would have to enter.
        tick: u64,
        /// One past the last tick of the window.
        ceiling: u64,
    },
    /// None of the generator's IDs is greater than this one.
    #[error("none of the generator's IDs is after this one")]
    EndOfTime,
    /// The generator was closed.
    #[error("the generator is closed")]
    Closed,
    /// The clock failed.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// The policy is [`Policy::TickTock`](crate::Policy::TickTock), under which IDs go back with
    /// the clock.
    #[error("under tick-tock, a generator's IDs go back with its clock, so they follow no ID")]
    TickTock,
}

crate::debug_error! {
    enum ObserveError {
        Ahead { time, now, allowed, retry_after }, Window { tick, ceiling }, EndOfTime, Closed,
        Clock(error), TickTock,
    }
}

impl ObserveError {
    /// Returns the time until the generator can observe the ID, if its clock runs on steadily. It
    /// is `None` if waiting does not help, or if something other than the clock has to change. To
    /// wait rather than to fail, sleep for this time and try again.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Ahead { retry_after, .. } => Some(*retry_after),
            Self::Window { .. }
            | Self::EndOfTime
            | Self::Closed
            | Self::Clock(_)
            | Self::TickTock => None,
        }
    }
}

/// The reason why a scheme's layout has no room for a node. Each message names the sizes that would
/// fit.
///
/// # Examples
/// ```
/// use tickid_core::{NodeError, Scheme, example::Toggling};
///
/// // Its generators need at least 4 of the 256 sequences.
/// assert!(Toggling.split_node("0/14".parse()?).is_ok());
/// let error = Toggling.split_node("0/15".parse()?).unwrap_err();
/// assert!(matches!(error, NodeError::Share { pool: 2, min: 4, max_bits: 14, .. }));
/// # Ok::<(), tickid_core::ParseNodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeError {
    /// A value or a number of bits that the scheme's nodes do not have.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// Fewer bits than the field that holds the node. Such a node would stand for several values of
    /// the field, of which an ID can carry only one.
    #[error("node {node} has fewer bits than the node's field, which has {bits}")]
    Field {
        /// The node.
        node: AnyNode,
        /// The number of bits of the field.
        bits: u32,
    },
    /// A share with too few sequences, since the node has too many bits.
    #[error(
        "node {node} has {pool} of a tick's sequences, fewer than {min}: nodes have at most \
         {max_bits} bits"
    )]
    Share {
        /// The node.
        node: AnyNode,
        /// The number of its sequences.
        pool: u64,
        /// The fewest sequences that a generator needs.
        min: u32,
        /// The largest number of bits of a node.
        max_bits: u32,
    },
}

crate::debug_error! {
    enum NodeError { Range(error), Field { node, bits }, Share { node, pool, min, max_bits } }
}

/// The reason why a generator could not be built. Most variants name an option that contradicts the
/// scheme or a different option. [`Ahead`](Self::Ahead), [`Epoch`](Self::Epoch),
/// [`NotPast`](Self::NotPast) and [`Clock`](Self::Clock) depend on the clock, so the same options
/// may succeed later.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// [`Policy::TickTock`](crate::Policy::TickTock) for a scheme without a toggle bit.
    #[error("{scheme} has no toggle bit, which tick-tock needs")]
    NoToggle {
        /// The scheme's name.
        scheme: &'static str,
    },
    /// A sequence bound beyond the scheme's.
    #[error(transparent)]
    SequenceBound(RangeError),
    /// A node that the layout has no room for.
    #[error(transparent)]
    Node(NodeError),
    /// A window that ends after the last tick of the layout.
    #[error(transparent)]
    Ceiling(RangeError),
    /// Sequence bounds that leave too few sequences.
    #[error("{pool} sequences from {lowest} to {last} are fewer than {min}")]
    Pool {
        /// The lower bound.
        lowest: u32,
        /// The upper bound.
        last: u32,
        /// The number of sequences within the bounds.
        pool: u64,
        /// The minimum number of sequences.
        min: u32,
    },
    /// Sequence bounds outside of the share that the node names. The other sequences may belong to
    /// a different generator.
    #[error(
        "the sequences {} to {} are outside of {} to {}, the share of node {node}",
        bounds.lowest(), bounds.last(), share.lowest(), share.last()
    )]
    Share {
        /// The bounds.
        bounds: SequenceBounds,
        /// The node.
        node: AnyNode,
        /// The sequences of the node.
        share: SequenceBounds,
    },
    /// A window in which the scheme has no tick to issue. The generator would stall for ever.
    #[error("the window {floor}..{ceiling} holds no tick of {first}..={last}")]
    Window {
        /// The window's first tick.
        floor: u64,
        /// One past its last.
        ceiling: u64,
        /// The first tick that can be issued.
        first: u64,
        /// The last tick that can be issued.
        last: u64,
    },
    /// A snapshot that cannot be continued, because its tick is outside of the window, or its
    /// sequence is outside of the bounds.
    #[error("the snapshot cannot be restored: {0}")]
    Restore(RangeError),
    /// An epoch that lies in the future of the clock.
    #[error("the epoch {epoch} is after the present {now}")]
    Epoch {
        /// The epoch.
        epoch: UnixTime,
        /// The clock reading.
        now: UnixTime,
    },
    /// A snapshot, or the previous ID of a node spec, that lies so far in the future of the clock
    /// that the first call would wait longer than [`max_wait`](crate::Builder::max_wait). Either
    /// the clock was set back since, or the snapshot comes from a machine whose clock is wrong.
    #[error(
        "the previous ID is from {last}, {:?} ahead of the clock, which reads {now}; the wait of {wait:?} \
         exceeds max_wait ({max_wait:?})",
        last.saturating_since(*now)
    )]
    Ahead {
        /// The time of the highest tick issued before.
        last: UnixTime,
        /// The clock reading.
        now: UnixTime,
        /// The time until the policy lets the generator issue an ID.
        wait: Duration,
        /// The longest wait allowed.
        max_wait: Duration,
    },
    /// The clock could not be read.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// [`Variants::WithoutNode`], although all IDs of the scheme carry the node, so that no variant
    /// is left.
    #[error("{scheme} has no IDs without a node")]
    NoNodelessIds {
        /// The scheme's name.
        scheme: &'static str,
    },
    /// An option was changed after [`Builder::pin`](crate::Builder::pin), or the settings of a
    /// process-wide generator after its first ID.
    #[error(
        "the option {option} was fixed, by a lease or another owner of the builder, and then changed"
    )]
    Pinned {
        /// The option: `"settings"`, `"window"` or `"variants"`.
        option: &'static str,
    },
    /// The window of a [backfill](crate::Backfill) that does not end before the present.
    #[error(
        "a backfill needs a window that ends before the present, tick {present}, and not at \
         {ceiling}"
    )]
    NotPast {
        /// One past the window's last tick.
        ceiling: u64,
        /// The clock's tick.
        present: u64,
    },
    /// The operating system provided no random number for the seed. Without the feature `std` there
    /// is none, so give the builder a [seed](crate::Builder::seeded).
    #[error("no random seed from the operating system")]
    Seed,
}

crate::debug_error! {
    enum BuildError {
        NoToggle { scheme }, SequenceBound(error), Node(error), Ceiling(error),
        Pool { lowest, last, pool, min }, Share { bounds, node, share }, Window { floor, ceiling, first, last }, Restore(error),
        Epoch { epoch, now }, Ahead { last, now, wait, max_wait }, Clock(error),
        NoNodelessIds { scheme }, Pinned { option }, NotPast { ceiling, present }, Seed,
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn messages_have_value_and_range() {
        let range = RangeError::new("node", 1024, 0, 1023);
        assert_eq!(range.to_string(), "node 1024 is outside of 0..=1023");
        let pool = BuildError::Pool { lowest: 4, last: 6, pool: 3, min: 4 };
        assert_eq!(pool.to_string(), "3 sequences from 4 to 6 are fewer than 4");
    }

    #[test]
    fn retry_after_is_until_minus_now() {
        let error = |now, until| Error {
            scheme: "sno",
            kind: ErrorKind::Stalled(StallReason::TickUsedUp),
            now: Some(UnixTime::from_micros(now)),
            until,
            detail: Detail::None,
        };
        let stalled = error(1_000, Some(UnixTime::from_micros(5_000)));
        assert_eq!(stalled.retry_after(), Some(Duration::from_millis(4)));
        assert_eq!(
            stalled.to_string(),
            "sno: all sequences of this tick are used up (it is \
             1970-01-01T00:00:00.001Z, continues at 1970-01-01T00:00:00.005Z)"
        );
        assert_eq!(error(0, None).retry_after(), None);
    }

    #[cfg(feature = "std")]
    #[test]
    fn errors_of_equal_text_and_kind_are_equal() {
        use std::collections::HashSet;

        use crate::example::{Node, Toggling};
        use crate::{Builder, ManualClock};

        let clock = ManualClock::new(UnixTime::from_micros(100_000_000));
        let used_up = |goes_back: bool| {
            clock.set(UnixTime::from_micros(101_000_000));
            let mut generator =
                Builder::<Toggling>::seeded(Node(1), 0).clock(&clock).build_local().unwrap();
            generator.try_generate().unwrap();
            if goes_back {
                clock.set(UnixTime::from_micros(100_000_000)); // sets the toggle
                generator.try_generate().unwrap();
                clock.set(UnixTime::from_micros(101_000_000));
            }
            core::iter::from_fn(|| Some(generator.try_generate())).find_map(Result::err).unwrap()
        };
        let (plain, toggled) = (used_up(false), used_up(true));
        assert!(matches!((plain.detail, toggled.detail), (Detail::None, Detail::Toggled)));
        assert_eq!((plain, plain.to_string()), (toggled, toggled.to_string()));
        assert_eq!(HashSet::from([plain, toggled]).len(), 1);
        assert_ne!(plain, Error { detail: Detail::NotOver, ..plain });
    }

    #[cfg(feature = "std")]
    #[test]
    fn window_ends_are_distinguished() {
        use crate::example::{Node, Seconds};
        use crate::{LocalGenerator, ManualClock, Policy, Tick, Ticks, Window};

        let clock = ManualClock::new(UnixTime::from_micros(98_000_000));
        let window = Window::new(Tick::new(100).unwrap(), 101).unwrap();
        let mut generator = LocalGenerator::<Seconds>::builder(Node(1))
            .policy(Policy::Ratchet { allowance: Ticks::new(1) })
            .window(window)
            .clock(&clock)
            .build_local()
            .unwrap();
        let mut message = |seconds: i64| {
            clock.set(UnixTime::from_micros(seconds * 1_000_000));
            let error =
                core::iter::from_fn(|| Some(generator.try_generate())).find_map(Result::err);
            error.unwrap().to_string()
        };
        let before = message(98);
        assert!(before.contains("the clock is before the generator's window (it is "), "{before}");
        let used_up = message(100);
        let expected = "all ticks of the generator's window are used up (it is ";
        assert!(used_up.contains(expected), "{used_up}");
        let past = message(101);
        assert!(past.contains("the clock is past the generator's window (it is "), "{past}");
    }
}
