//! The guide to IDs for rows that exist, on a real table.

use std::env;
use std::path::Path;
use std::process::Command;

use tickid_testkit::servers::{Postgres, Test};

pub(crate) const TESTS: [Test<Postgres>; 1] =
    [("rows_get_ids_by_their_age", rows_get_ids_by_their_age)];

/// The statements of a table whose rows are not in the order of their age. A thousand share each
/// time, twice as many a time in the middle.
const TABLE: &str = "
    CREATE TABLE orders (number bigint PRIMARY KEY, created_at timestamptz NOT NULL);
    INSERT INTO orders SELECT n, '2024-05-01'::timestamptz + (n % 30) * '1 day 0.0005 s'::interval
        FROM generate_series(1, 30000) AS n;
    INSERT INTO orders SELECT n, '2024-05-16 00:00:00.0075' FROM generate_series(30001, 40000) AS n";

fn rows_get_ids_by_their_age(server: &Postgres) {
    server.psql(Postgres::DATABASE, "CREATE DATABASE backfilled").unwrap();
    server.psql("backfilled", TABLE).unwrap();
    let (_, page) = include_str!("../../../../docs/moving.md")
        .split_once("\n## IDs for rows that exist\n")
        .expect("the guide");
    let blocks: Vec<&str> =
        page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let [first, second] = blocks[..] else { panic!("{} blocks", blocks.len()) };
    let folder = tempfile::tempdir().unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_tickid")).parent().unwrap();
    let path = env::var_os("PATH").unwrap();
    let path = env::join_paths([programs.into()].into_iter().chain(env::split_paths(&path)));
    let shell = |script: &str| {
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", script])
            .current_dir(folder.path())
            .env("PATH", path.as_ref().unwrap())
            .env("SHOP", server.url_of("backfilled"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}\n{said}");
        assert_eq!(said, "", "{script}");
    };
    shell(first);
    let ask = |statement: &str| server.psql("backfilled", statement).unwrap();
    // As many IDs as rows, in their order, of their node and of their time or a few milliseconds
    // after it.
    let ids = "SELECT count(DISTINCT id), count(DISTINCT id >> 12 & 1023), min(id >> 12 & 1023) FROM orders";
    assert_eq!(ask(ids), "40000|1|1023");
    let by_age =
        "SELECT count(*) FROM (SELECT id, lag(id) OVER (ORDER BY created_at, number) AS before
        FROM orders) AS aged WHERE id <= before";
    assert_eq!(ask(by_age), "0");
    let spilled = "SELECT min(off), max(off) FROM (SELECT ((id >> 22) + 1288834974657)
        - floor(extract(epoch FROM created_at) * 1000) AS off FROM orders) AS offs";
    assert_eq!(ask(spilled), "0|2");

    // The next run.
    let later = "SELECT max(created_at), max(id) FROM orders";
    let (time, last) =
        ask(later).split_once('|').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    std::fs::write(folder.path().join("later.csv"), format!("40001,{time}\n40002,{time}\n"))
        .unwrap();
    shell(second);
    let ids = std::fs::read_to_string(folder.path().join("later_ids.txt")).unwrap();
    let ids: Vec<i64> = ids.lines().map(|id| id.parse().unwrap()).collect();
    let last: i64 = last.parse().unwrap();
    assert_eq!(ids, [last + 1, last + 2]);
}
