//! A store's password can be changed. Passwords appear in no event of `tracing`, no record of `log`,
//! no error and no `Debug` of a store, at any level and from any library.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use core::error::Error;
use core::fmt::{Debug, Write as _};
use core::time::Duration;
use std::sync::{Mutex, PoisonError};

use tickid_lease::admin::{Standing, Start};
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{LeasedGenerator, Realm, RealmSpec, StoreError};
use tickid_nanoflake::Nanoflake;
#[cfg(unix)]
use tickid_testkit::servers::{Etcd, MySql, Postgres, Redis, Server, Test, Tests, free_port};
use tracing::field::{Field, Visit};
use tracing::span;

/// Everything that was logged or returned.
static TOLD: Mutex<String> = Mutex::new(String::new());

/// The bytes that the HTTP client has dumped.
static DUMPED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Returns the bytes of a row of a dump: pairs of hexadecimal digits, a space after every other
/// one, before two spaces and the text.
fn dumped(row: &str) -> Vec<u8> {
    let (digits, _) = row.split_once("  ").unwrap_or((row, ""));
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.as_chunks().0.iter().map(byte).collect()
}

fn tell(text: &dyn Debug) {
    writeln!(TOLD.lock().unwrap_or_else(PoisonError::into_inner), "{text:?}").unwrap();
}

/// A subscriber to events, spans and records.
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

/// A password as it is, and as it is in a URL.
const RIGHT: [&str; 2] = ["r1ght@s3cret", "r1ght%40s3cret"];
const WRONG: [&str; 2] = ["wr0ng@s3cret", "wr0ng%40s3cret"];
/// That of later.
const OTHER: [&str; 2] = ["0ther@s3cret", "0ther%40s3cret"];
const PATIENCE: Duration = Duration::from_secs(60);

fn answered<T: Debug>(
    request: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let result = block_on(request, PATIENCE);
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

fn realm() -> Realm<Nanoflake> {
    let name = format!("secret-{}", Token::random().unwrap());
    // Lets a generator renew a few times, and no lease end.
    let (term, skew) = (Duration::from_millis(100), Duration::from_secs(3_600));
    let realm = Realm::builder(&*name, Nanoflake::default()).pool("0-7/10");
    realm.term(term).skew(skew).build().unwrap()
}

fn acquire(url: &str) -> Result<(), StoreError> {
    let store = tickid_stores::open(url).unwrap();
    tell(&store);
    let (realm, mut claim) = (realm(), Claim::new(Token::random().unwrap(), "me", None));
    let realm: &RealmSpec = realm.spec();
    answered(store.create(realm, Start::Immediately))?;
    let lease = answered(store.acquire(realm, &mut claim))?;
    let lease = answered(store.renew(realm, &lease))?;
    let view = answered(store.list(realm.name()))?;
    assert_eq!(view.standings().unwrap()[0].2, Standing::Held);
    answered(store.release(realm, &lease, None))
}

/// Renews a lease, ends it, and takes the store down under a leased generator.
fn keep(url: &str, take_down: impl FnOnce()) {
    let (realm, store) = (realm(), tickid_stores::open(url).unwrap());
    answered(store.create(realm.spec(), Start::Immediately)).unwrap();
    // etcd takes longer to check a password than a holder's timeout under such a term.
    let builder = LeasedGenerator::builder(tickid_stores::open(url).unwrap(), realm.clone());
    let builder = builder.answer_within(PATIENCE);
    tell(&builder);
    let generator = builder.start().unwrap();
    tell(&generator);
    while generator.state().counters.renewals < 2 {
        generator.generate().unwrap();
    }
    answered(store.invalidate(realm.spec())).unwrap();
    while generator.state().counters.losses == 0 {
        let _ = generator.try_generate().map_err(|error| tell_all(&error));
    }
    take_down();
    let failures = generator.state().counters.failures.total();
    while generator.state().counters.failures.total() < failures + 2 {
        if let Err(error) = generator.try_generate() {
            tell_all(&error);
        }
    }
    tell(&generator.state());
    let _ = generator.shut_down().map_err(|error| tell_all(&error));
}

/// A holder whose password is of before the change goes on to the end of its window, because it is
/// refused once it has to connect. Its lease goes on if it is started with the other one.
fn takes_another(url: [&str; 2], change: impl FnOnce()) {
    let [before, after] = url.map(|url| tickid_stores::open(url).unwrap());
    let (realm, mut claim) = (realm(), Claim::new(Token::random().unwrap(), "me", None));
    answered(before.create(realm.spec(), Start::Immediately)).unwrap();
    let lease = answered(before.acquire(realm.spec(), &mut claim)).unwrap();
    change();
    let connects = tickid_stores::open(url[0]).unwrap();
    let error = answered(connects.renew(realm.spec(), &lease)).unwrap_err();
    assert!(error.to_string().ends_with("could not log in"), "{error}");
    let renewed = answered(after.renew(realm.spec(), &lease)).unwrap();
    assert_eq!((renewed.node, renewed.floor), (lease.node, lease.floor));
}

/// Uses a store at a URL that has a password for `{}`, and a text that is no URL. `change` has the
/// server take [`OTHER`].
fn hides(url: &str, no_url: &str, change: impl FnOnce(), take_down: impl FnOnce()) {
    let with = |password| url.replace("{}", password);
    acquire(&with(RIGHT[1])).unwrap();
    let error = acquire(&with(WRONG[1])).unwrap_err();
    assert!(error.to_string().ends_with("could not log in"), "{error}");
    let error = tickid_stores::open(&no_url.replace("{}", RIGHT[1])).unwrap_err();
    tell_all(&error);
    takes_another([&with(RIGHT[1]), &with(OTHER[1])], change);
    keep(&with(OTHER[1]), take_down);
    assert!(acquire(&with(OTHER[1])).unwrap_err().is_unreachable());

    let told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(told.contains("lease acquired") && told.contains("lease lost"), "nothing was logged");
    let dumped = DUMPED.lock().unwrap().clone();
    for secret in [RIGHT, WRONG, OTHER].concat() {
        assert!(!dumped.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "{secret}");
        let at = told.lines().find(|line| line.contains(secret));
        assert_eq!(at, None, "{secret}");
    }
}

#[cfg(unix)]
fn redis() {
    let server = Redis::start().unwrap();
    let place = server.address();
    let set = |login: &str, password: &str| {
        let client = redis::Client::open(format!("redis://{login}{place}")).unwrap();
        let mut set = redis::cmd("CONFIG");
        set.arg(&["SET", "requirepass", password]);
        set.query::<String>(&mut client.get_connection().unwrap()).unwrap();
    };
    set("", RIGHT[0]);
    let no_url = format!("redis://:{{}}@{place}?option");
    let change = || set(&format!(":{}@", RIGHT[1]), OTHER[0]);
    hides(&format!("redis://:{{}}@{place}"), &no_url, change, || server.kill().unwrap());
}

#[cfg(unix)]
fn etcd() {
    let etcd = Etcd::start().unwrap();
    let ask = |method: &str, pass: &str, body: &str| {
        let mut post = ureq::post(format!("http://{}/v3/{method}", etcd.endpoints()[0]));
        if !pass.is_empty() {
            post = post.header("Authorization", pass);
        }
        let mut answer = post.send(body).unwrap();
        answer.body_mut().read_to_string().unwrap()
    };
    let tell = |method: &str, body: &str| ask(method, "", body);
    // Escaped: these requests do not come from a store, and may be logged.
    let login = |password: [&str; 2]| {
        let password = password[0].replace('@', "\\u0040");
        format!(r#"{{"name":"root","password":"{password}"}}"#)
    };
    tell("auth/user/add", &login(RIGHT));
    tell("auth/role/add", r#"{"name":"root"}"#);
    tell("auth/user/grant", r#"{"user":"root","role":"root"}"#);
    tell("auth/enable", "{}");
    let place = &etcd.endpoints()[0];
    let url = format!("etcd://root:{{}}@{place}");
    let change = || {
        let pass = tell("auth/authenticate", &login(RIGHT));
        let (_, pass) = pass.split_once(r#""token":""#).unwrap();
        ask("auth/user/changepw", pass.split('"').next().unwrap(), &login(OTHER));
    };
    let no_url = format!("etcd://root:{{}}@{place}/path");
    hides(&url, &no_url, change, || etcd.kill(0).unwrap());
    // It dumps the heads of requests, not their bodies.
    let dumped = DUMPED.lock().unwrap();
    assert!(dumped.windows(5).any(|bytes| bytes == b"POST "), "the dump has another form");
}

#[cfg(unix)]
fn postgres() {
    let server = Postgres::start().unwrap();
    let port = free_port().unwrap();
    let role = format!("CREATE ROLE app SUPERUSER LOGIN PASSWORD '{}'", RIGHT[0]);
    server.psql(Postgres::DATABASE, &role).unwrap();
    let settings = format!(
        "printf '%s\\n' \"listen_addresses = 'localhost'\" 'port = {port}' >>data/postgresql.conf && \
         printf '%s\\n' 'local all all trust' 'host all all all scram-sha-256' >data/pg_hba.conf"
    );
    server.tell(&settings).unwrap();
    server.restart("fast").unwrap();
    let place = format!("localhost:{port}/{}", Postgres::DATABASE);
    let no_url = format!("postgres://app:{{}}@{place}?sslmode=sometimes");
    let stop = || server.stop("immediate").unwrap();
    let change = || {
        let (folder, user) = (server.socket_folder().display(), Postgres::USER);
        let (database, password) = (Postgres::DATABASE, OTHER[0]);
        let alter = format!(
            "psql --host={folder} --port={port} --username={user} --dbname={database} \
             --command=\"ALTER ROLE app PASSWORD '{password}'\""
        );
        server.tell(&alter).unwrap();
    };
    hides(&format!("postgres://app:{{}}@{place}"), &no_url, change, stop);
}

#[cfg(unix)]
fn mysql() {
    let server = MySql::start().unwrap();
    let user = MySql::USER;
    let set = |[password, _]: [&str; 2]| {
        server.query(&format!("ALTER USER {user} IDENTIFIED BY '{password}'")).unwrap();
    };
    set(RIGHT);
    let url = format!("mysql://{user}:{{}}@{}/{}", server.address(), MySql::DATABASE);
    let no_url = format!("{url}?sslmode=sometimes");
    hides(&url, &no_url, || set(OTHER), || server.kill().unwrap());
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    tracing::subscriber::set_global_default(Ear).unwrap();
    log::set_logger(&Ear).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
    let redis: [Test<Redis>; 1] = [("redis_takes_other_passwords_and_shows_none", |_| redis())];
    let etcd: [Test<Etcd>; 1] = [("etcd_takes_other_passwords_and_shows_none", |_| etcd())];
    let mysql: [Test<MySql>; 1] = [("mysql_takes_other_passwords_and_shows_none", |_| mysql())];
    let postgres: [Test<Postgres>; 1] =
        [("postgres_takes_other_passwords_and_shows_none", |_| postgres())];
    let tests = Tests::default().add("", &redis).add("", &etcd).add("", &mysql);
    tests.add("", &postgres).run()
}

#[cfg(not(unix))]
fn main() {}
