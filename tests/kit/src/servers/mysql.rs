//! MariaDB servers for tests.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::servers::kept::{Kept, Script};
use crate::servers::network::{clock_library, free_port, is_on_path};
use crate::servers::server::{Server, StartError};

/// A MariaDB server with one empty database, on a port of this machine. It accepts 1,200
/// connections.
#[derive(Debug)]
pub struct MySql {
    kept: Kept,
    port: u16,
    environment: String,
    options: String,
}

/// Temporary tables are in the folder because two installations at the same time would overwrite
/// each other's. Authentication is by password, so clients need neither a plugin nor a matching
/// system user.
const INSTALLATION: Script = Script {
    start: r#"export TMPDIR="$PWD"
mariadb-install-db --no-defaults --datadir="$PWD/data" --skip-test-db \
    --auth-root-authentication-method=normal --innodb-log-file-size=8M"#,
    stop: "true",
};

/// `$1` is the folder of the installation.
const SCRIPT: Script =
    Script { start: r#"cp -R "$1/data" data"#, stop: "kill -9 \"$(cat server)\"\nwait" };

const PROGRAMS: [&str; 2] = ["mariadb-install-db", "mariadb"];

impl MySql {
    /// The user that owns the database.
    pub const USER: &str = "tickid";
    /// The user's password.
    pub const PASSWORD: &str = "secret of the tests";
    /// The database that is there from the start.
    pub const DATABASE: &str = "tickid";

    /// Starts a server with more options on its command line.
    ///
    /// A shell first runs the line `prepare` in the server's folder. The options may name files
    /// that it creates.
    ///
    /// # Errors
    /// As [`start`](Server::start), and when `prepare` fails.
    pub fn with_options(prepare: &str, options: &str) -> Result<Self, StartError> {
        Self::launch(prepare, String::new(), options)
    }

    /// Starts a server whose clock [can be set](Self::set_clock_forward).
    ///
    /// # Errors
    /// As [`start`](Server::start), and [`StartError::NotInstalled`] without `libfaketime`.
    pub fn with_settable_clock() -> Result<Self, StartError> {
        let library = clock_library().ok_or(StartError::NotInstalled)?;
        let environment = format!(
            "LD_PRELOAD={} FAKETIME_TIMESTAMP_FILE=\"$PWD/clock\" FAKETIME_NO_CACHE=1 \
             FAKETIME_DONT_FAKE_MONOTONIC=1",
            library.display()
        );
        Self::launch("true", environment, "")
    }

    fn launch(prepare: &str, environment: String, options: &str) -> Result<Self, StartError> {
        if !Self::is_installed() {
            return Err(StartError::NotInstalled);
        }
        let kept = Kept::start("mysql", &SCRIPT, &[&installation()?])?;
        kept.tell(prepare)?;
        let options = options.to_owned();
        let server = Self { kept, port: free_port()?, environment, options };
        server.set_clock_forward(0)?;
        server.revive()?;
        let (user, password, database) = (Self::USER, Self::PASSWORD, Self::DATABASE);
        server.query(&format!(
            "CREATE DATABASE {database};\
             CREATE USER {user}@'%' IDENTIFIED BY '{password}';\
             GRANT ALL ON {database}.* TO {user}@'%'"
        ))?;
        Ok(server)
    }

    /// Returns the address that clients connect to: host and port.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns the port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL of its database, for the user with the password.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_of(Self::DATABASE)
    }

    /// Returns the URL of one of its databases.
    #[must_use]
    pub fn url_of(&self, database: &str) -> String {
        let (user, password) = (Self::USER, Self::PASSWORD.replace(' ', "%20"));
        format!("mysql://{user}:{password}@{}/{database}", self.address())
    }

    /// Returns the folder that holds its files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.kept.folder()
    }

    /// Runs statements as the superuser and returns their output, which has a line for each row,
    /// with tabs between columns.
    ///
    /// # Errors
    /// Returns the client's output if one of them fails.
    pub fn query(&self, statements: &str) -> io::Result<String> {
        let output = Command::new("mariadb")
            .args(["--no-defaults", "--user=root", "--batch", "--skip-column-names"])
            .arg(format!("--socket={}", self.socket().display()))
            .args(["--execute", statements])
            .output()?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
        } else {
            Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
        }
    }

    fn socket(&self) -> PathBuf {
        self.kept.folder().join("socket")
    }

    /// Kills the server, as a crash of its process would.
    ///
    /// # Errors
    /// When it is not running.
    pub fn kill(&self) -> Result<(), StartError> {
        self.kept.tell("kill -9 \"$(cat server)\"; wait \"$(cat server)\"; rm server socket")
    }

    /// Starts the server with its data, and returns once it accepts connections.
    ///
    /// # Errors
    /// When it does not start.
    pub fn revive(&self) -> Result<(), StartError> {
        let (environment, port, options) = (&self.environment, self.port, &self.options);
        // The buffers are the smallest because tests start several servers. If a thousand clients
        // connect at the same time, they must not overflow the queue, since their first bytes would
        // be lost. With a thread for each connection, they got no answers within minutes.
        self.kept.tell(&format!(
            "{environment} {} --no-defaults --datadir=\"$PWD/data\" --socket=\"$PWD/socket\" \
             --port={port} --bind-address=127.0.0.1 --innodb-buffer-pool-size=16M \
             --innodb-log-file-size=8M --performance-schema=off --max-connections=1200 \
             --back-log=1200 --thread-handling=pool-of-threads \
             {options} \
             & echo $! >server",
            daemon().ok_or(StartError::NotInstalled)?.display()
        ))?;
        self.kept.tell(
            "tries=0; until mariadb --no-defaults --user=root --socket=\"$PWD/socket\" \
             --execute='SELECT 1' >/dev/null 2>&1; do tries=$((tries + 1)); \
             [ $tries -lt 1200 ] && kill -0 \"$(cat server)\" || break; sleep 0.05; done; \
             [ -S socket ]",
        )
    }

    /// Copies the data on disk of a [killed](Self::kill) server.
    ///
    /// # Errors
    /// When it cannot be copied.
    pub fn back_up(&self) -> Result<(), StartError> {
        self.kept.tell("rm -rf backup && cp -R -p data backup")
    }

    /// Restores the copy that [`back_up`](Self::back_up) made, into a killed server.
    ///
    /// # Errors
    /// When a copy is missing.
    pub fn restore(&self) -> Result<(), StartError> {
        self.kept.tell("rm -rf data && cp -R -p backup data")
    }

    /// Stops the server's process, with its connections left open, until it is
    /// [resumed](Self::resume).
    ///
    /// # Errors
    /// When it is not running.
    pub fn pause(&self) -> Result<(), StartError> {
        self.kept.tell("kill -STOP \"$(cat server)\"")
    }

    /// Continues the server after a [`pause`](Self::pause).
    ///
    /// # Errors
    /// When it is not running.
    pub fn resume(&self) -> Result<(), StartError> {
        self.kept.tell("kill -CONT \"$(cat server)\"")
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

impl Server for MySql {
    const NAME: &'static str = "MariaDB";

    fn start() -> Result<Self, StartError> {
        Self::with_options("true", "")
    }

    fn is_installed() -> bool {
        PROGRAMS.iter().all(|program| is_on_path(program)) && daemon().is_some()
    }
}

/// Returns the folder of an installation, which is made only once because that takes longer than
/// starting a server on a copy of it.
fn installation() -> Result<PathBuf, StartError> {
    static KEPT: Mutex<Option<Kept>> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let installed = match kept.take() {
        Some(installed) => installed,
        None => Kept::start("mysql", &INSTALLATION, &[])?,
    };
    Ok(kept.insert(installed).folder().to_owned())
}

/// Returns the server's program, which packages install in a folder that is only on the superuser's
/// `PATH`.
fn daemon() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from);
    let mut folders = std::env::split_paths(&path).chain(usual);
    folders.find_map(|folder| Some(folder.join("mariadbd")).filter(|program| program.is_file()))
}
