//! The program to run, and its conditions.

use core::fmt;
use core::time::Duration;
use std::ffi::OsString;

use tickid_core::AnyNode;
use tickid_lease::RealmSpec;

/// Variables of the program's environment. Those without a value are removed, since they could come
/// from an outer `lease exec` and name a node of that.
pub type Variables = Vec<(&'static str, Option<String>)>;

/// A program to run with leased nodes.
#[derive(Clone)]
#[non_exhaustive]
pub struct Plan {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The number of nodes to lease, from one, the default, to all of the pool. A program with
    /// several workers needs one for each, because two generators with one node issue the same IDs.
    pub nodes: u64,
    /// The holder's name, for people to read. The default is the program and the supervisor's
    /// process ID.
    pub holder: Option<String>,
    /// Release the nodes when the program and all its descendants have ended. By default they are
    /// free when their windows end, because a descendant that goes on, such as a daemon, may still
    /// issue IDs.
    pub release_on_exit: bool,
    /// The program's time between SIGTERM and SIGKILL, which has to leave time for a renewal
    /// ([`Error::KillAfter`](crate::Error::KillAfter) names the limit). The default is half a term,
    /// or less if the skew is short. With the default terms, it is 5 s.
    pub kill_after: Option<Duration>,
    /// The longest wait for the nodes and their windows, by default a minute. It does not apply to
    /// a store that does not answer at all, which is an error as soon as the first request times
    /// out.
    pub max_wait: Duration,
    /// The variables that are removed from the program's environment, since they may hold
    /// passwords, for example in the URL of a store.
    pub hidden: Vec<OsString>,
    /// Returns further variables for the nodes that were granted. There are none by default.
    ///
    /// A realm's nodes may be shares of a node's sequences
    /// ([`Scheme::split_node`](tickid_core::Scheme::split_node)). A program that takes such a node
    /// for a whole one issues IDs of a different holder, so pass its sequences here, or do not run
    /// the program.
    pub variables: fn(&RealmSpec, &[AnyNode]) -> Variables,
    /// Shows a remark, such as the reason why the program is stopped. Its text may be of foreign
    /// origin, so that a terminal must not interpret it.
    pub say: fn(&str),
}

impl Plan {
    /// The default of [`max_wait`](Self::max_wait).
    pub const MAX_WAIT: Duration = Duration::from_secs(60);

    /// Returns a plan to run a program and its arguments, with one node.
    #[must_use]
    pub fn new(command: Vec<OsString>, say: fn(&str)) -> Self {
        Self {
            command,
            nodes: 1,
            holder: None,
            release_on_exit: false,
            kill_after: None,
            max_wait: Self::MAX_WAIT,
            hidden: Vec::new(),
            variables: |_, _| Vec::new(),
            say,
        }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = f.debug_struct("Plan");
        all.field("command", &self.command).field("nodes", &self.nodes);
        all.field("holder", &self.holder).field("release_on_exit", &self.release_on_exit);
        all.field("kill_after", &self.kill_after).field("max_wait", &self.max_wait);
        all.field("hidden", &self.hidden).finish_non_exhaustive()
    }
}
