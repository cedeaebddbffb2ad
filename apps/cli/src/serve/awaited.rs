//! Realms whose store is not ready when the server starts. Machines start in any order.

use core::time::Duration;
use std::thread;
use std::time::Instant;

use tickid_core::TickStart;
use tickid_lease::{RealmSpec, Store};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::realm::ServedRealm;
use crate::failure::Failure;
use crate::options::policy::GivenPolicy;

/// The time between two requests. Servers are few, so they need no random pauses.
const PAUSE: Duration = Duration::from_secs(1);
/// The time between two warnings.
const REMINDER: Duration = Duration::from_secs(60);

/// A realm to read from the store, or to create in it.
#[derive(Clone, Debug)]
pub(super) struct WantedRealm {
    pub(super) realm: ServedRealm,
    pub(super) policy: Option<GivenPolicy>,
    pub(super) start: Option<TickStart>,
}

/// What came of a realm that was awaited.
pub(super) type Found = Result<RealmSpec, Failure>;

impl WantedRealm {
    fn read(&self, store: &Store) -> Found {
        self.realm.spec(store, self.policy, self.start)
    }
}

/// Reads each realm once. Returns those that the store has, and those to await, each with why.
///
/// # Errors
/// Returns the first failure that does not pass by itself.
#[expect(clippy::type_complexity, reason = "two lists")]
pub(super) fn read(
    store: &Store,
    wanted: Vec<WantedRealm>,
) -> Result<(Vec<RealmSpec>, Vec<(WantedRealm, String)>), Failure> {
    let (mut known, mut awaited) = (Vec::new(), Vec::<(WantedRealm, String)>::new());
    for realm in wanted {
        // A silent store would take another timeout for each realm, and nothing listens meanwhile.
        if let Some((_, why)) = awaited.last() {
            let why = why.clone();
            awaited.push((realm, why));
            continue;
        }
        match realm.read(store) {
            Ok(spec) => known.push(spec),
            Err(failure) if failure.passes() => awaited.push((realm, failure.to_string())),
            Err(failure) => return Err(failure),
        }
    }
    Ok((known, awaited))
}

/// Reads realms again and again, in a thread of its own that ends with the process, and sends what
/// comes of each.
pub(super) fn keep_reading(
    store: Store,
    mut awaited: Vec<(WantedRealm, String)>,
) -> Result<UnboundedReceiver<Found>, Failure> {
    let (sender, receiver) = unbounded_channel();
    let read = move || {
        let mut reminder = Reminder::default();
        loop {
            if let Some((_, error)) = awaited.last()
                && reminder.is_due(Instant::now())
            {
                let realms: Vec<&str> =
                    awaited.iter().map(|(wanted, _)| wanted.realm.name().as_str()).collect();
                let (realms, endpoint) = (realms.join(","), store.endpoint());
                tracing::warn!(realms, endpoint, error, "the store is not ready, and is awaited");
            }
            thread::sleep(PAUSE);
            awaited.retain_mut(|(wanted, why)| stays(wanted.read(&store), why, &sender));
            if awaited.is_empty() || sender.is_closed() {
                return;
            }
        }
    };
    let thread = thread::Builder::new().name("tickid-serve-start".to_owned());
    thread.spawn(read).map_err(Failure::Runtime)?;
    Ok(receiver)
}

/// Sends what came of a realm, unless it stays awaited.
fn stays(found: Found, why: &mut String, sender: &UnboundedSender<Found>) -> bool {
    match found {
        Err(failure) if failure.passes() => {
            *why = failure.to_string();
            true
        }
        found => {
            // Nobody is left to take it when the server stops.
            let _ = sender.send(found);
            false
        }
    }
}

/// Reminds at once, and then each minute.
#[derive(Debug, Default)]
struct Reminder(Option<Instant>);

impl Reminder {
    fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.0.is_none_or(|last| now >= last + REMINDER);
        if is_due {
            self.0 = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_awaited_store_is_named_at_once_and_each_minute() {
        let (start, mut reminder) = (Instant::now(), Reminder::default());
        let due = (0..200).filter(|&second| reminder.is_due(start + Duration::from_secs(second)));
        assert_eq!(Vec::from_iter(due), [0, 60, 120, 180]);
    }
}
