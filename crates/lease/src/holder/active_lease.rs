//! A generator for as long as it has one lease.

use core::fmt;
use core::sync::atomic::AtomicBool;
use core::time::Duration;

use tickid_core::{
    Clock, DefaultClock, ErrorKind, Generator, Scheme, StallReason, UnixTime, Window,
};

use crate::holder::builder::{HolderOptions, LeasedGeneratorBuilder};
use crate::holder::error::LeaseError;
use crate::model::lease::Lease;
use crate::model::record::Version;
use crate::model::token::Token;

/// One lease and its generator, which is closed when the lease ends.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use tickid_core::AnyNode;
/// use tickid_lease::{LeasedGenerator, Store};
///
/// let leased = LeasedGenerator::start(Store::in_memory(), realm)?;
/// let active = leased.active_lease().ok_or("no lease")?;
/// let mut handle = active.generator().handle(); // for a thread that draws many
/// let id = handle.try_generate()?;
/// assert_eq!(AnyNode::of(&id.partition())?, active.lease().node);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ActiveLease<S: Scheme, C = DefaultClock> {
    generator: Generator<S, C>,
    lease: Lease,
    /// Set once a call has found the generator closed.
    pub(super) is_over: AtomicBool,
}

impl<S: Scheme, C> ActiveLease<S, C> {
    pub(super) fn new(generator: Generator<S, C>, lease: Lease) -> Self {
        Self { generator, lease, is_over: AtomicBool::new(false) }
    }

    /// Returns a lease that is over, with a closed generator of the realm, for a leased generator
    /// that starts without a lease. Its fast path then needs no check for that.
    pub(super) fn over(builder: &LeasedGeneratorBuilder<S, C>) -> Result<Self, LeaseError>
    where
        C: Clock,
    {
        let HolderOptions { realm, .. } = &builder.options;
        let node = realm.pool().node_at(0);
        let empty = realm.builder_of(node, Window::ALL);
        let generator = builder.options.build(empty, (builder.clock)())?;
        generator.close();
        // No store granted this.
        let lease = Lease {
            realm: realm.name().id(),
            node,
            token: Token::from_bits(0),
            floor: 0,
            ceiling: 0,
            era: 0,
            version: Version(0),
            granted_at: UnixTime::EPOCH,
        };
        Ok(Self { generator, lease, is_over: AtomicBool::new(true) })
    }

    /// Returns the generator.
    #[must_use]
    pub fn generator(&self) -> &Generator<S, C> {
        &self.generator
    }

    /// Returns the lease as it was granted. Its window may have been widened since, and
    /// [`LeaseState::lease`](crate::LeaseState::lease) has the present ceiling.
    #[must_use]
    pub fn lease(&self) -> &Lease {
        &self.lease
    }
}

impl<S: Scheme, C: Clock> ActiveLease<S, C> {
    /// Returns the time until the window ends; zero if the generator cannot issue.
    pub(super) fn window_left(&self) -> Duration {
        let is_ready = match self.generator.check_ready() {
            Ok(()) => true,
            Err(error) => error.kind() == ErrorKind::Stalled(StallReason::TickUsedUp),
        };
        match self.generator.clock().now() {
            Ok(now) if is_ready => {
                let ceiling = self.generator.state().window.ceiling();
                self.generator.layout().scale().time_of(ceiling).saturating_since(now)
            }
            _ => Duration::ZERO,
        }
    }

    /// Returns the time until the generator's clock has caught up with the window and the last ID.
    pub(super) fn stall(&self) -> Duration {
        match self.generator.check_ready() {
            Err(error) if error.kind() == ErrorKind::Stalled(StallReason::ClockBehind) => {
                error.retry_after().unwrap_or(Duration::ZERO)
            }
            _ => Duration::ZERO,
        }
    }
}

impl<S: Scheme, C: fmt::Debug> fmt::Debug for ActiveLease<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActiveLease")
            .field("generator", &self.generator)
            .field("lease", &self.lease)
            .finish()
    }
}
