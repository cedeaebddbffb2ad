//! The realms that `serve` is to serve.

use clap::ValueEnum as _;
use tickid_lease::admin::{RealmName, Refusal};
use tickid_lease::{RealmSpec, Store};

use crate::failure::Failure;
use crate::lease::{ShapeOptions, say_beginning};
use crate::message::shown;
use crate::options::{KuidKind, LayoutValues, Scheme};
use crate::store::{answer, kept};

/// A realm to serve.
#[derive(Clone, Debug)]
pub(super) struct ServedRealm {
    name: RealmName,
    /// The scheme, and its layout if one is named, if the realm may be created.
    scheme: Option<(Scheme, Option<LayoutValues>)>,
}

pub(super) fn parse(text: &str) -> Result<ServedRealm, String> {
    let (name, scheme) = match text.split_once('=') {
        Some((name, scheme)) => (name, Some(scheme)),
        None => (text, None),
    };
    let name =
        name.parse().map_err(|error: tickid_lease::admin::ParseError| shown(error.to_string()))?;
    Ok(ServedRealm { name, scheme: scheme.map(parse_scheme).transpose()? })
}

/// Parses `SCHEME` or `SCHEME:LAYOUT`.
fn parse_scheme(text: &str) -> Result<(Scheme, Option<LayoutValues>), String> {
    let (scheme, layout) = match text.split_once(':') {
        Some((scheme, layout)) => (scheme, Some(layout)),
        None => (text, None),
    };
    let scheme = Scheme::from_str(scheme, false).map_err(|_| {
        let names: Vec<&str> = Scheme::all().iter().map(|scheme| scheme.name()).collect();
        format!("the schemes are {}", names.join(", "))
    })?;
    let of_layout = |text| LayoutValues::of(scheme.kind(KuidKind::Global), text);
    Ok((scheme, layout.map(of_layout).transpose()?))
}

impl ServedRealm {
    /// Returns the realm as the store keeps it, and creates it if it may.
    pub(super) fn spec(&self, store: &Store) -> Result<RealmSpec, Failure> {
        let Self { name, scheme } = self;
        match (kept(store, name)?, scheme) {
            (Some(kept), None) => Ok(kept),
            (Some(kept), Some((scheme, None))) if kept.scheme() == scheme.name() => Ok(kept),
            (Some(kept), Some((scheme, Some(layouts)))) if kept.scheme() == scheme.name() => {
                let wanted = ShapeOptions::of(layouts).realm(name, *scheme)?;
                if kept.layout() == wanted.layout() {
                    return Ok(kept);
                }
                Err(Failure::Usage(format!(
                    "--realm {name}: the realm in the store has the layout {}, not {}",
                    kept.layout(),
                    wanted.layout()
                )))
            }
            (Some(kept), Some((scheme, _))) => Err(Failure::Usage(format!(
                "--realm {name}={}: the realm in the store is of the scheme {}",
                scheme.name(),
                kept.scheme()
            ))),
            (None, Some((scheme, layouts))) => {
                let shape = layouts.as_ref().map(ShapeOptions::of).unwrap_or_default();
                begin(store, &shape.realm(name, *scheme)?)
            }
            (None, None) => {
                let failure = Failure::Refused(Refusal::NoRealm);
                let hint =
                    format!("--realm {name}=SCHEME begins it, and so does `tickid lease init`");
                Err(failure.hinting(hint))
            }
        }
    }
}

/// Creates a realm.
fn begin(store: &Store, realm: &RealmSpec) -> Result<RealmSpec, Failure> {
    let record = answer(store.adopt(realm))?;
    say_beginning(&record);
    Ok(record.realm)
}
