//! IDs for times that have passed.

use crate::engine::Rules;
use crate::error::ClockError;
#[cfg(feature = "std")]
use crate::fork::Process;
use crate::range::RangeError;
use crate::scheme::{Id, Scheme, Variant};
use crate::slot::{Prefix, Slot};
use crate::snapshot::Snapshot;
use crate::tick::Tick;
use crate::time::UnixTime;
use crate::variant::Variants;
use crate::window::Window;

/// A generator of IDs for times that have passed, such as the times at which the rows of a table
/// were created.
///
/// The times are given in ascending order, and the IDs strictly increase (for sno, those of one
/// metabyte). A tick has only so many sequences. If more rows than that have the same time,
/// [`spill`](Self::spill) says how far their IDs may go into the ticks after it. sno's tick-tock
/// bit stays off, because nothing goes back. In the child of a `fork` it issues nothing, whatever
/// the builder's clock was, because the child would repeat its parent's IDs.
///
/// Nothing else may ever issue IDs with the same node in its window. So choose a node that never
/// was in a pool of leased nodes, because the pool's holders may have been granted the ticks that
/// you backfill. The window ends before the present, so a generator may take the node from now on
/// and still issue different IDs, as long as its clock is right.
///
/// [`Builder::build_backfill`](crate::Builder::build_backfill) makes it. If a run is interrupted,
/// the next one continues from the [`snapshot`](Self::snapshot), so that no ID comes twice.
///
/// # Examples
/// ```
/// use tickid_core::{Builder, Tick, UnixTime, Window, example};
///
/// // All seconds until November 2023, which are over.
/// let window = Window::new(Tick::new(0)?, 1_700_000_000)?;
/// let builder = || Builder::of(example::Seconds, example::Node(5)).window(window);
/// let mut backfill = builder().build_backfill()?;
/// let created_at = [100_200, 100_900, 107_000];
/// let times = created_at.map(UnixTime::from_millis);
/// let ids = times.map(|time| Ok(backfill.generate(time?)?));
/// let ids = ids.into_iter().collect::<Result<Vec<u64>, Box<dyn std::error::Error>>>()?;
/// assert_eq!(ids.iter().map(|id| (id >> 17, id & 0xff)).collect::<Vec<_>>(), [
///     (100, 0), (100, 1), (107, 0), // second and sequence
/// ]);
///
/// // Times ascend.
/// let error = backfill.generate(UnixTime::from_millis(106_000)?).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "1970-01-01T00:01:46Z is before 1970-01-01T00:01:47Z, and times ascend",
/// );
///
/// // The rest of the table, in another run.
/// let mut rest = builder().restore(backfill.snapshot()).build_backfill()?;
/// assert_eq!(rest.generate(UnixTime::from_millis(107_000)?)? & 0xff, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Backfill<S: Scheme> {
    rules: Rules<S>,
    /// One past the last tick that may be issued.
    end: u64,
    spill: u64,
    /// The last time that got an ID.
    last: Option<UnixTime>,
    /// The tick of the last ID. Below the window's floor, there was none.
    tick: Option<u64>,
    /// The next sequence of that tick.
    next: u64,
    /// The bits that the IDs of that tick share.
    prefix: Prefix,
    /// The number of times that earlier runs flipped the toggle, and that it takes to turn it off.
    drifts: u32,
    /// The highest tick that earlier runs issued with the toggle set.
    toggled: Option<Tick<S>>,
    #[cfg(feature = "std")]
    home: Process,
}

impl<S: Scheme> Backfill<S> {
    pub(crate) fn new(rules: Rules<S>, window: Window<S>) -> Self {
        Self {
            end: window.ceiling().min(rules.scheme.last_tick() + 1),
            rules,
            spill: 0,
            last: None,
            tick: None,
            next: 0,
            prefix: Prefix::EMPTY,
            drifts: 0,
            toggled: None,
            #[cfg(feature = "std")]
            home: Process::this(),
        }
    }

    /// Continues from the snapshot of an earlier run, as [`Builder::restore`] before
    /// [`build_backfill`] does. It never goes back, so a snapshot from before the IDs that were
    /// issued already changes nothing.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a sequence outside of the generator's bounds.
    ///
    /// [`Builder::restore`]: crate::Builder::restore
    /// [`build_backfill`]: crate::Builder::build_backfill
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Builder, Snapshot, Tick, UnixTime, Window, example};
    ///
    /// let window = Window::new(Tick::new(0)?, 1_000)?;
    /// let backfill = Builder::of(example::Seconds, example::Node(5)).window(window);
    /// let mut backfill = backfill.build_backfill()?.resume(Snapshot::at(Tick::new(100)?, 7))?;
    /// assert_eq!(backfill.generate(UnixTime::from_millis(100_000)?)? & 0xff, 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resume(mut self, snapshot: Snapshot<S>) -> Result<Self, RangeError> {
        let is_toggled = S::TOGGLE && snapshot.drifts % 2 == 1;
        let used_up = u64::from(self.rules.bounds.last()) + 1;
        let own = match snapshot.tick {
            Some(tick) => {
                let (lowest, next) = (self.rules.bounds.lowest().into(), snapshot.next_sequence);
                if !(lowest..=used_up).contains(&next.into()) {
                    let (lowest, end) = (lowest.into(), used_up.into());
                    return Err(RangeError::new("next sequence", next.into(), lowest, end));
                }
                // The sequence counts only where no ID of the tick has the toggle set, because
                // nobody knows how far the tick was used under the toggle that was left.
                let is_known = !is_toggled && snapshot.other_past < Some(tick);
                Some((tick, if is_known { next.into() } else { used_up }))
            }
            None => None,
        };
        let other = snapshot.other_past.map(|tick| (tick, used_up));
        if let Some((tick, next)) = own.max(other)
            && (self.tick, self.next) < (Some(tick.get()), next)
        {
            self.place(tick, next);
        }
        let toggled = if is_toggled { snapshot.tick } else { snapshot.other_past };
        self.toggled = self.toggled.max(toggled);
        self.drifts = self.drifts.max(snapshot.drifts.wrapping_add(is_toggled.into()));
        Ok(self)
    }

    /// Lets a time whose tick is used up take IDs of up to `ticks` ticks after it. By default it
    /// may not, because such an ID shows a later time than its row has, and the call returns an
    /// error that names the tick.
    ///
    /// IDs of later times still follow, because a tick that has been left is never entered again.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Builder, Tick, UnixTime, Window, example};
    ///
    /// let window = Window::new(Tick::new(0)?, 1_000)?;
    /// let builder = || Builder::of(example::Seconds, example::Node(5)).window(window);
    /// let time = UnixTime::from_millis(100_000)?;
    ///
    /// let mut backfill = builder().build_backfill()?;
    /// for _ in 0..256 {
    ///     backfill.generate(time)?; // all of the second
    /// }
    /// let error = backfill.generate(time).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "all IDs of tick 100, at 1970-01-01T00:01:40Z, and of 0 after it are used up",
    /// );
    ///
    /// let mut backfill = builder().build_backfill()?.spill(1);
    /// for _ in 0..512 {
    ///     backfill.generate(time)?;
    /// }
    /// assert!(backfill.generate(time).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn spill(self, ticks: u64) -> Self {
        Self { spill: ticks, ..self }
    }

    /// Returns an ID for `time`, which must not be before the times of earlier calls. The ID shows
    /// the start of the tick that contains `time`.
    ///
    /// # Errors
    /// Returns a [`BackfillError`], and changes nothing.
    pub fn generate(&mut self, time: UnixTime) -> Result<Id<S>, BackfillError> {
        self.generate_as(S::Variant::default(), time)
    }

    /// Does the same for an ID of a given variant, such as sno's metabyte.
    ///
    /// # Errors
    /// Returns a [`BackfillError`], and changes nothing.
    pub fn generate_as<V: Variant<S>>(
        &mut self,
        variant: V,
        time: UnixTime,
    ) -> Result<V::Id, BackfillError> {
        // Refuse whatever cannot get an ID before anything changes.
        #[cfg(feature = "std")]
        if !self.home.is_this() {
            return Err(BackfillError::Forked);
        }
        if S::HAS_NODELESS_IDS && !self.rules.variants.contains(variant.has_node()) {
            return Err(BackfillError::Variant(self.rules.variants));
        }
        if let Some(last) = self.last.filter(|last| time < *last) {
            return Err(BackfillError::Descending { time, last });
        }
        // Only inside of the window has the caller promised that nothing else has the node.
        let own = self.rules.scheme.tick_at(time)?;
        let floor = self.rules.floor - 1;
        if !(floor..self.end).contains(&own.get()) {
            let [from, until] =
                [floor, self.end].map(|tick| self.rules.scheme.scale().time_of(tick));
            return Err(BackfillError::Window { time, from, until });
        }
        let reach = own.get().saturating_add(self.spill).min(self.end - 1);
        // Ascending times never leave the last tick out of reach, but a snapshot may be later.
        if let Some(tick) = self.tick.filter(|tick| *tick > reach) {
            let last = self.rules.scheme.scale().time_of(tick);
            return Err(BackfillError::Descending { time, last });
        }
        // The last tick may be ahead of the time, if it spilled.
        let (tick, next) = match self.tick {
            Some(tick) if tick >= own.get() && !self.is_used_up() => (tick, self.next),
            Some(tick) if tick >= own.get() => (tick + 1, self.start(tick + 1)?),
            _ => (own.get(), self.start(own.get())?),
        };
        if tick > reach {
            let (tick, time) = (own.get(), self.rules.scheme.time_of(own));
            return Err(BackfillError::UsedUp { tick, time, spill: reach - tick });
        }
        self.place(Tick::in_range(tick), next + 1);
        self.last = Some(time);
        #[allow(clippy::cast_possible_truncation, reason = "within the bounds")]
        let slot = Slot::of(self.prefix, next as u32);
        Ok(variant.id(&self.rules.scheme, slot))
    }

    /// Returns the state that the next run continues from, be it a backfill or a generator. What
    /// earlier runs did under the other toggle is in it as well.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<S> {
        let snapshot = match self.tick {
            #[allow(clippy::cast_possible_truncation, reason = "one past a u32 bound at most")]
            Some(tick) => Snapshot::at(Tick::in_range(tick), self.next as u32),
            None => Snapshot::EMPTY,
        };
        snapshot.with_drifts(self.drifts, self.toggled)
    }

    /// Reports whether the last tick has no sequence left.
    fn is_used_up(&self) -> bool {
        self.next > self.rules.bounds.last().into()
    }

    /// Returns the first sequence of a tick.
    fn start(&self, tick: u64) -> Result<u64, BackfillError> {
        let start = self.rules.start.start(tick, self.rules.bounds);
        Ok(self.rules.bounds.check(start)?.into())
    }

    /// Continues in a tick with a sequence.
    fn place(&mut self, tick: Tick<S>, next: u64) {
        if self.tick != Some(tick.get()) {
            self.prefix = self.rules.scheme.prefix(&self.rules.node, tick, false);
        }
        (self.tick, self.next) = (Some(tick.get()), next);
    }
}

/// The reason why a [`Backfill`] has no ID for a time. The call has changed nothing, so the next
/// one may pass a different time.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackfillError {
    /// The time is before an earlier one.
    #[error("{time} is before {last}, and times ascend")]
    Descending {
        /// The time.
        time: UnixTime,
        /// The last time before it, or that of the snapshot.
        last: UnixTime,
    },
    /// The time is outside of the window.
    #[error("{time} is outside of the window, which is from {from} to before {until}")]
    Window {
        /// The time.
        time: UnixTime,
        /// The start of the window's first tick.
        from: UnixTime,
        /// The start of the first tick after it.
        until: UnixTime,
    },
    /// All sequences of the time's tick are used up, and so are those of the ticks that it may
    /// [spill into](Backfill::spill).
    #[error("all IDs of tick {tick}, at {time}, and of {spill} after it are used up")]
    UsedUp {
        /// The tick.
        tick: u64,
        /// Its start.
        time: UnixTime,
        /// The number of ticks after it that may be used.
        spill: u64,
    },
    /// The scheme has no tick for the time, or the rule for starts returned one outside of the
    /// bounds.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// The generator issues only these variants of IDs, and the call asked for a different one.
    #[error("another variant was asked for than {0}")]
    Variant(Variants),
    /// The generator belongs to the process that this one was forked from. Build a new one in the
    /// child, with a different node.
    #[error("{}", ClockError::Forked)]
    Forked,
}

crate::debug_error! {
    enum BackfillError {
        Descending { time, last }, Window { time, from, until }, UsedUp { tick, time, spill },
        Range(error), Variant(variants), Forked,
    }
}
