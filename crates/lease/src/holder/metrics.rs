//! The metrics of leased generators, for any exporter.

use core::time::Duration;

use metrics::{counter, gauge, histogram};

use crate::holder::counters::Counters;
use crate::holder::session::Request;
use crate::holder::state::LeaseState;
use crate::model::realm_spec::RealmName;

/// The metrics of one leased generator. Its documentation lists them.
#[derive(Debug)]
pub(super) struct HolderMetrics {
    realm: String,
    /// The counters as they were last reported.
    reported: Counters,
}

impl HolderMetrics {
    pub(super) fn new(realm: &RealmName) -> Self {
        Self { realm: realm.to_string(), reported: Counters::default() }
    }

    /// Reports the present state.
    pub(super) fn update(&mut self, state: &LeaseState) {
        let realm = || self.realm.clone();
        gauge!("tickid_lease_window_seconds", "realm" => realm())
            .set(state.window_left.as_secs_f64());
        if let Some(renewed_at) = state.renewed_at {
            gauge!("tickid_lease_renewed_timestamp_seconds", "realm" => realm())
                .set(renewed_at.as_micros() as f64 / 1e6);
        }
        // The state has totals, and the recorder wants increments: it may be shared by several
        // generators of one realm, whose totals add up.
        let (now, before) = (&state.counters, &self.reported);
        for (name, now, before) in [
            ("tickid_lease_leases_total", now.leases, before.leases),
            ("tickid_lease_renewals_total", now.renewals, before.renewals),
            ("tickid_lease_losses_total", now.losses, before.losses),
            ("tickid_lease_moves_total", now.moves, before.moves),
        ] {
            counter!(name, "realm" => realm()).increment(now - before);
        }
        for (name, now, before) in [
            ("tickid_lease_failures_total", now.failures, before.failures),
            ("tickid_lease_stalls_total", now.stalls, before.stalls),
        ] {
            for (reason, count) in now.iter() {
                counter!(name, "realm" => realm(), "reason" => reason.label())
                    .increment(count - before.of(reason));
            }
        }
        self.reported = state.counters;
    }

    /// Reports the time that the store took for an answer.
    pub(super) fn answered(&self, request: &Request, is_ok: bool, latency: Duration) {
        let request = match request {
            Request::Acquire(_) => "acquire",
            Request::Renew(_) => "renew",
        };
        let outcome = if is_ok { "granted" } else { "failed" };
        let realm = self.realm.clone();
        histogram!(
            "tickid_lease_request_seconds",
            "realm" => realm, "request" => request, "outcome" => outcome
        )
        .record(latency.as_secs_f64());
    }
}
