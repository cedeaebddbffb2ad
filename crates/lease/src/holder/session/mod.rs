//! A holder's state machine, without input and output.

#[cfg(test)]
mod tests;

use core::time::Duration;
use std::collections::HashMap;
use std::io;

use crate::model::lease::{Claim, Lease};
use crate::model::realm_spec::{RealmSpec, Terms};
use crate::model::refusal::{LeaseEnd, Refusal, RefusalKind};
use crate::model::token::{Token, mix};
use crate::store::Store;
use crate::store_error::StoreError;
use tickid_core::AnyNode;

/// The requests that a holder has to send to its store, and their times.
///
/// It does no I/O and has no clock. Times are passed in, as the time since some fixed moment by a
/// clock that never steps and counts suspends. A [`LeasedGenerator`](crate::LeasedGenerator) runs a
/// session on a thread. To run one elsewhere, for example in the event loop of a program, repeat:
///
/// 1. Take the next [`request`](Self::request) and [send](Request::send) it. If there is none, wait
///    until it is [`due`](Self::due).
/// 2. Pass the result to [`answered`](Self::answered), and act on the [`Outcome`].
///
/// Requests are sent at random times and retries back off, so that many holders can share a store:
///
/// - A lease is renewed every half term, or up to a tenth of a term earlier. With the default term
///   of 10 seconds, that is after 4 to 5 seconds.
/// - A renewal that failed is repeated within a quarter of a term, which doubles with each failure
///   in a row up to half a term. If there was no answer, it is repeated within a quarter of what is
///   left of the window, if that is less, and has [more time](Self::timeout). After the window's end,
///   the time without an answer counts as a part of that half a term.
/// - A renewal that was decided on outdated facts is repeated at once, since its answer has brought
///   the present ones. A request then takes one round trip again, with its full time. From the
///   fourth in a row on, it counts as failed.
/// - A claim that failed is repeated within a second, or a tenth of a shorter term. This doubles up
///   to 5 seconds, or half a shorter term.
/// - If the store reports when the realm starts, the claim is repeated then, or up to a quarter of
///   a term later. Until then the session looks every half term, because a store that loses data
///   again goes back behind the pause. Claims carry the highest [era](Claim::seen_era) that any of
///   them has seen, which shows that.
/// - If only an operator can help, for example because the store has a different pool, a claim is
///   repeated after half a term to a whole one.
///
/// A lost lease is followed by a new claim, which tries the same node first. So after a loss of the
/// store's data, each holder gets its own node back without a search.
///
/// If the clock was set back so far that the generator would have to wait for more than a term, the
/// session claims a different node with a window that the clock has reached. It keeps the old lease
/// until then.
///
/// # Examples
/// ```
#[doc = include_str!("../../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::session::{LeaseSession, Outcome, Token, block_on};
/// use tickid_lease::Store;
///
/// let store = Store::in_memory();
/// let mut session = LeaseSession::new(realm.clone(), "web-1", 42);
///
/// let now = Duration::ZERO; // since the start of the program
/// let request = session.request(now, None, Duration::ZERO, Token::random)?;
/// let mut request = request.ok_or("a claim is due immediately")?;
/// let timeout = session.timeout(&request);
/// let answer = block_on(request.send(&store, realm.spec()), timeout);
/// match session.answered(request, now, now, answer) {
///     Outcome::Acquired(lease) => assert_eq!(session.lease(), Some(&lease)),
///     outcome => panic!("{outcome:?}"),
/// }
/// // The renewal is due after half the term of 10 seconds, or a little earlier.
/// assert!((Duration::from_secs(4)..=Duration::from_secs(5)).contains(&session.due()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LeaseSession {
    realm: RealmSpec,
    holder: String,
    /// Counts the random numbers drawn, from a seed on.
    random: u64,
    lease: Option<Lease>,
    /// The claim that was last sent without success, until there is a lease.
    claim: Option<Claim>,
    /// A lost lease, for the next claim.
    lost: Option<(Lease, LeaseEnd)>,
    /// The highest era of the realm that a claim has seen.
    seen_era: Option<u64>,
    /// The highest tick used under each node.
    used: HashMap<AnyNode, u64>,
    renewal: Timer,
    acquisition: Timer,
    /// The time that was left of the window, by the generator's clock, at the last request. It is
    /// zero if the window has ended, or if there was no clock.
    left: Duration,
    /// The number of renewals in a row that got no answer.
    silences: u32,
    /// The number of renewals in a row that were sent again at once.
    repeats: u32,
}

/// The number of times in a row that a renewal is sent again at once. Each answer shows a change by
/// somebody else, so more are rare.
const MOST_REPEATS: u32 = 3;

/// The longest pause after a claim that failed for the first time.
const CLAIM_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause after a claim that failed several times, whatever the term, since a node may
/// be released at any time.
const LONGEST_CLAIM_PAUSE: Duration = Duration::from_secs(5);

/// The time of the next request of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Timer {
    due: Duration,
    /// The number of failures in a row.
    failures: u32,
}

/// A request to a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// A request for a lease.
    Acquire(Claim),
    /// A request for a higher ceiling.
    Renew(Lease),
}

/// The consequence of a store's answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// There is a new lease. If there was a previous one, its generator must be closed, and that
    /// lease released.
    Acquired(Lease),
    /// The generator's ceiling rises to the lease's.
    Renewed(Lease),
    /// The lease is over, and its generator must be closed.
    Lost(StoreError),
    /// The store granted a lease whose window starts at or below a tick that this holder has used
    /// under the node, or under a prefix-related one. IDs would repeat, so the lease must not be
    /// used, but released with that tick. A store that keeps its data never grants such a lease.
    /// The next one is acquired a term later.
    Repeated(Lease, u64),
    /// The renewal was decided on [outdated](crate::backend::StoreErrorKind::Outdated) facts, and is due again now
    /// that its answer has brought the present ones.
    Outdated,
    /// The request will be repeated. Until then the generator issues to the end of its window.
    Failed(StoreError),
}

impl Request {
    /// Sends the request. If the future is dropped, the request may have been carried out all the
    /// same. Pass it to [`answered`](LeaseSession::answered) as unreachable then.
    ///
    /// A renewal ends with the first answer that brings news, even if that only shows that it was
    /// decided on outdated facts. So each round trip has the whole [`timeout`].
    ///
    /// [`timeout`]: LeaseSession::timeout
    ///
    /// # Errors
    /// Returns the store's error, or one of the kind
    /// [`Outdated`](crate::backend::StoreErrorKind::Outdated).
    pub async fn send(&mut self, store: &Store, realm: &RealmSpec) -> Result<Lease, StoreError> {
        match self {
            Self::Acquire(claim) => store.acquire(realm, claim).await,
            Self::Renew(lease) => store.renew_once(realm, lease).await,
        }
    }
}

impl LeaseSession {
    /// Creates the session of a holder without a lease. `seed` spreads the requests of holders over
    /// time, so it should differ for each of them. A random number will do.
    #[must_use]
    pub fn new(realm: impl Into<RealmSpec>, holder: &str, seed: u64) -> Self {
        Self {
            realm: realm.into(),
            holder: holder.to_owned(),
            random: seed,
            lease: None,
            claim: None,
            lost: None,
            seen_era: None,
            used: HashMap::new(),
            renewal: Timer::default(),
            acquisition: Timer::default(),
            left: Duration::ZERO,
            silences: 0,
            repeats: 0,
        }
    }

    /// Returns the realm.
    #[must_use]
    pub fn realm(&self) -> &RealmSpec {
        &self.realm
    }

    /// Returns the terms of the lease, which the store may have changed since the session was
    /// created, or those of the realm without a lease.
    pub(super) fn terms(&self) -> Terms {
        self.lease.map_or(self.realm.terms(), |lease| lease.terms)
    }

    /// Replaces the nodes and the terms by those that the store has.
    pub(super) fn adopt(&mut self, realm: RealmSpec) {
        self.realm = realm;
    }

    /// Makes a refused claim due.
    pub(super) fn claim_again(&mut self) {
        self.acquisition.due = Duration::ZERO;
    }

    /// Returns the lease, if there is one.
    #[must_use]
    pub fn lease(&self) -> Option<&Lease> {
        self.lease.as_ref()
    }

    /// Returns the time before which there is no [`request`](Self::request), unless the clock is
    /// set back. Until then, a loop can sleep.
    #[must_use]
    pub fn due(&self) -> Duration {
        if self.lease.is_some() { self.renewal.due } else { self.acquisition.due }
    }

    /// Returns the time to wait for the answer to a request. That is a quarter of the term, from 50
    /// milliseconds to 5 seconds. A claim has four times as long if there is no lease, because many
    /// holders may connect to a server at the same time. Then nothing is gained by giving up
    /// earlier than the backend does.
    ///
    /// A renewal after one without an answer has twice its time, up to four times the first, since
    /// the store may just be slow. That is as long as half of what is left of the window stays for
    /// another attempt, because a connection may be dead. After the window's end the first time and
    /// four times as much take turns. Long ones find a slow store, and between them a store that is
    /// back is found soon, though the requests that it has missed are never answered.
    #[must_use]
    pub fn timeout(&self, request: &Request) -> Duration {
        let terms = self.terms();
        match request {
            Request::Acquire(_) if self.lease.is_none() => terms.longest_timeout(),
            Request::Acquire(_) => terms.timeout(),
            Request::Renew(_) => {
                let doublings = match self.left.is_zero() {
                    true => 2 * (self.silences % 2),
                    false => self.silences.min(2),
                };
                let more = terms.timeout().saturating_mul(1 << doublings);
                // After the window there is nothing left to keep.
                let most = if self.left.is_zero() { more } else { self.left / 2 };
                more.min(most).max(terms.timeout())
            }
        }
    }

    /// Returns the request to send at the time `now`, if any.
    ///
    /// `tick` is the generator's clock in ticks, if it can be read. `stall` is the time until the
    /// generator can issue by that clock, or zero if it can, or if there is none. `draw` draws the
    /// token of a new claim, for example [`Token::random`].
    ///
    /// # Errors
    /// Returns the error of `draw`.
    pub fn request(
        &mut self,
        now: Duration,
        tick: Option<u64>,
        stall: Duration,
        draw: impl FnOnce() -> io::Result<Token>,
    ) -> io::Result<Option<Request>> {
        let scale = self.realm.scale();
        self.left = self.lease.zip(tick).map_or(Duration::ZERO, |(lease, tick)| {
            scale.time_of(lease.ceiling).saturating_since(scale.time_of(tick))
        });
        // A lease is renewed before anything else. It is left for another node only if the
        // generator could not issue for longer than a term, because one whose window has begun can
        // issue at once.
        let moves = match self.lease {
            Some(lease) if now >= self.renewal.due => return Ok(Some(Request::Renew(lease))),
            Some(_) if tick.is_none() => return Ok(None),
            Some(_) if stall <= self.terms().term => {
                // A claim of another node, carried out only now, is of no use any more.
                self.claim = None;
                return Ok(None);
            }
            Some(_) => true,
            None => false,
        };
        if now < self.acquisition.due {
            return Ok(None);
        }
        // A claim whose answer is unknown is repeated with its token, so that the store recognises
        // it. Only a new one carries evidence of a loss, and asks for the lost node first.
        let mut claim = match self.claim.take() {
            Some(claim) => claim,
            None => {
                let mut claim = Claim::new(draw()?, &self.holder, None);
                claim.lost = self.lost.take();
                claim.seen_era = self.seen_era;
                claim.attempt = claim.lost.map(|(lease, _)| lease.node);
                claim
            }
        };
        (claim.now, claim.only_started) = (tick, moves);
        Ok(Some(Request::Acquire(claim)))
    }

    /// Processes the answer, received at the time `now`, to a request sent at the time `asked`.
    pub fn answered(
        &mut self,
        request: Request,
        asked: Duration,
        now: Duration,
        answer: Result<Lease, StoreError>,
    ) -> Outcome {
        let term = self.terms().term;
        let is_renewal = matches!(request, Request::Renew(_));
        if let Request::Acquire(claim) = &request {
            self.seen_era = self.seen_era.max(claim.seen_era);
        }
        match answer {
            Ok(lease) => {
                // A window that starts below the ticks that were used under this node would repeat
                // IDs, whatever the store says.
                if let Some(used) = self.used_under(lease.node).filter(|_| !is_renewal)
                    && lease.floor <= used
                {
                    self.acquisition = Timer { due: now.saturating_add(term), failures: 0 };
                    return Outcome::Repeated(lease, used);
                }
                self.lease = Some(lease);
                // Half a term is left for retries. Not all holders of a fleet renew at once.
                let term = lease.terms.term;
                let early = self.random_below(term / 10);
                let due = asked.saturating_add(term / 2).saturating_sub(early);
                self.renewal = Timer { due, failures: 0 };
                (self.silences, self.repeats) = (0, 0);
                if is_renewal {
                    return Outcome::Renewed(lease);
                }
                self.acquisition = Timer::default();
                Outcome::Acquired(lease)
            }
            Err(error) if is_renewal && error.is_lost() => {
                // The next claim shows this lease: it may be the proof that the store lost data. One
                // of another node that is still unanswered would not show it.
                self.claim = None;
                self.lost = self.lease.take().zip(error.lease_end());
                self.acquisition = Timer { due: now, failures: 0 };
                Outcome::Lost(error)
            }
            Err(error) if error.is_outdated() && self.repeats < MOST_REPEATS => {
                self.repeats += 1;
                self.renewal.due = now;
                Outcome::Outdated
            }
            Err(error) => {
                self.repeats = 0;
                // No answer, or a refusal that time may lift: again after a pause that grows.
                let timer = if is_renewal { self.renewal } else { self.acquisition };
                let failures = timer.failures.saturating_add(1);
                let took = now.saturating_sub(asked);
                let is_silent = is_renewal && error.is_unreachable();
                self.silences += u32::from(is_silent);
                let left = self.left.saturating_sub(took);
                // Towards the end of the window, do not ask ever more often. After it, a request
                // that was waited for has been a pause as well.
                let most = match (is_silent, left.is_zero()) {
                    (true, false) => (left / 4).max(term / 16),
                    (true, true) => (term / 2).saturating_sub(took).max(term / 16),
                    (false, _) => Duration::MAX,
                };
                let pause = self.pause(&error, is_renewal, failures, most);
                let bound = self.terms().timeout();
                let is_far = is_silent && took >= bound;
                let error = if is_far { error.too_distant(bound, term) } else { error };
                let due = now.saturating_add(pause);
                let timer = Timer { due, failures };
                match request {
                    Request::Renew(_) => self.renewal = timer,
                    // Keep the claim, even one to move to another node. Each new claim could take a
                    // further node, whose window then starts in the future of a clock that was set
                    // back, until all nodes are used up.
                    Request::Acquire(claim) => {
                        (self.acquisition, self.claim) = (timer, Some(claim))
                    }
                }
                Outcome::Failed(error)
            }
        }
    }

    /// Notes the highest tick that a generator has used under `node`, once it is closed. From now
    /// on, a lease whose window starts there or below is [refused](Outcome::Repeated), so this
    /// holder never repeats its own IDs, whatever the store forgets.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_lease::session::{LeaseSession, Outcome, Token, block_on};
    /// use tickid_lease::{Realm, Store};
    /// use tickid_sno::Sno;
    ///
    /// let realm = Realm::builder("orders", Sno).pool("42/16").build()?;
    /// let mut session = LeaseSession::new(realm.clone(), "web-1", 42);
    /// session.note_used("42/16".parse()?, 131_072);
    ///
    /// // A store that has lost all data.
    /// let (store, now) = (Store::in_memory(), Duration::ZERO);
    /// let request = session.request(now, None, Duration::ZERO, Token::random)?;
    /// let mut request = request.ok_or("a claim is due immediately")?;
    /// let timeout = session.timeout(&request);
    /// let answer = block_on(request.send(&store, realm.spec()), timeout);
    /// let outcome = session.answered(request, now, now, answer);
    /// assert!(matches!(outcome, Outcome::Repeated(_, 131_072)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn note_used(&mut self, node: AnyNode, tick: u64) {
        let highest = self.used.entry(node).or_default();
        *highest = tick.max(*highest);
    }

    /// Returns the highest tick that may have been used under nodes whose IDs can equal the node's.
    fn used_under(&self, node: AnyNode) -> Option<u64> {
        let used = self.used.iter().map(|(node, tick)| (*node, *tick));
        // The present lease's generator has not been closed yet.
        let present = self.lease.map(|lease| (lease.node, lease.ceiling.saturating_sub(1)));
        let related = used.chain(present).filter(|(own, _)| own.is_prefix_related(node));
        related.map(|(_, tick)| tick).max()
    }

    /// Gives up a lease that was released because it could not be used. The next is acquired a term
    /// later.
    pub fn give_up(&mut self, now: Duration) {
        let due = now.saturating_add(self.terms().term);
        (self.lease, self.claim) = (None, None);
        self.acquisition = Timer { due, failures: 0 };
    }

    /// Returns the time until a failed request is repeated, of up to `most` unless the store says
    /// otherwise.
    fn pause(
        &mut self,
        error: &StoreError,
        is_renewal: bool,
        failures: u32,
        most: Duration,
    ) -> Duration {
        let term = self.terms().term;
        match error.refusal().map(Refusal::kind) {
            // All holders wait for this moment. Until then they look as often as they would renew:
            // a store that loses data again may grant its nodes in the meantime.
            Some(RefusalKind::Early { from, now }) => {
                let wait = from.saturating_since(now) + self.random_below(term / 4);
                wait.min(term / 2 - self.random_below(term / 10))
            }
            // Only an operator can change the realm or the clock.
            Some(RefusalKind::Mismatch(_) | RefusalKind::Clock) => {
                term / 2 + self.random_below(term / 2)
            }
            Some(
                RefusalKind::Over(_)
                | RefusalKind::Busy { .. }
                | RefusalKind::Missing { .. }
                | RefusalKind::Sound
                | RefusalKind::Newer
                | RefusalKind::Other,
            )
            | None => {
                // Most of a window is left when its renewal fails for the first time.
                let (least, longest) = match is_renewal {
                    true => (term / 4, term / 2),
                    false => ((term / 10).min(CLAIM_PAUSE), (term / 2).min(LONGEST_CLAIM_PAUSE)),
                };
                let doublings = (failures - 1).min(16);
                self.random_below(least.saturating_mul(1 << doublings).min(longest).min(most))
            }
        }
    }

    /// Returns a random time of up to `most`.
    fn random_below(&mut self, most: Duration) -> Duration {
        self.random = self.random.wrapping_add(1);
        let nanos = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        Duration::from_nanos(mix(self.random) % nanos.max(1))
    }
}
