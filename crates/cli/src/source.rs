//! Where `gen` has its IDs from: a generator with a node that was given, or one with a leased node.

use core::fmt;
use core::time::Duration;
use std::thread;
use std::time::Instant;

use tickid_core::{
    Builder, Clock as _, DefaultClock, Form, LocalGenerator, ProcessClock, Scheme, SystemClock,
};
use tickid_lease::{
    Keeper, KeeperBuilder, Lease, LeaseError, NodePool, Realm, RealmName, Refusal, StartError,
    StoreError, Trouble,
};

use crate::failure::Failure;
use crate::node_store::{self, StoreOptions};

/// For how long to wait for a node or for the node's window.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A pause before asking again for a node when none was free.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) trait Source<S: Scheme> {
    /// Puts into the beginning of `out` what there is at once; how many those are.
    fn fill<F: Form<S>>(&mut self, form: F, out: &mut [F::Id]) -> usize;

    /// An ID, as soon as there is one.
    fn wait<F: Form<S>>(&mut self, form: F) -> Result<F::Id, Failure>;

    /// There is no need for more.
    fn finish(self) -> Result<(), Failure>;
}

impl<S: Scheme> Source<S> for LocalGenerator<S> {
    fn fill<F: Form<S>>(&mut self, form: F, out: &mut [F::Id]) -> usize {
        self.try_fill_as(form, out).map_or(0, |ids| ids.len())
    }

    fn wait<F: Form<S>>(&mut self, form: F) -> Result<F::Id, Failure> {
        Ok(self.generate_as(form)?)
    }

    fn finish(self) -> Result<(), Failure> {
        Ok(())
    }
}

impl<S: Scheme> Source<S> for Keeper<S> {
    fn fill<F: Form<S>>(&mut self, form: F, out: &mut [F::Id]) -> usize {
        let Some(tenure) = self.tenure() else { return 0 };
        tenure.generator().try_fill_as(form, out).map_or(0, |ids| ids.len())
    }

    fn wait<F: Form<S>>(&mut self, form: F) -> Result<F::Id, Failure> {
        Ok(self.generate_as(form)?)
    }

    fn finish(self) -> Result<(), Failure> {
        self.shut_down().map_err(Failure::GiveBack)
    }
}

/// What generators lease their nodes from.
#[derive(Debug, clap::Args)]
pub(crate) struct LeaseOptions {
    #[command(flatten)]
    pub(crate) store: StoreOptions,
    /// Realm in the store: generators of one realm never have the same node at the same time
    /// [default: one for each scheme, epoch and drift]
    #[arg(long, value_name = "NAME", value_parser = crate::args::parse::<RealmName>)]
    pub(crate) realm: Option<RealmName>,
}

impl LeaseOptions {
    /// A generator with a leased node: one of those that the store keeps for the realm, or of `pool` where it
    /// knows no such realm yet.
    pub(crate) fn lease<S: Scheme<Sequence: fmt::Debug>>(
        &self,
        layout: S,
        realm: &str,
        pool: &str,
        make: impl Fn(&Lease) -> Result<Builder<S, ProcessClock<DefaultClock>>, LeaseError>
        + Copy
        + Send
        + 'static,
    ) -> Result<Keeper<S>, Failure> {
        layout.check_start(SystemClock.now().map_err(tickid_core::BuildError::from)?)?;
        let name = self.realm.clone().map_or_else(|| realm.parse(), Ok)?;
        let pool: NodePool = pool.parse()?;
        let store = self.store.open()?;
        let realm = node_store::as_kept(&store, Realm::new(name, &layout, pool)?)?;
        let start = Instant::now();
        loop {
            let builder = KeeperBuilder::new(store.clone(), realm.clone()).max_wait(PATIENCE);
            match builder.start(make) {
                Err(error) if is_for_want_of_nodes(&error) && start.elapsed() < PATIENCE => {
                    thread::sleep(PAUSE);
                }
                result => return Ok(result?),
            }
        }
    }
}

fn is_for_want_of_nodes(error: &StartError) -> bool {
    let StartError::Trouble(trouble) = error else { return false };
    matches!(&**trouble, Trouble::Store(error) if is_exhausted(error))
}

/// Whether all nodes are in use; one may be given back at any time.
pub(crate) fn is_exhausted(error: &StoreError) -> bool {
    matches!(error.refusal(), Some(Refusal::Exhausted { nodes, wild, .. }) if wild < nodes)
}
