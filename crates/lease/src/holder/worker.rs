//! The thread that renews the lease.

use core::time::Duration;
use std::sync::Arc;

use tickid_core::{AnyNode, UnixTime};

use crate::block_on::block_on;
use crate::holder::boot;
use crate::holder::builder::HolderOptions;
use crate::holder::clock_gap::ClockGap;
use crate::holder::engine::{Engine, Engines, SharedEngine};
use crate::holder::error::LeaseError;
#[cfg(feature = "metrics")]
use crate::holder::metrics::HolderMetrics;
use crate::holder::session::{LeaseSession, Outcome, Request};
use crate::holder::state::{Granted, HolderState};
use crate::holder::warnings::Warnings;
use crate::model::lease::Lease;
use crate::model::realm_spec::RealmSpec;
use crate::model::refusal::Refusal;
use crate::model::token::Token;
use crate::store_error::StoreError;

/// The longest sleep. A sleep does not count a suspend, and does not notice a clock that is set
/// back, so both are looked at on waking.
const LONGEST_NAP: Duration = Duration::from_millis(500);
/// The longest sleep for short terms.
const SHORTEST_NAP: Duration = Duration::from_millis(10);

/// What a refused claim led to.
enum Adoption {
    /// Nothing, since adopting does not help, or is not wanted.
    Nothing,
    /// The realm has the store's nodes and terms now, which the next claim names.
    Adopted,
}

/// The thread of a leased generator, which runs a session.
pub(super) struct Worker {
    shared: Arc<HolderState>,
    options: HolderOptions,
    engines: Box<dyn Engines + Send>,
    session: LeaseSession,
    active: Option<SharedEngine>,
    /// The time after which an error ends the start.
    start_until: Duration,
    /// Set while the clock is so far behind that a different node is wanted.
    is_behind: bool,
    /// Set once a claim was repeated immediately because of an adoption, until there is a lease.
    has_adopted: bool,
    /// When the first renewal was sent that failed, if none has succeeded since.
    failing_since: Option<Duration>,
    warnings: Warnings,
    #[cfg(feature = "metrics")]
    metrics: HolderMetrics,
}

impl Worker {
    pub(super) fn new(
        options: HolderOptions,
        realm: RealmSpec,
        engines: Box<dyn Engines + Send>,
        shared: Arc<HolderState>,
    ) -> Result<Self, LeaseError> {
        #[allow(clippy::cast_possible_truncation, reason = "any half of the bits will do")]
        let seed = draw()?.bits() as u64;
        Ok(Self {
            shared,
            engines,
            #[cfg(feature = "metrics")]
            metrics: HolderMetrics::new(realm.name()),
            session: LeaseSession::new(realm, &options.holder, seed),
            active: None,
            start_until: boot::now().saturating_add(options.start_within),
            is_behind: false,
            has_adopted: false,
            failing_since: None,
            warnings: Warnings::default(),
            options,
        })
    }

    /// Keeps the lease until the generator is stopped, and releases it then.
    pub(super) fn run(mut self) -> Result<(), StoreError> {
        let _finish = Finish(Arc::clone(&self.shared));
        while !self.shared.is_stopped() {
            // Nothing wakes this thread when a clock is set or a generator falls behind, so it
            // looks a few times within the shortest terms, and twice a second otherwise.
            let term = self.session.terms().term;
            let nap = (term / 10).clamp(SHORTEST_NAP, LONGEST_NAP);
            if self.active.as_ref().is_some_and(|active| active.is_closed()) {
                // The user closed it.
                let released = self.release_active();
                self.shared.lost(released.err().map(LeaseError::from));
                self.session.give_up(boot::now());
            }
            // A generator that could issue only in more than a term is better off with another
            // node. The session asks for one, and this notes when that is over.
            let stall = self.active.as_ref().map_or(Duration::ZERO, |active| active.stall());
            if core::mem::replace(&mut self.is_behind, stall > term) && !self.is_behind {
                self.shared.unstuck();
            }
            let now = boot::now();
            // The generator's clock, since the node's window is compared with its ticks; the pauses
            // between requests follow the machine's own clock, which never steps.
            let tick = self.engines.now().and_then(|now| self.session.realm().tick_at(now));
            match self.session.request(now, tick, stall, Token::random) {
                Ok(Some(request)) => self.send(now, request),
                Ok(None) => {
                    #[cfg(feature = "metrics")]
                    self.metrics.update(&self.shared.state());
                    self.shared.rest(self.session.due().saturating_sub(now).min(nap));
                }
                // There is no randomness for a token. That may pass, for example early at boot.
                Err(error) => {
                    self.fail(LeaseError::system(DRAW, error), false);
                    self.shared.rest(nap);
                }
            }
        }
        self.release_active()
    }

    fn send(&mut self, asked: Duration, mut request: Request) {
        if let Request::Acquire(claim) = &mut request {
            claim.lead = self.options.lead;
        }
        let timeout = self.options.answer_within.unwrap_or(self.session.timeout(&request));
        let answer = block_on(request.send(&self.options.store, self.session.realm()), timeout);
        let now = boot::now();
        let latency = now.saturating_sub(asked);
        // The session forgets its lease if the answer ends it.
        let previous = self.session.lease().copied();
        let is_renewal = matches!(request, Request::Renew(_));
        let is_move = previous.is_some() && matches!(request, Request::Acquire(_));
        #[cfg(feature = "metrics")]
        if !answer.as_ref().is_err_and(StoreError::is_outdated) {
            self.metrics.answered(&request, answer.is_ok(), latency);
        }
        match self.session.answered(request, asked, now, answer) {
            Outcome::Acquired(lease) => {
                self.failing_since = None;
                self.start_lease(lease, previous, latency);
            }
            Outcome::Renewed(lease) => self.widen(lease, latency),
            Outcome::Outdated => {}
            // Another holder may have the node already, so nothing more is issued under the lease.
            Outcome::Lost(error) => {
                if let Some((active, lease)) = self.active.take().zip(previous) {
                    self.close(&*active, lease.node);
                }
                let (realm, endpoint) =
                    (self.session.realm().name(), self.options.store.endpoint());
                tracing::error!(%realm, endpoint, ?error, "lease lost");
                self.shared.lost(Some(error.into()));
            }
            // The store has granted ticks in which this generator has issued IDs. Report that, and
            // give the node back with the highest of them.
            Outcome::Repeated(lease, used) => {
                let Lease { node, floor, .. } = lease;
                let what = format!(
                    "keep its data: it granted node {node} from tick {floor} on, and IDs up to \
                     tick {used} were issued under it"
                );
                let error = StoreError::failed(self.options.store.backend(), what);
                self.fail(error.into(), is_move);
                self.release(&lease, Some(used));
            }
            // A mismatch may only mean that the realm has other nodes or terms by now.
            Outcome::Failed(error) => {
                if is_renewal {
                    self.failing_since.get_or_insert(asked);
                }
                let error = match self.adopt(&error) {
                    Ok(Adoption::Nothing) => error.into(),
                    // Immediately, unless the realm was changed once more since the last adoption:
                    // somebody who changes it all the time does not get a claim each time.
                    Ok(Adoption::Adopted) if !core::mem::replace(&mut self.has_adopted, true) => {
                        return self.session.claim_again();
                    }
                    Ok(Adoption::Adopted) => LeaseError::Adopted(Arc::new(error)),
                    Err(error) => error.into(),
                };
                self.fail(error, is_move);
            }
        }
    }

    /// Adopts the realm's nodes and terms from the store, if it refused a claim because of those.
    /// A realm of another scheme, layout or kind is an error.
    fn adopt(&mut self, refused: &StoreError) -> Result<Adoption, StoreError> {
        if !self.options.adopts || !matches!(refused.refusal(), Some(Refusal::Mismatch(_))) {
            return Ok(Adoption::Nothing);
        }
        let HolderOptions { store, answer_within, .. } = &self.options;
        let realm = self.session.realm();
        let timeout = answer_within.unwrap_or(realm.terms().longest_timeout());
        // `adopt` compares all but the nodes and the terms.
        let adopted = block_on(store.adopt(realm), timeout)?.record.realm;
        let (name, pool) = (adopted.name(), adopted.pool());
        tracing::info!(realm = %name, %pool, "the nodes and terms of the store are adopted");
        self.session.adopt(adopted);
        Ok(Adoption::Adopted)
    }

    /// Starts to issue under a new lease, and ends the previous one.
    fn start_lease(&mut self, lease: Lease, previous: Option<Lease>, latency: Duration) {
        let previous = self.active.take().zip(previous);
        match self.engines.start(self.session.realm(), &lease) {
            Ok(active) => {
                let realm = self.session.realm().name();
                let Lease { node, floor, ceiling, .. } = lease;
                // A second lease while there is one means that the clock was set back.
                match &previous {
                    None => tracing::info!(%realm, %node, floor, ceiling, "lease acquired"),
                    Some((_, previous)) => {
                        let from = previous.node;
                        tracing::warn!(
                            %realm, %node, %from, floor, ceiling,
                            "clock set back: moved to another node"
                        );
                    }
                }
                self.has_adopted = false;
                let granted = self.granted(&*active, lease, latency);
                if let Some(gap) = granted.clock_gap {
                    let effect = match gap.is_behind() {
                        true => "IDs may be of the past",
                        false => "there are none from the end of the window on",
                    };
                    tracing::warn!(%realm, %gap, effect, "the clocks differ");
                }
                self.active = Some(Arc::clone(&active));
                self.shared.acquired(active, &granted, previous.is_some());
            }
            // Nothing can be issued under this lease, so it is released unused.
            Err(error) => {
                self.fail(error, false);
                self.release(&lease, None);
                self.session.give_up(boot::now());
            }
        }
        // The previous lease ends only now, so that no call finds a gap between the two.
        if let Some((previous, lease)) = previous {
            let used = self.close(&*previous, lease.node);
            self.release(&lease, used);
        }
    }

    /// Closes the generator of a lease and returns the highest tick that it has used.
    fn close(&mut self, active: &dyn Engine, node: AnyNode) -> Option<u64> {
        let used = active.close();
        if let Some(used) = used {
            self.session.note_used(node, used);
        }
        used
    }

    fn widen(&mut self, lease: Lease, latency: Duration) {
        let Some(active) = &self.active else { return };
        match active.widen(lease.ceiling) {
            Ok(()) => {
                let realm = self.session.realm().name();
                tracing::debug!(%realm, ceiling = lease.ceiling, "lease renewed");
                // The end of what a warning has said.
                if let Some(since) = self.failing_since.take() {
                    let after = boot::now().saturating_sub(since);
                    tracing::info!(%realm, node = %lease.node, "renewed again after {after:.0?}");
                }
                self.shared.renewed(&self.granted(&**active, lease, latency));
            }
            // No backend that keeps its promises grants that.
            Err(error) => self.fail(error.into(), false),
        }
    }

    /// Compares the clocks.
    fn granted(&self, active: &dyn Engine, lease: Lease, latency: Duration) -> Granted {
        let ahead = |now: UnixTime| now.as_micros().checked_sub(lease.granted_at.as_micros());
        let clock_ahead_micros = active.now().and_then(ahead);
        let clock_gap = ClockGap::beyond(lease.terms.skew, clock_ahead_micros, latency);
        Granted { lease, clock_ahead_micros, clock_gap, latency }
    }

    fn fail(&mut self, error: LeaseError, is_move: bool) {
        let reason = error.reason();
        let term = self.session.terms().term;
        if let Some(suppressed) = self.warnings.admit(reason, boot::now(), term) {
            let (realm, endpoint) = (self.session.realm().name(), self.options.store.endpoint());
            if is_move {
                tracing::warn!(%realm, endpoint, ?error, suppressed, "clock behind, no other node");
            } else {
                tracing::warn!(%realm, endpoint, ?error, suppressed, "no lease or no renewal");
            }
        }
        let ends_start = !reason.passes() || self.session.due() >= self.start_until;
        self.shared.failed(error, is_move, ends_start);
    }

    /// Closes the generator and releases its node.
    fn release_active(&mut self) -> Result<(), StoreError> {
        let Some((active, lease)) = self.active.take().zip(self.session.lease().copied()) else {
            return Ok(());
        };
        let used = self.close(&*active, lease.node);
        self.try_release(&lease, used)
    }

    fn try_release(&self, lease: &Lease, used: Option<u64>) -> Result<(), StoreError> {
        let released = self.options.store.release(self.session.realm(), lease, used);
        let timeout = self.options.answer_within;
        match block_on(released, timeout.unwrap_or(self.session.timeout(&Request::Renew(*lease)))) {
            // Another holder has the node already, or an earlier answer was lost.
            Err(error) if error.is_lost() => Ok(()),
            result => result,
        }
    }

    fn release(&self, lease: &Lease, used: Option<u64>) {
        if let Err(error) = self.try_release(lease, used) {
            let (realm, node) = (self.session.realm().name(), lease.node);
            tracing::warn!(%realm, %node, ?error, "the node was not released");
        }
    }
}

const DRAW: &str = "draw random numbers";

fn draw() -> Result<Token, LeaseError> {
    Token::random().map_err(|error| LeaseError::system(DRAW, error))
}

/// Reports the end of the worker, also if a clock panics, since tasks wait for it.
struct Finish(Arc<HolderState>);

impl Drop for Finish {
    fn drop(&mut self) {
        self.0.finish();
    }
}
