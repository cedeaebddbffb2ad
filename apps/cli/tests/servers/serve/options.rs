//! Options and signals.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use tickid_testkit::servers::{CERTIFICATES, Test};

use super::Folder;
use super::attacks::{
    few_files_end_no_lease, libraries_write_no_log, wrong_tokens_are_logged_once,
};
use super::idle::idle_connections_are_kept;
use super::serving::{Serving, http};
use super::start::{a_name_may_resolve_later, mistakes_in_stores_are_not_awaited};
use crate::process::{INVALID, NODE_STORE, OK, USAGE, json_lines, ran, ran_in, rows, with_state};

pub(crate) const TESTS: &[Test<Folder>] = &[
    ("realms_start_and_nodes_are_released", |_| realms_start_and_nodes_are_released()),
    ("realms_have_the_named_layout", |_| realms_have_the_named_layout()),
    ("new_realms_have_the_named_start", |_| new_realms_have_the_named_start()),
    ("mistakes_are_refused", |_| mistakes_are_refused()),
    ("a_name_may_resolve_later", |_| a_name_may_resolve_later()),
    ("mistakes_in_stores_are_not_awaited", |_| mistakes_in_stores_are_not_awaited()),
    ("options_are_set_by_environment", |_| options_are_set_by_environment()),
    ("libraries_write_no_log", |_| libraries_write_no_log()),
    ("wrong_tokens_are_logged_once", |_| wrong_tokens_are_logged_once()),
    ("few_files_end_no_lease", |_| few_files_end_no_lease()),
    ("hangup_reads_tokens_again", |_| hangup_reads_tokens_again()),
    ("pipes_are_named", |_| pipes_are_named()),
    ("files_that_everyone_may_write_are_named", |_| files_that_everyone_may_write_are_named()),
    ("requests_are_logged", |_| requests_are_logged()),
    ("the_unit_of_systemd_serves", |_| the_unit_of_systemd_serves()),
    ("the_manifest_of_kubernetes_serves", |_| the_manifest_of_kubernetes_serves()),
    ("idle_connections_are_kept", |_| idle_connections_are_kept()),
];

fn serve(state: &Path, options: &str) -> Serving {
    Serving::start(with_state(state, &format!("serve {options}")))
}

fn realms_start_and_nodes_are_released() {
    let state = TempDir::new().unwrap();
    let init = "lease init nanoflake --realm chat --epoch discord --pool 5/10";
    assert_eq!(ran_in(state.path(), init).status, OK);
    for realms in ["--realm orders=sno --realm chat", "--realm orders --realm chat=nanoflake"] {
        let serving = serve(state.path(), &format!("{realms} --holder tests"));
        let mut client = serving.client();
        assert_eq!(client.ids::<10>("orders", 3).unwrap().len(), 3);
        let id: u64 = client.ask("INCR chat").unwrap()[1..].parse().unwrap();
        assert_eq!(id >> 12 & 0x3ff, 5);
        let (status, answer) = http(serving.http, "/v1/realms/orders/ids?count=2", "");
        assert_eq!(status, 200, "{answer}");
        assert_eq!(http(serving.http, "/readyz", "").0, 200);
        let listed = || ran_in(state.path(), "lease list --realm chat --json").stdout;
        assert_eq!(rows(&listed())[0]["holder"], "tests");
        assert_eq!(rows(&listed())[0]["standing"], "held");

        serving.signal("TERM");
        let (status, log) = serving.end();
        assert_eq!(status.code(), Some(OK));
        assert!(log.contains("the nodes are released"), "{log}");
        assert_eq!(rows(&listed())[0]["standing"], "free");
    }
}

fn realms_have_the_named_layout() {
    let state = TempDir::new().unwrap();
    let realms = "--realm orders=snowflake:js-safe --realm chat=nanoflake:discord";
    for realms in [realms, "--realm orders=snowflake:41x1ms/6n/6s@2025-01-01 --realm chat"] {
        let serving = serve(state.path(), realms);
        let mut client = serving.client();
        let id: u64 = client.ask("INCR orders").unwrap()[1..].parse().unwrap();
        assert!(id < 1 << 53, "{id}");
        let since = (id >> 12) + 1_735_689_600_000;
        assert!(since > 1_767_225_600_000, "{id} is of {since}, before this test was written");
        let (status, answer) = http(serving.http, "/v1/realms/orders/ids?count=2", "");
        assert_eq!(status, 200, "{answer}");
        serving.signal("TERM");
        assert_eq!(serving.end().0.code(), Some(OK));
    }
    let ran = ran_in(state.path(), "serve --realm orders=snowflake:discord");
    assert_eq!(ran.status, USAGE);
    let both = "has the settings 41x1ms/6n/6s@1735689600000, not 42x1ms/10n/12s/unsigned@";
    assert!(ran.stderr.contains(both), "{}", ran.stderr);
    assert!(ran.stderr.contains("serve it as it is with `--realm orders`"), "{}", ran.stderr);
}

fn new_realms_have_the_named_start() {
    let state = TempDir::new().unwrap();
    let tick_start = |realm: &str| {
        let listed = ran_in(state.path(), &format!("lease list --realm {realm} --json")).stdout;
        json_lines(&listed)[0]["start"].clone()
    };
    // The second server finds the realms, and has their starts without an option.
    for options in ["=nanoflake --realm chat=nanoflake --start orders=random", " --realm chat"] {
        let serving = serve(state.path(), &format!("--realm orders{options}"));
        let mut client = serving.client();
        let mut remainders = |realm: &str| {
            first_of_ticks(|| client.ask(&format!("INCR {realm}")).unwrap()[1..].parse().unwrap())
        };
        assert_eq!(remainders("orders"), (0..8).collect());
        assert_eq!(remainders("chat"), BTreeSet::from([0]));
        assert_eq!((tick_start("orders"), tick_start("chat")), ("random".into(), "lowest".into()));
        serving.signal("TERM");
        assert_eq!(serving.end().0.code(), Some(OK));
    }
    // Another holder has it as well.
    let made = ran_in(state.path(), "gen nanoflake --realm orders --as decimal -n 1000000").stdout;
    let mut made = made.lines().map(|id| id.parse().unwrap());
    assert_eq!(first_of_ticks(|| made.next().unwrap()), (0..8).collect());
}

/// Returns the sequences that many ticks start with, modulo 8, from Nanoflakes of one generator.
fn first_of_ticks(mut next: impl FnMut() -> u64) -> BTreeSet<u64> {
    // That one of eight is missing in 150 random ones happens once in 60 million runs.
    const TICKS: usize = 150;
    let mut firsts: Vec<u64> = Vec::new();
    let mut last = next() >> 22;
    while firsts.len() < TICKS {
        let id = next();
        if id >> 22 != last {
            firsts.push(id % 8);
        }
        last = id >> 22;
    }
    firsts.into_iter().collect()
}

fn mistakes_are_refused() {
    let state = TempDir::new().unwrap();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = format!("--realm orders --listen {}", other.local_addr().unwrap());
    let init = "lease init sno --realm orders";
    assert_eq!(ran_in(state.path(), init).status, OK);
    for (options, status, message) in [
        ("", USAGE, "--realm <NAME[=SCHEME[:SETTINGS]]>"),
        ("--realm orders=uuid", USAGE, "the schemes are scru64, nanoflake, kuid, sno, snowflake"),
        ("--realm orders=kuid", USAGE, "the realm in the store is of the scheme sno"),
        ("--realm orders=kuid", USAGE, "serve it as it is with `--realm orders`"),
        ("--realm other", NODE_STORE, "--realm other=SCHEME creates it"),
        ("--realm orders --realm orders", USAGE, "the realm orders is named twice"),
        ("--realm orders --listen 0.0.0.0:0", USAGE, "that takes tokens and TLS"),
        ("--realm orders --listen localhost:0", USAGE, "an IP address and a port: 127.0.0.1:6400"),
        ("--realm orders --http [::]:0", USAGE, "hint: --token-file, --tls-cert and --tls-key"),
        ("--realm orders --max-count 0", USAGE, "the limit count is 0, outside of 1..=1000000"),
        ("--realm orders --token-file /nowhere", USAGE, "could not read \"/nowhere\""),
        ("--realm orders --tls-cert /nowhere", USAGE, "--tls-key"),
        (&taken, INVALID, "hint: --listen and --unix name other addresses for RESP"),
    ] {
        let ran = ran_in(state.path(), &format!("serve {options}"));
        assert_eq!(ran.status, status, "{options}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{options}: {}", ran.stderr);
    }
}

fn options_are_set_by_environment() {
    let state = TempDir::new().unwrap();
    let tokens = state.path().join("tokens");
    fs::write(&tokens, "0123456789abcdef").unwrap();
    let mut command = with_state(state.path(), "serve --max-count 7");
    command.env("TICKID_REALMS", "orders=sno,chat=nanoflake").env("TICKID_HOLDER", "tests");
    command.env("TICKID_TOKEN_FILE", &tokens).env("TICKID_UNIX", "");
    command.env("TICKID_MAX_COUNT", "5").env("TICKID_RATE", "1").env("TICKID_TIMEOUT", "60s");
    // Variables of other programs and subcommands, and one that is misspelt.
    command.env("TICKID_PORT", "tcp://10.0.0.1:6400").env("TICKID_REALM", "orders");
    command.env("TICKID_EPOCH", "discord").env("TICKID_MAX_COUNTS", "7");
    let serving = Serving::start(command);
    let mut client = serving.client();
    assert_eq!(client.ask("AUTH 0123456789abcdef").unwrap(), "+OK");
    assert_eq!(client.ids::<10>("orders", 6).unwrap().len(), 6);
    // The command line prevails.
    let refused = client.ask("TICKID.NEXT orders 8").unwrap();
    assert_eq!(refused, "-ERR the count \"8\" is outside of 1..=7 (limit count)");
    // What the first request took of the rate comes back, should a machine stand still for so long.
    let is_limited = |()| {
        let mut client = serving.client();
        client.ask("AUTH 0123456789abcdef").unwrap();
        let answer = client.ask("TICKID.NEXT chat 7").unwrap();
        answer.starts_with("-TRYAGAIN the limit rate is 1 IDs per second")
    };
    assert!([(); 100].into_iter().any(is_limited));
    let listed = ran_in(state.path(), "lease list --realm chat --json").stdout;
    assert_eq!(rows(&listed)[0]["holder"], "tests");
    serving.signal("TERM");
    let (_, log) = serving.end();
    let warned: Vec<&str> =
        log.lines().filter(|line| line.contains("the variable has no effect")).collect();
    let part = r#""variable":"TICKID_MAX_COUNTS","nearest":"TICKID_MAX_COUNT""#;
    assert!(matches!(&warned[..], [line] if line.contains(part)), "{log}");
    // In the form of the log, of which every line is an object.
    for created in
        ["created the realm orders: sno, with", "created the realm chat: nanoflake, with"]
    {
        assert!(log.contains(&format!(r#""message":"{created}"#)), "{log}");
    }

    for (name, value, message) in [
        ("TICKID_LISTEN", "127.0.0.1:0,0.0.0.0:0", "0.0.0.0:0 can be reached"),
        ("TICKID_THREADS", "0", "'0'"),
        ("TICKID_TLS_CERT", "/nowhere", "--tls-key"),
        ("TICKID_LOG_LEVEL", "loud", "'loud'"),
    ] {
        let mut command = with_state(state.path(), "serve --realm orders");
        let ran = ran(command.env(name, value));
        assert_eq!(ran.status, USAGE, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{name}: {}", ran.stderr);
    }
    // Every option has one; the description of the store names its variable. Descriptions are
    // further to the right, and may have an option at the start of a line.
    let help = ran_in(state.path(), "serve --help").stdout;
    let options = help.lines().filter(|line| line.starts_with("      --")).count();
    assert_eq!(help.matches("[env: TICKID_").count(), options, "{help}");
}

fn hangup_reads_tokens_again() {
    let state = TempDir::new().unwrap();
    let tokens = state.path().join("tokens");
    fs::write(&tokens, "0123456789abcdef").unwrap();
    let options = format!("--realm a=kuid --token-file {}", tokens.display());
    let mut serving = serve(state.path(), &options);
    let mut client = serving.client();
    assert!(client.ask("PING").unwrap().starts_with("-NOAUTH"));
    assert_eq!(client.ask("AUTH 0123456789abcdef").unwrap(), "+OK");
    fs::write(&tokens, "fedcba9876543210").unwrap();
    serving.signal("HUP");
    serving.logged("the files were read again");
    assert!(client.ask("PING").unwrap().starts_with("-NOAUTH"));
    assert_eq!(client.ask("AUTH fedcba9876543210").unwrap(), "+OK");
    fs::write(&tokens, "short").unwrap();
    serving.signal("HUP");
    let line = serving.logged("a file was not read again");
    assert!(line["error"].as_str().unwrap().contains("the token has 5 bytes"), "{line}");
    assert_eq!(serving.logged("what was read before stays in use")["count"], 1);
    assert_eq!(client.ask("PING").unwrap(), "+PONG");
}

/// Who replaces the tokens in a pipe must know that it takes a restart.
fn pipes_are_named() {
    let state = TempDir::new().unwrap();
    let tokens = state.path().join("tokens");
    assert!(Command::new("mkfifo").arg(&tokens).status().unwrap().success());
    let writer = std::thread::spawn({
        let tokens = tokens.clone();
        move || fs::write(tokens, "0123456789abcdef").unwrap()
    });
    let options = format!("--realm a=kuid --token-file {}", tokens.display());
    let serving = serve(state.path(), &options);
    writer.join().unwrap();
    serving.signal("TERM");
    let (_, log) = serving.end();
    let is_warning = |line: &&str| {
        line.contains(r#""level":"WARN""#)
            && line.contains("a pipe can be read once, so the file is not read again")
            && line.contains(&*tokens.to_string_lossy())
    };
    assert_eq!(log.lines().filter(is_warning).count(), 1, "{log}");
}

/// Whoever writes a token, a key or an authority decides who is a client, or which store is asked.
fn files_that_everyone_may_write_are_named() {
    const WARNING: &str = "every user of this machine may write the file";
    let state = TempDir::new().unwrap();
    let made = Command::new("sh").args(["-c", CERTIFICATES]).current_dir(&state).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    fs::write(state.path().join("tokens"), "0123456789abcdef").unwrap();
    let path = |name: &str| state.path().join(name).display().to_string();
    let (tokens, certificate, key) = (path("tokens"), path("server.crt"), path("server.key"));
    let authorities = path("ca.pem");
    let names = ["tokens", "server.crt", "server.key", "ca.pem"];
    for open in 0..=4 {
        for (index, name) in names.into_iter().enumerate() {
            let mode = if index < open { 0o666 } else { 0o664 };
            fs::set_permissions(path(name), Permissions::from_mode(mode)).unwrap();
        }
        let options = format!(
            "--realm a=kuid --token-file {tokens} --tls-cert {certificate} --tls-key {key} \
             --client-ca {authorities}"
        );
        let serving = serve(state.path(), &options);
        serving.signal("TERM");
        let (_, log) = serving.end();
        assert_eq!(log.matches(WARNING).count(), open, "{log}");
        assert!(names[..open].iter().all(|name| log.contains(&path(name))), "{log}");
    }
    // Those of the store, which is not there.
    let options = format!("sslrootcert={authorities}&sslcert={certificate}&sslkey={key}");
    let serving = serve(state.path(), &format!("--realm a --store etcd://127.0.0.1:1?{options}"));
    serving.signal("TERM");
    let (_, log) = serving.end();
    assert_eq!(log.matches(WARNING).count(), 3, "{log}");
}

fn requests_are_logged() {
    let state = TempDir::new().unwrap();
    let socket = state.path().join("socket");
    let options = format!("--realm a=kuid --log-level debug --unix {}", socket.display());
    let mut serving = serve(state.path(), &options);
    assert_eq!(serving.logged("listening")["path"], socket.to_str().unwrap());
    let (_, answer) = http(serving.http, "/v1/realms/a/ids?count=0", "");
    let id = answer.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap();
    let line: Value = serving.logged("answered");
    assert_eq!((&line["request"], &line["status"]), (&Value::from(id), &Value::from(400)));
    assert_eq!((&line["path"], &line["method"]), (&"/v1/realms/a/ids".into(), &"GET".into()));
}

/// With `DynamicUser`, systemd makes the service's folder a symbolic link, which no store may be.
fn the_unit_of_systemd_serves() {
    let unit = include_str!("../../../../packaging/server/tickid.service");
    let settings = |name| unit.lines().filter_map(move |line| line.strip_prefix(name));
    let setting = |name| settings(name).next().unwrap();
    assert_eq!(setting("DynamicUser="), "yes");
    let name = setting("StateDirectory=");
    let state = TempDir::new().unwrap();
    fs::create_dir_all(state.path().join("private").join(name)).unwrap();
    std::os::unix::fs::symlink(format!("private/{name}"), state.path().join(name)).unwrap();
    let run = state.path().join("run");
    fs::create_dir_all(run.join(setting("RuntimeDirectory="))).unwrap();
    let arguments = setting("ExecStart=/usr/bin/tickid ");
    let mut command = with_state(state.path(), arguments);
    let place = state.path().to_str().unwrap();
    for (name, value) in settings("Environment=")
        .flat_map(str::split_ascii_whitespace)
        .map(|variable| variable.split_once('=').unwrap())
    {
        let value = value.replace("/run", run.to_str().unwrap());
        command.env(name, value.replace("/var/lib", place));
    }
    // Without limit, but not for a mistake in the options.
    let (of_unit, of_service) = unit.split_once("[Service]").unwrap();
    assert!(of_unit.contains("\nStartLimitIntervalSec=0\n"));
    for (name, value) in [("Restart", "on-failure"), ("RestartSec", "2")] {
        assert!(of_service.contains(&format!("\n{name}={value}\n")), "{name}");
    }
    assert_eq!(setting("RestartPreventExitStatus="), USAGE.to_string());
    // The line that a user puts into the file of the unit.
    command.env("TICKID_REALMS", "orders=sno");
    let mut serving = Serving::start(command);
    assert_eq!(serving.client().ids::<10>("orders", 3).unwrap().len(), 3);
    for protocol in ["resp", "http"] {
        let line = serving.logged("listening");
        assert_eq!(line["protocol"], protocol);
        assert!(line["path"].as_str().unwrap().starts_with(place), "{line}");
    }
}

/// A pod is sent SIGTERM while its endpoint is being removed, and nodes still send it connections.
fn the_manifest_of_kubernetes_serves() {
    let manifest = include_str!("../../../../packaging/server/kubernetes.yaml");
    let number = |name: &str| -> u64 {
        let (_, rest) = manifest.split_once(name).unwrap_or_else(|| panic!("no {name}"));
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    };
    assert!(manifest.starts_with("# The ID server on Kubernetes 1.30 or later"));
    let sleep = number("preStop: { sleep: { seconds: ");
    assert_eq!(number("terminationGracePeriodSeconds: "), sleep + 30);

    let state = TempDir::new().unwrap();
    let made = Command::new("sh").args(["-c", CERTIFICATES]).current_dir(&state).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    fs::write(state.path().join("tokens"), "0123456789abcdef").unwrap();
    assert_eq!(ran_in(state.path(), "lease init sno --realm orders").status, OK);
    let options = manifest.lines().filter_map(|line| line.trim_start().strip_prefix("- --"));
    let options =
        options.filter(|option| !option.starts_with("listen=") && !option.starts_with("http="));
    let path = |name: &str| state.path().join(name).display().to_string();
    let options: String = options.map(|option| format!(" --{option}")).collect();
    let options = options.replace("/secrets/tickid/tokens", &path("tokens"));
    let options = options.replace("/secrets/tls/tls.crt", &path("server.crt"));
    let options = options.replace("/secrets/tls/tls.key", &path("server.key"));
    assert!(!options.contains("/secrets"), "{options}");
    assert!(options.contains(" --max-connections="), "strangers fill the memory: {options}");
    // The test has a form of the log of its own.
    let serving = serve(state.path(), &options.replace(" --log=json", ""));
    serving.signal("TERM");
    let (status, log) = serving.end();
    assert_eq!(status.code(), Some(OK), "{log}");
}
