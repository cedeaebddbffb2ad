//! The part of `gen` that is the same for every scheme.

use core::time::Duration;
use std::process::ExitCode;

use clap::Args;
use tickid_core::{LocalGenerator, NodeId as _, Scheme, Variant};

use super::patience::Patience;
use super::progress::Progress;
use super::source::{LeaseOptions, Request, Source};
use crate::describe::{Describe, write_id};
use crate::failure::Failure;
use crate::message::say;
use crate::options::Format;
use crate::output::Output;
use crate::report::Report;
use crate::values::{count, duration};

/// How many IDs are asked for at once.
const BATCH: usize = 1024;

/// The options of every scheme's `gen`.
#[derive(Debug, Args)]
pub(super) struct GenOptions {
    #[command(flatten)]
    lease: LeaseOptions,
    /// How many IDs
    #[arg(short = 'n', long, value_name = "N", value_parser = count, default_value = "1")]
    count: u64,
    /// Generate until the pipe closes
    #[arg(long, conflicts_with = "count")]
    forever: bool,
    /// What to print of each ID
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print one JSON object per line, as inspect does
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Longest wait for the clock, a window or a node, in seconds or with units (90s, 5m, 1h30m)
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    max_wait: Duration,
}

/// The arguments of one scheme's `gen`.
pub(super) trait SchemeArguments {
    /// Writes IDs as these arguments have them, usually by way of a [`Plan`].
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure>;
}

/// The IDs to generate.
pub(super) struct Plan<'a, S: Scheme, V: Variant<S, Id: Describe>> {
    /// The node; leased unless given.
    pub(super) node: Option<S::Node>,
    pub(super) lease: Request<S>,
    pub(super) variant: V,
    /// Any ID, to make room for others.
    pub(super) blank: V::Id,
    pub(super) layout: &'a <V::Id as Describe>::Layout,
}

impl<S: Scheme + Default, V: Variant<S, Id: Describe>> Plan<'_, S, V> {
    pub(super) fn run(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let mut patience = Patience::new(options.max_wait);
        let Some(node) = self.node else {
            let keeper =
                options.lease.lease(&self.lease, self.variant.has_node(), &mut patience)?;
            return self.stream(keeper, options, patience);
        };
        let (value, bits) = (node.value(), node.bits());
        if let Some(size) = self.lease.node_size.filter(|size| *size != bits) {
            return Err(Failure::Usage(format!(
                "--node {value}/{bits} has a node ID of {bits} bits, but --node-size is {size}"
            )));
        }
        let builder = LocalGenerator::<S>::builder(node).layout(self.lease.scheme);
        let generator = builder.max_wait(options.max_wait).build_local()?;
        self.stream(generator, options, patience)
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
