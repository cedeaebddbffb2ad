//! The repository and its packages.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::Error;
use crate::run::Run;

/// Workspaces of their own inside of the repository, where they exist.
const ASIDE: [&str; 4] = ["benches", "fuzz", INTEGRATION, NO_STD];
/// Tests of what only needs to be built where it is used: clients of databases, validators.
pub(crate) const INTEGRATION: &str = "integration";
pub(crate) const NO_STD: &str = "xtask/no_std";

/// Features for clients of databases. These bring what is not ours to choose: crates in two versions, and C
/// libraries to link with.
const DATABASE_CLIENTS: [&str; 4] = ["diesel", "postgres-types", "rusqlite", "sqlx"];

/// A package of the main workspace.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// From the repository's root, with slashes.
    pub(crate) folder: String,
    pub(crate) is_library: bool,
    pub(crate) features: Vec<String>,
    /// Names of the packages that those who use it get, too: not those for its tests.
    pub(crate) dependencies: Vec<String>,
}

pub(crate) struct Workspace {
    root: PathBuf,
    packages: Vec<Package>,
}

impl Workspace {
    pub(crate) fn find() -> Result<Self, Error> {
        // Asked when it runs: what was compiled in would be wrong after the repository has moved.
        let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR").ok_or(Error::NotUnderCargo)?;
        let root = Path::new(&manifest_dir).parent();
        let root = root.ok_or(Error::NotUnderCargo)?.to_owned();
        let metadata =
            Run::cargo(&root, "").args(["metadata", "--format-version=1", "--no-deps"]).read()?;
        let packages = packages(&metadata)?;
        Ok(Self { root, packages })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// What others depend on.
    pub(crate) fn libraries(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.is_library)
    }

    /// For cargo: all features of all packages but those for clients of databases.
    pub(crate) fn features_without_databases(&self) -> [String; 2] {
        let features: BTreeSet<_> =
            self.packages.iter().flat_map(|package| &package.features).collect();
        let mut features: Vec<_> = features.into_iter().map(String::as_str).collect();
        features.retain(|feature| !DATABASE_CLIENTS.contains(feature));
        ["--features".to_owned(), features.join(",")]
    }

    pub(crate) fn workspaces_aside(&self) -> impl Iterator<Item = &'static str> {
        let exists = |folder: &&str| self.root.join(folder).join("Cargo.toml").exists();
        ASIDE.into_iter().filter(exists)
    }

    pub(crate) fn cargo(&self, args: &[&str]) -> Run {
        self.cargo_in("", args)
    }

    pub(crate) fn cargo_in(&self, folder: &str, args: &[&str]) -> Run {
        Run::cargo(&self.root, folder).args(args)
    }

    pub(crate) fn nightly_cargo_in(&self, folder: &str, args: &[&str]) -> Run {
        Run::nightly_cargo(&self.root, folder).args(args)
    }
}

/// What matters here of `cargo metadata`.
fn packages(metadata: &str) -> Result<Vec<Package>, Error> {
    let metadata: Value = serde_json::from_str(metadata).map_err(Error::Json)?;
    let root = text(&metadata["workspace_root"]).ok_or(Error::Metadata("the workspace's root"))?;
    list(&metadata["packages"])
        .ok_or(Error::Metadata("the list of packages"))?
        .iter()
        .map(|package| read_package(package, Path::new(root)))
        .collect()
}

fn read_package(package: &Value, root: &Path) -> Result<Package, Error> {
    let folder = text(&package["manifest_path"])
        .and_then(|manifest| Path::new(manifest).parent()?.strip_prefix(root).ok())
        .ok_or(Error::Metadata("a package's folder"))?;
    let targets = list(&package["targets"]).ok_or(Error::Metadata("a package's targets"))?;
    let features = package["features"].as_object();
    let features = features.ok_or(Error::Metadata("a package's features"))?;
    let dependencies = list(&package["dependencies"]);
    let dependencies = dependencies.ok_or(Error::Metadata("a package's dependencies"))?;
    Ok(Package {
        name: text(&package["name"]).ok_or(Error::Metadata("a package's name"))?.to_owned(),
        folder: folder.to_string_lossy().replace('\\', "/"),
        is_library: targets.iter().any(is_library),
        features: features.keys().cloned().collect(),
        dependencies: dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "dev")
            .filter_map(|dependency| text(&dependency["name"]))
            .map(str::to_owned)
            .collect(),
    })
}

fn is_library(target: &Value) -> bool {
    list(&target["kind"]).is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib"))
}

fn text(value: &Value) -> Option<&str> {
    value.as_str()
}

fn list(value: &Value) -> Option<&[Value]> {
    value.as_array().map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_cargo_prints() {
        let metadata = r#"{
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
        let strings = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        let expected = Package {
            name: "tickid-sno".to_owned(),
            folder: "crates/sno".to_owned(),
            is_library: true,
            features: strings(["default", "std"]),
            dependencies: strings(["tickid-core", "cc"]),
        };
        assert_eq!(packages(metadata).unwrap(), [expected]);
    }

    #[test]
    fn features_of_all_packages_but_those_for_databases() {
        let package = |features: &[&str]| Package {
            features: features.iter().map(|&feature| feature.to_owned()).collect(),
            ..Package::default()
        };
        let packages = vec![package(&["std", "serde"]), package(&["diesel", "std", "uuid"])];
        let workspace = Workspace { root: PathBuf::new(), packages };
        assert_eq!(workspace.features_without_databases(), ["--features", "serde,std,uuid"]);
    }

    #[test]
    fn says_what_is_missing() {
        let no_json = packages("").unwrap_err();
        assert!(matches!(no_json, Error::Json(_)));
        let no_root = packages("{}").unwrap_err();
        assert!(no_root.to_string().contains("the workspace's root"));
        let nameless =
            r#"{"workspace_root": "/r", "packages": [{"manifest_path": "/r/Cargo.toml"}]}"#;
        assert!(packages(nameless).unwrap_err().to_string().contains("targets"));
    }
}
