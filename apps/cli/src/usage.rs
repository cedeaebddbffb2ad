//! Errors of usage: clap's, in the form of every other message, with a hint for the mistakes that
//! people make.

use std::env;
use std::ffi::OsStr;
use std::io::Write as _;

use clap::Command;
use clap::builder::{PossibleValue, PossibleValuesParser, Resettable, TypedValueParser as _};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use tickid_core::{Clock as _, SystemClock};
use tickid_detect::{Format, detect};
use tickid_snowflake::Preset;

use crate::convert::forms_in_words;
use crate::message::{say_hint, shown};
use crate::options::when::When;
use crate::options::{Scheme, variable};
use crate::output::picture::WIDTH;
use crate::reading::is_format;

/// Prints the help that was asked for, or an error of usage in the form of every other, and ends
/// the process.
pub(crate) fn exit_usage(error: clap::Error, command: &Command) -> ! {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    let (path, last) = subcommand(command);
    let hint = of_environment(&error, last).unwrap_or_else(|| similar(&error, &path, last));
    let code = error.exit_code();
    let text = quoted(error).render().ansi().to_string();
    // A summary of the usage follows.
    let message = text.split("\n\n").next().unwrap_or_default();
    // The status says it, too, where standard error cannot be written.
    let _ = writeln!(anstream::stderr(), "{}", message.trim_end());
    say_hint(&hint);
    std::process::exit(code);
}

/// Returns a command whose help is as wide as the terminal, but no wider than cards are.
///
/// clap breaks long lines there and keeps the breaks that the text below the options has in the
/// source, so each of its paragraphs becomes one line. Examples and tables are indented, and stay
/// as they are.
pub(crate) fn fitting_help(command: Command) -> Command {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let command = command.max_term_width(WIDTH).mut_subcommands(fitting_help);
    if text.is_empty() { command } else { command.after_help(paragraphs(&text)) }
}

/// Leaves out the environment variables without a value. In unit files and manifests there often are
/// such ones, and clap would take nothing for the value.
pub(crate) fn without_empty_variables(command: Command) -> Command {
    let is_empty = |name: &OsStr| env::var_os(name).is_some_and(|value| value.is_empty());
    let command = command.mut_args(|argument| match argument.get_env() {
        Some(name) if is_empty(name) => argument.env(Resettable::Reset),
        _ => argument,
    });
    command.mut_subcommands(without_empty_variables)
}

/// Returns a text without the line breaks within its paragraphs.
fn paragraphs(text: &str) -> String {
    let mut whole = String::new();
    let mut is_within = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        if !whole.is_empty() {
            whole.push(if is_within && is_prose { ' ' } else { '\n' });
        }
        whole.push_str(line);
        is_within = is_prose;
    }
    whole
}

/// Returns the command with the subcommands that were given, `tickid gen sno`, and the last of
/// these.
pub(crate) fn subcommand(mut command: &Command) -> (String, &Command) {
    let mut path = command.get_name().to_owned();
    for argument in std::env::args_os().skip(1) {
        let Some(next) = command.find_subcommand(&argument) else { continue };
        path.push(' ');
        path.push_str(next.get_name());
        command = next;
    }
    (path, command)
}

/// Returns the hint for an error of usage.
fn similar(error: &clap::Error, path: &str, command: &Command) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    // From the surest guess to the least: an argument that is no option, a habit from other tools,
    // a name in another case, and names that look alike.
    if let Some(hint) = of_ids(error, path) {
        return hint;
    }
    if let Some(hint) = habit(path, text(ContextKind::InvalidArg), text(ContextKind::InvalidValue))
    {
        return format!("did you mean {hint}? `{path} --help` shows all");
    }
    let given = text(ContextKind::InvalidSubcommand);
    if path == "tickid" && Scheme::all().iter().any(|scheme| scheme.name() == given) {
        return format!("did you mean `tickid gen {given}`? `tickid --help` shows all");
    }
    // What follows the program's name is the program's.
    let is_of_realm = |it: &String| it.starts_with("--realm");
    if path == "tickid lease exec"
        && suggested(error, ContextKind::InvalidArg).iter().any(is_of_realm)
        && arguments().any(|it| is_of_realm(&it))
    {
        return format!("options come before the program: `{path} --realm NAME -- PROGRAM`");
    }
    if path == "tickid convert"
        && text(ContextKind::InvalidArg).starts_with("--to ")
        && let Some((format, _)) = text(ContextKind::InvalidValue).split_once('/')
        && let Some(forms) = forms_in_words(format)
    {
        return format!("{format} is written {forms}, as in {format}/hex");
    }
    let other_case = |it: &&Command| is_same(it.get_name(), text(ContextKind::InvalidSubcommand));
    if let Some(same) = command.get_subcommands().find(other_case) {
        return format!("did you mean `{path} {}`? `{path} --help` shows all", same.get_name());
    }
    let given = [ContextKind::InvalidSubcommand, ContextKind::InvalidValue].map(text).concat();
    // `range` and `convert` take the names of layouts.
    let takes_schemes = matches!(path, "tickid gen" | "tickid lease init" | "tickid sql");
    let of_layout = |preset: Preset| {
        let name = preset.key();
        format!("did you mean `{path} snowflake --layout {name}`? `{path} --help` shows all")
    };
    if takes_schemes && let Some(preset) = Preset::named(&given) {
        return of_layout(preset);
    }
    if path == "tickid gen"
        && let Some(hint) = of_other_ids(&given)
    {
        return hint;
    }
    let valid = suggested(error, ContextKind::ValidValue);
    if let Some(same) = valid.iter().find(|it| is_same(it, &given)) {
        return format!("did you mean {same}? `{path} --help` shows all");
    }
    // clap suggests words that share a few letters, which short words do too easily.
    let suggested = |kind| related(&given, suggested(error, kind));
    let commands = suggested(ContextKind::SuggestedSubcommand);
    let commands = commands.into_iter().map(|name| format!("`{path} {name}`"));
    let options = suggested(ContextKind::SuggestedArg).into_iter();
    let values = suggested(ContextKind::SuggestedValue).into_iter();
    let names = nearest(&given, names(text(ContextKind::InvalidArg)), command);
    let mut all: Vec<String> = commands.chain(options).chain(values).collect();
    // clap may have found a name among the values already.
    let others = names.into_iter().filter(|name| !all.contains(name)).collect::<Vec<_>>();
    all.extend(others);
    let layout = nearest(&given, layouts(), command);
    let layout = layout.first().and_then(|name| Preset::named(name));
    if all.is_empty()
        && takes_schemes
        && let Some(preset) = layout
    {
        return of_layout(preset);
    }
    match all.as_slice() {
        [] => format!("`{path} --help` shows the options, with examples"),
        all => format!("did you mean {}? `{path} --help` shows all", all.join(" or ")),
    }
}

/// Returns the texts that clap has for a kind, such as what it found similar.
fn suggested(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        Some(ContextValue::Strings(several)) => several.clone(),
        _ => Vec::new(),
    }
}

/// Returns the names that the value of an argument may have, as far as the argument shows them:
/// `--epoch <twitter|discord|unix|TIME>`.
fn names(argument: &str) -> Vec<&str> {
    let (_, values) = argument.split_once(['<', '[']).unwrap_or_default();
    let words = values.split(|c: char| !(c.is_ascii_alphabetic() || c == '-'));
    let is_name = |word: &&str| !word.is_empty() && !word.contains(|c: char| c.is_uppercase());
    let mut names: Vec<&str> = words.clone().filter(is_name).collect();
    for word in words {
        match word {
            "LAYOUT" | "SETTINGS" => names.extend(layouts()),
            "SCHEME" => names.extend(Scheme::all().iter().map(|scheme| scheme.name())),
            _ => {}
        }
    }
    names
}

/// Returns the names of layouts.
fn layouts() -> Vec<&'static str> {
    let names = |preset: &'static Preset| {
        [preset.key()].into_iter().chain(preset.aliases().iter().copied())
    };
    Preset::ALL.iter().flat_map(names).collect()
}

/// Returns the name that the end of a value may be a misspelling of, if there is one: the value may
/// be `posts=snowflake:twiter`.
fn nearest(given: &str, names: Vec<&str>, command: &Command) -> Vec<String> {
    let given = given.rsplit(['=', ':']).next().unwrap_or_default();
    let names = names.into_iter().map(|name| PossibleValue::new(name.to_owned()));
    // An error of clap's that has what is similar in clap's opinion.
    let parsed = PossibleValuesParser::new(names).parse_ref(command, None, given.as_ref());
    let found = parsed.err().map(|error| suggested(&error, ContextKind::SuggestedValue));
    related(given, found.unwrap_or_default())
}

/// Returns the hint for the name of IDs that `gen` does not make, but others do.
fn of_other_ids(given: &str) -> Option<String> {
    let lower = given.to_lowercase();
    // Names that no format of ours has, and formats that are in use for rows of any kind.
    let is_other = matches!(lower.as_str(), "cuid" | "cuid2" | "guid" | "nanoid" | "oid")
        || matches!(lower.as_str(), "ulid" | "ksuid" | "typeid" | "xid" | "objectid");
    let name = lower.parse::<Format>().map_or(given, |format| format.title());
    is_other.then(|| {
        format!(
            "no {name} is made here; did you mean `tickid gen uuid`? `tickid gen --help` shows all"
        )
    })
}

/// Returns the hint for IDs, and their formats, that were mistaken for other arguments: an ID in
/// place of a subcommand, one that starts with `-`, and formats without their options.
#[expect(clippy::wildcard_enum_match_arm, reason = "clap's errors, of which these two are of IDs")]
fn of_ids(error: &clap::Error, path: &str) -> Option<String> {
    if let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(given))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    {
        return is_like_an_id(given)
            .then(|| format!("did you mean `tickid inspect {}`?", shown(given)));
    }
    // The options of `tickid` itself are few.
    let path = if path == "tickid" { "tickid inspect" } else { path };
    if !matches!(path, "tickid inspect" | "tickid convert") {
        return None;
    }
    let given: Vec<String> = arguments().collect();
    match error.kind() {
        ErrorKind::UnknownArgument => {
            // In the alphabet for URLs, kuids may start with `-`, which clap takes for an option.
            let id = given.iter().find(|it| is_id(it))?;
            Some(format!("IDs that start with - come last, after --: `{path} … -- {id}`"))
        }
        ErrorKind::MissingRequiredArgument => {
            // In `tickid convert discord sno 175928847299117063` the formats were taken for IDs. A
            // format after an option is the value of that option, and in its right place.
            let is_stray = |pair: &&[String]| !pair[0].starts_with('-') && is_format(&pair[1]);
            let formats = given.windows(2).filter(is_stray).map(|pair| pair[1].as_str());
            match formats.collect::<Vec<_>>().as_slice() {
                [from, to, ..] => Some(format!("did you mean `{path} --from {from} --to {to}`?")),
                [to] => Some(format!("did you mean `{path} --to {to}`?")),
                [] => None,
            }
        }
        _ => None,
    }
}

/// Reports whether an argument that was taken for an option is an ID.
fn is_id(argument: &str) -> bool {
    // Names of options have neither upper-case letters nor digits, and most IDs have both.
    let is_name = !argument.contains(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
    let settings = tickid_convert::Settings::default();
    argument.starts_with('-')
        && !is_name
        && !detect(argument.as_bytes(), &settings, None).is_empty()
}

/// Reports whether an argument that was taken for a subcommand is likely an ID, or a number.
fn is_like_an_id(argument: &str) -> bool {
    let settings = tickid_convert::Settings::default();
    let found = detect(argument.as_bytes(), &settings, SystemClock.now().ok());
    let is_number = !found.is_empty() && argument.bytes().all(|byte| byte.is_ascii_digit());
    is_number || found.likely().next().is_some()
}

/// Returns the arguments of the process that are text.
fn arguments() -> impl Iterator<Item = String> {
    std::env::args_os().filter_map(|argument| argument.into_string().ok())
}

/// Returns what a habit from other commands stands for here.
fn habit(path: &str, argument: &str, value: &str) -> Option<String> {
    let words: Vec<&str> = path.split(' ').collect();
    match (words.as_slice(), argument, value) {
        (_, "--n", _) => Some("-n".into()),
        // A shell has split a template at its spaces.
        (_, word, _) if word.starts_with('{') => {
            let template = arguments().skip_while(|it| it != "--template").nth(1)?;
            Some(format!("--template '{template} {word}'"))
        }
        (["tickid", "inspect"], "--local", _) => Some("--tz local".into()),
        (["tickid", "inspect" | "convert"], "--format", _) => Some("--json".into()),
        (["tickid", "gen" | "range", ..], "--format", _) => {
            // An option that does not exist has no value for clap.
            let value = arguments().skip_while(|argument| argument != "--format").nth(1);
            Some(if value.as_deref() == Some("json") { "--json" } else { "--as" }.into())
        }
        (["tickid", "gen", _], number, _) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            (!number.is_empty()).then(|| format!("-n {number}"))
        }
        // Options of a scheme before it.
        (["tickid", "gen"] | ["tickid", "gen", _], option, _) if is_before_scheme(option) => {
            Some(format!("`tickid gen SCHEME {option}`"))
        }
        (["tickid", "lease", "invalidate"], "[SCHEME]", name) => Some(format!("--realm {name}")),
        (["tickid", "lease", verb], name, _)
            if !name.starts_with('-') && !name.is_empty() && *verb != "init" =>
        {
            Some(format!("--realm {name}"))
        }
        // Elsewhere they name formats.
        (["tickid", "range"], "--from", _) => Some("--since".into()),
        (["tickid", "range"], "--to", _) => Some("--until".into()),
        (["tickid", "range"], time, _) if time.parse::<When>().is_ok() => {
            let quote = if time.contains(' ') { "'" } else { "" };
            Some(format!("--since {quote}{time}{quote}"))
        }
        _ => None,
    }
}

/// Reports whether an option was given to `tickid` or `gen` rather than to one of the schemes.
fn is_before_scheme(option: &str) -> bool {
    let is_gen = |it: &String| it == "gen" || it == "generate";
    let before = arguments().take_while(|it| !is_gen(it));
    let after = arguments().skip_while(|it| !is_gen(it)).skip(1).take(1);
    option.starts_with('-') && before.chain(after).any(|it| it.starts_with(option))
}

/// Reports whether a value is another spelling of one of ours: `UUID_v7`, `uuid7`.
fn is_same(ours: &str, given: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_'], "").replace("idv", "id");
    plain(ours) == plain(given)
}

/// Returns the suggestions that have to do with what was given. A name that others use for
/// something else is not a misspelling, however similar ours are.
fn related(given: &str, mut suggestions: Vec<String>) -> Vec<String> {
    const OTHERS: [&str; 12] = [
        "cuid", "cuid2", "guid", "ksh", "ksuid", "nanoid", "oid", "sh", "tcsh", "tsid", "typeid",
        "ulid",
    ];
    let given = given.to_lowercase();
    if OTHERS.contains(&given.as_str()) {
        return Vec::new();
    }
    if given.starts_with("uuid") {
        suggestions.retain(|one| one.starts_with("uuid"));
    }
    suggestions
}

/// Returns the hint for an invalid value that no argument has.
fn of_environment(error: &clap::Error, command: &Command) -> Option<String> {
    let ContextValue::String(argument) = error.get(ContextKind::InvalidArg)? else { return None };
    let option = argument.split(' ').next()?;
    let variable = variable(option.strip_prefix("--")?);
    let is_given =
        std::env::args_os().any(|it| it.as_encoded_bytes().starts_with(option.as_bytes()));
    let names = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(given)) => nearest(given, names(argument), command),
        _ => Vec::new(),
    };
    let nearest = names.first().map_or_else(String::new, |it| format!("did you mean {it}? "));
    (!is_given && std::env::var_os(&variable).is_some())
        .then(|| format!("{nearest}the value is ${variable}'s; `unset {variable}` removes it"))
}

/// Returns an error of clap's that shows the arguments it quotes as every other message does.
fn quoted(mut error: clap::Error) -> clap::Error {
    let foreign: Vec<(ContextKind, String)> = error
        .context()
        .filter_map(|(kind, value)| {
            let ContextValue::String(text) = value else { return None };
            Some((kind, shown(text)))
        })
        .collect();
    for (kind, text) in foreign {
        error.insert(kind, ContextValue::String(text));
    }
    error
}
