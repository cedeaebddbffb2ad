//! A wall clock that a test steps and slews under its own process.
//!
//! A small C library, preloaded into the process, takes the place of `clock_gettime` and its like. It
//! adds what a shared file says, which [`Wall`] writes.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
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
            // A folder that stays behind harms no other test.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// The library, built once. `None` where there is no compiler, or where the library is not loaded.
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
        // Dropped with the `Shim` that `start` returns.
        core::mem::forget(shim);
    }
    works.then_some(library)
}

impl Shim {
    /// Runs this program once more, with the shim and with `scenario` as its only argument.
    ///
    /// # Errors
    /// All that it wrote, if it failed.
    pub(super) fn run(&self, scenario: &str) -> Result<(), String> {
        let control = self.0.with_file_name(scenario);
        fs::write(&control, [0; WORDS * 8]).map_err(|error| error.to_string())?;
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

/// Whether this process has the shim.
pub(super) fn is_preloaded() -> bool {
    env::var_os(VARIABLE).is_some()
}

/// A version and two slots of three words.
const WORDS: usize = 7;

/// What is added to the wall clock of this process, which has the shim.
pub(super) struct Wall {
    control: File,
    version: u64,
    /// In nanoseconds, at `base`.
    offset: i64,
    /// In parts in a billion.
    slew: i64,
    /// By [`raw`].
    base: i64,
}

impl Wall {
    /// As the system has it, so far.
    pub(super) fn new() -> Self {
        let path = env::var_os(VARIABLE).unwrap();
        let control = File::options().write(true).open(path).unwrap();
        let mut wall = Self { control, version: 1, offset: 0, slew: 0, base: raw() };
        wall.change(0, 0);
        wall
    }

    /// Steps the wall clock by so many nanoseconds.
    pub(super) fn step(&mut self, nanos: i64) {
        self.change(nanos, self.slew);
    }

    /// Lets the wall clock run faster or slower from here on, by so many parts in a million.
    pub(super) fn slew(&mut self, ppm: i64) {
        self.change(0, ppm * 1_000);
    }

    pub(super) fn slew_in_ppm(&self) -> i64 {
        self.slew / 1_000
    }

    fn change(&mut self, step: i64, slew: i64) {
        let now = raw();
        let slewed = i128::from(now - self.base) * i128::from(self.slew) / 1_000_000_000;
        self.offset += i64::try_from(slewed).unwrap() + step;
        (self.slew, self.base) = (slew, now);
        self.version += 1;
        let slot = 8 + 24 * (self.version & 1);
        let words = [self.offset, self.slew, self.base].map(i64::to_ne_bytes);
        self.control.write_all_at(words.as_flattened(), slot).unwrap();
        self.control.write_all_at(&self.version.to_ne_bytes(), 0).unwrap();
    }
}

/// Nanoseconds by a clock that is neither stepped nor slewed.
pub(super) fn raw() -> i64 {
    let time = clock_gettime(ClockId::MonotonicRaw);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
