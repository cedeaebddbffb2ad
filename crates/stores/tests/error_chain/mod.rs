//! The texts of an error and its causes.

use core::error::Error;

/// Checks that no cause is in the text before it as well.
pub(crate) fn causes(error: &dyn Error) -> String {
    let all = core::iter::successors(Some(error), |&error| error.source());
    let all: Vec<String> = all.map(ToString::to_string).collect();
    let says_twice = |pair: &[String]| pair[0].contains(&pair[1]);
    assert!(!all.windows(2).any(says_twice), "{all:?}");
    all.join(": ")
}
