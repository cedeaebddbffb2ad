use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use tickid_core::{Builder, Clock, Generator, ProcessClock, Scheme, SystemClock};

use crate::agenda::{Agenda, Duty, Outcome, Request};
use crate::boot;
use crate::error::{StoreError, StoreErrorKind};
use crate::keeper::state::Shared;
use crate::keeper::{KeeperBuilder, Tenure, Trouble};
use crate::lease::{Lease, LeaseError};
use crate::realm::Realm;
use crate::record::Token;
use crate::store::{Answer, Grant, Store};
use crate::wait::block_on;

/// For how long the worker sleeps at a time. Sleeping does not count a suspend; it looks at a clock that
/// does when it wakes.
const NAP: Duration = Duration::from_millis(500);

pub(super) type Make<S, C> =
    Box<dyn Fn(&Lease) -> Result<Builder<S, ProcessClock<C>>, LeaseError> + Send>;

/// What a keeper's thread does: carries out an agenda.
pub(super) struct Worker<S: Scheme, C> {
    shared: Arc<Shared<S, C>>,
    store: Arc<dyn Store>,
    agenda: Agenda,
    make: Make<S, C>,
    max_wait: Option<Duration>,
    answer_within: Duration,
    tenure: Option<Arc<Tenure<S, C>>>,
}

impl<S, C> Worker<S, C>
where
    S: Scheme,
    C: Clock + fmt::Debug,
{
    pub(super) fn new(builder: KeeperBuilder, shared: Arc<Shared<S, C>>, make: Make<S, C>) -> Self {
        let KeeperBuilder { store, realm, holder, max_wait, answer_within } = builder;
        let agenda = Agenda::new(realm, &holder);
        Self { shared, store, agenda, make, max_wait, answer_within, tenure: None }
    }

    /// Keeps the lease until the keeper is stopped; then releases it.
    pub(super) fn run(mut self) -> Result<(), StoreError> {
        let _finish = Finish(Arc::clone(&self.shared));
        while !self.shared.is_stopped() {
            if self.tenure.as_ref().is_some_and(|tenure| tenure.generator.state().is_closed) {
                // Somebody closed it who had it from us.
                let given_back = self.give_back();
                self.shared.lost(given_back.err().map(Trouble::from));
                self.agenda.give_up(boot::now());
            }
            let now = boot::now();
            match self.agenda.duty(now, self.tick(), Token::random) {
                Ok(Duty::Ask(request)) => self.ask(now, &request),
                Ok(Duty::Wait(until)) => self.shared.rest(until.saturating_sub(now).min(NAP)),
                Err(error) => {
                    self.shared.failed(error.into());
                    self.shared.rest(NAP);
                }
            }
        }
        self.give_back()
    }

    fn realm(&self) -> &Realm {
        self.agenda.realm()
    }

    /// What the system's clock shows, in ticks.
    fn tick(&self) -> Option<u64> {
        SystemClock.now().ok().and_then(|now| self.realm().tick_at(now))
    }

    /// Waits for an answer, but not for ever.
    fn answer<T>(&self, answer: Answer<'_, T>) -> Result<T, StoreError> {
        block_on(answer, self.answer_within).unwrap_or_else(|silence| {
            let kind = StoreErrorKind::Unreachable;
            Err(StoreError::new(self.store.backend(), kind).with_source(silence))
        })
    }

    fn ask(&mut self, now: Duration, request: &Request) {
        let store = Arc::clone(&self.store);
        let answer = self.answer(request.send(&store, self.agenda.realm()));
        match self.agenda.answered(now, boot::now(), answer) {
            Outcome::Granted(grant) => self.begin(grant),
            Outcome::Renewed(grant) => self.widen(grant),
            Outcome::Lost(error) => {
                tracing::error!(%error, realm = %self.realm().name(), "lease lost");
                if let Some(tenure) = self.tenure.take() {
                    tenure.generator.close();
                }
                self.shared.lost(Some(error.into()));
            }
            Outcome::Failed(error) => {
                tracing::warn!(%error, realm = %self.realm().name(), "no lease or no renewal");
                self.shared.failed(error.into());
            }
        }
    }

    /// A new lease: a new generator.
    fn begin(&mut self, grant: Grant) {
        let lease = Lease::new(self.realm().clone(), grant);
        match self.build(&lease) {
            Ok(generator) => {
                tracing::info!(realm = %self.realm().name(), node = %lease.node(), "lease granted");
                let ahead = clock_ahead(&generator, &grant);
                let tenure = Arc::new(Tenure { generator, lease, is_over: false.into() });
                self.tenure = Some(Arc::clone(&tenure));
                self.shared.granted(tenure, ahead);
            }
            Err(trouble) => {
                tracing::error!(error = %trouble, realm = %self.realm().name(), "lease of no use");
                self.shared.failed(trouble);
                let unused =
                    self.answer(self.store.release(self.realm().name(), &grant.hold, None));
                if let Err(error) = unused {
                    tracing::warn!(%error, "the node was not given back");
                }
                self.agenda.give_up(boot::now());
            }
        }
    }

    fn build(&self, lease: &Lease) -> Result<Generator<S, ProcessClock<C>>, Trouble> {
        let builder = (self.make)(lease)?;
        let builder = match self.max_wait {
            Some(max_wait) => builder.max_wait(max_wait),
            None => builder,
        };
        Ok(builder.build()?)
    }

    fn widen(&self, grant: Grant) {
        let Some(tenure) = &self.tenure else { return };
        match tenure.generator.widen(grant.ceiling) {
            Ok(()) => {
                let realm = self.realm().name();
                tracing::debug!(%realm, ceiling = grant.ceiling, "lease renewed");
                let ahead = clock_ahead(&tenure.generator, &grant);
                self.shared.renewed(Lease::new(self.realm().clone(), grant), ahead);
            }
            // No store that keeps to the rules grants that.
            Err(error) => self.shared.failed(Trouble::Lease(error.into())),
        }
    }

    /// Closes the generator and gives its node back.
    fn give_back(&mut self) -> Result<(), StoreError> {
        let Some(tenure) = self.tenure.take() else { return Ok(()) };
        let used = tenure.generator.close().highest_tick().map(|tick| tick.get());
        let hold = tenure.lease.hold();
        match self.answer(self.store.release(self.realm().name(), &hold, used)) {
            // It was somebody else's already, or an earlier answer got lost.
            Err(error) if error.is_lost() => Ok(()),
            result => result,
        }
    }
}

/// Reports the end of the worker, also when the callback that builds generators panics: tasks wait
/// for it.
struct Finish<S: Scheme, C>(Arc<Shared<S, C>>);

impl<S: Scheme, C> Drop for Finish<S, C> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// By how many microseconds the generator's clock is ahead of what the store's was.
fn clock_ahead<S: Scheme, C: Clock>(generator: &Generator<S, C>, grant: &Grant) -> Option<i64> {
    let now = generator.clock().now().ok()?;
    now.as_micros().checked_sub(grant.now.as_micros())
}
