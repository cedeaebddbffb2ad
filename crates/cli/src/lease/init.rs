//! `tickid lease init`.

use std::process::ExitCode;

use clap::Args;
use tickid_lease::{Realm, Refusal};

use super::realm::{RealmOptions, ShapeOptions};
use crate::failure::Failure;
use crate::message::say;
use crate::options::Scheme;
use crate::store::{self, answer};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease init scru64 --realm orders --pool 0/1,128-255/8
  tickid lease init nanoflake --realm chat --epoch discord --term 30
  tickid lease init kuid --realm logs --drift 10
  tickid lease init scru64 --realm orders --pool 0-255/8 --reshape

Beginning a realm that exists already is a no-op if it is the same and an error if it differs.
Scheme, epoch, drift and kind of IDs are fixed for good: all holders must use the same.
--reshape gives the realm other nodes and terms: leases of nodes that stay go on, the others end.")]
pub(crate) struct InitArguments {
    /// The scheme
    #[arg(value_enum)]
    scheme: Scheme,
    #[command(flatten)]
    realm: RealmOptions,
    #[command(flatten)]
    shape: ShapeOptions,
    /// Give a realm that is there these nodes and terms
    #[arg(long)]
    reshape: bool,
}

pub(super) fn init(arguments: &InitArguments) -> Result<ExitCode, Failure> {
    let store = arguments.realm.store.open()?;
    let realm = arguments.shape.realm(&arguments.realm.realm, arguments.scheme)?;
    if arguments.reshape {
        answer(&store, store.reshape(&realm))?;
        return Ok(ExitCode::SUCCESS);
    }
    let was_there = store::listing(&store, realm.name())?.is_some();
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
