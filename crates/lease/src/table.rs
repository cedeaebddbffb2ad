//! Stores that read, and write what nobody else has written in between.

use core::fmt;
use std::sync::Arc;

use tickid_core::UnixTime;

use crate::error::{StoreError, StoreErrorKind};
use crate::node::Node;
use crate::realm::{Realm, RealmName};
use crate::record::{Claim, Hold, Record, Row, Rows, Version};
use crate::rules::{self, Refusal, Rules};
use crate::store::{Answer, Grant, Listing, Store};

/// Something with a clock that keeps records and rows, and writes them by compare-and-set: memory, a
/// folder of files, etcd. [`TableStore`] makes a [`Store`] of it.
///
/// What [`Store`] promises holds here, too: an answer is durable, silence is told from a refusal, futures
/// need no runtime.
pub trait Table: fmt::Debug + Send + Sync {
    /// Which kind of store, as in `"file"`.
    fn backend(&self) -> &'static str;

    /// What is kept of a realm, as of one moment.
    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View>;

    /// Writes all of `change` in one atomic step if everything has the version that it names, else
    /// nothing. Returns whether it did.
    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool>;
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<T: Table + ?Sized> Table for $pointer {
            fn backend(&self) -> &'static str {
                (**self).backend()
            }

            fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View> {
                (**self).read(realm, scope)
            }

            fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
                (**self).commit(realm, change)
            }
        }
    )*};
}
delegate!(&T, Arc<T>);

/// Which rows are asked for. More may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// All.
    All,
    /// One.
    Node(Node),
}

/// What a table keeps of a realm.
#[derive(Clone, Debug)]
pub struct View {
    /// The realm's record, if the table knows the realm.
    pub record: Option<(Record, Version)>,
    /// The rows that were asked for, as far as there are any.
    pub rows: Rows,
    /// The table's clock.
    pub now: UnixTime,
    /// What tells this store from an earlier state of itself. Goes into the record.
    pub generation: String,
    /// Whether the store is not the one that wrote the record, so that later writes may be lost. Where
    /// equality says it all, that is whether the record's generation is another one than `generation`.
    /// Without a record: whether the realm was there once, and is lost as a whole.
    pub has_forgotten: bool,
}

/// What to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The generation of the view that this was decided on. A table that has become another one writes
    /// nothing: versions of its earlier life mean nothing to it.
    pub generation: String,
    /// The record as it must be; `None` when there must be none.
    pub record_version: Option<Version>,
    /// The record as it shall be, unless it stays.
    pub record: Option<Record>,
    /// A row as it shall be, with its version as it must be.
    pub row: Option<(Option<Version>, Row)>,
}

/// A [`Store`] over a [`Table`]: reads, asks the [`Rules`], and writes unless somebody came first; then
/// it starts over.
#[derive(Clone, Debug)]
pub struct TableStore<T>(T);

impl<T> TableStore<T> {
    /// The store over this table.
    pub const fn new(table: T) -> Self {
        Self(table)
    }

    /// The table.
    pub const fn table(&self) -> &T {
        &self.0
    }

    /// The table, out of the store.
    pub fn into_table(self) -> T {
        self.0
    }
}

/// How often an operation starts over before it gives up. Each time somebody else's has succeeded.
const MAX_ATTEMPTS: u32 = 1_000;

/// What an operation wants written, if anything, and what it answers if that succeeds.
struct Step<T> {
    record: Option<Record>,
    row: Option<Row>,
    answer: T,
}

impl<T> Step<T> {
    fn row(row: Row, answer: T) -> Self {
        Self { record: None, row: Some(row), answer }
    }

    fn record(record: Record, answer: T) -> Self {
        Self { record: Some(record), row: None, answer }
    }

    fn nothing(answer: T) -> Self {
        Self { record: None, row: None, answer }
    }
}

impl<T: Table> TableStore<T> {
    fn refused(&self, refusal: Refusal) -> StoreError {
        StoreError::refused(self.0.backend(), refusal)
    }

    /// Brings what `decide` wants into one atomic step with what it saw. Before it decides, a store that
    /// forgot says so in its record, and a realm that is new (`realm` is given then) gets one.
    async fn apply<A>(
        &self,
        name: &RealmName,
        scope: Scope,
        realm: Option<&Realm>,
        decide: impl Fn(&Rules<'_>, &Rows, &View) -> Result<Step<A>, Refusal> + Send + Sync,
    ) -> Result<A, StoreError> {
        for _ in 0..MAX_ATTEMPTS {
            let view = self.0.read(name, scope).await?;
            let generation = || view.generation.clone();
            let Some((record, version)) = &view.record else {
                let realm = realm.ok_or_else(|| self.refused(Refusal::NoRealm))?;
                let record = Some(begin(realm, &view).map_err(|no| self.refused(no))?);
                let generation = generation();
                let change = Change { generation, record_version: None, record, row: None };
                self.0.commit(name, &change).await?;
                continue;
            };
            let rules = Rules::new(record, view.now).map_err(|refusal| self.refused(refusal))?;
            let record_version = Some(*version);
            if view.has_forgotten {
                let record = Some(rules.forget(generation()));
                let generation = generation();
                let change = Change { generation, record_version, record, row: None };
                self.0.commit(name, &change).await?;
                continue;
            }
            let step = decide(&rules, &view.rows, &view).map_err(|no| self.refused(no))?;
            if step.record.is_none() && step.row.is_none() {
                return Ok(step.answer);
            }
            let row = step.row.map(|row| {
                let version = view.rows.get(&row.node).map(|entry| entry.version);
                (version, row)
            });
            let change =
                Change { generation: generation(), record_version, record: step.record, row };
            if self.0.commit(name, &change).await? {
                return Ok(step.answer);
            }
        }
        let what = format!("get its turn: others came first {MAX_ATTEMPTS} times");
        Err(StoreError::new(self.0.backend(), StoreErrorKind::Failed { what }))
    }
}

/// The record of a realm that is new to the store, or that it forgot.
fn begin(realm: &Realm, view: &View) -> Result<Record, Refusal> {
    let record = Record::new(realm.clone(), view.generation.clone());
    if !view.has_forgotten {
        return Ok(record);
    }
    Ok(Rules::new(&record, view.now)?.forget(view.generation.clone()))
}

/// A step that grants `row` to its holder.
fn grant(row: Row, now: UnixTime) -> Result<Step<Grant>, Refusal> {
    let lost = Refusal::Lost { node: row.node, why: rules::Loss::Token };
    let grant = Grant::of(&row, now).ok_or(lost)?;
    Ok(Step::row(row, grant))
}

impl<T: Table> Store for TableStore<T> {
    fn backend(&self) -> &'static str {
        self.0.backend()
    }

    fn begin<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
        // What the realm is like says its record: its rows are of no interest.
        let scope = Scope::Node(Node::NONE);
        Box::pin(self.apply(realm.name(), scope, Some(realm), |rules, _, _| {
            rules.check(realm)?;
            Ok(Step::nothing(()))
        }))
    }

    fn acquire<'a>(&'a self, realm: &'a Realm, claim: &'a Claim) -> Answer<'a, Grant> {
        Box::pin(self.apply(realm.name(), Scope::All, Some(realm), |rules, rows, view| {
            grant(rules.acquire(realm, rows, claim)?, view.now)
        }))
    }

    fn renew<'a>(&'a self, realm: &'a RealmName, hold: &'a Hold) -> Answer<'a, Grant> {
        Box::pin(self.apply(realm, Scope::Node(hold.node), None, |rules, rows, view| {
            grant(rules.renew(rows, hold)?, view.now)
        }))
    }

    fn release<'a>(
        &'a self,
        realm: &'a RealmName,
        hold: &'a Hold,
        used: Option<u64>,
    ) -> Answer<'a, ()> {
        Box::pin(self.apply(realm, Scope::Node(hold.node), None, move |_, rows, _| {
            Ok(Step::row(rules::release(rows, hold, used)?, ()))
        }))
    }

    fn list<'a>(&'a self, realm: &'a RealmName) -> Answer<'a, Listing> {
        Box::pin(async move {
            let view = self.0.read(realm, Scope::All).await?;
            let (record, _) = view.record.ok_or_else(|| self.refused(Refusal::NoRealm))?;
            Ok(Listing::new(record, view.rows, view.now))
        })
    }

    fn recover<'a>(&'a self, realm: &'a Realm) -> Answer<'a, u64> {
        Box::pin(self.apply(realm.name(), Scope::All, Some(realm), |rules, _, view| {
            rules.check(realm)?;
            let record = rules.forget(view.generation.clone());
            let floor = record.floor;
            Ok(Step::record(record, floor))
        }))
    }

    fn mend<'a>(&'a self, realm: &'a RealmName, node: Node) -> Answer<'a, Row> {
        Box::pin(self.apply(realm, Scope::Node(node), None, move |rules, rows, _| {
            let (record, row) = rules.mend(rows, node)?;
            Ok(Step { record: Some(record), ..Step::row(row.clone(), row) })
        }))
    }

    fn reshape<'a>(&'a self, realm: &'a Realm) -> Answer<'a, ()> {
        Box::pin(self.apply(realm.name(), Scope::All, Some(realm), |rules, _, _| {
            Ok(Step::record(rules.reshape(realm)?, ()))
        }))
    }
}
