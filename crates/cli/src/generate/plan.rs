//! The part of `gen` that is the same for every scheme.

use core::time::Duration;
use std::process::ExitCode;

use clap::Args;
use tickid_core::{LocalGenerator, NodeId as _, Scheme, SystemClock, Variant};
use tickid_lease::{Keeper, KeeperBuilder, Lease, NodeRange, Realm};

use super::patience::Patience;
use super::progress::Progress;
use super::source::{LeaseOptions, Source};
use crate::describe::{Describe, write_id};
use crate::failure::Failure;
use crate::message::say;
use crate::options::{Format, default_pool};
use crate::output::Output;
use crate::report::Report;
use crate::store;
use crate::values::{count, duration};

/// The number of IDs generated at once.
const BATCH: usize = 1024;

/// The options of every scheme's `gen`.
#[derive(Debug, Args)]
pub(crate) struct GenOptions {
    #[command(flatten)]
    lease: LeaseOptions,
    /// The number of IDs
    #[arg(short = 'n', long, value_name = "N", value_parser = count, default_value = "1")]
    count: u64,
    /// Generate until the pipe closes
    #[arg(long, conflicts_with = "count")]
    forever: bool,
    /// The form of the IDs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print one JSON object per line, as inspect does
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Longest wait for the clock, a window or a node, in seconds or with units (90s, 5m, 1h30m)
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    max_wait: Duration,
}

/// The IDs to generate.
pub(super) struct Plan<'a, S: Scheme, V: Variant<S, Id: Describe>> {
    pub(super) scheme: S,
    /// Leased unless given.
    pub(super) node: Option<S::Node>,
    /// The node's size in bits, if an option names it.
    pub(super) node_size: Option<u32>,
    /// The realm to lease from unless --realm names one.
    pub(super) realm: String,
    pub(super) variant: V,
    /// Any ID, to make room for others.
    pub(super) blank: V::Id,
    pub(super) layout: &'a <V::Id as Describe>::Layout,
}

impl<S: Scheme + Default, V: Variant<S, Id: Describe>> Plan<'_, S, V> {
    pub(super) fn run(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let mut patience = Patience::new(options.max_wait);
        let Some(node) = self.node else {
            let keeper = self.lease(&options.lease, &mut patience)?;
            return self.stream(keeper, options, patience);
        };
        self.check_size(&format!("--node is {}/{}", node.value(), node.bits()), &[node.bits()])?;
        let builder = LocalGenerator::<S>::builder(node).layout(self.scheme);
        let generator = builder.max_wait(options.max_wait).build_local()?;
        self.stream(generator, options, patience)
    }

    /// Leases a node: one of those that the store keeps for the realm, or of the default ones where
    /// the store has no such realm yet. Waits while all of them are in use.
    fn lease(&self, options: &LeaseOptions, patience: &mut Patience) -> Result<Keeper<S>, Failure> {
        let (scheme, has_node) = (self.scheme, self.variant.has_node());
        scheme.check_start(&SystemClock)?;
        let name = options.realm.clone().map_or_else(|| self.realm.parse(), Ok)?;
        let pool = default_pool(S::NAME, has_node).parse()?;
        let store = options.store.open()?;
        let realm = store::as_kept(&store, Realm::new(name, &scheme, pool)?)?;
        let nodes = format!("the realm {} has the nodes {}", realm.name(), realm.pool());
        let sizes: Vec<u32> = realm.pool().ranges().iter().map(NodeRange::bits).collect();
        let hint = "`tickid lease init` begins a realm with nodes of another size";
        self.check_size(&nodes, &sizes).map_err(|failure| failure.hinting(hint))?;
        let make = move |lease: &Lease| {
            if has_node {
                return lease.builder(&scheme);
            }
            // No ID shows this node.
            lease.builder_for(&scheme, S::Node::from_bits(u32::BITS, 0)?)
        };
        loop {
            match KeeperBuilder::new(store.clone(), realm.clone()).start(make) {
                Ok(keeper) => {
                    patience.succeeded();
                    return Ok(keeper);
                }
                Err(error) => patience.pause(error)?,
            }
        }
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
        mut source: impl Source<S>,
        options: &GenOptions,
        mut patience: Patience,
    ) -> Result<ExitCode, Failure> {
        let mut out = Output::stdout();
        let mut report = Report::default();
        let mut batch = [self.blank; BATCH];
        let mut progress = Progress::new((!options.forever).then_some(options.count));
        let mut left = if options.forever { u64::MAX } else { options.count };
        while left > 0 {
            let want = usize::try_from(left).map_or(BATCH, |left| left.min(BATCH));
            let ids = match source.try_fill(self.variant, &mut batch[..want]) {
                Ok(len) => &batch[..len],
                Err(stall) => {
                    // The reader gets everything there is before the pause.
                    out.flush()?;
                    patience.pause(stall)?;
                    continue;
                }
            };
            patience.succeeded();
            for id in ids {
                if options.json {
                    id.describe(self.layout, &mut report);
                    report.write_json(out.buffer());
                } else {
                    write_id(id, self.layout, options.format, out.buffer());
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
