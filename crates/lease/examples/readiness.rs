//! A readiness check for a load balancer or an orchestrator: `readiness [STORE_URL]`.
//!
//! The process is ready while its window lasts for at least a quarter of a term, so it is taken out
//! of service before its generator stalls, but not when a renewal is only late. It stays *alive*
//! meanwhile, because restarting it does not bring the store back, and costs the node.
//!
//! ```text
//! $ cargo run -p tickid-lease --example readiness &
//! $ curl http://127.0.0.1:8080/readyz
//! ready: 14.2 s left, renewed 2026-11-22T08:00:00.123Z
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

use tickid_core::Scheme;
use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_scru64::Scru64;

type BoxError = Box<dyn core::error::Error>;

fn main() -> Result<(), BoxError> {
    let store = match std::env::args().nth(1) {
        Some(url) => Store::open(&url)?,
        None => Store::in_memory(),
    };
    let realm = Realm::builder("orders", Scru64).pool("0-255/8").build()?;
    let generator = LeasedGenerator::start(store, realm)?;
    println!("an ID: {}", generator.generate()?);

    let listener = TcpListener::bind("127.0.0.1:8080")?;
    for connection in listener.incoming() {
        if let Err(error) = answer(connection?, &readiness(&generator)) {
            println!("a client went away: {error}");
        }
    }
    Ok(())
}

/// Returns a human-readable sentence, as an error if the process is not ready.
fn readiness<S: Scheme>(generator: &LeasedGenerator<S>) -> Result<String, String> {
    let state = generator.state();
    let left = state.window_left.as_secs_f64();
    let renewed = state.renewed_at.map_or_else(|| "never".to_owned(), |at| at.to_string());
    if state.lease.is_some_and(|lease| state.window_left >= lease.terms.term / 4) {
        return Ok(format!("ready: {left:.1} s left, renewed {renewed}"));
    }
    let trouble = state.trouble.map_or_else(|| "none".to_owned(), |trouble| trouble.to_string());
    Err(format!("not ready: {left:.1} s left, renewed {renewed}, trouble: {trouble}"))
}

/// Answers one HTTP request.
fn answer(connection: TcpStream, readiness: &Result<String, String>) -> std::io::Result<()> {
    let mut request = BufReader::new(&connection).lines();
    while request.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let (status, text) = match readiness {
        Ok(text) => ("200 OK", text),
        Err(text) => ("503 Service Unavailable", text),
    };
    let length = text.len() + 1;
    write!(&connection, "HTTP/1.0 {status}\r\nContent-Length: {length}\r\n\r\n{text}\n")
}
