//! Options that only some schemes have. Every subcommand refuses those of other schemes by the one
//! check here, because to leave one out would make other IDs than were asked for.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use tickid_convert::{Kind, SettingOption, Settings};

use crate::failure::Failure;
use crate::options::TO;

/// The options on the command line, with their values. Defaults and the environment are for all
/// schemes, so they are left out.
///
/// It must be the first field, since the fields take their options away.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenOptions(Vec<(String, String)>);

/// Reports whether IDs of one of these kinds have an option, by its name in clap. Options of all
/// IDs, such as `count`, count as theirs.
pub(crate) fn has(kinds: &[Kind], option: &str) -> bool {
    match option {
        "kind" => kinds.iter().any(|kind| siblings(*kind).count() > 1),
        "node_hash" => kinds.contains(&Kind::KuidGlobal),
        "meta" => kinds.iter().any(|kind| kind.has_metabyte()),
        // The options of settings, such as `drift`, are known from the table of the schemes alone.
        name if is_a_setting(Kind::ALL, name) => is_a_setting(kinds, name),
        _ => true,
    }
}

/// Returns the kinds of a kind's scheme.
fn siblings(kind: Kind) -> impl Iterator<Item = Kind> {
    Kind::ALL.iter().copied().filter(move |other| other.name() == kind.name())
}

fn is_a_setting(kinds: &[Kind], name: &str) -> bool {
    kinds.iter().flat_map(|kind| kind.setting_options()).any(|option| option.name == name)
}

impl GivenOptions {
    /// Refuses options that IDs of these kinds do not have. `ids` is how the command line names the
    /// IDs, such as `sno`.
    pub(crate) fn check(&self, ids: &str, kinds: &[Kind]) -> Result<(), Failure> {
        self.check_by(ids, |option| has(kinds, option), kinds)
    }

    /// Refuses options that `has` denies. `kinds` are those whose settings the options choose.
    pub(crate) fn check_by(
        &self,
        ids: &str,
        has: impl Fn(&str) -> bool,
        kinds: &[Kind],
    ) -> Result<(), Failure> {
        let Some((option, value)) = self.0.iter().find(|(option, _)| !has(option)) else {
            return Ok(());
        };
        let name = option.replace('_', "-");
        let failure = Failure::Usage(match owners(option).as_slice() {
            [] => format!("--{name} has no meaning for {ids}"),
            owners => {
                format!("--{name} is for {}, and has no meaning for {ids}", owners.join(", "))
            }
        });
        // `--epoch discord` where a Snowflake takes `--layout discord`. Numbers mean different
        // things, so only names are compared.
        let is_name = value.contains(|c: char| c.is_ascii_alphabetic());
        let prefix = if option.starts_with(TO) { TO } else { "" };
        let name_of = |own: &SettingOption| format!("{prefix}{}", own.name);
        let of_kind = |kind: Kind| kind.setting_options().iter().map(move |own| (kind, own));
        let own: Vec<(Kind, &SettingOption)> =
            kinds.iter().copied().flat_map(of_kind).filter(|(_, own)| has(&name_of(own))).collect();
        let takes = |own: &SettingOption| own.set(&mut Settings::default(), value).is_ok();
        let hint = match own.iter().find(|(_, own)| is_name && takes(own)) {
            Some((_, own)) => Some(format!("did you mean `--{} {value}`?", name_of(own))),
            None => own.first().map(|(kind, own)| {
                format!("{} has --{}: {}", kind.name(), name_of(own), own.about)
            }),
        };
        Err(match hint {
            Some(hint) => failure.hinting(hint),
            None => failure,
        })
    }
}

/// Returns the schemes that have an option, if not all do.
fn owners(option: &str) -> Vec<&'static str> {
    let option = option.strip_prefix(TO).unwrap_or(option);
    let (with, without): (Vec<Kind>, Vec<Kind>) =
        Kind::ALL.iter().copied().partition(|kind| has(&[*kind], option));
    let mut owners: Vec<&str> = with.into_iter().map(Kind::name).collect();
    owners.dedup();
    if without.is_empty() { Vec::new() } else { owners }
}

impl Args for GivenOptions {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for GivenOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let ids = matches.ids().map(clap::Id::as_str);
        let given = ids.filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine));
        let value = |id: &str| {
            let value = matches.get_raw(id).and_then(|mut values| values.next());
            (id.to_owned(), value.unwrap_or_default().to_string_lossy().into_owned())
        };
        Ok(Self(given.map(value).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
