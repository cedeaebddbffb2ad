//! The entry points of the fuzz targets.

#![allow(
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "fuzz targets fail by panicking"
)]

use core::time::Duration;
use std::sync::{Arc, OnceLock};

use tickid_lease::{RealmSpec, Store};
use tickid_nanoflake::Nanoflake;
use tickid_sno::Sno;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex, split};
use tokio::runtime::{Builder, Runtime};

use crate::access::Access;
use crate::http::ConnectionKind;
use crate::limits::Limits;
use crate::realm::{RealmStart, Realms, RunningRealm};
use crate::resp::parse::{ProtocolError, RespCommand};
use crate::shared::{Peer, ServerState};
use crate::{http, resp};

/// The largest request in the fuzz targets.
const MAX: usize = 2_048;

/// Parses requests of RESP. The parser's result for a request does not change with what follows it,
/// and a part of a request is never taken for a whole one.
pub fn parse_requests(data: &[u8]) {
    let read = |data: &[u8]| {
        let mut command = RespCommand::default();
        command.read(data, MAX).map(|len| len.map(|len| (len, command)))
    };
    let whole = read(data);
    // A parser that asks for more, whatever has arrived, lets a client fill the memory. So it may
    // do so only below the limit.
    let (len, command) = match &whole {
        Ok(Some((len, command))) => (*len, command),
        Ok(None) => {
            assert!(data.len() < MAX);
            return;
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    // A command of no bytes would be read again forever. One argument after the last is asked for
    // as well, because that must be empty and not the next command's.
    assert!((1..=data.len().min(MAX)).contains(&len));
    for index in 0..=command.len() {
        assert!(command.arg(index, data).len() < len);
    }
    // Clients send pipelines, and the network cuts them anywhere. The command must therefore be the
    // same without the bytes after it, and a part of it must never be one.
    assert_eq!(read(&data[..len]), whole);
    for part in 0..len {
        match read(&data[..part]) {
            Ok(None) | Err(ProtocolError::TooBig(_)) => {}
            other => panic!("{part} of {len} bytes are {other:?}"),
        }
    }
}

/// Holds a conversation over RESP. Whatever is sent, and in whatever parts, the server ends it, and
/// every answer starts as one.
pub fn converse_resp(data: &[u8]) {
    let server = FuzzedServer::get();
    let shared = Arc::clone(&server.shared);
    let answers = server.converse(data, |stream| resp::serve(stream, shared, 1, Peer(None)));
    assert!(matches!(answers.first(), None | Some(b'+' | b'-' | b':' | b'$' | b'*' | b'%' | b'_')));
}

/// Holds a conversation over HTTP. Whatever is sent, and in whatever parts, the server ends it, and
/// answers in HTTP.
pub fn converse_http(data: &[u8]) {
    let server = FuzzedServer::get();
    let answers = server.converse(data, |stream| {
        let shared = Arc::clone(&server.shared);
        http::serve(stream, server.http.clone(), shared, Peer(None), ConnectionKind::Regular)
    });
    // An answer of HTTP/2 starts with its settings, of type 4 in stream 0.
    let is_http2 = answers.get(3..9).is_some_and(|head| head == [4, 0, 0, 0, 0, 0]);
    assert!(answers.is_empty() || answers.starts_with(b"HTTP/1.") || is_http2);
}

struct FuzzedServer {
    runtime: Runtime,
    shared: Arc<ServerState>,
    http: http::Service,
}

impl FuzzedServer {
    fn get() -> &'static Self {
        static SERVER: OnceLock<FuzzedServer> = OnceLock::new();
        SERVER.get_or_init(|| Self::new().expect("a server"))
    }

    fn new() -> Result<Self, Box<dyn core::error::Error>> {
        // One thread, so that an input that fails does so again.
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let store = Store::in_memory();
        let mut realms = Realms::default();
        // IDs of 80 bits with a metabyte, and integers of 64 bits: with both, requests reach all
        // forms and the refusals of each.
        let specs = [
            RealmSpec::from(tickid_lease::Realm::builder("s", Sno).pool("0-9/16").build()?),
            RealmSpec::from(
                tickid_lease::Realm::builder("n", Nanoflake::default()).pool("0-9/10").build()?,
            ),
        ];
        for spec in specs {
            let (store, spec) = (&store, &spec);
            let realm =
                RunningRealm::start(RealmStart { store, spec, holder: None, adopts: false })?;
            runtime.block_on(realm.check_start())?;
            realms.add(realm);
        }
        // Small enough for an input to exceed them, and with a wait that is short beside the time
        // that a conversation may take.
        let limits = Limits {
            count: 100,
            request_bytes: 2_048,
            timeout: Duration::from_millis(100),
            ..Limits::default()
        };
        let access = Access::new(None, None);
        let (shared, http) = runtime.block_on(async {
            let shared = Arc::new(ServerState::new(realms, access, limits));
            let http = http::Service::new(&shared);
            (shared, http)
        });
        Ok(Self { runtime, shared, http })
    }

    /// Sends `data` in parts of the size in its first byte, and returns the answers.
    fn converse<F: Future>(&self, data: &[u8], serve: impl FnOnce(DuplexStream) -> F) -> Vec<u8> {
        let Some((&size, data)) = data.split_first() else { return Vec::new() };
        // Less room than many answers take, so that the server also meets a client that does not
        // read yet.
        let (client, server) = duplex(1_024);
        let (mut answers, mut requests) = split(client);
        let send = async move {
            // The server ends a malformed conversation before all is sent, so a failed write is no
            // fault. After each part its task gets a turn, or it would read them all as one.
            for part in data.chunks(usize::from(size).max(1)) {
                if requests.write_all(part).await.is_err() {
                    break;
                }
                tokio::task::yield_now().await;
            }
            let _ = requests.shutdown().await;
        };
        let receive = async move {
            let mut received = Vec::new();
            let _ = answers.read_to_end(&mut received).await;
            received
        };
        let talk = async { tokio::join!(serve(server), send, receive) };
        let limit = Duration::from_secs(10);
        let ended = self.runtime.block_on(async { tokio::time::timeout(limit, talk).await });
        let (_, (), answers) = ended.expect("a conversation that ends");
        answers
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of requests, well-formed and otherwise, and arbitrary bytes.
    fn pieces(known: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            6 => prop::sample::select(known).prop_map(<[u8]>::to_vec),
            1 => prop::collection::vec(any::<u8>(), 0..8),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    const RESP: &[&[u8]] = &[
        b"*1\r\n",
        b"*2\r\n",
        b"*3\r\n",
        b"*-1\r\n",
        b"$1\r\ns\r\n",
        b"$1\r\nn\r\n",
        b"$4\r\nINCR\r\n",
        b"$4\r\nPING\r\n",
        b"$11\r\nTICKID.NEXT\r\n",
        b"$2\r\n99\r\n",
        b"$1\r\n",
        b"$-1\r\n",
        b"\r\n",
        b"HELLO 3\r\n",
        b"TICKID.NEXT n 9 AS bytes\r\n",
        b"TICKID.OBSERVE n 1 AS int\r\n",
        b"$14\r\nTICKID.OBSERVE\r\n",
        b"COMMAND\r\n",
        b"INFO\r\n",
        b"MULTI\r\n",
        b"EXEC\r\n",
        b"*1\r\n$4\r\nEXEC\r\n",
    ];

    const HTTP: &[&[u8]] = &[
        b"GET /v1/realms/s/ids?count=9 HTTP/1.1\r\n",
        b"GET /v1/realms/a%20b/ids HTTP/1.1\r\n",
        b"POST /v1/realms HTTP/1.0\r\n",
        b"POST /v1/realms/n/observe?id=1&as=int HTTP/1.1\r\n",
        b"Host: a\r\n",
        b"Accept: text/plain\r\n",
        b"Content-Length: 5\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Connection: close\r\n",
        b"\r\n",
        b"5\r\nabcde\r\n0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\0\0\0\x04\0\0\0\0\0",
        b"\0\0\x03\x01\x05\0\0\0\x01\x82\x84\x86",
    ];

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn requests_are_parsed_alike(data in pieces(RESP)) {
            parse_requests(&data);
        }

        #[test]
        fn any_resp_is_answered(data in pieces(RESP), size: u8) {
            converse_resp(&[&[size][..], &data].concat());
        }

        #[test]
        fn any_http_is_answered(data in pieces(HTTP), size: u8) {
            converse_http(&[&[size][..], &data].concat());
        }
    }
}
