//! The sources of `gen`: a generator with a given node, or one with a leased node.

use tickid_core::{
    Builder, DefaultClock, LocalGenerator, ProcessClock, Scheme, SystemClock, Variant,
};
use tickid_lease::{
    Keeper, KeeperBuilder, Lease, LeaseError, NodePool, Realm, RealmName, Refusal, StartError,
    StoreError, Trouble,
};

use crate::failure::Failure;
use crate::node_store::{self, StoreOptions};
use crate::patience::Patience;

pub(crate) trait Source<S: Scheme> {
    /// Writes IDs to the front of `out`, which is not empty, and returns how many: as many as there
    /// are without waiting.
    fn try_fill<F: Variant<S>>(&mut self, form: F, out: &mut [F::Id]) -> Result<usize, Failure>;

    /// Releases what the source holds.
    fn finish(self) -> Result<(), Failure>;
}

impl<S: Scheme> Source<S> for LocalGenerator<S> {
    fn try_fill<F: Variant<S>>(&mut self, form: F, out: &mut [F::Id]) -> Result<usize, Failure> {
        Ok(self.with(form).try_fill(out)?.len())
    }

    fn finish(self) -> Result<(), Failure> {
        Ok(())
    }
}

impl<S: Scheme> Source<S> for Keeper<S> {
    fn try_fill<F: Variant<S>>(&mut self, form: F, out: &mut [F::Id]) -> Result<usize, Failure> {
        if let Some(tenure) = self.tenure()
            && let Ok(ids) = tenure.generator().with(form).try_fill(out)
        {
            return Ok(ids.len());
        }
        // The keeper's own error names what is wrong with the lease.
        out[0] = self.with(form).try_generate()?;
        Ok(1)
    }

    fn finish(self) -> Result<(), Failure> {
        self.shut_down().map_err(Failure::GiveBack)
    }
}

/// The store and the realm to lease a node from.
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
    /// Leases a node for a generator: one of those that the store keeps for the realm, or of `pool`
    /// where the store has no such realm yet. Waits while all of them are in use.
    pub(crate) fn lease<S: Scheme>(
        &self,
        layout: S,
        realm: &str,
        pool: &str,
        patience: &mut Patience,
        make: impl Fn(&Lease) -> Result<Builder<S, ProcessClock<DefaultClock>>, LeaseError>
        + Copy
        + Send
        + 'static,
    ) -> Result<Keeper<S>, Failure> {
        layout.check_start(&SystemClock)?;
        let name = self.realm.clone().map_or_else(|| realm.parse(), Ok)?;
        let pool: NodePool = pool.parse()?;
        let store = self.store.open()?;
        let realm = node_store::as_kept(&store, Realm::new(name, &layout, pool)?)?;
        loop {
            let builder = KeeperBuilder::new(store.clone(), realm.clone());
            match builder.start(make) {
                Ok(keeper) => {
                    patience.succeeded();
                    return Ok(keeper);
                }
                Err(error) => patience.pause(error)?,
            }
        }
    }
}

/// Returns whether there was no lease because all nodes are in use.
pub(crate) fn is_for_want_of_nodes(error: &StartError) -> bool {
    let StartError::Trouble(trouble) = error else { return false };
    matches!(&**trouble, Trouble::Store(error) if is_exhausted(error))
}

/// Returns whether all nodes are in use, of which one may be released at any time.
pub(crate) fn is_exhausted(error: &StoreError) -> bool {
    matches!(error.refusal(), Some(Refusal::Exhausted { nodes, wild, .. }) if wild < nodes)
}
