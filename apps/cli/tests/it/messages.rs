//! Error messages: each names the value and the remedy, and has the exit status of its kind.

use crate::process::{
    CLOCK, INVALID, NODE_STORE, OK, Ran, USAGE, ran, ran_in, run, run_with, run_with_input, tickid,
    with_state,
};

/// Checks that a run failed with `status`, without output, and that its message holds all of
/// `parts`.
fn assert_fails(arguments: &str, ran: &Ran, status: i32, parts: &[&str]) {
    let Ran { stdout, stderr, .. } = ran;
    assert_eq!((ran.status, stdout.as_str()), (status, ""), "{arguments}: {stderr}");
    assert!(stderr.starts_with("error: "), "{arguments}: {stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{arguments}: no {part:?} in {stderr}");
    }
    // The words of Rust's own parsers.
    for raw in ["invalid digit", "empty string", "float literal", "target type", "ParseInt"] {
        assert!(!stderr.contains(raw), "{arguments}: {stderr}");
    }
}

#[test]
fn node_errors_have_the_range() {
    for (arguments, parts) in [
        ("gen scru64 --node foo", ["'/'", "42/8: node ID 42 (0 to 255) in 8 bits (1 to 23)"]),
        ("gen scru64 --node foo/8", ["decimal digits", "as in 42/8"]),
        ("gen scru64 --node 42", ["node ID 42 needs a size in bits: 42/8", "--node-size 8"]),
        ("gen scru64 --node 42/24", ["24", "1..=23"]),
        ("gen scru64 --node 256/8", ["node ID 256", "0..=255"]),
        ("gen nanoflake --node 0x400", ["node 1024", "0..=1023"]),
        ("gen sno --node foo", ["'foo'", "a node is a number from 0 to 65535"]),
        ("gen snowflake --layout js-safe --node 64", ["node 64", "0..=63"]),
        ("gen kuid --node 0xgg", ["'0xgg' is not a fingerprint", "1 to 8 hexadecimal digits"]),
        ("gen kuid --node=", ["--node", "at least one character"]),
        ("gen kuid --kind local --node a@b", ["kuid local has no node", "--node"]),
        ("range sno --since 1 --node 7/32", ["--node", "to global kuids only"]),
        ("range kuid --since 1 --kind local --node 0x1", ["--node", "to global kuids only"]),
        ("convert --to kuid --node= x", ["--node ''", "at least one character"]),
        ("convert --to nanoflake --node foo x", ["--node 'foo'", "a number from 0 to 1023"]),
        ("convert --to scru64 --node foo x", ["--node 'foo'", "42/8"]),
        ("convert --to sno --node-table a=1 x", ["'a=1'", "a node is a number from 0 to"]),
        ("lease repair --realm a --node foo", ["'foo'", "N/BITS, as in 42/8"]),
        // Of another size than the scheme's.
        ("gen kuid --node 5/16", ["5 of 16 bits", "32 bits"]),
        ("gen uuid --node 5/16", ["5 of 16 bits", "32 bits"]),
        ("gen sno --node 60145/32", ["60145/32 has 1 of a tick's sequences", "30 bits"]),
        ("convert --to nanoflake --node 7/16 x", ["7 of 16 bits", "10 bits"]),
        ("range kuid --node 5/16 --since 2024-01-01", ["5 of 16 bits", "32 bits"]),
        // A name of digits would be hashed.
        ("gen kuid --node 60145", ["60145 is a number", "60145/32"]),
        ("convert --to kuid --node 5 0u375nxqh5cq", ["5 is a number", "5/32"]),
    ] {
        assert_fails(arguments, &run(arguments), USAGE, &parts);
    }
}

#[test]
fn wrong_values_are_explained() {
    for (arguments, part) in [
        ("gen sno -n 99999999999999999999", "count 99999999999999999999 is outside of 0..="),
        ("gen sno --meta foo", "a metabyte is a number from 0 to 255"),
        ("gen kuid --drift 11", "11 is outside of 5..=10"),
        ("inspect --node-size 0 x", "0 is outside of 1..=23"),
        ("gen sno --max-wait soon", "a number of seconds, or has units: 90s"),
        ("gen nanoflake --epoch soon", "not the name of an epoch, and neither milliseconds"),
        ("gen nanoflake --epoch 2020", "1970-01-01T00:00:02.020Z; as a date: 2020-01-01"),
        ("range sno --since soon --until 5", "RFC 3339 (2024-01-01T00:00:00Z), a date"),
        ("range sno --since 99999999999999999999 --until 5", "99999999999999999999 is outside of"),
        ("lease init sno --realm a --pool foo", "FIRST-LAST/BITS or N/BITS, as in 0-255/8"),
        ("lease init sno --realm A", "lower-case letters"),
        (
            "convert --to scru64 --to-node-size 8 --node 0x1000000000 x",
            "node ID 68719476736 is outside of 0..=255",
        ),
        ("convert --to scru64 --node 42 x", "--to-node-size"),
        ("convert --to kuid --kind local --node a@b x", "no node"),
        ("convert --to uuid --node 7 x", "as it is"),
        ("convert --to sno --node-table 1=2,3=2 x", "nodes 1 and 3 both map to 2"),
        ("convert --to sno --node-table 12 x", "'='"),
        ("convert --to sno --node 1 --truncate-node low x", "--truncate-node"),
        ("convert --restore --to sno 0u375nxqh5cq", "--from"),
        (
            "range sno --since 2080-01-01T01:00:00+01:00 --until 2081-01-01",
            "--since: time 2080-01-01T00:00:00Z is outside of 2010-01-01T00:00:00Z to \
             2079-09-07T15:47:35.548Z",
        ),
        (
            "range sno --since 2000-01-01 --until 2009-12-31T23:59:59.999Z --inclusive",
            "--until: time 2009-12-31T23:59:59.999Z is outside of 2010-01-01T00:00:00Z to \
             2079-09-07T15:47:35.551999Z",
        ),
        (
            "range sno --since 2024-01-02T00:00:00Z --until 1704067200000",
            "--since 2024-01-02T00:00:00Z is after --until 2024-01-01T00:00:00Z",
        ),
        ("range scru64 --since -5 --until -1", "1970-01-01T00:00:00Z to 4261-02-27"),
        ("range sno --since 2024-01-02 --until 2024-01-02", "--inclusive"),
        (
            "range scru64 --since 1704067200001 --until 1704067200256",
            "no ID shows a time from --since 2024-01-01T00:00:00.001Z to \
             --until 2024-01-01T00:00:00.256Z\nhint: an ID shows the start of its tick",
        ),
        ("range sno --since now", "is the start of the range"), // one moment for both
        ("range sno --since 2024-01-01 --until 2024-01-02 --tz Atlantis", "Europe/Berlin"),
        ("range ksuid --since 2024-01-01 --as int", "than 128 bits"),
        ("layout 42x1ms/10n/12s@0", "sum of bits 64 is outside of 9..=63"),
        ("gen snowflake --layout 42x1ms/10n/12s@0 --node 1", "is 42x1ms/10n/12s/unsigned@0"),
        ("layout 41x1ms/10n/12s@2026", "so this one is 1970-01-01T00:00:02.026Z; as a date"),
        ("layout 41x1ms/10n", "at position 10"),
    ] {
        assert_fails(arguments, &run(arguments), USAGE, &[part]);
    }
    let token = format!("--token {:032x}", 0);
    for (used, part) in [("foo", "a tick is a number from 0"), ("-1", "tick -1 is outside of")] {
        let arguments = format!("lease release --realm a {token} --used={used}");
        assert_fails(&arguments, &run(&arguments), USAGE, &[part]);
    }
    let arguments = "lease release --realm a --token foo";
    assert_fails(arguments, &run(arguments), USAGE, &["is not 32 hexadecimal digits"]);
}

#[test]
fn other_node_sizes_are_refused() {
    for (arguments, parts) in [
        ("gen scru64 --node 42/8 --node-size 12", ["--node is 42/8", "--node-size is 12"]),
        ("gen scru64 --node 42/8 --node-size 12 --time 2024-01-01", ["/8", "--node-size is 12"]),
        ("convert --to scru64 --node 42/8 --to-node-size 12 x", ["42/8", "--to-node-size 12"]),
        ("convert --from sno --to scru64 --node 42/8 --node-size 12 x", ["42/8", "--node-size 12"]),
        (
            "convert --restore --from scru64 --to sno --node 42/8 --node-size 12 x",
            ["42/8", "--node-size 12"],
        ),
        (
            "lease init scru64 --realm a --node-size 16 --store static:5/8",
            ["the nodes are 0-255/8, but --node-size is 16", "`--pool 0-65535/16` has nodes"],
        ),
    ] {
        assert_fails(arguments, &run(arguments), USAGE, &parts);
    }
    let (ran, shown) = (run("gen scru64 --node 42/8 --node-size 8 --json"), "\"node_id\":42,");
    assert!(ran.status == OK && ran.stdout.contains(shown), "{}{}", ran.stdout, ran.stderr);
    // Old and new IDs may have nodes of different sizes.
    let fine = "convert --from scru64 --node-size 12 --to scru64 --node 42/8 0u375nxqh5cq";
    assert_eq!(run(fine).status, OK);

    let state = tempfile::tempdir().expect("a folder");
    let leased = "gen scru64 --node-size 12";
    let ran = ran_in(state.path(), leased);
    let parts = ["realm scru64 has the nodes 0-255/8", "--node-size is 12", "tickid lease init"];
    assert_fails(leased, &ran, USAGE, &parts);
    assert_eq!(ran_in(state.path(), "gen scru64 --node-size 8").status, OK);
}

/// Each subcommand that names a scheme. Leaving an option out would make other IDs than were asked
/// for.
#[test]
fn options_of_other_schemes_are_refused() {
    const OPTIONS: [(&str, &str, &str); 5] = [
        ("scru64", "--node-size", "8"),
        ("nanoflake", "--epoch", "discord"),
        ("kuid", "--drift", "9"),
        ("kuid", "--kind", "local"),
        ("snowflake", "--layout", "discord"),
    ];
    let state = tempfile::tempdir().expect("a folder");
    let sql = if cfg!(feature = "postgres") { "sql" } else { "lease init" };
    let commands = [
        "gen SCHEME".to_owned(),
        format!("{sql} SCHEME --realm r-SCHEME"),
        "lease init SCHEME --realm r-SCHEME".to_owned(),
        "lease invalidate SCHEME --realm r-SCHEME".to_owned(),
        "range SCHEME --since 2024-01-01".to_owned(),
    ];
    for scheme in ["scru64", "nanoflake", "kuid", "sno", "snowflake"] {
        for (owner, option, value) in OPTIONS {
            let is_own = owner == scheme;
            let option_and_value = format!("{option} {value}");
            let read = [
                format!("inspect --from {scheme} {option_and_value} x"),
                format!("convert --from {scheme} --to {scheme} {option_and_value} x"),
                format!("convert --from {scheme} --to {scheme} --to-{} x", &option_and_value[2..]),
            ];
            let made = commands.iter().map(|command| command.replace("SCHEME", scheme));
            let made = made.map(|command| format!("{command} {option_and_value}"));
            // IDs are read with either kind, and conversions choose that of the new ones.
            let read = read.into_iter().take(if option == "--kind" { 0 } else { 3 });
            for arguments in made.chain(read) {
                let ran = ran_in(state.path(), &arguments);
                let is_refused = ran.stderr.contains("has no meaning for");
                if is_own {
                    assert!(!is_refused, "{arguments}: {}", ran.stderr);
                } else {
                    let part = format!("is for {owner}, and has no meaning for {scheme}");
                    assert_fails(&arguments, &ran, USAGE, &[&option[2..], &part]);
                }
            }
        }
    }
    for (arguments, part) in [
        ("gen snowflake --epoch discord", "\nhint: did you mean `--layout discord`?"),
        ("lease init snowflake --realm a --epoch twitter", "did you mean `--layout twitter`?"),
        ("lease init nanoflake --realm a --layout discord", "did you mean `--epoch discord`?"),
        ("lease init nanoflake --realm a --layout sonyflake", "hint: nanoflake has --epoch: the "),
        ("range snowflake --since 1 --until 2 --epoch 5", "hint: snowflake has --layout: the lay"),
        ("convert --to snowflake --to-epoch discord x", "did you mean `--to-layout discord`?"),
        ("range discord --since 1 --until 2 --layout sonyflake", "no meaning for discord\n"),
        (
            "range ksuid --since 1 --until 2 --as decimal",
            "--as: ksuid has no form 'decimal'; it has",
        ),
        ("convert --to discord --layout sonyflake --from sno x", "no meaning for sno to discord"),
        ("inspect --from ulid --epoch discord x", "no meaning for ulid\n"),
        ("gen nanoflake --meta 5", "--meta is for sno, and has no meaning for nanoflake"),
        ("gen uuid --kind local", "--kind is for kuid, and has no meaning for uuid"),
        ("gen sno --as v4", "[possible values: text, int, hex, bytes, base32]"),
    ] {
        assert_fails(arguments, &ran_in(state.path(), arguments), USAGE, &[part]);
    }
    // The environment is for all commands.
    let mut command = with_state(state.path(), "gen sno");
    assert_eq!(ran(command.env("TICKID_EPOCH", "discord")).status, OK);
}

/// IDs would be read with other nodes than they carry.
#[test]
fn node_sizes_agree_with_the_pool() {
    let state = tempfile::tempdir().expect("a folder");
    let fine = "lease init scru64 --realm fine --pool 0-4095/12 --node-size 12";
    assert_eq!(ran_in(state.path(), fine).status, OK);
    let mut refused = vec![
        ("lease init scru64 --realm a --pool 0/1,128-255/8 --node-size 8", "are 0/1,128-255/8"),
        ("lease invalidate scru64 --realm a --node-size 16", "0-255/8, but --node-size is 16"),
        ("lease invalidate sno --realm fine --yes", "fine is of the scheme scru64"),
    ];
    if cfg!(feature = "postgres") {
        refused.push(("sql scru64 --realm a --node-size 16", "0-255/8, but --node-size is 16"));
    }
    if cfg!(feature = "serve") {
        refused.push(("serve --realm a=scru64:16", "nodes are 0-255/8, and not of 16 bits"));
        refused.push(("serve --realm fine=scru64:8", "nodes are 0-4095/12, and not of 8 bits"));
    }
    for (arguments, part) in refused {
        assert_fails(arguments, &ran_in(state.path(), arguments), USAGE, &[part]);
    }
}

#[test]
fn unknown_realms_name_lease_init() {
    let state = tempfile::tempdir().expect("a folder");
    let token = format!("lease release --realm no --token {:032x}", 0);
    for arguments in [
        "lease exec --realm no -- true",
        "lease list --realm no",
        "lease list --realm no --check",
        "lease watch --realm no",
        "lease acquire --realm no",
        "lease repair --realm no --node 5/16",
        &token,
    ] {
        let ran = ran_in(state.path(), arguments);
        let parts = ["no realm of that name", "\nhint: ", "tickid lease init SCHEME --realm NAME"];
        assert_fails(arguments, &ran, NODE_STORE, &parts);
    }
    assert_eq!(ran_in(state.path(), "lease init sno --realm orders").status, OK);
    let misspelt = "lease list --realm ordres";
    let parts = ["no realm of that name; the nearest is orders\n"];
    assert_fails(misspelt, &ran_in(state.path(), misspelt), NODE_STORE, &parts);
    let invalidate = "lease invalidate --realm no --yes";
    let parts = ["no realm of that name", "\nhint: ", "tickid lease invalidate SCHEME --realm no"];
    assert_fails(invalidate, &ran_in(state.path(), invalidate), NODE_STORE, &parts);
}

/// Nothing keeps what `lease init` would create, so the hint leads to a folder.
#[test]
#[cfg(target_os = "linux")]
fn static_nodes_name_the_folder() {
    let state = tempfile::tempdir().expect("a folder");
    let init = "lease init sno --realm orders --store static:5/16";
    let ran = ran_in(state.path(), init);
    assert_eq!((ran.status, ran.stdout.as_str()), (OK, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("nothing keeps this realm when the command ends"), "{ran:?}");
    assert!(ran.stderr.contains("--store 'static:NODE/BITS?state=/FOLDER'"), "{ran:?}");
    for command in ["exec", "list", "list --check", "watch", "acquire", "repair --all --yes"] {
        let end = if command == "exec" { "-- true" } else { "" };
        let command = format!("lease {command} --realm orders --store static:5/16 {end}");
        let parts = ["no realm of that name\nhint: ", "--store 'static:NODE/BITS?state=/FOLDER'\n"];
        assert_fails(&command, &ran_in(state.path(), &command), NODE_STORE, &parts);
    }
    let store = format!("--store static:5/16?state={}", state.path().display());
    for command in ["init sno --realm orders", "exec --realm orders"] {
        let end = if command.starts_with("exec") { "-- true" } else { "" };
        let ran = ran_in(state.path(), &format!("lease {command} {store} {end}"));
        assert_eq!((ran.status, ran.said().as_str()), (OK, ""), "{command}");
    }
}

#[test]
fn relative_state_folder_is_named() {
    let failed = |state: Option<&str>, home: Option<&str>| {
        let mut command = tickid("gen sno");
        for (variable, value) in [("XDG_STATE_HOME", state), ("HOME", home)] {
            match value {
                Some(value) => command.env(variable, value),
                None => command.env_remove(variable),
            };
        }
        let ran = ran(command.env_remove("LOCALAPPDATA"));
        let parts =
            ["no folder for the node store: ", "\nhint: --store URL", "gen SCHEME --node NODE"];
        assert_fails("gen sno", &ran, NODE_STORE, &parts);
        ran.stderr
    };
    for unset in [None, Some("")] {
        let message = failed(unset, unset);
        assert!(message.contains("neither XDG_STATE_HOME nor HOME is set\n"), "{message}");
    }
    let state = "XDG_STATE_HOME is the relative path 'state'";
    let home = "HOME is the relative path 'home'";
    let message = failed(Some("state"), None);
    assert!(message.contains(&format!("{state}, where")), "{message}");
    let message = failed(None, Some("home"));
    assert!(message.contains(&format!("{home}, where")), "{message}");
    let message = failed(Some("state"), Some("home"));
    assert!(message.contains(&format!("{state} and {home}, where")), "{message}");
}

#[test]
#[cfg_attr(not(feature = "full"), ignore = "needs the feature full")]
fn silent_stores_exit_with_3() {
    for (arguments, status, part) in [
        ("gen sno --store etcd://127.0.0.1:1", NODE_STORE, "etcd store: no answer"),
        ("lease list --realm a --check --store redis://127.0.0.1:1", NODE_STORE, "redis store: "),
        ("gen sno --store postgres://root:p@ss@localhost/db", USAGE, "password is written %40"),
        ("gen sno --store foo", USAGE, "as in file:///var/lib/tickid"),
        ("gen sno --store file:foo", USAGE, "file:///FOLDER"),
        ("gen sno --store nfs://a", USAGE, "there are file, static"),
        ("gen sno --store static:foo", USAGE, "its source is N/BITS"),
    ] {
        assert_fails(arguments, &run(arguments), status, &[part]);
    }
}

#[test]
fn convert_names_missing_options() {
    const SIZE: &str = "\nhint: name the size of SCRU64 nodes: --node-size BITS";
    for (arguments, part) in [
        ("--from scru64 --to sno 0u375nxqh5cq", SIZE),
        ("--from sno --to scru64 brpk4q72xwf2m63l", SIZE),
        ("--from scru64 --to scru64 --to-node-size 8 0u375nxqh5cq", SIZE),
        ("--restore --from sno --to scru64 --node-size 4 brpk4q72xwf2m63l", "does not fit"),
        (
            "--from sno --to scru64 --to-node-size 8 brpk4q72xwf2m63l",
            "\nhint: --node, --node-table",
        ),
        ("--from kuid --to sno .5.tXbhdV.3", "\nhint: --node NODE gives the new IDs a node"),
        ("--from sno --to nanoflake brpk4q72xwf2m63l", "\nhint: --node, --node-table and"),
    ] {
        let arguments = format!("convert {arguments}");
        assert_fails(&arguments, &run(&arguments), INVALID, &["can't be converted: ", part]);
    }
    // Once is enough.
    let twice = run("convert --from scru64 --to sno 0u375nxqh5cq 0u375nxqh5cq");
    assert_eq!((twice.status, twice.stderr.lines().count()), (INVALID, 3), "{}", twice.stderr);
}

#[test]
fn bad_input_has_a_reason() {
    for (arguments, message) in [
        (
            "convert --from uuid --to sno 919108f7-52d1-4320-9bac-f847db4148a8",
            "'919108f7-52d1-4320-9bac-f847db4148a8' can't be read: the UUID holds no ID: neither \
             version 7 nor version 8",
        ),
        ("convert --from uuid --to sno foo", "'foo' is not a UUID"),
        ("convert --to sno !", "'!' is not an ID of any format known here"),
        ("convert --to sno foo", "'foo' is not likely an ID; it may be: Nanoflake"),
        ("inspect --from sno foo", "'foo' is not a sno ID: 3 bytes long, not 16"),
        ("inspect !", "'!' is not an ID of a known format: not a Nanoflake ID: '!' at position 0"),
        (
            "inspect --from sonyflake 9223372036854775808",
            "'9223372036854775808' is not a Sonyflake: the number 9223372036854775808 is above ",
        ),
        ("inspect --from instagram 12x", "'12x' is not an Instagram ID: 'x' at position 2"),
        (
            "inspect --from ksuid zzzzzzzzzzzzzzzzzzzzzzzzzzz",
            "'zzzzzzzzzzzzzzzzzzzzzzzzzzz' is not a KSUID: out of its range",
        ),
    ] {
        assert_fails(arguments, &run(arguments), INVALID, &[&format!("error: {message}")]);
    }
    let hint = "\nhint: `tickid inspect --help` lists the formats";
    assert_fails("inspect !", &run("inspect !"), INVALID, &[hint]);
    let prefixed = "inspect --from typeid user_01J1HZW2P7ES59RPW0QFQNR7BC";
    assert_fails(
        prefixed,
        &run(prefixed),
        INVALID,
        &["lower-case", "user_01j1hzw2p7es59rpw0qfqnr7bc"],
    );
    let zero = "inspect --from discord 0123";
    let error = "'0' at position 0 is none of 1-9 (no leading zeros)";
    assert_fails(zero, &run(zero), INVALID, &[error]);
    // Columns of fixed width have zeros in front.
    for (arguments, said) in [
        ("inspect 000175928847299117063", "175928847299117063 is read as Discord Snowflake (2016-"),
        ("inspect 0113882101964472591", "113882101964472591 is read as SCRU64 (2025-"),
        ("inspect --from discord 000175928847299117063", "175928847299117063 is read as Discord"),
        ("convert --to sno 0113882101964472591", "113882101964472591 is read as SCRU64 (2025-"),
        ("convert --from discord --to sno 0175928847299117063", "063 is read as Discord Snowflake"),
    ] {
        let hint = "\nhint: without the zeros in front, ";
        assert_fails(arguments, &run(arguments), INVALID, &[hint, said]);
    }
    // Others as programs, shells and databases write them.
    let uuid = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f is read as UUID of version 7 (2022-02-22T";
    for (text, said) in [
        ("175928847299117063L", "without the L behind it, 175928847299117063 is read as Disc"),
        ("175_928_847_299_117_063", "without its underscores, 175928847299117063 is read as D"),
        ("175928847299117063.0", "without the .0 behind it, 175928847299117063 is read as Dis"),
        ("AX8i4nmwfMOYxNwMDAc5jw==", &*format!("decoded from Base64, {uuid}")),
        (
            "0xe2227f01b079c37c98c4dc0c0c07398f",
            &*format!("out of the byte order of SQL Server, {uuid}"),
        ),
    ] {
        let arguments = format!("inspect {text}");
        assert_fails(&arguments, &run(&arguments), INVALID, &["\nhint: ", said]);
    }
    let ran = run("inspect e2227f01-b079-c37c-98c4-dc0c0c07398f");
    assert_eq!(ran.status, OK);
    let said = format!("has no version of a UUID; out of the byte order of SQL Server, {uuid}");
    assert!(ran.stderr.contains(&said), "{}", ran.stderr);
    let spreadsheet = "inspect 4.687E+11";
    assert_fails(spreadsheet, &run(spreadsheet), INVALID, &["spreadsheets round"]);
    for arguments in ["inspect 007", "inspect 000", "inspect --from uuid 0175928847299117063"] {
        let ran = run(arguments);
        assert!(ran.status == INVALID && !ran.stderr.contains("zeros in front"), "{}", ran.stderr);
    }
    let column = run_with_input("inspect --from discord", &b"0175928847299117063\n".repeat(3));
    let hint = "hint: without the zeros in front, it is read as Discord Snowflake\n";
    assert_eq!(column.stderr.matches(hint).count(), 1, "{}", column.stderr);
    // The names of formats are values of options here.
    for name in ["discord", "leaf", "sno"] {
        let hint = format!("\nhint: did you mean `--from {name}`?\n");
        let ran = run(&format!("inspect {name} 175928847299117063"));
        assert!(ran.stderr.contains(&hint), "{}", ran.stderr);
        let ran = run(&format!("convert {name} 175928847299117063 --to sno"));
        assert!(ran.stderr.contains(&hint), "{}", ran.stderr);
    }
    // An ID that starts with a dash is read after two.
    let read = "inspect --from kuid/url --json -- -Gg5igPrJzJ7aYAB";
    let ran = run(read);
    assert_eq!(ran.status, OK, "{}", ran.stderr);
    assert!(ran.stdout.contains("\"text\":\"-Gg5igPrJzJ7aYAB\""), "{}", ran.stdout);
}

#[test]
fn clocks_and_waits_exit_with_4() {
    for (arguments, part) in [
        ("gen nanoflake --epoch 9999-01-01T00:00:00Z", "the epoch 9999-01-01T00:00:00Z is after"),
        ("gen nanoflake --epoch 1900-01-01T00:00:00Z", "clock reads "),
        ("gen scru64 --node zzzzzzzzzzzz/8", "ahead of the clock"),
    ] {
        assert_fails(arguments, &run(arguments), CLOCK, &[part]);
    }
    let state = tempfile::tempdir().expect("a folder");
    for prepared in
        ["lease init sno --realm one --pool 7/16 --term 600", "lease acquire --realm one"]
    {
        assert_eq!(ran_in(state.path(), prepared).status, OK);
    }
    let gen_one = "gen sno --realm one --max-wait 0";
    let exec_one = "lease exec --realm one --max-wait 0 -- true";
    let parts = ["no node is free: 1 of 1", "that takes longer than 0ns", "\nhint: --max-wait"];
    assert_fails(gen_one, &ran_in(state.path(), gen_one), CLOCK, &parts);
    if cfg!(target_os = "linux") {
        let ran = ran_in(state.path(), exec_one);
        assert_fails(exec_one, &ran, CLOCK, &["that takes longer than 0ns", "\nhint: --max-wait"]);
    }
    // Without a wait, nothing can time out.
    let acquire = "lease acquire --realm one";
    let parts = ["no node is free: 1 of 1", "\nhint: ", "tickid lease list"];
    assert_fails(acquire, &ran_in(state.path(), acquire), NODE_STORE, &parts);
}

#[test]
fn typos_list_the_choices() {
    for (arguments, parts) in [
        ("generatte sno", ["'generatte'", "`tickid generate`"]),
        ("gen snow", ["'snow'", "`tickid gen sno`"]),
        (
            "gen discord",
            ["'discord'", "\nhint: did you mean `tickid gen snowflake --layout discord`?"],
        ),
        ("inspect --json --from uid x", ["'uid'", "kuid"]),
        ("inspect --form sno x", ["'--form'", "\nhint: did you mean --from? `tickid inspect "]),
        ("inspect --tz UTC --template x x", ["--template", "\nhint: `tickid inspect --help`"]),
        ("convert x", ["--to <FORMAT>", "\nhint: `tickid convert --help`"]),
        ("gen nanoflake --as url", ["'url'", "text, int, hex, bytes, base36, decimal"]),
        ("gen uuid --as v9", ["'v9'", "v7, v8"]),
        ("inspect --from sno/url x", ["'sno/url'", "kuid/url"]),
        ("convert --from sno --to nanoflake/hex16 x", ["'nanoflake/hex16'", "nanoflake/hex"]),
        ("range scru6 --since 1", ["'scru6'", "\nhint: did you mean scru64? `tickid range "]),
        ("gen sno --json --as hex", ["--json", "--as hex"]),
        ("range sno --since 1 --until 2 --json --as bytes", ["--json", "--as bytes"]),
        ("gen sno --node 1 --times - --as bytes --after x", ["--after 'x'", "--as hex"]),
        ("lease exec --realm a", ["<COMMAND>", "\nhint: `tickid lease exec --help`"]),
        ("gen uid", ["'uid'", "\nhint: did you mean `tickid gen kuid` or `tickid gen uuid`?"]),
        ("range sno --since 2 --until 1", ["is after --until", "\nhint: `tickid range --help`"]),
        ("gen sno -n 1x", ["10k, 1M, 1G", "\nhint: `tickid gen sno --help`"]),
        ("gen sno -n -1", ["0..=", "\nhint: `tickid gen sno --help`"]),
        ("completions ksh", ["'ksh'", "zsh"]),
        ("gen sno --node 5 --store static:5/16", ["--node", "--store"]),
        ("gen sno --time 2024-01-01", ["--time", "--node"]),
        ("gen sno --template {nose}", ["{nose}", "partition"]),
        ("gen sno --forever -n 3", ["--forever", "--count"]),
        // An ID in place of a subcommand.
        ("0u375nxqh5cq", ["'0u375nxqh5cq'", "\nhint: did you mean `tickid inspect 0u375nxqh5cq`?"]),
        ("gen 0u375nxqh5cq", ["hint: ", "did you mean `tickid inspect 0u375nxqh5cq`?"]),
        ("-Gg5igPrJzJ7aYAB", ["'-G'", "`tickid inspect … -- -Gg5igPrJzJ7aYAB`"]),
        // Names in values, with or without others beside them.
        ("layout twiter", ["or one of the names twitter", "\nhint: did you mean twitter?"]),
        ("convert --to discord --to-layout twiter 1", ["'twiter'", "hint: did you mean twitter?"]),
        ("gen nanoflake --epoch discrod", ["'discrod'", "\nhint: did you mean discord?"]),
        ("gen sno --start randm", ["'randm'", "\nhint: did you mean random?"]),
        ("gen twiter", ["'twiter'", "`tickid gen snowflake --layout twitter`"]),
        (
            "lease init discord --realm a",
            ["'discord'", "`tickid lease init snowflake --layout discord`"],
        ),
        ("frobnicate", ["frobnicate", "hint: `tickid --help`"]),
        // The scheme comes first elsewhere.
        (
            "convert scru64 sno 0u375nxqh5cq",
            ["--to <FORMAT>", "\nhint: did you mean `tickid convert --from scru64 --to sno`?"],
        ),
        (
            "convert discord 1",
            ["--to <FORMAT>", "\nhint: did you mean `tickid convert --to discord`"],
        ),
        (
            "inspect -Gg5igPrJzJ7aYAB",
            [
                "'-G'",
                "\nhint: IDs that start with - come last, after --: `tickid inspect … -- -Gg5i",
            ],
        ),
        (
            "convert --to sno --Gg5igPrJzJ7aYA",
            ["'--Gg5i", "`tickid convert … -- --Gg5igPrJzJ7aYA`"],
        ),
        // Habits from other commands.
        ("inspect --local x", ["'--local'", "\nhint: did you mean --tz local?"]),
        ("gen sno 5", ["'5'", "\nhint: did you mean -n 5?"]),
        ("gen sno --n 5", ["'--n'", "\nhint: did you mean -n?"]),
        ("gen sno --format json", ["'--format'", "\nhint: did you mean --json?"]),
        ("gen sno --format hex", ["'--format'", "\nhint: did you mean --as?"]),
        ("gen -n 5 sno", ["'-n'", "\nhint: did you mean `tickid gen SCHEME -n`?"]),
        ("-n 5 gen sno", ["'-n'", "\nhint: did you mean `tickid gen SCHEME -n`?"]),
        ("sno", ["'sno'", "\nhint: did you mean `tickid gen sno`?"]),
        (
            "gen sno --template {text} {time}",
            ["'{time}'", "\nhint: did you mean --template '{text} {time}'?"],
        ),
        (
            "lease exec sno --realm a -- true",
            ["--realm", "\nhint: options come before the program: `tickid lease exec --realm "],
        ),
        ("lease list orders", ["'orders'", "\nhint: did you mean --realm orders?"]),
        ("range sno 2024-01-01", ["'2024-01-01'", "\nhint: did you mean --since 2024-01-01?"]),
        ("gen SCRU64", ["'SCRU64'", "\nhint: did you mean `tickid gen scru64`?"]),
        ("range sno --from now", ["'--from'", "\nhint: did you mean --since?"]),
        ("range sno --since 1 --to now", ["'--to'", "\nhint: did you mean --until?"]),
        // Names of other formats are not misspelled ones of ours.
        ("range uuid --since now", ["'uuid'", "\nhint: did you mean uuid-v7?"]),
        ("range nanoid --since now", ["'nanoid'", "\nhint: `tickid range --help`"]),
        ("gen ulid", ["'ulid'", "\nhint: no ULID is made here; did you mean `tickid gen uuid`?"]),
        ("gen uuidv7", ["'uuidv7'", "\nhint: did you mean `tickid gen uuid`?"]),
        ("convert --to uuid7 x", ["'uuid7'", "\nhint: did you mean uuid-v7?"]),
    ] {
        assert_fails(arguments, &run(arguments), USAGE, &parts);
    }
}

#[test]
fn misspelt_names_of_the_environment_are_named() {
    for (arguments, variable, value, name) in [
        ("gen nanoflake", "TICKID_EPOCH", "discrod", "discord"),
        ("gen snowflake", "TICKID_LAYOUT", "twiter", "twitter"),
    ] {
        let ran = run_with(arguments, variable, value);
        let hint = format!("\nhint: did you mean {name}? the value is ${variable}'s; ");
        assert_fails(arguments, &ran, USAGE, &[value, &hint]);
    }
}

#[test]
fn variables_without_a_value_are_unset() {
    for variable in ["TICKID_EPOCH", "TICKID_NODE_SIZE", "TICKID_DRIFT", "TICKID_LAYOUT"] {
        let ran = run_with("inspect 0u375nxqh5cq", variable, "");
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{variable}");
    }
    let list = "lease list";
    assert_fails(list, &run_with(list, "TICKID_REALM", ""), USAGE, &["--realm <NAME>"]);
}

#[test]
#[cfg(all(feature = "serve", feature = "postgres"))]
fn misspelt_names_of_realms_are_named() {
    for (arguments, name) in [
        ("serve --realm posts=snowflake:twiter", "twitter"),
        ("serve --realm posts=snowflak", "snowflake"),
        ("sql discrod --realm posts", "`tickid sql snowflake --layout discord`"),
    ] {
        assert_fails(arguments, &run(arguments), USAGE, &[&format!("hint: did you mean {name}?")]);
    }
}

/// A realm keeps its scheme, settings and kind.
#[test]
fn fixed_facts_of_realms_are_named() {
    let state = tempfile::tempdir().expect("a folder");
    for realm in [
        "nanoflake --realm chat --epoch discord",
        "kuid --realm logs --drift 9",
        "kuid --realm k",
        "kuid --realm alone --kind local",
        "sno --realm s",
        "snowflake --realm posts --layout js-safe",
    ] {
        assert_eq!(ran_in(state.path(), &format!("lease init {realm}")).status, OK);
    }
    for fitting in [
        "nanoflake --realm chat --epoch discord",
        "kuid --realm logs --drift 9",
        "kuid --realm alone --kind local",
        // Local IDs do not depend on the drift.
        "kuid --realm alone --kind local --drift 10",
    ] {
        assert_eq!(ran_in(state.path(), &format!("gen {fitting}")).status, OK, "{fitting}");
    }
    let alone = "it has \"IDs without a node\", the request \"IDs with a node\"";
    let fixed = "\nhint: scheme, settings and kind of a realm are fixed for good";
    for (arguments, status, hint) in [
        ("gen nanoflake --realm chat", NODE_STORE, "\nhint: --epoch 1420070400000 is the realm's"),
        ("gen kuid --realm logs", NODE_STORE, "\nhint: --drift 9 is the realm's"),
        (
            "gen snowflake --realm posts",
            NODE_STORE,
            "\nhint: --layout 41x1ms/6n/6s@1735689600000 is the realm's",
        ),
        ("gen kuid --realm logs", NODE_STORE, "it has \"drift 9\", the request \"drift 8\""),
        ("gen kuid --realm alone --drift 8", NODE_STORE, alone),
        ("lease init kuid --realm alone --kind global --reconfigure", NODE_STORE, alone),
        (
            "lease init kuid --realm logs --drift 5 --reconfigure",
            NODE_STORE,
            "it has \"drift 9\", the request \"drift 5\"",
        ),
        ("lease init kuid --realm logs --drift 5", USAGE, "logs is there already: kuid (drift 9)"),
        ("lease init kuid --realm l --kind local --pool 0-9/32", USAGE, "kuids have no node ID"),
        ("lease init kuid --realm g --kind global --pool 0/0", USAGE, "kuids need node IDs"),
        ("gen sno --realm chat", NODE_STORE, "schemes do not match: it has \"nanoflake\""),
        ("gen sno --realm chat", NODE_STORE, "\nhint: the realm's scheme is nanoflake"),
        ("gen kuid --realm k --kind local", NODE_STORE, "\nhint: --kind selects"),
        ("lease init scru64 --realm chat", USAGE, fixed),
        (
            "lease init scru64 --realm chat",
            USAGE,
            "there already: nanoflake (epoch 1420070400000), with",
        ),
        ("lease init snowflake --realm posts --layout twitter", USAGE, fixed),
        ("lease init kuid --realm logs --drift 9 --kind local --pool 0/0", USAGE, fixed),
        ("lease init sno --realm s --term 20", USAGE, "\nhint: --reconfigure changes its nodes"),
        (
            "lease init scru64 --realm chat --reconfigure",
            NODE_STORE,
            "scheme is nanoflake, for good",
        ),
    ] {
        assert_fails(arguments, &ran_in(state.path(), arguments), status, &[hint]);
    }
}

#[test]
#[cfg(feature = "serve")]
fn hinted_terms_change_nothing_else() {
    for (scheme, shape) in [
        ("snowflake --layout js-safe", "--pool 1-3/6,8-15/6 --term 20.5 --skew 3"),
        ("kuid --drift 9", "--skew 500ms"),
        ("kuid", "--pool 0/0"),
        ("sno", "--pool 7/16"),
    ] {
        let state = tempfile::tempdir().expect("a folder");
        let terms = "--policy ratchet:2048ms --start random";
        let init = format!("lease init {scheme} --realm r {shape} {terms}");
        assert_eq!(ran_in(state.path(), &init).status, OK, "{init}");
        let facts = || {
            let json = ran_in(state.path(), "lease list --realm r --json").stdout;
            let line = json.lines().next().expect("the realm");
            let realm: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let kept = ["settings", "pool", "skew_micros", "term_micros"];
            let start = realm["start"].clone();
            (kept.map(|name| realm[name].clone()), realm["allowance"].as_u64(), start)
        };
        let (kept, allowance, start) = facts();
        let follow_hint = |serve: &str, reason: &str| {
            let refused = ran_in(state.path(), serve);
            assert_fails(serve, &refused, USAGE, &[reason]);
            let hinted = refused.stderr.split('`').nth(1).and_then(|it| it.strip_prefix("tickid "));
            let hinted = hinted.expect("a command").to_owned();
            assert_eq!(ran_in(state.path(), &hinted).status, OK, "{hinted}");
            hinted
        };
        let hinted = follow_hint("serve --realm r --policy r=ratchet:4096ms", "allowance of");
        let after = facts();
        assert_eq!((&after.0, &after.2), (&kept, &start), "{hinted}");
        assert!(after.1 > allowance, "{hinted}: {allowance:?} to {:?}", after.1);
        let hinted = follow_hint("serve --realm r --start r=lowest", "start at random");
        assert_eq!(facts(), (kept, after.1, "lowest".into()), "{hinted}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn usage_errors_need_no_standard_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
    let ran = ran(tickid("gen nosuch").stderr(full));
    assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""));
}
