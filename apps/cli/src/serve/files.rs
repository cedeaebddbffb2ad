//! The limit of open files.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tickid_server::Limits;

use crate::failure::Failure;

/// Lets the process open as many files as the limits take, or permits fewer connections: the store
/// needs files, too, or no lease could be renewed once connections have taken them all.
pub(super) fn fit(mut limits: Limits, realms: usize) -> Result<Limits, Failure> {
    let needed = limits.files(realms);
    let (soft, hard) = match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok(limit) => limit,
        Err(error) => {
            tracing::warn!(%error, "the limit of open files is not known");
            return Ok(limits);
        }
    };
    // A process may raise its soft limit up to the hard one by itself; only root may raise that.
    let wanted = needed.min(hard);
    // Most systems start with 1,024, for the sake of programs that use `select`.
    let files = if soft >= wanted {
        soft
    } else {
        match setrlimit(Resource::RLIMIT_NOFILE, wanted, hard) {
            Ok(()) => wanted,
            Err(error) => {
                tracing::warn!(%error, soft, wanted, "the limit of open files was not raised");
                soft
            }
        }
    };
    // The store's files are not negotiable, so each file that is missing costs a connection.
    let Some(missing) = needed.checked_sub(files).filter(|&missing| missing > 0) else {
        return Ok(limits);
    };
    let wanted = limits.connections;
    let connections = u64::from(wanted).saturating_sub(missing);
    if connections == 0 {
        // What a server with a single connection takes.
        let least = needed - u64::from(wanted) + 1;
        let text = format!("the limit of open files is {files}, fewer than the {least} needed");
        return Err(Failure::Usage(text).hinting("`ulimit -n 1024` raises it".to_owned()));
    }
    // The limit only falls, so it fits the type.
    limits.connections = u32::try_from(connections).unwrap_or(wanted);
    let connections = limits.connections;
    tracing::warn!(
        files,
        needed,
        connections,
        "fewer open files than --max-connections takes, so that fewer connections are accepted"
    );
    Ok(limits)
}
