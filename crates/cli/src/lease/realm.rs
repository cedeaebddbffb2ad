//! Realms: what they are like when they begin.

use std::process::ExitCode;

use tickid_kuid::Kuid;
use tickid_lease::{NodePool, Realm, RealmName, Refusal, Terms};
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;

use crate::args::{Kind, Scheme};
use crate::failure::Failure;
use crate::lease::args::{InitArguments, RealmOptions, ShapeOptions};
use crate::node_store::{self, answer};
use crate::shown::say;

pub(super) fn init(arguments: &InitArguments) -> Result<ExitCode, Failure> {
    let store = arguments.realm.store.open()?;
    let realm = arguments.shape.realm(&arguments.realm.realm, arguments.scheme)?;
    if arguments.reshape {
        answer(&store, store.reshape(&realm))?;
        return Ok(ExitCode::SUCCESS);
    }
    let was_there = node_store::listing(&store, realm.name())?.is_some();
    match answer(&store, store.begin(&realm)) {
        Ok(()) if was_there => {
            say(&format!(
                "the realm {} is there already, and is the same: nothing was done",
                realm.name()
            ));
            Ok(ExitCode::SUCCESS)
        }
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) if matches!(error.refusal(), Some(Refusal::Mismatch(_))) => {
            Err(is_another(&arguments.realm.kept(&store)?))
        }
        Err(error) => Err(error.into()),
    }
}

/// The realm that was to begin is there, and is not the same.
fn is_another(kept: &Realm) -> Failure {
    let (name, scheme, pool, terms) = (kept.name(), kept.scheme(), kept.pool(), kept.terms());
    let layout = match kept.layout() {
        "" => String::new(),
        layout => format!(" ({layout})"),
    };
    Failure::Usage(format!(
        "the realm {name} is there already: {scheme}{layout}, with the nodes {pool}, a term of {:?} \
         and a skew of {:?}; --reshape gives it other nodes and terms",
        terms.term, terms.skew,
    ))
}

impl RealmOptions {
    /// The realm as the store keeps it.
    pub(super) fn kept(&self, store: &dyn tickid_lease::Store) -> Result<Realm, Failure> {
        let listing = answer(store, store.list(&self.realm))?;
        let kept = listing.record.realm;
        // A static store has a realm for each node, which is called otherwise.
        let (scheme, layout) = (kept.scheme().to_owned(), kept.layout().to_owned());
        let pool = kept.pool().clone();
        let (scale, end, terms) = (kept.scale(), kept.end(), kept.terms());
        Ok(Realm::from_parts(self.realm.clone(), scheme, layout, scale, end, pool, terms))
    }
}

impl ShapeOptions {
    /// A realm of this shape.
    pub(super) fn realm(&self, name: &RealmName, scheme: Scheme) -> Result<Realm, Failure> {
        let pool = match &self.pool {
            Some(pool) => pool.clone(),
            None => nodes(scheme, self.kind).parse::<NodePool>()?,
        };
        let name = name.clone();
        let realm = match scheme {
            Scheme::Scru64 => Realm::new(name, &Scru64, pool),
            Scheme::Nanoflake => {
                Realm::new(name, &Nanoflake { epoch: self.nanoflake.epoch() }, pool)
            }
            Scheme::Kuid => {
                // Local IDs do not depend on the drift; see `gen`.
                let drift = self.drift.filter(|_| pool != NodePool::single()).unwrap_or_default();
                Realm::new(name, &Kuid { drift }, pool)
            }
            Scheme::Sno => Realm::new(name, &Sno, pool),
        }?;
        let terms = realm.terms();
        let terms = terms.with_term(self.term.unwrap_or(Terms::DEFAULT_TERM));
        Ok(realm.with_terms(terms.with_skew(self.skew.unwrap_or(Terms::DEFAULT_SKEW)))?)
    }
}

/// The nodes that a realm has unless somebody chose others.
pub(crate) const fn nodes(scheme: Scheme, kind: Kind) -> &'static str {
    match (scheme, kind) {
        (Scheme::Scru64, _) => "0-255/8",
        (Scheme::Nanoflake, _) => "0-1023/10",
        (Scheme::Kuid, Kind::Global) => "0-65535/32",
        (Scheme::Kuid, Kind::Local) => "0/0",
        (Scheme::Sno, _) => "0-65535/16",
    }
}
