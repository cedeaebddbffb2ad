//! Servers that answer with garbage, without end, or not at all cost a client neither memory nor
//! threads nor sockets.

// One test, since it counts the resources of the whole process.
#![cfg(target_os = "linux")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use core::time::Duration;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Instant;

use tickid_lease::{
    Claim, EtcdBackend, RealmSpec, RedisBackend, Store, StoreError, Token, block_on,
};
use tickid_nanoflake::Nanoflake;

mod causes;

/// The timeout of a request.
const TIMEOUT: Duration = Duration::from_millis(300);
/// The number of requests to each server.
const REQUESTS: usize = 10;
/// The memory that an answer may take, in KiB.
const MAX_MEMORY: u64 = 64 << 10;
/// The length of an error and its causes.
const MAX_TEXT: usize = 1_000;

/// A way to answer. It returns when the client closes the connection.
type Behaviour = fn(&mut TcpStream) -> io::Result<()>;

const REDIS: &[(&str, Behaviour)] = &[
    ("silence", |_| Ok(())),
    ("hang up", |stream| stream.shutdown(std::net::Shutdown::Both)),
    ("garbage", |stream| stream.write_all(&[0xff; 1 << 16])),
    ("a line without end", |stream| repeat(stream, b"+", &[b'a'; 1 << 16])),
    ("a text without end", |stream| repeat(stream, b"$99999999999\r\n", &[b'a'; 1 << 16])),
    ("a list without end", |stream| repeat(stream, b"*99999999999\r\n", &b"*0\r\n".repeat(999))),
    ("nested lists", |stream| repeat(stream, b"", &b"*1\r\n".repeat(999))),
    ("a long error", |stream| repeat(stream, b"-ERR \x1b[31m", &[b'a'; 1 << 16])),
    ("long errors", |stream| {
        stream.write_all(b"-ERR ")?;
        stream.write_all(&[7; 100_000])?;
        repeat(stream, b"\r\n", b"-ERR \x07\r\n")
    }),
    ("single bytes", |stream| drip(stream, b"+aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")),
];

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n";

const ETCD: &[(&str, Behaviour)] = &[
    ("silence", |_| Ok(())),
    ("hang up", |stream| stream.shutdown(std::net::Shutdown::Both)),
    ("garbage", |stream| stream.write_all(&[0xff; 1 << 16])),
    ("a status line without end", |stream| repeat(stream, b"HTTP/1.1 200 ", &[b'a'; 1 << 16])),
    ("headers without end", |stream| repeat(stream, &HEAD[..17], &b"a: b\r\n".repeat(999))),
    ("interim answers", |stream| repeat(stream, b"", &b"HTTP/1.1 100 C\r\n\r\n".repeat(999))),
    ("a body without end", |stream| repeat(stream, HEAD, &[b'a'; 1 << 16])),
    ("a list without end", |stream| {
        let head = [HEAD, br#"{"header":{},"responses":["#].concat();
        repeat(stream, &head, &b"{},".repeat(999))
    }),
    ("a long string", |stream| {
        for part in [HEAD, b"\"", &LONG[..], b"\""] {
            stream.write_all(part)?;
        }
        stream.shutdown(std::net::Shutdown::Write)
    }),
    ("a long error", |stream| {
        stream.write_all(
            b"HTTP/1.1 400 Bad Request\r\nContent-Length: 3000020\r\n\r\n{\"error\":\"",
        )?;
        stream.write_all(&LONG)?;
        stream.write_all(b"\"}        ")
    }),
    ("single bytes", |stream| drip(stream, HEAD)),
];

/// Static, since the memory of these servers counts too.
static LONG: [u8; 3_000_000] = [b'a'; 3_000_000];

/// Writes until the client closes the connection.
fn repeat(stream: &mut TcpStream, head: &[u8], bytes: &[u8]) -> io::Result<()> {
    stream.write_all(head)?;
    loop {
        stream.write_all(bytes)?;
    }
}

/// Writes a byte now and then, so that no read waits for long.
fn drip(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT / 3))?;
    for byte in bytes {
        stream.write_all(&[*byte])?;
        if let Ok(0) = stream.read(&mut [0; 4_096]) {
            return Ok(());
        }
    }
    stream.set_read_timeout(None)
}

/// Starts a server, and returns its address.
fn serve(behaviour: Behaviour) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let server = move || {
                // The beginning of a request.
                stream.read_exact(&mut [0; 8])?;
                behaviour(&mut stream)?;
                io::copy(&mut stream, &mut io::sink())
            };
            // It ends when the client closes the connection.
            thread::Builder::new().name("server".to_owned()).spawn(server).unwrap();
        }
    });
    address
}

fn acquire(store: &Store, timeout: Duration) -> StoreError {
    let pool = "0-7/10".parse().unwrap();
    let realm = RealmSpec::new("a".parse().unwrap(), &Nanoflake::default(), pool).unwrap();
    let mut claim = Claim::new(Token::random().unwrap(), "test", None);
    block_on(store.acquire(&realm, &mut claim), timeout).unwrap_err()
}

/// Returns the names of this process's threads for requests and for connections of servers.
fn threads() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.starts_with("tickid-") || name.starts_with("server")).count()
}

/// Returns the peak memory of the process, in KiB.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn redis(place: &str) -> Store {
    let url = format!("redis://{place}");
    Store::new(RedisBackend::open_with_timeout(&url, TIMEOUT).unwrap())
}

fn etcd(place: &str) -> Store {
    let url = format!("etcd://{place}");
    Store::new(EtcdBackend::open_with_timeout(&url, TIMEOUT).unwrap())
}

fn costs_little(open: fn(&str) -> Store, behaviours: &[(&str, Behaviour)]) {
    for &(name, behaviour) in behaviours {
        let address = serve(behaviour);
        let (store, memory) = (open(&address), peak_memory());
        for request in 0..REQUESTS {
            // Every other time the caller gives up before the client does.
            let patience = if request % 2 == 0 { TIMEOUT * 100 } else { TIMEOUT / 10 };
            let error = acquire(&store, patience);
            let text = causes::causes(&error);
            assert!(text.len() < MAX_TEXT, "{name}: {} bytes", text.len());
            assert!(!text.contains(char::is_control), "{name}: {text:?}");
        }
        assert!(peak_memory() - memory < MAX_MEMORY, "{name}");
        drop(store);
        // The servers' threads end when their connections are closed.
        let start = Instant::now();
        while threads() > 0 {
            assert!(start.elapsed() < Duration::from_secs(60), "{name}: {}", threads());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn hostile_servers_cost_little() {
    costs_little(redis, REDIS);
    costs_little(etcd, ETCD);
}
