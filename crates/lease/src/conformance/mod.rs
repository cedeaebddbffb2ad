//! What every store is held to: scenarios to be run by the tests of each.
//!
//! A store sets the [`Stage`]; [`store_scenarios!`](crate::store_scenarios) makes a test of each
//! scenario. They fail by panicking.
//!
//! | module | asks |
//! |---|---|
//! | [`claims`] | who gets which node, and what of it |
//! | [`renewals`] | how a lease goes on, and how it ends |
//! | [`realms`] | what is kept of a realm, and how it changes over time |
//! | [`trouble`] | clocks that were wrong, stores that forgot |

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a scenario fails by panicking, and only tests run it"
)]

pub mod claims;
pub mod realms;
pub mod renewals;
pub mod trouble;

use core::time::Duration;

use tickid_core::{TickScale, UnixTime};

use crate::node::Node;
use crate::realm::{Realm, Terms};
use crate::record::{Claim, Hold, Row, Token};
use crate::rules::{Refusal, Standing};
use crate::store::{Answer, Grant, Store};
use crate::wait::block_on;

/// A store under test, with a hand on its clock.
pub trait Stage {
    /// A client of the store. All clients of a stage see the same store.
    fn store(&self) -> Box<dyn Store>;

    /// Lets so much time pass by the store's clock, or a little more.
    fn pass(&self, time: Duration);

    /// Sets the store's clock forward by an hour, until [`set_back`](Self::set_back).
    fn set_forward(&self);

    /// Undoes [`set_forward`](Self::set_forward).
    fn set_back(&self);

    /// Makes the store notice a change of generation, as after a fail-over. For a store that can't,
    /// [`store_scenarios!`](crate::store_scenarios) takes the reason, and leaves out what needs it; then
    /// this is not called.
    fn change_generation(&self) {}
}

/// A test for each scenario. The argument is an expression that makes a new [`Stage`].
///
/// ```text
/// mod conformance {
///     tickid_lease::store_scenarios!(super::Memory::default());
/// }
/// ```
///
/// A store that never notices that it forgot says why after `no generation:`; the scenario that asks it to
/// shows as ignored then, for that reason.
///
/// With a type and a function from it to a stage, an array of names and functions instead, for a harness
/// that starts a server for all of them.
///
/// ```text
/// let tests: [(&str, fn(&Postgres)); _] = tickid_lease::store_scenarios!(Postgres: Stage::new);
/// ```
#[macro_export]
macro_rules! store_scenarios {
    ($server:ty: $stage:path) => {
        $crate::store_scenarios! { @all array $server, $stage; }
    };
    ($stage:expr, no generation: $why:literal) => {
        $crate::store_scenarios! { @all tests $stage; }
        #[test]
        #[ignore = $why]
        fn a_store_that_forgot_ends_all_leases_and_raises_all_ceilings() {
            $crate::conformance::trouble::a_store_that_forgot_ends_all_leases_and_raises_all_ceilings(
                &$stage,
            );
        }
    };
    ($stage:expr) => {
        $crate::store_scenarios! { @all tests $stage; }
        $crate::store_scenarios! { @tests $stage;
            trouble::a_store_that_forgot_ends_all_leases_and_raises_all_ceilings,
        }
    };
    (@all $form:ident $($arguments:tt)*) => {
        // Braces: it may stand for items and for an expression.
        $crate::store_scenarios! { @$form $($arguments)*
            claims::a_claim_gets_a_node_of_the_pool_and_a_window_around_now,
            claims::ticks_are_those_of_every_scheme,
            claims::two_claimants_dont_share_a_node,
            claims::claimants_that_race_get_different_nodes,
            claims::a_claim_that_is_repeated_finds_what_it_got,
            claims::a_claim_prefers_a_node_it_can_use_at_once,
            claims::holders_are_kept_as_they_are_named,
            claims::windows_end_with_the_scheme,
            claims::before_the_epoch_nothing_is_given_out,
            renewals::renewals_raise_the_ceiling_and_never_add_up,
            renewals::a_lease_that_nobody_took_is_renewed_after_its_time,
            renewals::a_lease_that_expired_in_use_goes_to_the_next_from_its_ceiling,
            renewals::a_node_that_is_given_back_goes_on_after_its_last_tick,
            renewals::a_node_that_is_given_back_unused_goes_on_at_its_floor,
            renewals::what_is_given_back_is_given_back_once,
            renewals::a_claim_that_comes_again_late_revives_no_lease,
            renewals::clients_that_come_later_see_what_was_granted,
            realms::realms_are_apart,
            realms::who_brings_another_realm_is_refused,
            realms::a_realm_begins_once,
            realms::of_realms_that_begin_at_once_one_does,
            realms::a_realm_nobody_leased_from_is_not_there,
            realms::nodes_taken_out_of_the_pool_are_lost_and_the_others_are_not,
            realms::a_pool_that_is_split_and_merged_never_overlaps,
            realms::a_node_that_comes_back_to_the_pool_brings_no_lease_back,
            realms::a_claim_that_is_repeated_across_changes_of_the_pool_gets_one_node,
            realms::terms_change_with_the_realm,
            trouble::a_wild_row_is_left_out_until_it_is_mended,
            trouble::the_holder_of_a_wild_row_goes_on,
            trouble::a_row_that_is_not_wild_is_not_mended,
            trouble::recovery_ends_all_leases_and_raises_all_ceilings,
            trouble::recovery_of_a_realm_that_is_gone_begins_beyond_all_leases,
        }
    };
    (@tests $stage:expr; $($module:ident::$scenario:ident,)*) => {
        $(
            #[test]
            fn $scenario() {
                $crate::conformance::$module::$scenario(&$stage);
            }
        )*
    };
    (@array $server:ty, $stage:path; $($module:ident::$scenario:ident,)*) => {
        $crate::store_scenarios! { @functions $server, $stage; $($module::$scenario,)*
            trouble::a_store_that_forgot_ends_all_leases_and_raises_all_ceilings,
        }
    };
    (@functions $server:ty, $stage:path; $($module:ident::$scenario:ident,)*) => {
        [$(
            (stringify!($scenario), {
                let scenario: fn(&$server) =
                    |server| $crate::conformance::$module::$scenario(&$stage(server));
                scenario
            }),
        )*]
    };
}

/// Longer than any store may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// The term of realms whose leases end while one waits for it.
const SHORT: Duration = Duration::from_millis(200);

/// A realm of a scenario, and what it does with a store.
struct Scene<'a> {
    stage: &'a dyn Stage,
    store: Box<dyn Store>,
    realm: Realm,
}

fn answer<T>(answer: Answer<'_, T>) -> Result<T, crate::StoreError> {
    block_on(answer, PATIENCE).unwrap()
}

impl<'a> Scene<'a> {
    /// A new realm with milliseconds for ticks and the default terms, without an allowance.
    fn new(stage: &'a dyn Stage, pool: &str) -> Self {
        let terms = Terms { allowance: 0, skew: Terms::DEFAULT_SKEW, term: Terms::DEFAULT_TERM };
        let epoch = UnixTime::from_micros(1_577_836_800_000_000);
        let realm = Realm {
            name: format!("scene-{}", Token::random().unwrap()).parse().unwrap(),
            scheme: "millis".to_owned(),
            layout: String::new(),
            scale: TickScale::every(epoch, 1_000),
            end: 1 << 41,
            pool: pool.parse().unwrap(),
            terms,
        };
        Self { stage, store: stage.store(), realm }
    }

    /// The same with terms whose end one can wait for.
    fn short(stage: &'a dyn Stage, pool: &str) -> Self {
        let scene = Self::new(stage, pool);
        let terms = Terms { allowance: 0, skew: Duration::ZERO, term: SHORT };
        Self { realm: Realm { terms, ..scene.realm }, ..scene }
    }

    fn with_pool(&self, pool: &str) -> Realm {
        Realm { pool: pool.parse().unwrap(), ..self.realm.clone() }
    }

    fn claim() -> Claim {
        Claim::new(Token::random().unwrap(), "somebody", None)
    }

    fn try_acquire(&self) -> Result<Grant, crate::StoreError> {
        answer(self.store.acquire(&self.realm, &Self::claim()))
    }

    fn acquire(&self) -> Grant {
        self.try_acquire().unwrap()
    }

    /// A node for somebody who brings `realm`.
    fn acquire_of(&self, realm: &Realm) -> Result<Grant, crate::StoreError> {
        answer(self.store.acquire(realm, &Self::claim()))
    }

    fn renew(&self, hold: &Hold) -> Result<Grant, crate::StoreError> {
        answer(self.store.renew(self.realm.name(), hold))
    }

    fn release(&self, hold: &Hold, used: Option<u64>) -> Result<(), crate::StoreError> {
        answer(self.store.release(self.realm.name(), hold, used))
    }

    fn reshape(&self, realm: &Realm) {
        answer(self.store.reshape(realm)).unwrap();
    }

    /// Waits until a lease that is granted now has expired.
    fn outlast(&self) {
        self.stage.pass(self.realm.terms().skew + self.realm.terms().term * 2);
    }

    fn tick(&self, now: UnixTime) -> u64 {
        self.realm.tick_at(now).unwrap()
    }

    /// How a node stands, and its row.
    fn standing(&self, node: Node) -> (Standing, Row) {
        let listing = answer(self.store.list(self.realm.name())).unwrap();
        let standings = listing.standings().unwrap();
        let (row, standing) = standings.into_iter().find(|(row, _)| row.node == node).unwrap();
        (standing, row.clone())
    }
}

/// That the store said no because there is no free node, and how many are wild.
fn wild_of_exhausted(result: Result<Grant, crate::StoreError>) -> u64 {
    let error = result.expect_err("there is no free node");
    match error.refusal() {
        Some(Refusal::Exhausted { wild, .. }) => *wild,
        _ => panic!("{error}"),
    }
}

fn assert_lost<T: core::fmt::Debug>(result: Result<T, crate::StoreError>) {
    let error = result.expect_err("the lease is over");
    assert!(error.is_lost(), "{error}");
    assert!(!error.is_unreachable());
}
