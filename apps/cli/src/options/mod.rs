//! Options that several subcommands share.

pub(crate) mod given;
pub(crate) mod node;
pub(crate) mod policy;
pub(crate) mod values;
pub(crate) mod when;

use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use tickid_convert::{AnyScheme, Form, Kind, SettingOption, Settings, TextForm};
use tickid_detect::Format;
use tickid_snowflake::Preset;

use crate::options::values::{check_epoch, setting};

/// Reports whether a form is a text. The other forms are members of each JSON object anyway.
pub(crate) const fn is_text(form: Form) -> bool {
    match form {
        Form::Text(_) | Form::Own => true,
        Form::Int | Form::Hex | Form::Bytes | Form::Tuple => false,
    }
}

/// A scheme, by its name in the table of `tickid_convert`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheme(&'static str);

static SCHEMES: LazyLock<Vec<Scheme>> = LazyLock::new(|| {
    let mut schemes: Vec<Scheme> = Kind::ALL.iter().map(|kind| Scheme(kind.name())).collect();
    schemes.dedup();
    schemes
});

impl Scheme {
    /// Returns every scheme.
    pub(crate) fn all() -> &'static [Self] {
        &SCHEMES
    }

    /// Returns the scheme of a format, unless the format belongs to another system.
    pub(crate) fn of(format: Format) -> Option<Self> {
        Self::all().iter().copied().find(|scheme| scheme.0 == format.key())
    }

    /// Returns the kinds of IDs that are read as a format, and have options. A UUID may hold an ID
    /// of any kind.
    pub(crate) fn kinds_of(format: Format) -> Vec<Kind> {
        if format == Format::Uuid {
            return Kind::ALL.to_vec();
        }
        Self::of(format).into_iter().flat_map(Self::kinds).collect()
    }

    /// Returns the name in options and data.
    pub(crate) const fn name(self) -> &'static str {
        self.0
    }

    /// Returns the kinds of IDs that the scheme has.
    pub(crate) fn kinds(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.iter().copied().filter(move |kind| kind.name() == self.0)
    }

    /// Returns the kind of IDs with or without a node, or else the scheme's only one.
    pub(crate) fn kind(self, kind: KuidKind) -> Kind {
        let has_node = kind == KuidKind::Global;
        let fits = self.kinds().find(|kind| kind.has_node() == has_node);
        fits.or_else(|| self.kinds().next()).unwrap_or(Kind::ALL[0])
    }
}

impl ValueEnum for Scheme {
    fn value_variants<'a>() -> &'a [Self] {
        Self::all()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0))
    }
}

/// A scheme, or a known layout of Snowflakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemeOrLayout {
    Scheme(Scheme),
    Layout(Preset),
}

static SCHEMES_AND_LAYOUTS: LazyLock<Vec<SchemeOrLayout>> = LazyLock::new(|| {
    let schemes = Scheme::all().iter().map(|scheme| SchemeOrLayout::Scheme(*scheme));
    schemes.chain(Preset::ALL.iter().copied().map(SchemeOrLayout::Layout)).collect()
});

impl SchemeOrLayout {
    /// Returns the kind of IDs: with or without a node, or else the only one.
    pub(crate) fn kind(self, kind: KuidKind) -> Kind {
        match self {
            Self::Scheme(scheme) => scheme.kind(kind),
            Self::Layout(_) => Kind::Snowflake,
        }
    }

    /// Returns the names of the forms of these IDs.
    pub(crate) fn forms(self) -> Vec<&'static str> {
        match self {
            Self::Scheme(scheme) => forms_of(scheme),
            Self::Layout(_) => Form::names(Kind::Snowflake).collect(),
        }
    }

    /// Returns the kinds of IDs that have options. A known layout leaves nothing to choose.
    pub(crate) fn kinds(self) -> Vec<Kind> {
        match self {
            Self::Scheme(scheme) => scheme.kinds().collect(),
            Self::Layout(_) => Vec::new(),
        }
    }

    /// Returns the settings with the one that the name says.
    pub(crate) const fn over(self, settings: Settings) -> Settings {
        match self {
            Self::Scheme(_) => settings,
            Self::Layout(preset) => Settings { snowflake: preset.layout(), ..settings },
        }
    }
}

impl ValueEnum for SchemeOrLayout {
    fn value_variants<'a>() -> &'a [Self] {
        &SCHEMES_AND_LAYOUTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Scheme(scheme) => scheme.to_possible_value(),
            Self::Layout(preset) => {
                Some(PossibleValue::new(preset.key()).aliases(preset.aliases()))
            }
        }
    }
}

/// Returns the name of a value, as its option has it.
pub(crate) fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Returns the default nodes of a realm.
pub(crate) fn default_pool(scheme: &AnyScheme) -> String {
    match scheme.usual_nodes() {
        Some((last, bits)) => format!("0-{last}/{bits}"),
        None => "0/0".to_owned(),
    }
}

/// The facts that the text of an ID does not carry.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct IdOptions {
    #[command(flatten)]
    pub(crate) values: SettingValues,
}

impl IdOptions {
    /// Returns the settings of all schemes, as conversions take them.
    pub(crate) fn all(&self) -> Settings {
        self.values.over(Settings::default())
    }
}

/// The prefix of options for the settings of new IDs.
pub(crate) const TO: &str = "to-";

/// The values of the options that `tickid_convert` has for settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingValues(Vec<(SettingOption, String)>);

impl SettingValues {
    /// Returns settings with these values in place of others.
    pub(crate) fn over(&self, mut settings: Settings) -> Settings {
        for (option, text) in &self.0 {
            // The parser of the option has accepted the text.
            let _ = option.set(&mut settings, text);
        }
        settings
    }

    /// Returns the scheme of a kind with the settings that its own options select. Options of other
    /// kinds do not change it.
    pub(crate) fn scheme(&self, kind: Kind) -> AnyScheme {
        self.scheme_over(kind, Settings::default())
    }

    /// Does the same with other settings in place of the default ones.
    pub(crate) fn scheme_over(&self, kind: Kind, settings: Settings) -> AnyScheme {
        let is_own = |name| kind.setting_options().iter().any(|option| option.name == name);
        let own = self.0.iter().filter(|(option, _)| is_own(option.name)).cloned().collect();
        AnyScheme::new(kind, &Self(own).over(settings))
    }

    /// Refuses Snowflakes' layouts that were probably mistyped. Only commands that make a layout or
    /// a realm call it, so all others still read such IDs.
    pub(crate) fn check_epochs(&self) -> Result<(), String> {
        // The layout of Snowflakes ends with its epoch.
        let epochs = self.0.iter().filter_map(|(_, text)| text.rsplit_once('@'));
        epochs.map(|(_, epoch)| epoch).try_for_each(check_epoch)
    }

    /// Returns the value of the first option that a kind has.
    pub(crate) fn of(kind: Kind, text: &str) -> Result<Self, String> {
        let [option, ..] = kind.setting_options() else {
            return Err(format!("{} has no settings", kind.name()));
        };
        Ok(Self(vec![(*option, setting(option, text)?)]))
    }

    /// Returns the values of the options whose names on the command line are their own after
    /// `prefix`.
    pub(crate) fn read(matches: &ArgMatches, prefix: &str) -> Self {
        let value = |(_, option): (Kind, SettingOption)| {
            let id = format!("{prefix}{}", option.name);
            Some((option, matches.get_one::<String>(&id)?.clone()))
        };
        Self(Self::options().into_iter().filter_map(value).collect())
    }

    /// Returns the arguments of these options: each option once, with the first kind that has it.
    /// `help` makes the text of each out of the scheme's title.
    pub(crate) fn arguments(
        prefix: &str,
        help: impl Fn(&str, &SettingOption) -> String,
    ) -> impl Iterator<Item = Arg> {
        Self::options().into_iter().map(move |(kind, option)| {
            let name = format!("{prefix}{}", option.name);
            Arg::new(name.clone())
                .long(name)
                .value_name(option.values)
                .value_parser(move |text: &str| setting(&option, text))
                .allow_negative_numbers(option.is_time)
                .help(help(Format::of_kind(kind).title(), &option))
        })
    }

    fn options() -> Vec<(Kind, SettingOption)> {
        let all = Kind::ALL.iter();
        let all = all.flat_map(|kind| kind.setting_options().iter().map(|option| (*kind, *option)));
        let mut options: Vec<(Kind, SettingOption)> = Vec::new();
        for (kind, option) in all {
            if options.iter().all(|(_, other)| other.name != option.name) {
                options.push((kind, option));
            }
        }
        options
    }
}

/// Returns the environment variable of a setting's option.
pub(crate) fn variable(name: &str) -> String {
    format!("TICKID_{}", name.to_uppercase().replace('-', "_"))
}

impl Args for SettingValues {
    fn augment_args(command: Command) -> Command {
        let arguments = Self::arguments("", |scheme, option| format!("{scheme}: {}", option.about));
        command.args(arguments.map(|argument| {
            let variable = variable(argument.get_id().as_str());
            argument.env(variable)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingValues {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self::read(matches, ""))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns the names of the texts of a scheme's IDs, if there are several.
pub(crate) fn texts_of(scheme: Scheme) -> Vec<&'static str> {
    let mut names = Vec::new();
    for form in scheme.kinds().flat_map(TextForm::all) {
        if !names.contains(&form.name) {
            names.push(form.name);
        }
    }
    if names.len() > 1 { names } else { Vec::new() }
}

/// Returns the names of the forms in which a scheme's IDs are written.
pub(crate) fn forms_of(scheme: Scheme) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in scheme.kinds().flat_map(Form::names) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The two kinds of kuids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum KuidKind {
    Local,
    #[default]
    Global,
}
