use core::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tickid_lease::{RealmName, RealmSpec, Store};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::access::Access;
use crate::error::{ServerError, Stopped, chain};
use crate::http;
use crate::limits::Limits;
use crate::listener::{Listener, Socket};
use crate::metrics::Protocol;
use crate::realm::{Realm, Realms};
use crate::shared::Shared;
use crate::tls::{Tls, TlsFiles};

/// The options of a [`Server`].
///
/// | option | default |
/// |---|---|
/// | [`realm`](Self::realm) | none; one is needed |
/// | [`resp`](Self::resp), [`http`](Self::http), [`unix`](Self::unix) | none; one is needed |
/// | [`tokens`](Self::tokens), [`tls`](Self::tls) | none; both are needed beyond this machine |
/// | [`limits`](Self::limits) | [`Limits::default`] |
/// | [`holder`](Self::holder) | this host or pod, program and process ID |
#[derive(Debug)]
#[must_use]
pub struct ServerBuilder {
    store: Store,
    realms: Vec<RealmSpec>,
    resp: Vec<SocketAddr>,
    http: Vec<SocketAddr>,
    unix: Option<PathBuf>,
    tokens: Option<PathBuf>,
    tls: Option<TlsFiles>,
    is_insecure: bool,
    limits: Limits,
    holder: Option<String>,
}

impl ServerBuilder {
    /// Adds a realm. If the store does not have it, it begins; on a server that may take a while,
    /// as [`Store::begin`] says.
    pub fn realm(mut self, realm: RealmSpec) -> Self {
        self.realms.push(realm);
        self
    }

    /// Adds an address for RESP; with port 0 the system chooses one.
    pub fn resp(mut self, address: SocketAddr) -> Self {
        self.resp.push(address);
        self
    }

    /// Adds an address for HTTP; with port 0 the system chooses one.
    pub fn http(mut self, address: SocketAddr) -> Self {
        self.http.push(address);
        self
    }

    /// Sets the path of a Unix socket for RESP. It is created for its owner and its group (mode
    /// 0660), and replaces a socket that no server listens on.
    #[cfg(unix)]
    pub fn unix(self, path: impl Into<PathBuf>) -> Self {
        Self { unix: Some(path.into()), ..self }
    }

    /// Sets the file of tokens, of which clients must have one: a line each, after an optional name
    /// and a space. Lines that begin with `#` are comments.
    pub fn tokens(self, path: impl Into<PathBuf>) -> Self {
        Self { tokens: Some(path.into()), ..self }
    }

    /// Encrypts connections by TCP.
    pub fn tls(self, files: TlsFiles) -> Self {
        Self { tls: Some(files), ..self }
    }

    /// Permits addresses that other machines reach without tokens or TLS.
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

    /// Leases the nodes, and begins to serve.
    ///
    /// If a realm has no free node, or begins in the future, or its store is unreachable, it is
    /// served as soon as a node is leased. Until then requests wait, and `/readyz` returns 503.
    ///
    /// # Errors
    /// Returns a [`ServerError`] for options that contradict each other, addresses that are not
    /// free, files that cannot be used, and realms that the store refuses for good.
    pub async fn start(self) -> Result<Server, ServerError> {
        self.check()?;
        let mut realms = Realms::default();
        for spec in &self.realms {
            let name = spec.name().clone();
            let realm = Realm::new(spec.clone());
            realms.add(realm.map_err(|source| ServerError::Realm { realm: name, source })?)?;
        }
        let access = Access::new(self.tokens.clone(), self.limits.rate)?;
        let tls = self.tls.clone().map(Tls::new).transpose()?.map(Arc::new);
        let sockets = self.bind().await?;
        let shared = Arc::new(Shared::new(realms, access, self.limits.clone()));
        let tasks = TaskTracker::new();
        let mut server = Server { shared, tls, tasks, resp: Vec::new(), http: Vec::new() };
        if let Err(error) = server.lease(&self).await {
            server.stop().await;
            return Err(error);
        }
        server.listen(sockets);
        Ok(server)
    }

    fn check(&self) -> Result<(), ServerError> {
        self.limits.check()?;
        if self.realms.is_empty() {
            return Err(ServerError::NoRealm);
        }
        if self.resp.is_empty() && self.http.is_empty() && self.unix.is_none() {
            return Err(ServerError::NoAddress);
        }
        let missing = match (&self.tokens, &self.tls) {
            (Some(_), Some(_)) => return Ok(()),
            (None, None) => "tokens and TLS",
            (None, Some(_)) => "tokens",
            (Some(_), None) => "TLS",
        };
        let mut addresses = self.resp.iter().chain(&self.http);
        match addresses.find(|address| !self.is_insecure && !address.ip().is_loopback()) {
            Some(&address) => Err(ServerError::Exposed { address, missing }),
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
        if let Some(path) = &self.unix {
            sockets.push((Protocol::Resp, Socket::unix(path)?));
        }
        Ok(sockets)
    }
}

/// A running ID server.
///
/// # Examples
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use tickid_lease::{RealmSpec, Store};
/// use tickid_server::Server;
/// use tickid_sno::Sno;
///
/// let realm = RealmSpec::new("orders".parse()?, &Sno, "0-65535/16".parse()?)?;
/// let server = Server::builder(Store::in_memory())
///     .realm(realm)
///     .resp("127.0.0.1:0".parse()?)
///     .start()
///     .await?;
/// println!("redis-cli -p {} TICKID.NEXT orders", server.resp_addresses()[0].port());
///
/// let stopped = server.stop().await;
/// assert!(stopped.not_released.is_empty());
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(example())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    tls: Option<Arc<Tls>>,
    tasks: TaskTracker,
    resp: Vec<SocketAddr>,
    http: Vec<SocketAddr>,
}

impl Server {
    /// Returns a builder of a server whose nodes are leased from `store`.
    pub fn builder(store: Store) -> ServerBuilder {
        ServerBuilder {
            store,
            realms: Vec::new(),
            resp: Vec::new(),
            http: Vec::new(),
            unix: None,
            tokens: None,
            tls: None,
            is_insecure: false,
            limits: Limits::default(),
            holder: None,
        }
    }

    /// Returns the addresses for RESP.
    #[must_use]
    pub fn resp_addresses(&self) -> &[SocketAddr] {
        &self.resp
    }

    /// Returns the addresses for HTTP.
    #[must_use]
    pub fn http_addresses(&self) -> &[SocketAddr] {
        &self.http
    }

    /// Returns the names of the realms that cannot issue IDs now, each with the reason.
    #[must_use]
    pub fn not_ready(&self) -> Vec<(RealmName, String)> {
        let realms = self.shared.realms.sorted();
        let reason = |realm: &&Arc<Realm>| {
            realm.check_ready().err().map(|reason| (realm.name().clone(), reason))
        };
        realms.iter().filter_map(reason).collect()
    }

    /// Reads the files of tokens, certificates and keys again. Connections stay; clients whose
    /// token is gone must authenticate anew.
    ///
    /// # Errors
    /// Returns a [`ServerError`] if one cannot be used. Its earlier contents stay in use.
    pub fn reload(&self) -> Result<(), ServerError> {
        let tokens = self.shared.access.reload();
        let tls = self.tls.as_ref().map_or(Ok(()), |tls| tls.reload());
        tokens.and(tls)
    }

    /// Stops the server: accepts no more connections, answers what has arrived, and releases the
    /// nodes.
    pub async fn stop(self) -> Stopped {
        let Self { shared, tls: _, tasks, .. } = self;
        let mut stopped = Stopped::default();
        shared.stopping.cancel();
        tasks.close();
        let grace = shared.limits.grace;
        if tokio::time::timeout(grace, tasks.wait()).await.is_err() {
            stopped.cut_off = true;
            shared.cut_off.cancel();
            tasks.wait().await;
        }
        for realm in shared.realms.sorted() {
            if let Err(error) = realm.release().await {
                let reason = chain(&error);
                tracing::warn!(realm = %realm.name(), reason, "the node was not released");
                stopped.not_released.push((realm.name().clone(), error));
            }
        }
        stopped
    }

    /// Acquires the first leases. Those for which that takes a while go on in the background.
    async fn lease(&self, builder: &ServerBuilder) -> Result<(), ServerError> {
        let ServerBuilder { store, holder, .. } = builder;
        for realm in self.shared.realms.sorted() {
            if realm.start(store, holder.as_deref()).await? {
                continue;
            }
            let (realm, store, holder) = (Arc::clone(realm), store.clone(), holder.clone());
            let stopping = self.shared.stopping.clone();
            self.tasks.spawn(async move {
                let starting = realm.keep_starting(&store, holder.as_deref());
                stopping.run_until_cancelled(starting).await
            });
        }
        Ok(())
    }

    fn listen(&mut self, sockets: Vec<(Protocol, Socket)>) {
        let service = http::Service::new(&self.shared);
        let slots = Arc::new(Semaphore::new(self.shared.limits.connections as usize));
        for (protocol, socket) in sockets {
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
    }
}
