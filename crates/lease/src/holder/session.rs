use core::time::Duration;
use std::io;

use crate::error::StoreError;
use crate::model::lease::{Claim, Lease, Token, mix};
use crate::model::realm::RealmSpec;
use crate::model::rules::Refusal;
use crate::store::Store;

/// The requests that a holder has to send to its store, and their times.
///
/// It does no I/O and has no clock: times are passed in, as the time since some fixed moment by a clock
/// that never steps and counts suspends. [`LeasedGenerator`](crate::LeasedGenerator) runs a session on a
/// thread. To run one elsewhere, repeat:
///
/// 1. Take the next [`request`](Self::request) and [send](Request::send) it. If there is none, wait
///    until it is [`due`](Self::due).
/// 2. Pass the result to [`answered`](Self::answered), and do what the [`Outcome`] says.
///
/// A lease is renewed every half term or up to a tenth of a term earlier, at random, so that holders do
/// not renew in step. A request that failed is repeated after a random time of up to a tenth of a term,
/// doubled with each failure in a row up to half a term. A lost lease is followed by a new claim.
///
/// If the clock was set back so far that the generator would have to wait for more than a term, the
/// session claims another node, whose window the clock has reached. It keeps the old lease until then.
#[derive(Clone, Debug)]
pub struct LeaseSession {
    realm: RealmSpec,
    holder: String,
    /// Counts the random numbers drawn, from a seed on.
    random: u64,
    lease: Option<Lease>,
    /// The claim that was last sent without success, while there is no lease.
    claim: Option<Claim>,
    renewal: Timer,
    acquisition: Timer,
}

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
    /// For a lease.
    Acquire(Claim),
    /// For a higher ceiling.
    Renew(Lease),
}

/// The consequence of a store's answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// There is a new lease. A generator of the previous one, if there is one, must be closed and that
    /// lease released.
    Acquired(Lease),
    /// The generator's ceiling rises to the lease's.
    Renewed(Lease),
    /// The lease is over, and its generator must be closed.
    Lost(StoreError),
    /// The request will be repeated. Until then the generator issues to the end of its window.
    Failed(StoreError),
}

impl Request {
    /// Sends the request. If the future is dropped, the request may have been carried out; pass it to
    /// [`answered`](LeaseSession::answered) as unreachable then.
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
    pub fn new(realm: RealmSpec, holder: &str, seed: u64) -> Self {
        Self {
            realm,
            holder: holder.to_owned(),
            random: seed,
            lease: None,
            claim: None,
            renewal: Timer::default(),
            acquisition: Timer::default(),
        }
    }

    /// Returns the realm.
    #[must_use]
    pub fn realm(&self) -> &RealmSpec {
        &self.realm
    }

    /// Returns the lease, if there is one.
    #[must_use]
    pub fn lease(&self) -> Option<&Lease> {
        self.lease.as_ref()
    }

    /// Returns the time before which there is no [`request`](Self::request), unless the clock is set
    /// back.
    #[must_use]
    pub fn due(&self) -> Duration {
        if self.lease.is_some() { self.renewal.due } else { self.acquisition.due }
    }

    /// Returns the request to send at the time `now`, if any.
    ///
    /// `tick` is the generator's clock in ticks, if it can be read. `stall` is the time until the
    /// generator can issue by that clock; zero if it can, or if there is none. `draw` draws the token of
    /// a new claim.
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
            None => Claim::new(draw()?, &self.holder, None),
        };
        (claim.now, claim.at_once) = (tick, moves);
        Ok(Some(Request::Acquire(claim)))
    }

    /// Takes the answer, received at the time `now`, to a request of the time `asked`.
    pub fn answered(
        &mut self,
        request: Request,
        asked: Duration,
        now: Duration,
        answer: Result<Lease, StoreError>,
    ) -> Outcome {
        let term = self.realm.terms().term;
        let is_renewal = matches!(request, Request::Renew(_));
        match answer {
            Ok(lease) => {
                self.lease = Some(lease);
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
                self.lease = None;
                self.acquisition = Timer { due: now, failures: 0 };
                Outcome::Lost(error)
            }
            Err(error) => {
                let timer = if is_renewal { self.renewal } else { self.acquisition };
                let failures = timer.failures.saturating_add(1);
                let due = now.saturating_add(self.pause(&error, failures));
                let timer = Timer { due, failures };
                match request {
                    Request::Renew(_) => self.renewal = timer,
                    Request::Acquire(claim) => {
                        self.acquisition = timer;
                        // A claim of another node is not repeated: when it is carried out at last, the
                        // clock may be right again.
                        self.claim = Some(claim).filter(|_| self.lease.is_none());
                    }
                }
                Outcome::Failed(error)
            }
        }
    }

    /// Gives up a lease that was released because it could not be used. The next is acquired a term
    /// later.
    pub fn give_up(&mut self, now: Duration) {
        let due = now.saturating_add(self.realm.terms().term);
        (self.lease, self.claim) = (None, None);
        self.acquisition = Timer { due, failures: 0 };
    }

    /// Returns the time until a failed request is repeated.
    fn pause(&mut self, error: &StoreError, failures: u32) -> Duration {
        let term = self.realm.terms().term;
        match error.refusal() {
            Some(Refusal::NotYet { from, now }) => {
                let scale = self.realm.scale();
                let longest = scale.time_of(self.realm.max_ahead()).saturating_since(scale.epoch());
                from.saturating_since(*now).min(longest) + self.random_below(term / 10)
            }
            // Only people can change these.
            Some(Refusal::Mismatch(_) | Refusal::EndOfTime { .. } | Refusal::StoreClock { .. }) => {
                term / 2 + self.random_below(term / 2)
            }
            _ => {
                let doubled = 1_u32.checked_shl(failures - 1).unwrap_or(u32::MAX);
                self.random_below((term / 10).saturating_mul(doubled).min(term / 2))
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
