//! The rules of the architecture as tables.

/// The folder of the libraries that programs depend on.
pub(crate) const LIBRARIES: &str = "crates/";
/// The lanes: the libraries, the programs that people run or embed, and what proves both.
pub(crate) const LANES: [&str; 3] = [LIBRARIES, "apps/", "tests/"];

pub(crate) const CORE: &str = "crates/core";
pub(crate) const STORES: &str = "crates/stores";
pub(crate) const FACADE: &str = "crates/tickid";
pub(crate) const COMMAND: &str = "apps/cli";
/// The ID schemes, each with a page in `docs/schemes`.
pub(crate) const SCHEMES: [&str; 5] =
    ["crates/kuid", "crates/nanoflake", "crates/scru64", "crates/sno", "crates/snowflake"];
/// The documentation of the façade, which lists the features of all libraries.
const FACADE_PAGE: &str = "crates/tickid/src/lib.rs";

/// The crates by the last part of their folder, each with the crates of the workspace that it may
/// depend on, except in tests. Nothing depends on `kit`, which is not published.
pub(crate) const ARROWS: &[(&str, &str)] = &[
    ("core text", ""),
    ("SCHEMES", "core text"),
    ("lease", "core"),
    ("stores", "core lease"),
    ("convert", "core text lease SCHEMES"),
    ("detect", "core text convert SCHEMES"),
    ("tickid", "core text convert detect lease stores SCHEMES"),
    ("server", "core text convert lease SCHEMES"),
    ("sql", "core lease stores SCHEMES"),
    ("exec", "core lease"),
    ("cli", "core text convert detect lease stores exec server sql tickid SCHEMES"),
    ("kit", "core text"),
];

/// The files that may allow `unsafe` code, in themselves and in their child modules. Rustc denies
/// it everywhere else through `unsafe_code` in the workspace's lints.
pub(crate) const UNSAFE_FILES: &[&str] = &[
    "crates/core/src/clock/counter/hardware.rs",
    "crates/core/src/fork.rs",
    "crates/text/src/kernels/mod.rs",
    "crates/lease/tests/fork.rs",
];

/// Parts of the manifest of every crate. The project promises one version, one licence and one set
/// of lints for all crates.
pub(crate) const INHERITED: &[&str] = &[
    "version.workspace = true",
    "edition.workspace = true",
    "rust-version.workspace = true",
    "license.workspace = true",
    "authors.workspace = true",
    "[lints]\nworkspace = true",
];

/// The documents whose tables list every feature of a crate, where `*` stands for the crate's
/// folder.
pub(crate) const FEATURE_TABLES: &[(&[&str], &[&str])] = &[
    (&SCHEMES, &["*/src/lib.rs", FACADE_PAGE]),
    (&[CORE, FACADE], &["*/src/lib.rs"]),
    (&["crates/lease"], &[FACADE_PAGE]),
    (&[STORES], &["*/src/lib.rs", FACADE_PAGE]),
];

/// Features for clients of databases. They bring crates in two versions, and C libraries.
pub(crate) const DATABASE_CLIENTS: &str = "diesel_2,diesel_2_sqlite,mysql_common_0_37,\
    postgres_types_0_2,rusqlite,sea_orm_2,sqlx_0_9,sqlx_0_9_postgres";

/// Features of libraries whose dependencies take longer to compile than all libraries together:
/// clients and TLS of stores on servers, and crates that describe or print IDs. The tests with the
/// latter are in [`INTEGRATION`].
pub(crate) const HEAVY: &str = "_fuzzing,_server,etcd,lease-etcd,lease-mysql,lease-postgres,\
    lease-redis,mysql,postgres,redis,schemars_1,utoipa_6";

/// Tests with databases, validators and other stacks.
pub(crate) const INTEGRATION: &str = "tests/integration";
/// A program that only links without `std`.
pub(crate) const NO_STD: &str = "tests/integration/no_std";
pub(crate) const BENCHES: &str = "benches";
/// The inspector page and the npm package.
pub(crate) const WEB: &str = "apps/web";

/// The crates that only read IDs, each with its workspace. None of them reaches leases.
pub(crate) const READERS: [(&str, &str); 2] = [("", "tickid-detect"), (WEB, "tickid-web")];
