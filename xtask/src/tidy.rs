//! The project's own rules, which no compiler and no clippy checks. Each is a function over text or
//! metadata; only this file looks at the disk.

mod arrows;
mod citations;
mod features;
mod links;
mod manifest;
mod source;

use core::fmt;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::workspace::Workspace;

/// A rule that is broken, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// From the repository's root, with slashes.
    path: String,
    /// Counted from 1, where there is one.
    line: Option<usize>,
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// The files of the repository by their path from its root, with slashes. Only sources, manifests and
/// Markdown come with their text.
type Files = BTreeMap<String, String>;

pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let mut files = Files::new();
    read_folder(workspace.root(), "", &mut files)?;
    let packages = workspace.packages();

    let mut findings = Vec::new();
    for (path, text) in &files {
        if path.starts_with("crates/") && path.contains("/src/") && path.ends_with(".rs") {
            findings.extend(source::check(path, text));
        }
        if path.starts_with("crates/") && path.ends_with("/Cargo.toml") {
            findings.extend(manifest::check(path, text));
        }
        if path.ends_with(".md") {
            findings.extend(links::check(path, text, &files));
        }
    }
    findings.extend(citations::check(&files));
    findings.extend(source::stale_permits(&files));
    findings.extend(arrows::check(packages));
    findings.extend(arrows::missing_pages(packages, &files));
    findings.extend(features::check(packages, &files));
    if findings.is_empty() { Ok(()) } else { Err(Error::Untidy(findings)) }
}

/// Adds the files of `folder`, from `root`, but those that are hidden or were built.
fn read_folder(root: &Path, folder: &str, files: &mut Files) -> Result<(), Error> {
    let place = root.join(folder);
    let error = |reason| Error::Read { path: place.clone(), reason };
    for entry in fs::read_dir(&place).map_err(error)? {
        let entry = entry.map_err(error)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "target" {
            continue;
        }
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        let kind = entry.file_type().map_err(error)?;
        if kind.is_dir() {
            read_folder(root, &path, files)?;
        } else {
            let text = if [".rs", ".md", ".toml"].iter().any(|end| path.ends_with(end)) {
                let place = entry.path();
                fs::read_to_string(&place).map_err(|reason| Error::Read { path: place, reason })?
            } else {
                String::new()
            };
            files.insert(path, text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_reads_like_a_compiler_message() {
        let mut finding =
            Finding { path: "a/b.rs".to_owned(), line: Some(7), message: "no".to_owned() };
        assert_eq!(finding.to_string(), "a/b.rs:7: no");
        finding.line = None;
        assert_eq!(finding.to_string(), "a/b.rs: no");
    }

    #[test]
    fn reads_sources_and_leaves_out_what_is_hidden() {
        let mut files = Files::new();
        read_folder(Path::new(env!("CARGO_MANIFEST_DIR")), "", &mut files).unwrap();
        assert!(files["src/tidy.rs"].contains("fn read_folder"));
        assert!(!files.keys().any(|path| path.contains("target/")));
    }
}
