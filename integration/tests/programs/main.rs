//! The same program for every client of a database: orders with IDs that the database makes where
//! it can, ranges of time, pages.

mod diesel;
mod mysql_async;
mod rusqlite;
mod sea_orm;
mod sqlx;
mod tokio_postgres;

use std::path::PathBuf;
use std::process::ExitCode;

use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
use diesel_async::{AsyncMysqlConnection, AsyncPgConnection};
use tempfile::TempDir;
use tickid_integration::{MARIADB, POSTGRES, Program, SQLITE, keeps_orders};
use tickid_lease::RealmSpec;
use tickid_lease::admin::Begin;
use tickid_nanoflake::Nanoflake;
use tickid_testkit::servers::{MySql, Postgres, Server, StartError, Tests};
use tokio::runtime::{Builder, Runtime};

use self::diesel::Diesel;
use self::mysql_async::MysqlAsync;
use self::rusqlite::Rusqlite;
use self::sea_orm::SeaOrm;
use self::sqlx::Sqlx;
use self::tokio_postgres::TokioPostgres;

fn main() -> ExitCode {
    Tests::default()
        .add(
            "postgres",
            &[
                ("diesel", |server| {
                    in_postgres(server, "diesel", Diesel::<AsyncPgConnection>::connect)
                }),
                ("sea_orm", |server| {
                    in_postgres(server, "sea_orm", |url| SeaOrm::connect(url, POSTGRES));
                }),
                ("sqlx", |server| {
                    in_postgres(server, "sqlx", Sqlx::<::sqlx::PgConnection>::connect);
                }),
                ("tokio_postgres", |server| {
                    in_postgres(server, "tokio_postgres", TokioPostgres::connect);
                }),
            ],
        )
        .add(
            "mariadb",
            &[
                ("diesel", |server| {
                    in_mariadb(server, "diesel", Diesel::<AsyncMysqlConnection>::connect);
                }),
                ("mysql_async", |server| in_mariadb(server, "mysql_async", MysqlAsync::connect)),
                ("sea_orm", |server| {
                    in_mariadb(server, "sea_orm", |url| SeaOrm::connect(url, MARIADB));
                }),
                ("sqlx", |server| {
                    in_mariadb(server, "sqlx", Sqlx::<::sqlx::MySqlConnection>::connect);
                }),
            ],
        )
        .add(
            "sqlite",
            &[
                ("diesel", |folder| {
                    type Connection = SyncConnectionWrapper<::diesel::SqliteConnection>;
                    in_sqlite(folder, "diesel", Diesel::<Connection>::connect);
                }),
                ("rusqlite", |folder| in_sqlite(folder, "rusqlite", Rusqlite::open)),
                ("sea_orm", |folder| {
                    in_sqlite(folder, "sea_orm", |file| SeaOrm::connect(&url(file), SQLITE));
                }),
                ("sea_orm_values", |folder| {
                    let file = folder.0.path().join("sea_orm_values");
                    sea_orm::converts_values(&url(file.to_str().unwrap()));
                }),
                ("sqlx", |folder| {
                    type Connection = ::sqlx::SqliteConnection;
                    in_sqlite(folder, "sqlx", |file| Sqlx::<Connection>::connect(&url(file)));
                }),
            ],
        )
        .run()
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// Runs a program in a separate database, which makes the IDs of new orders.
fn in_postgres<P: Program>(server: &Postgres, name: &str, connect: impl Fn(&str) -> P) {
    let pool = "0-1023/10".parse().unwrap();
    let realm = RealmSpec::new("orders".parse().unwrap(), &Nanoflake::default(), pool).unwrap();
    let functions = tickid_sql::script(&realm, Begin::AtOnce).unwrap();
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
struct Folder(TempDir);

impl Server for Folder {
    const NAME: &'static str = "SQLite";

    fn start() -> Result<Self, StartError> {
        Ok(Self(tempfile::tempdir()?))
    }

    fn is_installed() -> bool {
        true
    }
}
