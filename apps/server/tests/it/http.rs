//! HTTP, of both versions.

use core::time::Duration;
use std::collections::HashSet;

use http_body_util::{BodyExt as _, Empty};
use hyper::body::Bytes;
use hyper::{Request, StatusCode, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use tickid_lease::admin::Start;
use tickid_lease::backend::RowState;
use tickid_lease::{Realm, Store};
use tickid_nanoflake::NanoflakeId;
use tickid_server::{Limits, Server, ServerError};
use tickid_sno::{Sno, SnoId};
use tickid_snowflake::Snowflake;
use tokio::net::TcpStream;

use crate::support::{
    PATIENCE, Raw, any_port, builder, patient, realms, server, starved, with_limits,
};

pub(crate) struct HttpAnswer {
    pub(crate) status: StatusCode,
    headers: hyper::HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl HttpAnswer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), "application/json");
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns the fields of an error: its status, its detail and its limit.
    pub(crate) fn problem(&self) -> (u16, String, Value) {
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem: Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(problem["status"], self.status.as_u16());
        let detail = problem["detail"].as_str().unwrap().to_owned();
        (self.status.as_u16(), detail, problem["limit"].clone())
    }
}

/// Sends a request over HTTP/1.1.
pub(crate) async fn send(
    server: &Server,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
) -> HttpAnswer {
    let io = TokioIo::new(TcpStream::connect(server.http_addresses()[0]).await.unwrap());
    let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
    tokio::spawn(connection);
    let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Empty::<Bytes>::new()).unwrap();
    let response = tokio::time::timeout(PATIENCE, sender.send_request(request)).await;
    let (head, body) = response.expect("an answer in time").unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    HttpAnswer { status: head.status, headers: head.headers, body }
}

async fn ask(server: &Server, path: &str, headers: &[(&str, &str)]) -> HttpAnswer {
    send(server, "GET", path, headers).await
}

async fn get(server: &Server, path: &str) -> HttpAnswer {
    ask(server, path, &[]).await
}

#[tokio::test]
async fn realms_are_listed() {
    let server = server().await;
    let answer = get(&server, "/v1/realms").await;
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("etag"), "");
    assert!(!answer.header("x-request-id").is_empty());
    let json = answer.json();
    let realms = json["realms"].as_array().unwrap();
    let names: Vec<_> = realms.iter().map(|realm| realm["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["kuid", "local", "nanoflake", "scru64", "sno"]);
    let expected = serde_json::json!({
        "name": "sno", "scheme": "sno", "id_bytes": 10, "has_integers": false, "has_meta": true,
        "is_ready": true,
    });
    assert_eq!(realms[4], expected);
}

#[tokio::test]
async fn ids_come_in_every_form() {
    let server = server().await;
    let json = get(&server, "/v1/realms/sno/ids").await.json();
    assert_eq!((json["realm"].as_str(), json["scheme"].as_str()), (Some("sno"), Some("sno")));
    let ids = json["ids"].as_array().unwrap();
    let first: SnoId = ids[0].as_str().unwrap().parse().unwrap();
    assert_eq!(ids.len(), 1);

    let path = "/v1/realms/sno/ids?count=3&meta=24&as=text";
    let json = get(&server, path).await.json();
    let parse = |id: &Value| id.as_str().unwrap().parse::<SnoId>().unwrap();
    let ids: Vec<SnoId> = json["ids"].as_array().unwrap().iter().map(parse).collect();
    assert!(ids.len() == 3 && ids[0] > first && ids.iter().all(|id| id.meta() == 24));

    let json = get(&server, "/v1/realms/nanoflake/ids?count=2&as=int").await.json();
    let parse = |id: &Value| id.as_str().unwrap().parse::<i64>().unwrap();
    let ids: Vec<i64> = json["ids"].as_array().unwrap().iter().map(parse).collect();
    assert!(ids[0] < ids[1]);

    let text = [("accept", "text/*")];
    let answer = ask(&server, "/v1/realms/nanoflake/ids?count=2", &text).await;
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    let lines: Vec<&str> = answer.text().lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| line.parse::<NanoflakeId>().is_ok()));

    let answer = ask(&server, "/v1/realms/kuid/ids?count=7&as=bytes", &text).await;
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert_eq!(answer.body.len(), 7 * 12);
}

#[tokio::test(flavor = "multi_thread")]
async fn large_answers_are_whole() {
    let server = with_limits(Limits { count: 200_000, ..patient() }).await;
    for count in [1_023, 1_024, 1_025, 150_000] {
        let json = get(&server, &format!("/v1/realms/sno/ids?count={count}")).await.json();
        let ids = json["ids"].as_array().unwrap();
        let distinct: HashSet<&str> = ids.iter().map(|id| id.as_str().unwrap()).collect();
        assert_eq!((ids.len(), distinct.len()), (count, count));
        let path = format!("/v1/realms/scru64/ids?count={count}&as=bytes");
        assert_eq!(get(&server, &path).await.body.len(), 8 * count);
    }
}

#[tokio::test]
async fn mistakes_are_named() {
    let server = server().await;
    let ids = "/v1/realms/sno/ids";
    for (path, status, detail, limit) in [
        ("/v1/realms/nothing/ids", 404, "no such realm \"nothing\"", None),
        ("/v1/nothing", 404, "no such path: \"/v1/nothing\"", None),
        (&format!("{ids}?count=0"), 400, "the count \"0\" is outside of 1..=10000", Some("count")),
        (&format!("{ids}?count=10001"), 400, "the count \"10001\" is outside", Some("count")),
        (&format!("{ids}?count=-1"), 400, "the count \"-1\" is outside of", Some("count")),
        (&format!("{ids}?count=1&count=2"), 400, "parameter \"count\" is repeated", None),
        (&format!("{ids}?cuont=2"), 400, "unknown query parameter \"cuont\"; there are: ", None),
        ("/v1/realms?x", 400, "unknown query parameter \"x\"; there are: none", None),
        (&format!("{ids}?meta=256"), 400, "the metabyte \"256\" is outside of 0..=255", None),
        (
            &format!("{ids}?as=hx"),
            400,
            "the form \"hx\" is none of text, int, hex, bytes, base32",
            None,
        ),
        (
            &format!("{ids}?as=url"),
            400,
            "the form \"url\" is none of text, int, hex, bytes, base32",
            None,
        ),
        (&format!("{ids}?format=int"), 400, "\"format\"; there are: count, as, meta", None),
        (&format!("{ids}?as=int"), 409, "no form as an integer of 64 bits", None),
        ("/v1/realms/kuid/ids?meta=1", 409, "the scheme kuid has no metabyte", None),
        ("/v1/realms/%ff/ids", 400, "", None),
    ] {
        let (found, text, found_limit) = get(&server, path).await.problem();
        assert_eq!(found, status, "{path}: {text}");
        assert!(text.contains(detail), "{path}: {text}");
        assert_eq!(found_limit.as_str(), limit, "{path}");
    }
    // An orchestrator may add anything to its probes.
    assert_eq!(get(&server, "/healthz?x=1").await.status, 200);
}

/// Sends bytes and returns the head and the detail of a problem, after which the server closes.
async fn refusal(server: &Server, request: &str) -> (String, String) {
    let mut raw = Raw::http(server).await;
    raw.send(request).await;
    let rest = raw.rest().await;
    let (head, body) = rest.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("content-type: application/problem+json"), "{rest}");
    let problem: Value = serde_json::from_str(body).unwrap();
    (head.to_owned(), problem["detail"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn refusals_are_problems() {
    let server = server().await;
    let ids = "/v1/realms/sno/ids";
    let (long, header) = ("a".repeat(17_000), format!("X: {}\r\n", "a".repeat(17_000)));
    let body = "Content-Length: 65537\r\n";
    let one = "Host: a\r\n";
    for (method, path, headers, status, detail) in [
        ("POST", ids, one, "405 Method Not Allowed", "POST is not allowed"),
        ("GET", ids, "", "400 Bad Request", "the request has 0 Host headers"),
        ("GET", ids, &format!("{one}{one}"), "400 Bad Request", "the request has 2 Host headers"),
        ("GET", ids, "Host: a b\r\n", "400 Bad Request", "the host \"a b\" is not a name or an"),
        (
            "GET",
            "http://u@a/healthz",
            one,
            "400 Bad Request",
            "the host \"u@a\" is not a name or an",
        ),
        ("GET", &format!("/{long}"), one, "414 URI Too Long", "the path of the request has 17001"),
        ("GET", ids, &format!("{one}{header}"), "431 Request Header", "more than 16384"),
        ("GET", ids, &format!("{one}{body}"), "413 Payload Too Large", "has 65537 bytes"),
    ] {
        let request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n");
        let (head, found) = refusal(&server, &request).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
        assert!(found.contains(detail), "{found}");
        assert_eq!(head.contains("allow: GET,HEAD"), method == "POST", "{head}");
    }
    let request = "GET /v1/realms/sno/observe HTTP/1.1\r\nConnection: close\r\nHost: a\r\n\r\n";
    let (head, _) = refusal(&server, request).await;
    assert!(head.starts_with("HTTP/1.1 405") && head.contains("allow: POST"), "{head}");
    // Heads that are never read as a whole.
    let (long, many) = (format!("X: {}\r\n", "a".repeat(65_536)), "X: a\r\n".repeat(100));
    for headers in [long, many] {
        let mut raw = Raw::http(&server).await;
        raw.send(&format!("GET {ids} HTTP/1.1\r\n{one}{headers}\r\n")).await;
        assert_eq!(raw.line().await, "HTTP/1.1 431 Request Header Fields Too Large");
    }
    let mut raw = Raw::http(&server).await;
    raw.send("GET /healthz HTTP/1.0\r\n\r\n").await;
    assert_eq!(raw.line().await, "HTTP/1.0 200 OK");
}

/// A realm that the store has not shown yet keeps the server unready, and keeps nobody from others.
#[tokio::test]
async fn an_awaited_realm_holds_up_no_other() {
    let store = Store::in_memory();
    let known = Realm::builder("known", Sno).pool("1-9/16").build().unwrap();
    let builder = Server::builder(store.clone()).realm(known).resp(any_port()).http(any_port());
    let server = builder.await_realm("late".parse().unwrap(), "no answer").start().await.unwrap();
    assert_eq!(get(&server, "/v1/realms/known/ids").await.status, 200);
    assert_eq!(get(&server, "/healthz").await.status, 200);
    for (path, text) in [("/readyz", "the realm late: no answer"), ("/v1/realms/late/ids", "late")]
    {
        let answer = get(&server, path).await;
        assert!(answer.text().contains(r#""reason":"unreachable""#), "{}", answer.text());
        let (status, detail, _) = answer.problem();
        assert!(status == 503 && detail.contains(text), "{detail}");
    }
    assert!(!get(&server, "/v1/realms").await.text().contains("late"));
    let mut raw = Raw::resp(&server).await;
    assert_eq!(
        raw.ask("INCR late").await,
        "-TRYAGAIN the realm late: no answer; retry after 1000 ms"
    );

    // One that is not awaited, or runs, must not keep a node.
    let other = Realm::builder("other", Sno).pool("1/16").build().unwrap();
    let late = Realm::builder("late", Sno).pool("1-2/16").build().unwrap();
    let error = server.start_realm(other).await.unwrap_err();
    assert!(matches!(error, ServerError::NotAwaited(_)), "{error}");
    server.start_realm(late.clone()).await.unwrap();
    assert!(matches!(server.start_realm(late).await, Err(ServerError::NotAwaited(_))));
    for realm in ["other", "late"] {
        let listing = store.list(&realm.parse().unwrap()).await.unwrap();
        let held =
            listing.rows.values().filter_map(RowState::row).filter(|row| row.token.is_some());
        assert_eq!(held.count(), usize::from(realm == "late"), "{realm}");
    }
    assert_eq!(get(&server, "/readyz").await.status, 200);
    assert!(raw.ask("TICKID.NEXT late").await.starts_with('$'));
}

/// Silent connections fill every place, also those in reserve, and probes are still answered.
#[tokio::test(flavor = "multi_thread")]
async fn probes_are_answered_when_full() {
    let server = with_limits(Limits { connections: 2, ..patient() }).await;
    let mut silent = Vec::new();
    for _ in 0..200 {
        silent.push(Raw::http(&server).await);
    }
    for (path, text) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        assert_eq!(get(&server, path).await.text(), text);
    }
    let answer = get(&server, "/v1/realms/sno/ids").await;
    assert_eq!((answer.header("retry-after"), answer.header("connection")), ("1", "close"));
    let (status, detail, limit) = answer.problem();
    assert_eq!((status, limit.as_str()), (503, Some("connections")));
    assert_eq!(detail, "there are 2 connections, the most that are permitted");
    // The oldest two have a place.
    silent[1].send("GET /v1/realms HTTP/1.1\r\nHost: a\r\n\r\n").await;
    assert_eq!(silent[1].line().await, "HTTP/1.1 200 OK");
}

/// A client that leaves while it waits for IDs gives its place back.
#[tokio::test(flavor = "multi_thread")]
async fn clients_that_left_have_no_place() {
    let server = starved(Limits { connections: 1, ..patient() }).await;
    // One request, and many in a pipeline.
    for count in [1, 100] {
        // The connection that has the only place, once earlier ones have left it.
        let mut raw = loop {
            let mut raw = Raw::http(&server).await;
            raw.send("HEAD /v1/realms HTTP/1.1\r\nHost: a\r\n\r\n").await;
            let status = raw.line().await;
            while !raw.line().await.is_empty() {}
            if status == "HTTP/1.1 200 OK" {
                break raw;
            }
        };
        raw.send("GET /v1/realms/sno/ids HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count)).await;
        drop(raw);
        let again = async { while get(&server, "/v1/realms").await.status != 200 {} };
        tokio::time::timeout(PATIENCE, again).await.expect("a free place in time");
    }
    // Not because it was answered.
    assert_eq!(server.not_ready().len(), 1);
}

/// Requests that have arrived are answered, though the server stops.
#[tokio::test(flavor = "multi_thread")]
async fn stopping_answers_what_arrived() {
    const REQUESTS: usize = 3_000;
    let server = server().await;
    let mut raw = Raw::http(&server).await;
    raw.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".repeat(REQUESTS)).await;
    assert_eq!(raw.line().await, "HTTP/1.1 200 OK");
    let (stopped, rest) = tokio::join!(server.stop(), raw.rest());
    assert!(!stopped.cut_off);
    assert_eq!(rest.matches("HTTP/1.1 200 OK").count(), REQUESTS - 1);
}

/// A request whose IDs are of later ticks is answered, though nothing more is read.
#[tokio::test(flavor = "multi_thread")]
async fn stopping_answers_what_waits() {
    let layout: Snowflake = "42x20ms/20n/1s@2024-01-01".parse().unwrap();
    let realm = Realm::builder("slow", layout).pool("7/20").build().unwrap();
    let server = builder().realm(realm).start().await.unwrap();
    let mut raw = Raw::http(&server).await;
    let request = "GET /v1/realms/slow/ids?count=20&as=bytes HTTP/1.1\r\nHost: a\r\n\r\n";
    raw.send(request.repeat(2)).await;
    let (stopped, rest) = tokio::join!(server.stop(), raw.rest());
    assert!(!stopped.cut_off);
    assert_eq!(rest.matches("HTTP/1.1 200 OK").count(), 2, "{rest}");
    assert_eq!(rest.matches("content-length: 160").count(), 2, "{rest}");
}

/// HTTP/2 has an end of its own, which comes after the answers that are on their way.
#[tokio::test(flavor = "multi_thread")]
async fn stopping_ends_http2_connections() {
    const COUNT: usize = 100_000;
    let server = with_limits(Limits { count: 200_000, ..patient() }).await;
    let io = TokioIo::new(TcpStream::connect(server.http_addresses()[0]).await.unwrap());
    let executor = TokioExecutor::new();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(executor, io).await.unwrap();
    let connection = tokio::spawn(connection);
    let uri = format!("http://localhost/v1/realms/kuid/ids?count={COUNT}&as=bytes");
    let request = Request::get(uri).body(Empty::<Bytes>::new()).unwrap();
    let answer = sender.send_request(request).await.unwrap().into_body();
    let (stopped, answer) = tokio::join!(server.stop(), answer.collect());
    assert!(!stopped.cut_off);
    assert_eq!(answer.unwrap().to_bytes().len(), COUNT * 12);
    let ended = tokio::time::timeout(PATIENCE, connection).await;
    ended.expect("an end in time").unwrap().unwrap();
}

/// A client that only closes its own side still reads its answer.
#[tokio::test]
async fn clients_may_close_their_side() {
    let server = server().await;
    let mut raw = Raw::http(&server).await;
    raw.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2)).await;
    tokio::io::AsyncWriteExt::shutdown(&mut raw.stream).await.unwrap();
    assert_eq!(raw.rest().await.matches("HTTP/1.1 200 OK").count(), 2);
}

#[tokio::test]
async fn head_issues_nothing() {
    let server = with_limits(Limits { rate: Some(10), ..patient() }).await;
    let mut raw = Raw::http(&server).await;
    for _ in 0..3 {
        let ids = "HEAD /v1/realms/sno/ids?count=10 HTTP/1.1\r\nHost: a\r\n\r\n";
        raw.send(ids).await;
        assert_eq!(raw.line().await, "HTTP/1.1 200 OK");
        let mut headers = Vec::new();
        loop {
            match raw.line().await {
                line if line.is_empty() => break,
                line => headers.push(line.to_ascii_lowercase()),
            }
        }
        assert!(headers.contains(&"content-type: application/json".to_owned()), "{headers:?}");
        assert!(!headers.iter().any(|it| it.starts_with("content-length")), "{headers:?}");
    }
    raw.send("HEAD /v1/realms/sno/ids?count=0 HTTP/1.1\r\nHost: a\r\n\r\n").await;
    assert_eq!(raw.line().await, "HTTP/1.1 400 Bad Request");
    let text = get(&server, "/metrics").await;
    let line = "tickid_server_ids_total{realm=\"sno\",protocol=\"http\"} 0\n";
    assert!(text.text().contains(line), "{}", text.text());
}

#[tokio::test]
async fn machines_get_their_answers() {
    let server = server().await;
    assert_eq!(get(&server, "/healthz").await.text(), "ok\n");
    assert_eq!(get(&server, "/readyz").await.text(), "ready\n");
    get(&server, "/v1/realms/sno/ids?count=10").await;
    Raw::resp(&server).await.ask("INCR scru64").await;
    get(&server, "/v1/realms/nothing/ids").await;
    let open = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2";
    let open = ask(&server, "/metrics", &[("accept", open)]).await;
    assert!(open.header("content-type").starts_with("application/openmetrics-text"));
    assert!(open.text().contains("# TYPE tickid_server_ids counter\n"));
    assert!(open.text().ends_with("# EOF\n"));
    let answer = get(&server, "/metrics").await;
    assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    let text = answer.text();
    assert!(!text.contains("# EOF"));
    for line in [
        "# HELP tickid_server_ids_total IDs issued\n# TYPE tickid_server_ids_total counter\n",
        "# TYPE tickid_server_request_duration_seconds histogram\n",
        "tickid_server_ids_total{realm=\"sno\",protocol=\"http\"} 10\n",
        "tickid_server_ids_total{realm=\"scru64\",protocol=\"resp\"} 1\n",
        "tickid_server_connections_refused_total{protocol=\"resp\"} 0\n",
        "tickid_server_request_errors_total{protocol=\"http\"} 1\n",
        "tickid_server_request_duration_seconds_count{protocol=\"resp\"} 1\n",
        "tickid_server_request_duration_seconds_bucket{le=\"+Inf\",protocol=\"resp\"} 1\n",
        "tickid_lease_stalls_total{realm=\"sno\",reason=\"no_free_node\"} 0\n",
        "tickid_lease_leases_total{realm=\"kuid\"} 1\n",
        "tickid_lease_failures_total{realm=\"sno\",reason=\"unreachable\"} 0\n",
        "# TYPE tickid_lease_window_seconds gauge\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}

/// A renamed metric would silence an alert.
#[tokio::test]
async fn alerts_are_on_exported_metrics() {
    let server = server().await;
    let answer = get(&server, "/metrics").await;
    let text = answer.text();
    let alerts = include_str!("../../../packaging/alerts.yaml");
    let alerts = alerts.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    let names: HashSet<&str> = alerts.filter(|word| word.starts_with("tickid_")).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    for name in names {
        assert!(text.contains(&format!("\n{name}{{realm=\"sno\"")), "{name}\n{text}");
    }
    for reason in ["acquiring", "not_started"] {
        let line = format!("tickid_lease_failures_total{{realm=\"sno\",reason=\"{reason}\"}} ");
        assert!(text.contains(&line), "{line}\n{text}");
    }
    let line = "tickid_lease_stalls_total{realm=\"sno\",reason=\"clock_behind\"} 0\n";
    assert!(text.contains(line), "{line}{text}");
}

/// Checks a value against its schema, as far as the description of this server uses schemas.
fn check_schema(api: &Value, schema: &Value, value: &Value, place: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let schema = api.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        return check_schema(api, schema, value, place);
    }
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let kinds = schema["type"].as_array();
    let fits = kinds.map_or(schema["type"] == found, |it| it.iter().any(|kind| kind == found));
    assert!(fits, "{place} is a {found}, not {}", schema["type"]);
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{place}: {value}");
    }
    value.as_array().into_iter().flatten().for_each(|item| {
        check_schema(api, &schema["items"], item, place);
    });
    let members = value.as_object().into_iter().flatten();
    for (name, member) in members {
        let schema = &schema["properties"][name];
        if !schema.is_null() {
            check_schema(api, schema, member, &format!("{place}/{name}"));
        }
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.as_object().unwrap().contains_key(name.as_str().unwrap()), "{place}/{name}");
    }
    if schema["additionalProperties"] == false {
        let known = schema["properties"].as_object().unwrap();
        assert!(value.as_object().unwrap().keys().all(|name| known.contains_key(name)), "{place}");
    }
}

#[tokio::test]
async fn pages_have_every_route() {
    let api = get(&server().await, "/openapi.json").await.json();
    let pages = [include_str!("../../../../docs/server.md"), include_str!("../../src/lib.rs")];
    for path in api["paths"].as_object().unwrap().keys() {
        for page in pages {
            let title = page.lines().next().unwrap();
            assert!(page.split(['`', ' ', '?']).any(|word| word == path), "{title}: {path}");
        }
    }
}

/// Requests with the parameters that are described, and without them, get answers as described.
#[tokio::test]
async fn answers_fit_the_description() {
    let server = server().await;
    let api = get(&server, "/openapi.json").await.json();
    assert_eq!(api["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    let check = async |method: &str, described: &Value, url: &str, is_valid: bool| {
        let answer = send(&server, &method.to_uppercase(), url, &[]).await;
        assert!(!is_valid || answer.status.is_success(), "{method} {url}: {}", answer.text());
        let responses = &described["responses"];
        let response = responses.get(answer.status.as_str()).unwrap_or(&responses["default"]);
        let reference = response["$ref"].as_str().map(|it| api.pointer(&it[1..]).unwrap());
        let response = reference.unwrap_or(response);
        let kind = answer.header("content-type").split(';').next().unwrap();
        let Some(content) = response["content"].get(kind) else {
            let has_none = response["content"].is_null() && kind.is_empty();
            assert!(has_none && answer.body.is_empty(), "{url}: {} {kind}", answer.status);
            return answer.status;
        };
        if kind.ends_with("json") {
            let body = serde_json::from_slice(&answer.body).unwrap();
            check_schema(&api, &content["schema"], &body, url);
        }
        answer.status
    };
    let operations = api["paths"].as_object().unwrap().iter().flat_map(|(path, methods)| {
        methods.as_object().unwrap().iter().map(move |(method, it)| (path, method, it))
    });
    for (path, method, described) in operations {
        let parameters = described["parameters"].as_array().into_iter().flatten();
        let (required, optional): (Vec<&Value>, Vec<&Value>) =
            parameters.partition(|parameter| parameter["required"] == true);
        // The realm that has all that is described.
        let realm = if method == "get" { "sno" } else { "scru64" };
        let url = required.iter().fold(format!("{path}?"), |url, part| {
            let (name, value) = (part["name"].as_str().unwrap(), part["example"].as_str().unwrap());
            if part["in"] == "query" {
                return format!("{url}{name}={value}&");
            }
            let value = if name == "realm" { realm } else { value };
            url.replace(&format!("{{{name}}}"), value)
        });
        check(method, described, &url, true).await;
        let status = check(method, described, &format!("{url}unknown=1"), false).await;
        // A probe may have any parameter.
        assert_eq!(status == 400, path.starts_with("/v1/"), "{path}: {status}");
        check(method, described, &url.replace(realm, "nothing"), false).await;
        for parameter in optional {
            assert_eq!(parameter["in"], "query");
            let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
            for key in ["minimum", "default"].iter().filter(|key| !schema[**key].is_null()) {
                let value = schema[*key].as_str().map(str::to_owned);
                let value = value.unwrap_or_else(|| schema[*key].to_string());
                check(method, described, &format!("{url}{name}={value}"), true).await;
            }
            check(method, described, &format!("{url}{name}=none"), false).await;
        }
    }
}

#[tokio::test]
async fn stalls_name_a_time() {
    let timeout = Duration::from_millis(50);
    let server = starved(Limits { timeout, ..Limits::default() }).await;
    let answer = get(&server, "/v1/realms/sno/ids").await;
    assert_eq!(answer.header("retry-after"), "1");
    let (status, detail, _) = answer.problem();
    assert_eq!(status, 503);
    assert!(
        detail.contains("the realm sno: there is no lease: memory store: no node is free"),
        "{detail}"
    );
    let problem: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(problem["reason"], "no_free_node");
    let answer = get(&server, "/readyz").await;
    assert_eq!(answer.header("retry-after"), "1");
    let (status, detail, _) = answer.problem();
    assert_eq!(status, 503);
    assert!(detail.starts_with("the realm sno: memory store: no node is free"), "{detail}");
    let problem: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(problem["reason"], "no_free_node");
    assert_eq!(get(&server, "/healthz").await.status, 200);
}

/// A server was started with a term of an hour, but leases have the store's, whose windows are
/// shorter than a quarter of that.
#[tokio::test]
async fn readiness_goes_by_the_term_of_the_store() {
    let store = Store::in_memory();
    let [kept, ..] = realms();
    store.create(&kept, Start::Immediately).await.unwrap();
    let terms = kept.terms().with_term(Duration::from_secs(3_600));
    let builder = Server::builder(store).adopt().realm(kept.with_terms(terms).unwrap());
    let server = builder.http(any_port()).start().await.unwrap();
    let id = get(&server, "/v1/realms/scru64/ids").await;
    let ready = get(&server, "/readyz").await;
    assert_eq!((id.status.as_u16(), ready.text()), (200, "ready\n"));
}

/// A realm starts again later after its leases were invalidated.
#[tokio::test]
async fn stalls_name_the_time_if_it_is_known() {
    let store = Store::in_memory();
    let [realm, ..] = realms();
    // It is over after the longest lease.
    let terms = realm.terms().with_term(Duration::from_secs(600));
    let realm = realm.with_terms(terms).unwrap();
    store.create(&realm, Start::Immediately).await.unwrap();
    store.invalidate(&realm).await.unwrap();
    let server = Server::builder(store).realm(realm).http(any_port()).start().await.unwrap();
    let answer = get(&server, "/v1/realms/scru64/ids").await;
    assert_eq!(answer.status, 503);
    let seconds: u64 = answer.header("retry-after").parse().unwrap();
    assert!(seconds > 5, "{seconds}");
    for path in ["/v1/realms/scru64/ids", "/readyz"] {
        let problem: Value = serde_json::from_slice(&get(&server, path).await.body).unwrap();
        assert_eq!(problem["reason"], "not_started", "{path}");
    }
}

/// A large request takes the rate of a thousand seconds.
#[tokio::test]
async fn rates_are_held() {
    let server = with_limits(Limits { rate: Some(10), ..patient() }).await;
    assert_eq!(get(&server, "/v1/realms/sno/ids?count=10000").await.status, 200);
    let answer = get(&server, "/v1/realms/sno/ids?count=20").await;
    assert_eq!(answer.header("retry-after"), "60", "the longest");
    let (status, detail, limit) = answer.problem();
    assert_eq!((status, limit.as_str()), (429, Some("rate")));
    assert_eq!(detail, "the limit rate is 10 IDs per second for each token");
}

#[tokio::test(flavor = "multi_thread")]
async fn http2_requests_are_multiplexed() {
    let server = server().await;
    let io = TokioIo::new(TcpStream::connect(server.http_addresses()[0]).await.unwrap());
    let executor = TokioExecutor::new();
    let (sender, connection) = hyper::client::conn::http2::handshake(executor, io).await.unwrap();
    tokio::spawn(connection);
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let mut sender = sender.clone();
        requests.spawn(async move {
            let uri = "http://localhost/v1/realms/scru64/ids?count=3000&as=bytes";
            let request = Request::get(uri).body(Empty::<Bytes>::new()).unwrap();
            let response = sender.send_request(request).await.unwrap();
            assert_eq!((response.status(), response.version()), (StatusCode::OK, Version::HTTP_2));
            response.into_body().collect().await.unwrap().to_bytes().to_vec()
        });
    }
    let answers = tokio::time::timeout(PATIENCE, requests.join_all()).await.unwrap();
    let ids: HashSet<[u8; 8]> =
        answers.iter().flat_map(|answer| answer.as_chunks().0).copied().collect();
    assert_eq!(ids.len(), 300_000);
}

#[tokio::test]
async fn hostile_bytes_end_the_connection() {
    let server = server().await;
    for bytes in ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense"] {
        let mut raw = Raw::http(&server).await;
        // The server may close the connection before all is sent.
        let _ = tokio::io::AsyncWriteExt::write_all(&mut raw.stream, bytes.as_bytes()).await;
        let rest = raw.rest().await;
        assert!(
            rest.is_empty() || rest.starts_with("HTTP/1.1 4") || rest.as_bytes()[3] == 4,
            "{rest}"
        );
    }
    assert_eq!(get(&server, "/healthz").await.status, 200);
}

#[tokio::test]
async fn quiet_connections_are_closed() {
    let idle = Duration::from_millis(50);
    let server = with_limits(Limits { idle, ..Limits::default() }).await;
    for bytes in
        ["", "G", "GET /healthz HTTP/1.1\r\nHost: a\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    {
        let mut raw = Raw::http(&server).await;
        raw.send(bytes).await;
        raw.rest().await;
    }
    let mut raw = Raw::http(&server).await;
    raw.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").await;
    assert!(raw.rest().await.ends_with("\r\n\r\nok\n"));

    // A client of HTTP/2 that would answer to pings.
    let io = TokioIo::new(TcpStream::connect(server.http_addresses()[0]).await.unwrap());
    let handshake =
        hyper::client::conn::http2::handshake::<_, _, Empty<Bytes>>(TokioExecutor::new(), io);
    let (_sender, connection) = handshake.await.unwrap();
    // Closed with or without an error.
    let _ = tokio::time::timeout(PATIENCE, connection).await.expect("closed in time");
}

/// Streams of other clients may share the connection, which has guessed its share of tokens.
#[tokio::test]
async fn wrong_tokens_end_an_http2_connection() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "0123456789abcdef").unwrap();
    let server = builder().tokens(tokens).start().await.unwrap();
    let io = TokioIo::new(TcpStream::connect(server.http_addresses()[0]).await.unwrap());
    let executor = TokioExecutor::new();
    let (sender, connection) = hyper::client::conn::http2::handshake(executor, io).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut statuses = Vec::new();
    for token in ["0123456789abcdef", "a", "b", "c", "d", "e"] {
        let request = Request::get("http://localhost/v1/realms");
        let request = request.header("authorization", format!("Bearer {token}"));
        let request = request.body(Empty::<Bytes>::new()).unwrap();
        statuses.push(sender.clone().send_request(request).await.unwrap().status().as_u16());
    }
    assert_eq!(statuses, [200, 401, 401, 401, 401, 401]);
    let ended = tokio::time::timeout(PATIENCE, connection).await;
    ended.expect("an end in time").unwrap().unwrap();
}
