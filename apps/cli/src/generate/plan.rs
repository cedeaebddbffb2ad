//! The part of `gen` that is the same for every scheme.

use core::fmt::Display;
use core::num::NonZeroU32;
use core::time::Duration;
use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use jiff::tz::TimeZone;
use tickid_convert::{
    AnyBackfill, AnyBuilder, AnyId, AnyIds, AnyLeasedGenerator, AnyLocalGenerator, AnyScheme, Form,
    IdsVisitor, SchemeId, SchemeVariant, SchemeVisitor, carry,
};
use tickid_core::{BuildError, Clock as _, ManualClock, Scheme, SystemClock, TickStart};
use tickid_lease::admin::{LeaseTextError, RealmName, Refusal};
use tickid_lease::{NodePool, Realm, RealmSpec};
use uuid::Uuid;

use super::holding::Holding;
use super::patience::Patience;
use super::signals;
use super::uuid::UuidVersion;
use crate::failure::Failure;
use crate::input::{self, Content, Input, LineSource, Selection, Work};
use crate::lease::start_remark;
use crate::message::{say, shown};
use crate::options::node::{self, GivenNode};
use crate::options::values::{count, duration, parse};
use crate::options::when::{self, When};
use crate::options::{default_pool, is_text};
use crate::output::printed::{Printed, Style, write_id, write_json};
use crate::output::progress::Progress;
use crate::output::template::{Place, Template};
use crate::output::{self, Output};
use crate::store::{StoreOptions, answer, created_remark, setting};

/// Names the realm unless the command line does.
const REALM_VARIABLE: &str = "TICKID_REALM";

/// The number of IDs generated in one call.
const BATCH: u32 = 1024;

/// The store and the realm to lease a node from.
#[derive(Debug, Args)]
struct LeaseOptions {
    #[command(flatten)]
    store: StoreOptions,
    /// Realm in the store: generators of one realm never have the same node at the same time
    /// [env: TICKID_REALM] [default: one for each scheme, epoch and drift]
    #[arg(long, value_name = "NAME", value_parser = parse::<RealmName>)]
    realm: Option<RealmName>,
}

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
    /// Print one JSON object per line, as inspect does
    #[arg(long)]
    json: bool,
    /// Print one line per ID in this form: '{text} {time}'
    #[arg(long, value_name = "TEMPLATE", conflicts_with = "json")]
    template: Option<Template>,
    /// Write to a file instead of standard output. It is replaced once all IDs are made (with
    /// --forever, overwritten from the start)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make IDs of another time, for tests and examples: a date, RFC 3339, '2h ago'. Needs --node
    #[arg(long, value_name = "TIME", value_parser = parse::<When>, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["store", "realm", "forever"])]
    time: Option<When>,
    /// Print an ID for each time in a file, or in standard input (-): milliseconds since 1970,
    /// dates or RFC 3339, ascending. Needs a --node that nothing else uses and no pool has
    #[arg(long, value_name = "FILE", requires = "node")]
    #[arg(conflicts_with_all = ["time", "count", "forever", "output", "store", "realm"])]
    times: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// With --times: let times whose tick is used up take IDs of up to N ticks after it
    #[arg(long, value_name = "N", value_parser = count, default_value = "0", requires = "times")]
    spill: u64,
    /// With --times: continue after the last ID of an earlier run
    #[arg(long, value_name = "ID", requires = "times")]
    after: Option<String>,
    /// The first sequence of each tick: the lowest, or a random one, so that IDs issued one at a
    /// time spread over shards [default: the realm's, or the scheme's]
    #[arg(long, value_name = "lowest|random", value_parser = parse::<TickStart>)]
    start: Option<TickStart>,
    /// Longest wait for the clock, a window or a node, in seconds or with units (90s, 5m, 1h30m); a
    /// store without an answer at the start ends the command
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    max_wait: Duration,
}

/// The IDs to generate.
pub(super) struct Plan<'a> {
    pub(super) scheme: AnyScheme,
    /// Leased unless given.
    pub(super) node: Option<GivenNode>,
    pub(super) metabyte: u8,
    /// Set if the IDs are kuids in UUIDs.
    pub(super) uuid: Option<UuidVersion>,
    pub(super) form: Form,
    pub(super) options: &'a GenOptions,
}

impl Plan<'_> {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let options = self.options;
        let is_text = is_text(self.form);
        let others = [("--json", options.json), ("--template", options.template.is_some())];
        if let Some((other, _)) = others.iter().find(|(_, is_given)| *is_given && !is_text) {
            let form = self.form.name();
            return Err(Failure::Usage(format!(
                "{other} has the IDs in all forms, without --as {form}"
            )));
        }
        let mut patience = Patience::new(options.max_wait);
        // IDs without a node do not show it, so with another time none has to be leased.
        let shows_none = options.time.is_some() && !self.scheme.kind().has_node();
        let node = self.node.or(shows_none.then_some(GivenNode::NONE.1));
        // Ctrl-C must not leave the unfinished file behind. Where a node is leased, `Holding`
        // removes it as it releases the node.
        if node.is_some() && options.output.is_some() {
            signals::before_the_end(output::discard);
        }
        let Some(node) = node else {
            if options.time.is_some() {
                let reason = "--time needs --node: a leased node has the present time only";
                return Err(Failure::Usage(reason.into()));
            }
            // The first second passes in silence, as nearly every start is faster. After that the
            // wait is announced with its reason, and goes on for the rest of --max-wait.
            let within = patience.quiet();
            let holding = Holding::start(|| self.lease(&options.lease, within))?;
            patience.go_on(holding.first_lease(), |rest| holding.wait_ready(rest))?;
            // The window keeps the IDs unique whatever the clock shows, so a wrong clock is no
            // reason to fail. Its reading is in the IDs, however, and decides when the window ends.
            if let Some(gap) = holding.clock_gap() {
                let effect = match gap.is_behind() {
                    true => "these IDs may be of the past",
                    false => "there are none from the end of the window on",
                };
                say(&format!("{gap}, so {effect}: synchronise the clocks"));
            }
            let draw = |n, within| holding.block_within(self.metabyte, n, within);
            return self.stream(draw, patience);
        };
        let GivenNode { node, last } = node;
        node::check_sizes(&self.scheme, &format!("--node is {node}"), &NodePool::of(node))?;
        let builder = self.scheme.builder(node);
        let builder = match last {
            Some(last) => builder.after(last).map_err(|error| usage_of_node(&error))?,
            None => builder,
        };
        let builder = match options.start {
            Some(start) => builder.tick_start(start),
            None => builder,
        };
        // The generator's time is one of three: the times of a file, the present, or a time that
        // was given.
        if let Some(file) = &options.times {
            return self.fill_back(builder, file);
        }
        let Some(time) = &options.time else {
            let generator = builder.max_wait(options.max_wait).build_local();
            let mut generator = generator.map_err(|error| of_node(error, Failure::from))?;
            let draw = |n, within| Ok(generator.block_within(self.metabyte, n, within)?);
            let result = self.stream(draw, patience);
            // Wait even after a failure, such as a closed pipe: its reader has the IDs before it.
            self.outlast(&mut generator);
            return result;
        };
        let clock = ManualClock::new(time.resolve(&when::now(TimeZone::UTC))?);
        let generator = builder.clock(clock).max_wait(Duration::MAX).build_local();
        let mut generator = generator.map_err(|error| of_node(error, of_time))?;
        say(
            "IDs of a given time may collide with others, because the same command makes the same \
             IDs again, and a generator of that node may have issued them",
        );
        // A wait only moves the clock on, so it takes no time and needs no bound.
        let draw = |n, _| generator.block_within(self.metabyte, n, Duration::MAX).map_err(of_time);
        self.stream(draw, patience)
    }

    /// Waits until the clock is past the last ID, so that the next command with this node repeats
    /// none. The IDs are written, so nothing that happens here is a failure.
    fn outlast(&self, generator: &mut AnyLocalGenerator) {
        const QUIET: Duration = Duration::from_secs(1);
        let max_wait = self.options.max_wait;
        let Err(error) = generator.close_and_wait(QUIET.min(max_wait)) else { return };
        if error.retry_after().is_some_and(|rest| rest <= max_wait) {
            // Local kuids have none.
            let whose = if self.scheme.kind().has_node() { "the node's" } else { "the" };
            say(&format!("waiting, or {whose} next IDs repeat these: {error}"));
            if generator.close_and_wait(max_wait).is_ok() {
                return;
            }
        }
        let what = if self.scheme.kind().has_node() { "the node" } else { "the next generator" };
        say(&format!("{what} must issue nothing more for now, or it repeats these IDs: {error}"));
    }

    /// Prints an ID for each time of a file. The window ends when the run starts.
    fn fill_back(&self, builder: AnyBuilder, file: &Path) -> Result<ExitCode, Failure> {
        let options = self.options;
        let now = SystemClock.now().map_err(BuildError::from)?;
        // Only ticks that are over are filled. In the present one and later ones, a generator of
        // this node could still issue the same IDs.
        let builder = builder.metabyte(self.metabyte).before(now).map_err(of_time)?;
        let mut backfill = builder.build_backfill()?.spill(options.spill);
        // The last line of an interrupted run is the ID to continue after. It is read in the form
        // in which the same options print it.
        if let Some(last) = &options.after {
            let usage =
                |error: &dyn Display| Failure::Usage(format!("--after '{}': {error}", shown(last)));
            let id = self.read(last).map_err(|error| usage(&error))?;
            backfill = backfill.after(id).map_err(|error| usage(&error))?;
        }
        // Times are lines like the IDs of `inspect`, so --column and --field find them in CSV and
        // JSON.
        let source = if file == Path::new("-") {
            LineSource::stdin()
        } else {
            let name = |error| Failure::Usage(format!("--times {}: {error}", file.display()));
            LineSource::File(File::open(file).map_err(name)?)
        };
        input::of_lines(
            source,
            &options.selection,
            &mut FillBack { plan: self, backfill, is_remarked: false },
        )
    }

    /// Reads an ID as this command writes it.
    fn read(&self, text: &str) -> Result<AnyId, String> {
        let said = |error: &dyn Display| error.to_string();
        if self.form == Form::Bytes {
            return Err("raw bytes are no argument; --as hex takes the ID in hexadecimal".into());
        }
        if self.uuid.is_none() {
            let id = self.form.read(self.scheme.kind(), text.as_bytes());
            return id.map_err(|error| said(&error));
        }
        // Digits do not show their radix, and `10` is both a decimal and a hexadecimal number. The
        // form is not guessed but taken from the options.
        let number = |radix| u128::from_str_radix(text, radix).map(Uuid::from_u128);
        let uuid = match self.form {
            Form::Int => number(10).map_err(|error| said(&error)),
            Form::Hex => number(16).map_err(|error| said(&error)),
            Form::Text(_) | Form::Own | Form::Bytes | Form::Tuple => {
                Uuid::parse_str(text).map_err(|error| said(&error))
            }
        }?;
        carry::from_uuid(uuid, self.scheme.settings()).map_err(|error| said(&error))
    }

    /// Starts to lease a node: one of those that the store keeps for the realm, or of the default
    /// ones where the store has no such realm yet.
    fn lease(
        &self,
        options: &LeaseOptions,
        within: Duration,
    ) -> Result<AnyLeasedGenerator, Failure> {
        let name = match &options.realm {
            Some(name) => Some(name.clone()),
            None => setting(REALM_VARIABLE)?.map(|name| name.parse()).transpose().map_err(
                |error: LeaseTextError| {
                    Failure::from(error).hinting(format!("the value is ${REALM_VARIABLE}'s"))
                },
            )?,
        };
        let is_named = name.is_some();
        let name = name.map_or_else(|| self.usual_realm().parse(), Ok)?;
        // Check the realm before the store is opened, since opening may create the store.
        let new = self.scheme.visit(DefaultRealm { name, pool: default_pool(&self.scheme) });
        let store = options.store.open()?;
        // For a person to see. In the log of a script it would be noise after the first time.
        if io::stderr().is_terminal()
            && let Some(doubt) = store.inner().doubt()
        {
            say(&doubt);
        }
        let adopted = answer(store.adopt(&new?))?;
        // Only a name that was given can be mistyped.
        if is_named && adopted.is_new {
            created_remark(&store, &adopted.record.realm).iter().for_each(|it| say(it));
        }
        if adopted.is_new {
            start_remark(&adopted.record).iter().for_each(|it| say(it));
        }
        let realm = adopted.record.realm;
        let nodes = format!("the realm {} has the nodes {}", realm.name(), realm.pool());
        let hint = "`tickid lease init` creates a realm with nodes of another size";
        node::check_sizes(&self.scheme, &nodes, realm.pool())
            .map_err(|failure| failure.hinting(hint))?;
        let builder =
            AnyLeasedGenerator::builder(self.scheme, store, realm).map_err(Refusal::from)?;
        let mut builder = builder.start_within(within);
        if self.scheme.settings().node_size.is_none() {
            // A holder may restore the chosen nodes between this moment and the first claim. They
            // are not checked against a given size again.
            builder = builder.adopt();
        }
        if let Some(start) = self.options.start {
            builder = builder.tick_start(start);
        }
        Ok(builder.start_pending()?)
    }

    /// Returns the realm to lease from unless an option names one. There is one for each scheme and
    /// its settings.
    fn usual_realm(&self) -> String {
        let kind = self.scheme.kind();
        if !kind.has_node() {
            return kind.key().to_owned();
        }
        let mut settings = String::new();
        let _ = self.scheme.write_settings(&mut settings);
        let value = settings.split(' ').next_back().filter(|value| !value.is_empty());
        let realm =
            value.map_or(kind.name().to_owned(), |value| format!("{}-{value}", kind.name()));
        realm.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    }

    /// Writes IDs to standard output, as fast as the scheme and the reader allow. `draw` returns at
    /// most so many IDs, and waits for them no longer than its second argument.
    fn stream(
        &self,
        mut draw: impl FnMut(NonZeroU32, Duration) -> Result<AnyIds, Failure>,
        mut patience: Patience,
    ) -> Result<ExitCode, Failure> {
        let options = self.options;
        let mut out = Output::to(options.output.as_deref(), options.forever)?;
        let total = (!options.forever).then_some(options.count);
        let mut progress = Progress::new("IDs", total, !out.is_terminal());
        let mut made = 0;
        while total.is_none_or(|total| made < total) {
            let left = total.map_or(u64::MAX, |total| total - made);
            // Drawing many IDs in one call is faster, but no more than are left.
            let want = u32::try_from(left).map_or(BATCH, |left| left.min(BATCH));
            let want = NonZeroU32::new(want).unwrap_or(NonZeroU32::MIN);
            let ids = match draw(want, Duration::ZERO) {
                Ok(ids) => ids,
                Err(stall) => {
                    // The reader gets everything there is before the pause.
                    out.flush()?;
                    if !stall.passes() {
                        return Err(stall);
                    }
                    let quiet = patience.quiet();
                    patience.go_on(draw(want, quiet), |rest| draw(want, rest))?
                }
            };
            made += ids.len() as u64;
            ids.visit(WritePlanned { plan: self, out: out.buffer() })?;
            out.drain()?;
            progress.show(made, made);
        }
        out.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    /// Writes an ID in the form that the options select.
    fn write(&self, id: impl Printed, out: &mut Vec<u8>) -> Result<(), Failure> {
        let options = self.options;
        let style = Style { settings: *self.scheme.settings(), form: self.form };
        if let Some(template) = &options.template {
            // A template may name a field that these IDs lack, which is an error of usage.
            let inspection = id.inspection(&style);
            template.write(&inspection, Place::default(), out).map_err(|failure| {
                let scheme = inspection.format().key();
                Failure::Usage(format!("--template: {scheme} {failure}"))
            })
        } else if options.json {
            write_json(&id.inspection(&style), out)
        } else {
            write_id(id, self.form, out)
        }
    }
}

/// Writes an ID for each time.
struct FillBack<'a> {
    plan: &'a Plan<'a>,
    backfill: AnyBackfill,
    /// Set once a number was likelier a year or a count of seconds than of milliseconds.
    is_remarked: bool,
}

impl Work for FillBack<'_> {
    /// One line of output for each line of input, so that they can be pasted beside each other.
    fn keep_line(&self, content: Content, _: Input<'_>, out: &mut Vec<u8>) {
        let options = self.plan.options;
        if options.json || self.plan.form == Form::Bytes {
            return;
        }
        match &options.template {
            Some(template) => template.keep_line(content, Place::default(), out),
            None => out.push(b'\n'),
        }
    }

    fn input(&mut self, input: Input<'_>, out: &mut Output) -> Result<(), Failure> {
        let text = String::from_utf8_lossy(input.text);
        let time = when::fixed(&text)
            .map_err(|error| Failure::invalid(format!("is not a time: {error}")))?;
        // A column of seconds would give all rows IDs of January 1970.
        if when::is_odd(&text) && !core::mem::replace(&mut self.is_remarked, true) {
            out.before_message()?;
            say(&format!("'{}' counts milliseconds since 1970: {time}", shown(&*text)));
        }
        let id = self.backfill.generate(time);
        let id = id.map_err(|error| Failure::invalid(format!("has no ID: {error}")))?;
        id.visit(WritePlanned { plan: self.plan, out: out.buffer() })
    }
}

/// Returns the failure of building a generator. The scheme may not have the node of `--node`.
fn of_node(error: BuildError, other: impl FnOnce(BuildError) -> Failure) -> Failure {
    if matches!(error, BuildError::Node(_)) { usage_of_node(&error) } else { other(error) }
}

/// Returns the failure of a generator whose clock is the option `--time`.
fn of_time(error: impl Display) -> Failure {
    Failure::Usage(format!("--time: {error}"))
}

fn usage_of_node(error: &dyn Display) -> Failure {
    Failure::Usage(format!("--node: {error}"))
}

/// Writes a block of IDs.
struct WritePlanned<'a> {
    plan: &'a Plan<'a>,
    out: &'a mut Vec<u8>,
}

impl IdsVisitor for WritePlanned<'_> {
    type Output = Result<(), Failure>;

    fn visit<I: SchemeId>(self, mut ids: impl ExactSizeIterator<Item = I>) -> Self::Output {
        let Self { plan, out } = self;
        ids.try_for_each(|id| match plan.uuid {
            Some(version) => plan.write(version.of(id.into(), plan.scheme.settings()), out),
            None => plan.write(id, out),
        })
    }
}

/// Describes the realm to lease from, if the store has none of that name yet.
struct DefaultRealm {
    name: RealmName,
    pool: String,
}

impl SchemeVisitor for DefaultRealm {
    type Output = Result<RealmSpec, Failure>;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, _: V) -> Self::Output {
        scheme.check_start(&SystemClock)?;
        Ok(Realm::builder(self.name, scheme).pool(self.pool.as_str()).build()?.into())
    }
}
