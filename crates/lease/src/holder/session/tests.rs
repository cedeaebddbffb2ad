//! The requests that a session makes, and when, by the answers that it gets.

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
        terms: session(0).realm().terms(),
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

/// Half of what is left of the window stays for another attempt, since a connection may be dead,
/// but none has less time than the first.
#[test]
fn silence_is_followed_by_more_patience() {
    let mut session = session(1).holding(secs(100));
    let ceiling = lease(1).ceiling;
    let mut timeout = |left: u64, answer| {
        let (now, draw) = (session.due(), || Ok(Token::from_bits(2)));
        let tick = ceiling.checked_sub(left);
        let request = session.request(now, tick, NO_STALL, draw).unwrap().unwrap();
        let timeout = session.timeout(&request);
        session.answered(request, now, now, answer);
        timeout.as_millis()
    };
    let mut silent = |left| timeout(left, Err(unreachable()));
    assert_eq!([25, 24, 22, 20].map(&mut silent), [2_500, 5_000, 10_000, 10_000]);
    assert_eq!([12, 7, 5, 1].map(&mut silent), [6_000, 3_500, 2_500, 2_500]);
    // Nothing is left to keep: a short one and a long one by turns.
    assert_eq!([0; 5].map(&mut silent), [2_500, 10_000, 2_500, 10_000, 2_500]);
    assert_eq!(timeout(25, Err(exhausted())), 10_000, "not a silence");
    assert_eq!(timeout(25, Ok(lease(1))), 10_000);
    assert_eq!(timeout(25, Err(unreachable())), 2_500);
}

/// Its answer has brought what the next one needs. A store that always answers so is asked no more
/// often than one that fails.
#[test]
fn outdated_renewals_are_sent_again_at_once() {
    let mut session = session(1).holding(secs(100));
    let outdated = || Err(StoreError::new("test", StoreErrorKind::Outdated));
    let mut now = session.due();
    for _ in 0..2 {
        for _ in 0..3 {
            let request = session.next(now, NO_STALL, 2).unwrap();
            assert_eq!(session.timeout(&request), TERM / 4);
            let asked = now;
            now += secs(1);
            assert!(matches!(session.answered(request, asked, now, outdated()), Outcome::Outdated));
            assert_eq!(session.due(), now);
        }
        assert!(matches!(session.answer(now, outdated()), Outcome::Failed(_)));
        assert!(session.due() > now);
        now = session.due();
    }
    assert!(matches!(session.answer(now, outdated()), Outcome::Outdated));
    assert!(matches!(session.answer(now, Ok(lease(1))), Outcome::Renewed(_)));
    assert!(session.due() > now + TERM / 3);
}

/// Only if the time that every store has is over: otherwise it is not the distance.
#[test]
fn distant_stores_are_told_the_bound() {
    for (took, is_named) in [(2_499, false), (2_500, true)] {
        let mut session = session(1).holding(secs(100));
        let asked = session.due();
        let request = session.next(asked, NO_STALL, 2).unwrap();
        let answered = asked + Duration::from_millis(took);
        let outcome = session.answered(request, asked, answered, Err(unreachable()));
        let Outcome::Failed(error) = outcome else { panic!("{outcome:?}") };
        let bound = "not answered within 2.5s; a store is too far away for a term of 10s";
        assert_eq!(format!("{error:?}").contains(bound), is_named, "{error:?}");
        assert!(error.is_unreachable());
    }
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
    for ((least, most), bound) in range.into_iter().zip([2_500, 5_000, 5_000, 5_000, 5_000, 5_000])
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

/// Returns the time from the end of an outage until a renewal is answered. Requests during the
/// outage are never answered, and later ones after `delay`.
fn recovers_after(seed: u64, outage: Duration, delay: Duration) -> Duration {
    let mut session = session(seed).holding(secs(100));
    let (start, end) = (secs(102), secs(102) + outage);
    loop {
        let asked = session.due();
        // The window is one of 29 s from the start of the session.
        let tick = Some(1 + asked.saturating_sub(secs(100)).as_secs());
        let request = session.request(asked, tick, NO_STALL, || Ok(Token::from_bits(2))).unwrap();
        let request = request.unwrap();
        let timeout = session.timeout(&request);
        if asked < start || asked >= end && timeout >= delay {
            return asked + delay - end;
        }
        assert!(asked < end + 10 * TERM, "{seed}: not found");
        session.answered(request, asked, asked + timeout, Err(unreachable()));
    }
}

/// The end of an outage in which nothing refuses requests, such as one of the network, finds each
/// holder waiting for an answer that never comes.
#[test]
fn silent_outages_end_soon() {
    const HOLDERS: u32 = 1_000;
    for outage in [40, 60, 300].map(secs) {
        let times = (0..HOLDERS).map(|seed| {
            let spread = Duration::from_millis(10) * seed;
            recovers_after(seed.into(), outage + spread, Duration::ZERO)
        });
        let times: Vec<_> = times.collect();
        let (most, sum) = (*times.iter().max().unwrap(), times.iter().sum::<Duration>());
        assert!(most <= TERM + TERM / 16, "{outage:?}: {most:?}");
        assert!(sum / HOLDERS <= TERM / 2, "{outage:?}: {:?} on average", sum / HOLDERS);
    }
}

/// It takes longer for an answer than the first request has.
#[test]
fn slow_stores_are_found_after_the_window() {
    for delay in [3, 9].map(secs) {
        for seed in 0..1_000 {
            let took = recovers_after(seed, secs(60), delay);
            assert!(took <= 3 * TERM, "{delay:?}: {took:?}");
        }
    }
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
            let not_yet = Refusal::NotYet { from: time(start), now: time(now), why: None };
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
                    refused(Refusal::NotYet { from: time(begins), now: time(now), why: None })
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

    // A claim of another node was unanswered before.
    let mut session = self::session(1).holding(secs(100));
    let request = session.next(secs(101), secs(3_600), 2).unwrap();
    session.answered(request, secs(101), secs(101), Err(unreachable()));
    let due = session.due();
    session.answer(due, Err(refused(Refusal::Lost { node: lease(1).node, why })));
    assert_eq!(claim(&session.next(due, NO_STALL, 3)), shown);
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
            outcome @ (Outcome::Acquired(_)
            | Outcome::Renewed(_)
            | Outcome::Repeated(..)
            | Outcome::Lost(_)
            | Outcome::Outdated
            | Outcome::Failed(_)) => panic!("{node}, {floor}: {outcome:?}"),
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
    // The lease is still renewed, and the next attempt repeats the claim, which may have been
    // carried out.
    let due = session.renewal.due;
    assert_eq!(session.next(due, secs(3_600), 3), Some(Request::Renew(lease(1))));
    session.answer(due, Ok(lease(1)));
    let token = |request: Option<Request>| match request {
        Some(Request::Acquire(claim)) => claim.token,
        other => panic!("{other:?}"),
    };
    let request = session.next(due, secs(3_600), 3);
    session.answered(request.clone().unwrap(), due, due, Err(unreachable()));
    assert_eq!(token(request), Token::from_bits(2));
    assert_eq!(session.next(due, NO_STALL, 4), None, "the clock is right again");
    // The next time it is wrong is another matter.
    assert_eq!(token(session.next(due + secs(1), secs(3_600), 5)), Token::from_bits(5));
}

#[test]
fn unreadable_clock_moves_nothing() {
    let mut session = session(1).holding(secs(100));
    let draw = || Ok(Token::from_bits(2));
    assert_eq!(session.request(secs(101), None, Duration::MAX, draw).unwrap(), None);
}

/// An operator may shorten the term while a holder has a lease. By its first term, it would then
/// renew after the window has ended.
#[test]
fn the_terms_are_those_of_the_lease() {
    let mut session = session(1).holding(secs(100));
    let asked = session.due();
    let mut shorter = lease(1);
    shorter.terms.term = TERM / 5;
    let renewal = session.next(asked, NO_STALL, 2).unwrap();
    session.answered(renewal, asked, asked, Ok(shorter));
    let pause = session.due() - asked;
    assert!((TERM / 5 * 4 / 10..=TERM / 10).contains(&pause), "{pause:?}");
    assert_eq!(session.timeout(&Request::Renew(shorter)), TERM / 20);
    // Without a lease, the session has the terms that it claims by.
    session.give_up(asked);
    assert_eq!(session.terms().term, TERM);
}
