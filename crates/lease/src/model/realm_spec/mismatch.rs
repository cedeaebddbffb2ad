//! The difference between two realms of one name.

/// A difference between a caller's realm and the one that the store keeps under that name.
///
/// # Examples
/// ```
/// use tickid_lease::Realm;
/// use tickid_nanoflake::{Epoch, Nanoflake};
///
/// let realm = Realm::builder("orders", Nanoflake::default()).pool("0-255/10").build()?;
/// let discord = Nanoflake { epoch: Epoch::DISCORD };
/// let mismatch = Realm::from_spec(realm.into(), discord).unwrap_err();
/// assert_eq!(mismatch.what, "settings");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("the realm's {what} do not match: it has {kept:?}, the request {brought:?}")]
#[non_exhaustive]
pub struct Mismatch {
    /// The kind of difference, one of `"schemes"`, `"settings"`, `"ticks"`, `"IDs"`, `"nodes"` and
    /// `"terms"`.
    pub what: &'static str,
    /// The caller's value.
    pub brought: String,
    /// The store's value.
    pub kept: String,
}

tickid_core::debug_error! {
    struct Mismatch { what, brought, kept }
}
