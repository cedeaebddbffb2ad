//! `tickid gen`: a subcommand for each scheme, and one for UUIDs.

mod holding;
mod patience;
mod plan;
mod signals;
mod uuid;

use core::time::Duration;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use tickid_convert::{AnyScheme, Form, Kind};
use tickid_detect::Format;

use self::plan::{GenOptions, Plan};
use self::uuid::UuidVersion;
use crate::failure::Failure;
use crate::message::shown;
use crate::options::given::{self, GivenOptions};
use crate::options::node::{GivenNode, NodeHash};
use crate::options::values::metabyte;
use crate::options::{IdOptions, KuidKind, Scheme, forms_of};

const EXAMPLES: &str = "Examples:
  tickid gen sno -n 5                 five sno IDs
  tickid gen sno --node 258 --meta 24 --json
  tickid gen scru64 --node 42/8       one SCRU64 ID of node 42 in 8 bits
  tickid gen scru64 --node 0u2r85hm2pt3/16     the node of that ID, after it
  tickid gen nanoflake --forever      Nanoflakes until the pipe closes
  tickid gen snowflake --layout discord --node 3/10
  tickid gen sno --node 5/18          partition 1, a quarter of its sequences
  tickid gen snowflake --layout 39x10ms/8s/16n@2014-09-01
  tickid gen kuid --node uid@127.0.0.1 --drift 10
  tickid gen uuid --as v8
  tickid gen sno -n 1M -o ids.txt     a million, into a file
  tickid gen nanoflake --node 5 --times - --column created_at < rows.csv

Keep the format of existing IDs. For new ones: nanoflake in a 64-bit column, or scru64 if there are
many small nodes; sno everywhere else.

Without --node, the node is leased: two commands never hold the same node at the same time, and
setting the clock back between two runs does no harm. The records are in the store that --store or
$TICKID_STORE names, or else in a folder of the user. With --node, no store is used; make sure that
no other generator has the node at the same time. The command ends when its clock is past its last
ID, so the next one may have the node at once.";

/// The IDs that a subcommand generates: those of a scheme, by themselves or in UUIDs.
#[derive(Clone, Copy, Debug)]
struct Generated {
    scheme: Scheme,
    is_in_uuid: bool,
}

impl Generated {
    /// Returns a row for each scheme, and one for UUIDs, which hold global kuids.
    fn all() -> impl Iterator<Item = Self> {
        let schemes = Scheme::all().iter().map(|&scheme| Self { scheme, is_in_uuid: false });
        let uuid = Scheme::of(Format::Kuid).map(|scheme| Self { scheme, is_in_uuid: true });
        schemes.chain(uuid)
    }

    const fn name(self) -> &'static str {
        if self.is_in_uuid { "uuid" } else { self.scheme.name() }
    }

    fn about(self) -> String {
        if self.is_in_uuid {
            return "UUID: a global kuid, with a leased node and no random bits".to_owned();
        }
        Vec::from_iter(self.scheme.kinds().map(about)).join("; ")
    }

    /// Returns the kinds of these IDs. UUIDs hold global kuids only.
    fn kinds(self) -> Vec<Kind> {
        self.scheme.kinds().filter(|kind| !self.is_in_uuid || kind.has_node()).collect()
    }

    /// Reports whether an argument has a meaning for these IDs.
    fn has(self, argument: &str) -> bool {
        match argument {
            "kind" if self.is_in_uuid => false,
            _ => given::has(&self.kinds(), argument),
        }
    }

    fn command(self) -> Command {
        let command = GenArguments::augment_args(Command::new(self.name()));
        // The description of the arguments is not the command's.
        let command = command.about(self.about()).long_about(None).after_help(EXAMPLES);
        command.mut_args(|argument| match argument.get_id().as_str() {
            id if !self.has(id) => argument.hide(true),
            "as" if self.is_in_uuid => argument
                .value_parser(PossibleValuesParser::new(UuidVersion::values()))
                .default_value("v7")
                .help(
                    "The version, and after a slash a form, as in v7/hex; UUIDs have no random \
                     bits, so others can guess them",
                ),
            "as" => argument
                .value_parser(PossibleValuesParser::new(forms_of(self.scheme)))
                .default_value("text"),
            // The inputs of this command are times.
            "column" | "field" | "delimiter" => {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                argument.requires("times").help(help.replace("Read IDs", "With --times: read them"))
            }
            _ => argument,
        })
    }
}

/// Returns a line about the IDs of a kind.
fn about(kind: Kind) -> String {
    let scheme = AnyScheme::new(kind, &tickid_convert::Settings::default());
    let (bits, text) = (u128::BITS - kind.max_number().leading_zeros(), kind.text_lens());
    let tick = Duration::from_micros(scheme.scale().micros_per_tick());
    format!("{kind}: {bits} bits, {} characters, ticks of {tick:?}", text.end())
}

/// The arguments of `gen`.
#[derive(Debug)]
pub(crate) struct GenCommand {
    ids: Generated,
    arguments: GenArguments,
}

#[derive(Debug, Args)]
struct GenArguments {
    #[command(flatten)]
    given: GivenOptions,
    /// The node: N, N/BITS, for SCRU64 also the last ID and the node's size (0u2r85hm2pt3/16), for
    /// kuid also 0xHEX or an Erlang node name; leased unless given
    #[arg(long, value_name = "NODE", conflicts_with_all = ["store", "realm"])]
    #[arg(allow_negative_numbers = true)]
    node: Option<String>,
    /// The hash of node names
    #[arg(long, value_enum, default_value_t = NodeHash::Phash2)]
    node_hash: NodeHash,
    /// Local IDs (8 bytes, unique to one generator) or global ones (12 bytes, with the node)
    #[arg(long, value_enum, default_value_t = KuidKind::Global)]
    kind: KuidKind,
    /// Metabyte, 0 to 255
    #[arg(long, value_name = "0..255", value_parser = metabyte, default_value = "0")]
    meta: u8,
    /// The form of the IDs; a text is a line, and so are int and hex; nothing is between bytes
    #[arg(id = "as", long, value_name = "FORM")]
    form: Option<String>,
    #[command(flatten)]
    settings: IdOptions,
    #[command(flatten)]
    options: GenOptions,
}

impl Subcommand for GenCommand {
    fn augment_subcommands(command: Command) -> Command {
        command.after_help(EXAMPLES).subcommands(Generated::all().map(Generated::command))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Generated::all().any(|ids| ids.name() == name)
    }
}

impl FromArgMatches for GenCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let ids = Generated::all().find(|ids| ids.name() == name).ok_or_else(missing)?;
        Ok(Self { ids, arguments: GenArguments::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(crate) fn run(command: &GenCommand) -> Result<ExitCode, Failure> {
    let GenArguments { given, node, node_hash, kind, meta, form, settings, options } =
        &command.arguments;
    let ids @ Generated { scheme, is_in_uuid } = command.ids;
    // All schemes have the same arguments for clap, which are hidden where they have no meaning.
    given.check_by(ids.name(), |argument| ids.has(argument), &ids.kinds())?;
    // UUIDs take no `--kind`, so it is its default, the global IDs.
    let kind = scheme.kind(*kind);
    let form = form.as_deref().unwrap_or("text");
    let (uuid, form) = if is_in_uuid {
        let (version, form) = UuidVersion::named(form).map_err(Failure::Usage)?;
        (Some(version), form)
    } else {
        let no_form = || Failure::Usage(format!("--as: no {kind} has the form '{}'", shown(form)));
        (None, Form::named(kind, form).ok_or_else(no_form)?)
    };
    let scheme = settings.values.scheme(kind);
    let node = node.as_deref().map(|text| {
        if !kind.has_node() && text == GivenNode::NONE.0 {
            return Ok(GivenNode::NONE.1);
        }
        let node = GivenNode::read_any(&scheme, *node_hash, text);
        node.map_err(|error| Failure::Usage(format!("--node '{}': {error}", shown(text))))
    });
    let node = node.transpose()?;
    Plan { scheme, node, metabyte: *meta, uuid, form, options }.run()
}
