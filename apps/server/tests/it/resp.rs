//! RESP, well-formed and otherwise.

use std::collections::{HashMap, HashSet};

use redis::Commands as _;
use tickid_kuid::{GlobalId, LocalId};
use tickid_lease::{Realm, Store};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::Scru64Id;
use tickid_server::{Limits, Server};
use tickid_sno::SnoId;
use tickid_snowflake::Snowflake;
use tokio::io::AsyncReadExt as _;

use crate::support::{
    PATIENCE, Raw, any_port, builder, patient, realms, server, starved, with_limits,
};

/// Runs `client` with a connection of the `redis` crate.
async fn with_redis<T: Send + 'static>(
    server: &Server,
    protocol: &str,
    client: impl FnOnce(redis::Connection) -> T + Send + 'static,
) -> T {
    let port = server.resp_addresses()[0].port();
    let url = format!("redis://127.0.0.1:{port}/0?protocol={protocol}");
    tokio::task::spawn_blocking(move || {
        let connection = redis::Client::open(url).unwrap().get_connection().unwrap();
        client(connection)
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn the_page_has_every_command() {
    let server = server().await;
    let docs = |mut redis: redis::Connection| redis::cmd("COMMAND").arg("DOCS").query(&mut redis);
    let docs: redis::RedisResult<HashMap<String, redis::Value>> =
        with_redis(&server, "resp2", docs).await;
    let page = include_str!("../../../../docs/server.md");
    for name in docs.unwrap().into_keys().map(|name| name.to_uppercase()) {
        assert!(
            page.contains(&format!("`{name}`")) || page.contains(&format!("`{name} ")),
            "{name}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_clients_get_ids() {
    let server = server().await;
    for protocol in ["resp2", "resp3"] {
        with_redis(&server, protocol, |mut redis| {
            let next = |words: &str| {
                let mut command = redis::cmd("TICKID.NEXT");
                words.split(' ').for_each(|word| {
                    command.arg(word);
                });
                command
            };
            let text: String = next("sno").query(&mut redis).unwrap();
            assert_eq!(text.parse::<SnoId>().unwrap().meta(), 0);
            let texts: Vec<String> = next("sno 3 META 24").query(&mut redis).unwrap();
            let ids: Vec<SnoId> = texts.iter().map(|text| text.parse().unwrap()).collect();
            assert!(ids.len() == 3 && ids.is_sorted() && ids.iter().all(|id| id.meta() == 24));
            let text: String = next("kuid").query(&mut redis).unwrap();
            text.parse::<GlobalId>().unwrap();
            let text: String = next("local").query(&mut redis).unwrap();
            text.parse::<LocalId>().unwrap();
            let numbers: Vec<i64> = next("scru64 2 as int").query(&mut redis).unwrap();
            assert!(numbers[0] < numbers[1]);
            Scru64Id::new(numbers[0].cast_unsigned()).unwrap();
            let bytes: Vec<u8> = next("nanoflake 1000 AS bytes").query(&mut redis).unwrap();
            let ids: Vec<_> = bytes
                .as_chunks::<8>()
                .0
                .iter()
                .map(|bytes| NanoflakeId::from_be_bytes(*bytes).unwrap())
                .collect();
            assert!(ids.len() == 1_000 && ids.is_sorted());
            let first: i64 = redis.incr("nanoflake", 1).unwrap();
            let second: i64 = redis::cmd("INCR").arg("nanoflake").query(&mut redis).unwrap();
            assert!(ids[999].get() < first && first < second);
        })
        .await;
    }
}

/// The protocol's integers have a sign.
#[tokio::test(flavor = "multi_thread")]
async fn integers_of_64_bits_are_refused() {
    // The highest bit of its IDs has been set since 2008.
    let layout: Snowflake = "42x1ms/10n/12s/unsigned@1938-01-01".parse().unwrap();
    let realm = Realm::builder("wide", layout).pool("0-9/10").build().unwrap();
    let server = builder().realm(realm).start().await.unwrap();
    let mut raw = Raw::resp(&server).await;
    let refusal = "-ERR the ID exceeds 63 bits; TICKID.NEXT returns it as text\r\n";
    // The last one waits for another tick.
    let format = ["", " 2", " 10000"].map(|count| format!("TICKID.NEXT wide{count} AS int"));
    for command in ["INCR wide"].into_iter().chain(format.iter().map(String::as_str)) {
        raw.send(format!("{command}\r\n")).await;
        raw.expect(refusal).await;
    }
    raw.send(format!("MULTI\r\n{}\r\nPING\r\nEXEC\r\n", format[0])).await;
    raw.expect(format!("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n{refusal}+PONG\r\n")).await;
    raw.send("TICKID.NEXT wide\r\n").await;
    let id: u64 = String::from_utf8(raw.bulk().await).unwrap().parse().unwrap();
    assert!(id > i64::MAX.cast_unsigned());
}

#[tokio::test]
async fn commands_of_clients_are_answered() {
    let server = server().await;
    let mut raw = Raw::resp(&server).await;
    for (command, answer) in [
        ("PING", "+PONG\r\n"),
        ("ping a", "$1\r\na\r\n"),
        ("ECHO ab", "$2\r\nab\r\n"),
        ("SELECT 0", "+OK\r\n"),
        ("SELECT 1", "-ERR DB index is out of range\r\n"),
        ("SELECT x", "-ERR value is not an integer or out of range\r\n"),
        ("CLIENT GETNAME", "$-1\r\n"),
        ("CLIENT SETNAME me", "+OK\r\n"),
        ("CLIENT GETNAME", "$2\r\nme\r\n"),
        ("CLIENT SETINFO LIB-NAME x", "+OK\r\n"),
        ("CLIENT NO-EVICT on", "+OK\r\n"),
        ("COMMAND COUNT", ":19\r\n"),
        ("COMMAND DOCS nothing", "*0\r\n"),
        (
            "COMMAND INFO ping get",
            "*2\r\n*10\r\n$4\r\nping\r\n:-1\r\n*1\r\n+fast\r\n:0\r\n:0\r\n:0\r\n*0\r\n*0\r\n*0\r\n*0\r\n\
             *-1\r\n",
        ),
        ("RESET", "+RESET\r\n"),
        ("CLIENT GETNAME", "$-1\r\n"),
        ("GET x y", "-ERR unknown command 'GET', with args beginning with: 'x' 'y' \r\n"),
        ("INCR", "-ERR wrong number of arguments for 'incr' command\r\n"),
        ("INCRBY scru64 2", "-ERR INCRBY of a realm takes 1; TICKID.NEXT returns more IDs\r\n"),
        ("INCR nothing", "-ERR no such realm 'nothing'\r\n"),
        (
            "INCR sno",
            "-ERR IDs of the realm sno have 10 bytes and no form as an integer of 64 bits\r\n",
        ),
        ("TICKID.NEXT sno META 256", "-ERR the metabyte \"256\" is outside of 0..=255\r\n"),
        ("TICKID.NEXT kuid META 1", "-ERR the scheme kuid has no metabyte\r\n"),
        ("TICKID.NEXT sno META", "-ERR syntax error\r\n"),
        ("TICKID.NEXT sno 2 3 META 1", "-ERR syntax error\r\n"),
        ("TICKID.NEXT sno META 1 meta 2", "-ERR the option META is repeated\r\n"),
        ("TICKID.NEXT sno AS text as text", "-ERR the option AS is repeated\r\n"),
        ("HELLO 3 SETNAME a SETNAME b", "-ERR Syntax error in HELLO option 'SETNAME'\r\n"),
        ("CLIENT GETNAME", "$-1\r\n"),
        (
            "TICKID.NEXT sno AS url",
            "-ERR the form \"url\" is none of text, int, hex, bytes, base32\r\n",
        ),
        ("TICKID.NEXT sno FORMAT int", "-ERR syntax error\r\n"),
        ("AUTH x", "-ERR AUTH <password> called without any password configured"),
    ] {
        raw.send(format!("{command}\r\n")).await;
        raw.expect(answer).await;
    }
    raw.line().await;
    for count in ["0", "10001", "-1", "+1", "99999999999", "1x"] {
        let answer = raw.ask(&format!("TICKID.NEXT sno {count}")).await;
        let expected = format!("-ERR the count \"{count}\" is outside of 1..=10000 (limit count)");
        assert_eq!(answer, expected);
    }
    // Line breaks and other control characters of a request are not part of the answer.
    raw.send("*1\r\n$6\r\na\r\n\x1b[m\r\n").await;
    let expected = r"-ERR unknown command 'a\r\n\x1b[m', with args beginning with: ";
    assert_eq!(raw.line().await, expected);

    raw.send("HELLO 4\r\n").await;
    raw.expect("-NOPROTO unsupported protocol version\r\n").await;
    raw.send("HELLO 3 SETNAME you\r\n").await;
    raw.expect("%7\r\n$6\r\nserver\r\n$6\r\ntickid\r\n$7\r\nversion\r\n").await;
    assert_eq!(raw.bulk().await, env!("CARGO_PKG_VERSION").as_bytes());
    raw.expect("$5\r\nproto\r\n:3\r\n$2\r\nid\r\n:1\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n").await;
    raw.expect("$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n").await;
    raw.send("CLIENT GETNAME\r\nCOMMAND DOCS x\r\nCOMMAND INFO x\r\n").await;
    raw.expect("$3\r\nyou\r\n%0\r\n*1\r\n_\r\n").await;
    raw.send("COMMAND INFO incr\r\nCOMMAND DOCS reset\r\n").await;
    raw.expect(
        "*1\r\n*10\r\n$4\r\nincr\r\n:2\r\n~2\r\n+write\r\n+fast\r\n:1\r\n:1\r\n:1\r\n~0\r\n*0\r\n",
    )
    .await;
    raw.expect(
        "*1\r\n%3\r\n$5\r\nflags\r\n~1\r\n+RW\r\n$12\r\nbegin_search\r\n%2\r\n$4\r\ntype\r\n",
    )
    .await;
    raw.expect("$5\r\nindex\r\n$4\r\nspec\r\n%1\r\n$5\r\nindex\r\n:1\r\n").await;
    raw.expect("$9\r\nfind_keys\r\n%2\r\n$4\r\ntype\r\n$5\r\nrange\r\n$4\r\nspec\r\n%3\r\n").await;
    raw.expect("$7\r\nlastkey\r\n:0\r\n$7\r\nkeystep\r\n:1\r\n$5\r\nlimit\r\n:0\r\n*0\r\n").await;
    raw.expect("%1\r\n$5\r\nreset\r\n%3\r\n$7\r\nsummary\r\n$22\r\nResets the connection.\r\n")
        .await;
    raw.expect("$5\r\nsince\r\n$5\r\n0.1.0\r\n$5\r\ngroup\r\n$10\r\nconnection\r\n").await;

    raw.send("INFO\r\n").await;
    let info = String::from_utf8(raw.bulk().await).unwrap();
    for line in ["connected_clients:1\r\n", "maxclients:10000\r\n", "\r\nsno:scheme=sno,node="] {
        assert!(info.contains(line), "{info}");
    }
    raw.send("QUIT\r\nPING\r\n").await;
    assert_eq!(raw.rest().await, "+OK\r\n");
}

#[tokio::test]
async fn transactions_answer_in_one_array() {
    let server = server().await;
    let mut raw = Raw::resp(&server).await;
    raw.send("WATCH scru64\r\nMULTI\r\nINCR scru64\r\nINCR nothing\r\n").await;
    raw.send("TICKID.NEXT sno 2\r\nMULTI\r\nWATCH sno\r\nUNWATCH\r\nEXEC\r\nEXEC\r\n").await;
    raw.expect("+OK\r\n+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n").await;
    raw.expect("-ERR MULTI calls can not be nested\r\n").await;
    raw.expect("-ERR WATCH inside MULTI is not allowed\r\n+QUEUED\r\n*4\r\n").await;
    assert!(raw.line().await.starts_with(':'));
    raw.expect("-ERR no such realm 'nothing'\r\n*2\r\n").await;
    assert!(raw.bulk().await < raw.bulk().await);
    raw.expect("+OK\r\n-ERR EXEC without MULTI\r\n").await;

    raw.send("MULTI\r\nEXEC\r\nMULTI\r\nINCR scru64\r\nDISCARD\r\nDISCARD\r\n").await;
    raw.expect("+OK\r\n*0\r\n+OK\r\n+QUEUED\r\n+OK\r\n-ERR DISCARD without MULTI\r\n").await;
    for wrong in ["GET x", "INCR"] {
        raw.send(format!("MULTI\r\n{wrong}\r\nINCR scru64\r\nEXEC\r\n")).await;
        raw.expect("+OK\r\n-ERR ").await;
        raw.line().await;
        raw.expect("+QUEUED\r\n").await;
        let discarded = "-EXECABORT Transaction discarded because of previous errors.\r\n";
        raw.expect(discarded).await;
    }
    raw.send("MULTI\r\nRESET\r\nEXEC\r\nMULTI\r\nQUIT\r\n").await;
    raw.expect("+OK\r\n+RESET\r\n-ERR EXEC without MULTI\r\n+OK\r\n+OK\r\n").await;
    assert_eq!(raw.rest().await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_are_bounded() {
    let limits = Limits { count: 3, request_bytes: 1_024, ..patient() };
    let server = with_limits(limits).await;
    let mut raw = Raw::resp(&server).await;
    let abort = "-EXECABORT Transaction discarded because of previous errors.\r\n";
    raw.send(format!("MULTI\r\n{}EXEC\r\n", "PING\r\n".repeat(5))).await;
    raw.expect("+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n").await;
    raw.expect("-ERR a transaction has at most 3 commands (limit count)\r\n+QUEUED\r\n").await;
    raw.expect(abort).await;

    let limits = Limits { request_bytes: 1_024, ..patient() };
    let server = with_limits(limits).await;
    let mut raw = Raw::resp(&server).await;
    let ping = format!("PING {}\r\n", "a".repeat(1_000));
    raw.send(format!("MULTI\r\n{}EXEC\r\n", ping.repeat(17))).await;
    raw.expect(format!("+OK\r\n{}", "+QUEUED\r\n".repeat(16))).await;
    raw.expect("-ERR a transaction has at most 16384 bytes of commands (limit request").await;
    raw.expect(format!(" bytes)\r\n{abort}")).await;
}

/// The default pipeline of many clients is a transaction.
#[tokio::test(flavor = "multi_thread")]
async fn atomic_pipelines_are_answered() {
    let server = server().await;
    for protocol in ["resp2", "resp3"] {
        with_redis(&server, protocol, |mut redis| {
            let mut pipe = redis::pipe();
            pipe.atomic();
            for _ in 0..1_000 {
                pipe.cmd("TICKID.NEXT").arg("nanoflake").arg("AS").arg("int");
            }
            let ids: Vec<i64> = pipe.query(&mut redis).unwrap();
            assert!(ids.len() == 1_000 && ids.is_sorted());
        })
        .await;
    }
}

#[tokio::test]
async fn input_may_be_split_anywhere() {
    let server = server().await;
    let mut raw = Raw::resp(&server).await;
    let request = b"*2\r\n$4\r\nINCR\r\n$6\r\nscru64\r\n*1\r\n$4\r\nPING\r\nPING\r\n";
    let mut ids = HashSet::new();
    for split in 1..request.len() {
        let (head, tail) = request.split_at(split);
        raw.send(head).await;
        tokio::task::yield_now().await;
        raw.send(tail).await;
        let id = raw.line().await;
        assert!(id.starts_with(':') && ids.insert(id.clone()), "{id}");
        raw.expect("+PONG\r\n+PONG\r\n").await;
    }
}

#[tokio::test]
async fn violations_end_the_connection() {
    let server = server().await;
    for (bytes, error) in [
        ("*1\r\n:1\r\n", "expected '$', got ':'"),
        ("*9999999\r\n", "invalid multibulk length"),
        ("*1\r\n$-1\r\n", "invalid bulk length"),
        ("*1\r\n$100000\r\n", "too big request, more than the limit request bytes, 65536"),
        ("*1\r\n$1\r\nabc", "expected CRLF after a bulk string"),
        (&"a".repeat(2_000), "too big inline request, more than 1024 bytes"),
        ("\x16\x03\x01 of TLS\n*x\r\n", "invalid multibulk length"),
    ] {
        let mut raw = Raw::resp(&server).await;
        raw.send(format!("PING\r\n{bytes}")).await;
        raw.expect("+PONG\r\n").await;
        let rest = raw.rest().await;
        assert!(rest.ends_with(&format!("-ERR Protocol error: {error}\r\n")), "{rest}");
    }
}

/// As a browser sends them for any web page, with commands in the body.
#[tokio::test]
async fn http_requests_end_the_connection() {
    let server = server().await;
    for head in ["POST / HTTP/1.1\r\n", "FETCH / HTTP/1.1\r\nHost: localhost\r\n"] {
        let mut raw = Raw::resp(&server).await;
        raw.send(format!("{head}\r\nINCR scru64\r\n")).await;
        let rest = raw.rest().await;
        assert!(rest.ends_with("-ERR this is not an HTTP server\r\n"), "{rest}");
    }
}

/// Far more requests than buffers hold are sent before the first answer is read.
#[tokio::test(flavor = "multi_thread")]
async fn pipelines_of_any_length() {
    const REQUESTS: usize = 100_000;
    let server = server().await;
    let raw = Raw::resp(&server).await;
    let (mut read, mut write) = raw.stream.into_split();
    let writer = tokio::spawn(async move {
        use tokio::io::AsyncWriteExt as _;
        let request = b"*2\r\n$4\r\nINCR\r\n$4\r\nkuid\r\nPING\r\n".repeat(100);
        for _ in 0..REQUESTS / 200 {
            write.write_all(&request).await.unwrap();
        }
        write
    });
    let one = b"-ERR IDs of the realm kuid have 12 bytes and no form as an integer of 64 bits\r\n\
                +PONG\r\n";
    let mut answers = vec![0; one.len() * REQUESTS / 2];
    tokio::time::timeout(PATIENCE, read.read_exact(&mut answers)).await.unwrap().unwrap();
    assert!(answers.chunks(one.len()).all(|answer| answer == one));
    drop(writer.await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_clients_get_distinct_ids() {
    let server = server().await;
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let address = server.resp_addresses()[0];
        clients.spawn(async move {
            let mut raw = Raw::to(address).await;
            let mut ids = Vec::new();
            for _ in 0..20 {
                raw.send("TICKID.NEXT nanoflake 500 AS bytes\r\n").await;
                let bytes = raw.bulk().await;
                ids.extend(bytes.as_chunks::<8>().0.iter().copied());
            }
            assert!(ids.is_sorted());
            ids
        });
    }
    let ids = clients.join_all().await.concat();
    let distinct: HashSet<_> = ids.iter().collect();
    assert_eq!((ids.len(), distinct.len()), (160_000, 160_000));
}

/// Two servers, each with half of the sequences of generator 5.
#[tokio::test]
async fn servers_with_shares_divide_a_node() {
    let store = Store::in_memory();
    let realm = Realm::builder("orders", Nanoflake::default()).pool("10-11/11").build().unwrap();
    let mut halves = Vec::new();
    let mut servers = Vec::new();
    for _ in 0..2 {
        let builder = Server::builder(store.clone()).realm(realm.clone()).resp(any_port());
        let server = builder.start().await.unwrap();
        let id: i64 = Raw::resp(&server).await.ask("INCR orders").await[1..].parse().unwrap();
        let id = NanoflakeId::new(id).unwrap();
        assert_eq!(id.generator().get(), 5);
        halves.push(id.sequence() / 2_048);
        servers.push(server);
    }
    halves.sort_unstable();
    assert_eq!(halves, [0, 1]);
}

#[tokio::test]
async fn stalls_end_with_a_time() {
    let timeout = core::time::Duration::from_millis(50);
    let server = starved(Limits { timeout, ..Limits::default() }).await;
    assert_eq!(server.not_ready().len(), 1);
    let mut raw = Raw::resp(&server).await;
    for command in ["TICKID.NEXT sno", "TICKID.NEXT sno 5", "TICKID.NEXT sno 5 AS bytes"] {
        let answer = raw.ask(command).await;
        assert!(
            answer.starts_with(
                "-TRYAGAIN the realm sno: there is no lease: memory store: no node is free"
            ),
            "{answer}"
        );
        assert!(answer.ends_with("; retry after 1000 ms"), "{answer}");
    }
    assert_eq!(raw.ask("PING").await, "+PONG");
}

#[tokio::test(flavor = "multi_thread")]
async fn excess_connections_are_refused() {
    let server = with_limits(Limits { connections: 2, ..patient() }).await;
    let mut kept = [Raw::resp(&server).await, Raw::http(&server).await];
    assert_eq!(kept[0].ask("PING").await, "+PONG");
    kept[1].send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").await;
    assert_eq!(kept[1].line().await, "HTTP/1.1 200 OK");
    let refused = Raw::resp(&server).await.rest().await;
    assert_eq!(refused, "-ERR max number of clients reached (limit connections, 2)\r\n");
    drop(kept);
    let again = async { while !Raw::resp(&server).await.ask("PING").await.starts_with("+PONG") {} };
    tokio::time::timeout(PATIENCE, again).await.expect("a free place in time");
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_cost_no_other_anything() {
    let server = server().await;
    let mut idle = Vec::new();
    for _ in 0..1_000 {
        idle.push(Raw::resp(&server).await);
    }
    // Half of them in the middle of a request.
    for raw in idle.iter_mut().step_by(2) {
        raw.send("*1\r\n$4\r\nPI").await;
    }
    let mut raw = Raw::resp(&server).await;
    assert!(raw.ask("INCR scru64").await.starts_with(':'));
    for raw in idle.iter_mut().step_by(2) {
        raw.send("NG\r\n").await;
        raw.expect("+PONG\r\n").await;
    }
}

/// A large request takes the rate of a hundred seconds.
#[tokio::test]
async fn rates_are_held() {
    let server = with_limits(Limits { rate: Some(100), ..patient() }).await;
    let mut raw = Raw::resp(&server).await;
    raw.send("TICKID.NEXT sno 10000 AS bytes\r\n").await;
    assert_eq!(raw.bulk().await.len(), 100_000);
    let answer = raw.ask("TICKID.NEXT sno 100").await;
    let expected = "-TRYAGAIN the limit rate is 100 IDs per second for each token; retry after ";
    assert!(answer.starts_with(expected), "{answer}");
}

/// Requests for twice the IDs that a node has until the deadline.
#[tokio::test(flavor = "multi_thread")]
async fn overload_serves_what_there_is() {
    let layout: Snowflake = "42x20ms/20n/1s@2024-01-01".parse().unwrap();
    let realm = Realm::builder("slow", layout).pool("7/20").build().unwrap();
    let limits = Limits { timeout: PATIENCE, ..Limits::default() };
    let server = builder().realm(realm).limits(limits).start().await.unwrap();
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let mut raw = Raw::resp(&server).await;
        clients.spawn(async move { raw.ask("TICKID.NEXT slow 300").await });
    }
    while let Some(answer) = clients.join_next().await {
        match &*answer.unwrap() {
            "*300" => return,
            refusal => assert!(refusal.starts_with("-TRYAGAIN"), "{refusal}"),
        }
    }
    panic!("all are refused");
}

/// A client that leaves while it waits for IDs gives its place back, whatever it has sent.
#[tokio::test(flavor = "multi_thread")]
async fn clients_that_left_have_no_place() {
    let server = starved(Limits { connections: 1, ..patient() }).await;
    let mut raw = Raw::resp(&server).await;
    // The first answer comes before the wait of the second.
    raw.send(format!("PING\r\n{}", "TICKID.NEXT sno\r\n".repeat(1_000))).await;
    raw.expect("+PONG\r\n").await;
    drop(raw);
    let again = async { while !Raw::resp(&server).await.is_answered("PING\r\nQUIT\r\n").await {} };
    tokio::time::timeout(PATIENCE, again).await.expect("a free place in time");
    // Not because it was answered.
    assert_eq!(server.not_ready().len(), 1);
}

/// Requests that have arrived are answered, though the server stops.
#[tokio::test(flavor = "multi_thread")]
async fn stopping_answers_what_arrived() {
    const REQUESTS: usize = 200_000;
    let server = server().await;
    let raw = Raw::resp(&server).await;
    let (mut read, mut write) = raw.stream.into_split();
    let reader = tokio::spawn(async move {
        let mut answers = Vec::new();
        read.read_to_end(&mut answers).await.unwrap();
        answers.len() / b"+PONG\r\n".len()
    });
    let requests = b"*1\r\n$4\r\nPING\r\n".repeat(REQUESTS);
    tokio::io::AsyncWriteExt::write_all(&mut write, &requests).await.unwrap();
    let stopped = server.stop().await;
    assert!(!stopped.cut_off);
    let answers = tokio::time::timeout(PATIENCE, reader).await.unwrap().unwrap();
    assert_eq!(answers, REQUESTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_releases() {
    let store = tickid_lease::Store::in_memory();
    let [realm, ..] = realms();
    let builder = Server::builder(store.clone()).realm(realm.clone()).resp(any_port());
    let server = builder.start().await.unwrap();
    let stopped = server.stop().await;
    assert!(stopped.not_released.is_empty() && !stopped.cut_off, "{stopped:?}");
    let view = store.list(realm.name()).await.unwrap();
    assert!(view.rows.values().all(|state| state.row().is_some_and(|row| row.token.is_none())));
}

/// A request that waits for IDs is cut off after the grace period.
#[tokio::test(flavor = "multi_thread")]
async fn stopping_has_an_end() {
    let grace = core::time::Duration::from_millis(20);
    let server = starved(Limits { grace, ..patient() }).await;
    let mut raw = Raw::resp(&server).await;
    // The server has both once it answers the first.
    raw.send("PING\r\nTICKID.NEXT sno\r\n").await;
    raw.expect("+PONG\r\n").await;
    let stopped = tokio::time::timeout(PATIENCE, server.stop()).await.expect("stops in time");
    assert!(stopped.not_released.is_empty());
    assert_eq!(raw.rest().await, "");
}

#[tokio::test]
async fn options_are_checked() {
    let refused = |builder: tickid_server::ServerBuilder| async {
        builder.start().await.unwrap_err().to_string()
    };
    let none = || Server::builder(tickid_lease::Store::in_memory());
    assert_eq!(refused(none().resp(any_port())).await, "there is no realm to serve");
    let [realm, ..] = realms();
    let one = none().realm(realm.clone());
    assert_eq!(refused(one).await, "there is no address to listen on");
    let twice = none().realm(realm.clone()).realm(realm).resp(any_port());
    assert_eq!(refused(twice).await, "the realm scru64 is named twice");
    let limits = Limits { count: 0, ..Limits::default() };
    let error = refused(builder().limits(limits)).await;
    assert_eq!(error, "the limit count is 0, outside of 1..=1000000");
}
