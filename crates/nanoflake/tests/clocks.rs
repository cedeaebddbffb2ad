//! The promises over every available clock, whichever is the default here.

#![cfg(feature = "std")]

mod support;

use support::Subject;

tickid_testkit::promises_over_every_clock!(Subject);
