//! Redis servers for tests.

use std::path::Path;

use crate::servers::kept::{Kept, Script};
use crate::servers::network::{clock_library, free_port, is_on_path, wait_for_answer};
use crate::servers::server::{Server, StartError};

/// An empty Redis server, on a port of this machine, which writes everything to disk before it
/// replies.
#[derive(Debug)]
pub struct Redis {
    kept: Kept,
    port: u16,
    tls_port: Option<u16>,
    environment: String,
    options: String,
}

const SCRIPT: Script = Script { start: ":", stop: "kill -9 \"$(cat pid)\"\nwait" };

impl Redis {
    /// Starts a server with more options on its command line, such as `["--appendonly", "no"]`.
    ///
    /// # Errors
    /// As [`start`](Server::start).
    pub fn with_options(options: &[&str]) -> Result<Self, StartError> {
        let quoted: Vec<String> = options.iter().map(|option| format!("'{option}'")).collect();
        Self::launch("true", String::new(), quoted.join(" "))
    }

    /// Starts a server that also accepts encrypted connections, at a separate
    /// [address](Self::tls_address).
    ///
    /// A shell first runs the line `prepare` in the server's [folder](Self::folder). The `options`
    /// on Redis's command line may name files in that folder.
    ///
    /// # Errors
    /// As [`start`](Server::start), and when `prepare` fails.
    pub fn with_tls(prepare: &str, options: &str) -> Result<Self, StartError> {
        let tls_port = free_port()?;
        let options = format!("--tls-port {tls_port} {options}");
        Ok(Self { tls_port: Some(tls_port), ..Self::launch(prepare, String::new(), options)? })
    }

    /// Starts a server whose clock [can be set](Self::set_clock_forward).
    ///
    /// # Errors
    /// As [`start`](Server::start), and [`StartError::NotInstalled`] without `libfaketime`.
    pub fn with_settable_clock() -> Result<Self, StartError> {
        let library = clock_library().ok_or(StartError::NotInstalled)?;
        // Redis's allocator reads the clock before the library is ready, so libc's allocator is
        // used.
        let environment = format!(
            "LD_PRELOAD={}:libc.so.6 FAKETIME_TIMESTAMP_FILE=\"$PWD/clock\" FAKETIME_NO_CACHE=1 \
             FAKETIME_DONT_FAKE_MONOTONIC=1",
            library.display()
        );
        Self::launch("true", environment, String::new())
    }

    fn launch(prepare: &str, environment: String, options: String) -> Result<Self, StartError> {
        if !Self::is_installed() {
            return Err(StartError::NotInstalled);
        }
        let kept = Kept::start("redis", &SCRIPT, &[])?;
        kept.tell(prepare)?;
        let redis = Self { kept, port: free_port()?, tls_port: None, environment, options };
        redis.set_clock_forward(0)?;
        redis.revive()?;
        Ok(redis)
    }

    /// Returns the address that clients connect to: host and port.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns the address for encrypted connections, if the server was started [with
    /// them](Self::with_tls). The host is `localhost`, because certificates can be made for that
    /// name.
    #[must_use]
    pub fn tls_address(&self) -> Option<String> {
        self.tls_port.map(|port| format!("localhost:{port}"))
    }

    /// Returns the folder that holds its files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.kept.folder()
    }

    /// Returns the port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Kills the server, as a loss of power would.
    ///
    /// # Errors
    /// When it is not running.
    pub fn kill(&self) -> Result<(), StartError> {
        self.kept.tell("kill -9 \"$(cat pid)\"; wait \"$(cat pid)\"; rm pid")
    }

    /// Starts a [killed](Self::kill) server from its data on disk, and returns once it has read the
    /// data.
    ///
    /// # Errors
    /// When it does not start.
    pub fn revive(&self) -> Result<(), StartError> {
        self.kept.tell(&format!(
            "{} redis-server --bind 127.0.0.1 --port {} --dir \"$PWD\" --save '' \
             --appendonly yes --appendfsync always {} & echo $! >pid",
            self.environment, self.port, self.options
        ))?;
        wait_for_answer(&self.kept, self.port, "PING\r\n", "+PONG")
    }

    /// Stops the server's process, with its connections left open, until it is
    /// [resumed](Self::resume).
    ///
    /// # Errors
    /// When it is not running.
    pub fn pause(&self) -> Result<(), StartError> {
        self.kept.tell("kill -STOP \"$(cat pid)\"")
    }

    /// Continues the server after a [`pause`](Self::pause).
    ///
    /// # Errors
    /// When it is not running.
    pub fn resume(&self) -> Result<(), StartError> {
        self.kept.tell("kill -CONT \"$(cat pid)\"")
    }

    /// Sets the server's clock `seconds` ahead of the system's, if it was started [with a clock
    /// that can be set](Self::with_settable_clock).
    ///
    /// # Errors
    /// When the file that holds the setting cannot be written.
    pub fn set_clock_forward(&self, seconds: u32) -> Result<(), StartError> {
        self.kept.set_clock_forward(seconds)
    }
}

impl Server for Redis {
    const NAME: &'static str = "Redis (with libfaketime)";

    fn start() -> Result<Self, StartError> {
        Self::with_options(&[])
    }

    fn is_installed() -> bool {
        is_on_path("redis-server") && clock_library().is_some()
    }
}
