//! A generator for as long as it has one lease.

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use tickid_core::{Clock, DefaultClock, Error, Generator, RangeError, Scheme, UnixTime, Window};

use crate::holder::builder::LeasedGeneratorBuilder;
use crate::holder::engine::Engine;
use crate::holder::error::LeaseError;
use crate::model::lease::Lease;
use crate::model::record::Version;
use crate::model::token::Token;
use crate::realm::{Realm, builder_of};

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
    is_over: AtomicBool,
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
        let Realm { scheme, spec } = &builder.realm;
        let node = spec.pool().node_at(0);
        let empty = builder_of(*scheme, spec, node, Window::ALL);
        let generator = builder.engine.build(empty, (builder.clock)())?;
        generator.close();
        // No store granted this.
        let lease = Lease {
            realm: spec.name().id(),
            node,
            token: Token::from_bits(0),
            floor: 0,
            ceiling: 0,
            era: 0,
            version: Version(0),
            granted_at: UnixTime::EPOCH,
            terms: spec.terms(),
        };
        Ok(Self { generator, lease, is_over: AtomicBool::new(true) })
    }

    /// Reports whether a call or the thread has found that the lease is over.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        // Relaxed: a thread that does not see it yet finds the generator closed.
        self.is_over.load(Ordering::Relaxed)
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

impl<S: Scheme, C: Clock> Engine for ActiveLease<S, C> {
    fn is_over(&self) -> bool {
        self.is_over()
    }

    fn set_over(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn now(&self) -> Option<UnixTime> {
        self.generator.clock().now().ok()
    }

    fn check_ready(&self) -> Result<(), Error> {
        self.generator.check_ready()
    }

    fn ends_at(&self) -> UnixTime {
        self.generator.settings().scale().time_of(self.generator.state().window.ceiling())
    }

    fn is_closed(&self) -> bool {
        self.generator.state().is_closed
    }

    fn widen(&self, ceiling: u64) -> Result<(), RangeError> {
        self.generator.widen(ceiling)
    }

    fn close(&self) -> Option<u64> {
        self.generator.close().highest_tick().map(|tick| tick.get())
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
