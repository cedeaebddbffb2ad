//! Waiting for a lease and for an ID.

use core::time::Duration;
use std::time::Instant;

use crate::holder::wait_reason::WaitReason;

/// The wait of a [`LeasedGenerator`](crate::LeasedGenerator) that cannot issue now, with its reason
/// and its times.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::session::WaitReason;
/// use tickid_lease::{LeasedGenerator, Realm, Store};
/// use tickid_sno::Sno;
///
/// let realm = Realm::builder("orders", Sno).pool("42/16").build()?;
/// let store = Store::in_memory();
/// let first = LeasedGenerator::start(store.clone(), realm.clone())?;
///
/// let second = LeasedGenerator::start_pending(store, realm)?; // the pool has one node
/// assert!(second.first_lease().is_err());
/// let wait = second.state().wait.ok_or("there is a lease")?;
/// assert_eq!(wait.reason, WaitReason::NoFreeNode);
/// println!("{} for {:?}", wait.reason, wait.since.elapsed());
///
/// first.shut_down()?;
/// second.wait_ready(Duration::from_secs(30))?;
/// second.generate()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// The reason.
    pub reason: WaitReason,
    /// The start of the wait. Without a lease, that is when the generator started or its last lease
    /// ended. After the end of a window it is the first failed renewal, and otherwise the call that
    /// could not issue.
    pub since: Instant,
    /// The end of the wait, if a clock determines it. If that clock is set in the meantime, the
    /// wait ends earlier or later.
    pub until: Option<Instant>,
}

impl Wait {
    /// Returns the time that is left, if it is known.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// Reports whether it makes sense to wait for up to `left`. It does not if the wait is known to
    /// take longer, or if the store refuses a lease, which only an operator can end.
    #[must_use]
    pub fn helps(&self, left: Duration) -> bool {
        let ends_in_time = self.retry_after().is_none_or(|rest| rest <= left);
        !left.is_zero() && ends_in_time && !self.reason.is_final()
    }
}
