//! `tickid man`: man pages, made from the definition of the command line.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command};
use clap_mangen::Man;

use crate::failure::Failure;
use crate::message::{say, shown};
use crate::output::Output;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid man | man -l -
  tickid man gen | man -l -
  tickid man ~/.local/share/man/man1")]
pub(crate) struct ManArguments {
    /// The folder to write the pages to, one per subcommand, or a subcommand whose page to print
    /// [default: prints the main page]
    #[arg(value_name = "DIR|COMMAND")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ManArguments, mut command: Command) -> Result<ExitCode, Failure> {
    command = command.disable_help_subcommand(true);
    command.build();
    let named = arguments.folder.as_ref().and_then(|name| command.find_subcommand(name));
    if let (Some(folder), None) = (&arguments.folder, named) {
        fs::create_dir_all(folder).map_err(|reason| cannot_write(folder, reason))?;
        write_pages(&command, folder)?;
        // The folder may be a command whose name is mistyped.
        say(&format!("the pages are in {}", shown(folder.as_os_str().as_encoded_bytes())));
    } else {
        let mut out = Output::stdout();
        out.buffer().extend(page(named.unwrap_or(&command)).map_err(Failure::Write)?.into_bytes());
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages of a command and of all its subcommands that are not hidden.
fn write_pages(command: &Command, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(format!("{}.1", name(command)));
    let written = page(command).and_then(|page| fs::write(&path, page));
    written.map_err(|reason| cannot_write(&path, reason))?;
    let mut shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    shown.try_for_each(|subcommand| write_pages(subcommand, folder))
}

fn page(command: &Command) -> io::Result<String> {
    let man = Man::new(command.clone())
        .title(name(command).to_uppercase())
        .source(concat!("tickid ", env!("CARGO_PKG_VERSION")))
        .manual("User Commands");
    let mut page = Vec::new();
    man.render(&mut page)?;
    // The library's heading of examples and remarks.
    Ok(String::from_utf8_lossy(&page).replace("\n.SH EXTRA\n", "\n.SH NOTES\n"))
}

/// Returns the name of a command after its parents' names, as in `tickid-gen-sno`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn cannot_write(path: &Path, reason: io::Error) -> Failure {
    Failure::WriteFile { path: path.to_owned(), reason }
}
