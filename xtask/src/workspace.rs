//! The repository and its packages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::command::Command;
use crate::tables::{DATABASE_CLIENTS, HEAVY, LIBRARIES, SCHEMES};

/// The output of `cargo metadata`.
#[derive(Deserialize)]
struct Metadata {
    workspace_root: PathBuf,
    packages: Vec<Package>,
}

/// A package of the main workspace.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The folder from the repository's root, with slashes.
    #[serde(rename = "manifest_path")]
    pub(crate) folder: String,
    pub(crate) targets: Vec<Target>,
    /// The features, each with those that it enables.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    kind: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Option<String>,
}

impl Package {
    pub(crate) fn is_library(&self) -> bool {
        self.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "lib"))
    }

    /// Returns the features that users choose. Names that start with an underscore are private.
    pub(crate) fn public_features(&self) -> impl Iterator<Item = &String> {
        let is_public = |name: &&String| *name != "default" && !name.starts_with('_');
        self.features.keys().filter(is_public)
    }

    /// Reports whether it depends on a package, other than in tests.
    pub(crate) fn depends_on(&self, name: &str) -> bool {
        let is_for_tests = |of: &Dependency| of.kind.as_deref() == Some("dev");
        self.dependencies.iter().any(|of| of.name == name && !is_for_tests(of))
    }
}

pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) packages: Vec<Package>,
}

impl Workspace {
    /// Finds the repository of this program through the environment, because a path that was
    /// compiled in would be wrong once the repository has been moved.
    pub(crate) fn find() -> Result<Self> {
        let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
        let root = Path::new(&manifest_dir).parent();
        let root =
            root.context("cannot find the repository; run this as `cargo xtask`")?.to_owned();
        let metadata = ["metadata", "--format-version=1", "--no-deps"];
        let packages = packages(&Command::new("cargo", &root, "").args(metadata).read()?)?;
        Ok(Self { root, packages })
    }

    pub(crate) fn libraries(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.is_library())
    }

    /// Returns a `--features` option with all features of all packages, except those for clients of
    /// databases.
    pub(crate) fn features_without_databases(&self) -> String {
        features(&self.packages, DATABASE_CLIENTS)
    }

    /// Returns a `--features` option with all features of the libraries, except those for clients
    /// of databases and for stores of leases on servers.
    pub(crate) fn features_of_libraries(&self) -> String {
        let libraries =
            self.packages.iter().filter(|package| package.folder.starts_with(LIBRARIES));
        features(libraries, &[DATABASE_CLIENTS, HEAVY].join(","))
    }

    /// Returns cargo in a folder of the repository, with words separated by spaces. `{core}` stands
    /// for `--package=tickid-core`, and so on, and `{schemes}` for the packages of all schemes. A
    /// first word such as `+nightly` selects the toolchain.
    pub(crate) fn cargo(&self, folder: &str, words: &str) -> Command {
        let Some((toolchain, words)) = words.strip_prefix('+').and_then(|of| of.split_once(' '))
        else {
            return Command::new("cargo", &self.root, folder).args(expand(words));
        };
        // This program's cargo is not rustup's, which would understand the first word.
        let rustup = Command::new("rustup", &self.root, folder);
        rustup.args(["run", toolchain, "cargo"]).args(expand(words))
    }
}

/// Returns a `--features` option with all features of packages, except some.
fn features<'a>(packages: impl IntoIterator<Item = &'a Package>, except: &str) -> String {
    let features = packages.into_iter().flat_map(|package| package.features.keys());
    let mut features: BTreeSet<_> = features.map(String::as_str).collect();
    features.retain(|feature| !except.split(',').any(|one| one == *feature));
    format!("--features={}", Vec::from_iter(features).join(","))
}

fn expand(words: &str) -> Vec<String> {
    let package = |folder: &&str| folder.replace("crates/", "--package=tickid-");
    let expand = |word: &str| match word.strip_prefix('{').and_then(|of| of.strip_suffix('}')) {
        Some("schemes") => SCHEMES.iter().map(package).collect(),
        Some(name) => vec![format!("--package=tickid-{name}")],
        None => vec![word.to_owned()],
    };
    words.split_whitespace().flat_map(expand).collect()
}

/// Reads the output of `cargo metadata`.
fn packages(metadata: &str) -> Result<Vec<Package>> {
    let Metadata { workspace_root, mut packages } = serde_json::from_str(metadata)?;
    for Package { folder, .. } in &mut packages {
        let path = Path::new(folder).strip_prefix(&workspace_root)?;
        *folder = path.with_file_name("").to_string_lossy().replace('\\', "/");
        folder.truncate(folder.trim_end_matches('/').len());
    }
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_cargo_metadata_is_read() {
        let workspace = Workspace::find().unwrap();
        let sno = workspace.libraries().find(|one| one.folder == "crates/sno").unwrap();
        assert!(sno.depends_on("tickid-core") && !sno.depends_on("tickid-testkit"));
        assert!(sno.features["std"].contains(&"tickid-core/std".to_owned()));
    }

    /// The packages that `cargo test` compiles in the repository's root, as the manifest there says.
    #[test]
    fn default_members_stay_light() {
        let tree = Workspace::find().unwrap().cargo("", "tree --edges all --prefix none").read();
        let tree = tree.unwrap();
        let compiled: BTreeSet<&str> =
            tree.lines().filter_map(|line| line.split(' ').next()).collect();
        assert!(compiled.contains("tickid-lease") && compiled.contains("proptest"), "{compiled:?}");
        for heavy in ["axum", "clap", "hyper", "redis", "rustls", "tokio", "ureq"] {
            assert!(!compiled.contains(heavy), "{heavy}");
        }
    }

    #[test]
    fn packages_and_features_become_options() {
        let package = |folder: &str, features: &[&str]| Package {
            folder: folder.to_owned(),
            features: features.iter().map(|&feature| (feature.to_owned(), vec![])).collect(),
            ..Package::default()
        };
        let library = package("crates/a", &["lease-redis", "serde", "std"]);
        let packages = vec![library, package("apps/b", &["diesel_2", "serve", "std"])];
        let workspace = Workspace { root: PathBuf::new(), packages };
        let all = "--features=lease-redis,serde,serve,std";
        assert_eq!(workspace.features_without_databases(), all);
        assert_eq!(workspace.features_of_libraries(), "--features=serde,std");
        let options = expand("test {core} {schemes} --lib");
        assert_eq!(options[..3], ["test", "--package=tickid-core", "--package=tickid-kuid"]);
        assert_eq!(options[2 + SCHEMES.len()..], ["--lib"]);
    }
}
