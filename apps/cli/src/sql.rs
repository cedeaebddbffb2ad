//! `tickid sql`: prints the script that lets PostgreSQL make the IDs of a realm.

use std::process::ExitCode;

use clap::Args;
use tickid_lease::admin::{RealmName, Start};
use tickid_sql::Script;

use crate::failure::Failure;
use crate::lease::ShapeOptions;
use crate::options::Scheme;
use crate::options::values::parse;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid sql nanoflake --realm orders --epoch discord | psql -q shop
  tickid sql scru64 --realm jobs --pool 0-255/8 --new | psql -q shop
  tickid sql snowflake --layout discord --realm posts --new | psql -q shop

The statements create functions such as tickid.nanoflake('orders') for defaults of columns, in
PostgreSQL 15 or later, and reserve a node of the realm for them. An existing realm keeps its nodes
and terms. A new one starts after twice its allowance, skew and term, in case it was lost; with
--new it starts immediately. Once the realm exists, --new does not shorten that, and the database
refuses the statements until it has started.")]
pub(crate) struct SqlArguments {
    /// The scheme
    #[arg(value_enum)]
    scheme: Scheme,
    /// Realm in the database
    #[arg(long, value_name = "NAME", value_parser = parse::<RealmName>)]
    realm: RealmName,
    #[command(flatten)]
    shape: ShapeOptions,
    /// Start immediately, stating that the realm was never in this database; not for deployment
    /// scripts
    #[arg(long)]
    new: bool,
    /// Move the functions to another node, because the IDs of theirs are far ahead of the clock;
    /// takes one more each time
    #[arg(long, conflicts_with_all = ["new", "in_transaction"])]
    another_node: bool,
    /// Let copies by CREATE DATABASE … TEMPLATE issue IDs at once, stating that those never meet
    /// the original's; for test databases, never where there are backups
    #[arg(long)]
    copies_apart: bool,
    /// Print the statements without BEGIN and COMMIT, for the transaction of a migration, in which
    /// they come last; the database refuses them outside of one
    #[arg(long)]
    in_transaction: bool,
}

pub(crate) fn run(arguments: &SqlArguments) -> Result<ExitCode, Failure> {
    let realm = arguments.shape.realm(&arguments.realm, arguments.scheme)?;
    let start = if arguments.new { Start::Immediately } else { Start::Delayed };
    let mut script = Script::new(&realm, start);
    if arguments.another_node {
        script = script.another_node();
    }
    if arguments.copies_apart {
        script = script.copies_apart();
    }
    if arguments.in_transaction {
        script = script.in_transaction();
    }
    let mut out = Output::stdout();
    out.buffer().extend_from_slice(script.statements()?.as_bytes());
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
