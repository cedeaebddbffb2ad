//! The realms of a server.

mod id;
mod issuer;

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwapOption;
use tickid_convert::AnyScheme;
use tickid_lease::admin::{RealmName, Refusal};
use tickid_lease::{GenerateError, LeaseState, RealmSpec, Store, StoreError};
use tokio::time::Instant;

pub(crate) use self::id::{Format, Framing};
pub(crate) use self::issuer::Order;
use self::issuer::{HasMeta, Issuer, Start, StartError, scheme_of};
use crate::error::{RealmProblem, ServerError};
use crate::metrics::{Protocol, RealmMetrics};
use crate::shared::Warnings;

/// The pause between two looks at a generator that cannot say when it will issue again.
const PAUSE: Duration = Duration::from_millis(20);
/// The longest pause between two attempts to acquire a first lease.
const MAX_RETRY: Duration = Duration::from_secs(5);
/// Shorter waits give way to other tasks until they are over: the timer has a resolution of a
/// millisecond, as long as a tick of Nanoflake.
const TIMER: Duration = Duration::from_millis(2);

/// A realm and its generator.
#[derive(Debug)]
pub(crate) struct Realm {
    spec: RealmSpec,
    scheme: AnyScheme,
    /// Empty until the first lease was acquired, and once the server stops.
    issuer: ArcSwapOption<Box<dyn Issuer>>,
    /// The reason that it is empty.
    trouble: Mutex<Option<Trouble>>,
    pub(crate) metrics: RealmMetrics,
    /// About the first lease.
    warnings: Warnings,
}

/// The reason why the lease is missing.
#[derive(Clone, Debug)]
struct Trouble {
    reason: String,
    /// The earliest time of a lease, if the store has named it.
    earliest: Option<Instant>,
}

/// The reason that no ID was issued.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IssueError {
    #[error("the scheme {scheme} has no metabyte")]
    NoMeta { scheme: &'static str },
    #[error("IDs of the realm {realm} have {size} bytes and no form as an integer of 64 bits")]
    NoInteger { realm: RealmName, size: usize },
    /// It may succeed after the given time.
    #[error("{reason}")]
    Later { reason: String, retry_after: Duration },
}

impl Realm {
    pub(crate) fn new(spec: RealmSpec) -> Result<Self, RealmProblem> {
        let scheme = scheme_of(&spec)?;
        Ok(Self {
            spec,
            scheme,
            issuer: ArcSwapOption::empty(),
            trouble: Mutex::default(),
            metrics: RealmMetrics::default(),
            warnings: Warnings::default(),
        })
    }

    pub(crate) fn name(&self) -> &RealmName {
        self.spec.name()
    }

    pub(crate) fn scheme(&self) -> &'static str {
        self.scheme.kind().name()
    }

    /// Returns the number of bytes of an ID.
    pub(crate) fn id_size(&self) -> usize {
        self.scheme.kind().byte_len()
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.id_size() <= size_of::<u64>()
    }

    pub(crate) fn has_meta(&self) -> bool {
        self.scheme.visit(HasMeta)
    }

    /// Returns the state of the lease, once there was one.
    pub(crate) fn state(&self) -> Option<LeaseState> {
        self.issuer.load().as_ref().map(|issuer| issuer.state())
    }

    /// Checks that IDs can be issued for a while: for a quarter of the term. A renewal that
    /// succeeds leaves at least half of it.
    pub(crate) fn check_ready(&self) -> Result<(), String> {
        let Some(state) = self.state() else { return Err(self.trouble().reason) };
        if state.window_left >= self.spec.terms().term / 4 {
            return Ok(());
        }
        Err(match (state.trouble, state.is_stopped) {
            (_, true) => "the server is stopping".to_owned(),
            (Some(trouble), _) => trouble.to_string(),
            (None, _) => format!("the window ends in {:?}", state.window_left),
        })
    }

    fn trouble(&self) -> Trouble {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let first = || "the first lease is being acquired".to_owned();
        trouble.clone().unwrap_or_else(|| Trouble { reason: first(), earliest: None })
    }

    fn set_trouble(&self, reason: String, earliest: Option<Instant>) {
        let trouble = Trouble { reason, earliest };
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(trouble);
    }

    /// Checks that the realm has IDs as ordered.
    pub(crate) fn check(&self, order: &Order) -> Result<(), IssueError> {
        if order.format == Format::Int {
            self.check_integer()?;
        }
        if order.meta.is_some() && !self.has_meta() {
            return Err(IssueError::NoMeta { scheme: self.scheme() });
        }
        Ok(())
    }

    /// Checks that IDs have a form as an integer.
    pub(crate) fn check_integer(&self) -> Result<(), IssueError> {
        if self.is_integer() {
            return Ok(());
        }
        Err(IssueError::NoInteger { realm: self.name().clone(), size: self.id_size() })
    }

    /// Appends up to `order.count` IDs without waiting, and returns the number, at least one.
    #[inline]
    pub(crate) fn try_issue(
        &self,
        order: Order,
        protocol: Protocol,
        out: &mut Vec<u8>,
    ) -> Result<u32, Stall> {
        let issuer = self.issuer.load();
        let Some(issuer) = &*issuer else { return Err(Stall::NoIssuer) };
        let issued = issuer.try_issue(order, out).map_err(Stall::Generator)?;
        self.metrics.count(protocol, issued);
        Ok(issued)
    }

    /// Returns an ID as an integer, without waiting. Check that there is that form before.
    #[inline]
    pub(crate) fn try_integer(&self, protocol: Protocol) -> Result<u64, Stall> {
        let issuer = self.issuer.load();
        let Some(issuer) = &*issuer else { return Err(Stall::NoIssuer) };
        let id = issuer.try_integer().map_err(Stall::Generator)?;
        self.metrics.count(protocol, 1);
        Ok(id)
    }

    /// Appends `order.count` IDs, waiting until the deadline. On an error nothing is appended, and
    /// IDs that were generated are dropped.
    pub(crate) async fn issue(
        &self,
        mut order: Order,
        protocol: Protocol,
        deadline: Instant,
        out: &mut Vec<u8>,
    ) -> Result<(), IssueError> {
        self.check(&order)?;
        let start = out.len();
        loop {
            match self.try_issue(order, protocol, out) {
                Ok(issued) if issued >= order.count => return Ok(()),
                Ok(issued) => order.count -= issued,
                Err(stall) => {
                    if let Err(error) = self.wait(stall, deadline).await {
                        out.truncate(start);
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Waits until another attempt is worthwhile.
    ///
    /// # Errors
    /// Returns [`IssueError::Later`] immediately if the wait would exceed the deadline.
    pub(crate) async fn wait(&self, stall: Stall, deadline: Instant) -> Result<(), IssueError> {
        let now = Instant::now();
        let (pause, is_known) = match &stall {
            Stall::Generator(error) => match error.retry_after() {
                Some(pause) => (pause, true),
                None => (PAUSE, false),
            },
            Stall::NoIssuer => match self.trouble().earliest.filter(|&earliest| earliest > now) {
                Some(earliest) => (earliest - now, true),
                None => (PAUSE, false),
            },
        };
        let is_final =
            matches!(stall, Stall::Generator(GenerateError::Stopped | GenerateError::Forked));
        if is_final || now >= deadline || is_known && pause > deadline - now {
            let reason = match stall {
                Stall::NoIssuer => {
                    format!("the realm {} has no node: {}", self.name(), self.trouble().reason)
                }
                Stall::Generator(error) => format!("the realm {}: {error}", self.name()),
            };
            let retry_after = if is_known { pause } else { Duration::from_secs(1) };
            return Err(IssueError::Later { reason, retry_after });
        }
        // The clock may be set, and the lease renewed, in the meantime.
        let until = deadline.min(now + pause.min(Duration::from_millis(50)));
        if until - now >= TIMER {
            tokio::time::sleep_until(until).await;
        } else {
            while Instant::now() < until {
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }

    /// Acquires the first lease. Fails if that is refused for good; otherwise it can be tried again
    /// and `false` is returned.
    pub(crate) async fn start(
        &self,
        store: &Store,
        holder: Option<&str>,
    ) -> Result<bool, ServerError> {
        let (store, spec) = (store.clone(), self.spec.clone());
        let start = Start { store, spec, holder: holder.map(str::to_owned) };
        let started = self.scheme.visit(start).await;
        let error = match started {
            Ok(issuer) => {
                tracing::info!(realm = %self.name(), scheme = self.scheme(), "leased a node");
                self.issuer.store(Some(Arc::new(issuer)));
                return Ok(true);
            }
            Err(error) => error,
        };
        let source = match error {
            StartError::Realm(source) => {
                return Err(ServerError::Realm { realm: self.name().clone(), source });
            }
            StartError::Lease(source) => source,
        };
        if !source.store().is_some_and(is_passing) {
            return Err(ServerError::Lease { realm: self.name().clone(), source });
        }
        let reason = crate::error::chain(&source);
        if let Some(repeats) = self.warnings.admit(&reason) {
            tracing::warn!(realm = %self.name(), reason, repeats, "no node yet; trying again");
        }
        let earliest = match source.store().and_then(StoreError::refusal) {
            Some(Refusal::NotYet { from, now }) => {
                Some(Instant::now() + from.saturating_since(*now))
            }
            _ => None,
        };
        self.set_trouble(reason, earliest);
        Ok(false)
    }

    /// Acquires the first lease, for as long as that takes.
    pub(crate) async fn keep_starting(&self, store: &Store, holder: Option<&str>) {
        const MIN_RETRY: Duration = Duration::from_millis(250);
        let mut pause = MIN_RETRY;
        loop {
            let known = self.trouble().earliest;
            let known = known.map(|earliest| earliest.saturating_duration_since(Instant::now()));
            // Not later than at the known time, but earlier, as the store may be reset.
            tokio::time::sleep(known.map_or(pause, |known| known.clamp(MIN_RETRY, pause))).await;
            match self.start(store, holder).await {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => {
                    let error = crate::error::chain(&error);
                    if let Some(repeats) = self.warnings.admit(&error) {
                        let realm = self.name();
                        tracing::error!(%realm, error, repeats, "the realm cannot be served");
                    }
                    self.set_trouble(error, None);
                    // The store's records may be repaired meanwhile.
                }
            }
            pause = (pause * 2).min(MAX_RETRY);
        }
    }

    /// Issues no more IDs, and releases the node.
    pub(crate) async fn release(&self) -> Result<(), StoreError> {
        self.set_trouble("the server is stopping".to_owned(), None);
        let Some(mut issuer) = self.issuer.swap(None) else { return Ok(()) };
        loop {
            match Arc::try_unwrap(issuer) {
                Ok(issuer) => return issuer.release().await,
                // A call that generates IDs without waiting is not over yet.
                Err(shared) => issuer = shared,
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// The reason that a realm issues nothing at the moment.
#[derive(Debug)]
pub(crate) enum Stall {
    /// The first lease is being acquired, or the server is stopping.
    NoIssuer,
    Generator(GenerateError),
}

/// Reports whether another attempt to acquire a lease may succeed.
fn is_passing(error: &StoreError) -> bool {
    match error.refusal() {
        Some(Refusal::Exhausted { .. } | Refusal::NotYet { .. }) => true,
        Some(_) => false,
        None => error.is_unreachable(),
    }
}

/// The realms by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Realms(BTreeMap<Box<[u8]>, Arc<Realm>>);

impl Realms {
    /// Adds a realm, unless there is one of that name.
    pub(crate) fn add(&mut self, realm: Realm) -> Result<(), ServerError> {
        let name = realm.name().clone();
        match self.0.insert(name.as_str().as_bytes().into(), Arc::new(realm)) {
            None => Ok(()),
            Some(_) => Err(ServerError::Twice(name)),
        }
    }

    pub(crate) fn get(&self, name: &[u8]) -> Option<&Arc<Realm>> {
        self.0.get(name)
    }

    /// Returns the realms in the order of their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Realm>> {
        self.0.values()
    }
}
