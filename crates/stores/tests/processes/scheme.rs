//! The schemes by name, for processes that are told theirs.

use core::time::Duration;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use tickid_core::Scheme as _;
use tickid_lease::admin::RealmName;
use tickid_lease::{NodePool, Realm, RealmSpec};

use crate::holder;
use crate::subjects::{Issued, Kuids, LeasedScheme, Nanoflakes, Scru64s, Snos};
use crate::task::Task;

/// The schemes by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SchemeName {
    Scru64,
    Nanoflake,
    Kuid,
    Sno,
}

impl SchemeName {
    pub(crate) const ALL: [Self; 4] = [Self::Scru64, Self::Nanoflake, Self::Kuid, Self::Sno];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Scru64 => <Scru64s as LeasedScheme>::Scheme::NAME,
            Self::Nanoflake => <Nanoflakes as LeasedScheme>::Scheme::NAME,
            Self::Kuid => <Kuids as LeasedScheme>::Scheme::NAME,
            Self::Sno => <Snos as LeasedScheme>::Scheme::NAME,
        }
    }

    /// The first `count` nodes of the scheme's usual size.
    pub(crate) fn pool(self, count: usize) -> String {
        let bits = match self {
            Self::Scru64 => 8,
            Self::Nanoflake => 10,
            Self::Kuid => 32,
            Self::Sno => 16,
        };
        format!("0-{}/{bits}", count - 1)
    }

    pub(crate) fn realm(
        self,
        name: RealmName,
        pool: NodePool,
        term: Duration,
        skew: Duration,
    ) -> RealmSpec {
        match self {
            Self::Scru64 => realm::<Scru64s>(name, pool, term, skew),
            Self::Nanoflake => realm::<Nanoflakes>(name, pool, term, skew),
            Self::Kuid => realm::<Kuids>(name, pool, term, skew),
            Self::Sno => realm::<Snos>(name, pool, term, skew),
        }
    }

    pub(crate) fn hold(self, task: Task) -> ExitCode {
        match self {
            Self::Scru64 => holder::run::<Scru64s>(&task),
            Self::Nanoflake => holder::run::<Nanoflakes>(&task),
            Self::Kuid => holder::run::<Kuids>(&task),
            Self::Sno => holder::run::<Snos>(&task),
        }
    }

    pub(crate) fn read(self, text: &str) -> Issued {
        match self {
            Self::Scru64 => read::<Scru64s>(text),
            Self::Nanoflake => read::<Nanoflakes>(text),
            Self::Kuid => read::<Kuids>(text),
            Self::Sno => read::<Snos>(text),
        }
    }
}

fn realm<S: LeasedScheme>(
    name: RealmName,
    pool: NodePool,
    term: Duration,
    skew: Duration,
) -> RealmSpec {
    let realm = Realm::builder(name, S::Scheme::default()).pool(pool).policy(S::policy());
    realm.term(term).skew(skew).build().unwrap().into()
}

fn read<S: LeasedScheme>(text: &str) -> Issued {
    S::read(text.parse().unwrap())
}
