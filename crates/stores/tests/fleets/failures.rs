//! Failures that a fleet of holders survives.

use core::time::Duration;
use std::collections::BTreeSet;
use std::time::Instant;

use tickid_lease::RealmBuilder;
use tickid_lease::admin::Terms;
use tickid_lease::session::{ReasonCounts, WaitReason};
use tickid_sno::Sno;
use tickid_testkit::servers::Test;

use crate::fleet::{self, Fleet, Holder};
use crate::servers::FleetServer;

pub(crate) fn tests<G: FleetServer>() -> Vec<Test<G>> {
    vec![
        ("a_herd_gets_nodes", a_herd_gets_nodes),
        ("an_outage_stops_no_holder", an_outage_stops_no_holder),
        ("after_a_loss_all_issue_again", after_a_loss_all_issue_again),
    ]
}

/// The size of a fleet, and its terms.
struct Setup {
    holders: usize,
    term: Duration,
    skew: Duration,
    outage: Duration,
    /// The promised times and numbers of failed requests are asserted.
    is_timed: bool,
}

impl Setup {
    /// Returns the setup that the environment asks for, with at most so many holders.
    fn of_environment(most: usize) -> Self {
        match std::env::var("TICKID_HOLDERS") {
            Ok(holders) => Self {
                holders: most.min(holders.parse().unwrap()),
                term: Terms::DEFAULT_TERM,
                skew: Terms::DEFAULT_SKEW,
                outage: Duration::from_secs(3),
                is_timed: true,
            },
            Err(_) => Self {
                holders: 30,
                // A busy machine may take seconds to start a server again.
                term: Duration::from_secs(4),
                skew: Duration::from_secs(1),
                outage: Duration::from_millis(450),
                is_timed: false,
            },
        }
    }

    fn assert_within(&self, time: Duration, most: Duration, what: &str) {
        assert!(!self.is_timed || time <= most, "{what}: {time:?}, more than {most:?}");
    }
}

/// Holders with default terms: requests have the default timeouts.
fn a_herd_gets_nodes<G: FleetServer>(_: &G) {
    let (setup, server) = (Setup::of_environment(usize::MAX), G::start().unwrap());
    let realm = fleet::begin(&server.url(), setup.holders, |realm| realm);
    let fleet = Fleet::start(&server.url(), realm, setup.holders);
    let all = fleet.holders();
    let nodes: BTreeSet<_> = all.iter().map(|holder| holder.lease().unwrap().node).collect();
    let last = all.iter().map(|holder| holder.started_after).max().unwrap();
    let failed: u64 = all.iter().map(|holder| holder.failed_first).sum();
    let most = all.iter().map(|holder| holder.failed_first).max().unwrap();
    println!(
        "shown: {}, {} holders start at once: all have an ID after {}, {failed} failed requests, at most \
         {most} of a holder",
        G::NAME,
        all.len(),
        secs(last)
    );
    assert_eq!(nodes.len(), setup.holders);
    assert!(!setup.is_timed || most < 3, "{most} failed requests of a holder");
    setup.assert_within(last, Duration::from_secs(15), "the last holder's first ID");
}

fn an_outage_stops_no_holder<G: FleetServer>(_: &G) {
    let (setup, server) = (Setup::of_environment(G::RENEWING), G::start().unwrap());
    let mut fleet = start(&server, &setup);
    let before: Vec<ReasonCounts> = fleet.holders().iter().map(Holder::failures).collect();
    let bring_back = server.interrupt();
    fleet.issue_for(setup.outage);
    let renewals: Vec<u64> = fleet.holders().iter().map(Holder::renewals).collect();
    bring_back();
    let times = fleet.until(true, |number, holder, _| holder.renewals() > renewals[number]);
    let failed = Failed::since(&before, fleet.holders());
    let most = times[times.len() * 95 / 100 - 1];
    println!(
        "shown: {}, {} holders, down for {}: no holder stopped within its window, 95 % have \
         renewed after {}, all after {}, {failed}; {} IDs",
        G::NAME,
        times.len(),
        secs(setup.outage),
        secs(most),
        secs(times[times.len() - 1]),
        fleet.check_ids(),
    );
    setup.assert_within(most, Duration::from_secs(10), "95 % have renewed");
}

fn after_a_loss_all_issue_again<G: FleetServer>(_: &G) {
    let (setup, server) = (Setup::of_environment(G::RENEWING), G::start().unwrap());
    let mut fleet = start(&server, &setup);
    let before: Vec<ReasonCounts> = fleet.holders().iter().map(Holder::failures).collect();
    let down = Instant::now();
    let come_back = server.crash();
    fleet.issue_for(setup.outage);
    let token = |holder: &Holder| Some(holder.lease()?.token);
    let tokens: Vec<_> = fleet.holders().iter().map(token).collect();
    come_back();
    let down = down.elapsed();
    let times = fleet.until(false, |number, holder, id| {
        id.is_some() && token(holder).is_some_and(|token| tokens[number] != Some(token))
    });
    let failed = Failed::since(&before, fleet.holders());
    let ticks = fleet.realm().spec().max_ahead() * fleet.realm().spec().scale().micros_per_tick();
    let (last, ahead) = (times[times.len() - 1], Duration::from_micros(ticks));
    println!(
        "shown: {}, {} holders, back without their leases after {}: 95 % issue again after {}, \
         all after {}, twice ahead being {}, {failed}; {} IDs",
        G::NAME,
        times.len(),
        secs(down),
        secs(times[times.len() * 95 / 100 - 1]),
        secs(last),
        secs(ahead),
        fleet.check_ids(),
    );
    // Five each, and if the server takes long to start, one more for each quarter of a term: the
    // back-off ends at random pauses of up to half a term.
    let longer = down.saturating_sub(setup.outage).as_secs_f64() / (setup.term / 4).as_secs_f64();
    let (each, most) = (failed.sum() as f64 / times.len() as f64, 5.0 + longer);
    let is_few = !setup.is_timed || each < most;
    assert!(is_few, "{each:.1} failed requests per holder, at most {most:.1} expected");
    setup.assert_within(last, ahead + Duration::from_secs(5), "all issue again");
}

/// Starts a fleet that a crash of the server takes back to its start. Returns when the first
/// holders renew; the others are due next.
fn start<G: FleetServer>(server: &G, setup: &Setup) -> Fleet {
    let options = |realm: RealmBuilder<Sno>| realm.term(setup.term).skew(setup.skew);
    let realm = fleet::begin(&server.url(), setup.holders, options);
    server.back_up();
    let mut fleet = Fleet::start(&server.url(), realm, setup.holders);
    while fleet.holders().iter().all(|holder| holder.renewals() == 0) {
        fleet.issue();
    }
    fleet
}

/// The number of failed requests of a fleet.
struct Failed {
    /// Without an answer.
    silent: u64,
    /// Without a free node, or before one can be granted.
    no_free_node: u64,
    other: u64,
    /// The number of the holder that has most.
    most: u64,
}

impl Failed {
    fn sum(&self) -> u64 {
        self.silent + self.no_free_node + self.other
    }

    fn since(before: &[ReasonCounts], holders: &[Holder]) -> Self {
        let mut failed = Self { silent: 0, no_free_node: 0, other: 0, most: 0 };
        for (holder, before) in holders.iter().zip(before) {
            let now = holder.failures();
            for (reason, count) in now.iter() {
                let failed = match reason {
                    WaitReason::Unreachable => &mut failed.silent,
                    WaitReason::NoFreeNode | WaitReason::NotStarted => &mut failed.no_free_node,
                    WaitReason::Stalled(_)
                    | WaitReason::Acquiring
                    | WaitReason::Refused
                    | WaitReason::Failed => &mut failed.other,
                    _ => &mut failed.other,
                };
                *failed += count - before.of(reason);
            }
            failed.most = failed.most.max(now.total() - before.total());
        }
        failed
    }
}

impl core::fmt::Display for Failed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { silent, no_free_node, other, most } = self;
        write!(
            f,
            "{} failed requests ({silent} without an answer, {no_free_node} without a node, {other} \
             others), at most {most} of a holder",
            self.sum()
        )
    }
}

fn secs(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
