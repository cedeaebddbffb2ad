//! Each scheme's IDs through every door that issues them: the library, `gen`, leases, `lease exec`,
//! `serve` and the functions in PostgreSQL. One set of assertions holds for all of them.

use core::ops::RangeInclusive;
use core::time::Duration;
use std::collections::BTreeSet;

use tickid_convert::{
    AnyId, AnyLeasedGenerator, AnyScheme, Bits, Kind, SchemeVariant, SchemeVisitor, Settings,
    ToParts as _,
};
use tickid_core::{AnyNode, Clock as _, Policy, Scheme, SystemClock, TickStart, UnixTime};
use tickid_lease::session::block_on;
use tickid_testkit::servers::{Postgres, Test};

use crate::process::{OK, ran, run, stdout_of, tickid};
use crate::serve::{Serving, http};

pub(crate) const TESTS: [Test<Postgres>; 3] = [
    ("ids_come_through_every_door", ids_come_through_every_door),
    ("sql_has_the_start_of_a_served_realm", sql_has_the_start_of_a_served_realm),
    ("the_page_has_the_doors", |_| the_page_has_the_doors()),
];

/// A way to get IDs.
struct Door {
    /// As the table in `docs/choosing.md` calls it.
    name: &'static str,
    /// Issues IDs, as text.
    ids: fn(&Postgres, &Case) -> Vec<String>,
    /// Its node is leased, so its IDs continue after those of the door before it.
    leases: bool,
    /// The word in the table for nodes that are shares.
    shares: &'static str,
}

#[rustfmt::skip]
const DOORS: [Door; 7] = [
    Door { name: "library", ids: of_library, leases: false, shares: "yes" },
    Door { name: "`tickid gen`", ids: of_gen, leases: false, shares: "yes" },
    Door { name: "`tickid gen`", ids: of_leased_gen, leases: true, shares: "yes" },
    Door { name: "leases", ids: of_lease, leases: true, shares: "yes" },
    Door { name: "`tickid serve`", ids: of_serve, leases: true, shares: "yes" },
    Door { name: "`tickid lease exec`", ids: of_exec, leases: true, shares: "`--shares`" },
    Door { name: "PostgreSQL", ids: of_sql, leases: false, shares: "no" },
];

/// A scheme with its options, a node, the field and the sequences of its IDs, and its starts.
type Row = (Kind, &'static str, &'static str, u64, RangeInclusive<u64>, TickStart);

/// A layout with 16 sequences.
const NARROW: &str = "snowflake --layout 41x1ms/12n/4s@2020-01-01";

/// The examples of `docs/leases.md`: whole nodes, then shares, then nodes of 16 sequences. These
/// are used up so soon that a few IDs show many starts.
#[rustfmt::skip]
const ROWS: [Row; 14] = [
    (Kind::Scru64, "scru64 --node-size 8", "42/8", 42, 0..=65_535, TickStart::Lowest),
    (Kind::Nanoflake, "nanoflake", "7/10", 7, 0..=4_095, TickStart::Lowest),
    (Kind::KuidLocal, "kuid --kind local", "0/0", 0, 0..=16_383, TickStart::Lowest),
    (Kind::KuidGlobal, "kuid", "7/32", 7, 0..=16_383, TickStart::Lowest),
    (Kind::Sno, "sno", "7/16", 7, 0..=65_535, TickStart::Lowest),
    (Kind::Snowflake, "snowflake --layout sonyflake", "7/16", 7, 0..=255, TickStart::Lowest),
    (Kind::Nanoflake, "nanoflake", "8191/13", 1_023, 3_584..=4_095, TickStart::Lowest),
    (Kind::KuidGlobal, "kuid", "15/33", 7, 8_192..=16_383, TickStart::Lowest),
    (Kind::Sno, "sno", "5/18", 1, 16_384..=32_767, TickStart::Lowest),
    (Kind::Snowflake, "snowflake --layout sonyflake", "15/17", 7, 128..=255, TickStart::Lowest),
    (Kind::Nanoflake, "nanoflake", "5/18", 0, 80..=95, TickStart::Random),
    (Kind::KuidGlobal, "kuid", "5/42", 0, 80..=95, TickStart::Random),
    (Kind::Sno, "sno", "5/28", 0, 80..=95, TickStart::Random),
    (Kind::Snowflake, NARROW, "5/12", 5, 0..=15, TickStart::Random),
];

/// A row, taken apart.
struct Case {
    scheme: AnyScheme,
    /// The arguments that name the scheme and its layout.
    shape: &'static str,
    node: AnyNode,
    field: u64,
    sequences: RangeInclusive<u64>,
    start: TickStart,
    /// The name of its realm.
    realm: String,
    /// How many IDs each door issues.
    count: usize,
}

impl Case {
    fn new((kind, shape, node, field, sequences, start): Row) -> Self {
        let mut settings = Settings::default();
        let named = shape.split_once(" --").and_then(|(_, option)| option.split_once(' '));
        if let Some((name, value)) = named
            && let Some(option) = kind.setting_options().iter().find(|option| option.name == name)
        {
            option.set(&mut settings, value).unwrap();
        }
        let scheme = AnyScheme::new(kind, &settings);
        let realm = format!("{}-{}", kind.key(), node.replace('/', "-"));
        let node = node.parse().unwrap();
        // Of 16 sequences, 2,400 IDs take at least 150 ticks, so that all remainders are among
        // their starts.
        let count = if start == TickStart::Random { 2_400 } else { 200 };
        Self { scheme, shape, node, field, sequences, start, realm, count }
    }

    /// Reports whether the node has more bits than its IDs carry.
    fn is_share(&self) -> bool {
        self.scheme.node_bits().is_some_and(|bits| self.node.bits() > bits)
    }

    /// Returns the lines of `gen` with these options.
    fn gen_ids(&self, options: &str) -> Vec<String> {
        let command = format!("gen {} -n {} {options}", self.shape, self.count);
        stdout_of(&command).lines().map(str::to_owned).collect()
    }

    /// Checks IDs that were issued between two times, by a node whose last ID before is `last`.
    fn check(&self, from: &str, ids: &[AnyId], last: Option<AnyId>, [since, until]: [UnixTime; 2]) {
        assert_eq!(ids.len(), self.count, "{from}");
        let tick = Duration::from_micros(self.scheme.scale().micros_per_tick());
        let earliest = since.checked_sub(tick).unwrap();
        let latest = until.checked_add(self.scheme.visit(Allowance)).unwrap();
        let node = self.scheme.kind().has_node().then_some(self.field);
        let (mut last, mut last_time) = (last, None);
        let mut starts = BTreeSet::new();
        for &id in ids {
            let parts = id.parts(self.scheme.settings()).unwrap();
            assert_eq!(parts.node().map(Bits::value), node, "{from}: {id:?}");
            let sequence = parts.sequence().value();
            assert!(self.sequences.contains(&sequence), "{from}: {id:?} has {sequence}");
            let time = parts.unix_time();
            assert!(
                (earliest..=latest).contains(&time),
                "{from}: {id:?} is not of {since} to {until}"
            );
            let rises = last.is_none_or(|last| last.to_u128() < id.to_u128());
            assert!(rises, "{from}: {id:?} comes after {last:?}");
            last = Some(id);
            // IDs that are issued one at a time are the first of their ticks.
            if last_time.replace(time) != Some(time) {
                starts.insert(sequence);
            }
        }
        let remainders: BTreeSet<u64> = starts.iter().map(|sequence| sequence % 8).collect();
        match self.start {
            TickStart::Random => assert_eq!(remainders, (0..8).collect(), "{from}"),
            TickStart::Lowest => {
                assert_eq!(starts, BTreeSet::from([*self.sequences.start()]), "{from}")
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The longest time by which a scheme's IDs may be ahead of the clock.
struct Allowance;

impl SchemeVisitor for Allowance {
    type Output = Duration;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, _: V) -> Duration {
        let Policy::Ratchet { allowance } = scheme.default_policy() else { return Duration::ZERO };
        Duration::from_micros(allowance.get() * scheme.scale().micros_per_tick())
    }
}

fn ids_come_through_every_door(server: &Postgres) {
    for row in ROWS {
        let case = Case::new(row);
        let Case { shape, node, realm, start, .. } = &case;
        let store = server.url();
        let init = format!("lease init {shape} --pool {node} --start {start} --new");
        stdout_of(&format!("{init} --realm {realm} --store {store}"));
        let mut last = None;
        for door in &DOORS {
            let before = SystemClock.now().unwrap();
            let ids = (door.ids)(server, &case);
            let after = SystemClock.now().unwrap();
            if case.is_share() && door.shares == "no" {
                assert_eq!(ids, [""; 0]);
                continue;
            }
            let parse = |text: &String| AnyId::parse(case.scheme.kind(), text.as_bytes()).unwrap();
            let ids: Vec<AnyId> = ids.iter().map(parse).collect();
            let from = format!("{shape}, node {node}, from {}", door.name);
            case.check(&from, &ids, last.filter(|_| door.leases), [before, after]);
            last = if door.leases { ids.last().copied() } else { last };
        }
    }
}

/// Its functions have it, as above, and no option repeats it.
fn sql_has_the_start_of_a_served_realm(server: &Postgres) {
    server.psql(Postgres::DATABASE, "CREATE DATABASE served").unwrap();
    let store = server.url_of("served");
    let realms = "--realm spread=nanoflake --realm plain=nanoflake --start spread=random";
    drop(Serving::start(tickid(&format!("serve {realms} --store {store}"))));
    for (realm, random) in [("spread", "1"), ("plain", "0")] {
        let sql = stdout_of(&format!("sql nanoflake --realm {realm}"));
        server.psql("served", &sql).unwrap();
        let number = format!("(SELECT number FROM tickid.generator WHERE realm = '{realm}')");
        let functions = format!(
            "SELECT count(*) FROM pg_proc WHERE prosrc LIKE '%floor(random()%' AND \
             proname = 'advance_' || {number}"
        );
        assert_eq!(server.psql("served", &functions).unwrap(), random, "{realm}");
    }
    // They keep it when it changes, unlike the term, which they do not use.
    for (change, line, keeps) in [
        ("--start random", "start: lowest -> random\n", Some("start")),
        ("--skew 4", "skew: 5s -> 4s\n", Some("skew")),
        ("--term 20", "term: 10s -> 20s\n", None),
    ] {
        let init = "lease init nanoflake --realm plain --reconfigure";
        let changed = run(&format!("{init} {change} --store {store}"));
        assert_eq!((changed.status, changed.stdout.as_str()), (OK, line), "{}", changed.stderr);
        let said = changed.stderr.split("they keep the ").nth(1);
        let kept = said.and_then(|said| said.split_once(" that they have until the statements"));
        assert_eq!(kept.map(|(part, _)| part), keeps, "{}", changed.stderr);
    }
    // They keep their node as well, unlike a holder.
    let listed = stdout_of(&format!("lease list --realm plain --store {store}"));
    let reserved = listed.lines().find(|line| line.contains(" reserved ")).expect("a node");
    let node = reserved.split('/').next().expect("a number");
    let other = if node == "0" { "1/10" } else { "0/10" };
    let init = "lease init nanoflake --realm plain --reconfigure";
    let changed = run(&format!("{init} --pool {node}/10,{other} --store {store}"));
    assert!(!changed.stderr.contains("of functions"), "{}", changed.stderr);
    let changed = run(&format!("{init} --pool {other} --store {store}"));
    assert_eq!(changed.status, OK, "{}", changed.stderr);
    let kept = "the pool loses 1 node of functions in PostgreSQL: they go on, and keep it";
    assert!(changed.stderr.contains(kept), "{}", changed.stderr);
    assert!(!changed.stderr.contains("holders move"), "{}", changed.stderr);
}

/// A row for each door, with its schemes, its shares and its starts.
fn the_page_has_the_doors() {
    let page = include_str!("../../../../docs/choosing.md");
    for door in &DOORS {
        let start = format!("| [{}](", door.name);
        let row = page.lines().find(|line| line.starts_with(&start));
        let cells: Vec<&str> = row.expect(door.name).split(" | ").collect();
        assert!(cells[1].starts_with("all"), "{row:?}");
        assert!(cells[2].starts_with(door.shares), "{row:?}");
        assert!(!cells[3].starts_with("no"), "{row:?}");
    }
}

fn of_library(_: &Postgres, case: &Case) -> Vec<String> {
    let builder = case.scheme.builder(case.node).tick_start(case.start);
    let generator = builder.build().unwrap();
    (0..case.count).map(|_| generator.generate().unwrap().text().to_string()).collect()
}

fn of_gen(_: &Postgres, case: &Case) -> Vec<String> {
    case.gen_ids(&format!("--node {} --start {}", case.node, case.start))
}

fn of_leased_gen(server: &Postgres, case: &Case) -> Vec<String> {
    case.gen_ids(&format!("--realm {} --store {}", case.realm, server.url()))
}

fn of_lease(server: &Postgres, case: &Case) -> Vec<String> {
    const PATIENCE: Duration = Duration::from_secs(60);
    let store = tickid_stores::open(&server.url()).unwrap();
    let realm = block_on(store.realm(&case.realm.parse().unwrap()), PATIENCE).unwrap().realm;
    let builder = AnyLeasedGenerator::builder(case.scheme, store, realm).unwrap();
    let generator = builder.start_within(PATIENCE).start_pending().unwrap();
    generator.first_lease().unwrap();
    let id = |_| generator.generate().unwrap().text().to_string();
    let ids = (0..case.count).map(id).collect();
    generator.shut_down().unwrap();
    ids
}

fn of_exec(server: &Postgres, case: &Case) -> Vec<String> {
    let options = format!("--realm {} --store {}", case.realm, server.url());
    let mut exec = tickid(&format!("lease exec {options} --shares --release-on-exit -- sh -c"));
    let Case { shape, count, start, .. } = case;
    exec.arg(format!("\"$COMMAND\" gen {shape} --node $TICKID_NODE --start {start} -n {count}"));
    let ran = ran(exec.env("COMMAND", env!("CARGO_BIN_EXE_tickid")));
    // It says so if it waits for the end of the window before.
    assert_eq!(ran.status, OK, "{}", ran.stderr);
    ran.stdout.lines().map(str::to_owned).collect()
}

fn of_serve(server: &Postgres, case: &Case) -> Vec<String> {
    let (realm, store) = (&case.realm, server.url());
    let serving = Serving::start(tickid(&format!("serve --realm {realm} --store {store}")));
    let mut ids = Vec::new();
    while ids.len() < case.count {
        let path = format!("/v1/realms/{realm}/ids?count=200");
        let (status, answer) = http(serving.http, &path, "Accept: text/plain\r\n");
        assert_eq!(status, 200, "{answer}");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        ids.extend(body.lines().map(str::to_owned));
    }
    serving.signal("TERM");
    assert_eq!(serving.end().0.code(), Some(OK));
    ids
}

/// The functions use a separate realm, because they keep their node for good.
fn of_sql(server: &Postgres, case: &Case) -> Vec<String> {
    let Case { shape, node, start, count, .. } = case;
    let realm = format!("sql-{}", case.realm);
    let sql =
        stdout_of(&format!("sql {shape} --pool {node} --start {start} --new --realm {realm}"));
    let created = server.psql(Postgres::DATABASE, &sql);
    if case.is_share() {
        let error = created.unwrap_err().to_string();
        assert!(error.contains(&format!("the realm {realm} has no whole node")), "{error}");
        return Vec::new();
    }
    created.unwrap();
    let function = match case.scheme.kind() {
        Kind::Scru64 => "scru64_next_text",
        Kind::Nanoflake => "nanoflake_next_text",
        Kind::KuidLocal => "kuid_local_next_text",
        Kind::KuidGlobal => "kuid_next_text",
        Kind::Sno => "sno_next_text",
        Kind::Snowflake => "snowflake",
        other => panic!("{other}"),
    };
    let draw = format!("SELECT tickid.{function}('{realm}') FROM generate_series(1, {count})");
    let ids = server.psql(Postgres::DATABASE, &draw).unwrap();
    ids.lines().map(str::to_owned).collect()
}
