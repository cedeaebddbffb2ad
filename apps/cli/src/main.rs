//! The `tickid` command: generates, inspects and converts time-ordered identifiers.

mod convert;
mod doctor;
mod failure;
mod features;
mod generate;
mod input;
mod inspect;
mod layout;
mod lease;
#[cfg(feature = "full")]
mod man;
mod message;
mod options;
mod output;
mod range;
mod reading;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "postgres")]
mod sql;
mod store;
mod usage;
#[cfg(feature = "_log")]
mod verbose;

use std::borrow::Cow;
use std::process::ExitCode;

use clap::{ArgAction, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::convert::ConvertArguments;
use crate::doctor::DoctorArguments;
use crate::failure::Failure;
use crate::generate::GenCommand;
use crate::inspect::InspectArguments;
use crate::layout::LayoutArguments;
use crate::lease::LeaseCommand;
use crate::range::RangeArguments;

/// Generate, inspect and convert time-ordered identifiers: SCRU64, Nanoflake, kuid, sno and
/// Snowflakes.
#[derive(Debug, Parser)]
#[command(name = "tickid", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  tickid gen sno -n 3
  tickid inspect 0u375nxqh5cq
  tickid convert --from scru64 --node-size 8 --to sno 0u375nxqh5cq

Environment:
  TICKID_STORE      the store, unless --store names one
  TICKID_REALM      the realm, unless --realm names one
  TICKID_OPTION     a setting, as --option: TICKID_EPOCH, TICKID_NODE_SIZE,
                    TICKID_DRIFT, TICKID_LAYOUT
  RUST_LOG          the library's events to show, by module: tickid_lease=debug
  NO_COLOR          no colours; CLICOLOR_FORCE forces them

Exit status: 0 done, 1 some ID was invalid or the output could not be written, 2 usage, 3 node
store, 4 clock or timeout.")]
struct Arguments {
    /// Show the library's events; twice for more. $RUST_LOG selects them by module
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate IDs
    #[command(subcommand, visible_alias = "generate")]
    Gen(GenCommand),
    /// Show what IDs are, when they were made and which node made them
    #[command(visible_aliases = ["decode", "parse"])]
    Inspect(InspectArguments),
    /// Convert IDs between schemes
    Convert(ConvertArguments),
    /// Print the lowest and the highest ID of a time range
    Range(RangeArguments),
    /// Show the fields, years, rates and limits of a layout of Snowflakes
    Layout(LayoutArguments),
    /// Lease nodes from a store, list their holders, and maintain realms
    #[command(subcommand)]
    Lease(LeaseCommand),
    /// Check the clock, the store and the limits of this machine
    Doctor(DoctorArguments),
    /// Serve IDs to other programs over RESP (the Redis protocol) and HTTP
    #[cfg(feature = "serve")]
    Serve(Box<serve::ServeArguments>),
    #[cfg(not(feature = "serve"))]
    #[command(hide = true)]
    Serve(features::MissingFeature),
    /// Print the SQL that lets PostgreSQL make the IDs of a realm
    #[cfg(feature = "postgres")]
    Sql(sql::SqlArguments),
    #[cfg(not(feature = "postgres"))]
    #[command(hide = true)]
    Sql(features::MissingFeature),
    /// Print a completion script for a shell
    #[command(after_help = "Examples, with the places where shells look:
  bash        tickid completions bash \\
                > ~/.local/share/bash-completion/completions/tickid
  zsh         tickid completions zsh > DIR/_tickid, where DIR is in $fpath
  fish        tickid completions fish > ~/.config/fish/completions/tickid.fish
  PowerShell  tickid completions powershell >> $PROFILE
  elvish      tickid completions elvish >> ~/.config/elvish/rc.elv")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page, or write one for each subcommand
    #[cfg(feature = "full")]
    Man(man::ManArguments),
    #[cfg(not(feature = "full"))]
    #[command(hide = true)]
    Man(features::MissingFeature),
}

/// The stack that parsing the command line takes, and a reserve: it was enough with 96 kB, and with
/// 384 kB where nothing is optimized.
#[cfg(target_os = "linux")]
const STACK: u64 = if cfg!(debug_assertions) { 512 << 10 } else { 128 << 10 };

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Err(failure) = check_stack() {
        message::say_error(&failure.to_string(), failure.hint().as_deref());
        return failure.exit_code();
    }
    run_and_report()
}

/// Compares the limit of the stack with what the functions below need. Beyond the limit, the system
/// would end the process without a reason.
#[cfg(target_os = "linux")]
fn check_stack() -> Result<(), Failure> {
    use nix::sys::resource::{Resource, getrlimit};

    match getrlimit(Resource::RLIMIT_STACK) {
        Ok((limit, _)) if limit < STACK => Err(Failure::Stack { limit, least: STACK }),
        _ => Ok(()),
    }
}

// Not inlined, because a function reserves its stack as it begins.
#[inline(never)]
fn run_and_report() -> ExitCode {
    run().unwrap_or_else(|failure| {
        // The reader of the output has closed it.
        if failure.is_closed_pipe() {
            return ExitCode::SUCCESS;
        }
        let other = || failure.usual_hint(&usage::subcommand(&Arguments::command()).0);
        let hint = failure.hint().map(Cow::into_owned).or_else(other);
        message::say_error(&failure.to_string(), hint.as_deref());
        failure.exit_code()
    })
}

fn run() -> Result<ExitCode, Failure> {
    // `lease exec` runs this program again as its keeper and its launcher. Their arguments are not
    // part of the command line, and they must do nothing else on their way, so they come before
    // clap.
    #[cfg(target_os = "linux")]
    if let Some(ended) = lease::stage() {
        return ended;
    }
    let arguments = parse().unwrap_or_else(|error| usage::exit_usage(error, &Arguments::command()));
    // The log starts before the command, because a store has events from the moment it is opened.
    match arguments.command {
        // A server has its own log.
        #[cfg(feature = "serve")]
        Command::Serve(_) => {}
        #[cfg(feature = "_log")]
        _ => verbose::start(arguments.verbose),
        #[cfg(not(feature = "_log"))]
        _ if arguments.verbose > 0 => return Err(features::missing("--verbose", "full")),
        #[cfg(not(feature = "_log"))]
        _ => {}
    }
    match arguments.command {
        Command::Gen(scheme) => generate::run(&scheme),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Range(arguments) => range::run(&arguments),
        Command::Layout(arguments) => layout::run(&arguments),
        Command::Lease(command) => lease::run(&command),
        Command::Doctor(arguments) => doctor::run(&arguments),
        #[cfg(feature = "serve")]
        Command::Serve(serve) => serve::run(&serve, arguments.verbose),
        // Commands that this build leaves out are parsed all the same, so that the error names the
        // feature and is not that of a misspelt command.
        #[cfg(not(feature = "serve"))]
        Command::Serve(_) => Err(features::missing("`tickid serve`", "serve")),
        #[cfg(feature = "postgres")]
        Command::Sql(arguments) => sql::run(&arguments),
        #[cfg(not(feature = "postgres"))]
        Command::Sql(_) => Err(features::missing("`tickid sql`", "postgres")),
        Command::Completions { shell } => completions(shell),
        #[cfg(not(feature = "full"))]
        Command::Man(_) => Err(features::missing("`tickid man`", "full")),
        #[cfg(feature = "full")]
        Command::Man(arguments) => man::run(&arguments, Arguments::command()),
    }
}

/// Parses the command line, as `Arguments::try_parse` does, with help that fits the terminal.
fn parse() -> Result<Arguments, clap::Error> {
    let command = || usage::without_empty_variables(Arguments::command());
    // To fit the help takes half of the time of a start, so only an error or help itself does it.
    let matches = command().try_get_matches();
    let mut matches = matches.or_else(|_| usage::fitting_help(command()).try_get_matches())?;
    let parsed = Arguments::from_arg_matches_mut(&mut matches);
    parsed.map_err(|error| error.format(&mut Arguments::command()))
}

fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let mut out = output::Output::stdout();
    clap_complete::generate(shell, &mut Arguments::command(), "tickid", out.buffer());
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
