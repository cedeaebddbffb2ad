//! `doctor` beside servers that answer every read and refuse every write.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;
use tickid_testkit::servers::{Etcd, MySql, Postgres, Redis, Server as _, Test, Tests, free_port};

use crate::process::{NODE_STORE, OK, json_lines, run};

/// Adds the tests of all stores. Each starts a server of its own, which it spoils.
pub(crate) fn add_to(tests: Tests) -> Tests {
    const POSTGRES: [Test<Postgres>; 1] =
        [("doctor_finds_refused_writes", |server| postgres_refuses(server))];
    const MYSQL: [Test<MySql>; 1] =
        [("doctor_finds_refused_writes", |server| mysql_refuses(server))];
    const ETCD: [Test<Etcd>; 1] = [("doctor_finds_refused_writes", |_| etcd_refuses())];
    const REDIS: [Test<Redis>; 2] = [
        ("doctor_finds_refused_writes", |_| redis_refuses()),
        ("doctor_names_a_cluster", |_| redis_cluster_is_named()),
    ];
    tests
        .add("doctor::postgres", &POSTGRES)
        .add("doctor::mysql", &MYSQL)
        .add("doctor::etcd", &ETCD)
        .add("doctor::redis", &REDIS)
}

/// Returns the exit status, and the findings about a topic as level and text.
fn doctor(url: &str, topic: &str) -> (i32, Vec<(String, String)>) {
    let ran = run(&format!("doctor --json --store {url}"));
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    let findings = json_lines(&ran.stdout);
    let of_topic = findings.iter().filter(|one| one["topic"] == topic);
    (ran.status, of_topic.map(|one| (text(one, "level"), text(one, "text"))).collect())
}

#[track_caller]
fn assert_accepted(url: &str) {
    assert_eq!(doctor(url, "store writes"), (OK, vec![("ok".to_owned(), "accepted".to_owned())]));
}

#[track_caller]
fn assert_refused(url: &str, reason: &str) {
    let (status, writes) = doctor(url, "store writes");
    let [(level, text)] = writes.as_slice() else { panic!("{writes:?}") };
    assert_eq!((status, level.as_str()), (NODE_STORE, "error"), "{text}");
    assert!(text.contains(reason), "{text}");
}

fn postgres_refuses(server: &Postgres) {
    let psql = |database: &str, statements: &str| {
        server.psql(database, statements).expect("the statements succeed")
    };
    psql(Postgres::DATABASE, "CREATE DATABASE spoiled");
    let url = server.url_of("spoiled");
    assert_accepted(&url);
    let left = "SELECT (SELECT count(*) FROM tickid.realm) + (SELECT count(*) FROM tickid.node)";
    assert_eq!(psql("spoiled", left), "0");
    psql(
        "spoiled",
        "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA tickid TO reader;
         GRANT SELECT, INSERT ON tickid.realm, tickid.node TO reader",
    );
    assert_refused(&url.replace("user=tickid", "user=reader"), "permission denied for table");
    psql("spoiled", "GRANT UPDATE ON tickid.realm, tickid.node TO reader");
    assert_accepted(&url.replace("user=tickid", "user=reader"));
    psql("spoiled", "ALTER DATABASE spoiled SET default_transaction_read_only = on");
    assert_refused(&url, "the server accepts no writes");
}

fn mysql_refuses(server: &MySql) {
    let query = |statements: &str| server.query(statements).expect("the statements succeed");
    query("CREATE DATABASE spoiled; GRANT ALL ON spoiled.* TO tickid");
    let url = server.url_of("spoiled");
    assert_accepted(&url);
    let left = "SELECT (SELECT count(*) FROM spoiled.tickid_realm) \
                + (SELECT count(*) FROM spoiled.tickid_node)";
    assert_eq!(query(left).trim(), "0");
    query(
        "CREATE USER reader IDENTIFIED BY 'reader'; \
         GRANT SELECT, INSERT ON spoiled.* TO reader",
    );
    let (_, place) = url.split_once('@').expect("a user");
    let reader = format!("mysql://reader:reader@{place}");
    assert_refused(&reader, "UPDATE command denied");
    query("GRANT UPDATE ON spoiled.* TO reader");
    assert_accepted(&reader);
}

/// The server raises this alarm when it runs out of its quota, and anybody may raise it.
fn etcd_refuses() {
    let etcd = Etcd::start().expect("starts");
    let url = format!("etcd://{}", etcd.endpoints()[0]);
    assert_accepted(&url);
    assert_eq!(run(&format!("lease realms --store {url}")).stdout, "");
    let alarm = r#"{"action":"ACTIVATE","alarm":"NOSPACE"}"#;
    let answer = ask(
        &etcd.endpoints()[0],
        &format!(
            "POST /v3/maintenance/alarm HTTP/1.0\r\nContent-Length: {}\r\n\r\n{alarm}",
            alarm.len()
        ),
        "}]}",
    );
    assert!(answer.contains("NOSPACE"), "{answer}");
    assert_refused(&url, "database space exceeded");
}

fn redis_refuses() {
    let redis = Redis::start().expect("starts");
    let address = redis.address();
    let url = format!("redis://{address}");
    assert_accepted(&url);
    assert_eq!(run(&format!("lease realms --store {url}")).stdout, "");
    // This user has the keys of one realm only.
    assert_eq!(run(&format!("lease init sno --realm mine --new --store {url}")).status, OK);
    let rights = "+evalsha +script|load +scan +info +time +get +set +hget +hmget +hset +zadd +zcard \
                  +zrange +zrangebylex";
    for (keys, user) in [("tickid:{mine}:*", "mine"), ("tickid:*", "all")] {
        let set = format!("ACL SETUSER {user} on >pass ~{keys} -@all {rights}\r\n");
        ask(&address, &set, "+OK");
    }
    assert_accepted(&format!("redis://all:pass@{address}?appendfsync=always"));
    let (status, writes) =
        doctor(&format!("redis://mine:pass@{address}?appendfsync=always"), "store writes");
    let [(level, text)] = writes.as_slice() else { panic!("{writes:?}") };
    assert_eq!((status, level.as_str()), (OK, "warning"), "{text}");
    assert!(text.starts_with("could not try"), "{text}");
    // One that may write nothing is refused like everybody else.
    ask(&address, "ACL SETUSER all -set\r\n", "+OK");
    assert_refused(&format!("redis://all:pass@{address}?appendfsync=always"), "NOPERM");
    ask(&address, "CONFIG SET maxmemory 1\r\n", "+OK");
    assert_refused(&url, "OOM");
}

/// A member without the key's slot sends clients to another, and one without a cluster nowhere.
fn redis_cluster_is_named() {
    let [one, other] = [(); 2].map(|()| {
        let port = free_port().expect("a port").to_string();
        let options = ["--cluster-enabled", "yes", "--cluster-port", &port];
        (Redis::with_options(&options).expect("starts"), port)
    });
    let (address, url) = (one.0.address(), format!("redis://{}", one.0.address()));
    assert_refused(&url, "a Redis Cluster, which is not followed");
    ask(&other.0.address(), "CLUSTER ADDSLOTSRANGE 0 16383\r\n", "+OK");
    let (port, bus) = (other.0.port(), &other.1);
    ask(&address, &format!("CLUSTER MEET 127.0.0.1 {port} {bus}\r\n"), "+OK");
    while !ask(&address, "CLUSTER INFO\r\n", "total_cluster_links").contains("state:ok") {}
    assert_refused(&url, "a Redis Cluster, which is not followed");
    assert_refused(&url, "MOVED");
}

/// Sends a request and returns the answer up to a text that is in its end.
fn ask(address: &str, request: &str, end: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("connects");
    stream.write_all(request.as_bytes()).expect("sends");
    let (mut answer, mut bytes) = (String::new(), [0; 4_096]);
    while !answer.contains(end) {
        let len = stream.read(&mut bytes).expect("receives");
        assert!(len > 0, "{answer}");
        answer.push_str(&String::from_utf8_lossy(&bytes[..len]));
    }
    answer
}
