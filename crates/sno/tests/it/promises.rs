//! The promises of all schemes.

use crate::reference::Written;
use crate::support::Subject;

tickid_testkit::suite!(
    Written,
    [Subject::OF_ONE_METABYTE, Subject::OF_THREE_METABYTES],
    Subject::OF_THREE_METABYTES
);
