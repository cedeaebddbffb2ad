//! The realms that `serve` is to serve.

use clap::ValueEnum as _;
use tickid_core::{Clock as _, SystemClock};
use tickid_kuid::Kuid;
use tickid_lease::{Begin, RealmName, RealmSpec, Refusal, Store};
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;

use crate::failure::Failure;
use crate::message::{say, shown};
use crate::options::{Scheme, default_pool, name_of};
use crate::store::{answer, kept};

/// A realm to serve.
#[derive(Clone, Debug)]
pub(super) struct ServedRealm {
    name: RealmName,
    /// The scheme, if the realm may begin here.
    scheme: Option<Scheme>,
}

pub(super) fn parse(text: &str) -> Result<ServedRealm, String> {
    let (name, scheme) = match text.split_once('=') {
        Some((name, scheme)) => (name, Some(scheme)),
        None => (text, None),
    };
    let name = name.parse().map_err(|error: tickid_lease::ParseError| shown(error.to_string()))?;
    let scheme = scheme.map(|scheme| Scheme::from_str(scheme, false)).transpose();
    let scheme = scheme.map_err(|_| "the schemes are scru64, nanoflake, kuid, sno".to_owned())?;
    Ok(ServedRealm { name, scheme })
}

impl ServedRealm {
    /// Returns the realm as the store keeps it, after beginning it if it may begin.
    pub(super) fn spec(&self, store: &Store) -> Result<RealmSpec, Failure> {
        let Self { name, scheme } = self;
        match (kept(store, name)?, scheme) {
            (Some(kept), None) => Ok(kept),
            (Some(kept), Some(scheme)) if kept.scheme() == name_of(scheme) => Ok(kept),
            (Some(kept), Some(scheme)) => Err(Failure::Usage(format!(
                "--realm {name}={}: the realm in the store is of the scheme {}",
                name_of(scheme),
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

/// Begins a realm with the scheme's usual nodes, and says when it begins.
fn begin(store: &Store, name: &RealmName, scheme: Scheme) -> Result<RealmSpec, Failure> {
    let pool = default_pool(&name_of(&scheme), true).parse()?;
    let spec = match scheme {
        Scheme::Scru64 => RealmSpec::new(name.clone(), &Scru64, pool),
        Scheme::Nanoflake => RealmSpec::new(name.clone(), &Nanoflake::default(), pool),
        Scheme::Kuid => RealmSpec::new(name.clone(), &Kuid::default(), pool),
        Scheme::Sno => RealmSpec::new(name.clone(), &Sno, pool),
    }?;
    let record = answer(store.begin(&spec, Begin::Beyond))?;
    let from = record.realm.scale().time_of(record.floor);
    if let Ok(now) = SystemClock.now()
        && from > now
    {
        say(&format!(
            "the realm {name} begins at {from}, beyond the leases of any earlier realm of that \
             name; `tickid lease init --new` begins one that never existed at once"
        ));
    }
    Ok(record.realm)
}
