//! Nodes that are given from outside. [`Store`](crate::Store) gives each its own realm in a backend
//! of this machine. If that is a folder, a clock that steps back across a restart does no harm. If
//! it is memory, or a folder that is new, windows start beyond the IDs that a process before this
//! one can have issued.

use core::fmt;
use core::str::FromStr;
use std::env;
use std::io;

use crate::model::text::{LeaseTextError, node, number};
use crate::store_error::{StoreError, StoreErrorKind};
use tickid_core::AnyNode;

pub(crate) const NAME: &str = "static";

/// The origin of a node that no store grants, for processes that are numbered by something else.
///
/// | text | the node is |
/// |---|---|
/// | `42/8` | 42 in 8 bits |
/// | `env:NODE/10` | the number that the environment variable `NODE` holds, in 10 bits |
/// | `hostname/10` | the number at the end of the host's name, in 10 bits. For example, it is 12 on `web-12`, the pod of a Kubernetes StatefulSet with the ordinal 12. A name that ends in an address, as `ip-10-0-3-12`, is refused |
///
/// Numbers and names must be assigned such that no two processes get the same one. Nothing here
/// would notice that, and both would issue the same IDs.
///
/// # Examples
/// ```
/// use tickid_lease::backend::{NodeSource, StoreErrorKind};
///
/// let fixed: NodeSource = "42/8".parse()?;
/// assert_eq!(fixed.node()?, "42/8".parse()?);
///
/// let unset: NodeSource = "env:NODE_OF_THIS_EXAMPLE/10".parse()?;
/// assert!(matches!(unset.node().unwrap_err().kind(), StoreErrorKind::NoNode { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeSource {
    /// This node.
    Fixed(AnyNode),
    /// A number in the environment.
    Environment {
        /// The variable.
        variable: String,
        /// The number of bits of the node.
        bits: u32,
    },
    /// The number at the end of the host's name.
    HostName {
        /// The number of bits of the node.
        bits: u32,
    },
}

pub(super) const FORM: &str = "N/BITS, env:VARIABLE/BITS or hostname/BITS";

/// The node of a source, as a store has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StaticNode {
    pub(crate) node: AnyNode,
    /// Set if its windows are in memory, so that those of the process before this one are unknown.
    pub(crate) forgets: bool,
}

impl FromStr for NodeSource {
    type Err = LeaseTextError;

    fn from_str(text: &str) -> Result<Self, LeaseTextError> {
        let form = || LeaseTextError::form(text, FORM);
        let (source, bits) = text.rsplit_once('/').ok_or_else(form)?;
        if source.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self::Fixed(node(text)?));
        }
        let bits = number(bits).ok_or_else(form)?;
        match source.strip_prefix("env:") {
            Some("") => Err(form()),
            Some(variable) => Ok(Self::Environment { variable: variable.to_owned(), bits }),
            None if source == "hostname" => Ok(Self::HostName { bits }),
            None => Err(form()),
        }
    }
}

impl NodeSource {
    /// Returns the node that the source gives at present.
    ///
    /// # Errors
    /// Returns an error of the kind [`NoNode`](StoreErrorKind::NoNode) with the reason.
    pub fn node(&self) -> Result<AnyNode, StoreError> {
        let (value, bits) = match self {
            Self::Fixed(node) => return Ok(*node),
            Self::Environment { variable, bits } => {
                // The value is not shown: it may be a secret, of another variable than was meant.
                let value = env::var_os(variable);
                let why = if value.is_some() { "not a number" } else { "not set" };
                let number = value.and_then(|value| number(value.to_str()?));
                let no_number = || no_node(format!("the environment variable {variable} is {why}"));
                (number.ok_or_else(no_number)?, *bits)
            }
            Self::HostName { bits } => {
                let name = host_name().map_err(|error| unknown("host name", error))?;
                let why = match is_address(&name) {
                    true => "ends in an address, which numbers no processes",
                    false => "does not end in a hyphen and a number",
                };
                let why = || no_node(format!("the host name {name:?} {why}"));
                (ordinal(&name).ok_or_else(why)?, *bits)
            }
        };
        AnyNode::new(value, bits).map_err(|error| no_node(error.to_string()))
    }
}

fn no_node(why: String) -> StoreError {
    StoreError::new(NAME, StoreErrorKind::NoNode { why })
}

fn unknown(what: &str, error: io::Error) -> StoreError {
    no_node(format!("this machine's {what} cannot be found")).with_source(error)
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems may not have it")]
pub(crate) fn host_name() -> io::Result<String> {
    Ok(rustix::system::uname().nodename().to_string_lossy().into_owned())
}

#[cfg(not(unix))]
pub(crate) fn host_name() -> io::Result<String> {
    env::var("COMPUTERNAME").map_err(|error| io::Error::new(io::ErrorKind::NotFound, error))
}

/// Returns the number at the end of a name, after a hyphen. Of a name with dots, only the first
/// part counts.
fn ordinal(name: &str) -> Option<u64> {
    let (_, digits) = first_label(name).rsplit_once('-')?;
    if is_address(name) { None } else { number(digits) }
}

fn first_label(name: &str) -> &str {
    name.split_once('.').map_or(name, |(first, _)| first)
}

/// Reports whether a host's name ends in its IPv4 address, as clouds name machines: `ip-10-0-3-7`.
/// Machines of different networks have the same last part.
fn is_address(name: &str) -> bool {
    let parts = first_label(name).rsplit('-').map(|part| part.parse::<u8>().is_ok());
    parts.take_while(|is_byte| *is_byte).count() >= 4
}

impl fmt::Display for NodeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(node) => fmt::Display::fmt(node, f),
            Self::Environment { variable, bits } => write!(f, "env:{variable}/{bits}"),
            Self::HostName { bits } => write!(f, "hostname/{bits}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Result<NodeSource, LeaseTextError> {
        text.parse()
    }

    #[test]
    fn only_sources_parse() {
        for text in ["42/8", "env:NODE_ID/10", "hostname/10"] {
            assert_eq!(source(text).unwrap().to_string(), text);
        }
        for text in
            ["", "42", "env:/8", "hostname", "hostname/", "hostname/x", "address/8", "300/8"]
        {
            assert!(source(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ordinals_end_host_names() {
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
            // Only the last part of an address, which other machines have as well.
            ("ip-10-0-3-7", None),
            ("ip-10-0-3-7.eu-west-1.compute.internal", None),
            ("10-0-3-7", None),
            ("web-10-0-3", Some(3)),
            ("web-10-0-300-7", Some(7)),
        ] {
            assert_eq!(ordinal(name), expected, "{name}");
        }
    }

    #[test]
    fn non_numeric_variables_fail() {
        let source = source("env:TICKID_TEST_IS_NEVER_SET/10").unwrap();
        let error = source.node().unwrap_err().to_string();
        let expected = "static store: the environment variable TICKID_TEST_IS_NEVER_SET is not set";
        assert_eq!(error, expected);
        let path = NodeSource::Environment { variable: "PATH".to_owned(), bits: 10 };
        let error = path.node().unwrap_err().to_string();
        assert_eq!(error, "static store: the environment variable PATH is not a number");
    }
}
