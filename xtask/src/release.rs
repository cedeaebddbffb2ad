//! `cargo xtask release`: the parts of a release that `cargo publish` leaves to its user.

use core::time::Duration;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::SystemTime;
use std::{fs, thread};

use clap::Subcommand;

use crate::command::say;
use crate::error::{self, Error};
use crate::workspace::Workspace;

const MANIFEST: &str = "Cargo.toml";
const CONTROL: &str = "apps/packaging/debian/control";
/// The name of the registry to which `.ci/publish` uploads.
const REHEARSAL: &str = "rehearsal";
/// The host of the placeholders.
const PLACEHOLDER: &str = "example.org";

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Replace the placeholders: the address of the repository, and the Debian maintainer.
    Addresses {
        /// The repository, such as `https://github.com/NAME/tickid`.
        #[arg(long, value_name = "URL", value_parser = url)]
        repository: String,
        /// The maintainer of the Debian package.
        #[arg(long, value_name = "NAME <MAIL>", value_parser = mailbox)]
        maintainer: String,
    },
    /// Publish all crates, each after those that it depends on.
    ///
    /// If the registry limits new crates, this waits for as long as the registry says: crates.io
    /// accepts five, and then one every ten minutes. After another failure it continues if the
    /// attempt published a crate. Otherwise run it again: crates that the registry holds are left
    /// out.
    Publish {
        /// Options of `cargo publish`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<OsString>,
    },
}

pub(crate) fn release(workspace: &Workspace, task: Task) -> error::Result<()> {
    match task {
        Task::Addresses { repository, maintainer } => {
            let edit = |file: &str, with: &dyn Fn(&str) -> Option<String>| {
                let path = workspace.root.join(file);
                let text = read(&path)?;
                let edited = with(&text).ok_or_else(|| Error::NoPlaceholder(path.clone()))?;
                fs::write(&path, edited).map_err(|reason| Error::Write { path, reason })
            };
            edit(MANIFEST, &|text| with_repository(text, &repository))?;
            edit(CONTROL, &|text| with_maintainer(text, &maintainer))
        }
        Task::Publish { options } => publish(workspace, &options),
    }
}

fn read(path: &Path) -> error::Result<String> {
    fs::read_to_string(path).map_err(|reason| Error::Read { path: path.to_owned(), reason })
}

fn url(text: &str) -> Result<String, &'static str> {
    let is_url = text.strip_prefix("https://").is_some_and(|rest| rest.contains('/'));
    let is_plain = !text.contains(|c: char| c.is_whitespace() || c == '"' || c == '\\');
    if is_url && is_plain { Ok(text.to_owned()) } else { Err("expected https://HOST/PATH") }
}

fn mailbox(text: &str) -> Result<String, &'static str> {
    let parts = text.strip_suffix('>').and_then(|text| text.split_once(" <"));
    let is_mailbox = parts.is_some_and(|(name, mail)| {
        !name.is_empty() && mail.contains('@') && !text.contains(['\n', '/', '&', '\\'])
    });
    if is_mailbox { Ok(text.to_owned()) } else { Err("expected NAME <MAIL>") }
}

/// Replaces the line that starts with `key`, and drops the comment that calls it a placeholder.
fn with_line(text: &str, key: &str, value: &str) -> Option<String> {
    let is_kept = |line: &&str| !line.starts_with("# Placeholder");
    let lines = text.lines().filter(is_kept).map(|line| match line.strip_prefix(key) {
        Some(_) => format!("{key}{value}\n"),
        None => format!("{line}\n"),
    });
    (text.lines().filter(|line| line.starts_with(key)).count() == 1).then(|| lines.collect())
}

fn with_repository(manifest: &str, url: &str) -> Option<String> {
    with_line(manifest, "repository = ", &format!("\"{url}\""))
}

fn with_maintainer(control: &str, mailbox: &str) -> Option<String> {
    with_line(control, "Maintainer: ", mailbox)
}

fn publish(workspace: &Workspace, options: &[OsString]) -> error::Result<()> {
    let path = workspace.root.join(MANIFEST);
    let is_rehearsal = options.iter().any(|option| option == "--dry-run" || option == REHEARSAL);
    if !is_rehearsal && read(&path)?.contains(PLACEHOLDER) {
        return Err(Error::Placeholder(path));
    }
    let (published, private): (Vec<_>, Vec<_>) =
        workspace.packages.iter().partition(|package| package.is_published());
    let names: BTreeSet<_> = published.iter().map(|package| package.name.clone()).collect();
    let mut done = BTreeSet::new();
    while !names.is_subset(&done) {
        let excluded = private.iter().map(|package| &package.name).chain(&done);
        let command = workspace.cargo("", "publish --workspace").args(options);
        let command = command.args(excluded.map(|name| format!("--exclude={name}")));
        // Colours would interrupt the messages.
        let command = command.env("CARGO_TERM_COLOR", "never");
        let shown = command.to_string();
        let (printed, status) = command.relay(|_| ())?;
        if status.success() {
            return Ok(());
        }
        let before = done.len();
        done.extend(held(&printed));
        if let Some(time) = limited_until(&printed) {
            let wait = time.duration_since(SystemTime::now()).unwrap_or_default();
            say(format_args!("release: waits {} s, as the registry asks", wait.as_secs() + 1));
            thread::sleep(wait + Duration::from_secs(1));
        } else if done.len() == before {
            return Err(Error::Failed { command: shown, status });
        }
    }
    Ok(())
}

/// Returns the crates that the registry holds by the messages of `cargo publish`: it uploaded them,
/// or refused to because they exist.
fn held(printed: &str) -> impl Iterator<Item = String> {
    printed.lines().filter_map(|line| {
        let uploaded = line.trim_start().strip_prefix("Uploaded ");
        let name = uploaded.and_then(|rest| rest.split_once(' ')).or_else(|| {
            let exists = line.strip_prefix("error: crate ")?;
            exists.split_once('@').filter(|(_, rest)| rest.contains("already exists"))
        });
        name.map(|(name, _)| name.to_owned())
    })
}

/// Returns the time until which the registry accepts no further crate.
fn limited_until(printed: &str) -> Option<SystemTime> {
    let (_, message) = printed.split_once("429 Too Many Requests")?;
    let time = message.split_once("try again after ").and_then(|(_, rest)| {
        let (time, _) = rest.split_once(" GMT")?;
        httpdate::parse_http_date(&format!("{time} GMT")).ok()
    });
    // The rate of crates.io.
    Some(time.unwrap_or_else(|| SystemTime::now() + Duration::from_secs(600)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These are the only two places: nothing else names the placeholders' host.
    #[test]
    fn placeholders_are_replaced() {
        let manifest = include_str!("../../Cargo.toml");
        let replaced = with_repository(manifest, "https://forge.test/a/tickid").unwrap();
        let parsed: toml::Table = replaced.parse().unwrap();
        let package = &parsed["workspace"]["package"];
        assert_eq!(package["repository"].as_str(), Some("https://forge.test/a/tickid"));
        assert!(!replaced.contains(PLACEHOLDER) && !replaced.contains("laceholder"), "{replaced}");

        let control = include_str!("../../apps/packaging/debian/control");
        let replaced = with_maintainer(control, "A B <a@forge.test>").unwrap();
        assert!(replaced.contains("\nMaintainer: A B <a@forge.test>\n\nPackage: tickid\n"));
        assert!(!replaced.contains(PLACEHOLDER), "{replaced}");
        // They can be replaced again.
        assert!(with_maintainer(&replaced, "C <c@forge.test>").is_some());
        assert_eq!(with_maintainer("Source: tickid\n", "C <c@forge.test>"), None);
    }

    #[test]
    fn addresses_are_checked() {
        for text in ["https://forge.test", "http://forge.test/a", "https://forge.test/a\"b", ""] {
            assert!(url(text).is_err(), "{text}");
        }
        for text in ["a@forge.test", "A <a>", " <a@b>", "A <a@b", "A/B <a@b>"] {
            assert!(mailbox(text).is_err(), "{text}");
        }
    }

    #[test]
    fn held_crates_are_recognized() {
        let printed = "    Uploaded tickid-core v0.1.0 to registry `crates-io`
   Uploading tickid-text v0.1.0 (/tickid/crates/text)
error: crate tickid-kuid@0.1.0 already exists on crates.io index
error: crate of no interest@0.1.0
error: failed to publish tickid-text v0.1.0 to registry at https://crates.io
";
        assert_eq!(Vec::from_iter(held(printed)), ["tickid-core", "tickid-kuid"]);
    }

    #[test]
    fn limits_end_when_the_registry_says() {
        let limit = |message: &str| limited_until(&format!("429 Too Many Requests): {message}"));
        let time = limit("Please try again after Tue, 24 Nov 2026 00:20:30 GMT or email help");
        assert_eq!(time, Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_479_630)));
        assert!(limit("Later.").unwrap() > SystemTime::now() + Duration::from_secs(540));
        assert_eq!(limited_until("status 500: Please try again after lunch"), None);
    }
}
