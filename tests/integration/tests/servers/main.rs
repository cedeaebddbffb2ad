//! IDs in databases, through their clients: columns and arrays of all types, and programs that keep
//! orders.

/// Lists the tests of a server in a module, for `main`.
macro_rules! tests {
    ($group:literal, $server:ty: $($test:ident),+ $(,)?) => {
        pub(crate) const TESTS: &[tickid_testkit::servers::Test<$server>] =
            &[$((concat!($group, "::", stringify!($test)), $test)),+];
    };
}

mod diesel;
mod mysql_async;
mod postgres_types;
mod programs;
mod sqlx;

use std::process::ExitCode;

use tickid_testkit::servers::Tests;

fn main() -> ExitCode {
    let postgres =
        [diesel::TESTS, postgres_types::TESTS, programs::IN_POSTGRES, sqlx::TESTS].concat();
    let mariadb = [mysql_async::TESTS, programs::IN_MARIADB].concat();
    Tests::default()
        .add("postgres", &postgres)
        .add("mariadb", &mariadb)
        .add("sqlite", programs::IN_SQLITE)
        .run()
}
