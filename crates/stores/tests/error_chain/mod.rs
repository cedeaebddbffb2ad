//! The texts of an error and its causes.

use core::error::Error;

pub(crate) fn causes(error: &dyn Error) -> String {
    let all = core::iter::successors(Some(error), |&error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
