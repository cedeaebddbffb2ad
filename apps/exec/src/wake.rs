//! The events that wake the supervisor, which are signals, alarms and changes of the lease.

use core::cell::Cell;
use core::time::Duration;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use nix::unistd::read;
use tickid_core::UnixTime;

/// The signals that the supervisor handles or passes on. They are blocked and read, so that the
/// ones that are ignored stay so for the program (`nohup`).
const SIGNALS: [Signal; 10] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGWINCH,
    Signal::SIGTSTP,
    Signal::SIGCONT,
    Signal::SIGCHLD,
];

/// Returns these signals, and the one that stops a process that takes a terminal back from the
/// background.
pub(super) fn blocked() -> SigSet {
    let mut set: SigSet = SIGNALS.into_iter().collect();
    set.add(Signal::SIGTTOU);
    set
}

/// Blocks the signals in this thread and in those that it starts. Call it before any other thread
/// is started, because a signal to the process goes to a thread that does not block it. There
/// SIGCHLD is discarded, and SIGTERM ends the process.
pub(super) fn block_signals() -> nix::Result<()> {
    blocked().thread_block()
}

/// Wakes the supervisor for a change of the lease.
#[derive(Clone, Debug)]
pub(super) struct Bell(Arc<EventFd>);

impl Bell {
    pub(super) fn ring(&self) {
        // The write fails when the bell was not heard 2^64 - 2 times.
        let _ = self.0.write(1);
    }
}

/// The reason why the supervisor woke up.
#[derive(Debug)]
pub(super) enum WakeReason<N> {
    Signal(Signal),
    News(N),
    /// An alarm went off.
    Time,
    /// The wall clock was set.
    Step,
    /// The program reports a change.
    Change,
}

enum Woken {
    Alarm,
    Change,
    Other,
}

/// Two alarms, one by the time since the machine was started, and one by the wall clock.
#[derive(Debug)]
pub(super) struct Alarms {
    boot: TimerFd,
    wall: TimerFd,
}

impl Alarms {
    pub(super) fn new() -> nix::Result<Self> {
        let timer = |clock| TimerFd::new(clock, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC);
        Ok(Self { boot: timer(ClockId::CLOCK_BOOTTIME)?, wall: timer(ClockId::CLOCK_REALTIME)? })
    }

    /// Sets both. With the flag `TFD_TIMER_CANCEL_ON_SET`, a step of the wall clock wakes as well.
    pub(super) fn at(
        &self,
        (boot, wall): (Duration, UnixTime),
        flags: TimerSetTimeFlags,
    ) -> nix::Result<()> {
        let absolute = TimerSetTimeFlags::TFD_TIMER_ABSTIME;
        self.boot.set(Expiration::OneShot(moment(boot)), absolute)?;
        let wall = wall.saturating_since(UnixTime::EPOCH);
        self.wall.set(Expiration::OneShot(moment(wall)), absolute | flags)
    }

    /// The files that are readable after an alarm.
    pub(super) fn files(&self) -> [BorrowedFd<'_>; 2] {
        [self.boot.as_fd(), self.wall.as_fd()]
    }
}

#[derive(Debug)]
pub(super) struct Wake<N> {
    signals: SignalFd,
    alarms: Alarms,
    /// Set if the wall clock was set while its alarm was being set.
    is_stepped: Cell<bool>,
    bell: Bell,
    news: Receiver<N>,
}

impl<N> Wake<N> {
    /// Takes the signals that [`block_signals`] has blocked.
    pub(super) fn new(news: Receiver<N>) -> nix::Result<Self> {
        let signals = SIGNALS.into_iter().collect();
        let bell = EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?;
        Ok(Self {
            signals: SignalFd::with_flags(
                &signals,
                SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC,
            )?,
            alarms: Alarms::new()?,
            is_stepped: Cell::new(false),
            bell: Bell(Arc::new(bell)),
            news,
        })
    }

    pub(super) fn bell(&self) -> Bell {
        self.bell.clone()
    }

    /// Sets the alarms. A step of the wall clock wakes the supervisor immediately.
    pub(super) fn at(&self, times: (Duration, UnixTime)) -> nix::Result<()> {
        match self.alarms.at(times, TimerSetTimeFlags::TFD_TIMER_CANCEL_ON_SET) {
            Err(nix::Error::ECANCELED) => self.is_stepped.set(true),
            result => result?,
        }
        Ok(())
    }

    /// Waits for the next event. `changes` is readable after a change of the program.
    pub(super) fn next(&self, changes: Option<BorrowedFd<'_>>) -> nix::Result<WakeReason<N>> {
        loop {
            if let Some(signal) = self.signals.read_signal()? {
                let number = i32::try_from(signal.ssi_signo).map_err(|_| nix::Error::EINVAL)?;
                return Signal::try_from(number).map(WakeReason::Signal);
            }
            // The channel is looked at before each wait, because several rings of the bell are
            // heard as one.
            if let Ok(news) = self.news.try_recv() {
                return Ok(WakeReason::News(news));
            }
            if self.is_stepped.take() {
                return Ok(WakeReason::Step);
            }
            match self.wait(changes)? {
                Woken::Change => return Ok(WakeReason::Change),
                Woken::Alarm if !self.is_stepped.get() => return Ok(WakeReason::Time),
                Woken::Alarm | Woken::Other => {}
            }
        }
    }

    /// Waits until there is an event.
    fn wait(&self, changes: Option<BorrowedFd<'_>>) -> nix::Result<Woken> {
        let all = [self.signals.as_fd(), self.bell.0.as_fd()].into_iter();
        let all = all.chain(self.alarms.files()).chain(changes);
        let mut all: Vec<_> = all.map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        match poll(&mut all, PollTimeout::NONE) {
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(error) => return Err(error),
        }
        // Signals are left to `next`, which reads them first. Nothing is ready after EINTR, and
        // `next` looks at all sources again.
        let is_ready = |at: usize| all.get(at).is_some_and(|fd| fd.any().unwrap_or(false));
        let [bell, boot, wall, change] = [1, 2, 3, 4].map(is_ready);
        // What is ready is read here, or the next poll would return immediately. The bell only says
        // that there is news in the channel, which poll cannot wait for.
        if bell {
            heard(self.bell.0.read())?;
        }
        if boot {
            heard(self.alarms.boot.wait())?;
        }
        if wall {
            // `TimerFd::wait` does not distinguish a step from an alarm.
            match read(&self.alarms.wall, &mut [0; 8]) {
                Err(nix::Error::ECANCELED) => self.is_stepped.set(true),
                result => heard(result)?,
            }
        }
        // An alarm that comes together with a change is not reported and not lost either, because
        // the supervisor compares the clocks with its times on every turn.
        Ok(match change {
            true => Woken::Change,
            false if boot || wall => Woken::Alarm,
            false => Woken::Other,
        })
    }
}

/// Handles the result of reading a descriptor that was ready. An alarm that was set anew has
/// nothing to read.
fn heard<T>(read: nix::Result<T>) -> nix::Result<()> {
    match read {
        Ok(_) | Err(nix::Error::EAGAIN | nix::Error::EINTR) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns a time as alarms take it. It is not zero, which would switch the alarm off, and it is at
/// most 34,000 years. The system's seconds are signed, and this leaves room for a library that
/// shows this process a different time and adds the difference.
fn moment(time: Duration) -> TimeSpec {
    const LAST: Duration = Duration::from_secs(1 << 40);
    TimeSpec::from(time.clamp(Duration::from_nanos(1), LAST))
}
