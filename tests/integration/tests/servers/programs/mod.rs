//! The same program for every client of a database: orders with IDs that the database makes where
//! it can, ranges of time, pages.

mod diesel;
mod mysql_async;
mod rusqlite;
mod sea_orm;
mod sqlx;
mod tokio_postgres;

use std::path::PathBuf;

use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
use diesel_async::{AsyncMysqlConnection, AsyncPgConnection};
use tempfile::TempDir;
use tickid_integration::{MARIADB, POSTGRES, Program, SQLITE, keeps_orders};
use tickid_lease::Realm;
use tickid_lease::admin::Start;
use tickid_nanoflake::Nanoflake;
use tickid_testkit::servers::{MySql, Postgres, Server, StartError, Test};
use tokio::runtime::{Builder, Runtime};

pub(crate) use self::diesel::Diesel;
pub(crate) use self::mysql_async::MysqlAsync;
use self::rusqlite::Rusqlite;
use self::sea_orm::SeaOrm;
pub(crate) use self::sqlx::Sqlx;
use self::tokio_postgres::TokioPostgres;

pub(crate) const IN_POSTGRES: &[Test<Postgres>] = &[
    ("programs::diesel", |server| {
        in_postgres(server, "diesel", Diesel::<AsyncPgConnection>::connect);
    }),
    ("programs::sea_orm", |server| {
        in_postgres(server, "sea_orm", |url| SeaOrm::connect(url, POSTGRES));
    }),
    ("programs::sqlx", |server| {
        in_postgres(server, "sqlx", Sqlx::<::sqlx::PgConnection>::connect);
    }),
    ("programs::tokio_postgres", |server| {
        in_postgres(server, "tokio_postgres", TokioPostgres::connect);
    }),
];

pub(crate) const IN_MARIADB: &[Test<MySql>] = &[
    ("programs::diesel", |server| {
        in_mariadb(server, "diesel", Diesel::<AsyncMysqlConnection>::connect);
    }),
    ("programs::mysql_async", |server| in_mariadb(server, "mysql_async", MysqlAsync::connect)),
    ("programs::sea_orm", |server| {
        in_mariadb(server, "sea_orm", |url| SeaOrm::connect(url, MARIADB));
    }),
    ("programs::sqlx", |server| {
        in_mariadb(server, "sqlx", Sqlx::<::sqlx::MySqlConnection>::connect);
    }),
];

pub(crate) const IN_SQLITE: &[Test<Folder>] = &[
    ("programs::diesel", |folder| {
        type Connection = SyncConnectionWrapper<::diesel::SqliteConnection>;
        in_sqlite(folder, "diesel", Diesel::<Connection>::connect);
    }),
    ("programs::rusqlite", |folder| in_sqlite(folder, "rusqlite", Rusqlite::open)),
    ("programs::sea_orm", |folder| {
        in_sqlite(folder, "sea_orm", |file| SeaOrm::connect(&url(file), SQLITE));
    }),
    ("programs::sea_orm_values", |folder| {
        let file = folder.0.path().join("sea_orm_values");
        sea_orm::converts_values(&url(file.to_str().unwrap()));
    }),
    ("programs::sqlx", |folder| {
        type Connection = ::sqlx::SqliteConnection;
        in_sqlite(folder, "sqlx", |file| Sqlx::<Connection>::connect(&url(file)));
    }),
];

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// Runs a program in a separate database, which makes the IDs of new orders.
fn in_postgres<P: Program>(server: &Postgres, name: &str, connect: impl Fn(&str) -> P) {
    let realm = Realm::builder("orders", Nanoflake::default()).pool("0-1023/10").build().unwrap();
    let functions = tickid_sql::Script::new(realm.spec(), Start::Immediately).statements().unwrap();
    server.psql(Postgres::DATABASE, &format!("CREATE DATABASE {name}")).unwrap();
    server.psql(name, &functions).unwrap();
    keeps_orders(&mut connect(&server.url_of(name)), POSTGRES, |id| {
        let columns = "upper(encode(customer, 'hex')) || ' ' || label";
        let id = i64::from(id);
        server.psql(name, &format!("SELECT {columns} FROM orders WHERE id = {id}")).unwrap()
    });
}

/// Runs a program in a separate database.
fn in_mariadb<P: Program>(server: &MySql, name: &str, connect: impl Fn(&str) -> P) {
    let user = MySql::USER;
    server.query(&format!("CREATE DATABASE {name}; GRANT ALL ON {name}.* TO {user}@'%'")).unwrap();
    keeps_orders(&mut connect(&server.url_of(name)), MARIADB, |id| {
        let columns = "concat(hex(customer), ' ', label)";
        let id = i64::from(id);
        server.query(&format!("SELECT {columns} FROM {name}.orders WHERE id = {id}")).unwrap()
    });
}

/// Returns the URL that makes sqlx create a file.
fn url(file: &str) -> String {
    format!("sqlite://{file}?mode=rwc")
}

/// Runs a program with a separate file.
fn in_sqlite<P: Program>(folder: &Folder, name: &str, open: impl Fn(&str) -> P) {
    let file: PathBuf = folder.0.path().join(name);
    keeps_orders(&mut open(file.to_str().unwrap()), SQLITE, |id| {
        let connection = ::rusqlite::Connection::open(&file).unwrap();
        let select = "SELECT hex(customer) || ' ' || label FROM orders WHERE id = ?1";
        connection.query_row(select, [id], |row| row.get(0)).unwrap()
    });
}

/// A folder for files of SQLite, which needs no server.
pub(crate) struct Folder(TempDir);

impl Server for Folder {
    const NAME: &'static str = "SQLite";

    fn start() -> Result<Self, StartError> {
        Ok(Self(tempfile::tempdir()?))
    }

    fn is_installed() -> bool {
        true
    }
}
