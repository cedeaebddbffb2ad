//! The promises of all schemes.

use crate::reference::Written;
use crate::support::Subject;

tickid_testkit::suite!(
    Written,
    [Subject::OF_ONE_METABYTE, Subject::OF_THREE_METABYTES],
    Subject::OF_THREE_METABYTES
);

/// The second quarter of a node.
mod shares {
    use tickid_testkit::shares::{OfShare, Share};

    use crate::reference::Written;
    use crate::support::Subject;

    tickid_testkit::suite!(
        OfShare<Written>,
        [
            Share::new(Subject::OF_THREE_METABYTES, 1, 2),
            Share::new(Subject::OF_THREE_METABYTES, 3, 2)
        ]
    );
}
