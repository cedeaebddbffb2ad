//! Servers that answer with nothing, garbage, or without end.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use core::time::Duration;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use tickid_lease::{Store, StoreError, StoreErrorKind};

use super::{acquire, realm};

/// The first bytes that a server sends, the bytes after the client's first message, and whether the
/// last ones repeat without end.
pub(crate) struct Script {
    pub(crate) greeting: Vec<u8>,
    pub(crate) answer: Vec<u8>,
    pub(crate) is_endless: bool,
}

/// A server that follows a script.
pub(crate) struct Hostile {
    pub(crate) port: u16,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    opened: AtomicU32,
    closed: AtomicU32,
    /// The largest number of bytes that one connection took.
    most: AtomicUsize,
}

impl Hostile {
    pub(crate) fn new(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (counts, script) = (Arc::<Counts>::default(), Arc::new(script));
        let seen = Arc::clone(&counts);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                seen.opened.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || {
                    let sent = follow(&script, client);
                    seen.most.fetch_max(sent, Ordering::SeqCst);
                    seen.closed.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Self { port, counts }
    }

    /// Sends five requests, and returns their errors when all connections are closed.
    pub(crate) fn ask(&self, store: Store) -> Vec<StoreError> {
        let realm = realm("0-7/8", Duration::from_secs(10));
        let errors = (0..5).map(|_| acquire(&store, &realm).unwrap_err()).collect();
        drop(store);
        // No connection stays open.
        while self.counts.closed.load(Ordering::SeqCst) < self.counts.opened.load(Ordering::SeqCst)
        {
            thread::yield_now();
        }
        errors
    }

    pub(crate) fn connections(&self) -> u32 {
        self.counts.opened.load(Ordering::SeqCst)
    }

    pub(crate) fn most_bytes(&self) -> usize {
        self.counts.most.load(Ordering::SeqCst)
    }
}

/// Returns the number of bytes sent until the client closed the connection.
fn follow(script: &Script, mut client: TcpStream) -> usize {
    let mut sent = 0;
    let mut send = |client: &mut TcpStream, bytes: &[u8]| {
        let is_open = client.write_all(bytes).is_ok();
        sent += bytes.len();
        is_open
    };
    let mut buffer = [0; 4_096];
    if send(&mut client, &script.greeting) && client.read(&mut buffer).is_ok_and(|count| count > 0)
    {
        let filler = vec![0; 1 << 16];
        let mut is_open = send(&mut client, &script.answer);
        while is_open && script.is_endless {
            is_open = send(&mut client, &filler);
        }
    }
    while client.read(&mut buffer).is_ok_and(|count| count > 0) {}
    sent
}

/// Asserts that no answer means unreachable, and that the client connects once only.
pub(crate) fn silence_is_no_answer(open: impl Fn(u16) -> Store) {
    let script = Script { greeting: Vec::new(), answer: Vec::new(), is_endless: false };
    let server = Hostile::new(script);
    for error in server.ask(open(server.port)) {
        assert!(error.is_unreachable(), "{error}");
    }
    assert_eq!(server.connections(), 1);
}

/// Asserts that garbage in place of an answer is an error.
pub(crate) fn garbage_is_an_error(open: impl Fn(u16) -> Store) {
    for bytes in [&[0xff; 100][..], &[0; 100], b"HTTP/1.1 400 Bad Request\r\n\r\n"] {
        let script = Script { greeting: bytes.to_vec(), answer: bytes.to_vec(), is_endless: false };
        let server = Hostile::new(script);
        for error in server.ask(open(server.port)) {
            let kind = error.kind();
            let is_expected =
                matches!(kind, StoreErrorKind::Unreachable | StoreErrorKind::Failed { .. });
            assert!(is_expected, "{error:?}");
        }
    }
}

/// Asserts that no more than 40 MB of an endless answer are read.
pub(crate) fn endless_answers_are_cut(scripts: Vec<Script>, open: impl Fn(u16) -> Store) {
    for script in scripts {
        let server = Hostile::new(Script { is_endless: true, ..script });
        for error in server.ask(open(server.port)) {
            assert!(error.refusal().is_none(), "{error:?}");
        }
        assert!(server.most_bytes() < 40 << 20, "{} bytes", server.most_bytes());
    }
}

/// Asserts that long messages are cut and escaped.
pub(crate) fn long_messages_are_cut(script: Script, open: impl Fn(u16) -> Store) {
    let server = Hostile::new(script);
    for error in server.ask(open(server.port)) {
        let text = format!("{error:?}");
        assert!(text.contains("xxx") && text.len() < 600, "{} bytes: {text:.600}", text.len());
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
