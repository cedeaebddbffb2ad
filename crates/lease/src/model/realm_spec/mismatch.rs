//! The difference between two realms of one name.

use core::fmt;

/// What two realms of one name can differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RealmFacet {
    /// The [scheme](crate::RealmSpec::scheme).
    Scheme,
    /// The [settings](crate::RealmSpec::settings) of the scheme.
    Settings,
    /// The [ticks](crate::RealmSpec::scale), and the [end](crate::RealmSpec::end) of the last one.
    Ticks,
    /// Whether IDs carry the node, see [variants](crate::RealmSpec::variants).
    Ids,
    /// The [pool](crate::RealmSpec::pool).
    Nodes,
    /// The [terms](crate::RealmSpec::terms).
    Terms,
}

tickid_core::cases! {
    /// All facets.
    pub ALL of RealmFacet: Scheme, Settings, Ticks, Ids, Nodes, Terms
}

impl RealmFacet {
    /// Reports whether a realm has this for good, so that
    /// [`reconfigure`](crate::Store::reconfigure) cannot change it.
    #[must_use]
    pub const fn is_fixed(self) -> bool {
        match self {
            Self::Scheme | Self::Settings | Self::Ticks | Self::Ids => true,
            Self::Nodes | Self::Terms => false,
        }
    }

    /// Returns the fields of [`Record::to_json`](crate::backend::Record::to_json) that have this.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::admin::RealmFacet;
    ///
    /// let fixed = RealmFacet::ALL.iter().filter(|facet| facet.is_fixed());
    /// let fields: Vec<_> = fixed.flat_map(|facet| facet.fields()).copied().collect();
    /// let expected = "scheme settings epoch_micros period_micros micros_per_tick end";
    /// assert_eq!(fields.join(" "), expected);
    /// ```
    #[must_use]
    pub const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Scheme => &["scheme"],
            Self::Settings => &["settings"],
            Self::Ticks => &["epoch_micros", "period_micros", "micros_per_tick", "end"],
            // They follow from the pool.
            Self::Ids => &[],
            Self::Nodes => &["pool"],
            Self::Terms => &["allowance", "skew_micros", "term_micros", "start"],
        }
    }
}

/// In the plural, for example `schemes`.
impl fmt::Display for RealmFacet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Scheme => "schemes",
            Self::Settings => "settings",
            Self::Ticks => "ticks",
            Self::Ids => "IDs",
            Self::Nodes => "nodes",
            Self::Terms => "terms",
        })
    }
}

/// A difference between a caller's realm and the one that the store keeps under that name.
///
/// # Examples
/// ```
/// use tickid_lease::Realm;
/// use tickid_lease::admin::RealmFacet;
/// use tickid_nanoflake::{Epoch, Nanoflake};
///
/// let realm = Realm::builder("orders", Nanoflake::default()).pool("0-255/10").build()?;
/// let discord = Nanoflake { epoch: Epoch::DISCORD };
/// let mismatch = Realm::from_spec(realm.into(), discord).unwrap_err();
/// assert!(mismatch.what == RealmFacet::Settings && mismatch.what.is_fixed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("the realm's {what} do not match: it has {kept:?}, the request {brought:?}")]
#[non_exhaustive]
pub struct Mismatch {
    /// What differs.
    pub what: RealmFacet,
    /// The caller's value.
    pub brought: String,
    /// The store's value.
    pub kept: String,
}

tickid_core::debug_error! {
    struct Mismatch { what, brought, kept }
}
