//! A server in this process, and clients that send bytes as they are.

use core::net::SocketAddr;
use core::time::Duration;

use tickid_kuid::{Drift, Kuid};
use tickid_lease::{Realm, RealmSpec, Store};
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_server::{Limits, Server, ServerBuilder};
use tickid_sno::Sno;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The longest that an answer takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn any_port() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

/// Realms of all schemes, named after them.
pub(crate) fn realms() -> [RealmSpec; 5] {
    let drift = Drift::new(9).unwrap();
    let discord = Nanoflake { epoch: tickid_nanoflake::Epoch::DISCORD };
    [
        Realm::builder("scru64", Scru64).pool("0-255/8").build().unwrap().into(),
        Realm::builder("nanoflake", discord).pool("0-1023/10").build().unwrap().into(),
        Realm::builder("kuid", Kuid { drift }).pool("0-65535/32").build().unwrap().into(),
        Realm::builder("local", Kuid::default()).pool("0/0").build().unwrap().into(),
        Realm::builder("sno", Sno).pool("0-65535/16").build().unwrap().into(),
    ]
}

/// Times that do not run out on a machine that stands still for a while.
pub(crate) fn patient() -> Limits {
    const HOUR: Duration = Duration::from_secs(3_600);
    Limits { timeout: HOUR, idle: HOUR, grace: PATIENCE, ..Limits::default() }
}

/// Returns a server of all realms, with RESP and HTTP.
pub(crate) fn builder() -> ServerBuilder {
    let builder = Server::builder(Store::in_memory()).resp(any_port()).http(any_port());
    realms().into_iter().fold(builder.limits(patient()), ServerBuilder::realm)
}

pub(crate) async fn server() -> Server {
    builder().start().await.unwrap()
}

pub(crate) async fn with_limits(limits: Limits) -> Server {
    builder().limits(limits).start().await.unwrap()
}

/// A connection on which bytes are sent as they are.
pub(crate) struct Raw {
    pub(crate) stream: TcpStream,
}

impl Raw {
    pub(crate) async fn resp(server: &Server) -> Self {
        Self::to(server.resp_addresses()[0]).await
    }

    pub(crate) async fn http(server: &Server) -> Self {
        Self::to(server.http_addresses()[0]).await
    }

    pub(crate) async fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream }
    }

    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Reads as many bytes as `expected` has and compares them.
    pub(crate) async fn expect(&mut self, expected: impl AsRef<[u8]>) {
        let expected = expected.as_ref();
        let mut bytes = vec![0; expected.len()];
        let read = timeout(PATIENCE, self.stream.read_exact(&mut bytes)).await;
        read.expect("an answer in time").unwrap();
        assert_eq!(bytes.escape_ascii().to_string(), expected.escape_ascii().to_string());
    }

    /// Reads a line, without its end.
    pub(crate) async fn line(&mut self) -> String {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(timeout(PATIENCE, self.stream.read_u8()).await.unwrap().unwrap());
        }
        line.truncate(line.len() - 2);
        String::from_utf8(line).unwrap()
    }

    /// Reads a bulk string.
    pub(crate) async fn bulk(&mut self) -> Vec<u8> {
        let line = self.line().await;
        let len: usize =
            line.strip_prefix('$').unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        let mut bytes = vec![0; len + 2];
        timeout(PATIENCE, self.stream.read_exact(&mut bytes)).await.unwrap().unwrap();
        assert!(bytes.ends_with(b"\r\n"));
        bytes.truncate(len);
        bytes
    }

    /// Reads all that comes until the server closes the connection.
    pub(crate) async fn rest(&mut self) -> String {
        String::from_utf8_lossy(&self.rest_as_bytes().await).into_owned()
    }

    pub(crate) async fn rest_as_bytes(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        let read = timeout(PATIENCE, self.stream.read_to_end(&mut rest)).await;
        read.expect("an end in time").expect("an end without a reset");
        rest
    }

    /// Sends bytes and reports whether the answer is one of RESP.
    pub(crate) async fn is_answered(&mut self, bytes: &str) -> bool {
        self.send(bytes).await;
        self.rest().await.starts_with('+')
    }

    /// Sends a command and returns the first line of its answer.
    pub(crate) async fn ask(&mut self, command: &str) -> String {
        self.send(format!("{command}\r\n")).await;
        self.line().await
    }
}

/// A server of the realm `sno`, whose only node is taken, so that it issues nothing.
pub(crate) async fn starved(limits: Limits) -> Server {
    let store = Store::in_memory();
    // Nobody renews the lease.
    let realm = Realm::builder("sno", Sno).pool("7/16").term(Duration::from_secs(3_600));
    let realm = RealmSpec::from(realm.build().unwrap());
    let token = tickid_lease::session::Token::random().unwrap();
    let mut claim = tickid_lease::session::Claim::new(token, "another", None);
    let lease = store.acquire(&realm, &mut claim).await.unwrap();
    assert_eq!(lease.node.to_string(), "7/16");
    let builder = Server::builder(store).realm(realm).resp(any_port()).http(any_port());
    builder.limits(limits).start().await.unwrap()
}
