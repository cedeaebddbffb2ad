//! Passwords are in nothing that is told of a store: no event of `tracing`, no record of `log`, down to the finest level
//! and of whatever library, no error, no `Debug`.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use core::error::Error;
use core::fmt::{Debug, Write as _};
use core::time::Duration;
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};

use tickid_lease::{
    Claim, KeeperBuilder, Lease, Realm, Standing, Store, StoreError, Token, block_on, connect,
};
use tickid_nanoflake::Nanoflake;
#[cfg(unix)]
use tickid_testkit::servers::{Etcd, Postgres, Redis, Server, Tests};
use tracing::field::{Field, Visit};
use tracing::span;

/// Everything that anybody has told.
static TOLD: Mutex<String> = Mutex::new(String::new());

/// What the HTTP client has shown byte by byte.
static DUMPED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The bytes of a row of a dump: pairs of hexadecimal digits, a space after every other one, before two spaces and the text.
fn dumped(row: &str) -> Vec<u8> {
    let (digits, _) = row.split_once("  ").unwrap_or((row, ""));
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.as_chunks().0.iter().map(byte).collect()
}

fn tell(text: &dyn Debug) {
    writeln!(TOLD.lock().unwrap_or_else(PoisonError::into_inner), "{text:?}").unwrap();
}

/// Hears events, spans and records.
struct Ear;

impl Visit for Ear {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        tell(&(field.name(), value));
    }
}

impl tracing::Subscriber for Ear {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        attributes.record(&mut Self);
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut Self);
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut Self);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

impl log::Log for Ear {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        tell(&(record.target(), record.args()));
        if record.target() == "ureq_proto::util" {
            DUMPED.lock().unwrap().extend(dumped(&record.args().to_string()));
        }
    }

    fn flush(&self) {}
}

/// As it is, and as a URL has it.
const RIGHT: [&str; 2] = ["r1ght@s3cret", "r1ght%40s3cret"];
const WRONG: [&str; 2] = ["wr0ng@s3cret", "wr0ng%40s3cret"];
const PATIENCE: Duration = Duration::from_secs(60);

fn answered<T: Debug>(answer: tickid_lease::Answer<'_, T>) -> Result<T, StoreError> {
    let result = block_on(answer, PATIENCE).unwrap();
    tell(&result);
    if let Err(error) = &result {
        tell_all(error);
    }
    result
}

fn tell_all(error: &dyn Error) {
    for error in core::iter::successors(Some(error), |&error| error.source()) {
        tell(&(error.to_string(), error));
    }
}

fn realm() -> Realm {
    let name = format!("secret-{}", Token::random().unwrap());
    let pool = "0-7/10".parse().unwrap();
    let realm = Realm::new(name.parse().unwrap(), &Nanoflake::default(), pool).unwrap();
    // So that a keeper asks a few times.
    let terms = realm.terms().with_term(Duration::from_millis(100));
    realm.with_terms(terms).unwrap()
}

fn acquire(url: &str) -> Result<(), StoreError> {
    let store = connect(url).unwrap();
    tell(&store);
    let (realm, claim) = (realm(), Claim::new(Token::random().unwrap(), "me", None));
    let grant = answered(store.acquire(&realm, &claim))?;
    answered(store.renew(realm.name(), &grant.hold))?;
    let listing = answered(store.list(realm.name()))?;
    assert_eq!(listing.standings().unwrap()[0].1, Standing::Held);
    answered(store.release(realm.name(), &grant.hold, None))
}

/// Everything that a keeper says while it is renewed, told that its lease is over, and without an answer.
fn keep(url: &str, take_down: impl FnOnce()) {
    let realm = realm();
    // To check a password takes etcd longer than such a term lets a keeper wait.
    let builder = KeeperBuilder::new(connect(url).unwrap(), realm.clone()).answer_within(PATIENCE);
    tell(&builder);
    let keeper = builder.start(|lease: &Lease| lease.builder(&Nanoflake::default())).unwrap();
    tell(&keeper);
    while keeper.state().counters.renewals < 2 {
        keeper.generate().unwrap();
    }
    answered(connect(url).unwrap().recover(&realm)).unwrap();
    while keeper.state().counters.losses == 0 {
        let _ = keeper.try_generate().map_err(|error| tell_all(&error));
    }
    take_down();
    let failures = keeper.state().counters.failures;
    while keeper.state().counters.failures < failures + 2 {
        if let Err(error) = keeper.try_generate() {
            tell_all(&error);
        }
    }
    tell(&keeper.state());
    let _ = keeper.shut_down().map_err(|error| tell_all(&error));
}

/// With `URL`s that have a password for `{}`. What is wrong with the second makes it no URL.
fn hides(url: &str, no_url: &str, take_down: impl FnOnce()) {
    let with = |password| url.replace("{}", password);
    acquire(&with(RIGHT[1])).unwrap();
    let error = acquire(&with(WRONG[1])).unwrap_err();
    assert!(error.to_string().ends_with("could not log in"), "{error}");
    let error = connect(&no_url.replace("{}", RIGHT[1])).unwrap_err();
    tell_all(&error);
    keep(&with(RIGHT[1]), take_down);
    assert!(acquire(&with(RIGHT[1])).unwrap_err().is_unreachable());

    let told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(told.contains("lease granted") && told.contains("lease lost"), "nothing was told");
    let dumped = DUMPED.lock().unwrap().clone();
    for secret in [RIGHT, WRONG].concat() {
        assert!(!dumped.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "{secret}");
        let at = told.lines().find(|line| line.contains(secret));
        assert_eq!(at, None, "{secret}");
    }
}

#[cfg(unix)]
fn redis(_: &Redis) {
    let server = Redis::start().unwrap();
    let client = redis::Client::open(format!("redis://{}", server.address())).unwrap();
    let mut set = redis::cmd("CONFIG");
    set.arg(&["SET", "requirepass", RIGHT[0]]);
    set.query::<String>(&mut client.get_connection().unwrap()).unwrap();
    let place = server.address();
    let no_url = format!("redis://:{{}}@{place}?option");
    hides(&format!("redis://:{{}}@{place}"), &no_url, || server.kill().unwrap());
}

#[cfg(unix)]
fn etcd(_: &Etcd) {
    let etcd = Etcd::start().unwrap();
    let tell = |method: &str, body: &str| {
        ureq::post(format!("http://{}/v3/{method}", etcd.endpoints()[0])).send(body).unwrap();
    };
    // Not by the text that is looked for: what these requests log is not what a store says.
    let password = RIGHT[0].replace('@', "\\u0040");
    tell("auth/user/add", &format!(r#"{{"name":"root","password":"{password}"}}"#));
    tell("auth/role/add", r#"{"name":"root"}"#);
    tell("auth/user/grant", r#"{"user":"root","role":"root"}"#);
    tell("auth/enable", "{}");
    let place = &etcd.endpoints()[0];
    let url = format!("etcd://root:{{}}@{place}?lease_ttl=3600");
    hides(&url, &format!("etcd://root:{{}}@{place}/path"), || etcd.kill(0).unwrap());
    // As far as it goes: heads of requests, not what is in them.
    let dumped = DUMPED.lock().unwrap();
    assert!(dumped.windows(5).any(|bytes| bytes == b"POST "), "the dump is not read any more");
}

#[cfg(unix)]
fn postgres(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let role = format!("CREATE ROLE app SUPERUSER LOGIN PASSWORD '{}'", RIGHT[0]);
    server.psql(Postgres::DATABASE, &role).unwrap();
    let settings = format!(
        "printf '%s\\n' \"listen_addresses = 'localhost'\" 'port = {port}' >>data/postgresql.conf && \
         printf '%s\\n' 'host all all all scram-sha-256' >data/pg_hba.conf"
    );
    server.tell(&settings).unwrap();
    server.restart("fast").unwrap();
    let place = format!("localhost:{port}/{}", Postgres::DATABASE);
    let no_url = format!("postgres://app:{{}}@{place}?sslmode=sometimes");
    let stop = || server.stop("immediate").unwrap();
    hides(&format!("postgres://app:{{}}@{place}"), &no_url, stop);
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    tracing::subscriber::set_global_default(Ear).unwrap();
    log::set_logger(&Ear).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
    Tests::default()
        .add("", &[("redis_shows_no_password", redis as fn(&Redis))])
        .add("", &[("etcd_shows_no_password", etcd as fn(&Etcd))])
        .add("", &[("postgres_shows_no_password", postgres as fn(&Postgres))])
        .run()
}

#[cfg(not(unix))]
fn main() {}
