//! The tests of the promises that all schemes make.

use crate::reference::Machine;
use crate::support::Tickets;

tickid_testkit::suite!(Machine, [Tickets], Tickets);
