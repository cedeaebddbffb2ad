//! The repository and its packages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::Command;
use crate::error::{Error, Result};
use crate::tables::{DATABASE_CLIENTS, HEAVY, LIBRARIES, SCHEMES};

/// A package of the main workspace.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The folder from the repository's root, with slashes.
    pub(crate) folder: String,
    pub(crate) is_library: bool,
    /// The features, each with those that it enables.
    pub(crate) features: BTreeMap<String, Vec<String>>,
    /// The names of the packages that it depends on, except in tests.
    pub(crate) dependencies: BTreeSet<String>,
    pub(crate) is_published: bool,
}

impl Package {
    /// Returns the features that users choose. Names that start with an underscore are private.
    pub(crate) fn public_features(&self) -> impl Iterator<Item = &String> {
        let is_public = |name: &&String| *name != "default" && !name.starts_with('_');
        self.features.keys().filter(is_public)
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
        let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR").ok_or(Error::NotUnderCargo)?;
        let root = Path::new(&manifest_dir).parent().ok_or(Error::NotUnderCargo)?.to_owned();
        let metadata = ["metadata", "--format-version=1", "--no-deps"];
        let packages = packages(&Command::new("cargo", &root, "").args(metadata).read()?)?;
        Ok(Self { root, packages })
    }

    pub(crate) fn libraries(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.is_library)
    }

    /// Returns a `--features` option with all features of all packages, except those for clients of
    /// databases.
    pub(crate) fn features_without_databases(&self) -> String {
        features(&self.packages, &DATABASE_CLIENTS)
    }

    /// Returns a `--features` option with all features of the libraries, except those for clients
    /// of databases and for stores of leases on servers.
    pub(crate) fn features_of_libraries(&self) -> String {
        let libraries =
            self.packages.iter().filter(|package| package.folder.starts_with(LIBRARIES));
        features(libraries, &[&DATABASE_CLIENTS[..], &HEAVY].concat())
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
fn features<'a>(packages: impl IntoIterator<Item = &'a Package>, except: &[&str]) -> String {
    let features = packages.into_iter().flat_map(|package| package.features.keys());
    let features: BTreeSet<_> = features.map(String::as_str).collect();
    let mut features = Vec::from_iter(features);
    features.retain(|feature| !except.contains(feature));
    format!("--features={}", features.join(","))
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
    let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
    let root = metadata["workspace_root"].as_str().ok_or(Error::Metadata("the root"))?;
    let packages = metadata["packages"].as_array().ok_or(Error::Metadata("the packages"))?;
    let read = |package| package_of(package, Path::new(root));
    packages.iter().map(|package| read(package).ok_or(Error::Metadata("a package"))).collect()
}

fn package_of(package: &Value, root: &Path) -> Option<Package> {
    let texts = |value: &Value| -> Vec<String> {
        let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    let folder = Path::new(package["manifest_path"].as_str()?).parent()?.strip_prefix(root).ok()?;
    let dependencies = package["dependencies"].as_array()?.iter();
    let dependencies = dependencies.filter(|dependency| dependency["kind"] != "dev");
    let mut targets = package["targets"].as_array()?.iter();
    Some(Package {
        name: package["name"].as_str()?.to_owned(),
        folder: folder.to_string_lossy().replace('\\', "/"),
        is_library: targets.any(|target| texts(&target["kind"]).iter().any(|kind| kind == "lib")),
        features: package["features"]
            .as_object()?
            .iter()
            .map(|(name, features)| (name.clone(), texts(features)))
            .collect(),
        dependencies: dependencies
            .filter_map(|dependency| dependency["name"].as_str().map(str::to_owned))
            .collect(),
        is_published: package["publish"].is_null(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: &str = r#"{
        "workspace_root": "/r",
        "packages": [{
            "name": "tickid-sno",
            "manifest_path": "/r/crates/sno/Cargo.toml",
            "targets": [{"kind": ["test"]}, {"kind": ["lib"]}],
            "features": {"default": ["std"], "std": []},
            "dependencies": [
                {"name": "tickid-core", "kind": null},
                {"name": "tickid-kuid", "kind": "dev"},
                {"name": "cc", "kind": "build"}
            ]
        }]
    }"#;

    #[test]
    fn reads_the_output_of_cargo_metadata() {
        let packages = packages(METADATA).unwrap();
        let [package] = &packages[..] else { panic!("{packages:?}") };
        assert_eq!((&*package.name, &*package.folder), ("tickid-sno", "crates/sno"));
        assert!(package.is_library);
        assert_eq!(package.features["default"], ["std"]);
        assert_eq!(Vec::from_iter(&package.dependencies), ["cc", "tickid-core"]);
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
    fn incomplete_metadata_is_an_error() {
        let error = packages(&METADATA.replace("targets", "x")).unwrap_err();
        assert!(error.to_string().ends_with("lacks a package"));
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
