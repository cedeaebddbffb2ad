//! `tickid doctor`: checks the clock, the limits and the store of this machine.

use core::time::Duration;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{self, ExitCode};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use tickid_core::{Clock, DefaultClock, SystemClock, UnixTime, counted};
use tickid_lease::admin::{RealmName, Standing, Terms};
use tickid_lease::backend::{RealmView, RowState, Scope};
use tickid_lease::{Store, StoreError};

use crate::failure::{CLOCK, Failure, NEWER, STORE, is_newer};
use crate::lease::RealmSummary;
use crate::message::shown;
use crate::output::Output;
use crate::output::picture;
use crate::output::printed::write_json;
use crate::store::{StoreOptions, answer};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid doctor
  tickid doctor --store etcd://db:2379
  tickid doctor --json

Checks the clock, the store and the limits of this machine, with a hint for each problem. Exit
status: 0 if all is well or there are only warnings, 3 if the store has a problem, 4 if the clock
has one.")]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    store: StoreOptions,
    /// Print one JSON object per finding
    #[arg(long)]
    json: bool,
}

/// The state of one thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    topic: &'static str,
    level: Level,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
    /// The exit status, if it is an error.
    #[serde(skip)]
    status: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    Warning,
    Error,
}

impl Finding {
    fn ok(topic: &'static str, text: impl Into<String>) -> Self {
        Self { topic, level: Level::Ok, text: text.into(), hint: None, status: None }
    }

    fn warning(topic: &'static str, text: impl Into<String>, hint: &'static str) -> Self {
        let (level, text) = (Level::Warning, text.into());
        Self { topic, level, text, hint: Some(hint), status: None }
    }

    /// Returns a problem, with the command's exit status.
    fn error(status: u8, topic: &'static str, text: impl Into<String>, hint: &'static str) -> Self {
        let (level, text) = (Level::Error, text.into());
        Self { topic, level, text, hint: Some(hint), status: Some(status) }
    }
}

pub(crate) fn run(arguments: &DoctorArguments) -> Result<ExitCode, Failure> {
    let mut findings = clocks();
    findings.extend(limits());
    // Opening makes a folder that is missing, so it has to be looked for before.
    let missing = arguments.store.missing_folder();
    let opened = arguments.store.open();
    match &opened {
        Ok(store) => {
            findings.extend(store_findings(store));
            findings.extend(missing.map(|path| new_folder(&path)));
        }
        Err(failure) => {
            findings.push(Finding::error(
                STORE,
                "store",
                failure.to_string(),
                "--store URL names another",
            ));
        }
    }
    let mut out = Output::stdout();
    // In a file or a pipe each finding is one line, so that grep shows all of it.
    let width = if out.is_terminal() { picture::width() } else { usize::MAX };
    for finding in &findings {
        if arguments.json {
            write_json(finding, out.buffer())?;
        } else {
            out.buffer().extend_from_slice(lines(finding, width).as_bytes());
        }
    }
    out.flush_or_closed()?;
    // If the store and the clock have errors, the store's status wins.
    let statuses = findings.iter().filter_map(|finding| finding.status);
    let status = statuses.min_by_key(|status| *status != STORE).unwrap_or(0);
    Ok(ExitCode::from(status))
}

/// Returns the lines about a finding.
fn lines(finding: &Finding, width: usize) -> String {
    let level = match finding.level {
        Level::Ok => "ok",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let mut lines = String::new();
    let start = format!("{level:<8} {:<12} ", finding.topic);
    picture::push_wrapped(&mut lines, &start, start.len(), &shown(&finding.text), width);
    if let Some(hint) = finding.hint {
        let indent = " ".repeat(start.len());
        picture::push_wrapped(&mut lines, &indent, start.len(), &format!("hint: {hint}"), width);
    }
    lines
}

/// Looks at the machine's clocks.
fn clocks() -> Vec<Finding> {
    /// A difference of the counter clock that is not a separate error.
    const ERROR: Duration = Duration::from_millis(20);
    /// 2020-01-01. No clock that was ever set shows an earlier time.
    const SET: UnixTime = UnixTime::from_micros(1_577_836_800_000_000);
    let mut findings = Vec::new();
    match SystemClock.now() {
        Ok(now) if now >= SET => findings.push(Finding::ok("clock", now.to_string())),
        Ok(now) => findings.push(Finding::error(CLOCK, "clock", format!("{now}"), "set the clock")),
        Err(error) => {
            findings.push(Finding::error(CLOCK, "clock", error.to_string(), "set the clock"))
        }
    }
    // Reading a slow clock source would cost more than the rest of an ID.
    if let Ok(source) =
        fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    {
        let source = source.trim();
        findings.push(match source {
            "tsc" | "kvm-clock" | "arch_sys_counter" | "hyperv_clocksource_tsc_page" => {
                Finding::ok("clock source", source)
            }
            _ => Finding::warning(
                "clock source",
                format!("{source}, which takes long to read"),
                "boot with clocksource=tsc if the processor's counter is reliable",
            ),
        });
    }
    // The default clock extrapolates, so it is compared with the system's.
    if let Some(error) = clock_error(&DefaultClock::default()) {
        let text = format!("the default clock is up to {error:?} from the system's");
        findings.push(if error <= ERROR {
            Finding::ok("clock error", text)
        } else {
            let hint = "the machine is busy, or its clock is being set; run this again";
            Finding::warning("clock error", text, hint)
        });
    }
    findings
}

/// Returns the largest difference between the default clock and the system's in 100 readings.
fn clock_error(clock: &DefaultClock) -> Option<Duration> {
    let difference = || {
        let before = SystemClock.now().ok()?;
        let read = clock.now().ok()?;
        let after = SystemClock.now().ok()?;
        Some(before.saturating_since(read).max(read.saturating_since(after)))
    };
    (0..100).map(|_| difference()).max().flatten()
}

/// Looks at the kernel's limits for the process.
fn limits() -> Vec<Finding> {
    /// The kernel's name of a limit, the noun for people, the value below which it is low, and the
    /// remedy.
    const LIMITS: [(&str, &str, u64, &str); 2] = [
        ("Max open files", "open files", 256, "`ulimit -n 1024` allows more connections"),
        ("Max processes", "processes and threads", 64, "`ulimit -u 1024` allows more threads"),
    ];
    let Ok(limits) = fs::read_to_string("/proc/self/limits") else { return Vec::new() };
    let found = LIMITS.iter().filter_map(|&(name, noun, low, hint)| {
        // A line has the soft and the hard limit after the name, as in
        // `Max open files 1024 524288 files`, or the word `unlimited`.
        let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
        let soft = line.split_whitespace().next()?;
        let text = format!("{soft} {noun}");
        Some(match soft.parse::<u64>() {
            Ok(limit) if limit < low => Finding::warning("limits", text, hint),
            _ => Finding::ok("limits", text),
        })
    });
    found.collect()
}

/// Looks at the store, its clock and its realms.
fn store_findings(store: &Store) -> Vec<Finding> {
    const HINT: &str = "check the URL, the server and the network; --store URL names another";
    let mut findings = Vec::new();
    // The first request also connects. If it fails, nothing else can be learned from the store, so
    // its error is the only finding.
    let begun = Instant::now();
    let realms = match answer(store.realms()) {
        Ok(realms) => realms,
        Err(error) => return vec![Finding::error(STORE, "store", format!("{error:?}"), HINT)],
    };
    let took = begun.elapsed();
    findings.push(Finding::ok(
        "store",
        format!(
            "{} at {}: {} in {took:.1?}",
            store.backend(),
            store.endpoint(),
            counted(realms.len() as u64, "realm")
        ),
    ));
    findings.extend(folder(store));
    findings.extend(store.inner().is_remote().then(|| writes(store)));
    // A realm is read along with the store's clock. If there is none, the clock is read by itself.
    if realms.is_empty() {
        findings.extend(clock_of(store).unwrap_or_else(|error| {
            Some(Finding::error(STORE, "store", format!("{error:?}"), HINT))
        }));
    }
    for realm in &realms {
        findings.extend(round_trip(store, realm).map(|(trip, terms)| distance(realm, trip, terms)));
        // The store reads its clock between this moment and the answer, which bounds the
        // difference.
        let asked = SystemClock.now();
        match answer(store.list(realm)) {
            Ok(view) => findings.extend(realm_findings(realm, &view, asked)),
            Err(error) => {
                let hint = if is_newer(&error) { NEWER } else { HINT };
                findings.push(Finding::error(STORE, "store realm", format!("{error:?}"), hint));
            }
        }
    }
    findings
}

/// Measures the round trip to a store on a server, and returns it with the realm's terms. Of two
/// requests the shorter one counts, since the first may connect anew.
fn round_trip(store: &Store, realm: &RealmName) -> Option<(Duration, Terms)> {
    let measure = || {
        let asked = Instant::now();
        let record = answer(store.realm(realm)).ok()?;
        Some((asked.elapsed(), record.realm.terms()))
    };
    store
        .inner()
        .is_remote()
        .then(|| [measure(), measure()].into_iter().flatten().min_by_key(|(trip, _)| *trip))?
}

/// Compares a round trip with the time that a renewal has.
fn distance(realm: &RealmName, trip: Duration, terms: Terms) -> Finding {
    /// Requests to servers time out after this.
    const TIMEOUT: Duration = Duration::from_secs(3);
    const TOPIC: &str = "store trip";
    let text = |part: &str, bound: Duration| {
        let bound = bound.min(TIMEOUT);
        format!("realm {realm}: a round trip takes {trip:.1?}, {part} {bound:.1?} for its term")
    };
    let hint = "`tickid lease init SCHEME --realm NAME --term TERM --reconfigure` sets a longer term; \
                or use a nearer store";
    let (good, most) = (terms.longest_trip(), terms.term / 4);
    if trip <= good.min(TIMEOUT) {
        Finding::ok(TOPIC, text("of at most", good))
    } else if trip <= most.min(TIMEOUT) {
        Finding::warning(TOPIC, text("and should take at most", good), hint)
    } else {
        let text = text("and no renewal is answered beyond", most);
        Finding::error(STORE, TOPIC, text, hint)
    }
}

/// Finds out whether a server accepts writes, which those that answer all reads may refuse.
fn writes(store: &Store) -> Finding {
    const TOPIC: &str = "store writes";
    match answer(store.inner().try_write()) {
        Ok(true) => Finding::ok(TOPIC, "accepted"),
        Ok(false) => Finding::warning(
            TOPIC,
            "could not try: this user may write in some realms at most",
            "`tickid lease acquire` and `release` try a realm",
        ),
        Err(error) => Finding::error(
            STORE,
            TOPIC,
            format!("{error:?}"),
            "no node can be granted or renewed: the server is full, read-only, or refuses this user",
        ),
    }
}

/// Looks at the clock of a store without a realm.
fn clock_of(store: &Store) -> Result<Option<Finding>, StoreError> {
    let Ok(any) = "doctor".parse::<RealmName>() else { return Ok(None) };
    let asked = SystemClock.now();
    let view = answer(store.inner().read(&any, Scope::Record))?;
    let difference = difference(asked, view.now);
    Ok(difference.map(|difference| skew("the store", difference, Terms::DEFAULT_SKEW)))
}

/// The difference of this machine's clock to a store's.
#[derive(Clone, Copy)]
enum Difference {
    Ahead(Duration),
    Behind(Duration),
    /// At most so much, which the answer took.
    Within(Duration),
}

/// Returns the difference to a clock that was read between `asked` and now; `None` without a clock.
fn difference<E>(asked: Result<UnixTime, E>, read: UnixTime) -> Option<Difference> {
    let (asked, answered) = (asked.ok()?, SystemClock.now().ok()?);
    let (ahead, behind) = (asked.saturating_since(read), read.saturating_since(answered));
    Some(if !ahead.is_zero() {
        Difference::Ahead(ahead)
    } else if !behind.is_zero() {
        Difference::Behind(behind)
    } else {
        Difference::Within(answered.saturating_since(asked))
    })
}

fn skew(subject: &str, difference: Difference, allowed: Duration) -> Finding {
    const TOPIC: &str = "clock skew";
    match difference {
        Difference::Within(most) => {
            Finding::ok(TOPIC, format!("{subject}: the clocks agree within {most:.1?}"))
        }
        // A difference of less than the skew is normal, because the terms allow for it.
        Difference::Ahead(ahead) => {
            let text = format!("{subject}: this clock is {ahead:.1?} ahead of the store's");
            let hint = "generators stall when they are this far ahead; synchronise the clocks";
            if ahead <= allowed {
                Finding::ok(TOPIC, text)
            } else {
                Finding::error(CLOCK, TOPIC, text, hint)
            }
        }
        Difference::Behind(behind) => {
            let text = format!("{subject}: this clock is {behind:.1?} behind the store's");
            let hint = "generators wait until this clock has come so far; synchronise the clocks";
            if behind <= allowed {
                Finding::ok(TOPIC, text)
            } else {
                Finding::error(CLOCK, TOPIC, text, hint)
            }
        }
    }
}

/// Looks at the folder of a store, if it is one.
fn folder(store: &Store) -> Vec<Finding> {
    // The endpoint of a server, such as `db:2379`, is no path that exists.
    let endpoint = store.endpoint();
    let path = endpoint.strip_prefix("file://").unwrap_or(&endpoint);
    let Ok(path) = fs::canonicalize(path) else { return Vec::new() };
    let mut findings = Vec::new();
    // The records are safe only where locks hold and files outlive a restart, which depends on the
    // kind of the file system.
    if let Some(kind) = file_system(&path) {
        let text = format!("{} on {kind}", path.display());
        findings.push(match (store.inner().doubt(), kind.as_str()) {
            (Some(doubt), _) => Finding::warning(
                "store folder",
                doubt,
                "use a folder on a disk of this machine, or a server",
            ),
            (None, "tmpfs" | "ramfs") => Finding::warning(
                "store folder",
                text,
                "it is empty after a restart; use a folder on a disk",
            ),
            (None, _) => Finding::ok("store folder", text),
        });
    }
    // The rights of the folder do not show that the file system is read-only or full, so a file is
    // written.
    if let Err(error) = try_to_write(&path) {
        let text = format!("{}: {error}", path.display());
        let hint = "a lease is a file there; use a folder of yours that is not read-only";
        findings.push(Finding::error(STORE, "store folder", text, hint));
    }
    #[cfg(unix)]
    if let Ok(metadata) = fs::metadata(&path) {
        use std::os::unix::fs::PermissionsExt as _;
        // The records hold the tokens of leases, with which another user could release them.
        let mode = metadata.permissions().mode() & 0o777;
        let text = format!("mode {mode:03o}");
        findings.push(if mode & 0o077 == 0 {
            Finding::ok("store rights", text)
        } else {
            Finding::warning("store rights", text, "`chmod 700` keeps other users out")
        });
    }
    findings
}

/// Reports that a store has just been made, which is another one if its name is wrong.
fn new_folder(path: &Path) -> Finding {
    let text = format!("{} did not exist, and was made", path.display());
    Finding::warning("store folder", text, "correct the path if leases were kept in another folder")
}

/// Writes a file to a folder and removes it. No realm has such a name.
fn try_to_write(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!(".doctor-{}", process::id()));
    let written = fs::write(&path, "tickid doctor\n");
    let removed = fs::remove_file(&path);
    written.and(removed)
}

/// Returns the type of the file system that holds a path.
fn file_system(path: &Path) -> Option<String> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mounts = mounts.lines().filter_map(|line| {
        // As in `/dev/sda1 /home ext4 rw,relatime 0 0`. The file system of a path is the one that
        // is mounted deepest above it.
        let mut words = line.split(' ').skip(1);
        let (place, kind) = (unescaped(words.next()?), words.next()?);
        path.starts_with(&place).then_some((place.len(), kind))
    });
    // Of two at one place the later hides the earlier.
    mounts.max_by_key(|(len, _)| *len).map(|(_, kind)| kind.to_owned())
}

/// Returns the path of a mount. The kernel writes white space and backslashes in it as octal
/// digits, for example `/mnt/my\040disk`.
fn unescaped(place: &str) -> String {
    [(r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", r"\")]
        .iter()
        .fold(place.to_owned(), |place, (escape, symbol)| place.replace(escape, symbol))
}

/// Looks at a realm: the store's clock and what is left of its nodes and windows.
fn realm_findings<E>(
    name: &RealmName,
    view: &RealmView,
    asked: Result<UnixTime, E>,
) -> Vec<Finding> {
    let Some((record, _)) = &view.record else { return Vec::new() };
    let realm = &record.realm;
    let mut findings = Vec::new();
    if let Some(difference) = difference(asked, view.now) {
        findings.push(skew(&format!("realm {name}"), difference, realm.terms().skew));
    }
    // If the store's clock shows no tick, no lease can be judged.
    let (Ok(standings), Ok(summary)) = (view.standings(), RealmSummary::of(view)) else {
        let text = format!("realm {name}: the store's clock is outside of the scheme's time");
        findings.push(Finding::error(CLOCK, "clock skew", text, "set the store's clock"));
        return findings;
    };
    // The window that ends first shows whether renewals come, since holders renew after half a
    // term.
    let held = standings.iter().filter(|(_, _, standing)| *standing == Standing::Held);
    let ends = held.filter_map(|(_, state, _)| {
        let RowState::Intact { row, .. } = state else { return None };
        Some(realm.scale().time_of(row.ceiling))
    });
    let left = ends.min().map(|end| end.saturating_since(view.now));
    let (free, held, quarantined) = (summary.available(), summary.held, summary.quarantined);
    let rarer = summary.rarer();
    let window = left.map_or_else(String::new, |left| format!("; shortest window left {left:.1?}"));
    let text = format!(
        "realm {name}: {} held, {free} free, {quarantined} quarantined{rarer}{window}",
        counted(held, "node")
    );
    // One finding for each realm, about what is most urgent.
    findings.push(match (quarantined, free) {
        (1.., _) => Finding::warning(
            "store realm",
            text,
            "`tickid lease repair` frees quarantined nodes; `tickid lease list` shows them",
        ),
        (_, 0) if summary.has_paused() => Finding::warning(
            "store realm",
            text,
            "`tickid lease list` shows from when on nodes are free",
        ),
        (_, 0) => Finding::warning(
            "store realm",
            text,
            "`tickid lease init SCHEME --realm NAME --pool NODES --reconfigure` adds nodes; NODES are \
             all of the pool",
        ),
        _ => Finding::ok("store realm", text),
    });
    findings
}

#[cfg(test)]
mod tests {
    use tickid_core::Policy;
    use tickid_sno::Sno;

    use super::*;

    #[test]
    fn mounts_may_have_spaces() {
        assert_eq!(unescaped(r"/mnt/my\040disk\134"), r"/mnt/my disk\");
        assert_eq!(unescaped(r"/a\134040"), r"/a\040");
    }

    #[test]
    fn root_is_on_a_file_system() {
        if Path::new("/proc/self/mounts").exists() {
            assert!(file_system(Path::new("/")).is_some());
            assert_eq!(file_system(Path::new("/proc/self")).as_deref(), Some("proc"));
        }
    }

    #[test]
    fn distant_stores_are_found_out() {
        let (realm, term) = ("orders".parse().unwrap(), Duration::from_secs(10));
        let found = |millis, term| {
            let terms = Terms::new(Policy::<Sno>::Wait).with_term(term);
            let finding = distance(&realm, Duration::from_millis(millis), terms);
            (finding.level, finding.text)
        };
        let text = |text: &str| format!("realm orders: a round trip takes {text} for its term");
        assert_eq!(found(20, term), (Level::Ok, text("20.0ms, of at most 1.7s")));
        assert_eq!(found(1_666, term), (Level::Ok, text("1.7s, of at most 1.7s")));
        let warning = text("1.7s, and should take at most 1.7s");
        assert_eq!(found(1_700, term), (Level::Warning, warning));
        let error = text("2.6s, and no renewal is answered beyond 2.5s");
        assert_eq!(found(2_600, term), (Level::Error, error));
        let error = text("4.0s, and no renewal is answered beyond 3.0s");
        assert_eq!(found(4_000, term * 60), (Level::Error, error));
    }

    #[test]
    fn findings_are_lines_with_hints() {
        let finding = Finding::warning("limits", "8 open files", "more");
        let expected = "warning  limits       8 open files\n                      hint: more\n";
        assert_eq!(lines(&finding, usize::MAX), expected);
    }

    #[test]
    fn lines_fit_the_terminal() {
        let text = "/var/lib/tickid is a folder on a file system of the network ".repeat(3);
        let finding = Finding::warning("store folder", text.trim_end(), "a folder of this machine");
        let one_line = lines(&finding, usize::MAX);
        for width in [40, 60, 80] {
            let lines = lines(&finding, width);
            assert!(lines.lines().all(|line| line.len() <= width), "{lines}");
            assert!(lines.lines().skip(1).all(|line| line.starts_with("                      ")));
            let words = |text: &str| -> Vec<String> {
                text.split_whitespace().map(str::to_owned).collect()
            };
            assert_eq!(words(&lines), words(&one_line));
        }
    }
}
