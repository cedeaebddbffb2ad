//! Functions that make time-ordered IDs in PostgreSQL, as defaults of columns.
//!
//! With these, rows get their IDs even if no program of yours inserts them, for example by `COPY`
//! or in `psql`. The functions make the IDs of a [realm](tickid_lease::RealmSpec) whose store is
//! the database, so their IDs differ from all that [leased
//! generators](tickid_lease::LeasedGenerator) make for the same realm, and both can fill one table.
//! They need PostgreSQL 15 or later, but no extension and no superuser.
//!
//! ```sql
//! CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT tickid.nanoflake('orders'));
//! SELECT count(*) FROM orders WHERE id >= tickid.nanoflake_min('orders', '2026-11-01Z');
//! ```
//!
//! There are two ways to create the functions. [`Script::statements`] returns the statements, for
//! `psql` or a migration, and the command `tickid sql` prints the same ones. [`Script::install`]
//! executes them over a connection of its own. The guide is `docs/database.md`.
//!
//! # Examples
//! ```
//! use tickid_lease::admin::Start;
//! use tickid_lease::Realm;
//! use tickid_nanoflake::{Epoch, Nanoflake};
//! use tickid_sql::Script;
//!
//! let nanoflake = Nanoflake { epoch: Epoch::DISCORD };
//! let realm = Realm::builder("orders", nanoflake).pool("0-1023/10").build()?;
//! // For `psql`, or as a migration.
//! let statements = Script::new(realm.spec(), Start::Delayed).statements()?;
//! assert!(statements.contains("tickid.create_functions_v1('orders', "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod constants;

use tickid_core::{Scheme as _, TickStart};
use tickid_kuid::Kuid;
use tickid_lease::admin::Start;
use tickid_lease::backend::{Answer, Record, StoreErrorKind};
use tickid_lease::{RealmSpec, StoreError};
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;
use tickid_snowflake::{AnySnowflake, NodeAboveSequence, Snowflake};
use tickid_stores::PostgresBackend;

const FUNCTIONS: &str = include_str!("functions.sql");
const IN_TRANSACTION: &str = include_str!("in_transaction.sql");
const SCHEMES: [&str; 5] = [Kuid::NAME, Nanoflake::NAME, Scru64::NAME, Sno::NAME, SNOWFLAKE];
const SNOWFLAKE: &str = Snowflake::<NodeAboveSequence>::NAME;
/// The least number of bits between tick and sequence. They take what sessions add that overflow a
/// sequence at the same time.
const MIN_GUARD_BITS: u32 = 5;

/// The statements that create the functions which make a realm's IDs. They also create the tables
/// of [`PostgresBackend`]. Executing them again changes nothing, so a migration may repeat them.
///
/// The functions reserve a node of the realm for good, so it is never leased again and nothing has
/// to be renewed. A realm that the database does not have starts as with
/// [`Store::create`](tickid_lease::Store::create). For example, with [`Start::Delayed`] and the
/// default terms, the functions of a new Nanoflake realm start after half a minute. A realm that
/// the database has already must be of the same scheme and settings, and keeps its nodes, its terms
/// and its start: if it has not started, the database refuses the statements of a script with
/// [`Start::Immediately`].
///
/// # Examples
/// ```
/// use tickid_lease::admin::Start;
/// use tickid_lease::Realm;
/// use tickid_scru64::Scru64;
/// use tickid_sql::Script;
///
/// let realm = Realm::builder("orders", Scru64).pool("0-255/8").build()?;
/// let statements = Script::new(realm.spec(), Start::Delayed).statements()?;
/// assert!(statements.starts_with("BEGIN;\n") && statements.ends_with("COMMIT;\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Script {
    realm: RealmSpec,
    start: Start,
    another_node: bool,
    copies_apart: bool,
    in_transaction: bool,
}

impl Script {
    /// Creates the script for a realm, which starts so if the database does not have it.
    #[must_use]
    pub fn new(realm: &RealmSpec, start: Start) -> Self {
        Self {
            realm: realm.clone(),
            start,
            another_node: false,
            copies_apart: false,
            in_transaction: false,
        }
    }

    /// Also moves the functions of an existing realm to a different node. Use this when the IDs of
    /// the present node are far ahead of the clock.
    ///
    /// For example, a single ID that was made while the clock was a year ahead makes all calls fail
    /// for a year, because each new ID must be greater than all earlier ones. With a new node, the
    /// IDs start again at the clock's time, and sort below those from ahead.
    ///
    /// The node from before stays reserved, so each execution takes one more node of the realm's
    /// pool, and fails if none is free. For local kuids that is always so, since their realm has
    /// only one. Unlike the other statements, these do not belong in a migration that may be
    /// repeated, and are no [part of a transaction](Self::in_transaction). The database refuses them
    /// for a realm without functions, whose name may be mistyped.
    #[must_use]
    pub fn another_node(mut self) -> Self {
        self.another_node = true;
        self
    }

    /// States that the IDs of copies made with `CREATE DATABASE … TEMPLATE` never meet those of the
    /// original or of other copies, as with the template of test databases. A copy then issues IDs
    /// at once instead of waiting until it is beyond anything that its original can have issued. It
    /// starts at the present time, or beyond the original's IDs if those are later.
    ///
    /// Executing the statements without this ends it. Never use it for a database that has
    /// backups, because a copy that takes the place of its original repeats the last IDs.
    #[must_use]
    pub fn copies_apart(mut self) -> Self {
        self.copies_apart = true;
        self
    }

    /// Makes the [statements](Self::statements) part of a transaction that their caller begins and
    /// commits, as migration tools do. The server refuses them outside of one. They leave all
    /// settings of the session as they were.
    ///
    /// Run them last in a short transaction, because renewals of leases, of all realms in the
    /// database, wait for its commit from then on.
    #[must_use]
    pub fn in_transaction(mut self) -> Self {
        self.in_transaction = true;
        self
    }

    /// Returns the statements, as one transaction for `psql` unless they are to be part of
    /// [another](Self::in_transaction). Nothing in them looks like a parameter, such as `:1`, to a
    /// library that replaces those in statements.
    ///
    /// # Errors
    /// Returns an error of the kind [`Failed`](StoreErrorKind::Failed) for a realm of a scheme
    /// other than Nanoflake, SCRU64, kuid, sno and Snowflake, and for a Snowflake whose time and
    /// sequence have more than 58 bits together. The rest of 63 bits is room for sessions that
    /// overflow a sequence at the same time. Also returns one for a move to [another
    /// node](Self::another_node) as a part of a transaction, until whose commit the node from before
    /// would draw on.
    pub fn statements(&self) -> Result<String, StoreError> {
        if self.another_node && self.in_transaction {
            return Err(refused("a move to another node is a transaction of its own"));
        }
        let body = self.body()?;
        if self.in_transaction {
            return Ok(IN_TRANSACTION.replace("${statements}", &body));
        }
        // Without notices of tables that exist.
        let quiet = "SET LOCAL client_min_messages = warning;";
        Ok(format!("BEGIN;\n{quiet}\n{body}COMMIT;\n"))
    }

    /// Executes the statements in a database, as one transaction.
    ///
    /// The role needs the right to create objects in the schema `tickid`, and becomes the owner of
    /// the functions. To call them, `USAGE` on the schema is enough, so the application can have a
    /// role with fewer rights.
    ///
    /// # Errors
    /// Returns the errors of [`statements`](Self::statements), and an error for everything that
    /// the server refuses.
    ///
    /// # Examples
    /// ```no_run
    /// use core::time::Duration;
    /// use tickid_lease::admin::Start;
    /// use tickid_lease::session::block_on;
    /// use tickid_lease::Realm;
    /// use tickid_scru64::Scru64;
    /// use tickid_sql::Script;
    /// use tickid_stores::PostgresBackend;
    ///
    /// let backend = PostgresBackend::open("postgres://admin@db.example.com/app")?;
    /// let realm = Realm::builder("orders", Scru64).pool("0-255/8").build()?;
    /// let script = Script::new(realm.spec(), Start::Immediately);
    /// block_on(script.install(&backend), Duration::from_secs(10))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn install<'a>(&'a self, backend: &'a PostgresBackend) -> Answer<'a, ()> {
        Box::pin(async move { backend.execute("create functions", self.body()?).await })
    }

    /// Returns the statements without a transaction.
    fn body(&self) -> Result<String, StoreError> {
        let realm = &self.realm;
        if !SCHEMES.contains(&realm.scheme()) {
            return Err(refused(&format!("there are none for the scheme {}", realm.scheme())));
        }
        if realm.scheme() == SNOWFLAKE {
            check_guard(realm.settings()).map_err(|why| refused(&why))?;
        }
        let is_immediate = match self.start {
            Start::Immediately => true,
            Start::Delayed => false,
            _ => false,
        };
        match realm.terms().start {
            TickStart::Lowest | TickStart::Random => {}
            start => {
                return Err(refused(&format!("there are none with the tick start {start}")));
            }
        }
        let record = Record::new(realm.clone(), String::new()).to_json().replace('\'', "''");
        // SQLAlchemy and others take `:1` for a parameter. No text in a record has a quote.
        let record = record.replace("\":", "\": ");
        let (tables, functions) = (PostgresBackend::RESERVATIONS, constants::filled(FUNCTIONS));
        let create = format!(
            "tickid.create_functions_v1('{}', '{record}', {}, {}, {})",
            realm.name(),
            is_immediate,
            self.another_node,
            self.copies_apart,
        );
        Ok(format!("{tables}\n{functions}\nDO $$ BEGIN PERFORM {create}; END $$;\n"))
    }
}

fn refused(why: &str) -> StoreError {
    let what = format!("create functions: {why}");
    StoreError::new("PostgreSQL", StoreErrorKind::Failed { what })
}

/// Checks that a Snowflake's word has room for a guard.
fn check_guard(layout: &str) -> Result<(), String> {
    let widths = layout.parse::<AnySnowflake>().map_err(|error| error.to_string())?.widths();
    let (used, most) = (widths.time + widths.sequence, i64::BITS - 1 - MIN_GUARD_BITS);
    if used <= most {
        return Ok(());
    }
    Err(format!("time and sequence of {layout} have {used} bits, more than {most}"))
}
