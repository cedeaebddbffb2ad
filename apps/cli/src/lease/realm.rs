//! The options that name a realm, and those that describe a new one.

use core::time::Duration;

use clap::{Args, ValueEnum as _};
use tickid_convert::{AnyScheme, SchemeVariant, SchemeVisitor};
use tickid_core::{Scheme, TickStart};
use tickid_lease::admin::{RealmName, RealmPart, Terms};
use tickid_lease::{NodePool, Realm, RealmSpec, Store, StoreError};

use crate::failure::{Failure, setting_option};
use crate::options::given::GivenOptions;
use crate::options::policy::GivenPolicy;
use crate::options::values::{duration, parse};
use crate::options::{self, KuidKind, SettingValues, default_pool, node};
use crate::store::{StoreOptions, answer};

/// A realm and its store.
#[derive(Debug, Args)]
pub(crate) struct RealmOptions {
    #[command(flatten)]
    pub(super) store: StoreOptions,
    /// Realm in the store
    #[arg(long, value_name = "NAME", value_parser = parse::<RealmName>, env = "TICKID_REALM")]
    pub(super) realm: RealmName,
}

/// Reports whether a store forgets its realms when this process ends.
pub(super) fn keeps_nothing(store: &Store) -> bool {
    store.inner().name() == "memory"
}

/// The shape of a new realm.
#[derive(Debug, Default, Args)]
pub(crate) struct ShapeOptions {
    #[command(flatten)]
    given: GivenOptions,
    /// kuid: local IDs or global ones [default: as the pool, else global]
    #[arg(long, value_enum)]
    kind: Option<KuidKind>,
    #[command(flatten)]
    settings: SettingValues,
    /// Nodes to lease, none a prefix of another (0-255/8 or 0/1,128-255/8) [default: as gen]
    #[arg(long, value_name = "NODES", value_parser = parse::<NodePool>)]
    pub(super) pool: Option<NodePool>,
    /// The lifetime of a lease without a renewal, in seconds or with units [default: 10, or two
    /// ticks that are longer]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    term: Option<Duration>,
    /// The longest time that a holder's clock may be ahead of the store's [default: 5]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    skew: Option<Duration>,
    /// The reaction of generators to a clock set back: ratchet:DURATION, IDs being ahead of the
    /// clock by at most that; wait; or tick-tock, for sno [default: the scheme's]
    #[arg(long, value_name = "POLICY", value_parser = parse::<GivenPolicy>)]
    policy: Option<GivenPolicy>,
    /// The first sequence of each tick: the lowest, or a random one, so that IDs issued one at a
    /// time spread over shards [default: the scheme's]
    #[arg(long, value_name = "lowest|random", value_parser = parse::<TickStart>)]
    start: Option<TickStart>,
}

impl RealmOptions {
    /// Returns the realm as the store keeps it.
    pub(super) fn kept(&self, store: &Store) -> Result<RealmSpec, StoreError> {
        answer(store.realm(&self.realm)).map(|record| record.realm)
    }
}

impl ShapeOptions {
    /// Returns the shape of a realm with these settings, this policy and start, and the usual nodes.
    #[cfg(feature = "serve")]
    pub(crate) fn of(
        settings: Option<&SettingValues>,
        policy: Option<GivenPolicy>,
        start: Option<TickStart>,
    ) -> Self {
        Self { settings: settings.cloned().unwrap_or_default(), policy, start, ..Self::default() }
    }

    /// Returns the terms of a realm, or longer ones where they are given.
    pub(super) fn longest_terms(&self, kept: &RealmSpec) -> Result<Terms, Failure> {
        let mut longest = kept.terms();
        longest.term = longest.term.max(self.term.unwrap_or_default());
        longest.skew = longest.skew.max(self.skew.unwrap_or_default());
        if self.policy.is_some() {
            let scheme = options::Scheme::from_str(kept.scheme(), false).map_err(|_| {
                Failure::Usage(format!("--policy: no realm of {} can have one here", kept.scheme()))
            })?;
            let given = self.realm_like(kept.name(), scheme, Some(kept))?.terms();
            longest.allowance = longest.allowance.max(given.allowance);
        }
        Ok(kept.clone().with_terms(longest)?.terms())
    }

    /// Checks the settings of a realm that begins: they are given by hand.
    pub(super) fn check_new(&self) -> Result<(), Failure> {
        self.settings.check_epochs().map_err(Failure::Usage)
    }

    /// Refuses options that IDs of a scheme do not have.
    pub(super) fn check_given(&self, scheme: options::Scheme) -> Result<(), Failure> {
        self.given.check(scheme.name(), &Vec::from_iter(scheme.kinds()))
    }

    /// Returns the parts of a realm that are given, which `init --reconfigure` changes.
    pub(super) fn parts(&self) -> Vec<RealmPart> {
        // Scheme, settings and kind are compared, and never change.
        let Self { given: _, kind: _, settings: _, pool, term, skew, policy, start } = self;
        [
            (pool.is_some(), RealmPart::Pool),
            (policy.is_some(), RealmPart::Allowance),
            (skew.is_some(), RealmPart::Skew),
            (term.is_some(), RealmPart::Term),
            (start.is_some(), RealmPart::Start),
        ]
        .into_iter()
        .filter_map(|(is_given, part)| is_given.then_some(part))
        .collect()
    }

    /// Returns the command that creates a realm of this shape, for somebody who has yet to name its
    /// nodes.
    pub(super) fn command(&self, realm: &RealmSpec) -> String {
        let settings = match realm.settings() {
            "" => String::new(),
            settings => format!(" {}", setting_option(settings)),
        };
        let nodes = if realm.pool() == &NodePool::single() { "0/0" } else { "NODES" };
        // The allowance is the policy's, and the others are options by their names.
        let policy = self.policy.map_or_else(String::new, |policy| format!(" --policy {policy}"));
        let parts = realm.changeable_parts().into_iter();
        let terms =
            parts.filter(|(part, _)| !matches!(part, RealmPart::Pool | RealmPart::Allowance));
        let terms: String = terms.map(|(part, value)| format!(" --{part} {value}")).collect();
        let (scheme, name) = (realm.scheme(), realm.name());
        format!("tickid lease init {scheme}{settings} --realm {name} --pool {nodes}{terms}{policy}")
    }

    /// Returns a realm of this shape.
    pub(crate) fn realm(
        &self,
        name: &RealmName,
        scheme: options::Scheme,
    ) -> Result<RealmSpec, Failure> {
        self.realm_like(name, scheme, None)
    }

    /// Returns a realm of this shape. Its settings, kind and nodes are those of `kept` unless they
    /// are given.
    pub(super) fn realm_like(
        &self,
        name: &RealmName,
        scheme: options::Scheme,
        kept: Option<&RealmSpec>,
    ) -> Result<RealmSpec, Failure> {
        self.check_given(scheme)?;
        // The store refuses another scheme.
        let kept = kept.filter(|kept| kept.scheme() == scheme.name());
        let has_no_node = |pool: &NodePool| *pool == NodePool::single();
        // `--pool 0/0` says enough, because of kuids only local ones have no node.
        let of_pool = || match self.pool.as_ref().or(kept.map(RealmSpec::pool)) {
            Some(pool) if has_no_node(pool) => KuidKind::Local,
            _ => KuidKind::Global,
        };
        let kind = scheme.kind(self.kind.unwrap_or_else(of_pool));
        let settings = |kept: &RealmSpec| {
            let has_node = kept.variants().contains(true);
            let scheme = AnyScheme::from_realm(kept.scheme(), kept.settings(), has_node);
            scheme.map(|scheme| *scheme.settings()).ok()
        };
        let settings = kept.and_then(settings).unwrap_or_default();
        let any = self.settings.scheme_over(kind, settings);
        let pool = match (&self.pool, kept.map(RealmSpec::pool)) {
            (Some(pool), _) => pool.clone(),
            // The store refuses another kind.
            (None, Some(kept)) if has_no_node(kept) != kind.has_node() => kept.clone(),
            (None, _) => default_pool(&any).parse()?,
        };
        // The pool alone decides what is granted, and IDs would be read with nodes of another size.
        node::check_sizes(&any, &format!("the nodes are {pool}"), &pool).map_err(|failure| {
            let size = any.settings().node_size.map_or(8, |size| u32::from(size.get()));
            let last = (1_u64 << size) - 1;
            failure
                .hinting(format!("`--pool 0-{}/{size}` has nodes of that size", last.min(65_535)))
        })?;
        // Only kuid has IDs with and without a node, so only there can `--kind` and `--pool`
        // contradict each other.
        if scheme.kinds().any(|other| other != kind) && kind.has_node() == has_no_node(&pool) {
            return Err(Failure::Usage(if kind.has_node() {
                format!("global kuids need node IDs: the pool {pool} has none")
            } else {
                let only = NodePool::single();
                format!("local kuids have no node ID: their only pool is {only}, not {pool}")
            }));
        }
        any.visit(NewRealm {
            name: name.clone(),
            pool,
            term: self.term,
            skew: self.skew,
            policy: self.policy,
            start: self.start,
        })
    }
}

/// Makes a realm of any scheme.
struct NewRealm {
    name: RealmName,
    pool: NodePool,
    term: Option<Duration>,
    skew: Option<Duration>,
    policy: Option<GivenPolicy>,
    start: Option<TickStart>,
}

impl SchemeVisitor for NewRealm {
    type Output = Result<RealmSpec, Failure>;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, _: V) -> Self::Output {
        let mut realm = Realm::builder(self.name, scheme).pool(self.pool);
        if let Some(policy) = self.policy {
            realm = realm.policy(policy.of(&scheme).map_err(Failure::Usage)?);
        }
        if let Some(term) = self.term {
            realm = realm.term(term);
        }
        if let Some(start) = self.start {
            realm = realm.tick_start(start);
        }
        if let Some(skew) = self.skew {
            realm = realm.skew(skew);
        }
        Ok(realm.build()?.into())
    }
}
