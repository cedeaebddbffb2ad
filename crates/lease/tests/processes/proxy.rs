//! A network between holders and their store.

use core::time::Duration;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// The server behind the proxy.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// Host and port.
    Tcp(String),
    Unix(PathBuf),
}

/// A proxy that forwards bytes at once or later. As with TCP, nothing is lost for good. Its threads
/// end with the connections.
pub(crate) struct Proxy {
    address: String,
    weather: Arc<Weather>,
}

#[derive(Default)]
struct Weather {
    now: Mutex<Now>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default)]
struct Now {
    delay: Duration,
    holds_requests: bool,
    holds_answers: bool,
}

impl Proxy {
    pub(crate) fn new(target: Target) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let weather = Arc::<Weather>::default();
        let shared = Arc::clone(&weather);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A client's connection is closed if its store cannot be reached.
                let _ = connect(&client, &target, &shared);
            }
        });
        Self { address, weather }
    }

    /// Returns the address for clients.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Delays everything, each way.
    pub(crate) fn delay(&self, delay: Duration) {
        self.weather.change(|now| now.delay = delay);
    }

    /// Holds requests back while `is_held`.
    pub(crate) fn hold_requests(&self, is_held: bool) {
        self.weather.change(|now| now.holds_requests = is_held);
    }

    /// Holds answers back while `is_held`.
    pub(crate) fn hold_answers(&self, is_held: bool) {
        self.weather.change(|now| now.holds_answers = is_held);
    }
}

impl Weather {
    fn change(&self, change: impl FnOnce(&mut Now)) {
        change(&mut self.now.lock().unwrap());
        self.changed.notify_all();
    }

    fn wait(&self, is_held: impl Fn(&Now) -> bool) {
        let now = self.now.lock().unwrap();
        let now = self.changed.wait_while(now, |now| is_held(now)).unwrap();
        let delay = now.delay;
        drop(now);
        thread::sleep(delay);
    }
}

fn connect(client: &TcpStream, target: &Target, weather: &Arc<Weather>) -> io::Result<()> {
    client.set_nodelay(true)?;
    match target {
        Target::Tcp(address) => {
            let server = TcpStream::connect(address)?;
            server.set_nodelay(true)?;
            let (from, to) = (server.try_clone()?, server.try_clone()?);
            join(client, from, to, move || server.shutdown(Shutdown::Both), weather)
        }
        Target::Unix(path) => {
            let server = UnixStream::connect(path)?;
            let (from, to) = (server.try_clone()?, server.try_clone()?);
            join(client, from, to, move || server.shutdown(Shutdown::Both), weather)
        }
    }
}

fn join(
    client: &TcpStream,
    from: impl Read + Send + 'static,
    to: impl Write + Send + 'static,
    close: impl FnOnce() -> io::Result<()> + Send + 'static,
    weather: &Arc<Weather>,
) -> io::Result<()> {
    let (requests, answers, close_client) =
        (client.try_clone()?, client.try_clone()?, client.try_clone()?);
    let (out, back) = (Arc::clone(weather), Arc::clone(weather));
    thread::spawn(move || {
        // However one direction ends, both end.
        let _ = pass_on(requests, to, &out, |now| now.holds_requests);
        let _ = close();
    });
    thread::spawn(move || {
        let _ = pass_on(from, answers, &back, |now| now.holds_answers);
        let _ = close_client.shutdown(Shutdown::Both);
    });
    Ok(())
}

fn pass_on(
    mut from: impl Read,
    mut to: impl Write,
    weather: &Weather,
    is_held: fn(&Now) -> bool,
) -> io::Result<()> {
    let mut buffer = [0; 8_192];
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        weather.wait(is_held);
        to.write_all(&buffer[..count])?;
    }
}
