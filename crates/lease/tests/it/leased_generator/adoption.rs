//! A generator that adopts takes the nodes and the terms that the store has, however late they
//! change, and every other difference of its realm is refused.

use std::collections::VecDeque;
use std::sync::Mutex;

use super::*;

/// That which happens to a store right before it is read.
#[derive(Clone, Copy, Debug)]
enum Happening {
    Nothing,
    /// The realm gets other nodes.
    Nodes(&'static str),
    /// The request gets no answer.
    Outage,
}

type Events = Arc<Mutex<VecDeque<Happening>>>;

fn of_pool(pool: &str) -> Realm<Nanoflake> {
    Realm::builder("a", Nanoflake::default()).pool(pool).build().unwrap()
}

/// Returns a generator of the nodes 0 to 1023 from a store with one of these events before each
/// read, in this order, and the events that are left. Each claim and each adoption reads once.
fn builder(
    events: &[Happening],
) -> (LeasedGeneratorBuilder<Nanoflake, ProcessClock<Clock>>, Events) {
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
    let memory = MemoryBackend::new(Arc::clone(&clock));
    let events = Arc::new(Mutex::new(VecDeque::from_iter(events.iter().copied())));
    let left = Arc::clone(&events);
    let read = move |memory: &Memory, realm: &_, scope| {
        let event = events.lock().unwrap().pop_front();
        match event.unwrap_or(Happening::Nothing) {
            Happening::Nothing => {}
            Happening::Nodes(pool) => {
                let store = Store::new(memory.clone());
                block_on(store.reconfigure(of_pool(pool).spec()), PATIENCE)?;
            }
            Happening::Outage => return Err(Altered::error(StoreErrorKind::Unreachable)),
        }
        memory.data(realm, scope)
    };
    let store = Store::new(Altered { read: Box::new(read), ..Altered::new(memory) });
    let builder = LeasedGenerator::builder(store, of_pool("0-1023/10"));
    (builder.clock(clock).answer_within(PATIENCE).adopt(), left)
}

/// Starts such a generator, and returns its node and the number of events that are left.
fn start(events: &[Happening]) -> (Result<String, String>, usize) {
    let (builder, left) = builder(events);
    let started = builder.start();
    let left = left.lock().unwrap().len();
    let node = started.map(|leased| leased.state().lease.unwrap().node.to_string());
    (node.map_err(|error| error.to_string()), left)
}

#[test]
fn nodes_of_the_store_are_adopted() {
    use Happening::{Nodes, Nothing};
    assert_eq!(start(&[Nodes("7/10")]), (Ok("7/10".to_owned()), 0), "before the claim");
    let late = [Nodes("7/10"), Nodes("8/10")];
    assert_eq!(start(&late), (Ok("8/10".to_owned()), 0), "between claim and adoption");
    let same = [Nodes("0-1023/10"), Nothing];
    assert!(start(&same).0.is_ok());
}

#[test]
fn a_start_adopts_once() {
    use Happening::{Nodes, Nothing};
    let pools = ["1/10", "2/10", "3/10"].map(Nodes);
    // The claim is refused, 2/10 adopted, that claim refused, and the last node adopted for later.
    let (started, left) = start(&[pools[0], pools[1], pools[2], Nothing]);
    let error = started.unwrap_err();
    assert!(error.contains("nodes do not match: it has \"3/10\", the request \"2/10\""), "{error}");
    assert_eq!(left, 0);
}

/// A realm that changes again and again is met by a later claim, unlike another kind of realm.
#[test]
fn calls_wait_for_what_was_adopted() {
    use Happening::{Nodes, Nothing};
    let (builder, _) = builder(&[Nodes("1/10"), Nodes("2/10"), Nodes("3/10"), Nothing]);
    let leased = builder.start_pending().unwrap();
    assert!(matches!(leased.first_lease(), Err(LeaseError::Adopted(_))));
    assert_eq!(leased.state().wait.unwrap().reason, WaitReason::Acquiring);
    assert_eq!(leased.state().counters.failures.of(WaitReason::Acquiring), 1);

    let world = Fixture::new("7/10");
    drop(world.start());
    let discord = Nanoflake { epoch: tickid_nanoflake::Epoch::DISCORD };
    let others = Realm::builder("a", discord).pool("7/10").build().unwrap();
    let builder = LeasedGenerator::builder(world.store(), others).answer_within(PATIENCE);
    let leased = builder.adopt().start_pending().unwrap();
    leased.first_lease().unwrap_err();
    assert_eq!(leased.state().wait.unwrap().reason, WaitReason::Refused);
}

#[test]
fn an_adoption_may_fail() {
    use Happening::{Nodes, Nothing, Outage};
    let (started, _) = start(&[Nodes("7/10"), Outage]);
    assert_eq!(started.unwrap_err(), "altered store: no answer");
    let (started, _) = start(&[Nodes("7/10"), Nothing, Outage]);
    assert_eq!(started.unwrap_err(), "altered store: no answer", "of the second claim");
}

/// The nodes of a running generator are taken out of the pool.
#[test]
fn a_lost_node_is_followed_by_another() {
    let world = Fixture::new("7/10");
    let leased = world.builder().adopt().start().unwrap();
    let terms = world.realm.terms();
    let other = Realm::builder("a", Nanoflake::default()).pool("8/10").skew(terms.skew);
    let other = other.term(terms.term).build().unwrap();
    block_on(world.store().reconfigure(other.spec()), PATIENCE).unwrap();
    let id = until(|| leased.try_generate().ok().filter(|id| id.generator().get() == 8));
    assert!(leased.generate().unwrap() > id);
    assert_eq!(leased.state().counters.losses, 1);
}

#[test]
fn other_settings_are_not_adopted() {
    let world = Fixture::new("7/10");
    drop(world.start());
    let discord = Nanoflake { epoch: tickid_nanoflake::Epoch::DISCORD };
    let others = Realm::builder("a", discord).pool("7/10").build().unwrap();
    let builder = LeasedGenerator::builder(world.store(), others).answer_within(PATIENCE);
    let error = builder.adopt().start().unwrap_err();
    assert!(error.to_string().contains("settings do not match"), "{error}");
}

#[test]
fn generators_have_the_realms_policy() {
    let mut world = Fixture::new("7/10");
    let ratchet = Policy::Ratchet { allowance: Ticks::new(500) };
    for (policy, back, issues) in
        [(ratchet, 500, true), (ratchet, 501, false), (Policy::Wait, 1, false)]
    {
        let terms = world.realm.terms();
        let realm = Realm::builder("a", Nanoflake::default()).pool("7/10").policy(policy);
        world.realm = realm.skew(terms.skew).term(terms.term).build().unwrap();
        block_on(world.store().reconfigure(world.realm.spec()), PATIENCE).unwrap();
        let leased = world.start();
        let first = leased.generate().unwrap();
        let back = Duration::from_millis(back);
        world.clock.set(world.clock.now().unwrap().checked_sub(back).unwrap());
        assert_eq!(leased.try_generate().is_ok_and(|id| id > first), issues, "{policy} {back:?}");
        drop(leased);
        world.clock.advance(HOUR);
    }
}
