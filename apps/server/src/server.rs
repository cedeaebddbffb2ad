//! The server as a program embeds it, and its builder.

use core::net::SocketAddr;
use core::sync::atomic::Ordering;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use tickid_lease::admin::RealmName;
use tickid_lease::{RealmSpec, Store};
use tokio_util::task::TaskTracker;

use crate::access::Access;
use crate::error::{ReloadError, ServerError, Stopped, chain};
use crate::http;
use crate::limits::Limits;
use crate::listener::{Listener, Slots};
use crate::metrics::Protocol;
use crate::realm::{RealmStart, Realms, RunningRealm, ServedRealm};
use crate::reload::{Reloader, SecretFiles};
use crate::shared::ServerState;
use crate::socket::Socket;
use crate::tls::{ReloadedTls, TlsFiles};

/// The options of a [`Server`].
///
/// | option | default |
/// |---|---|
/// | [`realm`](Self::realm), [`await_realm`](Self::await_realm) | none; one is needed |
/// | [`adopt`](Self::adopt) | a store with other nodes or terms refuses the realm |
/// | [`resp`](Self::resp), [`http`](Self::http) | none; one of these four is needed |
/// | [`unix`](Self::unix), [`http_unix`](Self::http_unix) | none |
/// | [`tokens`](Self::tokens), [`tls`](Self::tls) | none; both are needed beyond this machine |
/// | [`limits`](Self::limits) | [`Limits::default`] |
/// | [`holder`](Self::holder) | this host or pod, program and process ID |
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::{Realm, Store};
/// use tickid_scru64::Scru64;
/// use tickid_server::{Limits, Server};
/// use tickid_sno::Sno;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::builder(Store::in_memory())
///     .realm(Realm::builder("orders", Sno).pool("0-65535/16").build()?)
///     .realm(Realm::builder("invoices", Scru64).pool("0-255/8").build()?)
///     .resp("127.0.0.1:0".parse()?)
///     .http("127.0.0.1:0".parse()?)
///     .limits(Limits { timeout: Duration::from_secs(1), ..Limits::default() })
///     .start()
///     .await?;
/// assert_eq!((server.resp_addresses().len(), server.http_addresses().len()), (1, 1));
/// server.stop().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use]
pub struct ServerBuilder {
    store: Store,
    realms: Vec<RealmSpec>,
    awaited: Vec<(RealmName, String)>,
    adopts: bool,
    resp: Vec<SocketAddr>,
    http: Vec<SocketAddr>,
    unix: Vec<(Protocol, PathBuf)>,
    tokens: Option<PathBuf>,
    tls: Option<TlsFiles>,
    is_insecure: bool,
    limits: Limits,
    holder: Option<String>,
}

impl ServerBuilder {
    /// Adds a realm. If the store does not have it, it is created. If the store is a server, that
    /// may take a while, because the realm may be one that was lost ([`Store::create`] has more).
    /// The realm's [policy](RealmSpec::policy) applies to its generators.
    pub fn realm(mut self, realm: impl Into<RealmSpec>) -> Self {
        self.realms.push(realm.into());
        self
    }

    /// Adds a realm of which only the name is known, for example because it is to be read from a
    /// store that does not answer yet. Until [`Server::start_realm`] starts it, its requests are
    /// refused like those of a realm without a lease, and `/readyz` returns 503, both with `why`.
    /// Other realms are served meanwhile.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{Realm, Store};
    /// use tickid_server::Server;
    /// use tickid_sno::Sno;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let builder = Server::builder(Store::in_memory()).resp("127.0.0.1:0".parse()?);
    /// let server = builder.await_realm("orders".parse()?, "the store is down").start().await?;
    /// let (name, why) = server.not_ready().remove(0);
    /// assert_eq!((name.as_str(), &*why), ("orders", "the store is down"));
    ///
    /// server.start_realm(Realm::builder("orders", Sno).pool("0-65535/16").build()?).await?;
    /// assert!(server.not_ready().is_empty());
    /// server.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn await_realm(mut self, name: RealmName, why: impl Into<String>) -> Self {
        self.awaited.push((name, why.into()));
        self
    }

    /// Adopts the nodes and the terms that the store has of the realms, where those differ, as
    /// [`LeasedGeneratorBuilder::adopt`](tickid_lease::LeasedGeneratorBuilder::adopt) does.
    /// Otherwise such a realm is refused. Use it if the nodes and terms of your realms are only
    /// defaults.
    pub fn adopt(self) -> Self {
        Self { adopts: true, ..self }
    }

    /// Adds an address for RESP. With port 0, the system chooses a free port, and
    /// [`Server::resp_addresses`] returns it.
    pub fn resp(mut self, address: SocketAddr) -> Self {
        self.resp.push(address);
        self
    }

    /// Adds an address for HTTP. With port 0, the system chooses a free port, and
    /// [`Server::http_addresses`] returns it.
    pub fn http(mut self, address: SocketAddr) -> Self {
        self.http.push(address);
        self
    }

    /// Adds the path of a Unix socket for RESP. It is created for its owner and its group (mode
    /// 0660), and replaces a socket that no server listens on. On Linux, a path has at most 107
    /// bytes.
    #[cfg(unix)]
    pub fn unix(mut self, path: impl Into<PathBuf>) -> Self {
        self.unix.push((Protocol::Resp, path.into()));
        self
    }

    /// Adds the path of a Unix socket for HTTP. Its file has the same mode as that of
    /// [`unix`](Self::unix).
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{Realm, Store};
    /// use tickid_server::Server;
    /// use tickid_sno::Sno;
    /// use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    /// use tokio::net::UnixStream;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// let socket = folder.path().join("tickid.sock");
    /// let realm = Realm::builder("orders", Sno).pool("0-65535/16").build()?;
    /// let builder = Server::builder(Store::in_memory()).realm(realm);
    /// let server = builder.http_unix(&socket).start().await?;
    /// let mut connection = UnixStream::connect(&socket).await?;
    /// let request = b"GET /v1/realms/orders/ids HTTP/1.0\r\nHost: localhost\r\n\r\n";
    /// connection.write_all(request).await?;
    /// let mut answer = String::new();
    /// connection.read_to_string(&mut answer).await?;
    /// assert!(answer.contains("200 OK"));
    /// server.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(unix)]
    pub fn http_unix(mut self, path: impl Into<PathBuf>) -> Self {
        self.unix.push((Protocol::Http, path.into()));
        self
    }

    /// Sets the file of tokens, of which every client must send one. Each line has a token of 16 to
    /// 256 visible ASCII characters, or a name, a space and a token. Logs show the name, and never
    /// the token. After name and token, the word `observe` gives the right to have this server
    /// observe IDs. Lines that start with `#` are comments.
    ///
    /// [`Server::reload`] reads the file again, so tokens can be exchanged while the server runs.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{Realm, Store};
    /// use tickid_server::Server;
    /// use tickid_sno::Sno;
    /// use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    /// use tokio::net::TcpStream;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// let tokens = folder.path().join("tokens");
    /// std::fs::write(&tokens, "# the shop\nshop 9b1c0c4f2c8e4f0d\n")?;
    /// let realm = Realm::builder("orders", Sno).pool("0-65535/16").build()?;
    /// let builder = Server::builder(Store::in_memory()).realm(realm).tokens(&tokens);
    /// let server = builder.resp("127.0.0.1:0".parse()?).start().await?;
    ///
    /// let mut connection = TcpStream::connect(server.resp_addresses()[0]).await?;
    /// connection.write_all(b"*2\r\n$4\r\nAUTH\r\n$16\r\n9b1c0c4f2c8e4f0d\r\n").await?;
    /// let mut answer = [0; 5];
    /// connection.read_exact(&mut answer).await?;
    /// assert_eq!(&answer, b"+OK\r\n");
    /// server.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn tokens(self, path: impl Into<PathBuf>) -> Self {
        Self { tokens: Some(path.into()), ..self }
    }

    /// Encrypts connections by TCP. Those over Unix sockets are not encrypted, since their data
    /// stay on this machine.
    pub fn tls(self, files: TlsFiles) -> Self {
        Self { tls: Some(files), ..self }
    }

    /// Permits addresses that other machines can reach without tokens or TLS, for networks that are
    /// protected by other means. Without tokens, everything that can connect to such an address can
    /// draw IDs.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{Realm, Store};
    /// use tickid_server::{Server, ServerError};
    /// use tickid_sno::Sno;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let realm = Realm::builder("orders", Sno).pool("0-65535/16").build()?;
    /// // An address for documentation, which no machine has.
    /// let builder = || Server::builder(Store::in_memory()).resp(([192, 0, 2, 1], 6400).into());
    /// let error = builder().realm(realm.clone()).start().await.unwrap_err();
    /// assert!(matches!(error, ServerError::Unprotected { missing: "tokens and TLS", .. }));
    /// let error = builder().realm(realm).insecure(true).start().await.unwrap_err();
    /// assert!(matches!(error, ServerError::Listen { .. }));
    /// # Ok(())
    /// # }
    /// ```
    pub fn insecure(self, is_insecure: bool) -> Self {
        Self { is_insecure, ..self }
    }

    /// Sets the limits.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the holder's name in the store, for people to read.
    pub fn holder(self, holder: impl Into<String>) -> Self {
        Self { holder: Some(holder.into()), ..self }
    }

    /// Leases the nodes, and starts to serve.
    ///
    /// If a realm has no free node, or starts in the future, or its store is unreachable, it is
    /// served as soon as a node is leased, so the order in which server and store start does not
    /// matter. ([`await_realm`](Self::await_realm) is for realms that are read from such a store.)
    /// Until then, its requests wait for up to [`Limits::timeout`], or are refused if the
    /// wait is known to be longer, and `/readyz` returns 503.
    ///
    /// # Errors
    /// Returns a [`ServerError`] for options that contradict each other, addresses that are not
    /// free, files that cannot be used, and realms that the store refuses for good.
    pub async fn start(self) -> Result<Server, ServerError> {
        self.check()?;
        // Everything on this machine that can be wrong comes before the leases: a start that fails
        // because a port is taken must not have occupied a node, which others would then miss until
        // it is released.
        let files = SecretFiles { tokens: self.tokens.clone(), tls: self.tls.clone() };
        let (reloader, secrets) = match Reloader::new(files) {
            Ok(read) => read,
            Err(mut files) => return Err(files.remove(0)),
        };
        let access = Access::new(secrets.clients, self.limits.rate);
        let end = secrets.tls.as_ref().and_then(|configs| configs.end);
        let tls = secrets.tls.map(|configs| Arc::new(ReloadedTls::new(configs)));
        let sockets = self.bind().await?;
        let (realms, started) = self.lease().await;
        let shared = Arc::new(ServerState::new(realms, access, self.limits.clone()));
        shared.metrics.certificate_end.store(end.unwrap_or(0), Ordering::Relaxed);
        let tasks = TaskTracker::new();
        let reloader = Arc::new(reloader);
        let Self { store, adopts, holder, .. } = &self;
        let mut server = Server {
            shared,
            tls,
            reloader,
            tasks,
            resp: Vec::new(),
            http: Vec::new(),
            leasing: Leasing { store: store.clone(), adopts: *adopts, holder: holder.clone() },
        };
        // Some realms may have their leases already, so a failed start stops like a server does,
        // which releases their nodes.
        if let Err(error) = started {
            server.stop().await;
            return Err(error);
        }
        server.listen(sockets);
        Ok(server)
    }

    /// Starts the realms, and waits for the store's first answer to each. If one fails, the realms
    /// that were started before are returned with the error, so that they can be stopped.
    async fn lease(&self) -> (Realms, Result<(), ServerError>) {
        let mut realms = Realms::default();
        for (name, why) in &self.awaited {
            realms.add_awaited(name.clone(), why.clone());
        }
        let Self { store, adopts, .. } = self;
        // All are started before the first is waited for, so they acquire their leases at the same
        // time.
        for spec in &self.realms {
            let start = RealmStart { store, spec, holder: self.holder.as_deref(), adopts: *adopts };
            match RunningRealm::start(start) {
                Ok(realm) => realms.add(realm),
                Err(error) => return (realms, Err(error)),
            }
        }
        let mut started = Ok(());
        for realm in realms.iter() {
            if started.is_ok() {
                started = realm.check_start().await;
            }
        }
        (realms, started)
    }

    fn check(&self) -> Result<(), ServerError> {
        self.limits.check()?;
        let awaited = self.awaited.iter().map(|(name, _)| name);
        let mut all = self.realms.iter().map(RealmSpec::name).chain(awaited).peekable();
        if all.peek().is_none() {
            return Err(ServerError::NoRealm);
        }
        // Clients select a realm by its name alone, so the second would replace the first.
        let mut names = HashSet::new();
        if let Some(twice) = all.find(|name| !names.insert(name.as_str())) {
            return Err(ServerError::Twice(twice.clone()));
        }
        if self.resp.is_empty() && self.http.is_empty() && self.unix.is_empty() {
            return Err(ServerError::NoAddress);
        }
        // TLS without tokens lets anyone draw IDs, and tokens without TLS can be read on the way,
        // so an address beyond this machine needs both. A Unix socket is protected by the mode of
        // its file.
        let missing = match (&self.tokens, &self.tls) {
            (Some(_), Some(_)) => return Ok(()),
            (None, None) => "tokens and TLS",
            (None, Some(_)) => "tokens",
            (Some(_), None) => "TLS",
        };
        let mut addresses = self.resp.iter().chain(&self.http);
        match addresses.find(|address| !self.is_insecure && !address.ip().is_loopback()) {
            Some(&address) => Err(ServerError::Unprotected { address, missing }),
            None => Ok(()),
        }
    }

    async fn bind(&self) -> Result<Vec<(Protocol, Socket)>, ServerError> {
        let mut sockets = Vec::new();
        for &address in &self.resp {
            sockets.push((Protocol::Resp, Socket::tcp(address).await?));
        }
        for &address in &self.http {
            sockets.push((Protocol::Http, Socket::tcp(address).await?));
        }
        #[cfg(unix)]
        for (protocol, path) in &self.unix {
            sockets.push((*protocol, Socket::unix(path)?));
        }
        Ok(sockets)
    }
}

/// A running ID server.
///
/// [Stop](Self::stop) it at the end of the program, because a node that is not released stays taken
/// until its window ends.
///
/// # Examples
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use tickid_lease::{Realm, Store};
/// use tickid_server::Server;
/// use tickid_sno::Sno;
///
/// let realm = Realm::builder("orders", Sno).pool("0-65535/16").build()?;
/// let server = Server::builder(Store::in_memory())
///     .realm(realm)
///     .resp("127.0.0.1:0".parse()?)
///     .start()
///     .await?;
/// println!("redis-cli -p {} TICKID.NEXT orders", server.resp_addresses()[0].port());
///
/// let stopped = server.stop().await;
/// assert!(stopped.not_released.is_empty() && !stopped.cut_off);
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(example())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server {
    shared: Arc<ServerState>,
    tls: Option<Arc<ReloadedTls>>,
    reloader: Arc<Reloader>,
    tasks: TaskTracker,
    resp: Vec<SocketAddr>,
    http: Vec<SocketAddr>,
    leasing: Leasing,
}

/// How realms that start later lease their nodes.
#[derive(Debug)]
struct Leasing {
    store: Store,
    adopts: bool,
    holder: Option<String>,
}

impl Server {
    /// Returns a builder of a server whose nodes are leased from `store`.
    pub fn builder(store: Store) -> ServerBuilder {
        ServerBuilder {
            store,
            realms: Vec::new(),
            awaited: Vec::new(),
            adopts: false,
            resp: Vec::new(),
            http: Vec::new(),
            unix: Vec::new(),
            tokens: None,
            tls: None,
            is_insecure: false,
            limits: Limits::default(),
            holder: None,
        }
    }

    /// Returns the addresses for RESP, with the ports that the system has chosen.
    #[must_use]
    pub fn resp_addresses(&self) -> &[SocketAddr] {
        &self.resp
    }

    /// Returns the addresses for HTTP, with the ports that the system has chosen.
    #[must_use]
    pub fn http_addresses(&self) -> &[SocketAddr] {
        &self.http
    }

    /// Returns the realms that are not ready, each with the reason, as `/readyz` reports them. A
    /// realm is ready while its window lasts for at least a quarter of a term, so trouble with
    /// renewals shows here before requests fail.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::session::{Claim, Token};
    /// use tickid_lease::{Realm, Store};
    /// use tickid_server::Server;
    /// use tickid_sno::Sno;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// // Another holder has the only node.
    /// let store = Store::in_memory();
    /// let realm = Realm::builder("orders", Sno).pool("42/16").build()?;
    /// store.acquire(realm.spec(), &mut Claim::new(Token::random()?, "web-1", None)).await?;
    ///
    /// let builder = Server::builder(store).realm(realm).resp("127.0.0.1:0".parse()?);
    /// let server = builder.start().await?;
    /// let (name, reason) = server.not_ready().pop().ok_or("all realms are ready")?;
    /// assert_eq!(name.as_str(), "orders");
    /// assert!(reason.contains("no node is free"), "{reason}");
    /// server.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn not_ready(&self) -> Vec<(RealmName, String)> {
        let reason = |realm: &ServedRealm| {
            realm.check_ready().err().map(|reason| (realm.name().clone(), reason.text))
        };
        self.shared.realms.all().filter_map(reason).collect()
    }

    /// Starts a realm that was [awaited](ServerBuilder::await_realm), and serves it as
    /// [`ServerBuilder::start`] describes.
    ///
    /// # Errors
    /// Returns [`ServerError::NotAwaited`] for other realms and for those that run already, and
    /// otherwise the errors of `ServerBuilder::start` about realms.
    pub async fn start_realm(&self, realm: impl Into<RealmSpec>) -> Result<(), ServerError> {
        let Leasing { store, adopts, holder } = &self.leasing;
        let (spec, holder) = (&realm.into(), holder.as_deref());
        let not_awaited = || ServerError::NotAwaited(spec.name().clone());
        let realm =
            Arc::new(RunningRealm::start(RealmStart { store, spec, holder, adopts: *adopts })?);
        let started = match realm.check_start().await {
            Ok(()) => self.shared.realms.start(Arc::clone(&realm)).map_err(|_| not_awaited()),
            Err(error) => Err(error),
        };
        // A realm that is not served must not keep a node that others then miss.
        if started.is_err()
            && let Err(error) = realm.release().await
        {
            let reason = chain(&error);
            tracing::warn!(realm = %realm.name(), reason, "the node was not released");
        }
        started
    }

    /// Reads the files of tokens, certificates and keys again, for example after a certificate was
    /// renewed. Connections stay open, but a client whose token is gone must authenticate anew.
    ///
    /// Without a call, the server compares the contents of the files each minute, and does the same
    /// if they have changed. Pipes are read once, when the server starts.
    ///
    /// # Errors
    /// Returns a [`ReloadError`] with each file that cannot be used. Then nothing is taken, and the
    /// earlier contents of all files stay in use.
    pub fn reload(&self) -> Result<(), ReloadError> {
        self.reloader.reload(&self.shared, self.tls.as_deref())
    }

    /// Stops the server. It accepts no more connections, answers what has arrived within
    /// [`Limits::grace`], and releases the nodes, so that other servers can have them immediately.
    pub async fn stop(self) -> Stopped {
        let Self { shared, tls: _, reloader: _, tasks, resp: _, http: _, leasing: _ } = self;
        let mut stopped = Stopped::default();
        // Listeners and connections learn of the stop here. A tracker that is not closed would wait
        // for tasks that might still come.
        shared.stopping.cancel();
        tasks.close();
        let grace = shared.limits.grace;
        // After the grace period the connections are dropped wherever they are, so the second wait
        // is short.
        if tokio::time::timeout(grace, tasks.wait()).await.is_err() {
            // The connections that are not answering have sent all that they had to send.
            stopped.cut_off = !shared.answering.is_empty();
            shared.cut_off.cancel();
            tasks.wait().await;
        }
        // The nodes come last, because the requests that were still answered needed them. If one
        // cannot be released, the others are all the same; it becomes free when its window ends.
        for realm in shared.realms.iter() {
            if let Err(error) = realm.release().await {
                let reason = chain(&error);
                tracing::warn!(realm = %realm.name(), reason, "the node was not released");
                stopped.not_released.push((realm.name().clone(), error));
            }
        }
        stopped
    }

    fn listen(&mut self, sockets: Vec<(Protocol, Socket)>) {
        // All listeners share the places of connections, because `Limits::connections` is for the
        // whole server, as the limit of open files is.
        let service = http::Service::new(&self.shared);
        let slots = Arc::new(Slots::new(self.shared.limits.connections));
        for (protocol, socket) in sockets {
            // With port 0 the address is known only now, and Unix sockets have none.
            if let Some(address) = socket.address() {
                match protocol {
                    Protocol::Resp => self.resp.push(address),
                    Protocol::Http => self.http.push(address),
                }
            }
            let listener = Listener {
                socket,
                protocol,
                tls: self.tls.clone(),
                shared: Arc::clone(&self.shared),
                http: service.clone(),
                slots: Arc::clone(&slots),
                tasks: self.tasks.clone(),
            };
            self.tasks.spawn(listener.run());
        }
        let (reloader, shared) = (Arc::clone(&self.reloader), Arc::clone(&self.shared));
        self.tasks.spawn(reloader.watch(shared, self.tls.clone()));
    }
}
