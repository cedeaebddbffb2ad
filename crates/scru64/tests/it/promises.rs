//! The promises of all schemes.

use crate::reference::Specification;
use crate::support::Subject;

tickid_testkit::suite!(Specification, [Subject::default()], Subject::of("1/1"));
