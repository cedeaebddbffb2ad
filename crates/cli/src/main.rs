//! The `tickid` command: generates, inspects and converts time-ordered identifiers.

mod convert;
mod describe;
mod failure;
mod generate;
mod input;
mod inspect;
mod json;
mod lease;
mod message;
mod options;
mod output;
mod picture;
mod range;
mod report;
mod schemes;
#[cfg(feature = "serve")]
mod serve;
mod store;
mod values;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::convert::ConvertArguments;
use crate::failure::Failure;
use crate::generate::GenScheme;
use crate::inspect::InspectArguments;
use crate::lease::LeaseCommand;
use crate::range::RangeArguments;

/// Generate, inspect and convert time-ordered identifiers: SCRU64, Nanoflake, kuid and sno.
#[derive(Debug, Parser)]
#[command(name = "tickid", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 done, 1 some ID was invalid or the output could not be \
                        written, 2 usage, 3 node store, 4 clock or timeout.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate IDs
    #[command(subcommand)]
    Gen(GenScheme),
    /// Show the fields of IDs
    Inspect(InspectArguments),
    /// Convert IDs between schemes
    Convert(ConvertArguments),
    /// Print the lowest and the highest ID of a range of times
    Range(RangeArguments),
    /// Lease nodes from a store, list their holders, and repair what went wrong
    #[command(subcommand)]
    Lease(LeaseCommand),
    /// Give IDs to other programs, over RESP (the Redis protocol) and HTTP
    #[cfg(feature = "serve")]
    Serve(Box<serve::ServeArguments>),
    /// Print a completion script for a shell
    #[command(after_help = "Example:
  tickid completions bash > ~/.local/share/bash-completion/completions/tickid")]
    Completions {
        /// The shell
        shell: Shell,
    },
}

fn main() -> ExitCode {
    run().unwrap_or_else(|failure| {
        // The reader of the output has had enough of it.
        if failure.is_closed_pipe() {
            return ExitCode::SUCCESS;
        }
        message::say_error(&failure.to_string(), failure.hint());
        failure.exit_code()
    })
}

fn run() -> Result<ExitCode, Failure> {
    #[cfg(target_os = "linux")]
    if let Some(launch) = lease::Launch::of_this_process() {
        return lease::launch(&launch);
    }
    let arguments = Arguments::try_parse().unwrap_or_else(|error| message::usage(error).exit());
    match arguments.command {
        Command::Gen(scheme) => generate::run(&scheme),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Range(arguments) => range::run(&arguments),
        Command::Lease(command) => lease::run(&command),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Completions { shell } => completions(shell),
    }
}

fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let mut out = output::Output::stdout();
    clap_complete::generate(shell, &mut Arguments::command(), "tickid", out.buffer());
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
