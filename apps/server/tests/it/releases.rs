//! What clients of an earlier release asked is answered as that release answered it.
//!
//! `tests/vectors/releases` has requests and answers: those of `server.json` are from here, those of
//! `packages.json` from the packages for Python and Node. IDs, versions and messages may differ, and
//! answers may have more members.

use core::fmt::Write as _;
use core::iter::zip;

use serde_json::{Value, json};
use tickid_kuid::{Drift, Kuid};
use tickid_lease::{Realm, RealmSpec, Store};
use tickid_nanoflake::{Epoch, Nanoflake};
use tickid_server::Server;
use tickid_sno::Sno;
use tickid_testkit::vectors;

use crate::support::{Raw, any_port};

const OVER_HTTP: [&str; 19] = [
    "GET /v1/realms",
    "GET /v1/realms/orders/ids",
    "GET /v1/realms/orders/ids?count=3&meta=24&as=text",
    "GET /v1/realms/orders/ids?count=2&as=hex",
    "GET /v1/realms/chat/ids?count=2&as=int",
    "GET /v1/realms/logs/ids?count=7&as=bytes",
    "HEAD /v1/realms/chat/ids?count=2",
    "POST /v1/realms/chat/observe?id=5&as=int",
    "POST /v1/realms/orders/observe?id=9qa94xhm25x22222",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /v1/realms/nothing/ids",
    "GET /v1/realms/orders/ids?count=0",
    "GET /v1/realms/orders/ids?as=int",
    "GET /v1/realms/chat/ids?as=octal",
    "POST /v1/realms/orders/observe?id=x",
    "DELETE /v1/realms",
    "GET /v2",
];
const OVER_RESP: [&str; 14] = [
    "PING",
    "HELLO 3",
    "TICKID.NEXT orders",
    "TICKID.NEXT orders 3 META 24",
    "TICKID.NEXT chat 3 AS int",
    "TICKID.NEXT logs 2 AS bytes",
    "TICKID.NEXT chat AS hex",
    "TICKID.OBSERVE chat 5 AS int",
    "INCR chat",
    "INCRBY chat 1",
    "TICKID.NEXT nothing",
    "TICKID.NEXT orders 0",
    "TICKID.NEXT orders AS int",
    "GET orders",
];

/// A server with the realms of the recordings.
async fn server() -> Server {
    let (drift, epoch) = (Drift::new(9).unwrap(), Epoch::DISCORD);
    let realms: [RealmSpec; 4] = [
        Realm::builder("orders", Sno).pool("0-65535/16").build().unwrap().into(),
        Realm::builder("chat", Nanoflake { epoch }).pool("0-1023/10").build().unwrap().into(),
        Realm::builder("late", Nanoflake { epoch }).pool("0-1023/10").build().unwrap().into(),
        Realm::builder("logs", Kuid { drift }).pool("0-65535/32").build().unwrap().into(),
    ];
    let builder = Server::builder(Store::in_memory()).resp(any_port()).http(any_port());
    realms.into_iter().fold(builder, |builder, realm| builder.realm(realm)).start().await.unwrap()
}

/// Sends the bytes of a request, and returns those of the answer.
async fn over_http(server: &Server, request: &str) -> Vec<u8> {
    let mut connection = Raw::http(server).await;
    // Its answer ends the connection, and is not part of the other one.
    let last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    connection.send(format!("{request}{last}")).await;
    let mut answer = connection.rest_as_bytes().await;
    let at = answer.windows(9).rposition(|bytes| bytes == b"HTTP/1.1 ").unwrap();
    answer.truncate(at);
    answer
}

async fn over_resp(server: &Server, command: &str) -> Vec<u8> {
    let mut connection = Raw::resp(server).await;
    connection.send(format!("{command}\r\nQUIT\r\n")).await;
    let answer = connection.rest_as_bytes().await;
    answer.strip_suffix(b"+OK\r\n").unwrap().to_vec()
}

/// Returns what an answer over HTTP promises.
fn promised(answer: &[u8]) -> Value {
    let at = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let (head, body) = (str::from_utf8(&answer[..at]).unwrap(), &answer[at + 4..]);
    let (status, headers) = head.split_once("\r\n").unwrap();
    let header = |name: &str| {
        let named = |line: &str| line.to_lowercase().strip_prefix(name).map(str::to_owned);
        headers.lines().find_map(named)
    };
    let content = header("content-type: ").unwrap_or_default();
    let body = match content.as_str() {
        "application/octet-stream" => json!(body.len()),
        "application/json" | "application/problem+json" if !body.is_empty() => {
            promised_json(&serde_json::from_slice(body).unwrap())
        }
        _ => promised_text(str::from_utf8(body).unwrap()),
    };
    json!({
        "status": status.split(' ').nth(1),
        "content-type": content,
        "retry-after": header("retry-after: ").is_some(),
        "allow": header("allow: "),
        "body": body,
    })
}

/// Messages may be changed.
fn promised_json(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(promised_json).collect(),
        Value::Object(members) => {
            let promised = |(name, value): (&String, &Value)| {
                let value = match name.as_str() {
                    "detail" => json!(value.is_string()),
                    _ => promised_json(value),
                };
                (name.clone(), value)
            };
            Value::Object(members.iter().map(promised).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Reports whether two texts can be IDs in one form.
fn are_alike(one: &str, other: &str) -> bool {
    let is_number = |id: &str| id.bytes().all(|byte| byte.is_ascii_digit());
    let is_id = |id: &str| {
        !id.is_empty()
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
    };
    // Integers get longer with the years.
    let fits = one.len() == other.len() || is_number(one) && is_number(other);
    is_id(one) && is_id(other) && fits
}

/// The names of metrics, by line.
fn promised_text(text: &str) -> Value {
    let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    Value::Object(names.map(|name| (name.to_owned(), Value::Null)).collect())
}

/// Returns the kinds of the parts of an answer over RESP, and the lengths that do not depend on the
/// server's version or clock.
fn kinds(answer: &[u8]) -> Value {
    let (mut kinds, mut rest) = (String::new(), answer);
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let (line, after) = rest.split_at(end + 1);
        let line = str::from_utf8(line).unwrap().trim_end();
        rest = after;
        let (kind, number) = line.split_at(1);
        match kind {
            "$" => {
                rest = &rest[number.parse::<usize>().unwrap() + 2..];
                kinds.push('$');
            }
            "-" => write!(kinds, "{}", line.split(' ').next().unwrap()).unwrap(),
            ":" => kinds.push(':'),
            _ => kinds.push_str(line),
        }
        kinds.push(' ');
    }
    assert!(rest.is_empty() && !kinds.is_empty(), "{}", answer.escape_ascii());
    json!(kinds)
}

/// Asserts that the present answer has all that was promised.
fn assert_kept(earlier: &Value, present: &Value, about: &str) {
    match (earlier, present) {
        (Value::Object(earlier), Value::Object(present)) => {
            for (name, value) in earlier {
                let about = format!("{about}: {name}");
                let present = present.get(name).unwrap_or_else(|| panic!("{about} is missing"));
                if name == "ids" {
                    let (ids, present) = (vectors::strings(value), vectors::strings(present));
                    assert_eq!(ids.len(), present.len(), "{about}");
                    let are_alike = zip(&ids, &present).all(|(one, other)| are_alike(one, other));
                    assert!(are_alike, "{about}: {ids:?}, {present:?}");
                } else {
                    assert_kept(value, present, &about);
                }
            }
        }
        (Value::Array(earlier), Value::Array(present)) if earlier.len() == present.len() => {
            for (earlier, present) in zip(earlier, present) {
                assert_kept(earlier, present, about);
            }
        }
        _ => assert_eq!(earlier, present, "{about}"),
    }
}

/// Returns a text with a character for each byte, which is readable because most answers are ASCII.
fn text(bytes: &[u8]) -> Value {
    json!(bytes.iter().map(|&byte| char::from(byte)).collect::<String>())
}

fn bytes(text: &Value) -> Vec<u8> {
    text.as_str().unwrap().chars().map(|symbol| u8::try_from(symbol).unwrap()).collect()
}

#[tokio::test]
async fn what_earlier_clients_ask_is_answered() {
    let server = server().await;
    let mut exchanges = Vec::new();
    for line in OVER_HTTP {
        let request = format!("{line} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let answer = text(&over_http(&server, &request).await);
        exchanges.push(json!({ "protocol": "http", "request": request, "answer": answer }));
    }
    for command in OVER_RESP {
        let answer = text(&over_resp(&server, command).await);
        exchanges.push(json!({ "protocol": "resp", "request": command, "answer": answer }));
    }
    vectors::record_release("server.json", || Value::from(exchanges));

    for (release, recorded) in vectors::releases("server.json") {
        for exchange in vectors::array(&recorded) {
            vectors::has_fields(exchange, &["protocol", "request", "answer"]);
            let (request, earlier) =
                (vectors::string(exchange, "request"), bytes(&exchange["answer"]));
            let about = format!("{release}: {request}");
            match vectors::string(exchange, "protocol") {
                "http" => {
                    let present = over_http(&server, request).await;
                    assert_kept(&promised(&earlier), &promised(&present), &about);
                }
                "resp" => {
                    let present = over_resp(&server, request).await;
                    assert_kept(&kinds(&earlier), &kinds(&present), &about);
                }
                other => panic!("{about}: protocol {other}"),
            }
        }
    }
    for (release, recorded) in vectors::releases("packages.json") {
        for call in vectors::array(&recorded) {
            for exchange in vectors::array(vectors::field(call, "exchanges")) {
                let request = vectors::string(exchange, "request");
                let earlier = promised(&bytes(&exchange["answer"]));
                let present = promised(&over_http(&server, request).await);
                assert_kept(&earlier, &present, &format!("{release}: {request}"));
            }
        }
    }
}
