use core::fmt;
use core::time::Duration;
use std::time::Instant;

use tickid_core::{Clock, Scheme, Variant};

use crate::holder::error::GenerateError;
use crate::holder::leased_generator::LeasedGenerator;

/// A leased generator together with the variant of the IDs to issue, as [`LeasedGenerator::with`]
/// returns it.
///
/// # Examples
/// ```
/// use tickid_lease::{LeasedGenerator, Realm, Store};
/// use tickid_sno::{Meta, Sno};
///
/// let realm = Realm::new("orders".parse()?, Sno, "0-1023/16".parse()?)?;
/// let generator = LeasedGenerator::start(Store::in_memory(), realm)?;
/// assert_eq!(generator.with(Meta(24)).generate()?.meta(), 24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LeasedView<'a, S: Scheme, C, V> {
    pub(super) leased: &'a LeasedGenerator<S, C>,
    pub(super) variant: V,
}

impl<S: Scheme, C: Clock + fmt::Debug> LeasedGenerator<S, C> {
    /// Returns a view of the generator that issues IDs of `variant`.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{LeasedGenerator, Realm, Store};
    /// use tickid_sno::{Meta, Sno};
    ///
    /// let realm = Realm::new("orders".parse()?, Sno, "0-1023/16".parse()?)?;
    /// let generator = LeasedGenerator::start(Store::in_memory(), realm)?;
    /// assert_eq!(generator.with(Meta(24)).generate()?.meta(), 24);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with<V>(&self, variant: V) -> LeasedView<'_, S, C, V> {
        LeasedView { leased: self, variant }
    }
}

// Derives would demand `Clone` of the clock.
impl<S: Scheme, C, V: Clone> Clone for LeasedView<'_, S, C, V> {
    fn clone(&self) -> Self {
        Self { leased: self.leased, variant: self.variant.clone() }
    }
}
impl<S: Scheme, C, V: Copy> Copy for LeasedView<'_, S, C, V> {}

impl<S: Scheme, C: Clock + fmt::Debug, V: Variant<S>> LeasedView<'_, S, C, V> {
    /// Generates an ID without blocking.
    ///
    /// # Errors
    /// As [`LeasedGenerator::try_generate`].
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::{LeasedGenerator, Realm, Store};
    /// use tickid_sno::{Meta, Sno};
    ///
    /// let realm = Realm::new("orders".parse()?, Sno, "0-1023/16".parse()?)?;
    /// let generator = LeasedGenerator::start(Store::in_memory(), realm)?;
    /// let (orders, invoices) = (generator.with(Meta(1)), generator.with(Meta(2)));
    /// assert!(orders.try_generate()?.meta() < invoices.try_generate()?.meta());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn try_generate(self) -> Result<V::Id, GenerateError> {
        let issued = self.leased.call(|generator| generator.with(self.variant).try_generate());
        issued.map_err(|error| self.leased.shared().count(error))
    }

    /// Generates an ID, sleeping until one can be issued.
    ///
    /// # Errors
    /// As [`LeasedGenerator::generate`].
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{Kuid, Local};
    /// use tickid_lease::{LeasedGenerator, NodePool, Realm, Store};
    ///
    /// // Local kuids carry no node: the realm is for one generator at a time.
    /// let realm = Realm::new("orders".parse()?, Kuid::default(), NodePool::single())?;
    /// let generator = LeasedGenerator::start(Store::in_memory(), realm)?;
    /// let first = generator.with(Local).generate()?;
    /// assert!(generator.with(Local).generate()? > first);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn generate(self) -> Result<V::Id, GenerateError> {
        // The first attempt does not wait, so that stalls are counted.
        self.try_generate().or_else(|error| self.wait(error))
    }

    #[cold]
    #[inline(never)]
    fn wait(self, mut error: GenerateError) -> Result<V::Id, GenerateError> {
        let since = Instant::now();
        loop {
            match error {
                GenerateError::Stalled { .. } => {}
                GenerateError::NoLease { .. } => self.leased.shared().wait_for_lease(since)?,
                _ => return Err(error),
            }
            match self.leased.call(|generator| generator.with(self.variant).generate()) {
                Err(again @ GenerateError::NoLease { .. }) => error = again,
                result => return result,
            }
        }
    }

    /// Generates an ID, awaiting `sleep` until one can be issued.
    ///
    /// # Errors
    /// As [`LeasedGenerator::generate`].
    pub async fn generate_async<F, Fut>(self, sleep: F) -> Result<V::Id, GenerateError>
    where
        F: Fn(Duration) -> Fut,
        Fut: Future<Output = ()>,
    {
        const PAUSE: Duration = Duration::from_millis(20);
        match self.try_generate() {
            Err(GenerateError::Stalled { .. } | GenerateError::NoLease { .. }) => {}
            result => return result,
        }
        let shared = self.leased.shared();
        let mut waited = Duration::ZERO;
        loop {
            let Some(tenure) = self.leased.tenure() else {
                shared.check_wait(waited)?;
                sleep(PAUSE).await;
                waited += PAUSE;
                continue;
            };
            match tenure.generator().with(self.variant).generate_async(&sleep).await {
                Ok(issued) => return Ok(issued),
                Err(error) => shared.leave_if_closed(&tenure, error)?,
            }
        }
    }
}
