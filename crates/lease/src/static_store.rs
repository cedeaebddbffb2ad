//! Nodes that are given from outside.

use core::fmt;
use core::net::{IpAddr, Ipv4Addr};
use core::str::FromStr;
use std::env;
use std::io;
use std::net::UdpSocket;
use std::path::PathBuf;

use tickid_core::RangeError;

use crate::error::{StoreError, StoreErrorKind};
use crate::file::FileStore;
use crate::memory::MemoryStore;
use crate::node::{Node, NodeTextError, number};
use crate::pool::NodePool;
use crate::realm::{Realm, RealmName};
use crate::record::{Claim, Hold, Row};
use crate::store::{Answer, Grant, Listing, Store};

const BACKEND: &str = "static";

/// Where a node comes from that no store gives out.
///
/// | text | the node is |
/// |---|---|
/// | `42/8` | 42 in 8 bits |
/// | `env:NODE/10` | the number that the environment variable `NODE` holds, in 10 bits |
/// | `hostname/10` | the number at the end of the host's name (`web-12`), in 10 bits: the ordinal of a pod of a Kubernetes StatefulSet |
/// | `address/16` | the low 16 bits of this machine's private IPv4 address |
///
/// That no two processes get the same is up to whoever gives out numbers, names and addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeSource {
    /// This node.
    Fixed(Node),
    /// A number in the environment.
    Environment {
        /// The variable.
        variable: String,
        /// How many bits the node has.
        bits: u32,
    },
    /// The number at the end of the host's name.
    HostName {
        /// How many bits the node has.
        bits: u32,
    },
    /// The low bits of the private IPv4 address.
    Address {
        /// How many bits the node has.
        bits: u32,
    },
}

/// Why there is no node.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NodeSourceError {
    /// The text names no source.
    #[error(
        "{0:?} says no node: that is VALUE/BITS, env:VARIABLE/BITS, hostname/BITS or address/BITS"
    )]
    Form(String),
    /// The environment variable holds no number.
    #[error("the environment variable {variable} holds no number but {value:?}")]
    Environment {
        /// The variable.
        variable: String,
        /// What it holds; `None` when it is not set.
        value: Option<String>,
    },
    /// The host's name does not end in a number.
    #[error("the host's name {0:?} does not end in a hyphen and a number")]
    HostName(String),
    /// The address is not one of a private network, where low bits tell machines apart.
    #[error("the address {0} is not one of a private IPv4 network")]
    Address(IpAddr),
    /// The address or the name can't be told.
    #[error("could not tell {what}")]
    Unknown {
        /// What.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// The number has no place in so many bits.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// The node is none.
    #[error(transparent)]
    Node(#[from] NodeTextError),
}

impl FromStr for NodeSource {
    type Err = NodeSourceError;

    fn from_str(text: &str) -> Result<Self, NodeSourceError> {
        let form = || NodeSourceError::Form(text.to_owned());
        let (source, bits) = text.rsplit_once('/').ok_or_else(form)?;
        if source.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self::Fixed(text.parse()?));
        }
        let bits = number(bits).ok_or_else(form)?;
        match source.strip_prefix("env:") {
            Some("") => Err(form()),
            Some(variable) => Ok(Self::Environment { variable: variable.to_owned(), bits }),
            None if source == "hostname" => Ok(Self::HostName { bits }),
            None if source == "address" => Ok(Self::Address { bits }),
            None => Err(form()),
        }
    }
}

impl NodeSource {
    /// The node, as things are now.
    ///
    /// # Errors
    /// [`NodeSourceError`].
    pub fn node(&self) -> Result<Node, NodeSourceError> {
        match self {
            Self::Fixed(node) => Ok(*node),
            Self::Environment { variable, bits } => {
                let value = env::var_os(variable).map(|value| value.to_string_lossy().into_owned());
                match value.as_deref().and_then(number) {
                    Some(value) => Ok(Node::new(*bits, value)?),
                    None => Err(NodeSourceError::Environment { variable: variable.clone(), value }),
                }
            }
            Self::HostName { bits } => {
                let name = host_name()?;
                let ordinal = ordinal(&name).ok_or(NodeSourceError::HostName(name))?;
                Ok(Node::new(*bits, ordinal)?)
            }
            Self::Address { bits } => low_bits(local_address()?, *bits),
        }
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it may not be told")]
fn host_name() -> Result<String, NodeSourceError> {
    Ok(rustix::system::uname().nodename().to_string_lossy().into_owned())
}

#[cfg(not(unix))]
fn host_name() -> Result<String, NodeSourceError> {
    env::var("COMPUTERNAME").map_err(|error| NodeSourceError::Unknown {
        what: "the host's name",
        source: io::Error::new(io::ErrorKind::NotFound, error),
    })
}

/// The number at the end of a name, after a hyphen; of the first part of a name with dots.
fn ordinal(name: &str) -> Option<u64> {
    let (first, _) = name.split_once('.').unwrap_or((name, ""));
    let (_, digits) = first.rsplit_once('-')?;
    number(digits)
}

/// The address by which this machine would reach others. Nothing is sent.
fn local_address() -> Result<IpAddr, NodeSourceError> {
    // An address for documentation, which is nobody's.
    let elsewhere = (Ipv4Addr::new(192, 0, 2, 1), 9);
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0));
    let address = socket.and_then(|socket| {
        socket.connect(elsewhere)?;
        socket.local_addr()
    });
    let what = "this machine's address";
    address.map(|address| address.ip()).map_err(|source| NodeSourceError::Unknown { what, source })
}

fn low_bits(address: IpAddr, bits: u32) -> Result<Node, NodeSourceError> {
    match address {
        IpAddr::V4(v4) if v4.is_private() => {
            if bits > u32::BITS {
                return Err(RangeError::new("address bits", bits.into(), 0, 32).into());
            }
            let mask = (1_u64 << bits) - 1;
            Ok(Node::new(bits, u64::from(v4.to_bits()) & mask)?)
        }
        _ => Err(NodeSourceError::Address(address)),
    }
}

/// The store of a node that is given from outside: there is nobody to ask, and nobody else gets it, if
/// those who give out nodes see to that.
///
/// With a folder, the node's window is kept there as a [`FileStore`] keeps it, so that a clock that steps
/// back across a restart does no harm, nor do two processes that are given the same node on one machine.
/// **Without one it is kept in memory**, for the generators that share this value one after the other, and
/// forgotten with it.
///
/// # Examples
/// ```
/// use tickid_lease::{KeeperBuilder, Realm, StaticStore};
/// use tickid_scru64::Scru64;
///
/// let store = StaticStore::new("42/8".parse()?);
/// let realm = Realm::new("orders".parse()?, &Scru64, "0-255/8".parse()?)?;
/// let keeper = KeeperBuilder::new(store, realm).start(|lease| lease.builder(&Scru64))?;
/// assert_eq!(keeper.tenure().unwrap().lease().node().to_string(), "42/8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StaticStore {
    node: Node,
    /// Keeps, for each realm, one of this node alone.
    windows: Box<dyn Store>,
}

impl StaticStore {
    /// The store of this node, its window kept in memory.
    #[must_use]
    pub fn new(node: Node) -> Self {
        Self { node, windows: Box::new(MemoryStore::in_memory()) }
    }

    /// The same with its window kept in a folder.
    ///
    /// # Errors
    /// As [`FileStore::open`].
    pub fn with_folder(self, folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Ok(Self { windows: Box::new(FileStore::open(folder)?), ..self })
    }

    /// The same, for leases that outlive the process which asks for them
    /// (as [`FileStore::without_proof_of_death`]).
    pub(crate) fn with_folder_for_others(
        self,
        folder: impl Into<PathBuf>,
    ) -> Result<Self, StoreError> {
        let windows = FileStore::open(folder)?.without_proof_of_death();
        Ok(Self { windows: Box::new(windows), ..self })
    }

    /// The node.
    #[must_use]
    pub const fn node(&self) -> Node {
        self.node
    }

    /// What the realm of this node alone is called.
    fn name(&self, realm: &RealmName) -> Result<RealmName, StoreError> {
        let name = format!("{realm}-{}-{}", self.node.value(), self.node.bits());
        name.parse().map_err(|error| {
            let what = "name the realm of one node".to_owned();
            StoreError::new(BACKEND, StoreErrorKind::Failed { what }).with_source(error)
        })
    }

    /// The realm of this node alone.
    fn own(&self, realm: &Realm) -> Result<Realm, StoreError> {
        if !realm.pool().contains(self.node) {
            let why = format!("its node {} is not in the pool {}", self.node, realm.pool());
            return Err(StoreError::new(BACKEND, StoreErrorKind::Unfit { why }));
        }
        let name = self.name(realm.name())?;
        Ok(Realm { name, pool: NodePool::of(self.node), ..realm.clone() })
    }
}

impl Store for StaticStore {
    fn backend(&self) -> &'static str {
        BACKEND
    }

    fn begin<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
        Box::pin(async move { self.windows.begin(&self.own(realm)?).await })
    }

    fn acquire<'a>(&'a self, realm: &'a Realm, claim: &'a Claim) -> Answer<'a, Grant> {
        Box::pin(async move { self.windows.acquire(&self.own(realm)?, claim).await })
    }

    fn renew<'a>(&'a self, realm: &'a RealmName, hold: &'a Hold) -> Answer<'a, Grant> {
        Box::pin(async move { self.windows.renew(&self.name(realm)?, hold).await })
    }

    fn release<'a>(
        &'a self,
        realm: &'a RealmName,
        hold: &'a Hold,
        used: Option<u64>,
    ) -> Answer<'a, ()> {
        Box::pin(async move { self.windows.release(&self.name(realm)?, hold, used).await })
    }

    fn list<'a>(&'a self, realm: &'a RealmName) -> Answer<'a, Listing> {
        Box::pin(async move { self.windows.list(&self.name(realm)?).await })
    }

    fn recover<'a>(&'a self, realm: &'a Realm) -> Answer<'a, u64> {
        Box::pin(async move { self.windows.recover(&self.own(realm)?).await })
    }

    fn mend<'a>(&'a self, realm: &'a RealmName, node: Node) -> Answer<'a, Row> {
        Box::pin(async move { self.windows.mend(&self.name(realm)?, node).await })
    }

    fn reshape<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
        Box::pin(async move { self.windows.reshape(&self.own(realm)?).await })
    }
}

impl fmt::Display for NodeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(node) => fmt::Display::fmt(node, f),
            Self::Environment { variable, bits } => write!(f, "env:{variable}/{bits}"),
            Self::HostName { bits } => write!(f, "hostname/{bits}"),
            Self::Address { bits } => write!(f, "address/{bits}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Result<NodeSource, NodeSourceError> {
        text.parse()
    }

    #[test]
    fn sources_come_back_from_text_and_nothing_else_does() {
        for text in ["42/8", "env:NODE_ID/10", "hostname/10", "address/16"] {
            assert_eq!(source(text).unwrap().to_string(), text);
        }
        for text in ["", "42", "env:/8", "hostname", "hostname/", "hostname/x", "mac/8", "300/8"] {
            assert!(source(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ordinals_stand_at_the_end_of_the_first_part_of_a_name() {
        for (name, expected) in [
            ("web-0", Some(0)),
            ("web-12", Some(12)),
            ("a-b-7", Some(7)),
            ("web-12.web.default.svc", Some(12)),
            ("web", None),
            ("web12", None),
            ("web-", None),
            ("web-x1", None),
            ("web-1x", None),
        ] {
            assert_eq!(ordinal(name), expected, "{name}");
        }
    }

    #[test]
    fn only_private_addresses_give_nodes() {
        let node = |address: &str, bits| low_bits(address.parse().unwrap(), bits);
        assert_eq!(node("10.1.2.3", 16).unwrap(), Node::new(16, 0x0203).unwrap());
        assert_eq!(node("192.168.255.254", 8).unwrap(), Node::new(8, 254).unwrap());
        assert_eq!(node("10.1.2.3", 32).unwrap(), Node::new(32, 0x0a01_0203).unwrap());
        for address in ["8.8.8.8", "127.0.0.1", "::1", "fd00::1"] {
            assert!(matches!(node(address, 16), Err(NodeSourceError::Address(_))), "{address}");
        }
        assert!(matches!(node("10.1.2.3", 33), Err(NodeSourceError::Range(_))));
    }

    #[test]
    fn what_is_not_in_the_environment_is_an_error_that_names_it() {
        let source = source("env:TICKID_TEST_NOBODY_SETS_THIS/10").unwrap();
        let error = source.node().unwrap_err().to_string();
        assert_eq!(
            error,
            "the environment variable TICKID_TEST_NOBODY_SETS_THIS holds no number but None"
        );
        let path = NodeSource::Environment { variable: "PATH".to_owned(), bits: 10 };
        assert!(path.node().is_err());
    }
}
