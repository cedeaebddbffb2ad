//! A proxy that delays, cuts and changes what passes.

use core::fmt;
use core::mem::replace;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use core::time::Duration;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

/// The server behind a [`Proxy`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Target {
    /// Host and port.
    Tcp(String),
    /// A socket of this machine.
    #[cfg(unix)]
    Unix(PathBuf),
}

/// A network between clients and a server: it forwards bytes, with a delay or not at all, counts
/// them, and can change answers. Its threads end with the connections.
#[derive(Debug)]
pub struct Proxy {
    address: String,
    shared: Arc<ProxyState>,
}

/// Changes an answer on its way, without changing its length.
type Filter = dyn Fn(&mut [u8]) + Send + Sync;

struct ProxyState {
    target: Mutex<Target>,
    filter: Box<Filter>,
    faults: Mutex<Faults>,
    changed: Condvar,
    connections: AtomicU32,
    requests: AtomicU32,
    answered: AtomicUsize,
}

impl fmt::Debug for ProxyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxyState").field("target", &self.target).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Default)]
struct Faults {
    delay: Duration,
    holds_requests: bool,
    holds_answers: bool,
    drops_answers: bool,
    /// The number of requests until one whose answer is lost; zero for none.
    lost_after: u32,
    /// The next request is not passed on, since its connection turns out to be closed.
    is_cut: bool,
}

impl Proxy {
    /// Starts a proxy on a port of this machine.
    ///
    /// # Errors
    /// Returns the operating system's error if no port is free.
    pub fn new(target: Target) -> io::Result<Self> {
        Self::with_filter(target, |_| {})
    }

    /// Starts a proxy that changes the parts of answers.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_filter(
        target: Target,
        filter: impl Fn(&mut [u8]) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let shared = Arc::new(ProxyState {
            target: Mutex::new(target),
            filter: Box::new(filter),
            faults: Mutex::default(),
            changed: Condvar::new(),
            connections: AtomicU32::new(0),
            requests: AtomicU32::new(0),
            answered: AtomicUsize::new(0),
        });
        let proxy = Self { address, shared: Arc::clone(&shared) };
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A client's connection is closed if the server cannot be reached.
                let _ = connect(client, &shared);
            }
        });
        Ok(proxy)
    }

    /// Returns the address for clients: host and port.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Moves the address to another server, as a fail-over does. Open connections stay where they
    /// are.
    pub fn move_to(&self, target: Target) {
        *self.shared.target() = target;
    }

    /// Delays everything, each way.
    pub fn delay(&self, delay: Duration) {
        self.change(|faults| faults.delay = delay);
    }

    /// Holds requests back while `is_held`.
    pub fn hold_requests(&self, is_held: bool) {
        self.change(|faults| faults.holds_requests = is_held);
    }

    /// Holds answers back while `is_held`.
    pub fn hold_answers(&self, is_held: bool) {
        self.change(|faults| faults.holds_answers = is_held);
    }

    /// Loses answers while `is_dropped`. Requests still arrive.
    pub fn drop_answers(&self, is_dropped: bool) {
        self.change(|faults| faults.drops_answers = is_dropped);
    }

    /// Closes the connection in place of the answer to the `count`th request from now on.
    pub fn lose_answer(&self, count: u32) {
        self.change(|faults| faults.lost_after = count);
    }

    /// Closes the connection of the next request, which is not passed on, as a firewall does that
    /// has forgotten an idle connection.
    pub fn cut(&self) {
        self.change(|faults| faults.is_cut = true);
    }

    /// Returns the number of connections so far.
    #[must_use]
    pub fn connections(&self) -> u32 {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Returns the number of requests so far: times that a client sent something after an answer.
    #[must_use]
    pub fn requests(&self) -> u32 {
        self.shared.requests.load(Ordering::SeqCst)
    }

    /// Returns the number of bytes of all answers so far.
    #[must_use]
    pub fn answered(&self) -> usize {
        self.shared.answered.load(Ordering::SeqCst)
    }

    fn change(&self, change: impl FnOnce(&mut Faults)) {
        change(&mut self.shared.faults());
        self.shared.changed.notify_all();
    }
}

impl ProxyState {
    fn target(&self) -> MutexGuard<'_, Target> {
        self.target.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while bytes of this direction are held back.
    fn wait(&self, is_held: impl Fn(&Faults) -> bool) -> Faults {
        let held = self.changed.wait_while(self.faults(), |faults| is_held(faults));
        *held.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state that both directions of a connection share.
struct ProxyLink {
    shared: Arc<ProxyState>,
    /// The server has sent something since the client did.
    was_answered: AtomicBool,
    /// The next answer is lost.
    is_lost: AtomicBool,
}

fn connect(client: TcpStream, shared: &Arc<ProxyState>) -> io::Result<()> {
    client.set_nodelay(true)?;
    let target = shared.target().clone();
    let server = target.connect()?;
    shared.connections.fetch_add(1, Ordering::SeqCst);
    let link = Arc::new(ProxyLink {
        shared: Arc::clone(shared),
        // Where the server does not greet its clients, the first request counts too.
        was_answered: AtomicBool::new(true),
        is_lost: AtomicBool::new(false),
    });
    let (out, back) = (Arc::clone(&link), link);
    let (from, to) = (ProxyStream::Tcp(client.try_clone()?), server.try_clone()?);
    let client = ProxyStream::Tcp(client);
    thread::spawn(move || pass_on(from, to, |_| out.request()));
    thread::spawn(move || pass_on(server, client, |bytes| back.answer(bytes)));
    Ok(())
}

impl ProxyLink {
    fn request(&self) -> Fate {
        if self.was_answered.swap(false, Ordering::SeqCst) {
            self.shared.requests.fetch_add(1, Ordering::SeqCst);
            let mut faults = self.shared.faults();
            let lost_after = faults.lost_after.saturating_sub(1);
            let is_lost = replace(&mut faults.lost_after, lost_after) == 1;
            self.is_lost.store(is_lost, Ordering::SeqCst);
            if replace(&mut faults.is_cut, false) {
                return Fate::Close;
            }
        }
        Fate::Forward(self.shared.wait(|faults| faults.holds_requests).delay)
    }

    fn answer(&self, bytes: &mut [u8]) -> Fate {
        self.shared.answered.fetch_add(bytes.len(), Ordering::SeqCst);
        (self.shared.filter)(bytes);
        let faults = self.shared.wait(|faults| faults.holds_answers);
        self.was_answered.store(true, Ordering::SeqCst);
        match (self.is_lost.load(Ordering::SeqCst), faults.drops_answers) {
            (true, _) => Fate::Close,
            (_, true) => Fate::Drop,
            _ => Fate::Forward(faults.delay),
        }
    }
}

/// The treatment of bytes.
enum Fate {
    /// They arrive so much later.
    Forward(Duration),
    Drop,
    /// The connection is closed in their place.
    Close,
}

/// Forwards bytes in one direction. However one direction ends, both end. As on a long line, what
/// is sent at once arrives at once, however many parts it has.
fn pass_on(mut from: ProxyStream, mut to: ProxyStream, sees: impl Fn(&mut [u8]) -> Fate) {
    let (line, arriving) = mpsc::channel::<(Instant, Vec<u8>)>();
    let Ok(source) = from.try_clone() else {
        from.shut_down();
        return to.shut_down();
    };
    thread::spawn(move || {
        for (at, bytes) in arriving {
            thread::sleep(at.saturating_duration_since(Instant::now()));
            if to.write_all(&bytes).is_err() {
                break;
            }
        }
        source.shut_down();
        to.shut_down();
    });
    let mut buffer = [0; 8_192];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        match sees(&mut buffer[..count]) {
            Fate::Forward(delay) => {
                let bytes = buffer[..count].to_vec();
                if line.send((Instant::now() + delay, bytes)).is_err() {
                    break;
                }
            }
            Fate::Close => break,
            Fate::Drop => {}
        }
    }
}

enum ProxyStream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Target {
    fn connect(&self) -> io::Result<ProxyStream> {
        match self {
            Self::Tcp(address) => {
                let stream = TcpStream::connect(address)?;
                stream.set_nodelay(true)?;
                Ok(ProxyStream::Tcp(stream))
            }
            #[cfg(unix)]
            Self::Unix(path) => UnixStream::connect(path).map(ProxyStream::Unix),
        }
    }
}

impl ProxyStream {
    fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
            #[cfg(unix)]
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
        }
    }

    fn shut_down(&self) {
        // The other side may have closed it already.
        let _ = match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
            #[cfg(unix)]
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl Read for ProxyStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            #[cfg(unix)]
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for ProxyStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            #[cfg(unix)]
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
