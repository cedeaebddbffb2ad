//! The repository's files, and findings in them.

use core::fmt;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::{Error, Result};

/// The texts of files by their paths from the root, with slashes. Binary files are left out.
pub(crate) type Files = BTreeMap<String, String>;

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The path from the repository's root, with slashes.
    pub(crate) path: String,
    /// The line, counted from 1, or 0 for the whole file.
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { path, line: 0, message } => write!(f, "{path}: {message}"),
            Self { path, line, message } => write!(f, "{path}:{line}: {message}"),
        }
    }
}

impl Finding {
    pub(crate) fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

/// Reads the files below `root`, except for targets, the packages of Node and hidden files other
/// than `.ci`, `.github` and `.cargo`.
pub(crate) fn read(root: &Path) -> Result<Files> {
    let mut files = Files::new();
    read_folder(root, "", &mut files)?;
    Ok(files)
}

fn read_folder(root: &Path, folder: &str, files: &mut Files) -> Result<()> {
    let place = root.join(folder);
    let error = |reason| Error::Read { path: place.clone(), reason };
    for entry in fs::read_dir(&place).map_err(error)? {
        let entry = entry.map_err(error)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_hidden = name.starts_with('.') && ![".ci", ".github", ".cargo"].contains(&&*name);
        if is_hidden || ["target", "node_modules"].contains(&&*name) {
            continue;
        }
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        if entry.file_type().map_err(error)?.is_dir() {
            read_folder(root, &path, files)?;
        } else {
            let bytes = fs::read(entry.path());
            let bytes = bytes.map_err(|reason| Error::Read { path: entry.path(), reason })?;
            files.insert(path, String::from_utf8(bytes).unwrap_or_default());
        }
    }
    Ok(())
}

/// Creates the files of a test.
#[cfg(test)]
pub(crate) fn files<const N: usize>(files: [(&str, &str); N]) -> Files {
    files.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
}

/// Returns findings as lines, for a test.
#[cfg(test)]
pub(crate) fn lines(findings: impl IntoIterator<Item = Finding>) -> Vec<String> {
    findings.into_iter().map(|finding| finding.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read() {
        let files = read(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()).unwrap();
        assert!(files["xtask/src/files.rs"].contains("fn read_folder"));
        assert!(files.contains_key(".ci/run"));
        assert!(!files.keys().any(|path| path.contains("target/") || path.starts_with(".git/")));
    }
}
