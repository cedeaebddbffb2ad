//! Generators of either kind, with the calls of a schedule.

use tickid_core::{
    BuildError, Clock, Error, Generator, LocalGenerator, ManualClock, RangeError, Snapshot,
};

use crate::schedule::{Action, Setup};
use crate::subject::Subject;

/// The outcome of a call for IDs.
pub(crate) type CallResult<T> = Result<Vec<<T as Subject>::Id>, Error>;

/// A shared or an exclusive generator.
pub(crate) trait Generate<T: Subject> {
    /// Draws IDs, if `action` is a call for IDs.
    fn ask(&mut self, action: Action, form: T::Variant, blank: T::Id) -> Option<CallResult<T>>;
    fn wider(&mut self, ceiling: u64) -> Result<(), RangeError>;
    fn end(&mut self) -> Snapshot<T::Scheme>;
}

macro_rules! generate {
    ($($generator:ident),*) => {$(
        impl<T: Subject, C: Clock> Generate<T> for $generator<T::Scheme, C> {
            fn ask(&mut self, action: Action, form: T::Variant, blank: T::Id) -> Option<CallResult<T>> {
                Some(match action {
                    Action::One => self.with(form).try_generate().map(|id| vec![id]),
                    Action::Block(n) => self.with(form).try_block(n).map(Iterator::collect),
                    Action::Fill(n) if n > 0 => {
                        self.with(form).try_fill(&mut vec![blank; n]).map(|ids| ids.to_vec())
                    }
                    Action::Fill(_) | Action::Widen(_) | Action::Reopen => return None,
                })
            }

            fn wider(&mut self, ceiling: u64) -> Result<(), RangeError> {
                self.widen(ceiling)
            }

            fn end(&mut self) -> Snapshot<T::Scheme> {
                self.close()
            }
        }
    )*};
}
generate!(Generator, LocalGenerator);

/// Builds the shared or the exclusive generator of a setup, restored from `snapshot`.
pub(crate) fn build<'a, T: Subject>(
    subject: &T,
    setup: &Setup<T::Scheme>,
    clock: &'a ManualClock,
    ceiling: u64,
    snapshot: Snapshot<T::Scheme>,
    shared: bool,
) -> Result<Box<dyn Generate<T> + 'a>, BuildError> {
    let builder = setup.builder(subject, clock, ceiling, snapshot);
    Ok(if shared { Box::new(builder.build()?) } else { Box::new(builder.build_local()?) })
}
