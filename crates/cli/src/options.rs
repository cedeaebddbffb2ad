//! Options that several subcommands share.

use clap::{Args, ValueEnum};
use tickid_core::Scheme as _;
use tickid_detect::Notation;
use tickid_kuid::{Drift, Kuid, Node};
use tickid_nanoflake::{Epoch, Nanoflake};
use tickid_scru64::{NodeIdSize, Scru64};

use crate::values::{drift, epoch, kuid_node, node_size};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scheme {
    Scru64,
    Nanoflake,
    Kuid,
    Sno,
}

impl Scheme {
    /// Returns the scheme of a format, if it is one of the four.
    pub(crate) const fn of(format: tickid_detect::Format) -> Option<Self> {
        match format {
            tickid_detect::Format::Scru64 => Some(Self::Scru64),
            tickid_detect::Format::Nanoflake => Some(Self::Nanoflake),
            tickid_detect::Format::Kuid => Some(Self::Kuid),
            tickid_detect::Format::Sno => Some(Self::Sno),
            _ => None,
        }
    }

    /// Returns the scheme with kuid's kind.
    pub(crate) const fn kind(self, kind: Kind) -> tickid_convert::Kind {
        match (self, kind) {
            (Self::Scru64, _) => tickid_convert::Kind::Scru64,
            (Self::Nanoflake, _) => tickid_convert::Kind::Nanoflake,
            (Self::Kuid, Kind::Local) => tickid_convert::Kind::KuidLocal,
            (Self::Kuid, Kind::Global) => tickid_convert::Kind::KuidGlobal,
            (Self::Sno, _) => tickid_convert::Kind::Sno,
        }
    }
}

/// Returns the name of a value, as its option has it.
pub(crate) fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Returns the default nodes of a scheme's realm.
pub(crate) fn default_pool(scheme: &str, has_node: bool) -> &'static str {
    match scheme {
        _ if !has_node => "0/0",
        Scru64::NAME => "0-255/8",
        Nanoflake::NAME => "0-1023/10",
        Kuid::NAME => "0-65535/32",
        _ => "0-65535/16",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The scheme's text, a line each
    Text,
    /// A decimal integer, a line each
    Int,
    /// The bytes in hexadecimal, a line each
    Hex,
    /// The raw bytes, nothing in between
    Bytes,
}

/// The facts that the text of an ID does not carry.
#[derive(Debug, Default, Args)]
pub(crate) struct Layouts {
    #[command(flatten)]
    pub(crate) scru64: Scru64Options,
    #[command(flatten)]
    pub(crate) nanoflake: NanoflakeOptions,
    #[command(flatten)]
    pub(crate) kuid: KuidOptions,
}

impl Layouts {
    /// Returns the layouts of all schemes, as conversions take them.
    pub(crate) fn all(&self) -> tickid_convert::Layouts {
        tickid_convert::Layouts {
            epoch: self.nanoflake.epoch(),
            node_size: self.scru64.node_size,
            drift: self.kuid.drift(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Scru64Options {
    /// SCRU64: the bits of the node ID, 1 to 23; without them, node ID and counter are one number
    #[arg(long, value_name = "BITS", value_parser = node_size, env = "TICKID_NODE_SIZE")]
    pub(crate) node_size: Option<NodeIdSize>,
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct NanoflakeOptions {
    /// Nanoflake: the epoch, by name, in milliseconds since 1970 or in RFC 3339 [default: twitter]
    #[arg(long, value_name = "twitter|discord|unix|MS|RFC3339", value_parser = epoch)]
    #[arg(allow_negative_numbers = true, env = "TICKID_EPOCH")]
    pub(crate) epoch: Option<Epoch>,
    /// Nanoflake: the base of the text [default: 36]
    #[arg(long, value_enum)]
    pub(crate) radix: Option<Radix>,
}

impl NanoflakeOptions {
    pub(crate) fn epoch(&self) -> Epoch {
        self.epoch.unwrap_or(Epoch::TWITTER)
    }

    /// Returns the notation of texts.
    pub(crate) fn notation(&self) -> Notation {
        if self.radix == Some(Radix::Decimal) { Notation::Decimal } else { Notation::Canonical }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Radix {
    #[value(name = "10")]
    Decimal,
    #[value(name = "36")]
    Base36,
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct KuidOptions {
    /// kuid: the drift of global IDs, 5 to 10 [default: 8]
    #[arg(long, value_name = "5..10", value_parser = drift, env = "TICKID_DRIFT")]
    pub(crate) drift: Option<Drift>,
    /// kuid: the alphabet of the text [default: sortable]
    #[arg(long, value_enum)]
    pub(crate) alphabet: Option<Alphabet>,
}

impl KuidOptions {
    pub(crate) fn drift(&self) -> Drift {
        self.drift.unwrap_or_default()
    }

    /// Returns the notation of texts.
    pub(crate) fn notation(&self) -> Notation {
        match self.alphabet {
            Some(Alphabet::Url) => Notation::Url,
            Some(Alphabet::Sortable) | None => Notation::Canonical,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Alphabet {
    /// Sorts as the bytes do; written by today's Erlang library
    Sortable,
    /// URL-safe Base64; shown in the Erlang library's documentation
    Url,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Local,
    #[default]
    Global,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NodeHash {
    /// Today's library
    Phash2,
    /// The library's documentation
    Phash,
}

impl NodeHash {
    /// Returns the kuid node of a number, or of an Erlang node name.
    pub(crate) fn node(self, text: &str) -> Result<Node, String> {
        match (kuid_node(text)?, self) {
            (Some(node), _) => Ok(node),
            (None, _) if text.is_empty() => {
                Err("the name of a node has at least one character".into())
            }
            (None, Self::Phash2) => Ok(Node::phash2(text)),
            (None, Self::Phash) => Ok(Node::phash(text)),
        }
    }
}
