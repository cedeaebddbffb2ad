//! The arguments of `tickid convert`, and the formats that they name.

use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use tickid_convert::Form;
use tickid_detect::Format;
use tickid_snowflake::Preset;

use crate::input::Selection;
use crate::options::given::GivenOptions;
use crate::options::node::NodeHash;
use crate::options::values::{metabyte, number};
use crate::options::{IdOptions, KuidKind, Scheme, SchemeOrLayout, SettingValues, TO, name_of};
use crate::reading::NamedFormat;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid convert --to sno --node 7 0u375nxqh5cq   the new ID, and what was lost
  tickid convert --from scru64 --node-size 8 --to sno --exact 0u375nxqh5cq
  tickid convert --from discord --to kuid --json 175928847299117063
  tickid convert --from sno --to uuid brpk4q72xwf2m63l
  tickid convert --restore --from sno --to scru64 --node-size 8 83thvaq22224mqss
  tickid convert --from discord --to sonyflake 175928847299117063
  tickid gen sno -n 3 |
    tickid convert --from sno --to nanoflake --truncate-node low")]
pub(crate) struct ConvertArguments {
    #[command(flatten)]
    pub(super) given: GivenOptions,
    /// The IDs; none, or a single -, reads the lines of standard input
    #[arg(value_name = "ID", allow_negative_numbers = true)]
    pub(super) ids: Vec<String>,
    /// The format of the IDs, with one of its texts if it has several, as in kuid/url [default: the
    /// only one that gives an ID a plausible time, which is reported]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(super) from: Option<Source>,
    /// The format of the new IDs, and after a slash their form, as in nanoflake/decimal or sno/hex;
    /// text is the default
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(super) to: Target,
    /// kuid: make local IDs (8 bytes) or global ones (12 bytes, with the node)
    #[arg(long, value_enum, default_value_t = KuidKind::Global)]
    pub(super) kind: KuidKind,
    #[command(flatten)]
    pub(super) nodes: NodeArguments,
    /// sno: the metabyte of IDs that have none, 0 to 255
    #[arg(long, value_name = "0..255", value_parser = metabyte, default_value = "0")]
    pub(super) meta: u8,
    /// Refuse to convert an ID if that loses information
    #[arg(long)]
    pub(super) exact: bool,
    /// Convert back: find the ID that a conversion with these options turned into the given one
    #[arg(long, requires = "from", conflicts_with = "exact")]
    pub(super) restore: bool,
    /// Print an empty line for a line of input without an ID, or one that cannot be converted, so
    /// that `paste` puts each new ID beside its own
    #[arg(long, conflicts_with = "json")]
    pub(super) keep_lines: bool,
    /// Print one JSON object per line, with what was lost. The member line is the number of the
    /// line that the ID was read from
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    pub(super) settings: IdOptions,
    #[command(flatten)]
    pub(super) target_settings: TargetSettings,
}

/// The settings of the new IDs: the options have `to-` before the names of those for the given IDs,
/// whose values they replace.
#[derive(Debug)]
pub(super) struct TargetSettings(pub(super) SettingValues);

impl Args for TargetSettings {
    fn augment_args(command: Command) -> Command {
        command.args(SettingValues::arguments(TO, |scheme, option| {
            let name = option.name;
            format!("{scheme}: {name} of the new IDs [default: as --{name}]")
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TargetSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(SettingValues::read(matches, TO)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The node of the new IDs: the one that they had, if it fits, unless the options name another.
#[derive(Debug, Args)]
pub(crate) struct NodeArguments {
    /// The node of all new IDs: N or N/BITS; for kuid N/32, 0xHEX or an Erlang node name
    #[arg(long, value_name = "NODE")]
    pub(super) node: Option<String>,
    /// The hash of node names
    #[arg(long, value_enum, default_value_t = NodeHash::Phash2)]
    pub(super) node_hash: NodeHash,
    /// Cut nodes that do not fit to their low or high bits
    #[arg(long, value_enum, value_name = "END", conflicts_with = "node")]
    pub(super) truncate_node: Option<NodeEnd>,
    /// The new node for each old one
    #[arg(long, value_name = "OLD=NEW,...", value_delimiter = ',', value_parser = pair)]
    #[arg(conflicts_with_all = ["node", "truncate_node"])]
    pub(super) node_table: Vec<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NodeEnd {
    Low,
    High,
}

/// The formats to convert from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// UUIDs that hold an ID, and formats whose IDs have a node and a sequence.
    Format(NamedFormat),
    /// As the original programs write them, with the timestamp shifted by two more bits.
    NanoflakeShift24 {
        /// The name of the text form, if there is one.
        text: Option<&'static str>,
    },
}

static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let is_read = |format: Format| {
        Scheme::of(format).is_some()
            || Preset::named(format.key()).is_some()
            || matches!(format, Format::Uuid | Format::Ulid | Format::Mastodon)
    };
    let formats = NamedFormat::all(is_read).into_iter();
    // A Nanoflake that is shifted has the same texts.
    let shifted = formats.clone().filter(|named| named.format == Format::Nanoflake);
    let shifted = shifted.map(|named| Source::NanoflakeShift24 { text: named.text });
    formats.map(Source::Format).chain(shifted).collect()
});

impl ValueEnum for Source {
    fn value_variants<'a>() -> &'a [Self] {
        &SOURCES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Format(named @ NamedFormat { format: Format::Uuid, text: None }) => {
                named.value().help("An ID in a UUID, as made by --to uuid, uuid-v7 or uuid-sno")
            }
            Self::Format(named) => named.value(),
            Self::NanoflakeShift24 { text: None } => PossibleValue::new("nanoflake-shift24").help(
                "As the original programs write them, with the timestamp shifted by two more bits",
            ),
            // As rarely needed as `nanoflake/hex`.
            Self::NanoflakeShift24 { text: Some(text) } => {
                let is_rare = *text == Form::Hex.name();
                PossibleValue::new(format!("nanoflake-shift24/{text}")).hide(is_rare)
            }
        })
    }
}

/// The formats to convert to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Scheme {
        scheme: SchemeOrLayout,
        /// The name of the form, if it is not the canonical text.
        form: Option<&'static str>,
    },
    /// A UUID of version 8 that holds the ID.
    Uuid,
    /// A UUID of version 7 that holds the ID, and sorts by time.
    UuidV7,
    /// The text of a sno ID as 16 bytes.
    UuidSno,
    /// The bits of a UUID in the digits of a ULID.
    Ulid,
}

static TARGETS: LazyLock<Vec<Target>> = LazyLock::new(|| {
    let schemes = SchemeOrLayout::value_variants().iter().flat_map(|scheme| {
        let forms = [None].into_iter().chain(forms_of_lines(*scheme).map(Some));
        forms.map(|form| Target::Scheme { scheme: *scheme, form })
    });
    schemes.chain([Target::Uuid, Target::UuidV7, Target::UuidSno, Target::Ulid]).collect()
});

/// Returns the names of the forms of new IDs, which are lines, as raw bytes are not.
fn forms_of_lines(scheme: SchemeOrLayout) -> impl Iterator<Item = &'static str> {
    scheme.forms().into_iter().filter(|form| *form != Form::Bytes.name())
}

/// Returns the forms of the new IDs of a format in words, if it has a name of ours.
pub(crate) fn forms_in_words(format: &str) -> Option<String> {
    let scheme = SchemeOrLayout::from_str(format, false).ok()?;
    let forms: Vec<&str> = forms_of_lines(scheme).collect();
    Some(format!("in the forms {}", forms.join(", ")))
}

impl ValueEnum for Target {
    fn value_variants<'a>() -> &'a [Self] {
        &TARGETS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Scheme { scheme, form: None } => {
                let value = scheme.to_possible_value()?;
                match forms_in_words(value.get_name()) {
                    Some(forms) => value.help(forms),
                    None => value,
                }
            }
            // There are many, which the help of their format sums up.
            Self::Scheme { scheme, form: Some(form) } => {
                PossibleValue::new(format!("{}/{form}", name_of(scheme))).hide(true)
            }
            Self::Uuid => PossibleValue::new("uuid")
                .help("A UUID of version 8 that holds the ID; of a ULID the one with its bits"),
            Self::UuidV7 => PossibleValue::new("uuid-v7")
                .help("A UUID of version 7 that holds the ID, and sorts by time"),
            Self::UuidSno => {
                PossibleValue::new("uuid-sno").help("The text of a sno ID as 16 bytes")
            }
            Self::Ulid => PossibleValue::new("ulid").help("The ULID with the bits of a UUID"),
        })
    }
}

fn pair(text: &str) -> Result<(u64, u64), String> {
    let (old, new) = text.split_once('=').ok_or("there is no '=' between old and new node")?;
    let node = |text| number("node", 0..=u64::MAX, text);
    Ok((node(old)?, node(new)?))
}
