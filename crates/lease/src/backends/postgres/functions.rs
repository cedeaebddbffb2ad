//! Functions in the database that make the IDs of a realm.

use crate::backend::Answer;
use crate::backends::postgres::failure::failed;
use crate::backends::postgres::{PostgresBackend, SCHEMA, Server};
use crate::error::StoreError;
use crate::model::realm::RealmSpec;
use crate::model::record::Record;
use crate::store::Begin;

const FUNCTIONS: &str = include_str!("functions.sql");
const SCHEMES: [&str; 4] = ["kuid", "nanoflake", "scru64", "sno"];

impl PostgresBackend {
    /// Returns the statements that create the functions which make a realm's IDs, as one
    /// transaction for `psql`. They include the tables of the backend.
    ///
    /// The functions need PostgreSQL 15 or later. They get a node of the realm for good, which no
    /// lease is granted any more. A realm that the database does not have begins as
    /// [`Store::begin`](crate::Store::begin) would begin it; one that it has must be of the same
    /// scheme and layout, and keeps its nodes and terms. Executing them again does no harm.
    ///
    /// # Errors
    /// Returns an error for a realm of a scheme other than Nanoflake, SCRU64, kuid and sno.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{Begin, PostgresBackend, RealmSpec};
    /// use tickid_scru64::Scru64;
    ///
    /// let realm = RealmSpec::new("orders".parse()?, &Scru64, "0-255/8".parse()?)?;
    /// let script = PostgresBackend::functions_sql(&realm, Begin::Beyond)?;
    /// assert!(script.contains("tickid.create_functions_v1('orders', "));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn functions_sql(realm: &RealmSpec, begin: Begin) -> Result<String, StoreError> {
        // Without notices of tables that exist.
        const BEGIN: &str = "BEGIN;\nSET LOCAL client_min_messages = warning;\n";
        Ok(format!("{BEGIN}{}COMMIT;\n", script(realm, begin)?))
    }

    /// Creates the functions which make a realm's IDs, by the statements of
    /// [`functions_sql`](Self::functions_sql). The role needs the right to create objects in the
    /// schema `tickid`, and becomes the owner of the functions.
    ///
    /// # Errors
    /// Returns an error as `functions_sql`, and for everything that the server refuses.
    ///
    /// # Examples
    /// ```no_run
    /// use core::time::Duration;
    /// use tickid_lease::{Begin, PostgresBackend, RealmSpec, block_on};
    /// use tickid_scru64::Scru64;
    ///
    /// let backend = PostgresBackend::open("postgres://admin@db.example.com/app")?;
    /// let realm = RealmSpec::new("orders".parse()?, &Scru64, "0-255/8".parse()?)?;
    /// block_on(backend.create_functions(&realm, Begin::AtOnce), Duration::from_secs(10))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_functions<'a>(&'a self, realm: &'a RealmSpec, begin: Begin) -> Answer<'a, ()> {
        Box::pin(async move {
            let script = script(realm, begin)?;
            let work = |mut session| async move {
                Server::run(&mut session, "create functions", &script).await
            };
            self.0.apart(work).await
        })
    }
}

fn script(realm: &RealmSpec, begin: Begin) -> Result<String, StoreError> {
    if !SCHEMES.contains(&realm.scheme()) {
        let scheme = realm.scheme();
        return Err(failed(format!("create functions: there are none for the scheme {scheme}")));
    }
    let record = Record::new(realm.clone(), String::new()).to_json().replace('\'', "''");
    let (name, at_once) = (realm.name(), begin == Begin::AtOnce);
    Ok(format!(
        "{SCHEMA}\n{FUNCTIONS}\n\
         DO $$ BEGIN PERFORM tickid.create_functions_v1('{name}', '{record}', {at_once}); END $$;\n"
    ))
}
