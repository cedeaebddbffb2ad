//! A client that measures a server of RESP or HTTP, for `.ci/bench-server`.
//!
//! No known tool gives these figures. redis-benchmark would measure itself: it takes a processor
//! 11 µs per request, Redis 8, and this client 6. It has no fixed rate, and memtier_benchmark's
//! rate counts a latency from when the request is sent, which hides that a server falls behind.
//! wrk, wrk2 and oha speak only HTTP, so that the columns of RESP and HTTP would be of two clients.
//!
//! ```text
//! tickid-bench-load ADDRESS CONNECTIONS PIPELINE SECONDS RATE REQUEST...
//! ```
//!
//! `REQUEST` is a command of RESP, a word each, or a path for HTTP/1.1. With the rate 0, each
//! connection sends `PIPELINE` requests, waits for all answers, and starts over. Otherwise requests
//! start at fixed times, whether or not earlier ones are answered, and latencies count from these
//! times, so a server that falls behind has long latencies. The output is the requests per second,
//! and the percentiles 50, 99 and 99.9 of the latency in microseconds.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

type Error = Box<dyn std::error::Error>;

/// The time at the start that is not measured.
const WARM_UP: Duration = Duration::from_millis(300);

struct Options {
    address: SocketAddr,
    connections: usize,
    pipeline: usize,
    duration: Duration,
    /// The requests per second, or 0 for as many as possible.
    rate: u64,
    request: Vec<u8>,
    is_http: bool,
}

impl Options {
    fn read() -> Result<Self, Error> {
        let mut arguments = std::env::args().skip(1);
        let mut next = |name: &str| arguments.next().ok_or(format!("{name} is missing"));
        let address: SocketAddr = next("ADDRESS")?.parse()?;
        let connections = next("CONNECTIONS")?.parse()?;
        let pipeline = next("PIPELINE")?.parse()?;
        let duration = Duration::from_secs_f64(next("SECONDS")?.parse()?);
        let rate = next("RATE")?.parse()?;
        let words: Vec<String> = arguments.collect();
        let first = words.first().ok_or("REQUEST is missing")?;
        let is_http = first.starts_with('/');
        let request = if is_http {
            format!("GET {first} HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes()
        } else {
            let mut request = format!("*{}\r\n", words.len());
            for word in &words {
                request += &format!("${}\r\n{word}\r\n", word.len());
            }
            request.into_bytes()
        };
        Ok(Self { address, connections, pipeline, duration, rate, request, is_http })
    }
}

struct Connection {
    stream: TcpStream,
    /// The start times of the requests without an answer, which their latencies count from.
    waiting: VecDeque<Instant>,
    /// The part of an answer that has arrived.
    input: Vec<u8>,
    /// The number of bytes of the current answer that are still to come, and need not be parsed.
    skip: usize,
    output: Vec<u8>,
}

impl Connection {
    fn send(&mut self, requests: &[u8]) -> io::Result<()> {
        self.output.extend_from_slice(requests);
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        while !self.output.is_empty() {
            match self.stream.write(&self.output) {
                Ok(len) => drop(self.output.drain(..len)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads what has arrived, and calls `answered` for each answer.
    fn receive(
        &mut self,
        buffer: &mut [u8],
        is_http: bool,
        mut answered: impl FnMut(Instant),
    ) -> Result<(), Error> {
        loop {
            let len = match self.stream.read(buffer) {
                Ok(0) => return Err("the server closed a connection".into()),
                Ok(len) => len,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            let mut part = &buffer[..len];
            while !part.is_empty() || !self.input.is_empty() {
                if self.skip > 0 {
                    let skipped = self.skip.min(part.len());
                    part = &part[skipped..];
                    self.skip -= skipped;
                    if self.skip > 0 {
                        break;
                    }
                } else {
                    let before = self.input.len();
                    let is_split = before > 0;
                    if is_split {
                        self.input.extend_from_slice(part);
                    }
                    let start = if is_split { &self.input } else { part };
                    let Some(head) = head(start, is_http)? else {
                        if !is_split {
                            self.input.extend_from_slice(part);
                        }
                        break;
                    };
                    // The rest of the bytes belongs to the body and to further answers.
                    part = &part[head.len - before..];
                    self.input.clear();
                    self.skip = head.body;
                    if self.skip > 0 {
                        continue;
                    }
                }
                answered(self.waiting.pop_front().ok_or("an answer without a request")?);
            }
            if len < buffer.len() {
                return Ok(());
            }
        }
    }
}

/// The start of an answer, up to its body.
struct Head {
    len: usize,
    body: usize,
}

fn head(input: &[u8], is_http: bool) -> Result<Option<Head>, Error> {
    let end = if is_http { &b"\r\n\r\n"[..] } else { b"\r\n" };
    let Some(at) = memchr::memmem::find(input, end) else { return Ok(None) };
    let len = at + end.len();
    if input[0] == b':' {
        return Ok(Some(Head { len, body: 0 }));
    }
    let text = str::from_utf8(&input[..at])?;
    if is_http {
        if !text.starts_with("HTTP/1.1 2") {
            return Err(format!("the server answered {text}").into());
        }
        let length = text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse())
        });
        return Ok(Some(Head { len, body: length.transpose()?.unwrap_or(0) }));
    }
    let body = match text.as_bytes().first() {
        Some(b'+') => 0,
        Some(b'$') => text[1..].parse::<usize>()? + 2,
        _ => return Err(format!("the server answered {text}").into()),
    };
    Ok(Some(Head { len, body }))
}

fn main() -> ExitCode {
    match Options::read().and_then(|options| run(&options)) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<String, Error> {
    let mut poll = Poll::new()?;
    let mut connections = Vec::new();
    for index in 0..options.connections {
        let stream = std::net::TcpStream::connect(options.address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        poll.registry().register(
            &mut stream,
            Token(index),
            Interest::READABLE | Interest::WRITABLE,
        )?;
        let (waiting, input, output) = (VecDeque::new(), Vec::new(), Vec::new());
        connections.push(Connection { stream, waiting, input, skip: 0, output });
    }
    if options.rate == 0 {
        closed_loop(options, &mut poll, &mut connections)
    } else {
        open_loop(options, &mut poll, &mut connections)
    }
}

/// Sends requests as answers arrive.
fn closed_loop(
    options: &Options,
    poll: &mut Poll,
    connections: &mut [Connection],
) -> Result<String, Error> {
    let batch = options.request.repeat(options.pipeline);
    let (mut events, mut buffer) = (Events::with_capacity(1_024), vec![0; 1 << 16]);
    for connection in &mut *connections {
        connection.waiting.extend(vec![Instant::now(); options.pipeline]);
        connection.send(&batch)?;
    }
    let start = Instant::now() + WARM_UP;
    let end = start + options.duration;
    let mut latencies = Latencies::default();
    loop {
        poll.poll(&mut events, Some(Duration::from_secs(1)))?;
        let now = Instant::now();
        if now >= end {
            break;
        }
        for event in &events {
            let connection = &mut connections[event.token().0];
            connection.flush()?;
            connection.receive(&mut buffer, options.is_http, |sent| {
                if now >= start {
                    latencies.add(now.duration_since(sent));
                }
            })?;
            if connection.waiting.is_empty() {
                let now = Instant::now();
                connection.waiting.extend((0..options.pipeline).map(|_| now));
                connection.send(&batch)?;
            }
        }
    }
    Ok(latencies.figures(options.duration))
}

/// Sends requests at fixed times.
fn open_loop(
    options: &Options,
    poll: &mut Poll,
    connections: &mut [Connection],
) -> Result<String, Error> {
    let (mut events, mut buffer) = (Events::with_capacity(1_024), vec![0; 1 << 16]);
    let begin = Instant::now();
    let start = begin + WARM_UP;
    let end = start + options.duration;
    let time_of = |number: u64| {
        begin
            + Duration::from_nanos(
                (u128::from(number) * 1_000_000_000 / u128::from(options.rate)) as u64,
            )
    };
    let (mut sent, mut latencies, mut next) = (0, Latencies::default(), 0);
    loop {
        let now = Instant::now();
        if now >= end {
            break;
        }
        while time_of(sent) <= now {
            let connection = &mut connections[next];
            next = (next + 1) % options.connections;
            connection.waiting.push_back(time_of(sent));
            connection.send(&options.request)?;
            sent += 1;
        }
        // This polls because a timer would be too coarse.
        poll.poll(&mut events, Some(Duration::ZERO))?;
        for event in &events {
            let connection = &mut connections[event.token().0];
            connection.flush()?;
            connection.receive(&mut buffer, options.is_http, |intended| {
                if intended >= start {
                    latencies.add(intended.elapsed());
                }
            })?;
        }
    }
    Ok(latencies.figures(options.duration))
}

/// The number of answers by latency in microseconds. The last number counts all longer ones.
struct Latencies(Vec<u64>);

impl Default for Latencies {
    fn default() -> Self {
        Self(vec![0; 1_000_001])
    }
}

impl Latencies {
    fn add(&mut self, latency: Duration) {
        let last = self.0.len() - 1;
        self.0[last.min(latency.as_micros() as usize)] += 1;
    }

    fn figures(&self, duration: Duration) -> String {
        let count: u64 = self.0.iter().sum();
        let micros = |share: f64| {
            let rank = (count as f64 * share) as u64;
            let mut below = 0;
            let is_above = |&of: &u64| {
                below += of;
                below > rank
            };
            self.0.iter().position(is_above).unwrap_or(0)
        };
        let rate = count as f64 / duration.as_secs_f64();
        format!("{rate:.0} {} {} {}", micros(0.5), micros(0.99), micros(0.999))
    }
}
