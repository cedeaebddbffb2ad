//! The realms that `serve` is to serve.

use clap::ValueEnum as _;
use tickid_lease::admin::{RealmName, Refusal};
use tickid_lease::{RealmSpec, Store};

use crate::failure::Failure;
use crate::lease::{ShapeOptions, say_beginning};
use crate::message::shown;
use crate::options::Scheme;
use crate::store::{answer, kept};

/// A realm to serve.
#[derive(Clone, Debug)]
pub(super) struct ServedRealm {
    name: RealmName,
    /// The scheme, if the realm may be created.
    scheme: Option<Scheme>,
}

pub(super) fn parse(text: &str) -> Result<ServedRealm, String> {
    let (name, scheme) = match text.split_once('=') {
        Some((name, scheme)) => (name, Some(scheme)),
        None => (text, None),
    };
    let name =
        name.parse().map_err(|error: tickid_lease::admin::ParseError| shown(error.to_string()))?;
    let scheme = scheme.map(|scheme| Scheme::from_str(scheme, false)).transpose();
    let scheme = scheme.map_err(|_| {
        let names: Vec<&str> = Scheme::all().iter().map(|scheme| scheme.name()).collect();
        format!("the schemes are {}", names.join(", "))
    })?;
    Ok(ServedRealm { name, scheme })
}

impl ServedRealm {
    /// Returns the realm as the store keeps it, and creates it if it may.
    pub(super) fn spec(&self, store: &Store) -> Result<RealmSpec, Failure> {
        let Self { name, scheme } = self;
        match (kept(store, name)?, scheme) {
            (Some(kept), None) => Ok(kept),
            (Some(kept), Some(scheme)) if kept.scheme() == scheme.name() => Ok(kept),
            (Some(kept), Some(scheme)) => Err(Failure::Usage(format!(
                "--realm {name}={}: the realm in the store is of the scheme {}",
                scheme.name(),
                kept.scheme()
            ))),
            (None, Some(scheme)) => begin(store, name, *scheme),
            (None, None) => {
                let failure = Failure::Refused(Refusal::NoRealm);
                let hint =
                    format!("--realm {name}=SCHEME begins it, and so does `tickid lease init`");
                Err(failure.hinting(hint))
            }
        }
    }
}

/// Creates a realm with the scheme's usual nodes, which are assumed.
fn begin(store: &Store, name: &RealmName, scheme: Scheme) -> Result<RealmSpec, Failure> {
    let realm = ShapeOptions::default().realm(name, scheme)?;
    let record = answer(store.adopt(&realm))?;
    say_beginning(&record);
    Ok(record.realm)
}
