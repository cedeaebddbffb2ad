//! `tickid bench`.

use core::time::Duration;
use std::process::ExitCode;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use clap::Args;
use serde_json::json;
use tickid_convert::{AnyScheme, Layouts, SchemeVariant, SchemeVisitor};
use tickid_core::{Builder, Clock, Generator, NodeId as _, Scheme, SystemClock};

use crate::failure::Failure;
use crate::option_values::{duration, number};
use crate::options::{KuidKind, Scheme as Name};
use crate::output::Output;

/// The number of IDs between two looks at the time.
const BATCH: u64 = 256;

/// The least length of a measurement in ticks.
const TICKS: u32 = 8;

/// The longest time for using up what a generator may be ahead of the clock. If that does not
/// suffice, nor do the single IDs of a measurement.
const DRAIN: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid bench
  tickid bench sno --threads 1,2,4 --json

The threads share one generator. A scheme has a highest rate: Nanoflake 4.1 million IDs per second,
kuid 16 million, sno 16.4 million, SCRU64 with 8 bits of node 256 thousand, of which random starts
leave half on average. SCRU64 and kuid may exceed it for a while, as their IDs may be up to 10 s and
1 s ahead of the clock. That allowance is used up before a measurement, so that every rate lasts.

The default clock is the processor's counter on Linux on x86-64, held to the system's clock. It is
the system's clock on other platforms, and where the kernel does not keep time by the counter.")]
pub(crate) struct BenchArguments {
    /// The scheme [default: all]
    #[arg(value_enum)]
    scheme: Option<Name>,
    /// The numbers of threads [default: 1 and the number of processors]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = threads)]
    threads: Vec<usize>,
    /// The time of each measurement, in seconds or with units, and at least eight ticks
    #[arg(long = "for", value_name = "DURATION", value_parser = time, default_value = "500ms")]
    time: Duration,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

fn time(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("a measurement is longer than 0".into()),
        time => Ok(time),
    }
}

fn threads(text: &str) -> Result<usize, String> {
    number("number of threads", 1..=1024, text)
}

pub(crate) fn run(arguments: &BenchArguments) -> Result<ExitCode, Failure> {
    let mut threads = arguments.threads.clone();
    if threads.is_empty() {
        threads = vec![1, thread::available_parallelism().map_or(1, usize::from)];
        threads.dedup();
    }
    let time = arguments.time;
    let mut out = Output::stdout();
    if !arguments.json {
        out.buffer().extend_from_slice(b"scheme     clock    threads    IDs per second\n");
    }
    let schemes = Name::all().iter().copied();
    for scheme in schemes.filter(|it| arguments.scheme.is_none_or(|only| only == *it)) {
        for clock in ["system", "default"] {
            for &threads in &threads {
                let any = AnyScheme::new(scheme.kind(KuidKind::Global), &Layouts::default());
                let rate = any.visit(Measurement { scheme: &any, clock, threads, time })?;
                write(scheme, clock, threads, rate, arguments.json, out.buffer());
                out.flush()?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write(scheme: Name, clock: &str, threads: usize, rate: u64, json: bool, out: &mut Vec<u8>) {
    let name = scheme.name();
    let line = if json {
        let rate = json!({
            "scheme": name, "clock": clock, "threads": threads, "ids_per_second": rate,
        });
        format!("{rate}\n")
    } else {
        format!("{name:<10} {clock:<8} {threads:>7} {rate:>17}\n")
    };
    out.extend_from_slice(line.as_bytes());
}

/// Measures the number of IDs per second.
struct Measurement<'a> {
    scheme: &'a AnyScheme,
    clock: &'a str,
    threads: usize,
    time: Duration,
}

impl SchemeVisitor for Measurement<'_> {
    type Output = Result<u64, Failure>;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, layout: S, variant: V) -> Self::Output {
        let Self { scheme, clock, threads, time } = self;
        let (_, bits) = scheme.usual_nodes().unwrap_or_default();
        let node = S::Node::from_value(1, bits);
        let node = node.map_err(|error| Failure::Usage(error.to_string()))?;
        if clock == "system" {
            let builder = Builder::of(layout, node).clock(SystemClock);
            rate(builder.build()?, variant, threads, time)
        } else {
            rate(Builder::of(layout, node).build()?, variant, threads, time)
        }
    }
}

fn rate<S, C, V>(
    generator: Generator<S, C>,
    variant: V,
    threads: usize,
    time: Duration,
) -> Result<u64, Failure>
where
    S: Scheme,
    C: Clock + Send + Sync,
    V: SchemeVariant<S>,
    Generator<S, C>: Sync,
{
    let tick = Duration::from_micros(generator.layout().scale().micros_per_tick());
    let generator = generator.with(variant);
    let ids = &mut [generator.generate()?; 4096];
    let until = Instant::now() + DRAIN;
    while generator.try_fill(ids).is_ok() && Instant::now() < until {}
    // From the start of a tick. It also ends at one, where the threads wait for it.
    generator.generate()?;
    let time = time.max(TICKS * tick);
    let start = Barrier::new(threads);
    let counts = thread::scope(|scope| {
        let worker = || {
            start.wait();
            let begun = Instant::now();
            let mut count = 0_u64;
            while begun.elapsed() < time {
                for _ in 0..BATCH {
                    core::hint::black_box(generator.generate()?);
                }
                count += BATCH;
            }
            Ok::<_, tickid_core::Error>((count, begun.elapsed()))
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|worker| worker.join()).collect::<Vec<_>>()
    });
    let mut sum = 0.0;
    for count in counts {
        let (count, elapsed) = match count {
            Ok(count) => count?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        sum += count as f64 / elapsed.as_secs_f64();
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate")]
    Ok(sum as u64)
}
