//! The realms that `serve` is to serve.

use clap::ValueEnum as _;
use tickid_convert::{AnyScheme, SchemeVariant, SchemeVisitor};
use tickid_core::{TickStart, TickStartError, counted};
use tickid_lease::admin::{LeaseTextError, RealmName, Terms};
use tickid_lease::{NodePool, RealmSpec, Store};

use crate::failure::Failure;
use crate::lease::{ShapeOptions, start_remark};
use crate::message::shown;
use crate::options::policy::GivenPolicy;
use crate::options::{KuidKind, Scheme, SettingValues, default_pool};
use crate::store::{answer, created_remark, kept};

/// A realm to serve.
#[derive(Clone, Debug)]
pub(super) struct ServedRealm {
    name: RealmName,
    /// The scheme, and its settings if some are named, if the realm may be created.
    scheme: Option<(Scheme, Option<SettingValues>)>,
}

pub(super) fn parse(text: &str) -> Result<ServedRealm, String> {
    let (name, scheme) = match text.split_once('=') {
        Some((name, scheme)) => (name, Some(scheme)),
        None => (text, None),
    };
    let name = name.parse().map_err(|error: LeaseTextError| shown(error.to_string()))?;
    Ok(ServedRealm { name, scheme: scheme.map(parse_scheme).transpose()? })
}

/// Parses `SCHEME` or `SCHEME:SETTINGS`.
fn parse_scheme(text: &str) -> Result<(Scheme, Option<SettingValues>), String> {
    let (scheme, settings) = match text.split_once(':') {
        Some((scheme, settings)) => (scheme, Some(settings)),
        None => (text, None),
    };
    let scheme = Scheme::from_str(scheme, false).map_err(|_| {
        let names: Vec<&str> = Scheme::all().iter().map(|scheme| scheme.name()).collect();
        format!("the schemes are {}", names.join(", "))
    })?;
    let read = |text| SettingValues::of(scheme.kind(KuidKind::Global), text);
    Ok((scheme, settings.map(read).transpose()?))
}

/// A realm's policy: `NAME=POLICY`.
pub(super) fn parse_policy(text: &str) -> Result<(RealmName, GivenPolicy), String> {
    let (name, policy) = text
        .split_once('=')
        .ok_or("a realm's policy is NAME=POLICY: orders=ratchet:500ms, orders=wait")?;
    let name = name.parse().map_err(|error: LeaseTextError| shown(error.to_string()))?;
    Ok((name, policy.parse()?))
}

/// The start of a realm's ticks: `NAME=START`.
pub(super) fn parse_start(text: &str) -> Result<(RealmName, TickStart), String> {
    let (name, start) = text
        .split_once('=')
        .ok_or("a realm's start is NAME=START: orders=random, orders=lowest")?;
    let name = name.parse().map_err(|error: LeaseTextError| shown(error.to_string()))?;
    Ok((name, start.parse().map_err(|error: TickStartError| error.to_string())?))
}

impl ServedRealm {
    pub(super) fn name(&self) -> &RealmName {
        &self.name
    }

    /// Returns the realm as the store keeps it, and creates it if the options allow that. Its policy and the start
    /// of its ticks must be the given ones, if any.
    pub(super) fn spec(
        &self,
        store: &Store,
        policy: Option<GivenPolicy>,
        start: Option<TickStart>,
    ) -> Result<RealmSpec, Failure> {
        let spec = self.kept_or_new(store, policy, start)?;
        let has_node = spec.variants().contains(true);
        let scheme = AnyScheme::from_realm(spec.scheme(), spec.settings(), has_node);
        // The server refuses a scheme that it does not know.
        let Ok(scheme) = scheme else { return Ok(spec) };
        let (name, kept) = (&self.name, spec.terms());
        // A realm that was kept may have another policy, or other starts, than the options ask for.
        if let Some(policy) = policy {
            let wanted = scheme.visit(Allowance(policy)).map_err(Failure::Usage)?;
            if kept.allowance != wanted {
                let reason = format!(
                    "--policy {name}={policy}: the realm in the store has an allowance of {}, \
                     not {wanted}",
                    counted(kept.allowance, "tick")
                );
                let hint = changes(&spec, &format!("--policy {policy}"));
                return Err(Failure::Usage(reason).hinting(hint));
            }
        }
        if let Some(start) = start.filter(|start| *start != kept.start) {
            let reason = format!(
                "--start {name}={start}: the ticks of the realm in the store start at {}",
                kept.start
            );
            let hint = changes(&spec, &format!("--start {start}"));
            return Err(Failure::Usage(reason).hinting(hint));
        }
        Ok(spec)
    }

    fn kept_or_new(
        &self,
        store: &Store,
        policy: Option<GivenPolicy>,
        start: Option<TickStart>,
    ) -> Result<RealmSpec, Failure> {
        let Self { name, scheme } = self;
        let differs = |text: String| {
            let hint = format!(
                "serve it as it is with `--realm {name}`, or choose another name for a new realm"
            );
            Err(Failure::Usage(text).hinting(hint))
        };
        // A realm in the store stays as it is, so the option has to agree with it.
        match (kept(store, name)?, scheme) {
            // `--realm orders`, or `--realm orders=sno` where the store has a realm of that scheme.
            (Some(kept), None) => Ok(kept),
            (Some(kept), Some((scheme, None))) if kept.scheme() == scheme.name() => Ok(kept),
            // `--realm orders=snowflake:js-safe`. A preset and its text are the same layout, so
            // what a new realm would record is compared, and not the words of the option.
            (Some(kept), Some((scheme, Some(settings)))) if kept.scheme() == scheme.name() => {
                let wanted = settings.scheme(scheme.kind(KuidKind::Global));
                check_node_size(name, &wanted, kept.pool())?;
                let mut text = String::new();
                let _ = wanted.write_settings(&mut text);
                if kept.settings() == text {
                    return Ok(kept);
                }
                differs(format!(
                    "--realm {name}: the realm in the store has the settings {}, not {text}",
                    kept.settings(),
                ))
            }
            (Some(kept), Some((scheme, _))) => differs(format!(
                "--realm {name}={}: the realm in the store is of the scheme {}",
                scheme.name(),
                kept.scheme()
            )),
            // Two servers that start at the same time may both get here. The second then adopts what
            // the first has created.
            (None, Some((scheme, settings))) => {
                if let Some(settings) = settings {
                    let scheme = settings.scheme(scheme.kind(KuidKind::Global));
                    check_node_size(name, &scheme, &default_pool(&scheme).parse()?)?;
                }
                let shape = ShapeOptions::of(settings.as_ref(), policy, start);
                create(store, &shape.realm(name, *scheme)?)
            }
            (None, None) => {
                let hint =
                    format!("--realm {name}=SCHEME creates it, and so does `tickid lease init`");
                // Ask again, for the error that names the nearest realm.
                let again = answer(store.realm(name)).map(|record| record.realm);
                again.map_err(|error| Failure::from(error).hinting(hint))
            }
        }
    }
}

/// Refuses a realm's nodes of another size than the option has after the scheme: `scru64:16`.
fn check_node_size(name: &RealmName, scheme: &AnyScheme, pool: &NodePool) -> Result<(), Failure> {
    let Some(size) = scheme.settings().node_size else { return Ok(()) };
    if pool.ranges().iter().all(|range| range.bits() == u32::from(size.get())) {
        return Ok(());
    }
    let reason = format!("--realm {name}: its nodes are {pool}, and not of {} bits", size.get());
    Err(Failure::Usage(reason)
        .hinting("`tickid lease init --pool NODES` creates a realm with other nodes"))
}

/// Returns the allowance of a policy in ticks.
struct Allowance(GivenPolicy);

impl SchemeVisitor for Allowance {
    type Output = Result<u64, String>;

    fn visit<S: tickid_core::Scheme, V: SchemeVariant<S>>(self, scheme: S, _: V) -> Self::Output {
        Ok(Terms::new(self.0.of(&scheme)?).allowance)
    }
}

/// Returns the command that changes one option of a realm.
fn changes(spec: &RealmSpec, option: &str) -> String {
    let (scheme, name) = (spec.scheme(), spec.name());
    format!("`tickid lease init {scheme} --realm {name} --reconfigure {option}` changes it")
}

/// Creates a realm.
fn create(store: &Store, realm: &RealmSpec) -> Result<RealmSpec, Failure> {
    let adopted = answer(store.adopt(realm))?;
    // In the form of the log.
    let say = |remark: &str| tracing::info!("{remark}");
    if adopted.is_new {
        created_remark(store, &adopted.record.realm).iter().for_each(|remark| say(remark));
    }
    start_remark(&adopted.record).iter().for_each(|remark| say(remark));
    Ok(adopted.record.realm)
}
