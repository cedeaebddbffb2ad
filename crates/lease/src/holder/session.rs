//! A holder's state machine, without input and output.

use core::time::Duration;
use std::collections::HashMap;
use std::io;

use crate::model::lease::{Claim, Lease};
use crate::model::realm_spec::RealmSpec;
use crate::model::refusal::{LeaseEnd, Refusal};
use crate::model::token::{Token, mix};
use crate::store::Store;
use crate::store_error::StoreError;
use tickid_core::AnyNode;

/// The requests that a holder has to send to its store, and their times.
///
/// It does no I/O and has no clock: times are passed in, as the time since some fixed moment by a
/// clock that never steps and counts suspends. [`LeasedGenerator`](crate::LeasedGenerator) runs a
/// session on a thread. To run one elsewhere, repeat:
///
/// 1. Take the next [`request`](Self::request) and [send](Request::send) it. If there is none, wait
///    until it is [`due`](Self::due).
/// 2. Pass the result to [`answered`](Self::answered), and act on the [`Outcome`].
///
/// A lease is renewed every half term or up to a tenth of a term earlier, at random, so that
/// holders do not renew in step. A renewal that failed is repeated after a random time of up to a
/// quarter of a term, doubled with each failure in a row up to half a term; a claim after up to a
/// second and 5 seconds, or a tenth and half of a shorter term. Where the store says when a claim
/// can succeed, it is repeated then, or up to a quarter of a term later, at random; until then it
/// looks every half term, because a store that loses data again goes back behind the pause. Claims
/// carry the highest [era](Claim::seen_era) that any of them has seen, which shows that. A lost
/// lease is followed by a new claim, which tries the same node first: after a loss of the store's
/// data, each holder gets its own node back without a search.
///
/// If the clock was set back so far that the generator would have to wait for more than a term, the
/// session claims another node with a window that the clock has reached. It keeps the old lease
/// until then.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
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
}

/// The longest pause after a claim that failed for the first time.
const CLAIM_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause after a claim that failed several times, whatever the term: a node may be
/// released at any time.
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
    /// There is a new lease. A generator of the previous one, if there is one, must be closed and
    /// that lease released.
    Acquired(Lease),
    /// The generator's ceiling rises to the lease's.
    Renewed(Lease),
    /// The lease is over, and its generator must be closed.
    Lost(StoreError),
    /// The store granted a lease whose window starts at or below a tick that this holder has used
    /// under the node, or under one whose IDs are the same. No store that keeps its data does that.
    /// The lease must be released with that tick, and not be used. Another is acquired a term
    /// later.
    Repeated(Lease, u64),
    /// The request will be repeated. Until then the generator issues to the end of its window.
    Failed(StoreError),
}

impl Request {
    /// Sends the request. If the future is dropped, the request may have been carried out; pass it
    /// to [`answered`](LeaseSession::answered) as unreachable then.
    ///
    /// # Errors
    /// Returns the store's.
    pub async fn send(&mut self, store: &Store, realm: &RealmSpec) -> Result<Lease, StoreError> {
        match self {
            Self::Acquire(claim) => store.acquire(realm, claim).await,
            Self::Renew(lease) => store.renew(realm, lease).await,
        }
    }
}

impl LeaseSession {
    /// Creates the session of a holder without a lease. `seed` differs for each holder: it spreads
    /// their requests over time.
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
        }
    }

    /// Returns the realm.
    #[must_use]
    pub fn realm(&self) -> &RealmSpec {
        &self.realm
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
    /// set back.
    #[must_use]
    pub fn due(&self) -> Duration {
        if self.lease.is_some() { self.renewal.due } else { self.acquisition.due }
    }

    /// Returns the time to wait for the answer to a request: a quarter of the term, from 50
    /// milliseconds to 5 seconds. Without a lease nothing is gained by giving up earlier than the
    /// backend does, so a claim has four times that, because many holders may connect to a server
    /// at the same time.
    #[must_use]
    pub fn timeout(&self, request: &Request) -> Duration {
        let terms = self.realm.terms();
        match request {
            Request::Acquire(_) if self.lease.is_none() => terms.longest_timeout(),
            _ => terms.timeout(),
        }
    }

    /// Returns the request to send at the time `now`, if any.
    ///
    /// `tick` is the generator's clock in ticks, if it can be read. `stall` is the time until the
    /// generator can issue by that clock; zero if it can, or if there is none. `draw` draws the
    /// token of a new claim.
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
        let moves = match self.lease {
            Some(lease) if now >= self.renewal.due => return Ok(Some(Request::Renew(lease))),
            Some(_) if tick.is_none() || stall <= self.realm.terms().term => return Ok(None),
            Some(_) => true,
            None => false,
        };
        if now < self.acquisition.due {
            return Ok(None);
        }
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
        let term = self.realm.terms().term;
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
                let early = self.random_below(term / 10);
                let due = asked.saturating_add(term / 2).saturating_sub(early);
                self.renewal = Timer { due, failures: 0 };
                if is_renewal {
                    return Outcome::Renewed(lease);
                }
                self.acquisition = Timer::default();
                Outcome::Acquired(lease)
            }
            Err(error) if is_renewal && error.is_lost() => {
                // The next claim shows this lease: it may be the proof that the store lost data.
                self.lost = self.lease.take().zip(error.lease_end());
                self.acquisition = Timer { due: now, failures: 0 };
                Outcome::Lost(error)
            }
            Err(error) => {
                // No answer, or a refusal that time may lift: again after a pause that grows.
                let timer = if is_renewal { self.renewal } else { self.acquisition };
                let failures = timer.failures.saturating_add(1);
                let due = now.saturating_add(self.pause(&error, is_renewal, failures));
                let timer = Timer { due, failures };
                match request {
                    Request::Renew(_) => self.renewal = timer,
                    Request::Acquire(claim) => {
                        self.acquisition = timer;
                        // A claim of another node is not repeated: when it is carried out at last,
                        // the clock may be right again.
                        self.claim = Some(claim).filter(|_| self.lease.is_none());
                    }
                }
                Outcome::Failed(error)
            }
        }
    }

    /// Notes the highest tick that a generator has used under `node`, once it is closed. From now
    /// on, a lease whose window starts there or below is [refused](Outcome::Repeated).
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
        let due = now.saturating_add(self.realm.terms().term);
        (self.lease, self.claim) = (None, None);
        self.acquisition = Timer { due, failures: 0 };
    }

    /// Returns the time until a failed request is repeated.
    fn pause(&mut self, error: &StoreError, is_renewal: bool, failures: u32) -> Duration {
        let term = self.realm.terms().term;
        match error.refusal() {
            // All holders wait for this moment. Until then they look as often as they would renew:
            // a store that loses data again may grant its nodes in the meantime.
            Some(Refusal::NotYet { from, now }) => {
                let wait = from.saturating_since(*now) + self.random_below(term / 4);
                wait.min(term / 2 - self.random_below(term / 10))
            }
            // Only an operator can change these.
            Some(Refusal::Mismatch(_) | Refusal::EndOfTime { .. } | Refusal::StoreClock { .. }) => {
                term / 2 + self.random_below(term / 2)
            }
            _ => {
                // Most of a window is left when its renewal fails for the first time.
                let (least, most) = match is_renewal {
                    true => (term / 4, term / 2),
                    false => ((term / 10).min(CLAIM_PAUSE), (term / 2).min(LONGEST_CLAIM_PAUSE)),
                };
                let doublings = (failures - 1).min(16);
                self.random_below(least.saturating_mul(1 << doublings).min(most))
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

#[cfg(test)]
mod tests {
    use tickid_core::UnixTime;
    use tickid_core::example::Seconds;

    use super::*;
    use crate::model::record::Version;
    use crate::model::refusal::LeaseEnd;
    use crate::store_error::StoreErrorKind;

    const TERM: Duration = Duration::from_secs(10);
    const NO_STALL: Duration = Duration::ZERO;

    fn session(seed: u64) -> LeaseSession {
        let realm = RealmSpec::new("a".parse().unwrap(), &Seconds, "0-7/8".parse().unwrap());
        LeaseSession::new(realm.unwrap(), "me", seed)
    }

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn lease(token: u128) -> Lease {
        Lease {
            realm: 0,
            node: "1/8".parse().unwrap(),
            token: Token::from_bits(token),
            floor: 1,
            ceiling: 30,
            era: 0,
            version: Version(1),
            granted_at: UnixTime::EPOCH,
        }
    }

    fn unreachable() -> StoreError {
        StoreError::new("test", StoreErrorKind::Unreachable)
    }

    fn refused(refusal: Refusal) -> StoreError {
        StoreError::refused("test", refusal)
    }

    fn exhausted() -> StoreError {
        refused(Refusal::NoFreeNode { nodes: 8, seen: 8, quarantined: 0, free_at: None })
    }

    #[test]
    fn a_first_claim_has_more_time() {
        let mut session = session(7);
        let claim = session.next(secs(100), NO_STALL, 1).unwrap();
        let renewal = Request::Renew(lease(1));
        let timeouts = |session: &LeaseSession| [&claim, &renewal].map(|one| session.timeout(one));
        assert_eq!(timeouts(&session), [TERM, TERM / 4]);
        session.lease = Some(lease(1));
        assert_eq!(timeouts(&session), [TERM / 4, TERM / 4], "it has a lease to keep");
    }

    impl LeaseSession {
        fn next(&mut self, now: Duration, stall: Duration, token: u128) -> Option<Request> {
            self.request(now, Some(5), stall, || Ok(Token::from_bits(token))).unwrap()
        }

        /// Sends the request of that time, and answers it immediately.
        fn answer(&mut self, now: Duration, answer: Result<Lease, StoreError>) -> Outcome {
            let request = self.next(now, NO_STALL, 7).unwrap();
            self.answered(request, now, now, answer)
        }

        /// Holds the lease of token 1, acquired at the time `now`.
        fn holding(mut self, now: Duration) -> Self {
            assert!(matches!(self.answer(now, Ok(lease(1))), Outcome::Acquired(_)));
            self
        }
    }

    #[test]
    fn renews_every_half_term() {
        let mut delays = Vec::new();
        for seed in 0..1_000 {
            let mut session = session(seed).holding(secs(100));
            for _ in 0..3 {
                let (asked, due) = (session.renewal.due, session.due());
                assert_eq!(session.next(due - Duration::from_nanos(1), NO_STALL, 2), None);
                assert!(matches!(session.answer(due, Ok(lease(1))), Outcome::Renewed(_)));
                delays.push(session.due() - asked);
            }
        }
        let (least, most) = (delays.iter().min().unwrap(), delays.iter().max().unwrap());
        assert!(*least >= TERM * 4 / 10 && *least < TERM * 41 / 100, "{least:?}");
        assert!(*most <= TERM / 2 && *most > TERM * 49 / 100, "{most:?}");
    }

    #[test]
    fn renewal_counts_from_request() {
        let mut session = session(1);
        let request = session.next(secs(100), NO_STALL, 1).unwrap();
        session.answered(request, secs(100), secs(103), Ok(lease(1)));
        assert!(session.due() <= secs(105));
    }

    #[test]
    fn retries_back_off_at_random() {
        // Per failure in a row: the shortest and the longest delay of all seeds.
        let mut range = [(Duration::MAX, Duration::ZERO); 6];
        for seed in 0..2_000 {
            let mut session = session(seed).holding(secs(100));
            for (least, most) in &mut range {
                let now = session.due();
                assert!(matches!(session.answer(now, Err(unreachable())), Outcome::Failed(_)));
                let delay = session.due() - now;
                (*least, *most) = ((*least).min(delay), (*most).max(delay));
            }
        }
        for ((least, most), bound) in
            range.into_iter().zip([2_500, 5_000, 5_000, 5_000, 5_000, 5_000])
        {
            assert!(least < TERM / 100, "{least:?}");
            let bound = Duration::from_millis(bound);
            assert!(most <= bound && most > bound * 98 / 100, "{most:?} of {bound:?}");
        }
    }

    /// The store is down for 3 seconds. Requests in between fail immediately.
    #[test]
    fn outages_cost_few_requests() {
        const HOLDERS: u64 = 1_000;
        let (mut failed, mut latest) = (0, Duration::ZERO);
        for seed in 0..HOLDERS {
            let mut session = session(seed).holding(secs(100));
            let back = secs(108);
            let mut now = session.due().max(secs(105));
            while now < back {
                session.answer(now, Err(unreachable()));
                failed += 1;
                now = session.due();
            }
            latest = latest.max(now - back);
        }
        assert!(latest <= TERM / 2, "{latest:?}");
        assert!(failed < 3 * HOLDERS, "{failed}");
    }

    #[test]
    fn a_success_ends_the_back_off() {
        let mut session = session(1).holding(secs(100));
        for _ in 0..20 {
            session.answer(session.due(), Err(unreachable()));
        }
        session.answer(session.due(), Ok(lease(1)));
        let now = session.due();
        session.answer(now, Err(unreachable()));
        assert!(session.due() - now <= TERM / 4);
    }

    #[test]
    fn claims_repeat_as_stored() {
        let mut session = session(1);
        let mut request = session.next(secs(100), NO_STALL, 1).unwrap();
        let Request::Acquire(claim) = &mut request else { unreachable!("there is no lease") };
        assert_eq!((claim.token, claim.holder()), (Token::from_bits(1), "me"));
        claim.attempt = Some("3/8".parse().unwrap());
        session.answered(request.clone(), secs(100), secs(101), Err(unreachable()));
        assert_eq!(session.next(session.due(), NO_STALL, 2), Some(request));
    }

    #[test]
    fn failed_renewal_keeps_lease() {
        let mut session = session(1).holding(secs(100));
        for now in [105, 200] {
            let request = session.next(secs(now), NO_STALL, 2);
            assert_eq!(request, Some(Request::Renew(lease(1))));
            session.answered(request.unwrap(), secs(now), secs(now), Err(unreachable()));
        }
        assert_eq!(session.lease(), Some(&lease(1)));
    }

    #[test]
    fn lost_lease_is_replaced() {
        let mut session = session(1).holding(secs(100));
        let lost = refused(Refusal::Lost { node: lease(1).node, why: LeaseEnd::Token });
        assert!(matches!(session.answer(secs(105), Err(lost)), Outcome::Lost(_)));
        assert_eq!(session.lease(), None);
        let request = session.next(secs(105), NO_STALL, 3);
        let Some(Request::Acquire(claim)) = request else { panic!("{request:?}") };
        assert_eq!((claim.token, claim.attempt), (Token::from_bits(3), Some(lease(1).node)));
    }

    /// The store may lose its data again in the meantime, and grant the nodes.
    #[test]
    fn waiting_claims_look_every_half_term() {
        let time = |at: Duration| UnixTime::EPOCH.checked_add(at).unwrap();
        for seed in 0..1_000 {
            let (mut session, start) = (session(seed), secs(130));
            let mut now = secs(100);
            let mut looks = 0;
            while now < start {
                let not_yet = Refusal::NotYet { from: time(start), now: time(now) };
                session.answer(now, Err(refused(not_yet)));
                let pause = session.due() - now;
                assert!(pause <= TERM / 2, "{pause:?}");
                let left = start - now;
                assert!(pause >= left.min(TERM * 4 / 10), "{pause:?} of {left:?}");
                (now, looks) = (session.due(), looks + 1);
            }
            assert!((6..=8).contains(&looks), "{looks}");
            assert!(now < start + TERM / 4, "{now:?}");
        }
    }

    #[test]
    fn claims_show_the_highest_era_seen() {
        let mut session = session(1);
        let seen = |session: &mut LeaseSession, now, era, answer| {
            let Some(Request::Acquire(mut claim)) = session.next(now, NO_STALL, 7) else {
                panic!("there is no lease");
            };
            let shown = claim.seen_era;
            claim.seen_era = claim.seen_era.max(era);
            session.answered(Request::Acquire(claim), now, now, answer);
            shown
        };
        assert_eq!(seen(&mut session, secs(100), None, Err(unreachable())), None);
        assert_eq!(seen(&mut session, secs(200), Some(3), Err(exhausted())), None);
        assert_eq!(seen(&mut session, secs(300), Some(2), Ok(lease(1))), Some(3));
        let lost = refused(Refusal::Lost { node: lease(1).node, why: LeaseEnd::Era });
        session.answer(secs(400), Err(lost));
        assert_eq!(seen(&mut session, secs(400), None, Ok(lease(1))), Some(3), "a new claim");
    }

    /// The server restarts within a second as another generation, and all leases are lost. The
    /// realm starts again 30 seconds later.
    #[test]
    fn restarts_cost_few_failures() {
        const HOLDERS: u64 = 1_000;
        let (lost_at, back, begins) = (secs(105), secs(106), secs(136));
        let (mut failed, mut latest) = (0, Duration::ZERO);
        for seed in 0..HOLDERS {
            let mut session = session(seed).holding(secs(101));
            let mut now = session.due();
            loop {
                let error = match session.lease() {
                    _ if (lost_at..back).contains(&now) => unreachable(),
                    Some(_) if now < lost_at => {
                        session.answer(now, Ok(lease(1)));
                        now = session.due();
                        continue;
                    }
                    Some(lease) => refused(Refusal::Lost { node: lease.node, why: LeaseEnd::Era }),
                    None if now >= begins => break,
                    None => {
                        let time = |at: Duration| UnixTime::EPOCH.checked_add(at).unwrap();
                        refused(Refusal::NotYet { from: time(begins), now: time(now) })
                    }
                };
                session.answer(now, Err(error));
                failed += 1;
                now = session.due().max(now);
            }
            latest = latest.max(now);
        }
        // Half of these are looks at a realm that has not started, as cheap as renewals.
        assert!(failed < 10 * HOLDERS, "{failed}");
        assert!(latest < begins + secs(5), "{latest:?}");
    }

    #[test]
    fn long_stall_exchanges_node() {
        let mut session = session(1).holding(secs(100));
        let now = secs(101);
        assert_eq!(session.next(now, TERM, 2), None, "as long as the term");
        let more = TERM + Duration::from_micros(1);
        let request = session.next(now, more, 2).unwrap();
        let Request::Acquire(claim) = &request else { unreachable!("no renewal is due") };
        assert_eq!((claim.now, claim.only_started), (Some(5), true));
        let other = Lease { node: "2/8".parse().unwrap(), ..lease(2) };
        let outcome = session.answered(request, now, now, Ok(other));
        assert!(matches!(outcome, Outcome::Acquired(_)));
        assert_eq!(session.lease(), Some(&other));
    }

    /// The next claim shows how the lease ended, also if it is repeated.
    #[test]
    fn lost_leases_are_shown() {
        let mut session = session(1).holding(secs(100));
        let why = LeaseEnd::Overtaken;
        let lost = StoreError::refused("test", Refusal::Lost { node: lease(1).node, why });
        let due = session.due();
        session.next(due, NO_STALL, 2).unwrap();
        session.answer(due, Err(lost));
        let request = session.next(due, NO_STALL, 2);
        let claim = |request: &Option<Request>| match request {
            Some(Request::Acquire(claim)) => (claim.lost, claim.attempt),
            other => panic!("{other:?}"),
        };
        let shown = (Some((lease(1), why)), Some(lease(1).node));
        assert_eq!(claim(&request), shown);
        session.answered(request.unwrap(), due, due, Err(unreachable()));
        assert_eq!(claim(&session.next(secs(200), NO_STALL, 3)), shown);
    }

    /// Also under nodes that share its IDs, and while the present lease continues.
    #[test]
    fn own_ticks_are_not_used_again() {
        let grant = |node: &str, floor| Lease { node: node.parse().unwrap(), floor, ..lease(2) };
        let cases = [
            ("1/8", 20, true),
            ("1/8", 21, false),
            ("0/7", 20, true),
            ("3/9", 20, true),
            ("2/8", 1, false),
        ];
        for (node, floor, is_repeated) in cases {
            let mut session = session(1);
            session.note_used("1/8".parse().unwrap(), 20);
            session.note_used("1/8".parse().unwrap(), 9);
            let request = session.next(secs(1), NO_STALL, 2).unwrap();
            let granted = grant(node, floor);
            let outcome = session.answered(request, secs(1), secs(2), Ok(granted));
            match outcome {
                Outcome::Repeated(lease, 20) if is_repeated => {
                    assert_eq!((lease, session.lease()), (granted, None));
                    assert_eq!(session.due(), secs(2) + TERM);
                }
                Outcome::Acquired(lease) if !is_repeated => assert_eq!(lease, granted),
                outcome => panic!("{node}, {floor}: {outcome:?}"),
            }
        }
        let mut session = session(1).holding(secs(100));
        let request = session.next(secs(101), secs(3_600), 2).unwrap();
        let present = *session.lease().unwrap();
        let granted = Lease { floor: present.ceiling - 1, ..present };
        let outcome = session.answered(request, secs(101), secs(101), Ok(granted));
        assert!(matches!(outcome, Outcome::Repeated(..)), "{outcome:?}");
        assert_eq!(session.lease(), Some(&present));
    }

    #[test]
    fn old_node_kept_until_replaced() {
        let mut session = session(1).holding(secs(100));
        let now = secs(101);
        let request = session.next(now, secs(3_600), 2).unwrap();
        session.answered(request, now, now, Err(exhausted()));
        assert_eq!(session.lease(), Some(&lease(1)));
        assert!(session.acquisition.due > now && session.acquisition.due <= now + TERM / 10);
        // It is still renewed, and the next attempt is a new claim.
        let due = session.renewal.due;
        assert_eq!(session.next(due, secs(3_600), 3), Some(Request::Renew(lease(1))));
        session.answer(due, Ok(lease(1)));
        let request = session.next(due, secs(3_600), 3);
        assert!(
            matches!(&request, Some(Request::Acquire(claim)) if claim.token == Token::from_bits(3))
        );
        assert_eq!(session.next(due, NO_STALL, 4), None, "the clock is right again");
    }

    #[test]
    fn unreadable_clock_moves_nothing() {
        let mut session = session(1).holding(secs(100));
        let draw = || Ok(Token::from_bits(2));
        assert_eq!(session.request(secs(101), None, Duration::MAX, draw).unwrap(), None);
    }
}
