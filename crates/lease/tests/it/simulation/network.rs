//! A network that delays, loses and repeats.

use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use tickid_lease::{Lease, StoreError};
use tickid_testkit::Dice;

/// The work of a request at the store.
pub(crate) type Work = Pin<Box<dyn Future<Output = Result<Option<Lease>, StoreError>> + Send>>;

/// The recipient of a reply: the holder, and the number of its request.
pub(crate) type Address = (usize, u64);

/// Requests on their way, at the store, and replies on their way back.
#[derive(Default)]
pub(crate) struct Network {
    requests: Vec<(i64, Address, Work)>,
    works: Vec<(Address, Work)>,
    replies: Vec<(i64, Address, Result<Option<Lease>, StoreError>)>,
    /// Nothing gets through before this time.
    pub(crate) down_until: i64,
}

/// Draws a message's delay in microseconds; `None` for one that is lost.
fn delay(dice: &mut Dice) -> Option<i64> {
    match dice.below(20) {
        0 => None,
        1..=15 => Some(dice.within(0..20_000)),
        16..=18 => Some(dice.within(0..2_000_000)),
        _ => Some(dice.within(0..40_000_000)),
    }
}

impl Network {
    /// Sends a request once, not at all, or twice, the second time perhaps much later.
    pub(crate) fn send(
        &mut self,
        dice: &mut Dice,
        now: i64,
        from: Address,
        work: impl Fn() -> Work,
    ) {
        if let Some(delay) = delay(dice) {
            self.requests.push((now + delay, from, work()));
        }
        if dice.below(6) == 0 {
            let late = dice.within(0..40_000_000);
            self.requests.push((now + late, from, work()));
        }
    }

    /// Lets the store accept the requests that have arrived, and advance one of its accepted
    /// requests by a step.
    pub(crate) fn work(&mut self, dice: &mut Dice, now: i64) {
        let is_down = now < self.down_until;
        let arrived: Vec<_> = self.requests.extract_if(.., |(due, ..)| *due <= now).collect();
        if is_down {
            // The store completes neither its accepted requests nor the ones that arrived
            // meanwhile.
            self.works.clear();
            return;
        }
        self.works.extend(arrived.into_iter().map(|(_, from, work)| (from, work)));
        if self.works.is_empty() {
            return;
        }
        let index = pick(dice, self.works.len());
        let (from, work) = &mut self.works[index];
        let from = *from;
        if let Poll::Ready(answer) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            drop(self.works.swap_remove(index));
            if let Some(delay) = delay(dice) {
                self.replies.push((now + delay, from, answer));
            }
        }
    }

    /// Keeps a reply for later.
    pub(crate) fn keep(
        &mut self,
        until: i64,
        to: Address,
        answer: Result<Option<Lease>, StoreError>,
    ) {
        self.replies.push((until, to, answer));
    }

    /// Returns the replies that arrive now.
    pub(crate) fn arrived(
        &mut self,
        now: i64,
    ) -> Vec<(Address, Result<Option<Lease>, StoreError>)> {
        let arrived = self.replies.extract_if(.., |(due, ..)| *due <= now);
        arrived.map(|(_, to, answer)| (to, answer)).collect()
    }
}

/// Returns a random index below `len`.
pub(crate) fn pick(dice: &mut Dice, len: usize) -> usize {
    usize::try_from(dice.below(len as u64)).unwrap()
}
