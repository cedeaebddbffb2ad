//! `tickid gen`.

mod kuid;
mod nanoflake;
mod patience;
mod plan;
mod progress;
mod scru64;
mod sno;
mod source;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use self::kuid::KuidArguments;
use self::nanoflake::NanoflakeArguments;
use self::plan::{GenOptions, SchemeArguments};
use self::scru64::Scru64Arguments;
use self::sno::SnoArguments;
use crate::failure::Failure;

#[derive(Debug, Args)]
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
pub(crate) struct GenArguments {
    #[command(subcommand)]
    scheme: GenScheme,
}

#[derive(Debug, Subcommand)]
enum GenScheme {
    /// SCRU64: 12 characters, 63 bits, 256 ms ticks
    Scru64(Scheme<Scru64Arguments>),
    /// Nanoflake, Snowflake: 63 bits, 1 ms ticks
    Nanoflake(Scheme<NanoflakeArguments>),
    /// Erlang's k-ordered uid: 64 bits local, 96 bits global
    Kuid(Scheme<KuidArguments>),
    /// sno: 16 characters, 80 bits, 4 ms ticks, a metabyte
    Sno(Scheme<SnoArguments>),
}

/// The arguments of one scheme, with those of all.
#[derive(Debug, Args)]
struct Scheme<A: Args> {
    #[command(flatten)]
    own: A,
    #[command(flatten)]
    options: GenOptions,
}

impl<A: Args + SchemeArguments> Scheme<A> {
    fn run(&self) -> Result<ExitCode, Failure> {
        self.own.generate(&self.options)
    }
}

pub(crate) fn run(arguments: &GenArguments) -> Result<ExitCode, Failure> {
    match &arguments.scheme {
        GenScheme::Scru64(scheme) => scheme.run(),
        GenScheme::Nanoflake(scheme) => scheme.run(),
        GenScheme::Kuid(scheme) => scheme.run(),
        GenScheme::Sno(scheme) => scheme.run(),
    }
}
