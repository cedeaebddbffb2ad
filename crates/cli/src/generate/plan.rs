//! The part of `gen` that is the same for every scheme.

use core::time::Duration;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jiff::tz::TimeZone;
use tickid_core::{
    Builder, LocalGenerator, ManualClock, NodeId as _, Scheme, Snapshot, SystemClock, Variant,
};
use tickid_lease::admin::{NodeRange, ParseError, RealmName};
use tickid_lease::{LeasedGenerator, Realm, Store};

use super::holding::Holding;
use super::patience::Patience;
use super::progress::Progress;
use super::source::{IdSource, LeaseOptions, of_time};
use crate::failure::Failure;
use crate::message::say;
use crate::option_values::{count, duration, parse};
use crate::options::OutputForm;
use crate::output::Output;
use crate::printed::{Printed, Style, write_id, write_json};
use crate::store::{answer, setting};
use crate::template::Template;
use crate::when::{self, When};

/// Names the realm unless the command line does.
const REALM_VARIABLE: &str = "TICKID_REALM";

/// The number of IDs generated in one call.
const BATCH: usize = 1024;

/// The options of every scheme's `gen`.
#[derive(Debug, Args)]
pub(crate) struct GenOptions {
    #[command(flatten)]
    lease: LeaseOptions,
    /// The number of IDs, also as 10k, 1M or 1G
    #[arg(short = 'n', long, value_name = "N", value_parser = count, default_value = "1")]
    #[arg(allow_negative_numbers = true)]
    count: u64,
    /// Generate until the pipe closes
    #[arg(long, conflicts_with = "count")]
    forever: bool,
    /// The form of the IDs
    #[arg(long, value_enum, default_value_t = OutputForm::Text)]
    format: OutputForm,
    /// Print one JSON object per line, as inspect does
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Print one line per ID in this form: '{text} {time}'
    #[arg(long, value_name = "TEMPLATE", conflicts_with_all = ["json", "format"])]
    template: Option<Template>,
    /// Write to a file, which is replaced, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make IDs of another time, for tests and examples: a date, RFC 3339, '2h ago'. Needs --node
    #[arg(long, value_name = "TIME", value_parser = parse::<When>, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["store", "realm", "forever"])]
    pub(super) time: Option<When>,
    /// Longest wait for the clock, a window or a node, in seconds or with units (90s, 5m, 1h30m)
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    max_wait: Duration,
}

/// The IDs to generate.
pub(super) struct Plan<S: Scheme, V: Variant<S, Id: Printed>> {
    pub(super) scheme: S,
    /// Leased unless given.
    pub(super) node: Option<S::Node>,
    /// The state of a given node at the start.
    pub(super) snapshot: Snapshot<S>,
    /// The nodes of a realm that does not exist yet.
    pub(super) pool: String,
    /// The node's size in bits, if it is known.
    pub(super) node_size: Option<u32>,
    /// The realm to lease from unless --realm names one.
    pub(super) realm: String,
    pub(super) variant: V,
    /// Any ID, to make room for others.
    pub(super) blank: V::Id,
    pub(super) style: Style,
}

impl<S: Scheme, V: Variant<S, Id: Printed>> Plan<S, V> {
    pub(super) fn run(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let mut patience = Patience::new(options.max_wait);
        if let Some(time) = &options.time {
            return self.stream(self.at(time)?, options, patience);
        }
        let Some(node) = self.node else {
            let within = patience.quiet();
            let mut holding = Holding::start(|| self.lease(&options.lease, within))?;
            if let Err(failure) = holding.first_lease() {
                patience.wait_on(failure, |rest| holding.wait_ready(rest))?;
            }
            return self.stream(holding, options, patience);
        };
        self.check_size(&format!("--node is {}/{}", node.value(), node.bits()), &[node.bits()])?;
        let builder = Builder::of(self.scheme, node);
        let generator = builder.restore(self.snapshot).max_wait(options.max_wait).build_local()?;
        self.stream(generator, options, patience)
    }

    /// Returns a generator whose clock shows `time`.
    fn at(&self, time: &When) -> Result<LocalGenerator<S, ManualClock>, Failure> {
        let node = self.node.ok_or_else(|| {
            let reason = "--time needs --node: a leased node has the present time only";
            Failure::Usage(reason.into())
        })?;
        let clock = ManualClock::new(time.resolve(&when::now(TimeZone::UTC))?);
        let builder = Builder::of(self.scheme, node).clock(clock);
        let generator = builder
            .restore(self.snapshot)
            .max_wait(Duration::MAX)
            .build_local()
            .map_err(of_time)?;
        say(
            "IDs of a given time are unique among themselves only: the same command makes the same \
             IDs again, and a generator of that node may have issued them",
        );
        Ok(generator)
    }

    /// Starts to lease a node: one of those that the store keeps for the realm, or of the default
    /// ones where the store has no such realm yet.
    fn lease(
        &self,
        options: &LeaseOptions,
        within: Duration,
    ) -> Result<LeasedGenerator<S>, Failure> {
        self.scheme.check_start(&SystemClock)?;
        let name = match &options.realm {
            Some(name) => name.clone(),
            None => match setting(REALM_VARIABLE)? {
                Some(name) => name.parse().map_err(|error: ParseError| {
                    Failure::from(error).hinting(format!("the value is ${REALM_VARIABLE}'s"))
                })?,
                None => self.realm.parse()?,
            },
        };
        self.lease_from(options.store.open()?, name, within)
    }

    fn lease_from(
        &self,
        store: Store,
        name: RealmName,
        within: Duration,
    ) -> Result<LeasedGenerator<S>, Failure> {
        let scheme = self.scheme;
        let realm = Realm::builder(name, scheme).pool(self.pool.as_str()).build()?;
        let realm = answer(store.adopt(realm.spec()))?.realm;
        let nodes = format!("the realm {} has the nodes {}", realm.name(), realm.pool());
        let sizes: Vec<u32> = realm.pool().ranges().iter().map(NodeRange::bits).collect();
        let hint = "`tickid lease init` creates a realm with nodes of another size";
        self.check_size(&nodes, &sizes).map_err(|failure| failure.hinting(hint))?;
        let realm = Realm::from_spec(realm, scheme)
            .map_err(|mismatch| Failure::Refused(mismatch.into()))?;
        let mut builder = LeasedGenerator::builder(store, realm).start_within(within);
        if self.node_size.is_none() {
            // A holder may restore the chosen nodes between this moment and the first claim. They
            // are not checked against a given size again.
            builder = builder.adopt();
        }
        Ok(builder.start_pending()?)
    }

    /// Refuses nodes of other sizes than the option names.
    fn check_size(&self, nodes: &str, sizes: &[u32]) -> Result<(), Failure> {
        match self.node_size {
            Some(said) if sizes.iter().any(|size| *size != said) => {
                Err(Failure::Usage(format!("{nodes}, but --node-size is {said}")))
            }
            _ => Ok(()),
        }
    }

    /// Writes IDs to standard output, as fast as the scheme and the reader allow.
    fn stream(
        &self,
        mut source: impl IdSource<S>,
        options: &GenOptions,
        mut patience: Patience,
    ) -> Result<ExitCode, Failure> {
        let mut out = Output::to(options.output.as_deref())?;
        let mut batch = [self.blank; BATCH];
        let total = (!options.forever).then_some(options.count);
        let mut progress = Progress::new(total, out.is_terminal());
        let mut left = if options.forever { u64::MAX } else { options.count };
        while left > 0 {
            let want = usize::try_from(left).map_or(BATCH, |left| left.min(BATCH));
            let ids = match source.try_fill(self.variant, &mut batch[..want]) {
                Ok(len) => &batch[..len],
                Err(stall) => {
                    // The reader gets everything there is before the pause.
                    out.flush()?;
                    if !stall.passes() {
                        return Err(stall);
                    }
                    patience.wait(|within| source.wait_ready(within))?;
                    continue;
                }
            };
            for id in ids {
                if let Some(template) = &options.template {
                    let inspection = id.inspection(&self.style);
                    template.write(&inspection, out.buffer()).map_err(|failure| {
                        let scheme = inspection.format().key();
                        Failure::Usage(format!("--template: {scheme} {failure}"))
                    })?;
                } else if options.json {
                    write_json(&id.inspection(&self.style), out.buffer())?;
                } else {
                    write_id(*id, self.style.notation, options.format, out.buffer());
                }
            }
            if !options.forever {
                left -= ids.len() as u64;
            }
            out.drain()?;
            progress.show(left);
        }
        out.flush()?;
        progress.clear();
        if let Err(failure) = source.finish() {
            // The IDs are out, and good.
            say(&failure.to_string());
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use core::sync::atomic::{AtomicU32, Ordering};

    use tickid_lease::RealmSpec;
    use tickid_lease::backend::{Answer, Backend, Change, MemoryBackend, RealmData, Scope};
    use tickid_nanoflake::{Nanoflake, NanoflakeId};

    use super::*;

    /// A store whose realm is given other nodes between two calls: each commit counts one down.
    #[derive(Debug)]
    struct Swapped {
        memory: MemoryBackend<SystemClock>,
        chosen: RealmSpec,
        commits: AtomicU32,
    }

    impl Backend for Swapped {
        fn name(&self) -> &'static str {
            "swapped"
        }

        fn starts_immediately(&self) -> bool {
            true
        }

        fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmData> {
            Box::pin(async move {
                let read = self.memory.read(realm, scope).await;
                // `adopt` has created the realm, and sees it with this.
                if self.commits.load(Ordering::Relaxed) == 1 {
                    self.commits.store(2, Ordering::Relaxed);
                    Store::new(self.memory.clone()).reconfigure(&self.chosen).await?;
                }
                read
            })
        }

        fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
            self.commits.fetch_add(1, Ordering::Relaxed);
            self.memory.commit(realm, change)
        }

        fn realms(&self) -> Answer<'_, Vec<RealmName>> {
            self.memory.realms()
        }
    }

    #[test]
    fn nodes_restored_before_a_claim_are_used() {
        let scheme = Nanoflake::default();
        let chosen = Realm::builder("orders", scheme).pool("7/10").build().unwrap();
        let backend = Swapped {
            memory: MemoryBackend::new(SystemClock),
            chosen: chosen.clone().into(),
            commits: AtomicU32::new(0),
        };
        let plan = Plan {
            scheme,
            node: None,
            snapshot: Snapshot::EMPTY,
            pool: "0-1023/10".to_owned(),
            node_size: None,
            realm: "nanoflake".to_owned(),
            variant: tickid_core::Plain,
            blank: NanoflakeId::MIN,
            style: Style {
                layouts: tickid_convert::Layouts::default(),
                notation: tickid_detect::Notation::Canonical,
            },
        };
        let store = Store::new(backend);
        let leased = plan.lease_from(store, chosen.name().clone(), Duration::ZERO).unwrap();
        assert_eq!(leased.first_lease().unwrap().node.to_string(), "7/10");
    }
}
