//! The part of `gen` that is the same for every scheme.

use core::time::Duration;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jiff::tz::TimeZone;
use tickid_core::{
    Builder, LocalGenerator, ManualClock, NodeId as _, Scheme, Snapshot, SystemClock, Variant,
};
use tickid_lease::admin::{NodeRange, ParseError};
use tickid_lease::{LeasedGenerator, Realm};

use super::holding::Holding;
use super::patience::Patience;
use super::signals;
use super::source::{IdSource, LeaseOptions, of_time};
use crate::failure::Failure;
use crate::message::say;
use crate::options::OutputForm;
use crate::options::values::{count, duration, parse};
use crate::options::when::{self, When};
use crate::output::printed::{Printed, Style, write_id, write_json};
use crate::output::progress::Progress;
use crate::output::template::Template;
use crate::output::{self, Output};
use crate::store::{answer, setting};

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
    /// Write to a file instead of standard output. It is replaced once all IDs are made (with
    /// --forever, overwritten from the start)
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
    /// The node's size in bits, if `--node-size` is given.
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
        if self.node.is_some() && options.output.is_some() {
            signals::before_the_end(output::discard);
        }
        if let Some(time) = &options.time {
            return self.stream(self.at(time)?, options, patience);
        }
        let Some(node) = self.node else {
            let within = patience.quiet();
            let mut holding = Holding::start(|| self.lease(&options.lease, within))?;
            if let Err(failure) = holding.first_lease() {
                patience.wait_on(failure, |rest| holding.wait_ready(rest))?;
            }
            if let Some(gap) = holding.clock_gap() {
                let effect = match gap.is_behind() {
                    true => "these IDs may be of the past",
                    false => "there are none from the end of the window on",
                };
                say(&format!("{gap}, so {effect}: synchronise the clocks"));
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
            "IDs of a given time may collide with others, because the same command makes the same \
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
        let (store, scheme) = (options.store.open()?, self.scheme);
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
        let mut out = Output::to(options.output.as_deref(), options.forever)?;
        let mut batch = [self.blank; BATCH];
        let total = (!options.forever).then_some(options.count);
        let mut progress = Progress::new("IDs", total, &out);
        let mut made = 0;
        while total.is_none_or(|total| made < total) {
            let left = total.map_or(u64::MAX, |total| total - made);
            // Drawing many IDs in one call is faster, but no more than are left.
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
            // A template may name a field that these IDs lack, which is an error of usage.
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
            made += ids.len() as u64;
            out.drain()?;
            progress.show(made, made);
        }
        out.finish()?;
        drop(progress);
        if let Err(failure) = source.finish() {
            // The IDs are out, and good.
            say(&failure.to_string());
        }
        Ok(ExitCode::SUCCESS)
    }
}
