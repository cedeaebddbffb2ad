//! The promises over every available clock, whichever is the default here.

#![cfg(feature = "std")]

mod support;

use support::Subject;

// The node leaves the maximum number of counters, so that IDs do not run ahead of the clocks.
tickid_testkit::promises_over_every_clock!(Subject::of("1/1"));
