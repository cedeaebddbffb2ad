//! Generators with a leased node, of a scheme that is known only at run time.

use core::marker::PhantomData;
use core::num::NonZeroU32;
use core::time::Duration;

use tickid_core::source_parts::Follow as _;
use tickid_core::{Clock, DefaultClock, Scheme, TickStart, Variant as _};
use tickid_lease::admin::Mismatch;
use tickid_lease::{
    GenerateError, Lease, LeaseError, LeaseState, LeasedGenerator, LeasedGeneratorBuilder,
    LeasedObserveError, Realm, RealmSpec, Store, StoreError,
};

use super::each::{
    AnyIds, Each, Family, SchemeOf, VariantOf, each_of, ids_of, map_each, variant_of, with_each,
};
use super::generator::{AnyObserveError, any_calls};
use super::{AnyId, AnyScheme};
use crate::schemes::{SchemeId, SchemeVariant};

/// The options of a leased generator whose scheme is known only at run time. They are those of
/// [`LeasedGeneratorBuilder`].
#[derive(Debug)]
#[must_use]
pub struct AnyLeasedBuilder {
    scheme: AnyScheme,
    each: Each<LeasedBuilders>,
}

struct LeasedBuilders;

impl Family for LeasedBuilders {
    type Of<S: Scheme> = LeasedGeneratorBuilder<S>;
}

/// A generator with a leased node, whose scheme is known only at run time. It is a
/// [`LeasedGenerator`] of that scheme.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_convert::{AnyLeasedGenerator, AnyScheme, Kind, Settings};
/// use tickid_lease::{Realm, Store};
/// use tickid_nanoflake::Nanoflake;
///
/// // A server knows the realm by what the store has recorded.
/// let spec = Realm::builder("orders", Nanoflake::default()).pool("0-1023/10").build()?.into();
/// let scheme = AnyScheme::from_realm("nanoflake", "epoch 1288834974657", true)?;
/// let generator = AnyLeasedGenerator::builder(scheme, Store::in_memory(), spec)?
///     .start_within(Duration::from_secs(30))
///     .start_pending()?;
/// generator.first_lease()?;
/// assert_eq!(generator.generate()?.kind(), Kind::Nanoflake);
/// generator.shut_down()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AnyLeasedGenerator<C = DefaultClock> {
    scheme: AnyScheme,
    metabyte: u8,
    each: Each<LeasedGenerators<C>>,
}

struct LeasedGenerators<C>(PhantomData<C>);

impl<C> Family for LeasedGenerators<C> {
    type Of<S: Scheme> = LeasedGenerator<S, C>;
}

impl AnyLeasedGenerator {
    /// Returns a builder of a generator with a lease of a realm, which must be of this scheme.
    ///
    /// # Errors
    /// Returns a [`Mismatch`] if the realm has a different scheme or layout, because its generators
    /// would then issue IDs that can be equal.
    pub fn builder(
        scheme: AnyScheme,
        store: Store,
        realm: RealmSpec,
    ) -> Result<AnyLeasedBuilder, Mismatch> {
        let each = each_of!(scheme.kind(), Id => {
            let realm = Realm::from_spec(realm, Id::scheme(scheme.settings()))?;
            LeasedGenerator::builder(store, realm)
        });
        Ok(AnyLeasedBuilder { scheme, each })
    }
}

impl AnyLeasedBuilder {
    /// Sets the holder's name, as [`LeasedGeneratorBuilder::holder`] does.
    pub fn holder(self, holder: impl Into<std::string::String>) -> Self {
        Self { each: map_each!(self.each, Id, builder => builder.holder(holder)), ..self }
    }

    /// Adopts the nodes and the terms of the store, as [`LeasedGeneratorBuilder::adopt`] does.
    pub fn adopt(self) -> Self {
        Self { each: map_each!(self.each, Id, builder => builder.adopt()), ..self }
    }

    /// Sets where ticks start, in place of the realm's, as
    /// [`LeasedGeneratorBuilder::tick_start`] does.
    pub fn tick_start(self, start: TickStart) -> Self {
        Self { each: map_each!(self.each, Id, builder => builder.tick_start(start)), ..self }
    }

    /// Sets the time within which the start repeats a request, as
    /// [`LeasedGeneratorBuilder::start_within`] does.
    pub fn start_within(self, start_within: Duration) -> Self {
        Self {
            each: map_each!(self.each, Id, builder => builder.start_within(start_within)),
            ..self
        }
    }

    /// Starts to acquire a lease in the background, as
    /// [`LeasedGeneratorBuilder::start_pending`] does.
    ///
    /// # Errors
    /// Returns a [`LeaseError`] if no generator can be built, or no thread started.
    pub fn start_pending(self) -> Result<AnyLeasedGenerator, LeaseError> {
        let each = map_each!(self.each, Id, builder => builder.start_pending()?);
        Ok(AnyLeasedGenerator { scheme: self.scheme, metabyte: 0, each })
    }
}

impl<C: Clock> AnyLeasedGenerator<C> {
    any_calls! { self, (&self), (&), GenerateError, LeasedObserveError }

    /// Sets the metabyte of the IDs. Schemes without one ignore it.
    #[must_use]
    pub fn with_metabyte(self, metabyte: u8) -> Self {
        Self { metabyte, ..self }
    }

    /// Waits for the first lease, as [`LeasedGenerator::first_lease`] does.
    ///
    /// # Errors
    /// Returns a [`LeaseError`].
    pub fn first_lease(&self) -> Result<Lease, LeaseError> {
        with_each!(&self.each, Id, generator => generator.first_lease())
    }

    /// Does the same as [`first_lease`](Self::first_lease), but as a future, which any executor can
    /// run.
    ///
    /// # Errors
    /// Returns a [`LeaseError`].
    pub async fn first_lease_async(&self) -> Result<Lease, LeaseError> {
        with_each!(&self.each, Id, generator => generator.first_lease_async().await)
    }

    /// Returns the current state, for example for readiness checks and monitoring.
    #[must_use]
    pub fn state(&self) -> LeaseState {
        with_each!(&self.each, Id, generator => generator.state())
    }

    /// Closes the generator and releases the node, as [`LeasedGenerator::shut_down`] does.
    ///
    /// # Errors
    /// Returns the store's error if the node was not released.
    pub fn shut_down(&self) -> Result<(), StoreError> {
        with_each!(&self.each, Id, generator => generator.shut_down())
    }

    /// Does the same as [`shut_down`](Self::shut_down), but as a future, which any executor can
    /// run.
    ///
    /// # Errors
    /// Returns the store's error if the node was not released. The node then becomes free when its
    /// window ends.
    pub async fn shut_down_async(&self) -> Result<(), StoreError> {
        with_each!(&self.each, Id, generator => generator.shut_down_async().await)
    }
}
