//! PostgreSQL servers for tests.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::servers::kept::{Kept, Script};
use crate::servers::server::{Server, StartError};

/// An empty PostgreSQL server that listens on a Unix socket in its folder, trusts every user that
/// can enter the folder, and accepts 1,200 connections.
#[derive(Debug)]
pub struct Postgres {
    kept: Kept,
    programs: PathBuf,
}

/// `$1` is the folder of PostgreSQL's programs. No data has to survive a crash, so nothing is
/// synced.
const SCRIPT: Script = Script {
    start: r#"
PATH="$1:$PATH"
initdb --pgdata=data --username=tickid --auth=trust --encoding=UTF8 --locale=C --no-sync &&
printf "%s = '%s'\n" >>data/postgresql.conf \
    listen_addresses '' \
    max_connections 1200 \
    unix_socket_directories "$PWD" \
    fsync off \
    synchronous_commit off \
    full_page_writes off &&
{ pg_ctl start --wait --pgdata=data --log=server.log || { cat server.log; false; }; }"#,
    stop: "pg_ctl stop --wait --mode=immediate --pgdata=data",
};

const PROGRAMS: [&str; 4] = ["initdb", "pg_ctl", "postgres", "psql"];

impl Postgres {
    /// The superuser.
    pub const USER: &str = "tickid";
    /// The database that is there from the start.
    pub const DATABASE: &str = "postgres";

    /// Returns the folder of its socket, which PostgreSQL's clients accept as a host.
    #[must_use]
    pub fn socket_folder(&self) -> &Path {
        self.kept.folder()
    }

    /// Returns the URL that clients connect to.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_of(Self::DATABASE)
    }

    /// Returns the URL of one of its databases.
    #[must_use]
    pub fn url_of(&self, database: &str) -> String {
        let (folder, user) = (self.socket_folder().display(), Self::USER);
        format!("postgresql:///{database}?host={folder}&user={user}")
    }

    /// Runs statements with `psql` and returns its output, which has a line for each row.
    ///
    /// # Errors
    /// Returns the output of `psql` if a statement fails.
    pub fn psql(&self, database: &str, statements: &str) -> io::Result<String> {
        let output = Command::new(self.programs.join("psql"))
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--set=ON_ERROR_STOP=1", "--command", statements, "--dbname"])
            .arg(self.url_of(database))
            .output()?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
        } else {
            Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
        }
    }

    /// Runs one line in a shell, in the server's folder, as its user and with its programs on the
    /// `PATH`. The data is in `data`.
    ///
    /// # Errors
    /// Returns the output of this line and all earlier ones if it fails.
    pub fn tell(&self, command: &str) -> Result<(), StartError> {
        self.kept.tell(command)
    }

    /// Stops the server and starts it again. With the `mode` `immediate`, it crashes.
    ///
    /// # Errors
    /// Returns its output if it does not start.
    pub fn restart(&self, mode: &str) -> Result<(), StartError> {
        self.stop(mode)?;
        self.begin()
    }

    /// Stops the server. With the `mode` `immediate`, it crashes.
    ///
    /// # Errors
    /// Returns its output if it does not stop.
    pub fn stop(&self, mode: &str) -> Result<(), StartError> {
        self.tell(&format!("pg_ctl stop --wait --mode={mode} --pgdata=data"))
    }

    /// Kills all processes of the server (SIGKILL).
    ///
    /// # Errors
    /// Returns the error of the query for the processes, or of the shell.
    pub fn kill(&self) -> Result<(), StartError> {
        let processes = self.psql(Self::DATABASE, "SELECT pid FROM pg_stat_activity")?;
        let processes = processes.replace('\n', " ");
        // The queried process has ended. Without waiting for it, a killed server would seem to be
        // alive.
        self.tell(&format!(
            "kill -KILL $(head -n 1 data/postmaster.pid) {processes} 2>/dev/null; \
             rm -f data/postmaster.pid .s.PGSQL.*"
        ))
    }

    /// Starts the server again after a [`stop`](Self::stop) or a [`kill`](Self::kill).
    ///
    /// # Errors
    /// Returns its output if it does not start.
    pub fn begin(&self) -> Result<(), StartError> {
        let start = "pg_ctl start --wait --pgdata=data --log=server.log";
        self.tell(&format!("{start} || {{ cat server.log; false; }}"))
    }

    /// Copies the data on disk of a [stopped](Self::stop) server.
    ///
    /// # Errors
    /// When it cannot be copied.
    pub fn back_up(&self) -> Result<(), StartError> {
        self.tell("rm -rf backup && cp -R -p data backup")
    }

    /// Restores the copy that [`back_up`](Self::back_up) made, into a stopped server.
    ///
    /// # Errors
    /// When a copy is missing.
    pub fn restore(&self) -> Result<(), StartError> {
        self.tell("rm -rf data && cp -R -p backup data")
    }
}

impl Server for Postgres {
    const NAME: &'static str = "PostgreSQL";

    fn start() -> Result<Self, StartError> {
        let programs = programs().ok_or(StartError::NotInstalled)?;
        let kept = Kept::start("postgres", &SCRIPT, &[&programs])?;
        Ok(Self { kept, programs })
    }

    fn is_installed() -> bool {
        programs().is_some()
    }
}

/// Returns the folder of PostgreSQL's programs, which packages do not put on the `PATH`.
fn programs() -> Option<PathBuf> {
    let told = Command::new("pg_config").arg("--bindir").output().ok();
    let told = told.map(|output| String::from_utf8_lossy(&output.stdout).trim().into());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/local/bin", "/usr/local/pgsql/bin", "/opt/homebrew/bin"];
    let mut folders = told
        .into_iter()
        .chain(std::env::split_paths(&path))
        .chain(versions(Path::new("/usr/lib/postgresql")))
        .chain(usual.map(PathBuf::from));
    folders.find(|folder| {
        folder.is_absolute() && PROGRAMS.iter().all(|program| folder.join(program).exists())
    })
}

/// Returns the folders of Debian's packages, the newest first.
fn versions(packages: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(packages).into_iter().flatten().flatten();
    let mut versions: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    versions.sort_unstable();
    let folder = |version: &u32| packages.join(version.to_string()).join("bin");
    versions.iter().rev().map(folder).collect()
}
