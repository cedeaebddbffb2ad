//! The options that name a realm, and those that describe a new one.

use core::time::Duration;

use clap::Args;
use tickid_kuid::{Drift, Kuid};
use tickid_lease::admin::RealmName;
use tickid_lease::{NodePool, RealmSpec, Store, StoreError, Terms};
use tickid_nanoflake::{Epoch, Nanoflake};
use tickid_scru64::Scru64;
use tickid_sno::Sno;

use crate::failure::Failure;
use crate::options::{Kind, Scheme, default_pool, name_of};
use crate::store::{StoreOptions, answer};
use crate::values::{drift, duration, epoch, parse};

/// A realm and its store.
#[derive(Debug, Args)]
pub(crate) struct RealmOptions {
    #[command(flatten)]
    pub(super) store: StoreOptions,
    /// Realm in the store
    #[arg(long, value_name = "NAME", value_parser = parse::<RealmName>, env = "TICKID_REALM")]
    pub(super) realm: RealmName,
}

/// The shape of a new realm.
#[derive(Debug, Default, Args)]
pub(crate) struct ShapeOptions {
    /// kuid: local IDs or global ones [default: as the pool, else global]
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Nanoflake: the epoch, by name, in milliseconds since 1970 or in RFC 3339 [default: twitter]
    #[arg(long, value_name = "twitter|discord|unix|MS|RFC3339", value_parser = epoch)]
    #[arg(allow_negative_numbers = true, env = "TICKID_EPOCH")]
    epoch: Option<Epoch>,
    /// kuid: the drift of global IDs, 5 to 10 [default: 8]
    #[arg(long, value_name = "5..10", value_parser = drift, env = "TICKID_DRIFT")]
    drift: Option<Drift>,
    /// Nodes to lease, none a prefix of another (0-255/8 or 0/1,128-255/8) [default: as gen]
    #[arg(long, value_name = "NODES", value_parser = parse::<NodePool>)]
    pub(super) pool: Option<NodePool>,
    /// The lifetime of a lease without a renewal, in seconds or with units [default: 10]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    term: Option<Duration>,
    /// The longest time that a holder's clock may be ahead of the store's [default: 5]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    skew: Option<Duration>,
}

impl RealmOptions {
    /// Returns the realm as the store keeps it.
    pub(super) fn kept(&self, store: &Store) -> Result<RealmSpec, StoreError> {
        answer(store.realm(&self.realm)).map(|record| record.realm)
    }
}

impl ShapeOptions {
    /// Returns a realm of this shape.
    pub(crate) fn realm(&self, name: &RealmName, scheme: Scheme) -> Result<RealmSpec, Failure> {
        let is_local = scheme == Scheme::Kuid && self.kind == Some(Kind::Local);
        let pool = match &self.pool {
            Some(pool) => pool.clone(),
            None => default_pool(&name_of(&scheme), !is_local).parse()?,
        };
        if let (Scheme::Kuid, Some(kind)) = (scheme, self.kind)
            && (kind == Kind::Local) != (pool == NodePool::single())
        {
            return Err(Failure::Usage(match kind {
                Kind::Local => format!(
                    "local kuids have no node ID: their only pool is {}, not {pool}",
                    NodePool::single()
                ),
                Kind::Global => format!("global kuids need node IDs: the pool {pool} has none"),
            }));
        }
        let name = name.clone();
        let realm = match scheme {
            Scheme::Scru64 => RealmSpec::new(name, &Scru64, pool),
            Scheme::Nanoflake => RealmSpec::new(
                name,
                &Nanoflake { epoch: self.epoch.unwrap_or(Epoch::TWITTER) },
                pool,
            ),
            Scheme::Kuid => {
                // Local IDs do not depend on the drift; see `gen`.
                let drift = self.drift.filter(|_| pool != NodePool::single()).unwrap_or_default();
                RealmSpec::new(name, &Kuid { drift }, pool)
            }
            Scheme::Sno => RealmSpec::new(name, &Sno, pool),
        }?;
        let terms = realm.terms();
        let terms = terms.with_term(self.term.unwrap_or(Terms::DEFAULT_TERM));
        Ok(realm.with_terms(terms.with_skew(self.skew.unwrap_or(Terms::DEFAULT_SKEW)))?)
    }
}
