//! The commands that create, change and invalidate realms.

use std::collections::HashSet;

use serde_json::Value;

use super::{acquire, end_of, folder, pool, rows, spawn, stdout_of};
use crate::process::{NODE_STORE, OK, Ran, USAGE, json_lines, ran_in};

#[test]
fn init_sets_the_nodes() {
    let state = folder();
    stdout_of(state.path(), "lease init scru64 --realm orders --pool 7/8,130/8");
    let objects = |count: usize| {
        let arguments = format!("gen scru64 --realm orders -n {count} --node-size 8 --json");
        json_lines(&stdout_of(state.path(), &arguments))
    };
    for _ in 0..3 {
        assert!(objects(5).iter().all(|id| id["node_id"] == 7 || id["node_id"] == 130));
    }
    let changed = ran_in(state.path(), "lease init scru64 --realm orders --pool 9/8 --reconfigure");
    assert_eq!((changed.status, changed.stdout.as_str()), (OK, "pool: 7/8,130/8 -> 9/8\n"));
    assert!(objects(5).iter().all(|id| id["node_id"] == 9));
    let standings: HashSet<String> =
        rows(state.path(), "orders").iter().map(|row| row["standing"].to_string()).collect();
    assert_eq!(standings, HashSet::from(["\"free\"".to_owned(), "\"retired\"".to_owned()]));
}

#[test]
fn init_twice_is_a_no_op() {
    let state = folder();
    let init = "lease init sno --realm orders --pool 5-6/16";
    stdout_of(state.path(), init);
    let again = || {
        let again = ran_in(state.path(), init);
        assert_eq!((again.status, again.stdout.as_str()), (OK, ""), "{}", again.stderr);
        let said = "the realm orders is there already, and is the same: nothing was done";
        assert!(again.stderr.contains(said), "{}", again.stderr);
    };
    again();
    let held = acquire(state.path(), "orders");
    let before = rows(state.path(), "orders");
    again();
    assert_eq!(rows(state.path(), "orders"), before);
    assert_eq!(before, core::slice::from_ref(&held));
}

/// Its name may be mistyped, and its epoch can still be corrected.
#[test]
fn reconfigure_says_what_it_creates() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders");
    let reconfigure = "lease init sno --realm ordres --pool 0-99/16 --reconfigure";
    let ran = ran_in(state.path(), reconfigure);
    let said = "tickid: created the realm ordres: sno, with the nodes 0-99/16; the nearest is \
                orders\n";
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (OK, "", said));
    let ran = ran_in(state.path(), reconfigure);
    let said = "tickid: the realm ordres has this already: nothing changes\n";
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (OK, "", said));
    let mistyped = "lease init nanoflake --realm chat --epoch 2020 --pool 0/10 --reconfigure";
    let ran = ran_in(state.path(), mistyped);
    assert_eq!(ran.status, USAGE, "{}", ran.stderr);
}

/// The rest stays as the store has it.
#[test]
fn reconfigure_changes_what_is_named() {
    let state = folder();
    let init = "lease init snowflake --realm orders";
    let terms = "--term 20 --skew 3 --policy ratchet:2s --start random";
    stdout_of(state.path(), &format!("{init} --layout js-safe --pool 1-3/6 {terms}"));
    let facts = || {
        let list = stdout_of(state.path(), "lease list --realm orders");
        let value = |label: &str| {
            let line = list.lines().find_map(|line| line.strip_prefix(label));
            line.expect("a line").trim_start().to_owned()
        };
        [value("pool "), value("terms ")].join("; ")
    };
    let was = "1-3/6, 3 nodes; term 20s, skew 3s, allowance 2000 ticks, random starts";
    assert_eq!(facts(), was);
    for (options, changed, said, after) in [
        (
            "--term 110",
            "term: 20s -> 110s\n",
            "",
            "term 110s, skew 3s, allowance 2000 ticks, random",
        ),
        (
            "--skew 0.5",
            "skew: 3s -> 500ms\n",
            "",
            "term 110s, skew 500ms, allowance 2000 ticks, ran",
        ),
        (
            "--start lowest",
            "start: random -> lowest\n",
            "",
            "skew 500ms, allowance 2000 ticks, lowest",
        ),
        (
            "--policy wait",
            "allowance: 2000 ticks -> 0 ticks\n",
            "the allowance is lower: a program that `tickid lease exec` started before",
            "1-3/6, 3 nodes; term 110s, skew 500ms, allowance 0 ticks, lowest starts",
        ),
        (
            "--pool 2-7/6",
            "pool: 1-3/6 -> 2-7/6\n",
            "the pool gains 4 nodes: a realm of another store",
            "2-7/6, 6 nodes; term 110s, skew 500ms, allowance 0 ticks, lowest starts",
        ),
        (
            "--pool 5-7/6 --term 60",
            "pool: 2-7/6 -> 5-7/6\nterm: 110s -> 60s\n",
            "the pool loses 3 nodes: their leases end",
            "5-7/6, 3 nodes; term 60s, skew 500ms",
        ),
        ("--layout js-safe", "", "nothing changes", "5-7/6, 3 nodes; term 60s, skew 500ms"),
    ] {
        let ran = ran_in(state.path(), &format!("{init} {options} --reconfigure"));
        assert_eq!((ran.status, ran.stdout.as_str()), (OK, changed), "{options}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{options}: {}", ran.stderr);
        assert!(facts().contains(after), "{options}: {}", facts());
    }
    let changed = stdout_of(state.path(), &format!("{init} --term 30 --reconfigure --json"));
    let expected = serde_json::json!({ "changed": "term", "from": "60s", "to": "30s" });
    assert_eq!(json_lines(&changed), [expected]);
}

/// The commands of the page, one after the other: two regions never have one node.
#[test]
fn split_pools_share_no_node() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/leases.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let (_, section) = page.split_once("## Several regions or clusters\n").expect("a section");
    let section = section.split("\n## ").next().expect("its text");
    let state = folder();
    let place = |name: &str| format!("file://{}/{name}", state.path().display());
    let url = |line: &str| line.replace("\"$EU\"", &place("eu")).replace("\"$US\"", &place("us"));
    let commands = section.lines().filter_map(|line| line.strip_prefix("tickid "));
    let commands: Vec<String> = commands.map(url).collect();
    let [eu, us, merge, by_hand] = &commands[..] else { panic!("{commands:?}") };
    let nodes = |name: &str| {
        let generate = "gen nanoflake --realm checkout -n 5 --json --store";
        let ids = json_lines(&stdout_of(state.path(), &format!("{generate} {}", place(name))));
        ids.iter().map(|id| id["generator"].as_u64().expect("a node")).collect::<Vec<_>>()
    };
    for command in [eu, us] {
        stdout_of(state.path(), command);
    }
    for _ in 0..3 {
        assert!(nodes("eu").iter().all(|node| *node < 512));
        assert!(nodes("us").iter().all(|node| (512..1_024).contains(node)));
    }
    let merged = ran_in(state.path(), merge);
    assert_eq!(merged.stdout, "pool: 0-511/10 -> 0-1023/10\n");
    assert!(merged.stderr.contains("the pool gains 512 nodes"), "{}", merged.stderr);
    let by_hand = ran_in(state.path(), by_hand);
    assert_eq!(by_hand.stdout, "pool: 0-1023/10 -> 0-499/10\n");
    assert!(by_hand.stderr.contains("the pool loses 524 nodes"), "{}", by_hand.stderr);
    assert!(nodes("eu").iter().all(|node| *node < 500));
}

/// It may have been lost, and the default would be other nodes than it had.
#[test]
fn reconfigure_creates_only_named_nodes() {
    let state = folder();
    let reconfigure = "lease init snowflake --layout js-safe --realm orders --reconfigure";
    let ran = ran_in(state.path(), &format!("{reconfigure} --term 110 --policy ratchet:2s"));
    assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{}", ran.stderr);
    let command = "`tickid lease init snowflake --layout 41x1ms/6n/6s@1735689600000 --realm orders \
                   --pool NODES --term 110s --skew 5s --start lowest --policy ratchet:2s`";
    assert!(ran.stderr.contains(command), "{}", ran.stderr);
    assert_eq!(stdout_of(state.path(), "lease realms"), "");
    let command = command.trim_matches('`').replace("NODES", "1-3/6");
    let command = command.strip_prefix("tickid ").expect("the command");
    stdout_of(state.path(), command);
    assert_eq!(pool(state.path(), "orders"), "1-3/6");

    // Rows without a record.
    acquire(state.path(), "orders");
    std::fs::remove_file(state.path().join("tickid/orders/realm")).expect("removed");
    let ran = ran_in(state.path(), &format!("{reconfigure} --term 110"));
    assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{}", ran.stderr);
    let ran = ran_in(state.path(), &format!("{reconfigure} --pool 1-3/6"));
    assert_eq!(ran.status, OK, "{}", ran.stderr);
    assert!(ran.stderr.contains("created the realm orders"), "{}", ran.stderr);
}

#[test]
fn one_of_two_inits_wins() {
    for _ in 0..4 {
        let state = folder();
        let pools = ["5-6/16", "7/16"];
        let inits = pools.map(|pool| {
            spawn(state.path(), &format!("lease init sno --realm orders --pool {pool}"))
        });
        let ended = inits.map(end_of);
        let [winner, loser] = if ended[0].status == OK { [0, 1] } else { [1, 0] };
        assert_eq!(ended.each_ref().map(|ran| ran.status)[winner], OK, "{}", ended[winner].stderr);
        assert_eq!(ended[loser].status, USAGE, "{}", ended[loser].stderr);
        let there = format!("there already: sno, with the nodes {},", pools[winner]);
        assert!(ended[loser].stderr.contains(&there), "{}", ended[loser].stderr);
        let node = acquire(state.path(), "orders")["node"].to_string();
        assert_eq!(node == "\"7/16\"", winner == 1, "{node}");
    }
}

#[test]
fn a_realm_pins_the_layout_of_snowflakes() {
    let state = folder();
    let init = |layout: &str| {
        ran_in(state.path(), &format!("lease init snowflake --realm posts --layout {layout}"))
    };
    assert_eq!(init("39x10ms/8s/16n@2014-09-01").status, OK);
    // The same bits by another name, and layouts that differ in one part.
    assert_eq!(init("sonyflake").status, OK);
    for other in [
        "sonyflake-v2",
        "39x10ms/16n/8s@2014-09-01",
        "39x10ms/9s/15n@2014-09-01",
        "38x10ms/8s/16n@2014-09-01",
        "39x11ms/8s/16n@2014-09-01",
    ] {
        let ran = init(other);
        assert_eq!(ran.status, USAGE, "{other}");
        assert!(ran.stderr.contains("(39x10ms/8s/16n@1409529600000)"), "{}", ran.stderr);
        let ran = ran_in(state.path(), &format!("gen snowflake --realm posts --layout {other}"));
        assert_eq!((ran.status, ran.stdout.as_str()), (NODE_STORE, ""), "{other}: {}", ran.stderr);
    }
    let ids = stdout_of(state.path(), "gen snowflake --realm posts --layout sonyflake -n 2000");
    let distinct: HashSet<&str> = ids.lines().collect();
    assert_eq!(distinct.len(), 2_000);
}

/// There is room for a renewal, however long the ticks are.
#[test]
fn long_ticks_have_a_longer_term() {
    let state = folder();
    let layout = "24x60s/4n/8s@2026-01-01";
    let ids = stdout_of(state.path(), &format!("gen snowflake --layout {layout} -n 2"));
    assert_eq!(ids.lines().count(), 2);
    let init = format!("lease init snowflake --realm slow --layout {layout}");
    stdout_of(state.path(), &init);
    let list = stdout_of(state.path(), "lease list --realm slow");
    assert!(list.contains("term 120s, skew 5s"), "{list}");
    let ran = ran_in(state.path(), &format!("{init} --term 119"));
    assert_eq!(ran.status, USAGE, "{}", ran.stderr);
}

#[test]
fn layouts_without_nodes_are_not_leased() {
    let state = folder();
    let layout = "--layout 41x1ms/0n/12s@2026-01-01";
    for command in ["gen snowflake", "lease init snowflake --realm one"] {
        let ran = ran_in(state.path(), &format!("{command} {layout}"));
        assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: a layout without bits of node (0n)"), "{}", ran.stderr);
    }
    let ids = stdout_of(state.path(), &format!("gen snowflake {layout} --node 0/0 -n 2"));
    assert_eq!(ids.lines().count(), 2);
}

#[test]
fn invalidate_ends_every_lease() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5-6/16");
    let held = acquire(state.path(), "orders");
    let before = rows(state.path(), "orders");
    let asked = ran_in(state.path(), "lease invalidate --realm orders");
    assert_eq!((asked.status, asked.stdout.as_str()), (USAGE, ""));
    assert!(asked.stderr.contains("ends all its leases"), "{}", asked.stderr);
    assert!(asked.stderr.contains("nothing was done"), "{}", asked.stderr);
    assert_eq!(rows(state.path(), "orders"), before);

    let told = ran_in(state.path(), "lease invalidate --realm orders --yes");
    assert_eq!(told.status, OK, "{}", told.stderr);
    assert!(told.stderr.contains("ends all its leases"), "{}", told.stderr);
    // No node is free before the time comes, and none starts below what was given out.
    let taken = ran_in(state.path(), "lease acquire --realm orders");
    assert_eq!(taken.status, NODE_STORE, "{}", taken.stderr);
    let token = held["token"].as_str().expect("a token");
    let floor = told.stderr.rsplit_once("(tick ").expect("a tick").1;
    let floor: u64 = floor.split(')').next().expect("a tick").parse().expect("a number");
    assert!(floor >= held["ceiling"].as_u64().expect("a tick"), "{token}");

    // Announced as it will be. The record may be of a time before the term was raised.
    let in_seconds = |ran: &Ran| -> u64 {
        let (_, rest) = ran.stderr.split_once("start anew ").expect("a pause");
        rest.split_once(" s after").expect("seconds").0.parse().expect("a number")
    };
    let tick = |ran: &Ran| -> u64 {
        let rest = ran.stderr.rsplit_once("(tick ").expect("a tick").1;
        rest.split(')').next().expect("a tick").parse().expect("a number")
    };
    let before = tick(&told);
    for (options, seconds, term) in [
        ("", 30, "of at most 10s"),
        ("--term 3", 30, "of at most 10s"),
        ("--term 110", 230, "of at most 110s"),
        ("", 230, "of at most 110s"),
        ("--skew 20 --policy ratchet:8s", 230, "of at most 110s"),
        ("--skew 20 --policy ratchet:1000s", 2_060, "of at most 1025s"),
    ] {
        let ran = ran_in(state.path(), &format!("lease invalidate --realm orders --yes {options}"));
        assert_eq!((ran.status, in_seconds(&ran)), (OK, seconds), "{options}: {}", ran.stderr);
        assert!(ran.stderr.contains(term), "{options}: {}", ran.stderr);
        // In ticks of 4 ms. The test itself takes time as well.
        assert!(tick(&ran) >= before + (seconds - 30) * 250, "{options}: {}", ran.stderr);
    }
    let list = stdout_of(state.path(), "lease list --realm orders");
    assert!(list.contains("term 10s, skew 5s, allowance 0 ticks"), "its terms stay: {list}");

    let lost = "lease invalidate sno --realm lost --yes";
    assert_eq!(ran_in(state.path(), lost).status, OK);
    assert_eq!(rows(state.path(), "lost"), [Value::Null; 0]);
}
