//! The command line.

use core::str::FromStr;
use core::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use tickid_core::{Scheme as _, UnixTime};
use tickid_kuid::{Drift, Kuid, Node};
use tickid_nanoflake::{Epoch, GeneratorId, Nanoflake};
use tickid_scru64::{NodeIdSize, NodeSpec, Scru64};
use tickid_sno::Sno;

use crate::convert::ConvertArguments;
use crate::lease::LeaseArguments;
use crate::range::RangeArguments;
use crate::shown::shown;
use crate::source::LeaseOptions;

/// Generate, inspect and convert time-ordered identifiers: SCRU64, Nanoflake, kuid and sno.
#[derive(Debug, Parser)]
#[command(name = "tickid", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 done, 1 some ID was invalid or the output could not be \
                        written, 2 usage, 3 node store, 4 clock.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Generate IDs
    #[command(
        subcommand_required = true,
        after_help = "Examples:
  tickid gen sno -n 5                 five sno IDs
  tickid gen scru64 --node 42/8       one SCRU64 ID of node 42 in 8 bits
  tickid gen nanoflake --forever      Nanoflakes until the pipe closes

Without --node the node is leased: two commands at once never have the same, and a clock that is
set back between two runs does no harm. What that takes is kept in a folder of yours, or in the
store that --store or $TICKID_STORE names. With --node no store is touched, and that nobody else
has the node is up to you."
    )]
    Gen(GenArguments),
    /// Show what IDs say
    #[command(after_help = "Examples:
  tickid inspect 0u375nxqh5cq                       whatever it may be, likeliest first
  tickid inspect --scheme nanoflake --radix 10 --epoch discord 175928847299117063
  tickid gen sno -n 3 | tickid inspect --json       one object per line")]
    Inspect(InspectArguments),
    /// Make IDs of one scheme of those of another
    #[command(after_help = "Examples:
  tickid convert --to sno --node 7 0u375nxqh5cq        prints the new ID, and what was lost
  tickid convert --from scru64 --node-size 8 --to sno --exact 0u375nxqh5cq
  tickid convert --from discord --to kuid --json 175928847299117063
  tickid convert --from sno --to uuid brpk4q72xwf2m63l
  tickid convert --restore --from sno --to scru64 --node-size 8 83thvaq22224mqss
  tickid gen sno -n 3 | tickid convert --from sno --to nanoflake --truncate-node low")]
    Convert(ConvertArguments),
    /// Print the lowest and the highest ID of a range of times
    #[command(after_help = "Examples:
  tickid range sno --from 2024-01-01T00:00:00Z --to 2024-01-02T00:00:00Z
  tickid range nanoflake --epoch discord --format int --from 1704067200000 --to 1704153600000
  tickid range kuid --kind local --from 2024-01-01T00:00:00Z --to 2024-01-01T00:00:00Z --json
  tickid range kuid --node uid@127.0.0.1 --format hex --from 1704067200000 --to 1704153600000")]
    Range(RangeArguments),
    /// Lease nodes from a store, look at who has them, and repair what went wrong
    Lease(LeaseArguments),
    /// Print a completion script for a shell
    #[command(after_help = "Example:
  tickid completions bash > ~/.local/share/bash-completion/completions/tickid")]
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct GenArguments {
    #[command(subcommand)]
    pub(crate) scheme: GenScheme,
}

/// What every scheme's `gen` takes.
#[derive(Debug, Args)]
pub(crate) struct GenOptions {
    /// How many IDs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    pub(crate) count: u64,
    /// Generate until the pipe closes
    #[arg(long, conflicts_with = "count")]
    pub(crate) forever: bool,
    /// What to print of each ID
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Print one JSON object per line, as inspect does
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Longest wait for the clock, a window or a node, in seconds or with units (90s, 5m, 1h30m)
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "60s")]
    pub(crate) max_wait: Duration,
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

#[derive(Debug, Subcommand)]
pub(crate) enum GenScheme {
    /// SCRU64: 12 characters, 63 bits, 256 ms ticks
    #[command(after_help = "Examples:
  tickid gen scru64 --node 42/8 -n 3           node 42 in 8 bits
  tickid gen scru64 --node 0u2r85hm2pt3/16     the node of that ID, after that ID
  tickid gen scru64 --format int               as an integer for a BIGINT column")]
    Scru64 {
        /// Node ID and its size in bits (42/8, 0xb00/12), or the last ID and that size; leased unless
        /// given
        #[arg(long, value_name = "SPEC", conflicts_with_all = ["store", "realm"])]
        node: Option<NodeSpec>,
        #[command(flatten)]
        lease: LeaseOptions,
        #[command(flatten)]
        scru64: Scru64Options,
        #[command(flatten)]
        options: GenOptions,
    },
    /// Nanoflake, Snowflake: 63 bits, 1 ms ticks
    #[command(after_help = "Examples:
  tickid gen nanoflake --node 5 -n 3
  tickid gen nanoflake --epoch discord --radix 10
  tickid gen nanoflake --epoch 2024-01-01T00:00:00Z")]
    Nanoflake {
        /// Generator ID, 0 to 1023; leased unless given
        #[arg(long, value_name = "0..1023", value_parser = generator_id)]
        #[arg(conflicts_with_all = ["store", "realm"])]
        node: Option<GeneratorId>,
        #[command(flatten)]
        lease: LeaseOptions,
        #[command(flatten)]
        nanoflake: NanoflakeOptions,
        #[command(flatten)]
        options: GenOptions,
    },
    /// Erlang's k-ordered uid: 64 bits local, 96 bits global
    #[command(after_help = "Examples:
  tickid gen kuid --node uid@127.0.0.1
  tickid gen kuid --node 0x03eb2731 --drift 10 --alphabet url
  tickid gen kuid --kind local -n 3")]
    Kuid {
        /// Local IDs (8 bytes, unique to one generator) or global ones (12 bytes, with the node)
        #[arg(long, value_enum, default_value_t = Kind::Global)]
        kind: Kind,
        /// Erlang node name, or its fingerprint in hexadecimal after 0x; leased unless given
        #[arg(long, value_name = "NAME|0xHEX", conflicts_with_all = ["store", "realm"])]
        node: Option<String>,
        /// How a node name becomes a fingerprint
        #[arg(long, value_enum, default_value_t = NodeHash::Phash2)]
        node_hash: NodeHash,
        #[command(flatten)]
        lease: LeaseOptions,
        #[command(flatten)]
        kuid: KuidOptions,
        #[command(flatten)]
        options: GenOptions,
    },
    /// sno: 16 characters, 80 bits, 4 ms ticks, a metabyte
    #[command(after_help = "Examples:
  tickid gen sno -n 5
  tickid gen sno --node 258 --meta 24 --json")]
    Sno {
        /// Partition, 0 to 65535; leased unless given
        #[arg(long, value_name = "0..65535", conflicts_with_all = ["store", "realm"])]
        node: Option<u16>,
        #[command(flatten)]
        lease: LeaseOptions,
        /// Metabyte, 0 to 255
        #[arg(long, value_name = "0..255", default_value_t = 0)]
        meta: u8,
        #[command(flatten)]
        options: GenOptions,
    },
}

impl GenScheme {
    pub(crate) const fn options(&self) -> &GenOptions {
        match self {
            Self::Scru64 { options, .. }
            | Self::Nanoflake { options, .. }
            | Self::Kuid { options, .. }
            | Self::Sno { options, .. } => options,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// IDs; lines of standard input unless given
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Take every ID for one of this scheme
    #[arg(long, value_enum)]
    pub(crate) scheme: Option<Scheme>,
    /// Print JSON, one object per line; of several schemes that fit the likeliest
    #[arg(long)]
    pub(crate) json: bool,
    /// With --json, an object for every scheme that fits
    #[arg(long, requires = "json")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) layouts: Layouts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scheme {
    Scru64,
    Nanoflake,
    Kuid,
    Sno,
}

impl Scheme {
    /// Its name, as the options have it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Scru64 => Scru64::NAME,
            Self::Nanoflake => Nanoflake::NAME,
            Self::Kuid => Kuid::NAME,
            Self::Sno => Sno::NAME,
        }
    }
}

/// What the text of an ID does not carry.
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
    /// The same for all schemes at once.
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
    /// SCRU64: how many bits are the node ID, 1 to 23; without it node ID and counter are one number
    #[arg(long, value_name = "BITS", value_parser = node_size)]
    pub(crate) node_size: Option<NodeIdSize>,
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct NanoflakeOptions {
    /// Nanoflake: the epoch, by name, in milliseconds since 1970 or in RFC 3339 [default: twitter]
    #[arg(long, value_name = "twitter|discord|unix|MS|RFC3339", value_parser = epoch)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) epoch: Option<Epoch>,
    /// Nanoflake: the base of the text [default: 36]
    #[arg(long, value_enum)]
    pub(crate) radix: Option<Radix>,
}

impl NanoflakeOptions {
    pub(crate) fn epoch(&self) -> Epoch {
        self.epoch.unwrap_or(Epoch::TWITTER)
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
    #[arg(long, value_name = "5..10", value_parser = drift)]
    pub(crate) drift: Option<Drift>,
    /// kuid: the alphabet of the text [default: sortable]
    #[arg(long, value_enum)]
    pub(crate) alphabet: Option<Alphabet>,
}

impl KuidOptions {
    pub(crate) fn drift(&self) -> Drift {
        self.drift.unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Alphabet {
    /// The one that sorts as the bytes do, as today's Erlang library writes it
    Sortable,
    /// Base64, URL-safe, as the Erlang library's documentation shows it
    Url,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Local,
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
    /// The node that a name or a fingerprint stands for.
    pub(crate) fn node(self, text: &str) -> Result<Node, String> {
        let Some(digits) = text.strip_prefix("0x") else {
            return Ok(match self {
                Self::Phash2 => Node::phash2(text),
                Self::Phash => Node::phash(text),
            });
        };
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u32::from_str_radix(digits, 16) {
            Ok(fingerprint) if plain => Ok(Node::from_u32(fingerprint)),
            _ => {
                let text = shown(text);
                Err(format!("'{text}' is no fingerprint: 0x and 1 to 8 hexadecimal digits"))
            }
        }
    }
}

/// Shows the reason and the range, which clap's own parsers would leave out.
pub(crate) fn parse<T: FromStr>(text: &str) -> Result<T, String>
where
    T::Err: ToString,
{
    text.parse().map_err(|error: T::Err| shown(error.to_string()))
}

/// A number of seconds, or a duration with units.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let parsed = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => {
            let parsed = text.parse::<jiff::SignedDuration>().ok();
            parsed.and_then(|duration| Duration::try_from(duration).ok())
        }
    };
    parsed.ok_or_else(|| "a duration is a number of seconds, or has units: 90s, 5m, 1h30m".into())
}

fn generator_id(text: &str) -> Result<GeneratorId, String> {
    GeneratorId::new(parse(text)?).map_err(|error| error.to_string())
}

pub(crate) fn node_size(text: &str) -> Result<NodeIdSize, String> {
    NodeIdSize::new(parse(text)?).map_err(|error| error.to_string())
}

pub(crate) fn drift(text: &str) -> Result<Drift, String> {
    Drift::new(parse(text)?).map_err(|error| error.to_string())
}

pub(crate) fn epoch(text: &str) -> Result<Epoch, String> {
    let time = match text {
        "twitter" => return Ok(Epoch::TWITTER),
        "discord" => return Ok(Epoch::DISCORD),
        "unix" => return Ok(Epoch::UNIX),
        other => time(other).map_err(|error| format!("no name of an epoch, {error}"))?,
    };
    if time.as_micros() % 1_000 != 0 {
        return Err("an epoch is a whole millisecond".into());
    }
    Epoch::from_unix_millis(time.as_millis()).map_err(|error| error.to_string())
}

/// A time in milliseconds since 1970 or in RFC 3339, of which whole microseconds count.
pub(crate) fn time(text: &str) -> Result<UnixTime, String> {
    if text.parse::<i128>().is_ok() {
        let millis = parse(text)?;
        return UnixTime::from_millis(millis).map_err(|error| error.to_string());
    }
    let time: jiff::Timestamp = text
        .parse()
        .map_err(|error: jiff::Error| shown(error.to_string()))
        .map_err(|error| format!("neither milliseconds nor an RFC 3339 time: {error}"))?;
    // Rounded towards the past, before 1970 too.
    let micros = time.as_nanosecond().div_euclid(1_000);
    i64::try_from(micros).map(UnixTime::from_micros).map_err(|error| error.to_string())
}
