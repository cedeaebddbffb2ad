//! The name of a holder, for people to read.

use std::env;

use crate::embedded::static_node::host_name;

/// Returns a human-readable name of a holder, as in `web-1/server:42`. It consists of this host (or
/// pod), a program, and the ID of this process.
///
/// # Examples
/// ```
/// let name = tickid_lease::session::holder_name("billing");
/// assert!(name.contains("/billing:"), "{name}");
/// ```
#[must_use]
pub fn holder_name(program: &str) -> String {
    let variable = env::var("HOSTNAME").ok().filter(|name| !name.is_empty());
    let host = variable.or_else(|| host_name().ok()).unwrap_or_else(|| "?".to_owned());
    format!("{host}/{program}:{}", std::process::id())
}

/// Returns the name of a holder that runs in this program.
pub(super) fn this_holder() -> String {
    let path = env::current_exe().ok();
    let program = path.as_ref().and_then(|path| path.file_name()?.to_str());
    holder_name(program.unwrap_or("?"))
}
