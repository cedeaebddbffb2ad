//! The promises of all schemes.

use crate::reference::Written;
use crate::support::Subject;

tickid_testkit::suite!(Written, [Subject], Subject);
