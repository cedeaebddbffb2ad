//! `tickid gen`.

mod patience;
mod plan;
mod progress;
mod source;
mod uuid;

use std::process::ExitCode;

use ::uuid::Uuid;
use clap::{Args, Subcommand};
use tickid_convert::Layouts;
use tickid_core::Plain;
use tickid_detect::Notation;
use tickid_kuid::{Drift, Global, GlobalId, Kuid, Local, LocalId, Node};
use tickid_nanoflake::{GeneratorId, Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Meta, Partition, Sno, SnoId};

use self::plan::{GenOptions, Plan};
use self::uuid::{UuidId, UuidVersion};
use crate::failure::Failure;
use crate::options::{Kind, KuidOptions, NanoflakeOptions, NodeHash, Radix, Scru64Options};
use crate::printed::Style;
use crate::values::{drift, generator_id, metabyte, node_spec, partition};

#[derive(Debug, Subcommand)]
#[command(after_help = "Examples:
  tickid gen sno -n 5                 five sno IDs
  tickid gen scru64 --node 42/8       one SCRU64 ID of node 42 in 8 bits
  tickid gen nanoflake --forever      Nanoflakes until the pipe closes
  tickid gen sno -n 1M -o ids.txt     a million, into a file

Without --node, the node is leased: two commands never hold the same node at once, and setting the
clock back between two runs does no harm. The records are in the store that --store or $TICKID_STORE
names, or else in a folder of the user. With --node, no store is used; make sure that no other
generator has the node.")]
pub(crate) enum GenScheme {
    /// SCRU64: 12 characters, 63 bits, 256 ms ticks
    Scru64(Scheme<Scru64Arguments>),
    /// Nanoflake, Snowflake: 63 bits, 1 ms ticks
    Nanoflake(Scheme<NanoflakeArguments>),
    /// Snowflake: a Nanoflake in decimal
    Snowflake(Scheme<SnowflakeArguments>),
    /// Erlang's k-ordered uid: 64 bits local, 96 bits global
    Kuid(Scheme<KuidArguments>),
    /// sno: 16 characters, 80 bits, 4 ms ticks, a metabyte
    Sno(Scheme<SnoArguments>),
    /// UUIDs with a leased node and no random bits
    Uuid(Scheme<UuidArguments>),
}

/// One scheme's own arguments, and the options of all.
#[derive(Debug, Args)]
pub(crate) struct Scheme<A: Args> {
    #[command(flatten)]
    own: A,
    #[command(flatten)]
    options: GenOptions,
}

/// The arguments of one scheme.
trait SchemeArguments: Args {
    /// Writes IDs as these arguments have them.
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure>;
}

pub(crate) fn run(scheme: &GenScheme) -> Result<ExitCode, Failure> {
    match scheme {
        GenScheme::Scru64(scheme) => scheme.own.generate(&scheme.options),
        GenScheme::Nanoflake(scheme) => scheme.own.generate(&scheme.options),
        GenScheme::Snowflake(scheme) => scheme.own.generate(&scheme.options),
        GenScheme::Uuid(scheme) => scheme.own.generate(&scheme.options),
        GenScheme::Kuid(scheme) => scheme.own.generate(&scheme.options),
        GenScheme::Sno(scheme) => scheme.own.generate(&scheme.options),
    }
}

/// Returns the failure of a text that is not a node of its scheme.
fn of_node(error: String) -> Failure {
    Failure::Usage(format!("--node: {error}"))
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid gen scru64 --node 42/8 -n 3           node 42 in 8 bits
  tickid gen scru64 --node 0u2r85hm2pt3/16     the node of that ID, after that ID
  tickid gen scru64 --format int               as an integer for a BIGINT column")]
pub(crate) struct Scru64Arguments {
    /// Node ID and its size in bits (42/8, 0xb00/12), or the last ID and that size; leased unless
    /// given
    #[arg(long, value_name = "N/BITS", conflicts_with_all = ["store", "realm"])]
    #[arg(allow_negative_numbers = true)]
    node: Option<String>,
    #[command(flatten)]
    layout: Scru64Options,
}

impl SchemeArguments for Scru64Arguments {
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let node = self.node.as_deref().map(|node| node_spec(node, self.layout.node_size));
        let plan = Plan {
            scheme: Scru64,
            node: node.transpose().map_err(of_node)?,
            node_size: self.layout.node_size.map(|size| size.get().into()),
            realm: "scru64".to_owned(),
            variant: Plain,
            blank: Scru64Id::MIN,
            style: Style {
                layouts: Layouts { node_size: self.layout.node_size, ..Layouts::default() },
                notation: Notation::Canonical,
            },
        };
        plan.run(options)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid gen nanoflake --node 5 -n 3
  tickid gen nanoflake --epoch discord --radix 10
  tickid gen nanoflake --epoch 2024-01-01T00:00:00Z")]
pub(crate) struct NanoflakeArguments {
    /// Generator ID, 0 to 1023, also as N/10; leased unless given
    #[arg(long, value_name = "0..1023", value_parser = generator_id)]
    #[arg(conflicts_with_all = ["store", "realm"], allow_negative_numbers = true)]
    node: Option<GeneratorId>,
    #[command(flatten)]
    layout: NanoflakeOptions,
}

impl SchemeArguments for NanoflakeArguments {
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let epoch = self.layout.epoch();
        let plan = Plan {
            scheme: Nanoflake { epoch },
            node: self.node,
            node_size: None,
            realm: format!("nanoflake-{}", epoch.as_unix_millis()),
            variant: Plain,
            blank: NanoflakeId::MIN,
            style: Style {
                layouts: Layouts { epoch, ..Layouts::default() },
                notation: self.layout.notation(),
            },
        };
        plan.run(options)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid gen snowflake -n 3
  tickid gen snowflake --epoch discord --node 5
  tickid gen snowflake --node 1 --time 2024-01-01")]
pub(crate) struct SnowflakeArguments {
    #[command(flatten)]
    nanoflake: NanoflakeArguments,
}

impl SchemeArguments for SnowflakeArguments {
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let NanoflakeArguments { node, layout } = self.nanoflake;
        let layout = NanoflakeOptions { radix: layout.radix.or(Some(Radix::Decimal)), ..layout };
        NanoflakeArguments { node, layout }.generate(options)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid gen uuid -n 3
  tickid gen uuid --as v8
  tickid gen uuid --node 0x2a --time 2024-01-01

The UUID holds a global kuid: time, node and sequence. It is never issued twice, since the node is
leased, and `tickid inspect` shows the kuid. It has no random bits, so others can guess it.")]
pub(crate) struct UuidArguments {
    /// The version
    #[arg(long = "as", value_enum, value_name = "VERSION", default_value_t = UuidVersion::V7)]
    shape: UuidVersion,
    /// Number of 32 bits, as N/32 or 0xHEX, or an Erlang node name; leased unless given
    #[arg(long, value_name = "N/32|0xHEX|NAME", conflicts_with_all = ["store", "realm"])]
    node: Option<String>,
    /// The drift of the kuid, 5 to 10 [default: 8]
    #[arg(long, value_name = "5..10", value_parser = drift, env = "TICKID_DRIFT")]
    drift: Option<Drift>,
}

impl SchemeArguments for UuidArguments {
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let node = self.node.as_deref().map(|node| NodeHash::Phash2.node(node)).transpose();
        let node = node.map_err(of_node)?;
        let scheme = Kuid { drift: self.drift.unwrap_or_default() };
        let blank = UuidId(Uuid::nil());
        let plan = Plan {
            scheme,
            node,
            node_size: None,
            // Kuids and UUIDs of one node differ in their times or sequences.
            realm: format!("kuid-{}", scheme.drift),
            variant: self.shape,
            blank,
            style: of_drift(scheme.drift, Notation::Canonical),
        };
        plan.run(options)
    }
}

/// Returns the style of kuids of a drift.
fn of_drift(drift: Drift, notation: Notation) -> Style {
    Style { layouts: Layouts { drift, ..Layouts::default() }, notation }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid gen kuid --node uid@127.0.0.1
  tickid gen kuid --node 0x03eb2731 --drift 10 --alphabet url
  tickid gen kuid --kind local -n 3")]
pub(crate) struct KuidArguments {
    /// Local IDs (8 bytes, unique to one generator) or global ones (12 bytes, with the node)
    #[arg(long, value_enum, default_value_t = Kind::Global)]
    kind: Kind,
    /// Number of 32 bits, as N/32 or 0xHEX, or an Erlang node name; leased unless given
    #[arg(long, value_name = "N/32|0xHEX|NAME", conflicts_with_all = ["store", "realm"])]
    node: Option<String>,
    /// The hash of node names
    #[arg(long, value_enum, default_value_t = NodeHash::Phash2)]
    node_hash: NodeHash,
    #[command(flatten)]
    layout: KuidOptions,
}

impl SchemeArguments for KuidArguments {
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let node = self.node.as_deref().map(|node| self.node_hash.node(node)).transpose();
        let node = node.map_err(of_node)?;
        let drift = self.layout.drift();
        let style = of_drift(drift, self.layout.notation());
        match self.kind {
            Kind::Global => {
                let (scheme, realm) = (Kuid { drift }, format!("kuid-{drift}"));
                let (variant, blank) = (Global, GlobalId::MIN);
                Plan { scheme, node, node_size: None, realm, variant, blank, style }.run(options)
            }
            Kind::Local if node.is_some() => {
                Err(Failure::Usage("a local kuid has no node: leave out --node".into()))
            }
            // Local IDs have no node and no drift: the generator's do not show. One layout for
            // all, so that they share a realm.
            Kind::Local => {
                // The node shows nowhere; at a given time there is none to lease.
                let node = options.time.as_ref().map(|_| Node::from_u32(0));
                let (scheme, realm) = (Kuid::default(), "kuid-local".to_owned());
                let (variant, blank) = (Local, LocalId::MIN);
                Plan { scheme, node, node_size: None, realm, variant, blank, style }.run(options)
            }
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid gen sno -n 5
  tickid gen sno --node 258 --meta 24 --json")]
pub(crate) struct SnoArguments {
    /// Partition, 0 to 65535, also as N/16; leased unless given
    #[arg(long, value_name = "0..65535", value_parser = partition)]
    #[arg(conflicts_with_all = ["store", "realm"], allow_negative_numbers = true)]
    node: Option<Partition>,
    /// Metabyte, 0 to 255
    #[arg(long, value_name = "0..255", value_parser = metabyte, default_value = "0")]
    meta: u8,
}

impl SchemeArguments for SnoArguments {
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let plan = Plan {
            scheme: Sno,
            node: self.node,
            node_size: None,
            realm: "sno".to_owned(),
            variant: Meta(self.meta),
            blank: SnoId::ZERO,
            style: Style { layouts: Layouts::default(), notation: Notation::Canonical },
        };
        plan.run(options)
    }
}
