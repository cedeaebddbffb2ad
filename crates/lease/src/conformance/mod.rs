//! Scenarios that every backend must pass, for its tests.
//!
//! The tests of a backend implement [`Testbed`] for it, and
//! [`store_scenarios!`](crate::store_scenarios) makes a test of each scenario. They fail by
//! panicking.
//!
//! | module | subject |
//! |---|---|
//! | [`backends`] | the promises of a backend itself |
//! | [`claims`] | the node and the window that a claim gets |
//! | [`renewals`] | renewals and releases |
//! | [`realms`] | the start of realms, and changes of their pools and terms |
//! | [`trouble`] | clocks that were wrong, damaged rows, stores that lost data |
//! | [`losses`] | lost data that only a claim shows |
//!
//! The list of refusals names a scenario that provokes each. A refusal that is new to the rules does
//! not compile until it is in the list.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a scenario fails by panicking, and only tests run it"
)]

pub mod backends;
pub mod claims;
#[doc(hidden)]
pub mod distant;
pub mod losses;
pub mod realms;
pub mod renewals;
pub mod trouble;

use core::cell::RefCell;
use core::time::Duration;

use tickid_core::{AnyNode, TickScale, TickStart, UnixTime};

use crate::block_on::block_on;
use crate::model::lease::{Claim, Lease};
use crate::model::realm_spec::{RealmName, RealmSpec, Terms};
use crate::model::realm_view::RealmView;
use crate::model::record::{Record, Row};
use crate::model::refusal::{LeaseEnd, Refusal};
use crate::model::rules::Standing;
use crate::model::token::Token;
use crate::store::{Start, Store};
use crate::store_error::StoreError;

/// A backend under test with a clock and data that can be changed.
pub trait Testbed {
    /// Returns a client of the store. All clients of a testbed have the same data.
    fn store(&self) -> Store;

    /// Lets this much time pass by the store's clock, or a little more. A backend whose clock
    /// cannot be set has to sleep.
    fn pass(&self, time: Duration);

    /// Sets the store's clock forward by an hour, until [`set_back`](Self::set_back).
    fn set_forward(&self);

    /// Undoes [`set_forward`](Self::set_forward).
    fn set_back(&self);

    /// Gives the store a new generation, as a fail-over does. It is not called for a backend
    /// [without generations](crate::store_scenarios).
    fn change_generation(&self) {}

    /// Copies all data of a realm, its record and rows, as a backup does.
    fn save(&self, realm: &RealmName);

    /// Replaces all data of a realm by the copy, unnoticed by the store. Data that is not in the
    /// copy is gone.
    fn load(&self, realm: &RealmName);

    /// Makes a node's row unreadable.
    fn damage(&self, realm: &RealmName, node: AnyNode);

    /// Deletes the row of a node, or a realm's record and no row, unnoticed by the store.
    fn delete(&self, realm: &RealmName, node: Option<AnyNode>);
}

/// Makes a test of each scenario. The argument is an expression that creates a new [`Testbed`].
///
/// ```text
/// mod conformance {
///     tickid_lease::store_scenarios!(super::Memory::default());
/// }
/// ```
///
/// For a backend without generations, add `no generation`, which leaves out the scenario that needs
/// them.
///
/// With a type and a function from it to a testbed, the macro returns an array of names and
/// functions, for a harness that starts one server for all. If the clock of that server cannot be
/// set, a second function creates the testbeds of the few scenarios that set it.
///
/// ```text
/// let tests: [(&str, fn(&Postgres)); _] = tickid_lease::store_scenarios!(Postgres: Testbed::new);
/// let tests: [(&str, fn(&MySql)); _] =
///     tickid_lease::store_scenarios!(MySql: Testbed::new, Testbed::separate);
/// ```
#[macro_export]
macro_rules! store_scenarios {
    ($server:ty: $testbed:path) => {
        $crate::store_scenarios!($server: $testbed, $testbed)
    };
    ($server:ty: $testbed:path, $separate:path) => {
        $crate::store_scenarios! { @all array $server, $testbed, $separate; }
    };
    ($testbed:expr, no generation) => {
        $crate::store_scenarios! { @all tests $testbed; }
    };
    ($testbed:expr) => {
        $crate::store_scenarios! { @all tests $testbed; }
        $crate::store_scenarios! { @tests $testbed;
            trouble::new_generation_invalidates,
        }
    };
    // The scenarios after the second semicolon change the clock.
    (@all $form:ident $($arguments:tt)*) => {
        // Braces: it may stand for items and for an expression.
        $crate::store_scenarios! { @$form $($arguments)*
            backends::scopes_have_their_rows,
            backends::pages_are_bounded_and_complete,
            backends::a_change_compares_everything,
            claims::ticks_agree_with_every_scheme,
            claims::a_held_node_is_not_granted,
            claims::racing_claims_get_other_nodes,
            claims::racing_claims_get_own_windows,
            claims::repeated_claims_get_one_lease,
            claims::claims_prefer_usable_nodes,
            claims::holder_names_are_kept,
            claims::windows_end_with_the_scheme,
            claims::no_grant_before_the_epoch,
            claims::no_grant_before_the_start,
            claims::rows_never_outnumber_holders,
            renewals::renewals_do_not_add_up,
            renewals::expired_node_keeps_its_ceiling,
            renewals::released_node_keeps_its_ticks,
            renewals::no_two_leases_have_one_floor,
            renewals::a_late_claim_revives_no_lease,
            renewals::a_late_claim_revives_no_unused_lease,
            renewals::a_lease_of_another_realm_is_refused,
            renewals::administration_beside_renewals,
            realms::realms_are_apart,
            realms::another_realm_is_refused,
            realms::a_realm_starts_once,
            realms::unknown_realms_start_beyond,
            realms::racing_realms_start_once,
            realms::unknown_realms_are_not_listed,
            realms::only_removed_nodes_are_lost,
            realms::split_pools_never_overlap,
            realms::restored_nodes_have_no_lease,
            realms::reserved_nodes_are_kept,
            realms::one_claim_across_pools,
            realms::terms_change_with_the_realm,
            trouble::repair_needs_a_quarantine,
            trouble::malformed_row_costs_one_node,
            trouble::repaired_row_starts_beyond,
            trouble::repair_takes_all_malformed,
            trouble::invalidation_ends_all_leases,
            trouble::invalidated_realm_starts_beyond,
            trouble::lost_row_invalidates,
            trouble::lost_renewal_invalidates,
            trouble::lost_era_invalidates,
            trouble::lost_realm_starts_beyond,
            trouble::raised_terms_count,
            trouble::earlier_era_is_no_proof,
            losses::masked_losses_invalidate,
            losses::second_losses_invalidate,
            losses::missing_rows_invalidate,
            losses::released_leases_are_no_evidence,
            losses::cut_leases_are_no_evidence,
            losses::repaired_losses_are_no_evidence,
            losses::evidence_is_of_its_realm,
            losses::lost_records_are_restored,
            losses::assumed_pools_give_way,
            losses::chosen_pools_stay;
            trouble::quarantined_until_repaired,
            trouble::quarantine_keeps_the_holder,
        }
    };
    (@tests $testbed:expr; $($module:ident::$scenario:ident),*; $($clock:tt)*) => {
        $crate::store_scenarios! { @tests $testbed; $($module::$scenario,)* $($clock)* }
    };
    (@tests $testbed:expr; $($module:ident::$scenario:ident,)*) => {
        $(
            #[test]
            fn $scenario() {
                let scenario = $crate::conformance::$module::$scenario;
                $crate::conformance::run(scenario, stringify!($scenario), &$testbed);
            }
        )*
    };
    (
        @array $server:ty, $testbed:path, $separate:path;
        $($module:ident::$scenario:ident),*;
        $($clock_module:ident::$clock:ident,)*
    ) => {
        [
            $($crate::store_scenarios! { @function $server, $testbed; $module::$scenario },)*
            $($crate::store_scenarios! { @function $server, $separate; $clock_module::$clock },)*
            $crate::store_scenarios! {
                @function $server, $separate; trouble::new_generation_invalidates
            },
        ]
    };
    (@function $server:ty, $testbed:path; $module:ident::$scenario:ident) => {
        (stringify!($scenario), {
            let test: fn(&$server) = |server| {
                let scenario = $crate::conformance::$module::$scenario;
                $crate::conformance::run(scenario, stringify!($scenario), &$testbed(server));
            };
            test
        })
    };
}

/// Declares the list of refusals, each with a scenario that provokes it, and after the semicolon
/// those that none provokes. A refusal that is missing does not compile.
macro_rules! refusals {
    ($($refusal:ident: $module:ident::$scenario:ident),+; $($other:ident),+) => {
        const PROVOKED: &[(&str, &str, fn(&Refusal) -> bool)] = &[$((
            stringify!($refusal),
            stringify!($scenario),
            |refusal| matches!(refusal, Refusal::$refusal { .. }),
        )),+];

        const _: &[fn(&dyn Testbed)] = &[$($module::$scenario),+];

        const _: fn(&Refusal) = |refusal| match refusal {
            $(Refusal::$refusal { .. } => {})+
            $(Refusal::$other { .. } => {})+
        };
    };
}

refusals! {
    Lost: renewals::expired_node_keeps_its_ceiling,
    NoFreeNode: claims::a_held_node_is_not_granted,
    NotYet: claims::no_grant_before_the_start,
    OtherRealm: renewals::a_lease_of_another_realm_is_refused,
    Mismatch: realms::another_realm_is_refused,
    NoRealm: realms::unknown_realms_are_not_listed,
    LostRecord: losses::lost_records_are_restored,
    NoRow: trouble::repair_needs_a_quarantine,
    Malformed: trouble::malformed_row_costs_one_node,
    NotQuarantined: trouble::repair_needs_a_quarantine,
    Reserved: realms::reserved_nodes_are_kept,
    Overlap: realms::reserved_nodes_are_kept,
    StoreClock: claims::no_grant_before_the_epoch,
    EndOfTime: claims::windows_end_with_the_scheme;
    // No release writes such a row yet. `newer_rows_are_left_alone` makes one in a folder, and the
    // tests of the rules have others.
    Newer
}

/// Longer than any request may take.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Longer than any scenario takes.
const TERM: Duration = Duration::from_secs(3_600);
/// The term of realms whose leases expire within a scenario.
const SHORT: Duration = Duration::from_millis(200);

thread_local! {
    /// The refusals that this thread has received since its scenario began.
    static RECEIVED: RefCell<Vec<Refusal>> = const { RefCell::new(Vec::new()) };
}

/// Runs a scenario, and checks that it provoked the refusals that the list names it for.
#[doc(hidden)]
pub fn run(scenario: fn(&dyn Testbed), name: &str, testbed: &dyn Testbed) {
    RECEIVED.take();
    scenario(testbed);
    let received = RECEIVED.take();
    for (refusal, _, is_it) in PROVOKED.iter().filter(|(_, scenario, _)| *scenario == name) {
        assert!(received.iter().any(is_it), "{name} has not provoked the refusal {refusal}");
    }
}

/// A realm of a scenario, and its store.
struct Scene<'a> {
    testbed: &'a dyn Testbed,
    store: Store,
    realm: RealmSpec,
}

fn answer<T>(answer: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    block_on(answer, TIMEOUT).inspect_err(|error| {
        RECEIVED.with_borrow_mut(|received| received.extend(error.refusal().cloned()));
    })
}

impl<'a> Scene<'a> {
    /// Creates a new realm with milliseconds for ticks and a long term, without an allowance.
    fn new(testbed: &'a dyn Testbed, pool: &str) -> Self {
        Self::unknown(testbed, pool).begun()
    }

    /// The same with terms whose end a scenario can wait for.
    fn short(testbed: &'a dyn Testbed, pool: &str) -> Self {
        Self::unknown(testbed, pool).term(SHORT).begun()
    }

    /// Sets the term, without a skew.
    fn term(self, term: Duration) -> Self {
        let start = TickStart::Lowest;
        let terms = Terms { allowance: 0, skew: Duration::ZERO, term, start };
        self.with(|realm| RealmSpec { terms, ..realm })
    }

    fn with(self, change: impl FnOnce(RealmSpec) -> RealmSpec) -> Self {
        Self { realm: change(self.realm), ..self }
    }

    /// A realm that the store does not have.
    fn unknown(testbed: &'a dyn Testbed, pool: &str) -> Self {
        let (skew, start) = (Terms::DEFAULT_SKEW, TickStart::Lowest);
        let terms = Terms { allowance: 0, skew, term: TERM, start };
        let epoch = UnixTime::from_micros(1_577_836_800_000_000);
        let realm = RealmSpec {
            name: format!("scene-{}", Token::random().unwrap()).parse().unwrap(),
            scheme: "millis".to_owned(),
            settings: String::new(),
            scale: TickScale::every(epoch, 1_000),
            end: 1 << 41,
            pool: pool.parse().unwrap(),
            terms,
        };
        Self { testbed, store: testbed.store(), realm }
    }

    fn begun(self) -> Self {
        answer(self.store.create(&self.realm, Start::Immediately)).unwrap();
        self
    }

    fn with_pool(&self, pool: &str) -> RealmSpec {
        RealmSpec { pool: pool.parse().unwrap(), ..self.realm.clone() }
    }

    fn claim() -> Claim {
        Claim::new(Token::random().unwrap(), "a scenario", None)
    }

    fn try_acquire(&self) -> Result<Lease, StoreError> {
        self.acquire_of(&self.realm)
    }

    fn acquire(&self) -> Lease {
        self.try_acquire().unwrap()
    }

    /// Acquires a node of another realm.
    fn acquire_of(&self, realm: &RealmSpec) -> Result<Lease, StoreError> {
        answer(self.store.acquire(realm, &mut Self::claim()))
    }

    fn renew(&self, lease: &Lease) -> Result<Lease, StoreError> {
        answer(self.store.renew(&self.realm, lease))
    }

    fn release(&self, lease: &Lease, used: Option<u64>) -> Result<(), StoreError> {
        answer(self.store.release(&self.realm, lease, used))
    }

    fn reconfigure(&self, realm: &RealmSpec) {
        answer(self.store.reconfigure(realm)).unwrap();
    }

    fn list(&self) -> RealmView {
        answer(self.store.list(self.realm.name())).unwrap()
    }

    /// Waits until a lease that is granted now has expired.
    fn outlast(&self) {
        self.testbed.pass(self.realm.terms().skew + self.realm.terms().term * 2);
    }

    fn tick(&self, now: UnixTime) -> u64 {
        self.realm.tick_at(now).unwrap()
    }

    fn record(&self) -> Record {
        answer(self.store.realm(self.realm.name())).unwrap()
    }

    fn standing(&self, node: AnyNode) -> Standing {
        let view = self.list();
        let standings = view.standings().unwrap();
        standings.into_iter().find(|(one, ..)| *one == node).unwrap().2
    }

    fn row(&self, node: AnyNode) -> Row {
        self.list().rows[&node].row().unwrap().clone()
    }
}

/// Asserts that two leases are the same one, renewed or not.
#[track_caller]
fn assert_same(one: &Lease, other: &Lease) {
    let identity = |lease: &Lease| (lease.node, lease.token, lease.floor, lease.era);
    assert_eq!(identity(one), identity(other));
}

/// Asserts that no node was free, and returns how many are quarantined.
#[track_caller]
fn quarantined_of_exhausted(result: Result<Lease, StoreError>) -> u64 {
    let error = result.expect_err("there is no free node");
    match error.refusal() {
        Some(Refusal::NoFreeNode { quarantined, .. }) => *quarantined,
        _ => panic!("{error}"),
    }
}

#[track_caller]
fn assert_lost<T: core::fmt::Debug>(result: Result<T, StoreError>) -> LeaseEnd {
    let error = result.expect_err("the lease is over");
    assert!(!error.is_unreachable());
    error.lease_end().unwrap_or_else(|| panic!("{error}"))
}
