//! Shares of a node's sequences: generators that divide a node, and a subject that has a share.

use std::collections::BTreeMap;

use tickid_core::{
    AnyNode, Error, Lowest, ManualClock, NodeId as _, Policy, Scheme, Snapshot, UnixTime,
};

use crate::reference::{Document, Given};
use crate::subject::{Parts, Subject};

/// A subject whose generators have a share of its node's sequences: the suites hold for it as for
/// the whole node.
#[derive(Clone, Copy, Debug)]
pub struct Share<T> {
    whole: T,
    share: AnyNode,
}

impl<T: Subject> Share<T> {
    /// Returns the subject with the share that `bits` more bits of this value name.
    ///
    /// # Panics
    /// For bits that no node has.
    pub fn new(whole: T, value: u64, bits: u32) -> Self {
        let node = whole.node();
        let share = AnyNode::new(node.value() << bits | value, node.bits() + bits).unwrap();
        Self { whole, share }
    }
}

impl<T: Subject> Subject for Share<T> {
    type Scheme = T::Scheme;
    type Variant = T::Variant;
    type Id = T::Id;

    fn settings(&self) -> T::Scheme {
        self.whole.settings()
    }

    fn node(&self) -> <T::Scheme as Scheme>::Node {
        self.whole.node()
    }

    fn share(&self) -> Option<AnyNode> {
        Some(self.share)
    }

    fn start(&self) -> UnixTime {
        self.whole.start()
    }

    fn forms(&self) -> Vec<T::Variant> {
        self.whole.forms()
    }

    fn blank(&self) -> T::Id {
        self.whole.blank()
    }

    fn parts(&self, id: T::Id) -> Parts {
        self.whole.parts(id)
    }

    fn is_of(&self, id: T::Id, form: T::Variant) -> bool {
        let sequence = self.parts(id).sequence;
        self.whole.is_of(id, form) && self.sequences().check(sequence).is_ok()
    }

    fn increases(&self, id: T::Id, next: T::Id) -> bool {
        self.whole.increases(id, next)
    }
}

/// The document of a whole node is that of its shares: both have a lowest and a last sequence.
#[derive(Clone, Debug)]
pub struct OfShare<D>(D);

impl<T: Subject, D: Document<T>> Document<Share<T>> for OfShare<D> {
    fn new(given: Given) -> Self {
        Self(D::new(given))
    }

    fn given(&mut self) -> &mut Given {
        self.0.given()
    }

    fn next(&mut self, micros: i64, form: T::Variant) -> Option<T::Id> {
        self.0.next(micros, form)
    }

    fn more(&mut self, form: T::Variant) -> Option<T::Id> {
        self.0.more(form)
    }

    fn check_refusal(&mut self, micros: i64, error: &Error) -> Result<(), String> {
        self.0.check_refusal(micros, error)
    }

    fn check_snapshot(&self, snapshot: &Snapshot<T::Scheme>) -> Result<(), String> {
        self.0.check_snapshot(snapshot)
    }
}

/// Divides the subject's node among generators, half to one, a quarter to the next and an eighth to
/// each of two more. In one tick they must issue exactly the IDs that a generator of the whole node
/// issues, and none of them twice.
///
/// # Panics
/// If a check fails.
pub fn divide_a_tick<T: Subject>(subject: &T) {
    let node = subject.node();
    let clock = ManualClock::new(subject.start());
    let ids = |value, bits| {
        let node = AnyNode::new(node.value() << bits | value, node.bits() + bits).unwrap();
        let builder = tickid_core::Builder::seeded_of_any(subject.settings(), node, 0);
        let builder = builder.clock(&clock).policy(Policy::Wait).sequence(Lowest);
        let (generator, form) = (builder.build().unwrap(), subject.forms()[0]);
        let ids = core::iter::from_fn(|| generator.with(form).try_generate().ok());
        ids.map(|id| (subject.parts(id), format!("{id:?}"))).collect::<Vec<_>>()
    };
    let mut divided = BTreeMap::new();
    for (value, bits) in [(0, 1), (2, 2), (6, 3), (7, 3)] {
        for (_, id) in ids(value, bits) {
            let before = divided.insert(id.clone(), (value, bits));
            assert_eq!(before, None, "{id} again, of {value} in {bits} bits");
        }
    }
    let whole: Vec<String> = ids(0, 0).into_iter().map(|(_, id)| id).collect();
    assert!(whole.len() >= 8);
    assert_eq!(divided.len(), whole.len());
    assert!(whole.iter().all(|id| divided.contains_key(id)));
}
