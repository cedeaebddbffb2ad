//! A proxy between a client and the server that counts round trips, and can delay or drop answers.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use tickid_testkit::servers::Postgres;

/// Listens on a socket as the server does. Its threads end with the connections.
pub(crate) struct Proxy {
    folder: PathBuf,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    connections: AtomicU32,
    requests: AtomicU32,
    is_silent: AtomicBool,
    holds_back: Mutex<bool>,
    lets_go: Condvar,
}

impl Proxy {
    pub(crate) fn new(server: &Postgres) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = format!("tickid-proxy-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir(&folder).unwrap();
        let listener = UnixListener::bind(folder.join(SOCKET)).unwrap();
        let target = server.socket_folder().join(SOCKET);
        let seen = Arc::<Seen>::default();
        let counters = Arc::clone(&seen);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client?, UnixStream::connect(&target)?);
                counters.connections.fetch_add(1, Ordering::SeqCst);
                let (seen, silent) = (Arc::clone(&counters), Arc::clone(&counters));
                let (from, to) = (client.try_clone()?, server.try_clone()?);
                thread::spawn(move || requests(from, to, &seen));
                thread::spawn(move || answers(server, client, &silent));
            }
            io::Result::Ok(())
        });
        Self { folder, seen }
    }

    pub(crate) fn url(&self, database: &str) -> String {
        let (folder, user) = (self.folder.display(), Postgres::USER);
        format!("postgresql:///{database}?host={folder}&user={user}")
    }

    /// Returns the number of round trips since it was last called.
    pub(crate) fn round_trips(&self) -> u32 {
        self.seen.requests.swap(0, Ordering::SeqCst)
    }

    /// Returns the number of connections so far.
    pub(crate) fn connections(&self) -> u32 {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// Sets whether answers are held back until this is called again with `false`.
    pub(crate) fn hold_back(&self, holds_back: bool) {
        *self.seen.holds_back.lock().unwrap() = holds_back;
        self.seen.lets_go.notify_all();
    }

    /// Sets whether answers are lost. Requests still arrive.
    pub(crate) fn set_silent(&self, is_silent: bool) {
        self.seen.is_silent.store(is_silent, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

const SOCKET: &str = ".s.PGSQL.5432";

/// Forwards messages, and counts the ones after which the client waits. Each has a type and a
/// length, except that the first has no type.
fn requests(mut from: UnixStream, mut to: UnixStream, seen: &Seen) -> io::Result<()> {
    let mut is_first = true;
    loop {
        let mut head = vec![0; if is_first { 4 } else { 5 }];
        from.read_exact(&mut head)?;
        let (kind, length) = head.split_at(head.len() - 4);
        let length = u32::from_be_bytes(length.try_into().unwrap_or_default());
        // The length includes its own four bytes.
        let mut body = vec![0; usize::try_from(length).unwrap_or(4) - 4];
        from.read_exact(&mut body)?;
        // Sync messages, and simple queries, which imply one.
        if is_first || matches!(kind, b"S" | b"Q") {
            seen.requests.fetch_add(1, Ordering::SeqCst);
        }
        is_first = false;
        to.write_all(&head)?;
        to.write_all(&body)?;
    }
}

fn answers(mut from: UnixStream, mut to: UnixStream, seen: &Seen) -> io::Result<()> {
    let mut buffer = [0; 8_192];
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return to.shutdown(std::net::Shutdown::Both);
        }
        let holds_back = seen.holds_back.lock().unwrap();
        drop(seen.lets_go.wait_while(holds_back, |holds_back| *holds_back).unwrap());
        if !seen.is_silent.load(Ordering::SeqCst) {
            to.write_all(&buffer[..count])?;
        }
    }
}
