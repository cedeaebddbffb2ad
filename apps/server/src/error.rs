//! The errors of the server.

use core::net::SocketAddr;
use std::io;
use std::path::PathBuf;

use tickid_lease::admin::{Mismatch, RealmName};
use tickid_lease::{LeaseError, StoreError};

/// The reason that a server did not start, or did not read a file again.
///
/// # Examples
/// ```
/// use tickid_lease::Store;
/// use tickid_server::{Server, ServerError};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// match Server::builder(Store::in_memory()).start().await {
///     Err(ServerError::NoRealm) => println!("add a realm"),
///     started => panic!("{started:?}"),
/// }
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// No realm was given to serve.
    #[error("there is no realm to serve")]
    NoRealm,
    /// A realm was added twice. Clients select a realm by its name, so the second would replace the
    /// first.
    #[error("the realm {0} is named twice")]
    Twice(RealmName),
    /// No realm of this name is [awaited](crate::ServerBuilder::await_realm).
    #[error("the realm {0} is not awaited")]
    NotAwaited(RealmName),
    /// No address was given to listen on.
    #[error("there is no address to listen on")]
    NoAddress,
    /// An address can be reached from other machines, and something that protects it is missing.
    #[error(
        "{address} can be reached from other machines: that takes {missing}, or an explicit \
             permission to be insecure"
    )]
    Unprotected {
        /// The address.
        address: SocketAddr,
        /// The parts that are missing, which are tokens, TLS or both.
        missing: &'static str,
    },
    /// An address could not be bound.
    #[error("could not listen on {address}")]
    Listen {
        /// The address, or the path of a Unix socket.
        address: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// A server listens on the Unix socket already, or its path names something other than a
    /// socket.
    #[error("the path {path:?} of the Unix socket is in use: {reason}")]
    InUse {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: &'static str,
    },
    /// A file could not be read.
    #[error("could not read {path:?}")]
    Read {
        /// The path.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A file of tokens is malformed.
    #[error("{path:?}, line {line}: {reason}")]
    Tokens {
        /// The path.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The reason. It does not contain the token, so it can be logged.
        reason: String,
    },
    /// A certificate or a key cannot be used.
    #[error("{path:?}: {reason}")]
    Certificate {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A limit is out of its range.
    #[error("the limit {limit} is {value}, outside of {min}..={max}")]
    Limit {
        /// The name of the limit.
        limit: &'static str,
        /// The value.
        value: u64,
        /// The lowest value.
        min: u64,
        /// The highest value.
        max: u64,
    },
    /// A realm of the store cannot be served.
    #[error("the realm {realm}")]
    Realm {
        /// The realm.
        realm: RealmName,
        /// The reason.
        source: RealmProblem,
    },
    /// No node could be leased, and waiting does not help.
    #[error("no node of the realm {realm} could be leased")]
    Lease {
        /// The realm.
        realm: RealmName,
        /// The reason.
        source: LeaseError,
    },
}

/// The files that a server could not read again, each with the reason.
///
/// # Examples
/// ```
/// use tickid_lease::{Realm, Store};
/// use tickid_server::Server;
/// use tickid_sno::Sno;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let tokens = folder.path().join("tokens");
/// std::fs::write(&tokens, "shop 9b1c0c4f2c8e4f0d\n")?;
/// let realm = Realm::builder("orders", Sno).pool("0-65535/16").build()?;
/// let builder = Server::builder(Store::in_memory()).realm(realm).tokens(&tokens);
/// let server = builder.resp("127.0.0.1:0".parse()?).start().await?;
///
/// std::fs::write(&tokens, "shop 9b1c0c4f2c8e4f0d\nwarehouse 41d2a5f07f6c4b8e\n")?;
/// server.reload()?;
/// std::fs::write(&tokens, "shop short\n")?; // refused; the earlier tokens stay in use
/// assert_eq!(server.reload().unwrap_err().files.len(), 1);
/// server.stop().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{}", .files.iter().map(|file| chain(file)).collect::<Vec<_>>().join("; "))]
pub struct ReloadError {
    /// The reasons, one for each file. There is at least one.
    pub files: Vec<ServerError>,
}

/// The reason that a realm of a store cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RealmProblem {
    /// The scheme is unknown to this version.
    #[error("is of the scheme {0:?}, which this server does not have")]
    Scheme(String),
    /// The settings are unknown to this version.
    #[error("has the settings {0:?}, which this server does not have")]
    Settings(String),
    /// The realm's properties differ from those that its scheme has in this version.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
}

/// The result of stopping a server. A node that was not released is free when its window ends, so
/// nothing has to be done about it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Stopped {
    /// The realms whose nodes were not released, and the reasons.
    pub not_released: Vec<(RealmName, StoreError)>,
    /// Set if requests were still running after the grace period, and were cut off.
    pub cut_off: bool,
}

/// Returns an error with everything that caused it.
pub(crate) fn chain(error: &dyn core::error::Error) -> String {
    let causes = core::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
