//! Generators that belong to the whole process.

use crate::error::{BuildError, Error};
use crate::fork::PerProcess;
use crate::generator::{Builder, Generator};
use crate::scheme::Scheme;

/// The reason why a process-wide generator, such as the one behind `tickid::sno::new`, issued no
/// ID.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The generator could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The generator could not issue an ID.
    #[error(transparent)]
    Generate(#[from] Error),
}

crate::debug_error! {
    enum ProcessError { Build(error), Generate(error) }
}

impl<S: Scheme> PerProcess<Generator<S>> {
    /// Returns the generator of this process. The first call builds it for the node that `node`
    /// returns. In a child of a `fork`, `node` is called again and is passed the node of the
    /// parent's generator, so that the child can choose a different one.
    ///
    /// Later calls must pass the same settings, because there is one generator for all of them.
    ///
    /// # Errors
    /// Returns the error of `node`, or a [`BuildError`], which is [`BuildError::Pinned`] if the
    /// generator exists and has different settings.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{BuildError, Generator, PerProcess, ProcessError};
    ///
    /// static GENERATOR: PerProcess<Generator<Seconds>> = PerProcess::new();
    ///
    /// fn next() -> Result<u64, ProcessError> {
    ///     // A child of a `fork` gets another node: its parent still has this one.
    ///     let node = |parents: Option<Node>| match parents {
    ///         Some(Node(number)) => Ok::<_, BuildError>(Node(number + 1)),
    ///         None => Ok(Node(7)),
    ///     };
    ///     Ok(GENERATOR.generator(Seconds, node)?.generate()?)
    /// }
    ///
    /// assert!(next()? < next()?);
    /// # Ok::<(), ProcessError>(())
    /// ```
    pub fn generator<E: From<BuildError>>(
        &self,
        scheme: S,
        node: impl FnOnce(Option<S::Node>) -> Result<S::Node, E>,
    ) -> Result<&Generator<S>, E> {
        if let Some(generator) = self.get() {
            if generator.settings() == scheme {
                return Ok(generator);
            }
            return Err(BuildError::Pinned { option: "settings" }.into());
        }
        let node = node(self.inherited().map(Generator::node))?;
        // If threads race here, only one generator stays, and the others have issued nothing.
        Ok(self.set(Builder::of(scheme, node).build()?))
    }
}
