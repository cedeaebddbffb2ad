//! `tickid bench`.

use core::time::Duration;
use std::process::ExitCode;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use clap::Args;
use serde_json::json;
use tickid_core::{Clock, CounterClock, Generator, Scheme, SystemClock};
use tickid_kuid::{Kuid, Node};
use tickid_nanoflake::{GeneratorId, Nanoflake};
use tickid_scru64::{NodeSpec, Scru64};
use tickid_sno::{Partition, Sno};

use crate::failure::Failure;
use crate::options::{Scheme as Name, name_of};
use crate::output::Output;
use crate::values::{duration, number};

/// The number of IDs between two looks at the time.
const BATCH: u64 = 256;

/// The ticks in which a measurement may not end.
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
1 s ahead of the clock. That allowance is used up before a measurement, so that every rate lasts.")]
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
    let mut out = Output::stdout();
    if !arguments.json {
        out.buffer().extend_from_slice(b"scheme     clock    threads    IDs per second\n");
    }
    let schemes = [Name::Scru64, Name::Nanoflake, Name::Kuid, Name::Sno];
    for scheme in schemes.into_iter().filter(|it| arguments.scheme.is_none_or(|only| only == *it)) {
        for clock in ["system", "counter"] {
            for &threads in &threads {
                let rate = measure(scheme, clock, threads, arguments.time)?;
                write(scheme, clock, threads, rate, arguments.json, out.buffer());
                out.flush()?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write(scheme: Name, clock: &str, threads: usize, rate: u64, json: bool, out: &mut Vec<u8>) {
    let name = name_of(&scheme);
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

/// Returns the number of IDs per second.
fn measure(scheme: Name, clock: &str, threads: usize, time: Duration) -> Result<u64, Failure> {
    macro_rules! with_clock {
        ($scheme:ty, $node:expr) => {
            if clock == "system" {
                rate::<$scheme, _>($node, SystemClock, threads, time)
            } else {
                rate::<$scheme, _>($node, CounterClock::new(), threads, time)
            }
        };
    }
    match scheme {
        Name::Scru64 => {
            let node: NodeSpec =
                "1/8".parse().map_err(|error| Failure::Usage(format!("node: {error}")))?;
            with_clock!(Scru64, node)
        }
        Name::Nanoflake => with_clock!(Nanoflake, GeneratorId::MAX),
        Name::Kuid => with_clock!(Kuid, Node::from_u32(1)),
        Name::Sno => with_clock!(Sno, Partition::new(1)),
    }
}

fn rate<S, C>(node: S::Node, clock: C, threads: usize, time: Duration) -> Result<u64, Failure>
where
    S: Scheme + Default,
    C: Clock + Send + Sync,
    Generator<S, C>: Sync,
{
    let generator = Generator::<S>::builder(node).clock(clock).build()?;
    let ids = &mut [generator.generate()?; 4096];
    let until = Instant::now() + DRAIN;
    while generator.try_fill(ids).is_ok() && Instant::now() < until {}
    // From the start of a tick. It also ends at one, where the threads wait for it.
    generator.generate()?;
    let tick = Duration::from_micros(S::default().scale().micros_per_tick());
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
