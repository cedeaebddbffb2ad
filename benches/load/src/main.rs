//! A client that measures a server of RESP or HTTP, for `.ci/bench-server`.
//!
//! ```text
//! tickid-bench-load ADDRESS CONNECTIONS PIPELINE SECONDS RATE REQUEST...
//! ```
//!
//! `REQUEST` is a command of RESP, a word each, or a path for HTTP/1.1. With the rate 0 each
//! connection sends `PIPELINE` requests, waits for all answers, and begins anew. Otherwise requests
//! begin at fixed times, whether or not earlier ones are answered, and latencies count from these
//! times: a server that falls behind has long ones. Writes the requests per second, and the
//! percentiles 50, 99 and 99.9 of the latency in microseconds.

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
    /// The requests per second; 0 for as many as there can be.
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
    /// The times from which the latencies of the requests without an answer count.
    waiting: VecDeque<Instant>,
    /// The part of an answer that has arrived.
    input: Vec<u8>,
    /// The bytes of the current answer that are still to come, and need no look.
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
                    self.input.extend_from_slice(part);
                    let Some(head) = head(&self.input, is_http)? else { break };
                    // The rest of the bytes belongs to the body and to further answers.
                    let taken = head.len - (self.input.len() - part.len());
                    part = &part[taken..];
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
    let Some(at) = input.windows(end.len()).position(|part| part == end) else { return Ok(None) };
    let (text, len) = (str::from_utf8(&input[..at])?, at + end.len());
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
        Some(b':' | b'+') => 0,
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
    let (mut answers, mut latencies) = (0_u64, Vec::new());
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
                    answers += 1;
                    latencies.push(now.duration_since(sent));
                }
            })?;
            if connection.waiting.is_empty() {
                let now = Instant::now();
                connection.waiting.extend((0..options.pipeline).map(|_| now));
                connection.send(&batch)?;
            }
        }
    }
    Ok(figures(answers as f64 / options.duration.as_secs_f64(), latencies))
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
    let (mut sent, mut latencies, mut next) = (0, Vec::new(), 0);
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
        // A timer would be too coarse.
        poll.poll(&mut events, Some(Duration::ZERO))?;
        for event in &events {
            let connection = &mut connections[event.token().0];
            connection.flush()?;
            connection.receive(&mut buffer, options.is_http, |intended| {
                if intended >= start {
                    latencies.push(intended.elapsed());
                }
            })?;
        }
    }
    let rate = latencies.len() as f64 / options.duration.as_secs_f64();
    Ok(figures(rate, latencies))
}

fn figures(rate: f64, mut latencies: Vec<Duration>) -> String {
    latencies.sort_unstable();
    let micros = |share: f64| {
        let index = (latencies.len() as f64 * share) as usize;
        latencies.get(index).map_or(0.0, |latency| latency.as_secs_f64() * 1e6)
    };
    format!("{rate:.0} {:.0} {:.0} {:.0}", micros(0.5), micros(0.99), micros(0.999))
}
