//! The process-wide generator and random nodes.

use std::collections::BTreeSet;
use std::thread;

use tickid_kuid::wide::WideNode;
use tickid_kuid::{Drift, GlobalId, Node, generator, new, new_local};

#[test]
fn threads_share_the_generator() {
    let node = generator().unwrap().node();
    let threads: Vec<_> = (0..4)
        .map(|_| thread::spawn(|| (0..1_000).map(|_| new().unwrap()).collect::<Vec<GlobalId>>()))
        .collect();
    let mut all = BTreeSet::new();
    for ids in threads.into_iter().map(|thread| thread.join().unwrap()) {
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.node(Drift::DEFAULT) == node));
        all.extend(ids);
    }
    assert_eq!(all.len(), 4_000);
    assert_eq!(generator().unwrap().node(), node);
}

#[test]
fn both_kinds_share_the_sequence() {
    let global = new().unwrap().to_local(Drift::DEFAULT);
    let local = new_local().unwrap();
    assert!(global < local && local < new().unwrap().to_local(Drift::DEFAULT));
}

#[test]
fn random_nodes_use_all_their_bits() {
    // The chance that some bit is the same in 64 random nodes is 96 in 2^63.
    let (mut ones, mut zeros) = (0, 0);
    let (mut wide_ones, mut wide_zeros) = (0, 0);
    for _ in 0..64 {
        let (node, wide) = (Node::random().unwrap().get(), WideNode::random().unwrap().get());
        (ones, zeros) = (ones | node, zeros | !node);
        (wide_ones, wide_zeros) = (wide_ones | wide, wide_zeros | !wide);
    }
    assert_eq!((ones, zeros), (u32::MAX, u32::MAX));
    assert_eq!((wide_ones, wide_zeros), (u64::MAX, u64::MAX));
}
