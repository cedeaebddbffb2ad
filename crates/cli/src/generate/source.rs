//! The sources of `gen`: a generator with a given node, or one with a leased node.

use tickid_core::{LocalGenerator, NodeId as _, Scheme, SystemClock, Variant};
use tickid_lease::{Keeper, KeeperBuilder, Lease, Realm, RealmName};

use super::patience::Patience;
use crate::failure::Failure;
use crate::store::{self, StoreOptions};
use crate::values::parse;

pub(super) trait Source<S: Scheme> {
    /// Writes IDs to the front of `out`, which is not empty, and returns how many: as many as there
    /// are without waiting.
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure>;

    /// Releases what the source holds.
    fn finish(self) -> Result<(), Failure>;
}

impl<S: Scheme> Source<S> for LocalGenerator<S> {
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure> {
        Ok(self.with(variant).try_fill(out)?.len())
    }

    fn finish(self) -> Result<(), Failure> {
        Ok(())
    }
}

impl<S: Scheme> Source<S> for Keeper<S> {
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure> {
        if let Some(tenure) = self.tenure()
            && let Ok(ids) = tenure.generator().with(variant).try_fill(out)
        {
            return Ok(ids.len());
        }
        // The keeper's own error names what is wrong with the lease.
        out[0] = self.with(variant).try_generate()?;
        Ok(1)
    }

    fn finish(self) -> Result<(), Failure> {
        self.shut_down().map_err(Failure::GiveBack)
    }
}

/// The store and the realm to lease a node from.
#[derive(Debug, clap::Args)]
pub(super) struct LeaseOptions {
    #[command(flatten)]
    store: StoreOptions,
    /// Realm in the store: generators of one realm never have the same node at the same time
    /// [default: one for each scheme, epoch and drift]
    #[arg(long, value_name = "NAME", value_parser = parse::<RealmName>)]
    realm: Option<RealmName>,
}

/// The node to lease.
pub(super) struct Request<S> {
    pub(super) scheme: S,
    /// The realm unless --realm names one, and its nodes unless it is there already.
    pub(super) realm: String,
    pub(super) pool: &'static str,
    /// The size in bits that the node is said to have.
    pub(super) node_size: Option<u32>,
}

impl LeaseOptions {
    /// Leases a node for a generator: one of those that the store keeps for the realm, or of the
    /// request's where the store has no such realm yet. `has_node` says that its IDs carry the
    /// node. Waits while all of them are in use.
    pub(super) fn lease<S: Scheme + Default>(
        &self,
        request: &Request<S>,
        has_node: bool,
        patience: &mut Patience,
    ) -> Result<Keeper<S>, Failure> {
        let scheme = request.scheme;
        scheme.check_start(&SystemClock)?;
        let name = self.realm.clone().map_or_else(|| request.realm.parse(), Ok)?;
        let store = self.store.open()?;
        let realm = Realm::new(name, &scheme, request.pool.parse()?)?;
        let realm = store::as_kept(&store, realm)?;
        check_size(&realm, request.node_size)?;
        let make = move |lease: &Lease| {
            if has_node {
                return lease.builder(&scheme);
            }
            // No ID shows this node.
            lease.builder_for(&scheme, S::Node::from_bits(u32::BITS, 0)?)
        };
        loop {
            match KeeperBuilder::new(store.clone(), realm.clone()).start(make) {
                Ok(keeper) => {
                    patience.succeeded();
                    return Ok(keeper);
                }
                Err(error) => patience.pause(error)?,
            }
        }
    }
}

/// Refuses nodes of another size than the IDs are to be shown with.
fn check_size(realm: &Realm, node_size: Option<u32>) -> Result<(), Failure> {
    let Some(size) = node_size else { return Ok(()) };
    let Some(other) = realm.pool().ranges().iter().find(|range| range.bits() != size) else {
        return Ok(());
    };
    let failure = Failure::Usage(format!(
        "the realm {} has nodes of {} bits ({}), but --node-size is {size}",
        realm.name(),
        other.bits(),
        realm.pool(),
    ));
    Err(failure.hinting("`tickid lease init` begins a realm with nodes of another size"))
}
