//! `tickid lease init`: creates a realm, restores a lost one, or gives it other nodes or terms.

use core::time::Duration;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tickid_core::{AnyNode, Clock as _, SystemClock, counted};
use tickid_lease::admin::{
    RealmFacet, RealmPart, Reconfigured, Refusal, RefusalKind, Start, Terms,
};
use tickid_lease::backend::Record;
use tickid_lease::{NodePool, RealmSpec, Store};

use super::realm::{RealmOptions, ShapeOptions, keeps_nothing};
use crate::failure::{Failure, KEEPS_NOTHING};
use crate::message::say;
use crate::options::Scheme;
use crate::output::Output;
use crate::store::{answer, created_remark, kept};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid lease init scru64 --realm orders --pool 0/1,128-255/8
  tickid lease init nanoflake --realm chat --epoch discord --term 30
  tickid lease init kuid --realm logs --drift 10
  tickid lease init nanoflake --realm meters --pool 0-8191/13  512 IDs/ms each
  tickid lease init nanoflake --realm mail --policy ratchet:500ms
  tickid lease init nanoflake --realm baskets --start random
  tickid lease init snowflake --realm posts --layout 39x10ms/8s/16n@2014-09-01
  tickid lease init scru64 --realm orders --pool 0-255/8 --reconfigure
  tickid lease init scru64 --realm orders --term 110 --reconfigure

Creating a realm that exists already is a no-op if it is the same and an error if it differs.
Scheme, settings and kind of IDs are fixed for good: all holders must use the same.
In a folder a realm starts immediately. On a server it starts beyond anything that a lost realm of
that name can have granted with these terms, twice allowance, skew and term later: if one was lost,
name the longest term that it had. --new states that none was lost. Once the realm exists, --new does
not shorten that, and fails until it has started.
--reconfigure changes the nodes and terms that are named, and leaves the others as the store has
them. It prints each change, as in `pool: 0-15/8 -> 0-255/8`. Leases of nodes that stay continue, the
others end. A realm that is missing is created only if --pool is named.")]
pub(crate) struct InitArguments {
    /// The scheme
    #[arg(value_enum)]
    scheme: Scheme,
    #[command(flatten)]
    realm: RealmOptions,
    #[command(flatten)]
    shape: ShapeOptions,
    /// Change the realm that exists, in the nodes and terms that are named
    #[arg(long)]
    reconfigure: bool,
    /// Print each change as a JSON object, one per line
    #[arg(long, requires = "reconfigure")]
    json: bool,
    /// Start immediately, stating that the realm was never in this store; not for deployment
    /// scripts
    #[arg(long, conflicts_with = "reconfigure")]
    new: bool,
}

pub(super) fn init(arguments: &InitArguments) -> Result<ExitCode, Failure> {
    let store = arguments.realm.store.open()?;
    let name = &arguments.realm.realm;
    let kept = kept(&store, name)?;
    let like = kept.as_ref().filter(|_| arguments.reconfigure);
    let realm = arguments.shape.realm_like(name, arguments.scheme, like)?;
    if kept.is_none() {
        // An epoch that looks mistyped is refused only while it can still be corrected. An existing
        // realm keeps its epoch for good.
        arguments.shape.check_new()?;
    }
    if keeps_nothing(&store) {
        say(&format!("nothing keeps this realm when the command ends: {KEEPS_NOTHING}"));
    }
    if arguments.reconfigure {
        return reconfigure(arguments, &store, &realm);
    }
    // Creating an equal realm again succeeds, so that scripts of deployments can repeat it.
    let start = if arguments.new { Start::Immediately } else { Start::Delayed };
    match answer(store.create(&realm, start)) {
        // The realm keeps the pause that it has. To say nothing would send its user round in a
        // circle, as the advice to use --new would come again.
        Ok(created) if arguments.new && created.not_yet.is_some() => {
            let reason = start_of(&created.record).unwrap_or_else(|| "the realm starts now".into());
            let failure = Failure::LateNew(reason);
            Err(failure.hinting("wait until then: only a realm that does not exist yet can be new"))
        }
        Ok(created) => {
            if !created.is_new {
                say(&format!(
                    "the realm {} is there already, and is the same: nothing was done",
                    realm.name()
                ));
            }
            say_start(&created.record);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => match error.refusal().map(Refusal::kind) {
            // The refusal names one difference. The message has the whole realm, because there may
            // be more.
            Some(RefusalKind::Mismatch(mismatch)) => {
                Err(is_another(&arguments.realm.kept(&store)?, mismatch.what))
            }
            _ => Err(error.into()),
        },
    }
}

/// Changes what the options name, and prints the difference.
fn reconfigure(
    arguments: &InitArguments,
    store: &Store,
    realm: &RealmSpec,
) -> Result<ExitCode, Failure> {
    let changed = match answer(store.reconfigure_parts(realm, &arguments.shape.parts())) {
        Ok(changed) => changed,
        // Without its pool it is not created: if it was lost, a default would be other nodes.
        Err(error) => match error.refusal().map(|refusal| (refusal, refusal.kind())) {
            Some((refusal, RefusalKind::Missing { .. })) => {
                let hint = format!(
                    "--reconfigure creates a realm only with --pool. If this one was lost, name \
                     all that it had: `{}`",
                    arguments.shape.command(realm)
                );
                return Err(Failure::Usage(refusal.to_string()).hinting(hint));
            }
            _ => return Err(error.into()),
        },
    };
    let Reconfigured { before, record, .. } = &changed;
    match before {
        // A realm was expected, so the name may be mistyped.
        None => created_remark(store, &record.realm).iter().for_each(|remark| say(remark)),
        Some(before) => {
            let changes = changes(before, &record.realm);
            if changes.is_empty() {
                say(&format!("the realm {} has this already: nothing changes", realm.name()));
            }
            let mut out = Output::stdout();
            for (part, from, to) in &changes {
                let line = match arguments.json {
                    true => {
                        json!({ "changed": part.to_string(), "from": from, "to": to }).to_string()
                    }
                    false => format!("{part}: {from} -> {to}"),
                };
                out.buffer().extend_from_slice(line.as_bytes());
                out.buffer().push(b'\n');
            }
            out.flush_or_closed()?;
            let parts: Vec<_> = changes.iter().map(|(part, ..)| *part).collect();
            consequences(before, &changed, &parts).iter().for_each(|one| say(one));
        }
    }
    say_start(record);
    Ok(ExitCode::SUCCESS)
}

/// Returns each part that differs, with its texts before and after.
fn changes(before: &RealmSpec, after: &RealmSpec) -> Vec<(RealmPart, String, String)> {
    let both = before.changeable_parts().into_iter().zip(after.changeable_parts());
    let changes = both.filter(|(before, after)| before != after);
    changes.map(|((part, from), (_, to))| (part, from, to)).collect()
}

/// Returns what a change of these parts brings with it that is not in its lines.
fn consequences(before: &RealmSpec, changed: &Reconfigured, parts: &[RealmPart]) -> Vec<String> {
    let Reconfigured { record, reserved, .. } = changed;
    let after = &record.realm;
    let lacks = |pool: &NodePool, other: &NodePool| {
        pool.nodes().filter(|node| !other.contains(*node)).count() as u64
    };
    let mut said = Vec::new();
    let leaves = |node: &AnyNode| before.pool().contains(*node) && !after.pool().contains(*node);
    let of_functions = reserved.iter().copied().filter(leaves).count() as u64;
    if of_functions > 0 {
        said.push(format!(
            "the pool loses {} of functions in PostgreSQL: they go on, and keep it",
            counted(of_functions, "node")
        ));
    }
    let left = lacks(before.pool(), after.pool()) - of_functions;
    if left > 0 {
        said.push(format!(
            "the pool loses {}: their leases end, and their holders move to other nodes",
            counted(left, "node")
        ));
    }
    let new = lacks(after.pool(), before.pool());
    if new > 0 {
        said.push(format!(
            "the pool gains {}: a realm of another store, or a process that is given its node by \
             hand, must not use them",
            counted(new, "node")
        ));
    }
    let (old, new) = (before.terms(), after.terms());
    if new.allowance < old.allowance {
        said.push(
            "the allowance is lower: a program that `tickid lease exec` started before keeps the \
             earlier one, and may be stopped; start it again"
                .to_owned(),
        );
    }
    if !reserved.is_empty() {
        said.extend(parts.iter().filter(|part| part.is_kept_by_functions()).map(|part| {
            format!(
                "the realm has functions in PostgreSQL: they keep the {part} that they have until \
                 the statements of `tickid sql` run again"
            )
        }));
    }
    said
}

/// Reports how long it takes until the realm starts, if that lies in the future.
fn say_start(record: &Record) {
    if let Some(remark) = start_remark(record) {
        say(&remark);
    }
}

/// Returns when a realm starts that starts in the future, and what to do if that is too early.
pub(crate) fn start_remark(record: &Record) -> Option<String> {
    let name = record.realm.name();
    start_of(record).map(|start| {
        format!(
            "{start}; if it ever had a longer one, name it: `tickid lease invalidate --realm {name} \
             --term TERM --yes`"
        )
    })
}

/// Returns when a realm starts that starts in the future, and why so late.
fn start_of(record: &Record) -> Option<String> {
    let from = record.realm.scale().time_of(record.floor);
    let wait = from.saturating_since(SystemClock.now().ok()?);
    let why = record.pause().map_or_else(String::new, |why| format!("{why}, and "));
    (!wait.is_zero()).then(|| {
        format!(
            "the realm {} {why}starts at {from}, in {} s, beyond all leases of a term of at most {:?}",
            record.realm.name(),
            wait.as_millis().div_ceil(1_000),
            longest_term(&record.realm, record.max_ahead)
        )
    })
}

/// Returns the longest term of leases that reach at most `max_ahead` ticks.
pub(super) fn longest_term(realm: &RealmSpec, max_ahead: u64) -> Duration {
    let Terms { allowance, skew, term, .. } = realm.terms();
    if max_ahead <= realm.max_ahead() {
        return term;
    }
    let scale = realm.scale();
    let ahead = scale.time_of((max_ahead / 2).saturating_sub(allowance));
    let millis = ahead.saturating_since(scale.time_of(0)).saturating_sub(skew).as_millis();
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}

/// The realm exists, but is not the same: `what` is the first difference.
fn is_another(kept: &RealmSpec, what: RealmFacet) -> Failure {
    let (name, scheme, pool, terms) = (kept.name(), kept.scheme(), kept.pool(), kept.terms());
    let settings = match kept.settings() {
        "" => String::new(),
        settings => format!(" ({settings})"),
    };
    let failure = Failure::Usage(format!(
        "the realm {name} is there already: {scheme}{settings}, with the nodes {pool}, {terms}"
    ));
    failure.hinting(if what.is_fixed() {
        "scheme, settings and kind of a realm are fixed for good; --realm names another one"
    } else {
        "--reconfigure changes its nodes and terms, those that are named"
    })
}
