//! Names of nodes and realms in text: SCRU64's node specs, the leases' nodes and pools, sources of
//! nodes.

use tickid_core::AnyNode;
use tickid_lease::NodePool;
use tickid_lease::admin::RealmName;
use tickid_lease::backend::NodeSource;
use tickid_scru64::{NodeSpec, Scru64Id};

use crate::reference::base_36;

pub fn check(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    spec(text);
    node(text);
    pool(text);
    realm(text);
    source(text);
}

fn spec(text: &str) {
    let parsed: Option<NodeSpec> = text.parse().ok();
    assert_eq!(parsed, expected_spec(text), "{text}");
    if let Some(spec) = parsed {
        assert_eq!(spec.to_string().parse(), Ok(spec));
        assert!(spec.node_id() <= spec.node_id_size().max_node_id());
    }
}

/// Returns the spec by the form in the document's usage notes, implemented a second time.
fn expected_spec(text: &str) -> Option<NodeSpec> {
    let (node, size) = text.split_once('/')?;
    let decimal = |text: &str, longest: usize| {
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit());
        if is_decimal && text.len() <= longest { text.parse::<u32>().ok() } else { None }
    };
    let bits = decimal(size, 3).filter(|bits| (1..24).contains(bits))?;
    let size = tickid_scru64::NodeIdSize::new(u8::try_from(bits).ok()?).ok()?;
    if node.len() == 12 {
        let value = u64::try_from(base_36(node.as_bytes())?).ok()?;
        return Some(NodeSpec::with_node_prev(Scru64Id::new(value).ok()?, size));
    }
    let hexadecimal = node.strip_prefix("0x").or_else(|| node.strip_prefix("0X"));
    let node = match hexadecimal {
        Some(digits) => {
            let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && digits.len() <= 6;
            u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?
        }
        None => decimal(node, 8)?,
    };
    NodeSpec::with_node_id(node, size).ok()
}

fn node(text: &str) {
    if let Ok(node) = text.parse::<AnyNode>() {
        assert!(node.bits() <= 63 && node.value() >> node.bits() == 0);
        assert_eq!(node.to_string().parse(), Ok(node));
        assert!(node.is_prefix_related(node));
    }
}

/// Asserts that no two nodes of a pool can make equal IDs, however the pool is written.
fn pool(text: &str) {
    let Ok(pool) = text.parse::<NodePool>() else {
        return;
    };
    assert_eq!(pool.to_string().parse(), Ok(pool.clone()));
    assert!((1..=NodePool::MAX_LEN).contains(&pool.len()) && !pool.is_empty());
    let nodes: Vec<AnyNode> = pool.nodes().take(200).collect();
    assert!(nodes.is_sorted());
    for (index, node) in nodes.iter().enumerate() {
        assert!(pool.contains(*node));
        for other in &nodes[..index] {
            assert!(!node.is_prefix_related(*other), "{node} and {other} of {text}");
        }
    }
    assert_eq!(nodes.len() as u64, pool.len().min(200));
}

fn realm(text: &str) {
    if let Ok(name) = text.parse::<RealmName>() {
        assert_eq!(name.as_str(), text);
        // It becomes a part of paths, keys and SQL.
        assert!(text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_')));
    }
}

fn source(text: &str) {
    if let Ok(NodeSource::Fixed(node)) = text.parse() {
        assert_eq!(text.parse(), Ok(node));
    }
}
