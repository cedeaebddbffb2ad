//! Observed IDs, over both protocols.

use core::time::Duration;
use std::fs;
use std::time::SystemTime;

use tempfile::TempDir;
use tickid_convert::{Form, Kind};
use tickid_kuid::LocalId;
use tickid_nanoflake::{Epoch, Nanoflake};
use tickid_scru64::Scru64Id;
use tickid_server::{Limits, Server};
use tickid_sno::SnoId;

use crate::http::send;
use crate::support::{Raw, builder, patient, server, starved, with_limits};

/// Returns the time in `millis` milliseconds.
fn ahead(millis: u64) -> SystemTime {
    SystemTime::now() + Duration::from_millis(millis)
}

/// Sends an ID over RESP and returns the first line of the answer.
async fn resp(raw: &mut Raw, realm: &str, id: &str, form: &str) -> String {
    let args = ["TICKID.OBSERVE", realm, id, "AS", form];
    let args = args.map(|arg| format!("${}\r\n{arg}\r\n", arg.len()));
    raw.send(format!("*5\r\n{}", args.concat())).await;
    raw.line().await
}

/// Sends a request over HTTP to observe an ID. Returns the status of the answer, its Retry-After,
/// and the detail of a problem.
async fn http(
    server: &Server,
    realm: &str,
    query: &str,
    headers: &[(&str, &str)],
) -> (u16, Option<u64>, String) {
    let path = format!("/v1/realms/{realm}/observe{query}");
    let answer = send(server, "POST", &path, headers).await;
    if answer.status == 204 {
        assert_eq!(answer.text(), "");
        return (204, None, String::new());
    }
    let (status, detail, _) = answer.problem();
    (status, answer.header("retry-after").parse().ok(), detail)
}

fn percent_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[tokio::test]
async fn later_ids_follow_observed_ones() {
    let server = server().await;
    let mut raw = Raw::resp(&server).await;
    let peer = Scru64Id::max_at(ahead(3_000)).unwrap();
    raw.send(format!("tickid.observe scru64 {peer}\r\n")).await;
    raw.expect("+OK\r\n").await;
    raw.send("TICKID.NEXT scru64\r\n").await;
    let next: Scru64Id = String::from_utf8(raw.bulk().await).unwrap().parse().unwrap();
    assert!(next > peer);

    let peer = Scru64Id::max_at(ahead(4_000)).unwrap();
    assert_eq!(resp(&mut raw, "scru64", &peer.get().to_string(), "INT").await, "+OK");
    let next: u64 = raw.ask("INCR scru64").await[1..].parse().unwrap();
    assert!(next > peer.get());

    let peer = LocalId::max_at(ahead(300)).unwrap();
    let (status, _, detail) = http(&server, "local", &format!("?id={peer}"), &[]).await;
    assert_eq!(status, 204, "{detail}");
    raw.send("TICKID.NEXT local 2\r\n").await;
    raw.expect("*2\r\n").await;
    let next: LocalId = String::from_utf8(raw.bulk().await).unwrap().parse().unwrap();
    assert!(next > peer);
    raw.bulk().await;

    let integer = format!("?as=int&id={}", peer.get() + 1);
    assert_eq!(http(&server, "local", &integer, &[]).await.0, 204);
    let next: u64 = raw.ask("INCR local").await[1..].parse().unwrap();
    assert!(next > peer.get() + 1);

    // Its own ID, and one long ago.
    for id in [next, 0] {
        assert_eq!(resp(&mut raw, "local", &id.to_string(), "int").await, "+OK");
    }
    // In a transaction.
    raw.send(format!("MULTI\r\nTICKID.OBSERVE local {peer}\r\nEXEC\r\n")).await;
    raw.expect("+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n").await;
}

/// Over both protocols, in each form that its scheme has. Only bytes are not sent back.
#[tokio::test]
async fn ids_are_observed_in_the_forms_they_come_in() {
    let server = server().await;
    let mut raw = Raw::resp(&server).await;
    for (realm, kind) in [
        ("local", Kind::KuidLocal),
        ("nanoflake", Kind::Nanoflake),
        ("scru64", Kind::Scru64),
        ("kuid", Kind::KuidGlobal),
        ("sno", Kind::Sno),
    ] {
        for name in Form::names(kind) {
            let form = Form::named(kind, name).unwrap();
            let path = format!("/v1/realms/{realm}/ids?as={name}");
            let accept = [("accept", "text/plain")];
            let answer = send(&server, "GET", &path, &accept).await;
            raw.send(format!("TICKID.NEXT {realm} AS {name}\r\n")).await;
            if form == Form::Int && kind.byte_len() > 8 {
                assert_eq!(answer.status, 409);
                assert!(raw.line().await.ends_with("no form as an integer of 64 bits"));
                continue;
            }
            assert_eq!(answer.status, 200, "{realm} as {name}");
            let second = if form == Form::Int {
                raw.line().await.as_bytes()[1..].to_vec()
            } else {
                raw.bulk().await
            };
            if form == Form::Bytes {
                assert_eq!((answer.body.len(), second.len()), (kind.byte_len(), kind.byte_len()));
                let (status, _, detail) = http(&server, realm, "?id=0&as=bytes", &[]).await;
                assert_eq!((status, detail.contains("is none of text, int, hex")), (400, true));
                continue;
            }
            let ids = [answer.text().trim_end().to_owned(), String::from_utf8(second).unwrap()];
            let read = |text: &String| form.read(kind, text.as_bytes()).unwrap();
            assert!(
                read(&ids[0]).to_u128() < read(&ids[1]).to_u128(),
                "{realm} as {name}: {ids:?}"
            );
            // The realms of kuid and sno follow no IDs, but have read this one.
            let follows = !matches!(kind, Kind::KuidGlobal | Kind::Sno);
            for id in &ids {
                let query = format!("?id={}&as={name}", percent_encoded(id));
                let (status, _, detail) = http(&server, realm, &query, &[]).await;
                assert_eq!(status, if follows { 204 } else { 409 }, "{detail}");
                assert!(!detail.contains("not an ID"), "{detail}");
                let line = resp(&mut raw, realm, id, name).await;
                assert_eq!(line == "+OK", follows, "{line}");
            }
        }
    }
}

#[tokio::test]
async fn hostile_ids_change_nothing() {
    let server = server().await;
    let mut raw = Raw::resp(&server).await;
    let hour = 3_600_000;
    let scru64 = |millis| Scru64Id::max_at(ahead(millis)).unwrap();
    // Read from the epoch of 2015, an ID from that of 2010 is from five years ahead.
    let other_epoch = Nanoflake { epoch: Epoch::TWITTER }.min_at(ahead(0)).unwrap();
    let sno = SnoId::min_at(ahead(0)).unwrap().to_string();
    let long = "z".repeat(5_000);
    for (realm, id, form, status, reason) in [
        // Of other schemes.
        ("scru64", &*sno, "text", 400, "not an ID of the realm scru64: "),
        ("nanoflake", &sno, "text", 400, "not an ID of the realm nanoflake: "),
        ("local", &sno, "text", 400, "not an ID of the realm local: "),
        ("scru64", &other_epoch.to_string(), "text", 409, "ahead of the clock, which reads 2"),
        // Of another layout.
        ("nanoflake", &other_epoch.to_string(), "text", 409, "that are at most 0ns ahead"),
        ("nanoflake", &other_epoch.get().to_string(), "int", 409, "that are at most 0ns ahead"),
        // Ahead of the clock.
        ("scru64", &scru64(hour).to_string(), "text", 409, "that are at most 4.864s ahead"),
        ("scru64", &scru64(hour).get().to_string(), "int", 409, "that are at most 4.864s ahead"),
        ("scru64", "zzzzzzzzzzzz", "text", 409, "none of the generator's IDs is after this one"),
        // No IDs.
        ("scru64", "", "text", 400, "not an ID of the realm scru64: "),
        ("scru64", "", "int", 400, "\"\" is not an ID of the realm scru64: not an integer"),
        ("scru64", "-1", "int", 400, "\"-1\" is not an ID of the realm scru64: not an integer"),
        ("scru64", "+1", "int", 400, "\"+1\" is not an ID of the realm scru64: not an integer"),
        ("scru64", "18446744073709551616", "int", 400, "is outside of 0..=4738381338321616895"),
        ("scru64", "4g", "hex", 400, "\"4g\" is not an ID of the realm scru64: not an integer"),
        ("scru64", &"f".repeat(33), "hex", 400, "of up to 128 bits in base 16"),
        ("scru64", "18446744073709551615", "int", 400, "is outside of 0..=4738381338321616895"),
        ("scru64", "\r\n+OK\r\n\0ü", "text", 400, "not an ID of the realm scru64: "),
        ("scru64", &long, "text", 400, "\"zzzz"),
        ("scru64", &long, "int", 400, "\"zzzz"),
        // No realms for it.
        ("sno", &sno, "text", 409, "under tick-tock, a generator's IDs go back with its clock"),
        ("sno", "1", "int", 409, "no form as an integer of 64 bits"),
        ("kuid", ".5.tXVEf8n8vPN.0", "text", 409, "kuid global IDs cannot be observed"),
        ("nothing", "0", "text", 404, "no such realm"),
    ] {
        let line = resp(&mut raw, realm, id, form).await;
        assert!(line.contains(reason), "{line}");
        assert!(line.len() < 400, "{} bytes", line.len());
        let is_ahead = reason.contains("ahead");
        let start = if is_ahead { "-TRYAGAIN the realm " } else { "-ERR " };
        assert!(line.starts_with(start), "{line}");

        let query = format!("?id={}&as={form}", percent_encoded(id));
        let (found, retry_after, detail) = http(&server, realm, &query, &[]).await;
        assert_eq!((found, retry_after.is_some()), (status, is_ahead), "{detail}");
        assert!(detail.contains(reason), "{detail}");
    }
    let (_, seconds, _) = http(&server, "scru64", &format!("?id={}", scru64(hour)), &[]).await;
    assert!(seconds.is_some_and(|seconds| (3_500..3_600).contains(&seconds)), "{seconds:?}");

    let next: u64 = raw.ask("INCR scru64").await[1..].parse().unwrap();
    assert!(next <= scru64(0).get(), "moved ahead");
    let next: i64 = raw.ask("INCR nanoflake").await[1..].parse().unwrap();
    let now = Nanoflake { epoch: Epoch::DISCORD }.max_at(ahead(0)).unwrap();
    assert!(next <= now.get(), "moved ahead");
}

#[tokio::test]
async fn malformed_requests_are_named() {
    let server = server().await;
    let mut raw = Raw::resp(&server).await;
    for (command, answer) in [
        ("TICKID.OBSERVE local", "-ERR wrong number of arguments for 'tickid.observe' command"),
        ("TICKID.OBSERVE local 0 AS", "-ERR syntax error"),
        ("TICKID.OBSERVE local 0 META 1", "-ERR syntax error"),
        (
            "TICKID.OBSERVE local 0 AS bytes",
            "-ERR the form \"bytes\" is none of text, int, hex, sortable, url",
        ),
        ("TICKID.OBSERVE local 0 FORMAT int", "-ERR syntax error"),
    ] {
        assert_eq!(raw.ask(command).await, answer);
    }
    for (query, status, detail) in [
        ("", 400, "the query parameter \"id\" is missing"),
        ("?id=0&id=0", 400, "the query parameter \"id\" is repeated"),
        ("?id=0&as=hx", 400, "the form \"hx\" is none of text, int, hex, sortable, url"),
        ("?id=0&as=bytes", 400, "the form \"bytes\" is none of text, int, hex, sortable, url"),
        ("?id=0&format=int", 400, "unknown query parameter \"format\"; there are: id, as"),
        ("?id=0&count=1", 400, "unknown query parameter \"count\"; there are: id, as"),
        ("?id=%ff", 400, ""),
    ] {
        let (found, _, found_detail) = http(&server, "local", query, &[]).await;
        assert_eq!(found, status, "{found_detail}");
        assert!(found_detail.contains(detail), "{found_detail}");
    }
}

#[tokio::test]
async fn observing_is_a_right_of_its_own() {
    let folder = TempDir::new().unwrap();
    let tokens = folder.path().join("tokens");
    let (reader, peer) = ("0123456789abcdef", "fedcba9876543210");
    fs::write(&tokens, format!("reader {reader}\npeer {peer} observe\n")).unwrap();
    let server = builder().tokens(&tokens).start().await.unwrap();
    let id = LocalId::min_at(ahead(0)).unwrap();
    let observe = format!("TICKID.OBSERVE local {id}");
    let denied = "-NOPERM the token has no right to observe";

    let mut raw = Raw::resp(&server).await;
    assert_eq!(raw.ask(&observe).await, "-NOAUTH Authentication required.");
    for (token, answer) in [(reader, denied), (peer, "+OK")] {
        assert_eq!(raw.ask(&format!("AUTH {token}")).await, "+OK");
        assert_eq!(raw.ask(&observe).await, answer);
        assert!(raw.ask("INCR local").await.starts_with(':'));
    }
    // A page that has a token may.
    for (token, others, status) in [
        ("wrong", &[][..], 401),
        (reader, &[], 403),
        (peer, &[], 204),
        (peer, &[("origin", "a")], 204),
    ] {
        let token = format!("Bearer {token}");
        let headers = [&[("authorization", token.as_str())], others].concat();
        let (found, _, detail) = http(&server, "local", &format!("?id={id}"), &headers).await;
        assert_eq!(found, status, "{detail}");
        assert_eq!(detail == "the token has no right to observe", status == 403, "{detail}");
    }

    fs::write(&tokens, format!("peer {peer}\n")).unwrap();
    server.reload().unwrap();
    assert_eq!(raw.ask(&observe).await, denied, "taken from a connection that stays");
}

#[tokio::test]
async fn web_pages_observe_nothing() {
    let server = server().await;
    for (headers, status) in
        [(&[][..], 204), (&[("origin", "null")], 403), (&[("origin", "http://a")], 403)]
    {
        assert_eq!(http(&server, "local", "?id=0&as=int", headers).await.0, status);
        // It may ask for IDs, as docs/server.md says.
        assert_eq!(send(&server, "GET", "/v1/realms/local/ids", headers).await.status, 200);
    }
}

#[tokio::test]
async fn observing_does_not_wait() {
    let server = starved(patient()).await;
    let id = SnoId::min_at(ahead(0)).unwrap();
    let (status, retry_after, detail) = http(&server, "sno", &format!("?id={id}"), &[]).await;
    assert_eq!((status, retry_after), (503, Some(1)), "{detail}");
    assert!(detail.starts_with("the realm sno: there is no lease"), "{detail}");
    let line = Raw::resp(&server).await.ask(&format!("TICKID.OBSERVE sno {id}")).await;
    assert!(line.starts_with("-TRYAGAIN the realm sno: there is no lease"), "{line}");
}

#[tokio::test]
async fn observed_ids_count_against_the_rate() {
    let server = with_limits(Limits { rate: Some(1), ..patient() }).await;
    let mut raw = Raw::resp(&server).await;
    // The second one in a second, which passes between two on a machine that stands still.
    for _ in 0..100 {
        let line = resp(&mut raw, "local", "0", "int").await;
        if line.starts_with("-TRYAGAIN the limit rate is 1 IDs per second") {
            return;
        }
        assert_eq!(line, "+OK");
    }
    panic!("none is limited");
}
