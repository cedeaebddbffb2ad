use core::time::Duration;
use std::time::Instant;

use tickid_core::{Clock, Scheme, Variant};

use crate::keeper::{GenerateError, Keeper};

/// A keeper together with the variant of the IDs to issue, as [`Keeper::with`] returns it.
///
/// # Examples
/// ```
/// use tickid_lease::{KeeperBuilder, MemoryStore, Realm};
/// use tickid_sno::{Meta, Sno};
///
/// let realm = Realm::new("orders".parse()?, &Sno, "0-1023/16".parse()?)?;
/// let store = MemoryStore::in_memory();
/// let keeper = KeeperBuilder::new(store, realm).start(|lease| lease.builder(&Sno))?;
/// assert_eq!(keeper.with(Meta(24)).generate()?.meta(), 24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct KeeperView<'a, S: Scheme, C, V> {
    pub(super) keeper: &'a Keeper<S, C>,
    pub(super) variant: V,
}

// Derives would demand `Clone` of the clock.
impl<S: Scheme, C, V: Clone> Clone for KeeperView<'_, S, C, V> {
    fn clone(&self) -> Self {
        Self { keeper: self.keeper, variant: self.variant.clone() }
    }
}
impl<S: Scheme, C, V: Copy> Copy for KeeperView<'_, S, C, V> {}

impl<S: Scheme, C: Clock + core::fmt::Debug, V: Variant<S>> KeeperView<'_, S, C, V> {
    /// Generates an ID without blocking.
    ///
    /// # Errors
    /// As [`Keeper::try_generate`].
    #[inline]
    pub fn try_generate(self) -> Result<V::Id, GenerateError> {
        self.keeper.call(|generator| generator.with(self.variant).try_generate())
    }

    /// Generates an ID, sleeping until one can be issued.
    ///
    /// # Errors
    /// As [`Keeper::generate`].
    #[inline]
    pub fn generate(self) -> Result<V::Id, GenerateError> {
        let mut since = None;
        loop {
            match self.keeper.call(|generator| generator.with(self.variant).generate()) {
                Err(GenerateError::NoLease { .. }) => {
                    let since = *since.get_or_insert_with(Instant::now);
                    self.keeper.thread.shared.wait_for_lease(since)?;
                }
                result => return result,
            }
        }
    }

    /// Generates an ID, awaiting `sleep` until one can be issued.
    ///
    /// # Errors
    /// As [`Keeper::generate`].
    pub async fn generate_async<F, Fut>(self, sleep: F) -> Result<V::Id, GenerateError>
    where
        F: Fn(Duration) -> Fut,
        Fut: Future<Output = ()>,
    {
        const PAUSE: Duration = Duration::from_millis(20);
        let mut waited = Duration::ZERO;
        loop {
            let Some(tenure) = self.keeper.tenure() else {
                self.keeper.thread.shared.check_wait(waited)?;
                sleep(PAUSE).await;
                waited += PAUSE;
                continue;
            };
            match tenure.generator.with(self.variant).generate_async(&sleep).await {
                Ok(issued) => return Ok(issued),
                Err(error) => self.keeper.thread.shared.leave_if_closed(&tenure, error)?,
            }
        }
    }
}
