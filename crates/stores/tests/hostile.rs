//! Servers that answer with garbage, without end, or not at all cost a client neither memory nor
//! threads nor sockets.

#![cfg(target_os = "linux")]
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod error_chain;

use core::time::Duration;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Instant;
use std::{env, fs, thread};

use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{Realm, RealmSpec, Store, StoreError};
use tickid_nanoflake::Nanoflake;
use tickid_stores::{EtcdBackend, MySqlBackend, PostgresBackend, RedisBackend};
use tickid_testkit::servers::Hostile;

/// Is set in a separate process to the test that it was started for.
const ALONE: &str = "TICKID_TEST_ALONE";
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

const MYSQL: &[(&str, Behaviour)] = &[
    ("silence", |_| Ok(())),
    ("hang up", |stream| stream.shutdown(std::net::Shutdown::Both)),
    ("garbage", |stream| stream.write_all(&[0xff; 1 << 16])),
    ("2^30 columns", |stream| stream.write_all(&columns(1 << 30))),
    ("2^40 columns", |stream| stream.write_all(&columns(1 << 40))),
    ("2^50 columns", |stream| stream.write_all(&columns(1 << 50))),
    ("all columns", |stream| stream.write_all(&columns(u64::MAX))),
    ("columns without end", |stream| repeat(stream, &columns(0xff_ffff), &numbered(2, b"\x03def"))),
    ("long columns", |stream| repeat(stream, &columns(4), &LONG_COLUMNS)),
    ("rows without end", |stream| repeat(stream, &rows(1), &numbered(4, b"\x01a"))),
    ("rows of nothing", |stream| repeat(stream, &rows(4), &numbered(7, b"\xfb\xfb\xfb\xfb"))),
    ("rows of little", |stream| repeat(stream, &rows(4), &numbered(7, b"\x01a\x01a\x01a\x01a"))),
    ("a row without end", |stream| {
        repeat(
            stream,
            &[&rows(1)[..], b"\xff\xff\xff\x04\xfd\xf0\xff\xff"].concat(),
            &[b'a'; 1 << 16],
        )
    }),
    ("answers without end", |stream| repeat(stream, LOGIN, &numbered(1, b"\0\0\0\x0a\0\0\0"))),
    ("methods without end", |stream| {
        repeat(stream, b"", &numbered(2, b"\xfemysql_native_password\0abcdefghijklmnopqrst\0"))
    }),
    ("a long error", |stream| {
        repeat(stream, b"\xff\xff\xff\x02\xff\x15\x04#HY000\x1b", &[7; 1 << 16])
    }),
    ("an error", |stream| {
        let error = [b"\xff\x15\x04#HY000\x1b[31m", &[b'x'; 60_000][..]].concat();
        stream.write_all(&packet(2, &error))
    }),
    ("zeros without end", |stream| repeat(stream, LOGIN, &[0; 1 << 16])),
    ("HTTP", |stream| stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")),
    ("single bytes", |stream| drip(stream, LOGIN)),
];

/// The acceptance of a login.
const READY: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

const POSTGRES: &[(&str, Behaviour)] = &[
    ("silence", |_| Ok(())),
    ("hang up", |stream| stream.shutdown(std::net::Shutdown::Both)),
    ("garbage", |stream| stream.write_all(&[0xff; 1 << 16])),
    ("zeros", |stream| stream.write_all(&[0; 1 << 16])),
    ("HTTP", |stream| stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")),
    ("a row before a login", |stream| repeat(stream, b"D\x7f\xff\xff\xf0", &[0; 1 << 16])),
    ("a row without end", |stream| {
        repeat(stream, &[READY, b"D\x7f\xff\xff\xf0"].concat(), &[0; 1 << 16])
    }),
    ("zeros after a login", |stream| repeat(stream, READY, &[0; 1 << 16])),
    ("notices without end", |stream| repeat(stream, READY, &b"N\0\0\0\x05\0".repeat(999))),
    ("a long error", |stream| {
        let body = [b"SERROR\0CXX000\0M\x1b[31m", &[b'x'; 1 << 20][..], b"\0\0"].concat();
        let len = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        stream.write_all(&[b"E", &len[..], &body].concat())
    }),
    ("single bytes", |stream| drip(stream, READY)),
];

/// The acceptance of a login.
const LOGIN: &[u8] = b"\x07\0\0\x02\0\0\0\x02\0\0\0";

/// The start of an answer that announces columns.
fn columns(count: u64) -> Vec<u8> {
    [LOGIN, b"\x09\0\0\x01\xfe", &count.to_le_bytes()].concat()
}

/// An answer up to its rows.
fn rows(columns: u8) -> Vec<u8> {
    let mut bytes = [LOGIN, &[1, 0, 0, 1, columns]].concat();
    for column in 0..columns {
        bytes.extend([4, 0, 0, 2 + column, 3, b'd', b'e', b'f']);
    }
    bytes.extend([5, 0, 0, 2 + columns, 0xfe, 0, 0, 2, 0]);
    bytes
}

fn packet(number: u8, bytes: &[u8]) -> Vec<u8> {
    let [low, high] = u16::try_from(bytes.len()).unwrap().to_le_bytes();
    [&[low, high, 0, number], bytes].concat()
}

/// A packet with each number, starting with one.
fn numbered(first: u8, bytes: &[u8]) -> Vec<u8> {
    (0..=u8::MAX).flat_map(|number| packet(first.wrapping_add(number), bytes)).collect()
}

/// The first packet of a server that has all capabilities but TLS.
fn greeting() -> Vec<u8> {
    let parts: [&[u8]; 7] = [
        b"\x0a8.4.0\0\x01\0\0\0",
        b"abcdefgh\0",
        b"\xff\xf7\x2d\x02\0\xff\xff\x15",
        &[0; 10],
        b"ijklmnopqrst\0",
        b"mysql_native_password",
        b"\0",
    ];
    packet(0, &parts.concat())
}

// Made once, since the memory of these servers counts too, and each connection has one.
static LONG: [u8; 3_000_000] = [b'a'; 3_000_000];
static LONG_COLUMNS: LazyLock<Vec<u8>> = LazyLock::new(|| numbered(2, &[b'a'; 60_000]));

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

fn acquire(store: &Store, timeout: Duration) -> StoreError {
    let pool = "0-7/10";
    let realm =
        RealmSpec::from(Realm::builder("a", Nanoflake::default()).pool(pool).build().unwrap());
    let mut claim = Claim::new(Token::random().unwrap(), "test", None);
    block_on(store.acquire(&realm, &mut claim), timeout).unwrap_err()
}

/// Returns the number of this process's threads for requests.
fn threads() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.starts_with("tickid-")).count()
}

/// Returns the peak memory of the process since it was [forgotten](forget_peak), in KiB.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").unwrap();
}

fn redis(place: &str) -> Store {
    let url = format!("redis://{place}");
    Store::new(RedisBackend::open_with_timeout(&url, TIMEOUT).unwrap())
}

fn etcd(place: &str) -> Store {
    let url = format!("etcd://{place}");
    Store::new(EtcdBackend::open_with_timeout(&url, TIMEOUT).unwrap())
}

fn mysql(place: &str) -> Store {
    let backend = MySqlBackend::open(&format!("mysql://app:secret@{place}/ids")).unwrap();
    Store::new(backend.with_timeout(TIMEOUT))
}

fn postgres(place: &str) -> Store {
    let url = format!("postgres://app:secret@{place}/ids?sslmode=disable");
    Store::new(PostgresBackend::open(&url).unwrap().with_timeout(TIMEOUT))
}

fn costs_little(open: fn(&str) -> Store, greeting: &[u8], behaviours: &[(&str, Behaviour)]) {
    for &(name, behaviour) in behaviours {
        let server = Hostile::new(greeting.to_vec(), behaviour).unwrap();
        let await_at_most = |connections, of_threads| {
            let start = Instant::now();
            while server.open_connections() > connections || threads() > of_threads {
                let open = (server.open_connections(), threads());
                assert!(start.elapsed() < Duration::from_secs(60), "{name}: {open:?}");
                thread::sleep(Duration::from_millis(5));
            }
        };
        forget_peak();
        let (store, memory) = (open(server.address()), peak_memory());
        for request in 0..REQUESTS {
            // Of the earlier requests, only one that its caller has given up may still need memory.
            await_at_most(1, usize::MAX);
            // Every other time the caller gives up before the client does.
            let patience = if request % 2 == 0 { TIMEOUT * 100 } else { TIMEOUT / 10 };
            let error = acquire(&store, patience);
            assert_eq!(error.refusal(), None, "{name}");
            let text = error_chain::causes(&error);
            assert!(text.len() < MAX_TEXT, "{name}: {} bytes", text.len());
            assert!(!text.contains(char::is_control), "{name}: {text:?}");
        }
        // The kernel counts in batches, so that a peak may be a little below an earlier one.
        let memory = peak_memory().saturating_sub(memory);
        assert!(memory < MAX_MEMORY, "{name}: {memory} KiB");
        let backend = store.backend();
        drop(store);
        await_at_most(0, 0);
        // Where many clients come at the same time, each would connect again and again.
        let is_sql = matches!(backend, "MySQL" | "PostgreSQL");
        assert!(!is_sql || name != "silence" || server.connections() == 1, "{backend}");
    }
}

/// Runs a part of a test, named by its path, in a process where no other test runs: it is this
/// program, started again for that test.
fn alone(test: &str, part: impl FnOnce()) {
    if env::var_os(ALONE).is_some_and(|alone| alone == test) {
        return part();
    }
    let mut program = Command::new(env::current_exe().unwrap());
    let program = program.args(["--exact", test, "--nocapture"]).env(ALONE, test);
    let output = program.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

// Each counts the resources of a whole process.

#[test]
fn hostile_redis_costs_little() {
    alone("hostile_redis_costs_little", || costs_little(redis, b"", REDIS));
}

#[test]
fn hostile_etcd_costs_little() {
    alone("hostile_etcd_costs_little", || costs_little(etcd, b"", ETCD));
}

#[test]
fn hostile_mysql_costs_little() {
    alone("hostile_mysql_costs_little", || {
        LazyLock::force(&LONG_COLUMNS);
        costs_little(mysql, &greeting(), MYSQL);
    });
}

#[test]
fn hostile_postgres_costs_little() {
    alone("hostile_postgres_costs_little", || costs_little(postgres, b"", POSTGRES));
}
