//! Whether the etcd that answers is the one that wrote what it keeps.

use core::fmt;
use core::str::FromStr;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::message::Header;
use crate::realm::RealmName;
use crate::record::Record;

/// What the record of a realm says of the etcd that keeps it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Generation {
    /// The cluster's ID.
    cluster: u64,
    /// The realm's era in which this generation began.
    era: u64,
    /// The revision that the cluster was known to have had when it was found with a lower one.
    lost: u64,
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.cluster, self.era, self.lost)
    }
}

impl FromStr for Generation {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut numbers = text.split('/').map(|number| number.parse().map_err(drop));
        let mut next = || numbers.next().unwrap_or(Err(()));
        Ok(Self { cluster: next()?, era: next()?, lost: next()? })
    }
}

/// What this client has seen of a realm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Life {
    generation: Generation,
    /// The highest revision of the cluster.
    revision: u64,
}

/// What this client has seen of each realm: an etcd that was put back to an earlier state of itself has
/// the same ID, and shows only by a lower revision.
#[derive(Debug, Default)]
pub(crate) struct Lives(Mutex<HashMap<RealmName, Life>>);

impl Lives {
    fn lock(&self) -> MutexGuard<'_, HashMap<RealmName, Life>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was seen before a question is asked. No answer to it may fall behind that.
    pub(crate) fn before(&self, realm: &RealmName) -> Option<Life> {
        self.lock().get(realm).copied()
    }

    /// Remembers that the answer was good. An answer that was overtaken by another generation is not.
    pub(crate) fn saw(&self, realm: &RealmName, before: Option<Life>, now: Life) {
        let mut lives = self.lock();
        match lives.get_mut(realm) {
            Some(life) if life.generation == now.generation => {
                life.revision = life.revision.max(now.revision);
            }
            Some(life) if Some(*life) != before => {}
            _ => {
                lives.insert(realm.clone(), now);
            }
        }
    }
}

/// The generation of the etcd that answered, and whether it has forgotten something.
pub(crate) fn judge(
    before: Option<Life>,
    header: Header,
    record: Option<&Record>,
) -> (Generation, bool) {
    let seen = before.map_or(0, |life| life.revision);
    let begun = |era| Generation { cluster: header.cluster_id, era, lost: seen };
    let Some(record) = record else {
        // A realm that was there once is gone.
        return (begun(0), before.is_some());
    };
    let kept = record.generation.parse::<Generation>().ok();
    let Some(kept) = kept.filter(|kept| kept.cluster == header.cluster_id) else {
        return (begun(record.era + 1), true);
    };
    let is_behind = header.revision < seen;
    let has_forgotten = match before {
        Some(life) if life.generation == kept => is_behind,
        // Somebody has noticed, though perhaps before it was put back.
        Some(life) if life.generation.cluster == kept.cluster => is_behind && kept.lost < seen,
        _ => false,
    };
    if has_forgotten { (begun(record.era + 1), true) } else { (kept, false) }
}

impl Life {
    pub(crate) const fn new(generation: Generation, header: Header) -> Self {
        Self { generation, revision: header.revision }
    }
}

/// Whether the etcd that has done a write is the one of the generation that the write was decided on, in
/// no earlier state.
pub(crate) fn goes_on(before: Option<Life>, decided_on: &str, header: Header) -> bool {
    let Ok(generation) = decided_on.parse::<Generation>() else {
        return false;
    };
    let is_ahead = match before {
        Some(life) if life.generation == generation => life.revision <= header.revision,
        _ => true,
    };
    generation.cluster == header.cluster_id && is_ahead
}

#[cfg(test)]
mod tests {
    use tickid_core::example::Seconds;

    use super::*;
    use crate::realm::Realm;

    fn name() -> RealmName {
        "a".parse().unwrap()
    }

    fn header(cluster_id: u64, revision: u64) -> Header {
        Header { cluster_id, revision }
    }

    /// An etcd and what it keeps, as clients see it.
    #[derive(Clone)]
    struct Etcd {
        header: Header,
        record: Option<Record>,
    }

    impl Etcd {
        fn new(cluster: u64) -> Self {
            Self { header: header(cluster, 1), record: None }
        }

        /// As a store does before anything else; returns whether it forgot.
        fn is_asked_by(&mut self, client: &Lives) -> bool {
            let before = client.before(&name());
            let (generation, forgot) = judge(before, self.header, self.record.as_ref());
            let era = self.record.as_ref().map_or(0, |record| record.era + u64::from(forgot));
            if forgot || self.record.is_none() {
                let realm = Realm::new(name(), &Seconds, "0-7/8".parse().unwrap()).unwrap();
                let record = Record::new(realm, generation.to_string());
                self.record = Some(Record { era, ..record });
                self.header.revision += 1;
                assert!(!self.is_asked_by(client), "once is enough");
            } else {
                client.saw(&name(), before, Life::new(generation, self.header));
            }
            forgot
        }
    }

    #[test]
    fn generations_come_back_from_text_and_nothing_else_does() {
        let generation = Generation { cluster: u64::MAX, era: 2, lost: 3 };
        assert_eq!(generation.to_string().parse(), Ok(generation));
        for text in ["", "1", "1/2", "a/b/c", "1/2/-3"] {
            assert!(text.parse::<Generation>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_etcd_that_goes_on_forgets_nothing() {
        let (mut etcd, clients) = (Etcd::new(7), [Lives::default(), Lives::default()]);
        for at in 0..10 {
            assert!(!etcd.is_asked_by(&clients[at % 2]));
            etcd.header.revision += 5;
        }
    }

    #[test]
    fn another_cluster_is_noticed_by_whoever_comes_first() {
        let (mut etcd, clients) = (Etcd::new(7), [Lives::default(), Lives::default()]);
        assert!(!etcd.is_asked_by(&clients[0]));
        assert!(!etcd.is_asked_by(&clients[1]));
        etcd.header = header(8, 100);
        assert!(etcd.is_asked_by(&Lives::default()));
        assert!(!etcd.is_asked_by(&clients[0]));
        assert!(!etcd.is_asked_by(&clients[1]));
    }

    #[test]
    fn a_lower_revision_is_noticed_until_it_is_accounted_for() {
        let (mut etcd, clients) = (Etcd::new(7), [(); 3].map(|()| Lives::default()));
        assert!(!etcd.is_asked_by(&clients[0]));
        let backup = etcd.clone();
        for (client, revision) in clients.iter().zip([30, 40, 20]) {
            etcd.header.revision = revision;
            assert!(!etcd.clone().is_asked_by(client));
        }
        etcd = backup.clone();
        assert!(etcd.is_asked_by(&clients[0]));
        assert!(etcd.is_asked_by(&clients[1]), "has seen more");
        assert!(!etcd.is_asked_by(&clients[2]), "has seen less");
        assert!(!etcd.is_asked_by(&clients[0]));
        // And again when the same is put back a second time, later.
        etcd.header.revision = 60;
        assert!(!etcd.is_asked_by(&clients[2]));
        etcd = backup;
        assert!(etcd.is_asked_by(&clients[2]));
    }

    #[test]
    fn a_realm_that_is_gone_is_no_new_one_for_who_knew_it() {
        let (mut etcd, client) = (Etcd::new(7), Lives::default());
        assert!(!etcd.is_asked_by(&client));
        etcd = Etcd { header: header(7, 100), ..Etcd::new(7) };
        assert!(etcd.is_asked_by(&client));
    }

    #[test]
    fn a_write_counts_only_where_it_was_decided_on() {
        let generation = Generation { cluster: 7, ..Generation::default() };
        let before = Some(Life { generation, revision: 9 });
        let goes_on = |before, header| super::goes_on(before, &generation.to_string(), header);
        assert!(goes_on(before, header(7, 9)));
        assert!(!goes_on(before, header(7, 8)));
        assert!(!goes_on(before, header(8, 9)));
        assert!(goes_on(None, header(7, 1)));
        // The write that says that it forgot.
        let forgot = Generation { era: 1, ..generation };
        assert!(super::goes_on(before, &forgot.to_string(), header(7, 8)));
    }

    #[test]
    fn an_answer_that_was_overtaken_is_not_remembered() {
        let lives = Lives::default();
        let old = Life { generation: Generation::default(), revision: 9 };
        lives.saw(&name(), None, old);
        let new = Life { generation: Generation { era: 1, ..old.generation }, revision: 5 };
        lives.saw(&name(), Some(old), new);
        lives.saw(&name(), Some(Life { revision: 8, ..old }), old);
        assert_eq!(lives.before(&name()), Some(new));
    }
}
