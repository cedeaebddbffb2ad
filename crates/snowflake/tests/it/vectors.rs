//! Every entry of `tests/vectors/snowflake`, which records IDs of the original programs.

use tickid_snowflake::{AnySnowflake, Preset, SnowflakeId};
use tickid_testkit::vectors::{Value, array, field, has_fields, list, load, string};

/// The presets that have an original program, and the number of its IDs.
const RECORDED: [(&str, usize); 9] = [
    ("baidu", 60),
    ("discord", 61),
    ("instagram", 56),
    ("pgedge", 62),
    ("sonyflake", 62),
    ("sonyflake-v2", 55),
    ("tsid", 65),
    ("twitter", 64),
    ("unix-epoch", 53),
];

#[test]
fn originals_issue_the_same_ids() {
    for (name, count) in RECORDED {
        let file = load(&format!("snowflake/{name}.json"));
        has_fields(&file, &["program", "layout", "columns", "ids"]);
        assert!(string(&file, "program").contains(char::is_numeric), "{name} has no version");
        let mut columns = vec!["id", "unix_ms", "node", "sequence"];
        columns.extend((name == "tsid").then_some("crockford"));
        assert_eq!(*field(&file, "columns"), Value::from(columns), "{name}");
        let rows = list(&file, "ids", count);
        let layout: AnySnowflake = string(&file, "layout").parse().unwrap();
        assert_eq!(Preset::named(name).unwrap().layout(), layout);
        compare(layout, rows);
    }
}

fn compare(layout: AnySnowflake, rows: &[Value]) {
    for row in rows {
        let [id, unix_ms, node, sequence, rest @ ..] = array(row) else { panic!("{row}") };
        let id: SnowflakeId = id.as_str().unwrap().parse().unwrap();
        assert_eq!(layout.check(id), Ok(()), "{row}");
        let time = layout.unix_time(id);
        assert_eq!(Some(time.as_millis()), unix_ms.as_i64(), "{row}");
        assert_eq!(Some(layout.node_of(id).get().into()), node.as_u64(), "{row}");
        assert_eq!(Some(layout.sequence_of(id).into()), sequence.as_u64(), "{row}");
        let node = layout.node_of(id).get();
        let parts = layout.from_parts(layout.timestamp_of(id), node, layout.sequence_of(id));
        assert_eq!(parts, Ok(id), "{row}");
        if let [text] = rest {
            assert_eq!(Some(id.encode_crockford().as_str()), text.as_str(), "{row}");
            let text = text.as_str().unwrap();
            assert_eq!(SnowflakeId::parse_crockford(text.as_bytes()), Ok(id), "{row}");
        }
    }
}
