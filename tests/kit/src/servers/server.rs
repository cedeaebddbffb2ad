//! What all servers for tests have in common.

use core::fmt;
use std::io;

/// The environment variable that makes tests fail if their server is not installed.
pub const REQUIRE_SERVERS: &str = "TICKID_REQUIRE_SERVERS";

/// A server that tests start and talk to.
pub trait Server: Sized + Send + Sync + 'static {
    /// The server's name.
    const NAME: &'static str;

    /// Starts a server in its own folder, and returns once it accepts connections.
    ///
    /// # Errors
    /// Returns [`StartError::NotInstalled`] if the program is missing.
    fn start() -> Result<Self, StartError>;

    /// Reports whether the server's programs are installed.
    fn is_installed() -> bool;
}

/// The reason a server did not start.
#[derive(Debug)]
pub enum StartError {
    /// Its programs are not in any of the usual places.
    NotInstalled,
    /// It did not start. This is its output.
    Failed(String),
    /// Its folder or files could not be prepared.
    Io(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled => f.write_str("not installed"),
            Self::Failed(said) => write!(f, "did not start; it said:\n{said}"),
            Self::Io(error) => write!(f, "could not be prepared: {error}"),
        }
    }
}

impl core::error::Error for StartError {}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
