//! The repository's files, and findings in them.

use core::fmt;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

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
    let (mut files, mut folders) = (Files::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        let cannot_read = || format!("cannot read {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(cannot_read)? {
            let path = entry.with_context(cannot_read)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_hidden =
                name.starts_with('.') && ![".ci", ".github", ".cargo"].contains(&&*name);
            if is_hidden || ["target", "node_modules"].contains(&&*name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let path = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            files.insert(path, String::from_utf8(bytes).unwrap_or_default());
        }
    }
    Ok(files)
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
