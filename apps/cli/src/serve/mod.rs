//! `tickid serve`: the options of the ID server, and its start and end.

mod awaited;
#[cfg(target_os = "linux")]
mod files;
mod realm;

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use core::time::Duration;
use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::OsStr;
use clap::{Arg, Args, Command, ValueEnum};
use tickid_core::TickStart;
use tickid_lease::Store;
use tickid_lease::admin::RealmName;
use tickid_server::{Limits, Server, ServerBuilder, TlsFiles};
use tokio::runtime::Builder;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use self::awaited::WantedRealm;
use self::realm::ServedRealm;
use crate::failure::Failure;
use crate::message::say;
use crate::options::policy::GivenPolicy;
use crate::options::values::{duration, number};
use crate::store::StoreOptions;

/// The port for RESP.
const RESP_PORT: u16 = 6400;
/// The port for HTTP.
const HTTP_PORT: u16 = 6480;

#[derive(Debug, Args)]
#[command(mut_args = set_by_environment)]
#[command(after_help = "Examples:
  tickid serve --realm orders=sno
  tickid serve --realm orders --realm chat=nanoflake --store etcd://db:2379
  tickid serve --realm orders=snowflake:js-safe
  tickid serve --realm orders=nanoflake --policy orders=ratchet:500ms \\
    --start orders=random
  tickid serve --realm orders --http-unix /run/tickid/tickid.sock
  tickid serve --realm orders --http 0.0.0.0:443 --token-file tokens \\
    --tls-cert c.pem --tls-key k.pem
  redis-cli -p 6400 TICKID.NEXT orders 10
  curl 'http://127.0.0.1:6480/v1/realms/orders/ids?count=10'

A realm without a scheme must be in the store; one with a scheme is created if it is missing.
`tickid lease init` creates realms with other nodes, epochs and terms. SIGTERM and SIGINT stop the
server and release its nodes; SIGHUP makes it read its tokens and certificates again, as it does by
itself within a minute of a change. The log goes to standard error.

Each option can also be set by environment: TICKID_REALMS=orders=sno,chat, TICKID_MAX_COUNT=100,
TICKID_INSECURE=true. Lists have commas, and an empty value counts as none.")]
pub(crate) struct ServeArguments {
    /// Realm to serve, and its scheme if it may be created; repeat for more
    #[arg(long, value_name = "NAME[=SCHEME[:SETTINGS]]", required = true, value_delimiter = ',')]
    #[arg(value_parser = realm::parse)]
    realm: Vec<ServedRealm>,
    /// The policy of a realm: ratchet:DURATION, wait or tick-tock; repeat for more [default: the
    /// realm's]
    #[arg(long, value_name = "NAME=POLICY", value_delimiter = ',')]
    #[arg(value_parser = realm::parse_policy)]
    policy: Vec<(RealmName, GivenPolicy)>,
    /// The first sequence of a realm's ticks: lowest, or random, so that IDs issued one at a time
    /// spread over shards; repeat for more [default: the realm's]
    #[arg(long, value_name = "NAME=START", value_delimiter = ',')]
    #[arg(value_parser = realm::parse_start)]
    start: Vec<(RealmName, TickStart)>,
    #[command(flatten)]
    store: StoreOptions,
    /// Address for RESP; repeat for more [default: 127.0.0.1:6400, unless another is named]
    #[arg(long, value_name = "ADDRESS:PORT", value_delimiter = ',', value_parser = address)]
    listen: Vec<SocketAddr>,
    /// Address for HTTP; repeat for more [default: 127.0.0.1:6480, unless another is named]
    #[arg(long, value_name = "ADDRESS:PORT", value_delimiter = ',', value_parser = address)]
    http: Vec<SocketAddr>,
    /// Unix socket for RESP, for its owner and group
    #[arg(long, value_name = "PATH")]
    #[cfg(unix)]
    unix: Option<PathBuf>,
    /// Unix socket for HTTP, for its owner and group
    #[arg(long, value_name = "PATH")]
    #[cfg(unix)]
    http_unix: Option<PathBuf>,
    /// File of the tokens that clients need one of: a line each, after an optional name
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Certificate and its issuers, in PEM: encrypts connections by TCP
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Authorities, in PEM, that issue the certificates of clients, which then need one
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// Listen on addresses that other machines reach without tokens or TLS
    #[arg(long)]
    insecure: bool,
    #[command(flatten)]
    limits: LimitOptions,
    /// The holder's name in the store, for people to read [default: this host and process]
    #[arg(long, value_name = "TEXT")]
    holder: Option<String>,
    /// The number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = |text: &str| number::<usize>("number of threads", 1..=1_024, text))]
    threads: Option<usize>,
    /// The form of the log
    #[arg(long, value_enum, default_value_t = LogForm::Text)]
    log: LogForm,
    /// The least level of what is logged; debug has a line for each HTTP request
    #[arg(long, value_enum, default_value_t = LogLevel::Info)]
    log_level: LogLevel,
}

#[derive(Debug, Args)]
struct LimitOptions {
    /// Most open connections; fewer where the system permits fewer open files
    #[arg(long, value_name = "N", default_value_t = Limits::default().connections)]
    max_connections: u32,
    /// Most IDs of one request
    #[arg(long, value_name = "N", default_value_t = Limits::default().count)]
    max_count: u32,
    /// Most bytes of one request; path and headers of HTTP have at most 16384 of them
    #[arg(long, value_name = "N", default_value_t = Limits::default().request_bytes)]
    max_request_bytes: u32,
    /// Longest time to receive a request, also the first of a connection, to wait for its IDs, and
    /// to send them, each
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5s")]
    timeout: Duration,
    /// Time after which a connection without another request is closed
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10m")]
    idle_timeout: Duration,
    /// Most IDs per second for each token [default: any number]
    #[arg(long, value_name = "N")]
    rate: Option<u64>,
    /// Time for running requests when the server stops
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5s")]
    grace: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogForm {
    /// A line for people
    Text,
    /// A JSON object per line
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

/// Parses an address to listen on. Names are not looked up: one may have several addresses.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| {
        "an address is an IP address and a port: 127.0.0.1:6400, [::1]:6400, or 0.0.0.0:6400 for \
         all of IPv4"
    })
}

/// Lets the environment set an option: `--max-count` is also `TICKID_MAX_COUNT`.
fn set_by_environment(option: Arg) -> Arg {
    // The store's variable is the same for all subcommands, and read when the store is opened.
    if option.get_id() == "store" {
        return option;
    }
    let name = variable(option.get_id().as_str());
    // Each option leaks its name once, for the life of the process.
    option.env(OsStr::from(&*name.leak())).hide_env_values(true)
}

/// Returns the environment variable of an option.
fn variable(id: &str) -> String {
    match id {
        // Other subcommands have one realm, and call it TICKID_REALM.
        "realm" => "TICKID_REALMS".to_owned(),
        id => format!("{PREFIX}{}", id.to_ascii_uppercase()),
    }
}

const PREFIX: &str = "TICKID_";

/// Warns of variables whose names are near an option's, as they have no effect.
fn warn_of_misspelt_variables() {
    let command = ServeArguments::augment_args(Command::new("serve"));
    let options: Vec<String> =
        command.get_arguments().map(|it| variable(it.get_id().as_str())).collect();
    // Names of realms are in lower case, and know which of others is nearest.
    let name = |variable: &str| -> Option<RealmName> {
        variable.strip_prefix(PREFIX)?.to_ascii_lowercase().parse().ok()
    };
    let names = || options.iter().filter_map(|option| name(option));
    for (variable, _) in env::vars_os() {
        let Some(given) = variable.to_str().and_then(name) else { continue };
        // The one of other subcommands is meant for them.
        if given.as_str() == "realm" || names().any(|known| known == given) {
            continue;
        }
        if let Some(nearest) = given.nearest(names()) {
            let nearest = format!("{PREFIX}{}", nearest.as_str().to_ascii_uppercase());
            tracing::warn!(variable = %variable.display(), nearest, "the variable has no effect");
        }
    }
}

/// Runs the server until a signal stops it. `verbose` is the number of `-v`.
pub(crate) fn run(arguments: &ServeArguments, verbose: u8) -> Result<ExitCode, Failure> {
    start_log(arguments, verbose);
    warn_of_misspelt_variables();
    // The limit of open files is raised before the store is opened, which takes files itself.
    let limits = arguments.limits.limits();
    #[cfg(target_os = "linux")]
    let limits = files::fit(limits, arguments.realm.len())?;
    let store = arguments.store.open()?;
    if let Some(doubt) = store.inner().doubt() {
        tracing::warn!("{doubt}");
    }
    let mut builder = Server::builder(store.clone()).adopt().limits(limits);
    // Before any realm is created, as a misspelt name must not leave behind a realm without its
    // policy.
    arguments.check_named("policy", &arguments.policy)?;
    arguments.check_named("start", &arguments.start)?;
    let wanted = arguments.realm.iter().map(|realm| WantedRealm {
        realm: realm.clone(),
        policy: value_of(realm.name(), &arguments.policy),
        start: value_of(realm.name(), &arguments.start),
    });
    let (known, awaited) = awaited::read(&store, wanted.collect())?;
    builder = known.into_iter().fold(builder, ServerBuilder::realm);
    for (wanted, why) in &awaited {
        builder = builder.await_realm(wanted.realm.name().clone(), why);
    }
    let builder = arguments.options(builder);
    let mut runtime = Builder::new_multi_thread();
    if let Some(threads) = arguments.threads {
        runtime.worker_threads(threads);
    }
    let runtime = runtime.enable_all().thread_name("tickid-serve").build();
    runtime.map_err(Failure::Runtime)?.block_on(serve(builder, arguments, store, awaited))
}

impl LimitOptions {
    fn limits(&self) -> Limits {
        let &Self {
            max_connections,
            max_count,
            max_request_bytes,
            timeout,
            idle_timeout,
            rate,
            grace,
        } = self;
        Limits {
            connections: max_connections,
            count: max_count,
            request_bytes: max_request_bytes,
            timeout,
            idle: idle_timeout,
            rate,
            grace,
        }
    }
}

/// Returns the value that an option has for a realm.
fn value_of<T: Copy>(realm: &RealmName, values: &[(RealmName, T)]) -> Option<T> {
    values.iter().find(|(name, _)| name == realm).map(|(_, value)| *value)
}

impl ServeArguments {
    /// Checks that an option has one value for a realm, and that the realm is served.
    fn check_named<T>(&self, option: &str, values: &[(RealmName, T)]) -> Result<(), Failure> {
        for (index, (name, _)) in values.iter().enumerate() {
            if !self.realm.iter().any(|realm| realm.name() == name) {
                let reason = format!("--{option} {name}: no --realm {name} is served");
                return Err(Failure::Usage(reason));
            }
            if values[..index].iter().any(|(other, _)| other == name) {
                let reason = format!("--{option} {name}: the realm is named twice");
                return Err(Failure::Usage(reason));
            }
        }
        Ok(())
    }

    fn options(&self, mut builder: ServerBuilder) -> ServerBuilder {
        builder = builder.insecure(self.insecure);
        // Without an address, the server listens on this machine only.
        let is_any_named = !self.listen.is_empty() || !self.http.is_empty();
        #[cfg(unix)]
        let is_any_named = is_any_named || self.unix.is_some() || self.http_unix.is_some();
        if !is_any_named {
            let local = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
            builder = builder.resp(local(RESP_PORT)).http(local(HTTP_PORT));
        }
        builder = self.listen.iter().fold(builder, |builder, &address| builder.resp(address));
        builder = self.http.iter().fold(builder, |builder, &address| builder.http(address));
        #[cfg(unix)]
        if let Some(path) = &self.unix {
            builder = builder.unix(path);
        }
        #[cfg(unix)]
        if let Some(path) = &self.http_unix {
            builder = builder.http_unix(path);
        }
        if let Some(path) = &self.token_file {
            builder = builder.tokens(path);
        }
        // clap has refused one without the other.
        if let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) {
            builder = builder.tls(TlsFiles {
                certificate: certificate.clone(),
                key: key.clone(),
                client_authorities: self.client_ca.clone(),
            });
        }
        if let Some(holder) = &self.holder {
            builder = builder.holder(holder);
        }
        builder
    }
}

fn start_log(arguments: &ServeArguments, verbose: u8) {
    let level = match (verbose, arguments.log_level) {
        (0, LogLevel::Error) => LevelFilter::ERROR,
        (0, LogLevel::Warn) => LevelFilter::WARN,
        (0, LogLevel::Info) => LevelFilter::INFO,
        (0, LogLevel::Debug) | (1, _) => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    // Events of libraries are off, since clients can cause them without a token, at any rate;
    // $RUST_LOG or a second -v turns them on.
    let mut targets = Targets::new().with_target("tickid", level);
    if verbose > 1 {
        targets = targets.with_default(LevelFilter::TRACE);
    }
    if let Ok(directives) = env::var(crate::verbose::VARIABLE) {
        match directives.parse::<Targets>() {
            Ok(others) => targets.extend(others),
            Err(error) => say(&format!("$RUST_LOG is ignored: {error}")),
        }
    }
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let log = match arguments.log {
        LogForm::Text => log.boxed(),
        LogForm::Json => log.json().flatten_event(true).boxed(),
    };
    // The process has no other log, since the command is all of it.
    tracing_subscriber::registry().with(log.with_filter(targets)).init();
}

#[cfg_attr(not(unix), expect(unused_variables, reason = "there are no Unix sockets"))]
async fn serve(
    builder: ServerBuilder,
    arguments: &ServeArguments,
    store: Store,
    awaited: Vec<(WantedRealm, String)>,
) -> Result<ExitCode, Failure> {
    // Before anything is leased, so that no signal is missed.
    let mut signals = Signals::new()?;
    let server = builder.start().await?;
    // These are the addresses that were bound, with the port that the system chose where the option
    // has port 0.
    for address in server.resp_addresses() {
        tracing::info!(protocol = "resp", %address, "listening");
    }
    for address in server.http_addresses() {
        tracing::info!(protocol = "http", %address, "listening");
    }
    #[cfg(unix)]
    for (protocol, path) in [("resp", &arguments.unix), ("http", &arguments.http_unix)] {
        if let Some(path) = path {
            tracing::info!(protocol, path = %path.display(), "listening");
        }
    }
    // Such a realm is served once its node is leased, so the start has not failed, for example
    // while a killed server's node is not free yet.
    for (realm, reason) in server.not_ready() {
        tracing::warn!(%realm, reason, "the realm has no IDs yet");
    }
    let mut found = match awaited.is_empty() {
        true => None,
        false => Some(awaited::keep_reading(store, awaited)?),
    };
    let ended = loop {
        let next = async {
            match &mut found {
                Some(found) => found.recv().await,
                None => core::future::pending().await,
            }
        };
        tokio::select! {
            signal = signals.next() => match signal {
                Signal::Stop => break Ok(()),
                Signal::Reload => reload(&server),
            },
            next = next => match next {
                Some(realm) => {
                    if let Err(failure) = start_awaited(&server, realm).await {
                        break Err(failure);
                    }
                }
                // All realms are served.
                None => found = None,
            },
        }
    };
    tracing::info!("stopping");
    let stopped = server.stop().await;
    if stopped.cut_off {
        tracing::warn!("requests were cut off");
    }
    // The server has logged each node that was not released, with the reason. They do not fail the
    // command, because they become free when their windows end.
    if stopped.not_released.is_empty() {
        tracing::info!("the nodes are released");
    }
    ended.map(|()| ExitCode::SUCCESS)
}

/// Reads the files again. A reload that fails changes nothing, so the server goes on with what it
/// has.
fn reload(server: &Server) {
    match server.reload() {
        Ok(()) => tracing::info!("the files were read again"),
        Err(error) => {
            let count = error.files.len();
            for error in error.files {
                let error = Failure::from(error).to_string();
                tracing::error!(error, "a file was not read again");
            }
            tracing::error!(count, "what was read before stays in use");
        }
    }
}

/// Starts a realm that the store has shown by now.
async fn start_awaited(server: &Server, realm: awaited::Found) -> Result<(), Failure> {
    let spec = realm?;
    let name = spec.name().clone();
    server.start_realm(spec).await?;
    tracing::info!(realm = %name, "the store is ready, and the realm is served");
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    Reload,
    Stop,
}

#[cfg(unix)]
struct Signals {
    hangup: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};

        let signal = |kind| signal(kind).map_err(Failure::Runtime);
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.hangup.recv() => Signal::Reload,
            _ = self.interrupt.recv() => Signal::Stop,
            _ = self.terminate.recv() => Signal::Stop,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    async fn next(&mut self) -> Signal {
        // Without a handler the process ends by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            core::future::pending::<()>().await;
        }
        Signal::Stop
    }
}
