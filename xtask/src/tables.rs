//! The rules of the architecture as tables.

/// The folder of the libraries that programs depend on.
pub(crate) const LIBRARIES: &str = "crates/";
/// The lanes: the libraries, the programs that people run or embed, and what proves both.
pub(crate) const LANES: [&str; 3] = [LIBRARIES, "apps/", "tests/"];

/// The text codecs, which core does not depend on, nor they on core.
pub(crate) const TEXT: &str = "crates/text";
pub(crate) const CORE: &str = "crates/core";
/// The ID schemes, each with a page in `docs/schemes`.
pub(crate) const SCHEMES: [&str; 5] =
    ["crates/kuid", "crates/nanoflake", "crates/scru64", "crates/sno", "crates/snowflake"];
pub(crate) const CONVERT: &str = "crates/convert";
const DETECT: &str = "crates/detect";
pub(crate) const LEASE: &str = "crates/lease";
/// The stores of leases on servers.
pub(crate) const STORES: &str = "crates/stores";
const SERVER: &str = "apps/server";
/// The functions in PostgreSQL.
const SQL: &str = "apps/sql";
/// The façade.
const FACADE: &str = "crates/tickid";
/// Its documentation, which lists the features of all libraries.
const FACADE_PAGE: &str = "crates/tickid/src/lib.rs";
/// The supervisor of programs with leased nodes.
const EXEC: &str = "apps/exec";
const CLI: &str = "apps/cli";
/// The shared test code, which is not published, so only tests may depend on it.
const TESTKIT: &str = "tests/kit";

/// The crates, each with the crates of the workspace that it may depend on, except in tests.
pub(crate) const ARROWS: &[(&[&str], &[&[&str]])] = &[
    (&[CORE, TEXT], &[]),
    (&SCHEMES, &[&[CORE, TEXT]]),
    (&[LEASE], &[&[CORE]]),
    (&[STORES], &[&[CORE, LEASE]]),
    (&[CONVERT], &[&[CORE, TEXT, LEASE], &SCHEMES]),
    (&[DETECT], &[&[CORE, TEXT, CONVERT], &SCHEMES]),
    (&[FACADE], &[&[CORE, TEXT, CONVERT, DETECT, LEASE, STORES], &SCHEMES]),
    (&[SERVER], &[&[CORE, TEXT, CONVERT, LEASE], &SCHEMES]),
    (&[SQL], &[&[CORE, LEASE, STORES], &SCHEMES]),
    (&[EXEC], &[&[CORE, LEASE]]),
    (&[CLI], &[&[CORE, TEXT, CONVERT, DETECT, LEASE, STORES, EXEC, SERVER, SQL, FACADE], &SCHEMES]),
    (&[TESTKIT], &[&[CORE, TEXT]]),
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
    (&[LEASE, STORES], &[FACADE_PAGE]),
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

/// The crates that only read IDs, each with its workspace. None of them reaches [`LEASE`].
pub(crate) const READERS: [(&str, &str); 2] = [("", "tickid-detect"), (WEB, "tickid-web")];
