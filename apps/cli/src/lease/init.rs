//! `tickid lease init`: creates a realm, restores a lost one, or gives it other nodes or terms.

use std::process::ExitCode;

use clap::Args;
use tickid_core::{Clock as _, SystemClock};
use tickid_lease::RealmSpec;
use tickid_lease::admin::{Refusal, Start};
use tickid_lease::backend::Record;

use super::realm::{RealmOptions, ShapeOptions};
use crate::failure::Failure;
use crate::message::say;
use crate::options::Scheme;
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

Creating a realm that exists already is a no-op if it is the same and an error if it differs.
Scheme, settings and kind of IDs are fixed for good: all holders must use the same.
In a folder a realm starts immediately. On a server it starts beyond anything that a lost realm of
that name can have granted, twice allowance, skew and term later; --new states that none was lost.
Once the realm exists, --new does not shorten that, and fails until it has started.
--reconfigure gives the realm other nodes and terms: leases of nodes that stay continue, the others
end.")]
pub(crate) struct InitArguments {
    /// The scheme
    #[arg(value_enum)]
    scheme: Scheme,
    #[command(flatten)]
    realm: RealmOptions,
    #[command(flatten)]
    shape: ShapeOptions,
    /// Change the nodes and terms to these if the realm exists
    #[arg(long)]
    reconfigure: bool,
    /// Start immediately, stating that the realm was never in this store; not for deployment
    /// scripts
    #[arg(long, conflicts_with = "reconfigure")]
    new: bool,
}

pub(super) fn init(arguments: &InitArguments) -> Result<ExitCode, Failure> {
    let store = arguments.realm.store.open()?;
    let realm = arguments.shape.realm(&arguments.realm.realm, arguments.scheme)?;
    let is_missing = kept(&store, realm.name())?.is_none();
    if is_missing {
        // An epoch that looks mistyped is refused only while it can still be corrected. An existing
        // realm keeps its epoch for good.
        arguments.shape.check_new()?;
    }
    if arguments.reconfigure {
        answer(store.reconfigure(&realm))?;
        let record = answer(store.realm(realm.name()))?;
        // A realm was expected, so the name may be mistyped.
        if is_missing && let Some(remark) = created_remark(&store, &record.realm) {
            say(&remark);
        }
        say_start(&record);
        return Ok(ExitCode::SUCCESS);
    }
    // Creating an equal realm again succeeds, so that scripts of deployments can repeat it.
    let start = if arguments.new { Start::Immediately } else { Start::Delayed };
    match answer(store.create(&realm, start)) {
        // The realm keeps the pause that it has. To say nothing would send its user round in a
        // circle, as the advice to use --new would come again.
        Ok(created) if arguments.new && created.not_yet.is_some() => {
            let reason =
                start_remark(&created.record).unwrap_or_else(|| "the realm starts now".into());
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
        // The refusal names one difference. The message has the whole realm, because there may be
        // more, and some of them can be changed and others not.
        Err(error) if matches!(error.refusal(), Some(Refusal::Mismatch(_))) => {
            Err(is_another(&arguments.realm.kept(&store)?, &realm))
        }
        Err(error) => Err(error.into()),
    }
}

/// Reports how long it takes until the realm starts, if that lies in the future.
fn say_start(record: &Record) {
    if let Some(remark) = start_remark(record) {
        say(&remark);
    }
}

/// Returns when a realm starts that starts in the future, and why so late.
pub(crate) fn start_remark(record: &Record) -> Option<String> {
    let from = record.realm.scale().time_of(record.floor);
    let wait = from.saturating_since(SystemClock.now().ok()?);
    let why = record.pause().map_or_else(String::new, |why| format!("{why}, and "));
    (!wait.is_zero()).then(|| {
        format!(
            "the realm {} {why}starts at {from}, in {} s, beyond all leases of earlier times",
            record.realm.name(),
            wait.as_millis().div_ceil(1_000)
        )
    })
}

/// The realm exists, but is not the same.
fn is_another(kept: &RealmSpec, wanted: &RealmSpec) -> Failure {
    let (name, scheme, pool, terms) = (kept.name(), kept.scheme(), kept.pool(), kept.terms());
    let settings = match kept.settings() {
        "" => String::new(),
        settings => format!(" ({settings})"),
    };
    let failure = Failure::Usage(format!(
        "the realm {name} is there already: {scheme}{settings}, with the nodes {pool}, {terms}"
    ));
    let fixed = |realm: &RealmSpec| (realm.scheme().to_owned(), realm.settings().to_owned());
    failure.hinting(if fixed(kept) == fixed(wanted) && kept.variants() == wanted.variants() {
        "--reconfigure gives it other nodes and terms"
    } else {
        "scheme, settings and kind of a realm are fixed for good; --realm names another one"
    })
}
