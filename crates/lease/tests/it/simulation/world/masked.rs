//! Worlds whose store loses data unnoticed, after which holders come and go before the others send
//! their next request. Some lose it again while the realm pauses because of that.

use core::num::NonZeroU32;

use tickid_core::Clock as _;
use tickid_lease::backend::{Backup, RowState};
use tickid_lease::session::Outcome;
use tickid_lease::{Lease, StoreError};

use super::{SECOND, STEPS, World, work};
use crate::simulation::bug::Bug;
use crate::simulation::holder::{Holder, Message};
use crate::simulation::network::pick;
use crate::simulation::watch::Counts;
use crate::subjects::LeasedScheme;

/// The events besides the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// Holders that live at the loss live on, and issue as fast as they can.
    Calm,
    /// They crash, are shut down and stand still, clocks step, and the pool changes.
    Rough,
}

/// The data that is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lost {
    #[default]
    SomeRows,
    AllRows,
    RowsAndRecord,
    /// A backup of everything is restored.
    Snapshot,
    /// A backup of the rows is restored, under the present record.
    OldRows,
    /// A backup of everything is restored, and again before the realm starts anew.
    SnapshotTwice,
}

const LOST: [Lost; 6] = [
    Lost::SomeRows,
    Lost::AllRows,
    Lost::RowsAndRecord,
    Lost::Snapshot,
    Lost::OldRows,
    Lost::SnapshotTwice,
];

/// A loss that the store has not noticed.
pub(super) struct Unnoticed {
    /// The record's floor before it, and the highest one since.
    floor: u64,
    /// The processes whose lease the store forgot, or has as it was before.
    victims: Vec<(u64, Lease)>,
    /// A victim heard that its lease was lost before its window had ended, by the store's clock.
    is_heard: bool,
    /// The second loss of the same backup: the processes that had seen the era of the discovery,
    /// and the number of the last request before it.
    again: Option<(Vec<u64>, u64)>,
}

/// The consequences of a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Masked {
    pub(crate) lost: Lost,
    /// The data was lost a second time.
    pub(crate) is_second: bool,
    pub(crate) has_victims: bool,
    /// A victim heard of it in time.
    pub(crate) is_heard: bool,
    /// The number of invalidations since.
    pub(crate) invalidations: u64,
    pub(crate) counts: Counts,
}

impl<S: LeasedScheme> World<S> {
    /// Runs a world with one loss. Returns the violated invariant as an error: after the discovery
    /// there must be none.
    pub(crate) fn run_masked(seed: u64, life: Life, bug: Option<Bug>) -> Result<Masked, String> {
        let mut world = Self::new(seed, bug);
        (world.life, world.is_masked, world.store_forgets) = (life, true, true);
        let at = 60 + pick(&mut world.dice, 200);
        let backup_at = pick(&mut world.dice, at);
        let mut masked = Masked::default();
        for step in 0..STEPS as usize {
            if step == backup_at {
                world.backup = Some(world.backend.memory().back_up());
            }
            if step == at {
                masked.lost = world.lose_unnoticed()?;
            }
            world.step().map_err(|violation| format!("{violation} (step {step})"))?;
            masked.invalidations += u64::from(world.look_at_floor());
            if masked.lost == Lost::SnapshotTwice
                && (masked.is_second, masked.invalidations) == (false, 1)
                && world.lose_again()?
            {
                (masked.is_second, masked.invalidations) = (true, 0);
            }
        }
        if let Some(Unnoticed { victims, is_heard, again, .. }) = &world.loss {
            let has_victims =
                again.as_ref().map_or(!victims.is_empty(), |(seen, _)| !seen.is_empty());
            (masked.has_victims, masked.is_heard) = (has_victims, *is_heard);
        }
        Ok(Masked { counts: world.watch.counts, ..masked })
    }

    /// Reports whether the realm was invalidated since the last look.
    fn look_at_floor(&mut self) -> bool {
        let record = self.backend.view(self.realm.name()).record;
        let Some((loss, (record, _))) = self.loss.as_mut().zip(record) else { return false };
        let is_higher = record.floor > loss.floor;
        if is_higher {
            loss.floor = record.floor;
            let now = self.store_clock.now().unwrap();
            self.watch.discovered_at.get_or_insert(now);
        }
        is_higher
    }

    fn lose_unnoticed(&mut self) -> Result<Lost, String> {
        let name = self.realm.name().clone();
        let before = self.backend.view(&name);
        let memory = self.backend.memory().clone();
        let lost = LOST[pick(&mut self.dice, LOST.len())];
        match lost {
            Lost::SomeRows | Lost::AllRows => {
                for &node in before.rows.keys() {
                    if lost == Lost::AllRows || self.dice.below(2) == 0 {
                        memory.set_row(&name, node, None);
                    }
                }
            }
            Lost::RowsAndRecord => memory.restore(Backup::default()),
            Lost::Snapshot | Lost::SnapshotTwice => {
                memory.restore(self.backup.clone().unwrap_or_default())
            }
            Lost::OldRows => {
                let now = memory.back_up();
                memory.restore(self.backup.clone().unwrap_or_default());
                let old = self.backend.view(&name).rows;
                memory.restore(now);
                for &node in before.rows.keys() {
                    memory.set_row(&name, node, old.get(&node).cloned());
                }
            }
        }
        self.backend.forget_replica();
        let after = self.backend.view(&name);
        let is_victim = |lease: &Lease| {
            let version = after.rows.get(&lease.node).and_then(RowState::version);
            after.record.is_none() || version.is_none_or(|version| version < lease.version)
        };
        let leases = self.holders.iter().filter_map(|one| Some((one.id, *one.lease()?)));
        let victims = leases.filter(|(_, lease)| is_victim(lease)).collect();
        let floor = before.record.map_or(0, |(record, _)| record.floor);
        self.loss = Some(Unnoticed { floor, victims, is_heard: false, again: None });
        self.watch.counts_only = true;
        self.others_come_and_go()?;
        Ok(lost)
    }

    /// Restores the same backup once more, perhaps, while the realm that was invalidated because of
    /// the first loss has not started yet: once no holder has a lease, whose renewal would show it.
    fn lose_again(&mut self) -> Result<bool, String> {
        let name = self.realm.name().clone();
        let now = self.realm.tick_at(self.store_clock.now().unwrap()).unwrap();
        let floor = self.backend.view(&name).record.map_or(0, |(record, _)| record.floor);
        let has_lease = self.holders.iter().any(|holder| holder.lease().is_some());
        if has_lease || floor <= now || self.dice.below(2) != 0 {
            return Ok(false);
        }
        self.backend.memory().restore(self.backup.clone().unwrap_or_default());
        self.backend.forget_replica();
        let record = self.backend.view(&name).record;
        // A realm that is created anew has no era to show.
        let (floor, era) = record.map_or((0, 0), |(record, _)| (record.floor, record.era));
        let has_seen = |holder: &&Holder<S>| holder.seen_era > Some(era);
        let seen = self.holders.iter().filter(has_seen).map(|holder| holder.id).collect();
        let again = Some((seen, self.asked));
        self.loss = Some(Unnoticed { floor, victims: Vec::new(), is_heard: false, again });
        self.watch.discovered_at = None;
        self.others_come_and_go()?;
        Ok(true)
    }

    /// Up to five holders come and go at once.
    fn others_come_and_go(&mut self) -> Result<(), String> {
        for _ in 0..self.dice.below(6) {
            self.come_and_go()?;
            if self.dice.below(3) == 0 {
                let micros = self.dice.within(0..SECOND / 3);
                self.advance(micros);
            }
        }
        Ok(())
    }

    /// A holder starts, issues a few IDs and ends, or crashes.
    fn come_and_go(&mut self) -> Result<(), String> {
        let mut holder = self.born(200);
        holder.clock.set(self.time + self.dice.within(-5_000..5_000));
        self.asked += 1;
        let (time, number, bug) = (self.time, self.asked, self.bug);
        let asked = holder.ask(&mut self.dice, &mut self.watch, time, number, bug)?;
        let Some(answer) = asked.and_then(|message| self.carry_out(&holder, message)) else {
            return Ok(());
        };
        holder.hear(&mut self.watch, time, number, answer, bug)?;
        for _ in 0..self.dice.below(3) {
            let want = NonZeroU32::new(self.dice.count(8)).unwrap();
            holder.issue(&mut self.watch, want)?;
        }
        if self.dice.below(8) != 0
            && let Some((lease, used)) = holder.close(&mut self.watch, bug)
        {
            let _ = self.carry_out(&holder, Message::Release(lease, used));
        }
        Ok(())
    }

    /// Carries out a message with nothing in between.
    fn carry_out(&self, holder: &Holder<S>, message: Message) -> Option<Result<Lease, StoreError>> {
        let (backend, store) = (self.backend.clone(), self.store.clone());
        let work = work(backend, store, holder.realm().clone(), message, self.bug);
        self.atomically(work).transpose()
    }

    /// Notes that a process heard that its lease is lost, or after a second loss, that it had an
    /// answer from the store.
    pub(super) fn note_heard(&mut self, index: usize, number: u64, outcome: &Outcome) {
        let Some(loss) = &mut self.loss else { return };
        let now = self.store_clock.now().unwrap();
        let (now, id) = (self.realm.tick_at(now).unwrap(), self.holders[index].id);
        loss.is_heard |= match (&loss.again, outcome) {
            (Some((seen, last)), Outcome::Acquired(_)) => *last < number && seen.contains(&id),
            (Some((seen, last)), Outcome::Failed(error)) => {
                *last < number && seen.contains(&id) && error.refusal().is_some()
            }
            (None, Outcome::Lost(_)) => {
                let is_early =
                    |(victim, lease): &(u64, Lease)| *victim == id && now < lease.ceiling;
                loss.victims.iter().any(is_early)
            }
            _ => false,
        };
    }
}
