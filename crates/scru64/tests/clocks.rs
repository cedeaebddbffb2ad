//! The promises over every available clock, whichever is the default here.

#![cfg(feature = "std")]

mod support;

use support::Subject;

// With as many counters as there can be: the clocks here run no faster than they do.
tickid_testkit::promises_over_every_clock!(Subject::of("1/1"));
