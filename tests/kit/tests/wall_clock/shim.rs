//! A wall clock that a test steps and slews, for its own process only.
//!
//! A small C library, preloaded into the process, replaces `clock_gettime` and similar functions.
//! It shows the raw clock plus the offset in a shared file, which [`Wall`] writes.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;
use std::{env, fs};

use rustix::time::{ClockId, clock_gettime};
use tickid_testkit::servers::{Server, StartError};

/// The shared file's path, in the environment of a process that has the shim.
const VARIABLE: &str = "TICKID_WALL_CLOCK";

/// The shim, built, in a temporary folder.
pub(super) struct Shim(PathBuf);

impl Server for Shim {
    const NAME: &'static str = "a C compiler for a library to preload";

    fn start() -> Result<Self, StartError> {
        built().map(Self).ok_or(StartError::NotInstalled)
    }

    fn is_installed() -> bool {
        built().is_some()
    }
}

impl Drop for Shim {
    fn drop(&mut self) {
        if let Some(folder) = self.0.parent() {
            // A folder that stays behind does not harm other tests.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Returns the library, which is built once, or `None` if it cannot be built or is not loaded.
fn built() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).clone()
}

fn build() -> Option<PathBuf> {
    let folder = env::temp_dir().join(format!("tickid-wall-clock-{}", std::process::id()));
    fs::create_dir_all(&folder).ok()?;
    let library = folder.join("shim.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wall_clock/shim.c");
    let mut compiler = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    compiler.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl");
    let is_built = compiler.output().is_ok_and(|output| output.status.success());
    let shim = Shim(library.clone());
    let works = is_built && shim.run("probe").is_ok();
    if works {
        // The folder is dropped with the `Shim` that `start` returns.
        core::mem::forget(shim);
    }
    works.then_some(library)
}

impl Shim {
    /// Runs this program once more, with the shim and with `scenario` as its only argument.
    ///
    /// # Errors
    /// Returns all of its output if it failed.
    pub(super) fn run(&self, scenario: &str) -> Result<(), String> {
        let control = self.0.with_file_name(scenario);
        let words = [0, offset(), 0, 0, 0].map(i64::to_ne_bytes);
        fs::write(&control, words.as_flattened()).map_err(|error| error.to_string())?;
        let file = File::options().write(true).open(&control);
        file.and_then(|file| file.set_len(WORDS * 8)).map_err(|error| error.to_string())?;
        let mut program = Command::new(env::current_exe().map_err(|error| error.to_string())?);
        program.arg(scenario).env("LD_PRELOAD", &self.0).env(VARIABLE, &control);
        program.env("RUST_BACKTRACE", "0");
        let output = program.output().map_err(|error| error.to_string())?;
        let wrote = [output.stdout, output.stderr].concat();
        if output.status.success() {
            return Ok(());
        }
        Err(format!("{}: {}", output.status, String::from_utf8_lossy(&wrote)))
    }
}

/// Reports whether this process has the shim.
pub(super) fn is_preloaded() -> bool {
    env::var_os(VARIABLE).is_some()
}

/// A version and two slots of four words.
const WORDS: u64 = 9;

/// The time from the announcement of a slew to its start, in nanoseconds. If the slew started
/// immediately, the wall clock would jump by as much as the slew makes until the file is written.
const NOTICE: i64 = 50_000_000;

/// The offset of the wall clock of this process, which has the shim.
pub(super) struct Wall {
    control: File,
    version: u64,
    /// In nanoseconds, at `base`.
    offset: i64,
    /// In parts in a billion.
    slew: i64,
    /// The time of `offset`, by [`raw`].
    base: i64,
}

impl Wall {
    /// Creates a wall clock that shows the system's time.
    pub(super) fn new() -> Self {
        let path = env::var_os(VARIABLE).unwrap();
        let control = File::options().write(true).open(path).unwrap();
        // `Shim::run` has written this offset.
        Self { control, version: 0, offset: offset(), slew: 0, base: 0 }
    }

    /// Steps the wall clock by `nanos` nanoseconds.
    pub(super) fn step(&mut self, nanos: i64) {
        self.change(nanos, self.slew, 0);
    }

    /// Lets the wall clock run faster or slower by `ppm` parts per million. Returns the time by
    /// [`raw`] when the slew starts.
    pub(super) fn slew(&mut self, ppm: i64) -> i64 {
        self.change(0, ppm * 1_000, NOTICE);
        self.base
    }

    pub(super) fn slew_in_ppm(&self) -> i64 {
        self.slew / 1_000
    }

    fn change(&mut self, step: i64, slew: i64, notice: i64) {
        let base = raw() + notice;
        let slewed = i128::from(base - self.base) * i128::from(self.slew) / 1_000_000_000;
        self.offset += i64::try_from(slewed).unwrap() + step;
        let words = [self.offset, base, self.slew, slew].map(i64::to_ne_bytes);
        (self.slew, self.base) = (slew, base);
        self.version += 1;
        let slot = 8 + 32 * (self.version & 1);
        self.control.write_all_at(words.as_flattened(), slot).unwrap();
        self.control.write_all_at(&self.version.to_ne_bytes(), 0).unwrap();
    }
}

/// Returns the lead of the wall clock over [`raw`].
fn offset() -> i64 {
    let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(wall.as_nanos()).unwrap() - raw()
}

/// Returns the nanoseconds of a clock that is neither stepped nor slewed.
pub(super) fn raw() -> i64 {
    let time = clock_gettime(ClockId::MonotonicRaw);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
