//! Every recorded answer of the Erlang library (`tests/vectors/kuid.json`), and ours where it must
//! differ.

use std::collections::BTreeSet;

use data_encoding::{Encoding, HEXLOWER, Specification};
use tickid_kuid::vector_clock::{self, Difference, Entry};
use tickid_kuid::{Distance, Drift, GlobalId, LocalId, Node, VectorClock};
use tickid_testkit::vectors::{
    self, Value, array, boolean, bytes as hex, list, load, string as text,
};
use tickid_text::ParseErrorKind;

#[test]
fn local_ids_are_as_recorded() {
    let vectors = load("kuid.json");
    for entry in list(&vectors, "local", 152) {
        let parts = Parts::of(entry);
        let id = parts.local();
        let bytes: [u8; 8] = hex(entry, "bytes");
        assert_eq!(id.to_be_bytes(), bytes, "{entry}");
        assert_eq!(LocalId::from_be_bytes(bytes), id, "{entry}");
        assert_eq!(id.get(), u64::from_be_bytes(bytes), "{entry}");
        assert_eq!(Parts::of_local(id), parts, "{entry}");
        assert_text(entry, id.encode().as_str(), id.encode_url().as_str());
        assert_eq!(text(entry, "d64").parse(), Ok(id), "{entry}");
        let url = text(entry, "base64url").as_bytes();
        assert_eq!(LocalId::parse_url(url), Ok(id), "{entry}");
        let unix_ms = number(entry, "unix_ms");
        assert_eq!(id.unix_time().as_millis(), unix_ms, "{entry}");
    }
}

#[test]
fn only_microseconds_are_cut() {
    let vectors = load("kuid.json");
    let mut refused = 0;
    for entry in list(&vectors, "local_lossy", 24) {
        let parts = Parts::of(entry);
        let recorded = LocalId::from_be_bytes(hex(entry, "bytes"));
        assert_eq!(Parts::of_local(recorded), Parts::of(&entry["decoded"]));
        assert_eq!(recorded.encode(), text(entry, "d64"), "{entry}");

        let fields = [
            ("mega-seconds", parts.a, 0xf_ffff),
            ("seconds", parts.b, 0xf_ffff),
            ("microseconds", parts.c, 0xf_ffff),
            ("sequence", parts.seq, 0x3fff),
        ];
        let too_large = fields.into_iter().find(|(_, value, max)| value > max);
        match (parts.try_local(), too_large) {
            (Ok(id), None) => assert_eq!(id, recorded, "{entry}"),
            (Err(error), Some((what, value, max))) => {
                assert_eq!(error.what(), format!("kuid {what}"));
                assert_eq!(error.value(), value.into());
                assert_eq!((error.min(), error.max()), (0, max.into()));
                refused += 1;
            }
            (result, _) => panic!("{result:?} for {entry}"),
        }
    }
    assert_eq!(refused, 12);
}

#[test]
fn documented_example_under_phash() {
    let vectors = load("kuid.json");
    let example = &vectors["readme_example"];
    let (term, documented) = (&example["term"], &example["documented"]);
    let (name, drift) = (text(term, "node_name"), drift(term));
    assert_eq!(name, "uid@127.0.0.1");
    let local = Parts::of(term).local();
    assert_eq!(local, LocalId::from_parts(1539, 625_275, 432_128, 1).unwrap());

    let id = GlobalId::from_local(local, Node::phash(name), drift);
    assert_eq!(id.to_bytes(), hex(documented, "bytes"));
    assert_eq!(id.encode_url(), "AGA5igPrJzJ7aYAB");
    assert_eq!(id.encode_url(), text(documented, "base64"));
    assert_eq!(id.encode_url(), text(documented, "base64url_of_bytes"));
    assert_eq!(id.encode(), text(documented, "d64_of_bytes"));
    let base64 = text(documented, "base64").as_bytes();
    assert_eq!(GlobalId::parse_url(base64), Ok(id));
    let decoded = &documented["decoded"];
    assert_eq!(id.node(drift), node(decoded));
    assert_eq!(Parts::of_local(id.to_local(drift)), Parts::of(decoded));

    let with_phash = &example["with_phash"];
    assert_eq!(with_phash["equals_documented"], true);
    let phash = Node::phash(name).get();
    assert_eq!(number(with_phash, "phash"), i64::from(phash));
    assert_example(with_phash, local, Node::phash(name), drift);
}

#[test]
fn todays_example_under_phash2() {
    let vectors = load("kuid.json");
    let example = &vectors["readme_example"];
    let (term, current) = (&example["term"], &example["current_phash2"]);
    let node = Node::phash2(text(term, "node_name"));
    assert_eq!(number(current, "phash2"), i64::from(node.get()));
    assert_example(current, Parts::of(term).local(), node, drift(term));
}

fn assert_example(entry: &Value, local: LocalId, expected: Node, drift: Drift) {
    let id = GlobalId::from_local(local, expected, drift);
    assert_eq!(node(entry), expected);
    assert_eq!(id.to_bytes(), hex(entry, "bytes"));
    assert_text(entry, id.encode().as_str(), id.encode_url().as_str());
    assert_eq!(text(entry, "d64").parse(), Ok(id));
}

#[test]
fn global_ids_are_as_recorded() {
    let vectors = load("kuid.json");
    let mut drifts = BTreeSet::new();
    for entry in list(&vectors, "global", 150) {
        let drift = drift(entry);
        drifts.insert(drift.get());
        assert_global(entry, drift);
    }
    assert!(drifts.into_iter().eq(5..=10));
}

fn assert_global(entry: &Value, drift: Drift) -> GlobalId {
    let (node, parts) = (node(entry), Parts::of(entry));
    let id = GlobalId::from_local(parts.local(), node, drift);
    let bytes: [u8; 12] = hex(entry, "bytes");
    assert_eq!(id.to_bytes(), bytes, "{entry}");
    assert_eq!(GlobalId::from_bytes(bytes), id, "{entry}");
    assert_eq!(id.node(drift), node, "{entry}");
    assert_eq!(id.to_local(drift), parts.local(), "{entry}");
    assert_eq!(id.to_local_of(node, drift), Ok(parts.local()), "{entry}");
    assert_eq!(i64::from(id.mega_seconds()), parts.a, "{entry}");
    assert_eq!(i64::from(id.seconds(drift)), parts.b, "{entry}");
    assert_eq!(i64::from(id.micro_seconds()), parts.c, "{entry}");
    assert_eq!(i64::from(id.sequence()), parts.seq, "{entry}");
    assert_text(entry, id.encode().as_str(), id.encode_url().as_str());
    assert_eq!(text(entry, "d64").parse(), Ok(id), "{entry}");
    let url = text(entry, "base64url").as_bytes();
    assert_eq!(GlobalId::parse_url(url), Ok(id), "{entry}");
    let unix_ms = number(entry, "unix_ms");
    assert_eq!(id.unix_time(drift).as_millis(), unix_ms, "{entry}");
    id
}

#[test]
fn fingerprints_are_as_recorded() {
    let vectors = load("kuid.json");
    for entry in list(&vectors, "node_hash", 68) {
        let name = text(entry, "name");
        let (phash2, phash) = (Node::phash2(name).get(), Node::phash(name).get());
        assert_eq!(i64::from(phash2), number(entry, "phash2"), "{name:?}");
        assert_eq!(i64::from(phash), number(entry, "phash"), "{name:?}");
    }
}

#[test]
fn distances_are_as_recorded() {
    let vectors = load("kuid.json");
    let mut kinds = [0, 0];
    for entry in list(&vectors, "distance", 63) {
        let (left, right, result) = (&entry["left"], &entry["right"], &entry["result"]);
        let locals = [Parts::of(left).local(), Parts::of(right).local()];
        let expected = Parts::of(result);
        match text(entry, "kind") {
            "local" => {
                let distance = locals[0].distance(locals[1]);
                assert_eq!(Parts::of_distance(distance), expected, "{entry}");
                kinds[0] += 1;
            }
            "global" => {
                for drift in drifts() {
                    let [one, other] = [(left, locals[0]), (right, locals[1])]
                        .map(|(side, local)| GlobalId::from_local(local, node(side), drift));
                    let distance = one.distance(other, drift).unwrap();
                    assert_eq!(Parts::of_distance(distance), expected, "{entry}");
                    assert_eq!(one.node(drift), node(result), "{entry}");
                }
                kinds[1] += 1;
            }
            kind => panic!("{kind}"),
        }
    }
    assert_eq!(kinds, [38, 25]);
}

/// If the library raises an error, ours returns one. With two kinds of IDs it does not compile
/// (see `GlobalId::distance`).
#[test]
fn distances_need_one_node() {
    let vectors = load("kuid.json");
    let mut kinds = Vec::new();
    for entry in list(&vectors, "distance_undefined", 3) {
        assert_eq!(entry["error"], "function_clause");
        let sides = [&entry["left"], &entry["right"]];
        let is_global = sides.map(|side| side.get("node").is_some());
        kinds.push(is_global);
        if is_global == [true, true] {
            let drift = Drift::DEFAULT;
            let nodes = sides.map(node);
            let [one, other] =
                sides.map(|side| GlobalId::from_local(Parts::of(side).local(), node(side), drift));
            let error = one.distance(other, drift).unwrap_err();
            assert_eq!([error.expected(), error.found()], nodes);
            assert_eq!(one.to_local_of(nodes[1], drift).unwrap_err().found(), nodes[0]);
        }
    }
    assert_eq!(kinds, [[true, true], [true, false], [false, true]]);
}

#[test]
fn joins_are_as_recorded() {
    let vectors = load("kuid.json");
    for entry in list(&vectors["vclock"], "join", 56) {
        let (a, b) = (clock(&entry["a"]), clock(&entry["b"]));
        assert_eq!(a.join(&b).entries(), entries(&entry["result"]), "{entry}");
        assert_eq!(a.join(&b), b.join(&a), "{entry}");
    }
}

#[test]
fn descent_is_as_recorded() {
    let vectors = load("kuid.json");
    for entry in list(&vectors["vclock"], "descend", 56) {
        let (a, b) = (clock(&entry["a"]), clock(&entry["b"]));
        assert_eq!(a.descends(&b), boolean(entry, "result"), "{entry}");
        assert_eq!(vector_clock::descends(a.entries(), b.entries()), a >= b);
        assert_eq!(a.descends(&b), a >= b, "{entry}");
    }
}

#[test]
fn peerless_descent_is_as_recorded() {
    let vectors = load("kuid.json");
    for entry in list(&vectors["vclock"], "descend_except_peer", 56) {
        let (a, b) = (clock(&entry["a"]), clock(&entry["b"]));
        let peer = text(entry, "peer");
        assert_eq!(a.descends_except(peer, &b), boolean(entry, "result"), "{entry}");
        let plain = vector_clock::descends_except(peer, a.entries(), b.entries());
        assert_eq!(plain, boolean(entry, "result"), "{entry}");
    }
}

#[test]
fn differences_are_as_recorded() {
    let vectors = load("kuid.json");
    for entry in list(&vectors["vclock"], "diff", 56) {
        let (a, b) = (clock(&entry["a"]), clock(&entry["b"]));
        let found: Vec<_> = a
            .diff(&b)
            .map(|difference| match difference {
                Difference::Missing(Entry { node, id }) => {
                    assert_eq!(a.get(*node), None, "{entry}");
                    (*node, Parts::of_local(id))
                }
                Difference::Behind { node, distance } => {
                    assert!(a.get(*node) < b.get(*node), "{entry}");
                    (*node, Parts::of_distance(distance))
                }
                other => panic!("{other:?}"),
            })
            .collect();
        let expected: Vec<_> = array(&entry["result"])
            .iter()
            .map(|result| (text(result, "node"), Parts::of(result)))
            .collect();
        assert_eq!(found, expected, "{entry}");
        assert_eq!(found.is_empty(), a.descends(&b), "{entry}");
    }
}

/// The library accepts stray low bits in the last character and one character too many. We
/// accept only canonical text.
#[test]
fn only_canonical_text_decodes() {
    let vectors = load("kuid.json");
    let d64 = sortable_base64();
    let (mut taken, mut stray, mut extra) = (0, 0, 0);
    for entry in list(&vectors, "d64_decode", 35) {
        let input = text(entry, "input");
        let is_canonical = entry["canonical"] == input;
        let bytes = entry["bytes"].as_str();
        let bytes_of_hex = |hex: &str| HEXLOWER.decode(hex.as_bytes()).unwrap();
        let canonical = bytes.map(|hex| d64.encode(&bytes_of_hex(hex)));
        assert_eq!(entry["canonical"].as_str(), canonical.as_deref(), "{entry}");
        let (local, global) = (input.parse::<LocalId>(), input.parse::<GlobalId>());
        match bytes.map_or(0, str::len) {
            16 => {
                let recorded = LocalId::from_be_bytes(hex(entry, "bytes"));
                assert_eq!(recorded.encode(), text(entry, "canonical"), "{entry}");
                assert!(boolean(entry, "decodes_to_uid") && global.is_err(), "{entry}");
                assert_eq!(local.is_ok(), is_canonical, "{entry}");
                match local {
                    Ok(id) => assert_eq!(id, recorded, "{entry}"),
                    Err(error) => {
                        let kind = error.kind();
                        assert!(matches!(kind, ParseErrorKind::StrayBits { .. }), "{entry}");
                        stray += 1;
                    }
                }
                taken += i32::from(local.is_ok());
            }
            24 => {
                let recorded = GlobalId::from_bytes(hex(entry, "bytes"));
                assert_eq!(recorded.encode(), text(entry, "canonical"), "{entry}");
                assert!(boolean(entry, "decodes_to_uid") && local.is_err(), "{entry}");
                assert_eq!(global.is_ok(), is_canonical, "{entry}");
                match global {
                    Ok(id) => assert_eq!(id, recorded, "{entry}"),
                    Err(error) => {
                        let kind = error.kind();
                        let length = ParseErrorKind::Length { found: 17, min: 16, max: 16 };
                        assert_eq!(kind, length, "{entry}");
                        extra += 1;
                    }
                }
                taken += i32::from(global.is_ok());
            }
            _ => {
                assert!(!boolean(entry, "decodes_to_uid"), "{entry}");
                assert!(local.is_err() && global.is_err(), "{entry}");
            }
        }
    }
    assert_eq!((taken, stray, extra), (9, 7, 1));
}

#[test]
fn order_is_as_recorded() {
    let vectors = load("kuid.json");
    let sort = &vectors["sort"];
    let drift = drift(sort);
    let ids: Vec<_> =
        list(sort, "ids", 200).iter().map(|entry| assert_global(entry, drift)).collect();
    let sorted = sorted(&ids);
    assert_eq!(indices(sort, "order_by_bytes"), sorted);
    assert_eq!(indices(sort, "order_by_d64"), sorted);
    let texts: Vec<_> = ids.iter().map(|id| id.to_string()).collect();
    assert_eq!(indices(sort, "order_by_d64"), self::sorted(&texts));
}

/// The library's alphabet, implemented independently of ours.
fn sortable_base64() -> Encoding {
    let mut symbols: Vec<u8> = (0..=0x7f).collect();
    symbols.retain(|&byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte));
    let mut specification = Specification::new();
    specification.symbols = String::from_utf8(symbols).unwrap();
    specification.encoding().unwrap()
}

fn sorted<T: Ord>(values: &[T]) -> Vec<usize> {
    let mut order: Vec<_> = (0..values.len()).collect();
    order.sort_by_key(|&index| &values[index]);
    order
}

fn indices(sort: &Value, key: &str) -> Vec<usize> {
    list(sort, key, 200)
        .iter()
        .map(|index| usize::try_from(index.as_u64().unwrap()).unwrap())
        .collect()
}

fn drifts() -> impl Iterator<Item = Drift> {
    (5..=10).map(|bits| Drift::new(bits).unwrap())
}

fn assert_text(entry: &Value, sortable: &str, url: &str) {
    assert_eq!(sortable, text(entry, "d64"), "{entry}");
    assert_eq!(url, text(entry, "base64url"), "{entry}");
}

/// `{A, B, C}` and the sequence, of an ID or of a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Parts {
    a: i64,
    b: i64,
    c: i64,
    seq: i64,
}

impl Parts {
    fn of(entry: &Value) -> Self {
        let [a, b, c, seq] = ["a", "b", "c", "seq"].map(|key| number(entry, key));
        Self { a, b, c, seq }
    }

    fn of_local(id: LocalId) -> Self {
        Self {
            a: id.mega_seconds().into(),
            b: id.seconds().into(),
            c: id.micro_seconds().into(),
            seq: id.sequence().into(),
        }
    }

    fn of_distance(distance: Distance) -> Self {
        Self {
            a: distance.mega_seconds(),
            b: distance.seconds(),
            c: distance.micro_seconds(),
            seq: distance.sequence().into(),
        }
    }

    fn try_local(self) -> Result<LocalId, tickid_kuid::RangeError> {
        let [a, b, c, seq] =
            [self.a, self.b, self.c, self.seq].map(|part| u32::try_from(part).unwrap());
        LocalId::from_parts(a, b, c, seq)
    }

    /// Returns the ID of these parts, which it holds without loss.
    fn local(self) -> LocalId {
        let id = self.try_local().unwrap();
        assert_eq!(Self::of_local(id), self);
        id
    }
}

fn entries(clock: &Value) -> Vec<Entry<&str>> {
    let entry = |entry| Entry { node: text(entry, "node"), id: Parts::of(entry).local() };
    array(clock).iter().map(entry).collect()
}

fn clock(value: &Value) -> VectorClock<&str> {
    let entries = entries(value);
    let clock: VectorClock<_> = entries.iter().copied().collect();
    assert_eq!(clock.entries(), entries);
    clock
}

fn number(entry: &Value, key: &str) -> i64 {
    vectors::number(entry, key)
}

fn node(entry: &Value) -> Node {
    Node::from_be_bytes(hex(entry, "node"))
}

fn drift(entry: &Value) -> Drift {
    Drift::new(vectors::number(entry, "drift")).unwrap()
}
