use core::time::Duration;

use crate::error::StoreError;
use crate::realm::{Realm, RealmName};
use crate::record::{Claim, Hold, NoRandomness, Token};
use crate::rules::Refusal;
use crate::store::{Answer, Grant, Store};

/// What a holder has to ask its store for, and when. It does no I/O and has no clock: time comes in, as
/// passed since some fixed moment *by a clock that counts a suspend*, and a duty comes out.
///
/// [`Keeper`](crate::Keeper) runs one on a thread. Who has an executor of their own may run one there:
///
/// 1. ask for the [`duty`](Self::duty), and when it is a [`Request`], [send](Request::send) it,
/// 2. tell what was [`answered`](Self::answered), and do what the [`Outcome`] says,
/// 3. begin again.
///
/// A lease is renewed every half term, counted from when the last request was sent. What fails is tried
/// again every tenth of a term. A lease that is lost is never taken up again: the next is a new one.
#[derive(Clone, Debug)]
pub struct Agenda {
    realm: Realm,
    holder: String,
    state: State,
    /// Before that, nothing is due.
    due: Duration,
}

#[derive(Clone, Debug)]
enum State {
    /// Without a lease; with a claim once one was sent.
    Vacant(Option<Claim>),
    Holding(Hold),
}

/// What is to be done now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Duty {
    /// Nothing before that time.
    Wait(Duration),
    /// To ask the store.
    Ask(Request),
}

/// What to ask the store for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// A lease.
    Acquire(Claim),
    /// More of the lease.
    Renew(Hold),
}

/// What an answer means for the holder.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// A new lease: a new engine is to be made, and the old one, if there is one, to be closed.
    Granted(Grant),
    /// The engine's ceiling is to be raised to the grant's.
    Renewed(Grant),
    /// The lease is over: the engine is to be closed.
    Lost(StoreError),
    /// It is tried again later. Meanwhile the engine issues to the end of its window.
    Failed(StoreError),
}

impl Request {
    /// Asks `store`.
    pub fn send<'a>(&'a self, store: &'a dyn Store, realm: &'a Realm) -> Answer<'a, Grant> {
        match self {
            Self::Acquire(claim) => store.acquire(realm, claim),
            Self::Renew(hold) => store.renew(realm.name(), hold),
        }
    }
}

impl Agenda {
    /// The agenda of a holder without a lease, who wants one at once.
    #[must_use]
    pub fn new(realm: Realm, holder: &str) -> Self {
        let state = State::Vacant(None);
        Self { realm, holder: holder.to_owned(), state, due: Duration::ZERO }
    }

    /// The realm it leases from.
    #[must_use]
    pub fn realm(&self) -> &Realm {
        &self.realm
    }

    /// The realm's name.
    #[must_use]
    pub fn realm_name(&self) -> &RealmName {
        self.realm.name()
    }

    /// The lease it has.
    #[must_use]
    pub fn hold(&self) -> Option<Hold> {
        match self.state {
            State::Holding(hold) => Some(hold),
            State::Vacant(_) => None,
        }
    }

    /// What is to be done at the time `now`. `tick` is what the generators' clock shows, in the realm's
    /// ticks, if it can be told; `draw` gives a token for a new claim.
    ///
    /// # Errors
    /// [`NoRandomness`] from `draw`.
    pub fn duty(
        &mut self,
        now: Duration,
        tick: Option<u64>,
        draw: impl FnOnce() -> Result<Token, NoRandomness>,
    ) -> Result<Duty, NoRandomness> {
        if now < self.due {
            return Ok(Duty::Wait(self.due));
        }
        let request = match &mut self.state {
            State::Holding(hold) => Request::Renew(*hold),
            State::Vacant(Some(claim)) => {
                claim.now = tick;
                Request::Acquire(claim.clone())
            }
            State::Vacant(none) => {
                let claim = Claim::new(draw()?, &self.holder, tick);
                Request::Acquire(none.insert(claim).clone())
            }
        };
        Ok(Duty::Ask(request))
    }

    /// Takes in what the store answered, at the time `now`, to the duty of the time `asked`.
    pub fn answered(
        &mut self,
        asked: Duration,
        now: Duration,
        answer: Result<Grant, StoreError>,
    ) -> Outcome {
        let term = self.realm.terms().term;
        match answer {
            Ok(grant) => {
                self.due = asked.saturating_add(term / 2);
                match core::mem::replace(&mut self.state, State::Holding(grant.hold)) {
                    State::Vacant(_) => Outcome::Granted(grant),
                    State::Holding(_) => Outcome::Renewed(grant),
                }
            }
            Err(error) if error.is_lost() && self.hold().is_some() => {
                self.state = State::Vacant(None);
                self.due = now;
                Outcome::Lost(error)
            }
            Err(error) => {
                self.due = now.saturating_add(self.pause(&error));
                Outcome::Failed(error)
            }
        }
    }

    /// The lease was given back: it could not be used. The next one is asked for after a term.
    pub fn give_up(&mut self, now: Duration) {
        self.state = State::Vacant(None);
        self.due = now.saturating_add(self.realm.terms().term);
    }

    /// For how long not to ask again.
    fn pause(&self, error: &StoreError) -> Duration {
        let soon = self.realm.terms().term / 10;
        match error.refusal() {
            // Waiting does not help these; people have to do something first.
            Some(Refusal::Mismatch(_) | Refusal::EndOfTime { .. } | Refusal::StoreClock { .. }) => {
                self.realm.terms().term
            }
            _ => soon,
        }
    }
}

#[cfg(test)]
mod tests {
    use tickid_core::UnixTime;
    use tickid_core::example::Seconds;

    use super::*;
    use crate::error::StoreErrorKind;
    use crate::rules::Loss;

    const TERM: Duration = Duration::from_secs(10);

    fn agenda() -> Agenda {
        let realm = Realm::new("a".parse().unwrap(), &Seconds, "0-7/8".parse().unwrap()).unwrap();
        Agenda::new(realm, "me")
    }

    fn duty(agenda: &mut Agenda, now: u64, token: u128) -> Duty {
        agenda.duty(Duration::from_secs(now), Some(5), || Ok(Token::from_bits(token))).unwrap()
    }

    fn answered(agenda: &mut Agenda, asked: u64, answer: Result<Grant, StoreError>) -> Outcome {
        let asked = Duration::from_secs(asked);
        agenda.answered(asked, asked + Duration::from_secs(1), answer)
    }

    fn grant(token: u128) -> Grant {
        let hold = Hold { node: "1/8".parse().unwrap(), token: Token::from_bits(token), floor: 1 };
        Grant { hold, ceiling: 30, now: UnixTime::EPOCH }
    }

    fn claim(token: u128) -> Duty {
        Duty::Ask(Request::Acquire(Claim::new(Token::from_bits(token), "me", Some(5))))
    }

    fn unreachable() -> StoreError {
        StoreError::new("test", StoreErrorKind::Unreachable)
    }

    fn lost() -> StoreError {
        let node = "1/8".parse().unwrap();
        StoreError::refused("test", Refusal::Lost { node, why: Loss::Token })
    }

    #[test]
    fn renews_every_half_term_from_when_it_asked() {
        let mut agenda = agenda();
        assert_eq!(duty(&mut agenda, 100, 1), claim(1));
        assert!(matches!(answered(&mut agenda, 100, Ok(grant(1))), Outcome::Granted(_)));
        assert_eq!(duty(&mut agenda, 104, 2), Duty::Wait(Duration::from_secs(105)));
        assert_eq!(duty(&mut agenda, 105, 2), Duty::Ask(Request::Renew(grant(1).hold)));
        assert!(matches!(answered(&mut agenda, 105, Ok(grant(1))), Outcome::Renewed(_)));
        assert_eq!(duty(&mut agenda, 106, 2), Duty::Wait(Duration::from_secs(110)));
    }

    #[test]
    fn asks_again_with_the_same_claim_until_there_is_an_answer() {
        let mut agenda = agenda();
        assert_eq!(duty(&mut agenda, 100, 1), claim(1));
        assert!(matches!(answered(&mut agenda, 100, Err(unreachable())), Outcome::Failed(_)));
        let again = Duration::from_secs(101) + TERM / 10;
        assert_eq!(duty(&mut agenda, 101, 2), Duty::Wait(again));
        assert_eq!(duty(&mut agenda, 102, 2), claim(1));
    }

    #[test]
    fn a_renewal_without_an_answer_is_tried_again_and_the_lease_kept() {
        let mut agenda = agenda();
        duty(&mut agenda, 100, 1);
        answered(&mut agenda, 100, Ok(grant(1)));
        for now in [105, 200] {
            assert_eq!(duty(&mut agenda, now, 2), Duty::Ask(Request::Renew(grant(1).hold)));
            let outcome = answered(&mut agenda, now, Err(unreachable()));
            assert!(matches!(outcome, Outcome::Failed(_)));
        }
        assert_eq!(agenda.hold(), Some(grant(1).hold));
    }

    #[test]
    fn a_lost_lease_is_followed_at_once_by_a_new_claim() {
        let mut agenda = agenda();
        duty(&mut agenda, 100, 1);
        answered(&mut agenda, 100, Ok(grant(1)));
        duty(&mut agenda, 105, 2);
        assert!(matches!(answered(&mut agenda, 105, Err(lost())), Outcome::Lost(_)));
        assert_eq!(agenda.hold(), None);
        assert_eq!(duty(&mut agenda, 106, 3), claim(3));
    }
}
