//! The promises of all schemes.

use crate::reference::Written;
use crate::support::Subject;

tickid_testkit::suite!(Written, [Subject], Subject);

/// The second quarter of a node.
mod shares {
    use tickid_testkit::shares::{OfShare, Share};

    use crate::reference::Written;
    use crate::support::Subject;

    tickid_testkit::suite!(OfShare<Written>, [Share::new(Subject, 1, 2)]);
}
