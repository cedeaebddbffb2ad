//! A newcomer follows the README and the tutorial: every block of shell commands, in a clone and in
//! new folders.

use std::fs;
use std::process::{Command, ExitCode};

use serde_json::Value;
use tempfile::TempDir;
use tickid_testkit::servers::Postgres;

const README: &str = include_str!("../../../../README.md");
const TUTORIAL: &str = include_str!("../../../../docs/tutorial.md");
const PROGRAM: &str = include_str!("../src/main.rs");

fn main() -> ExitCode {
    tickid_testkit::servers::run::<Postgres>(&[
        ("readme_is_followed", readme_is_followed),
        ("tutorial_is_followed", tutorial_is_followed),
    ])
}

/// Returns a page's blocks of code in a language.
fn blocks<const N: usize>(page: &str, language: &str) -> [String; N] {
    let opening = format!("\n```{language}\n");
    let parts = page.split(opening.as_str()).skip(1);
    let blocks = parts.map(|part| part.split_once("```").unwrap().0.to_owned());
    let blocks: Vec<_> = blocks.collect();
    blocks.try_into().unwrap_or_else(|blocks| panic!("not {N} blocks: {blocks:?}"))
}

/// Someone who has cargo, and a clone of the repository in `tickid`, in an empty folder.
struct Newcomer {
    folder: TempDir,
}

impl Newcomer {
    fn new() -> Self {
        let newcomer = Self { folder: tempfile::tempdir().unwrap() };
        let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
        newcomer.run(".", &format!("git clone --quiet '{repository}' tickid"));
        newcomer
    }

    /// Runs a script in a folder and returns what it prints.
    fn run(&self, folder: &str, script: &str) -> String {
        let path = self.folder.path();
        let installed = path.join("installed");
        let programs = std::env::var("PATH").unwrap();
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", script])
            .current_dir(path.join(folder))
            .env("CARGO_TARGET_DIR", path.join("target"))
            .env("CARGO_INSTALL_ROOT", &installed)
            .env("PATH", format!("{}/bin:{programs}", installed.display()))
            .env("XDG_STATE_HOME", path.join("state"))
            .output()
            .unwrap();
        let [printed, errors] =
            [&output.stdout, &output.stderr].map(|of| String::from_utf8_lossy(of));
        assert!(output.status.success(), "{script}\n{printed}\n{errors}");
        printed.into_owned()
    }

    /// Runs a script that builds from nothing. Returns what it prints, and the processor time of
    /// its programs in seconds.
    fn time(&self, folder: &str, script: &str) -> (String, f64) {
        let script = format!("unset CARGO_BUILD_BUILD_DIR\n{script}\ntimes");
        let mut printed = self.run(folder, &script);
        // The last line, such as `1m23.456s 0m7.890s`, is in user and in system mode.
        let last = printed.trim_end().rfind('\n').unwrap();
        let times = printed.split_off(last);
        let times = times.trim().split(' ').map(|time| {
            let (minutes, seconds) = time.strip_suffix('s').unwrap().split_once('m').unwrap();
            60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
        });
        (printed, times.sum())
    }
}

fn is_sno(word: &str) -> bool {
    word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// Compares a claim of the README in seconds of processor time with what was measured. Another
/// program on the machine may make that half as long again.
fn holds(claim: &str, most: f64, measured: f64) {
    println!("shown: the README's \"{claim}\" took {measured:.0} s of processor time");
    // A claim may be wrapped.
    assert!(README.replace('\n', " ").contains(claim), "{claim}");
    assert!(measured < 1.5 * most, "{claim}: {measured} s of processor time");
}

fn readme_is_followed(_: &Postgres) {
    let newcomer = Newcomer::new();
    let [first, second] = blocks(README, "sh");

    let (printed, seconds) = newcomer.time("tickid", &first);
    holds("one to two minutes on two cores", 240.0, seconds);
    let ids: Vec<_> = printed.lines().take(5).collect();
    assert!(ids.len() == 5 && ids.iter().all(|id| is_sno(id)), "{printed}");
    assert!(printed.contains("  sno\n"), "{printed}");

    // `.ci/run` runs all of the tests in a clean checkout.
    let (installs, tests) = second.split_once("cargo xtask test").unwrap();
    assert_eq!(tests.lines().count(), 2, "the last lines run the tests");
    newcomer.run("tickid", &format!("{installs}\ncargo xtask test --all --help"));
    assert!(is_sno(newcomer.run(".", "tickid gen sno").trim()));
    newcomer.run(".", "tickid serve --help; tickid sql --help; tickid man man");

    let add = "cargo add --path TICKID/crates/tickid --features sno";
    assert!(README.contains(&format!("`{add}`")));
    let [program] = blocks(README, "rust");
    newcomer.run(".", "cargo new --quiet program");
    fs::write(newcomer.folder.path().join("program/src/main.rs"), program).unwrap();
    newcomer.run("program", &add.replace("TICKID", "../tickid"));
    let (_, seconds) = newcomer.time("program", "cargo build --quiet");
    holds("ten seconds of processor time", 10.0, seconds);
    let printed = newcomer.run("program", "cargo run --quiet");
    let is_id_with_time = |line: &str| {
        let (id, time) = line.split_once(' ').unwrap();
        is_sno(id) && time.starts_with("20") && time.ends_with('Z')
    };
    assert!(printed.lines().count() == 2 && printed.lines().all(is_id_with_time), "{printed}");
}

fn tutorial_is_followed(server: &Postgres) {
    let newcomer = Newcomer::new();
    let [dependencies, start, order] = blocks(TUTORIAL, "sh");

    // As the page says for the time before the first release.
    assert!(TUTORIAL.replace('\n', " ").contains("`cargo add tickid --path TICKID/crates/tickid "));
    let add = "cargo add tickid --path \"$OLDPWD/tickid/crates/tickid\"";
    newcomer.run(".", &dependencies.replace("cargo add tickid", add));
    fs::write(newcomer.folder.path().join("orders/src/main.rs"), PROGRAM).unwrap();

    // The test's server listens elsewhere.
    let (folder, user) = (server.socket_folder().display(), Postgres::USER);
    let url = "postgres://localhost/orders";
    assert!(start.contains(url));
    let start = start.replace(url, &format!("'{}'", server.url_of("orders")));
    let listing = "tickid lease list --store $DATABASE_URL --realm tutorial";
    assert!(TUTORIAL.contains(&format!("`{listing}`")));
    let script = format!(
        "trap 'kill $(jobs -p)' EXIT
        export PGHOST='{folder}' PGUSER={user}
        tickid() {{
            cargo run --quiet --manifest-path ../tickid/Cargo.toml \
                --package tickid-cli --features postgres -- \"$@\"
        }}
        {start}
        for port in 3000 3001; do
            curl --silent --retry 600 --retry-delay 1 --retry-connrefused localhost:$port/readyz
        done
        {order}
        echo
        {listing}"
    );
    let printed = newcomer.run("orders", &script);
    let (_, rest) = printed.split_once('[').unwrap();
    let (orders, listing) = rest.split_once(']').unwrap();
    let orders: Value = serde_json::from_str(&format!("[{orders}]")).unwrap();
    let items: Vec<_> = orders.as_array().unwrap().iter().map(|order| &order["item"]).collect();
    assert_eq!(items, ["tea", "milk"]);
    assert!(listing.contains(" 2 held, 1022 free,"), "{listing}");
}
