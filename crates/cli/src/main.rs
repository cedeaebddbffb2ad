//! The `tickid` command: generates, inspects and converts time-ordered identifiers.

mod args;
mod convert;
mod failure;
mod generate;
mod input;
mod inspect;
mod json;
mod lease;
mod node_store;
mod output;
mod patience;
mod picture;
mod progress;
mod range;
mod report;
mod schemes;
mod shown;
mod source;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::args::{Arguments, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    ended(run())
}

fn run() -> Result<ExitCode, Failure> {
    #[cfg(target_os = "linux")]
    if let Some(told) = lease::Launch::of_this_process() {
        return lease::launch(&told);
    }
    let arguments = Arguments::try_parse().unwrap_or_else(|error| shown::usage(error).exit());
    match arguments.command {
        Command::Gen(arguments) => generate::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Range(arguments) => range::run(&arguments),
        Command::Lease(arguments) => lease::run(&arguments),
        Command::Completions { shell } => completions(shell),
    }
}

fn ended(outcome: Result<ExitCode, Failure>) -> ExitCode {
    match outcome {
        Ok(code) => code,
        // Whoever read our output has had enough of it.
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            shown::say(&failure.to_string());
            failure.exit_code()
        }
    }
}

fn completions(shell: clap_complete::Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "tickid", &mut script);
    let mut out = output::Output::stdout();
    out.buffer().extend_from_slice(&script);
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
