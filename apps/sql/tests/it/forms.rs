//! Texts, bytes, times and ends of ranges agree with the Rust types and the recordings.

use core::ops::RangeInclusive;
use std::collections::BTreeSet;

use tickid_core::{Policy, UnixTime};
use tickid_kuid::{Drift, GlobalId, Kuid, LocalId};
use tickid_lease::Realm;
use tickid_lease::admin::Start;
use tickid_nanoflake::NanoflakeId;
use tickid_nanoflake::{Epoch, Nanoflake};
use tickid_scru64::Scru64Id;
use tickid_sno::{Sno, SnoId};
use tickid_snowflake::{Order, Snowflake, SnowflakeId};
use tickid_sql::Script;
use tickid_testkit::servers::{Postgres, Test};
use tickid_testkit::vectors::{array, field, load, string};

use crate::base::{Base, DISCORD, KINDS, Kind, START, Session, spec};

pub(crate) const TESTS: [Test<Postgres>; 16] = [
    ("recorded_ids_round_trip", recorded_ids_round_trip),
    ("texts_that_are_no_id_are_refused", texts_that_are_no_id_are_refused),
    ("ranges_and_times_agree_with_rust", ranges_and_times_agree_with_rust),
    ("ranges_beyond_all_ids_end_with_the_last", ranges_beyond_all_ids_end_with_the_last),
    ("a_young_realm_has_partitions", a_young_realm_has_partitions),
    ("kuid_ranges_reach_their_last_tick", kuid_ranges_reach_their_last_tick),
    ("consecutive_days_share_no_id", consecutive_days_share_no_id),
    ("draws_of_every_drift_have_a_node", draws_of_every_drift_have_a_node),
    ("every_form_is_a_default", every_form_is_a_default),
    ("ranges_are_immutable", ranges_are_immutable),
    ("what_calls_a_volatile_function_is_volatile", what_calls_a_volatile_function_is_volatile),
    ("other_realms_and_schemes_are_refused", other_realms_and_schemes_are_refused),
    ("an_index_sorts_scru64_of_either_case", an_index_sorts_scru64_of_either_case),
    ("statements_of_the_guide_run", statements_of_the_guide_run),
    ("statements_without_functions_run", statements_without_functions_run),
    ("triggers_on_tables_stop_first_ids", triggers_on_tables_stop_first_ids),
];

fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\\x{digits}")
}

/// Sends expressions with their results in a few statements.
fn assert_all(session: &Session, cases: &[(String, String)]) {
    assert!(!cases.is_empty());
    for cases in cases.chunks(200) {
        let list: Vec<_> = cases.iter().map(|(one, _)| format!("SELECT ({one})::text")).collect();
        let rows = session.ask(&list.join(" UNION ALL ")).unwrap();
        assert_eq!(rows.len(), cases.len());
        for (row, (expression, expected)) in rows.iter().zip(cases) {
            assert_eq!(row, expected, "{expression}");
        }
    }
}

fn recorded_ids_round_trip(server: &Postgres) {
    let session = Base::new(server, &KINDS).session();
    let mut cases = Vec::new();
    let mut both = |name: &str, id: String, text: &str| {
        let literal = if id.starts_with('\\') { format!("'{id}'") } else { id.clone() };
        cases.push((format!("tickid.{name}_encode({literal})"), text.to_owned()));
        cases.push((format!("tickid.{name}_decode('{text}')"), id));
    };
    for id in array(field(&load("nanoflake.json"), "ids")) {
        let value: i64 = string(id, "value").parse().unwrap();
        both("nanoflake", value.to_string(), string(id, "base36"));
    }
    for id in array(field(&load("scru64.json"), "ids")) {
        both("scru64", string(id, "num").to_owned(), string(id, "text"));
    }
    for id in array(field(&load("sno.json"), "ids")) {
        both("sno", format!("\\x{}", string(id, "bytes")), string(id, "text"));
    }
    let kuid = load("kuid.json");
    for id in array(field(&kuid, "global")) {
        both("kuid", format!("\\x{}", string(id, "bytes")), string(id, "d64"));
    }
    for id in array(field(&kuid, "local")) {
        let value = u64::from_str_radix(string(id, "bytes"), 16).unwrap().cast_signed();
        both("kuid_local", format!("({value})"), string(id, "d64"));
    }
    for (_, result) in &mut cases {
        *result = result.trim_matches(['(', ')']).to_owned();
    }
    assert_all(&session, &cases);
}

fn texts_that_are_no_id_are_refused(server: &Postgres) {
    let session = Base::new(server, &KINDS).session();
    for (name, texts) in [
        ("nanoflake", &["", "00", "01", "-1", "1y2p0ij32e8e8", "zzzzzzzzzzzzz", "é", "1\n"][..]),
        ("scru64", &["", "00000000000", "0000000000000", "00000000000é", "00000000000-"]),
        ("sno", &["", "222222222222222", "222222222222222A", "222222222222222y"]),
        ("kuid", &["", "...............", "...............-", "................\n"]),
        (
            "snowflake",
            &["", "01", "-1", "18446744073709551616", "99999999999999999999", "é", "1\n"],
        ),
        ("kuid_local", &["", "..........1", "...........=", "............"]),
    ] {
        for text in texts {
            let error = session.one(&format!("tickid.{name}_decode(E'{text}')")).unwrap_err();
            assert!(error.starts_with("no ") && error.contains(" ID: "), "{name} {text}: {error}");
        }
    }
    for value in [
        "nanoflake_encode(-1)",
        "scru64_encode(-1)",
        "scru64_encode(4738381338321616896)",
        "sno_encode('\\x00')",
        "kuid_encode('\\x00')",
        "kuid_time('kuid', '\\x00')",
        "sno_time('sno', '\\x00')",
        "nanoflake_time('nanoflake', -1)",
        "scru64_time('scru64', -1)",
        "snowflake_time('js_safe', 9007199254740992)",
        "snowflake_node('sonyflake', -1)",
        "scru64_time('scru64', 4738381338321616896)",
    ] {
        assert!(session.one(&format!("tickid.{value}")).unwrap_err().starts_with("no "), "{value}");
    }
    for form in [
        "nanoflake_encode(NULL)",
        "nanoflake_time('nanoflake', NULL)",
        "scru64_time('scru64', NULL)",
        "sno_decode(NULL)",
        "kuid_time('kuid', NULL)",
    ] {
        assert_eq!(session.one(&format!("tickid.{form} IS NULL")).unwrap(), "t", "{form}");
    }
}

/// The first and last microseconds of ticks, and random times and IDs.
fn ranges_and_times_agree_with_rust(server: &Postgres) {
    let base = Base::new(server, &KINDS);
    let session = base.session();
    session.ask("SET TimeZone = 'Asia/Kolkata'").unwrap();
    let kuid = Kuid { drift: Kind::Kuid.drift() };
    let mut cases = Vec::new();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut times = vec![START, START - 1, START + 1_023, START + 1_024, START + 999_999];
    for _ in 0..60 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        times.push(1_420_070_400_000_000 + (random >> 12).cast_signed() % 1_700_000_000_000_000);
    }
    for micros in times {
        let at = UnixTime::from_micros(micros);
        let time = format!("tickid.time_v1({micros})");
        let mut range = |name: &str, min: String, max: String| {
            cases.push((format!("tickid.{name}_min('{name}', {time})"), min));
            cases.push((format!("tickid.{name}_max('{name}', {time})"), max));
        };
        let (min, max) = (DISCORD.min_at(at).unwrap(), DISCORD.max_at(at).unwrap());
        range("nanoflake", min.get().to_string(), max.get().to_string());
        let (min, max) = (Scru64Id::min_at(at).unwrap(), Scru64Id::max_at(at).unwrap());
        range("scru64", min.get().to_string(), max.get().to_string());
        let (min, max) = (LocalId::min_at(at).unwrap(), LocalId::max_at(at).unwrap());
        range("kuid_local", min.get().to_string(), max.get().to_string());
        let (min, max) = (kuid.min_at(at).unwrap(), kuid.max_at(at).unwrap());
        range("kuid", hex(&min.to_bytes()), hex(&max.to_bytes()));
        let (min, max) = (SnoId::min_at(at).unwrap(), SnoId::max_at(at).unwrap());
        range("sno", hex(&min.to_bytes()), hex(&max.to_bytes()));
        snowflakes(&mut cases, Kind::Discord, Snowflake::DISCORD, at, random);
        snowflakes(&mut cases, Kind::JsSafe, Snowflake::JS_SAFE, at, random);
        snowflakes(&mut cases, Kind::Sonyflake, Snowflake::SONYFLAKE, at, random);
        let mut of = |name: &str, id: String, time: UnixTime| {
            let (id, micros) = (format!("tickid.{name}_time('{name}', {id})"), time.as_micros());
            cases.push((format!("tickid.micros_v1({id})"), micros.to_string()));
        };
        let id = NanoflakeId::new(random.cast_signed() & i64::MAX).unwrap();
        of("nanoflake", id.get().to_string(), DISCORD.unix_time(id));
        let id = Scru64Id::new(random % Scru64Id::MAX.get()).unwrap();
        of("scru64", id.get().to_string(), id.unix_time());
        let id = LocalId::max_at(at).unwrap();
        of("kuid_local", id.get().to_string(), id.unix_time());
        let id = GlobalId::from_local(id, tickid_kuid::Node::new(77), kuid.drift);
        of("kuid", format!("'{}'", hex(&id.to_bytes())), kuid.unix_time(id));
        let [a, b, c, d, e, f, g, h] = random.to_be_bytes();
        let id = SnoId::from_bytes([a, b, c, d, e, f, g, h, 7, 8]);
        of("sno", format!("'{}'", hex(&id.to_bytes())), id.unix_time());
    }
    assert_all(&session, &cases);
    // Every drift has its place.
    for bits in 5..=10 {
        let drift = Drift::new(bits).unwrap();
        let local = LocalId::max_at(UnixTime::from_micros(START + 999_999)).unwrap();
        let node = tickid_kuid::Node::new(0x89ab_cdef);
        let id = GlobalId::from_local(local, node, drift);
        let (local, id) = (local.get(), hex(&id.to_bytes()));
        assert_all(
            &session,
            &[
                (format!("tickid.kuid_global_v1({local}, {}, {bits})", node.get()), id.clone()),
                (format!("tickid.kuid_to_local_v1('{id}', {bits})"), local.to_string()),
            ],
        );
    }
}

/// A range that starts before the first ID starts with it, and so on, as in Rust. One that is over
/// before the first ID, or starts after the last one, is a mistake.
fn ranges_beyond_all_ids_end_with_the_last(server: &Postgres) {
    let session = Base::new(server, &KINDS).session();
    let mut cases = Vec::new();
    for kind in KINDS {
        let (name, function) = (kind.name(), kind.function());
        let (first, last) = match kind {
            Kind::Nanoflake => signed_ends(DISCORD.range::<UnixTime>(..), |id| id.get()),
            Kind::Scru64 => {
                signed_ends(Scru64Id::range::<UnixTime>(..), |id| id.get().cast_signed())
            }
            Kind::KuidLocal => {
                signed_ends(LocalId::range::<UnixTime>(..), |id| id.get().cast_signed())
            }
            Kind::Discord => of_layout(Snowflake::DISCORD),
            Kind::JsSafe => of_layout(Snowflake::JS_SAFE),
            Kind::Sonyflake => of_layout(Snowflake::SONYFLAKE),
            Kind::Seconds => of_layout(crate::base::seconds()),
            Kind::Sno => {
                let (first, last) = SnoId::range::<UnixTime>(..).unwrap().into_inner();
                (hex(&first.to_bytes()), hex(&last.to_bytes()))
            }
            Kind::Kuid => {
                let kuid = Kuid { drift: kind.drift() };
                let (first, last) = kuid.range::<UnixTime>(..).unwrap().into_inner();
                (hex(&first.to_bytes()), hex(&last.to_bytes()))
            }
        };
        for (early, late) in [("-infinity", "infinity"), ("4713-01-01Z BC", "294276-12-31Z")] {
            cases.push((format!("tickid.{function}_min('{name}', '{early}')"), first.clone()));
            cases.push((format!("tickid.{function}_max('{name}', '{late}')"), last.clone()));
            for call in [format!("min('{name}', '{late}')"), format!("max('{name}', '{early}')")] {
                let error = session.one(&format!("tickid.{function}_{call}")).unwrap_err();
                assert!(error.contains("has no IDs of"), "{call}: {error}");
            }
        }
    }
    assert_all(&session, &cases);
    for (call, time) in [
        ("nanoflake_max('nanoflake'", "2014-12-31T23:59:59.999999Z"),
        ("nanoflake_min('nanoflake'", "2084-09-07Z"),
        ("scru64_max('scru64'", "1969-12-31T23:59:59.999999Z"),
        // Within the last tick, whose start no ID shows any more.
        ("scru64_min('scru64'", "4261-02-27 20:08:59.136Z"),
        ("sno_max('sno'", "2009-12-31T23:59:59.999999Z"),
        ("sno_min('sno'", "2079-09-08Z"),
        ("snowflake_max('discord'", "2014-12-31T23:59:59.999999Z"),
        ("snowflake_min('discord'", "2154-05-16Z"),
    ] {
        let error = session.one(&format!("tickid.{call}, '{time}')")).unwrap_err();
        assert!(error.contains("has no IDs of"), "{call}: {error}");
    }
}

fn signed_ends<T>(range: Option<RangeInclusive<T>>, of: impl Fn(T) -> i64) -> (String, String) {
    let (first, last) = range.unwrap().into_inner();
    (of(first).to_string(), of(last).to_string())
}

fn of_layout<O: Order>(layout: Snowflake<O>) -> (String, String) {
    signed_ends(layout.range::<UnixTime>(..), |id| id.get().cast_signed())
}

/// The loop of the guide, and its retention, in a realm whose epoch was a day ago. The bounds of a
/// month that ends before the epoch would be equal.
fn a_young_realm_has_partitions(server: &Postgres) {
    let base = Base::empty(server);
    // 2024-03-07T12:00:00Z
    let start = 1_709_812_800_000;
    let epoch = Epoch::from_unix_millis(start).unwrap();
    base.create(&spec("young", Nanoflake { epoch }, "0-1023/10"));
    base.script_clock();
    base.set_clock((start + 86_400_000) * 1_000);
    let now = "timestamptz '2024-03-08T12:00:00Z'";
    let page = include_str!("../../../../docs/database.md");
    let block = |part: &str| {
        let mut blocks =
            page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap());
        let block = blocks.find(|block| block.contains(part)).unwrap();
        block.replace("now()", now).replace("'shop'", "'young'")
    };
    base.psql(
        "CREATE TABLE events (id bigint PRIMARY KEY DEFAULT tickid.nanoflake('young'))
         PARTITION BY RANGE (id); CREATE TABLE orders (LIKE events INCLUDING ALL)",
    );
    // Twice, as the job does.
    base.psql(&block("LOOP"));
    base.psql(&block("LOOP"));
    let made =
        base.psql("SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY 1");
    assert_eq!(made, "events_2024_03\nevents_2024_04");
    base.psql("INSERT INTO events DEFAULT VALUES; INSERT INTO orders DEFAULT VALUES");
    assert_eq!(base.psql("SELECT count(*) FROM events_2024_03"), "1");
    base.psql(&block("DELETE FROM orders"));
    assert_eq!(base.psql("SELECT count(*) FROM orders"), "1");
    // Without the condition, the first month's bounds are equal.
    let error = base.server.psql(&base.name, &block("LOOP").replace("first < next", "true"));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("empty range bound"), "{error}");
}

/// Adds the ends of ranges, and an ID taken apart; times before the layout's epoch have none.
fn snowflakes<O: Order>(
    cases: &mut Vec<(String, String)>,
    kind: Kind,
    layout: Snowflake<O>,
    at: UnixTime,
    random: u64,
) {
    let (name, signed) = (kind.name(), |id: SnowflakeId| id.get().cast_signed().to_string());
    let mut add = |call: String, result: String| cases.push((format!("tickid.{call}"), result));
    if let (Ok(min), Ok(max)) = (layout.min_at(at), layout.max_at(at)) {
        let time = format!("tickid.time_v1({})", at.as_micros());
        add(format!("snowflake_min('{name}', {time})"), signed(min));
        add(format!("snowflake_max('{name}', {time})"), signed(max));
    }
    let id = SnowflakeId::new(random & layout.max_id().get());
    let number = signed(id);
    let micros = layout.unix_time(id).as_micros().to_string();
    add(format!("micros_v1(tickid.snowflake_time('{name}', {number}))"), micros);
    add(format!("snowflake_node('{name}', {number})"), layout.node_of(id).get().to_string());
    add(format!("snowflake_sequence('{name}', {number})"), layout.sequence_of(id).to_string());
    add(format!("snowflake_encode({number})"), id.to_string());
    add(format!("snowflake_decode('{id}')"), number);
}

/// Beyond 2540, when the functions issue their last IDs.
fn kuid_ranges_reach_their_last_tick(server: &Postgres) {
    let session = Base::new(server, &[Kind::Kuid, Kind::KuidLocal]).session();
    let drift = Kind::Kuid.drift();
    let mut cases = Vec::new();
    // The second is the first microsecond of the last tick.
    for micros in [18_006_331_672_000_000, 1_048_575_999_999_999_424, 600_000_000_000_000_000] {
        let (at, time) = (UnixTime::from_micros(micros), format!("tickid.time_v1({micros})"));
        let (min, max) = (LocalId::min_at(at).unwrap(), LocalId::max_at(at).unwrap());
        for (end, id) in [("min", min), ("max", max)] {
            let signed = id.get().cast_signed().to_string();
            cases.push((format!("tickid.kuid_local_{end}('kuid_local', {time})"), signed.clone()));
            let local_time = format!("tickid.kuid_local_time('kuid_local', {signed})");
            cases.push((format!("tickid.micros_v1({local_time})"), micros.to_string()));
        }
        let (min, max) =
            (GlobalId::min_at(at, drift).unwrap(), GlobalId::max_at(at, drift).unwrap());
        for (end, id) in [("min", min), ("max", max)] {
            let id = hex(&id.to_bytes());
            cases.push((format!("tickid.kuid_{end}('kuid', {time})"), id.clone()));
            let global_time = format!("tickid.kuid_time('kuid', '{id}')");
            cases.push((format!("tickid.micros_v1({global_time})"), micros.to_string()));
        }
    }
    assert_all(&session, &cases);
    // After the start of the last tick.
    let micros = 1_048_575_999_999_999_425_i64;
    for kind in [Kind::Kuid, Kind::KuidLocal] {
        let name = kind.name();
        let call = format!("tickid.{name}_min('{name}', tickid.time_v1({micros}))");
        let error = session.one(&call).unwrap_err();
        assert!(error.contains("has no IDs of"), "{error}");
    }
}

/// An ID lies in the day of the time that it shows, and in no other: the days of Berlin in 2028.
fn consecutive_days_share_no_id(server: &Postgres) {
    let session = Base::new(server, &KINDS).session();
    session
        .ask(
            "CREATE TABLE days AS
             SELECT (timestamp '2028-01-01' + make_interval(days => n)) AT TIME ZONE 'Europe/Berlin'
                 AS since, (timestamp '2028-01-02' + make_interval(days => n))
                 AT TIME ZONE 'Europe/Berlin' AS until
             FROM generate_series(0, 365) AS n",
        )
        .unwrap();
    for kind in KINDS {
        let (name, function) = (kind.name(), kind.function());
        // The lowest and the highest IDs of the ticks around the start of each day.
        session
            .ask(&format!(
                "DROP TABLE IF EXISTS ends, ids;
                 CREATE TABLE ends AS
                 SELECT since, until, tickid.{function}_min('{name}', since) AS first,
                     tickid.{function}_min('{name}', until) AS next,
                     tickid.{function}_max('{name}', until) AS last
                 FROM days;
                 CREATE TABLE ids AS
                 SELECT id, tickid.{function}_time('{name}', id) AS time FROM (
                     SELECT tickid.{function}_max('{name}', since + o * interval '1 us') AS id
                     FROM days, unnest(ARRAY[-300000, -1, 0, 1, 300000]) AS o
                     UNION SELECT tickid.{function}_min('{name}', since + o * interval '1 us')
                     FROM days, unnest(ARRAY[-300000, 0, 1]) AS o
                 ) AS made",
            ))
            .unwrap();
        let count = |condition: &str| {
            session.one(&format!("count(*) FROM ends, ids WHERE {condition}")).unwrap()
        };
        let of_day = "(time >= since AND time < until)";
        let shown: u32 = count(of_day).parse().unwrap();
        assert!(shown > 1_400, "{kind:?}: {shown}");
        if kind == Kind::Kuid {
            // A day's last IDs sort after the lowest ID of the next day, and none after its
            // highest one.
            assert_ne!(count(&format!("{of_day} AND NOT id < next")), "0");
            assert_eq!(count(&format!("{of_day} AND NOT (id >= first AND id <= last)")), "0");
        } else {
            assert_eq!(count(&format!("{of_day} <> (id >= first AND id < next)")), "0", "{kind:?}");
        }
    }
}

fn draws_of_every_drift_have_a_node(server: &Postgres) {
    let base = Base::empty(server);
    for bits in 5..=10 {
        let (name, pool) = (format!("drift{bits}"), "2309737967-2309737967/32");
        let kuid = Kuid { drift: Drift::new(bits).unwrap() };
        base.create(&spec(&name, kuid, pool));
    }
    base.script_clock();
    let session = base.session();
    for bits in 5..=10 {
        let drift = Drift::new(bits).unwrap();
        let drawn = session.one(&format!("tickid.kuid('drift{bits}')")).unwrap();
        let local = LocalId::min_at(UnixTime::from_micros(START)).unwrap();
        let node = tickid_kuid::Node::new(0x89ab_cdef);
        assert_eq!(drawn, hex(&GlobalId::from_local(local, node, drift).to_bytes()), "{drift:?}");
    }
}

fn every_form_is_a_default(server: &Postgres) {
    let session = Base::new(server, &KINDS).session();
    session
        .ask(
            "CREATE TABLE forms (
                a bigint PRIMARY KEY DEFAULT tickid.nanoflake('nanoflake'),
                b text COLLATE \"C\" DEFAULT tickid.nanoflake_next_text('nanoflake'),
                c bytea DEFAULT tickid.nanoflake_bytes('nanoflake'),
                d bigint DEFAULT tickid.scru64('scru64'),
                e text COLLATE \"C\" DEFAULT tickid.scru64_next_text('scru64'),
                f bytea DEFAULT tickid.scru64_bytes('scru64'),
                g bigint DEFAULT tickid.kuid_local('kuid_local'),
                h text COLLATE \"C\" DEFAULT tickid.kuid_local_next_text('kuid_local'),
                i bytea DEFAULT tickid.kuid_local_bytes('kuid_local'),
                j bytea DEFAULT tickid.kuid('kuid'),
                k text COLLATE \"C\" DEFAULT tickid.kuid_next_text('kuid'),
                l bytea DEFAULT tickid.sno('sno'),
                m bytea DEFAULT tickid.sno('sno', 24),
                n text COLLATE \"C\" DEFAULT tickid.sno_next_text('sno', 255),
                at timestamptz DEFAULT clock_timestamp(), row integer)",
        )
        .unwrap();
    for row in 0..300 {
        session.ask(&format!("INSERT INTO forms (row) VALUES ({row})")).unwrap();
    }
    // In a plan of a prepared statement, too.
    session.ask("PREPARE one AS INSERT INTO forms (row) VALUES ($1)").unwrap();
    for row in 300..320 {
        session.ask(&format!("EXECUTE one ({row})")).unwrap();
    }
    for column in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"] {
        let order = format!("SELECT row FROM forms ORDER BY {column}");
        let rows: Vec<u32> =
            session.ask(&order).unwrap().iter().map(|row| row.parse().unwrap()).collect();
        assert_eq!(rows, (0..320).collect::<Vec<u32>>(), "by {column}");
    }
    for (time, node) in [
        ("nanoflake_time('nanoflake', a)", "a >> 12 & 1023 = 777"),
        ("nanoflake_time('nanoflake', tickid.nanoflake_decode(b))", "length(b) = 13"),
        ("nanoflake_time('nanoflake', tickid.int8_v1(c))", "true"),
        ("scru64_time('scru64', d)", "d >> 19 & 31 = 27"),
        ("scru64_time('scru64', tickid.scru64_decode(e))", "true"),
        ("scru64_time('scru64', tickid.int8_v1(f))", "true"),
        ("kuid_local_time('kuid_local', g)", "true"),
        ("kuid_local_time('kuid_local', tickid.kuid_local_decode(h))", "true"),
        ("kuid_local_time('kuid_local', tickid.int8_v1(i))", "true"),
        ("kuid_time('kuid', j)", "true"),
        ("kuid_time('kuid', tickid.kuid_decode(k))", "true"),
        ("sno_time('sno', l)", "get_byte(l, 5) = 0 AND substring(l FROM 7 FOR 2) = '\\xffff'"),
        ("sno_time('sno', m)", "get_byte(m, 5) = 24"),
        ("sno_time('sno', tickid.sno_decode(n))", "get_byte(tickid.sno_decode(n), 5) = 255"),
    ] {
        let close = format!(
            "(SELECT bool_and(tickid.{time} BETWEEN at - interval '9 s' AND at + interval '9 s'
                AND {node}) FROM forms)"
        );
        assert_eq!(session.one(&close).unwrap(), "t", "{time}");
    }
    for meta in ["-1", "256", "NULL"] {
        let error = session.one(&format!("tickid.sno('sno', {meta})")).unwrap_err();
        assert!(error.contains("outside of 0..=255"), "{error}");
    }
}

/// In bounds of partitions, indexes and generated columns, and a range uses the index.
fn ranges_are_immutable(server: &Postgres) {
    let session = Base::new(server, &KINDS).session();
    for statement in [
        "CREATE TABLE parted (id bigint PRIMARY KEY DEFAULT tickid.nanoflake('nanoflake'))
            PARTITION BY RANGE (id)",
        "CREATE TABLE part PARTITION OF parted FOR VALUES
            FROM (tickid.nanoflake_min('nanoflake', '2020-01-01Z'))
            TO (tickid.nanoflake_min('nanoflake', '2080-01-01Z'))",
        "INSERT INTO parted SELECT FROM generate_series(1, 5000)",
        "CREATE TABLE events (id bytea PRIMARY KEY DEFAULT tickid.sno('sno'),
            at timestamptz GENERATED ALWAYS AS (tickid.sno_time('sno', id)) STORED)",
        "CREATE INDEX ON events (tickid.sno_time('sno', id))",
        "INSERT INTO events SELECT FROM generate_series(1, 10)",
        "ANALYZE",
    ] {
        session.ask(statement).unwrap();
    }
    assert_eq!(session.one("count(*) FROM part").unwrap(), "5000");
    assert_eq!(session.one("bool_and(at = tickid.sno_time('sno', id)) FROM events").unwrap(), "t");
    let plan = session
        .ask(
            "EXPLAIN SELECT FROM parted WHERE id >= tickid.nanoflake_min('nanoflake', '2030-01-01Z')
                AND id < tickid.nanoflake_min('nanoflake', '2030-01-02Z')",
        )
        .unwrap()
        .join("\n");
    assert!(plan.contains("Index Only Scan") && !plan.contains("tickid."), "{plan}");
}

/// PostgreSQL may call an immutable function once for many rows, which would get one ID.
fn what_calls_a_volatile_function_is_volatile(server: &Postgres) {
    let session = Base::new(server, &KINDS).session();
    let calls = "string_agg(DISTINCT caller.proname || ' calls ' || called.proname, ', ')
        FROM pg_proc AS caller JOIN pg_proc AS called
            ON coalesce(pg_get_function_sqlbody(caller.oid), caller.prosrc) ~ ('\\m' || called.proname || '\\s*\\(')
        WHERE caller.pronamespace = 'tickid'::regnamespace AND called.provolatile = 'v'
            AND called.pronamespace IN ('tickid'::regnamespace, 'pg_catalog'::regnamespace)
            AND caller.provolatile ";
    // On purpose: facts of the server and readings of a realm are those of their statement, and
    // whether a word is readable and at home is computed when a session plans its first draw.
    let known = "generation_v1 calls pg_control_system, generation_v1 calls pg_current_wal_lsn, \
                 generation_v1 calls pg_is_in_recovery, read_v1 calls now_micros_v1, \
                 was_home_v1 calls check_readable_v1, was_home_v1 calls is_home_v1";
    assert_eq!(session.one(&format!("{calls} <> 'v'")).unwrap(), known);
    let volatile = session.one(&format!("{calls} = 'v'")).unwrap();
    assert!(volatile.contains("sno_next_text calls sno,"), "{volatile}");
}

fn other_realms_and_schemes_are_refused(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake]);
    let session = base.session();
    for call in [
        "nanoflake('orders')",
        "nanoflake(NULL)",
        "scru64('nanoflake')",
        "sno('nanoflake')",
        "kuid('nanoflake')",
        "scru64_min('nanoflake', now())",
        "nanoflake_time('orders', 1)",
        "kuid_time('orders', '\\x000000000000000000000000')",
    ] {
        let error = session.one(&format!("tickid.{call}")).unwrap_err();
        assert!(error.contains("functions for the realm"), "{call}: {error}");
    }
    let unix = tickid_nanoflake::Nanoflake { epoch: tickid_nanoflake::Epoch::UNIX };
    let other = spec("nanoflake", unix, "0-7/10");
    let error = base.try_create(&other).unwrap_err();
    assert!(error.to_string().contains("has the settings"), "{error}");
    // The kinds of kuids have one scheme and the same settings.
    let (local, global) = (Kind::KuidLocal.pool().0, Kind::Kuid.pool().0);
    for (pool, other, refusal) in [
        (local, global, "kuid_0 has IDs without a node, not IDs with one"),
        (global, local, "kuid_32 has IDs with a node, not IDs without one"),
    ] {
        let name = format!("kuid_{}", pool.rsplit('/').next().unwrap());
        base.create(&spec(&name, Kuid::default(), pool));
        let error = base.try_create(&spec(&name, Kuid::default(), other)).unwrap_err();
        assert!(error.to_string().contains(refusal), "{error}");
    }
    let foreign = spec("other", tickid_core::example::Seconds, "0-7/8");
    assert!(Script::new(&foreign, Start::Immediately).statements().is_err());
    // A guard of 5 bits, and one of 4.
    for (layout, refusal) in
        [("41x1ms/4n/17s@0", None), ("41x1ms/4n/18s@0", Some("have 59 bits, more than 58"))]
    {
        let layout: Snowflake = layout.parse().unwrap();
        let script = Script::new(&spec("small", layout, "0-7/4"), Start::Immediately).statements();
        match (script, refusal) {
            (Ok(_), None) => {}
            (Err(error), Some(part)) => assert!(error.to_string().contains(part), "{error}"),
            (script, _) => panic!("{layout}: {script:?}"),
        }
    }
    // The same again changes nothing.
    let definition = || base.psql("SELECT pg_get_functiondef('tickid.draw_1'::regproc)");
    let before = definition();
    base.create(&Kind::Nanoflake.realm(Kind::Nanoflake.pool().0));
    assert_eq!(definition(), before);
    assert_eq!(base.psql("SELECT count(*) FROM tickid.node"), "3");
}

/// Bytes do not sort SCRU64's text by time if it is of either case.
fn an_index_sorts_scru64_of_either_case(server: &Postgres) {
    let base = Base::new(server, &[Kind::Scru64]);
    base.psql(
        "CREATE TABLE public.mixed (n bigint, id text COLLATE \"C\");
         INSERT INTO public.mixed SELECT n, CASE WHEN n % 2 = 0 THEN e ELSE upper(e) END
             FROM (SELECT n, tickid.scru64_encode(n << 56) AS e FROM generate_series(0, 63) AS n)
                 AS encoded;
         CREATE INDEX by_time ON public.mixed (tickid.scru64_decode(id))",
    );
    let numbers = |order: &str| {
        let rows = base.psql(&format!("SELECT n FROM public.mixed ORDER BY {order}"));
        rows.lines().map(|n| n.parse().unwrap()).collect::<Vec<u32>>()
    };
    assert!(!numbers("id").is_sorted());
    assert!(numbers("tickid.scru64_decode(id)").is_sorted());
    let plan = base.psql(
        "SET enable_sort = off;
         EXPLAIN SELECT n FROM public.mixed ORDER BY tickid.scru64_decode(id)",
    );
    assert!(plan.contains("Index Scan using by_time"), "{plan}");
}

/// Whatever uses the functions by itself or by a function of the user's, whose name could be one of
/// ours. Afterwards nothing uses them.
fn refuse_to_remove_what_is_used(base: &Base<'_>, statements: &str) {
    base.psql(
        "CREATE FUNCTION public.nanoflake(realm text) RETURNS bigint LANGUAGE sql
         BEGIN ATOMIC SELECT tickid.nanoflake('shop'); END;
         CREATE TABLE public.above (id bigint DEFAULT public.nanoflake('shop'));
         CREATE VIEW public.seen AS SELECT tickid.nanoflake_time('shop', id) AS at FROM orders;
         CREATE FUNCTION public.count_seen() RETURNS bigint LANGUAGE sql
         BEGIN ATOMIC SELECT count(at) FROM public.seen; END;
         CREATE INDEX by_text ON orders (tickid.nanoflake_encode(id));
         CREATE TABLE public.made (id bigint,
             shown text GENERATED ALWAYS AS (tickid.nanoflake_encode(id)) STORED)",
    );
    let functions = "SELECT count(*) FROM pg_proc WHERE pronamespace = 'tickid'::regnamespace";
    let before = base.psql(functions);
    let error = base.server.psql(&base.name, statements).unwrap_err().to_string();
    for user in [
        "function nanoflake(text)",
        "default value for column id of table above",
        "view seen",
        "function count_seen()",
        "index by_text",
        "column shown of table made",
    ] {
        assert!(error.contains(&format!("{user} depends on ")), "{user}: {error}");
    }
    assert_eq!(base.psql(functions), before);
    base.psql(
        "DROP FUNCTION public.count_seen(); DROP VIEW public.seen; DROP INDEX by_text;
         DROP TABLE public.made; ALTER TABLE public.above ALTER COLUMN id DROP DEFAULT;
         DROP FUNCTION public.nanoflake(text)",
    );
}

/// Before PostgreSQL 17, the log is flushed by creating a table.
fn triggers_on_tables_stop_first_ids(server: &Postgres) {
    let base = Base::new(server, &[Kind::Scru64]);
    base.psql(
        "CREATE FUNCTION public.forbid() RETURNS event_trigger LANGUAGE plpgsql
         AS $$ BEGIN RAISE 'no tables here'; END $$;
         CREATE EVENT TRIGGER forbid ON ddl_command_start EXECUTE FUNCTION public.forbid()",
    );
    let version: u32 = base.psql("SHOW server_version_num").parse().unwrap();
    let drawn = server.psql(&base.name, "SELECT tickid.scru64('scru64')");
    assert_eq!(drawn.is_ok(), version >= 17_00_00, "{drawn:?}");
    let refused = drawn.err().is_none_or(|error| error.to_string().contains("no tables here"));
    assert!(refused, "an error of something else");
}

/// Those of the page on data tools.
fn statements_without_functions_run(server: &Postgres) {
    let base = Base::empty(server);
    let page = include_str!("../../../../docs/data-tools.md");
    let (_, block) = page.split_once("-- PostgreSQL\n").unwrap();
    let (times, rest) = block.split_once(';').unwrap();
    let (first, _) = rest.split_once(';').unwrap();
    base.psql(
        "CREATE TABLE messages (id bigint); INSERT INTO messages VALUES (175928847299117063)",
    );
    let found = base.psql(&format!("SET TimeZone = 'UTC'; {times}"));
    assert_eq!(found, "2016-04-30 11:18:25.796+00");
    // The shell's answer on the page, too.
    assert_eq!(base.psql(first), "1566240355123200000");
    assert!(page.contains("1566240355123200000\n"));
}

fn statements_of_the_guide_run(server: &Postgres) {
    let base = Base::empty(server);
    let realm = spec("shop", DISCORD, "0-1023/10");
    base.create(&spec("events", Kuid::default(), "7/32"));
    let orders = Realm::builder("orders", Sno).pool("0-65535/16").policy(Policy::Wait);
    base.create(&orders.build().unwrap().into());
    // Quietly, as the page has it.
    assert_eq!(base.psql(&Script::new(&realm, Start::Immediately).statements().unwrap()), "");
    let role = format!("app_of_{}", base.name);
    base.psql(&format!("CREATE ROLE {role}"));
    let page = include_str!("../../../../docs/database.md");
    let blocks = page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut run = 0;
    for block in blocks.filter(|block| !block.contains("-- MySQL")) {
        let block = block.replace("TO app;", &format!("TO {role};")).replace("$1", "0");
        let block = block.replace("$2", "NULL").replace("$3", "0");
        // The tests' role has the name of our schema, which a search path would have first.
        let statements = format!("SET search_path = public; {block}");
        if block.contains("DROP ROUTINE") {
            refuse_to_remove_what_is_used(&base, &statements);
        }
        base.psql(&statements);
        if block.contains("CREATE DOMAIN") {
            let made = base.psql(
                "INSERT INTO sales DEFAULT VALUES; INSERT INTO refunds (sale) TABLE sales;
                 SELECT label LIKE 'refund\\_____________', tickid.sno_decode(substr(sale, 7)) IS NULL
                 FROM refunds",
            );
            assert_eq!(made, "t|f");
            let error = server.psql(&base.name, "INSERT INTO sales VALUES ('9q8q28b6522i6222')");
            assert!(error.unwrap_err().to_string().contains("check constraint"));
        }
        if block.contains("shop_decoder") {
            // As pg_partman calls them.
            let bounds = base.psql(
                "SELECT public.shop_decoder(public.shop_encoder('2026-11-01Z')) = '2026-11-01Z',
                     public.shop_encoder('2016-11-01Z') < tickid.nanoflake_next_text('shop')
                         COLLATE \"C\",
                     public.shop_encoder(now() + interval '1 h') > tickid.nanoflake_next_text('shop')
                         COLLATE \"C\",
                     public.shop_encoder(NULL) IS NULL AND public.shop_decoder(NULL) IS NULL",
            );
            assert_eq!(bounds, "t|t|t|t");
        }
        run += 1;
    }
    assert_eq!(run, 15);
    // The last one has removed the functions, and nothing else.
    assert_eq!(base.psql("SELECT count(*) FROM orders WHERE id > 0"), "1");
    assert_eq!(base.psql("SELECT to_regclass('events_2026_11')"), "events_2026_11");
    assert_eq!(base.psql("SELECT to_regnamespace('tickid')"), "");
    // The functions of the tables exist, for all schemes.
    let base = Base::new(server, &KINDS);
    let named = page.split('`').filter_map(|code| code.strip_prefix("tickid.")?.split('(').next());
    let is_name =
        |name: &String| name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
    let names: BTreeSet<String> = named
        .flat_map(|name| KINDS.map(|kind| name.replace('…', kind.function())))
        .filter(is_name)
        .collect();
    assert!(names.len() >= 17 + 6 * 5, "{names:?}");
    for name in names {
        let count = base.psql(&format!(
            "SELECT count(*) FROM pg_proc
             WHERE pronamespace = 'tickid'::regnamespace AND proname = '{name}'"
        ));
        assert_ne!(count, "0", "{name}");
    }
}
