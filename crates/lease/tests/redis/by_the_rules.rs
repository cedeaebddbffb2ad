//! What the scripts decide is what the rules say, in any state of a realm.

use tickid_core::{TickScale, UnixTime};
use tickid_lease::{
    Claim, Grant, Hold, Listing, Node, Realm, RedisStore, Row, Rules, Store, StoreError, Terms,
    Token, block_on,
};
use tickid_testkit::Dice;
use tickid_testkit::servers::{Redis, Server as _, Test};

use crate::servers::{ask, scripts_run, store};

pub(crate) const TESTS: [Test<Redis>; 1] =
    [("scripts_decide_by_the_rules", scripts_decide_by_the_rules)];

const ROUNDS: u64 = 150;
const OPERATIONS: u64 = 6;

fn scripts_decide_by_the_rules(_: &Redis) {
    // Of its own, since scripts are counted.
    let server = Redis::start().unwrap();
    let store = store(&server);
    let (mut granted, mut refused) = (0, 0);
    for seed in 0..ROUNDS {
        let mut dice = Dice::new(seed);
        let realm = realm(&mut dice);
        answer(store.acquire(&realm, &claim(&mut dice, None))).unwrap();
        // A realm of IDs without a node keeps its pool.
        if realm.variants() == tickid_core::Variants::WithNode && dice.below(2) == 0 {
            // Nodes that leave and come back: eras.
            for pool in ["0/1,128-200/8", "0-3/3,4-7/3"] {
                answer(store.reshape(&with_pool(&realm, pool))).unwrap();
            }
            answer(store.reshape(&realm)).unwrap();
        }
        for _ in 0..OPERATIONS {
            let before = answer(store.list(realm.name())).unwrap();
            scatter_rows(&server, &before, &mut dice);
            if check_one(&server, &store, &realm, &mut dice, seed) {
                granted += 1;
            } else {
                refused += 1;
            }
        }
    }
    // Neither is the exception.
    assert!(granted > ROUNDS && refused > ROUNDS / 2, "{granted} granted, {refused} refused");
}

fn answer<T>(answer: tickid_lease::Answer<'_, T>) -> Result<T, StoreError> {
    block_on(answer, core::time::Duration::from_secs(60)).unwrap()
}

fn realm(dice: &mut Dice) -> Realm {
    let scales = [
        TickScale::every(UnixTime::EPOCH, 256_000),
        TickScale::every(UnixTime::from_micros(1_262_304_000_000_000), 4_000),
        TickScale::every(UnixTime::from_micros(-86_400_000_123), 1_000),
        TickScale::anew_every(UnixTime::EPOCH, 1_000_000, 1_024),
    ];
    let pools = ["0/0", "0-7/3", "0/1,2/2,24-31/5", "9223372036854775800-9223372036854775807/63"];
    let name = format!("rules-{}", Token::random().unwrap()).parse().unwrap();
    let scale = scales[index(dice, scales.len())];
    let pool = pools[index(dice, pools.len())].parse().unwrap();
    let example = tickid_nanoflake::Nanoflake::default();
    let single = Realm::new("a".parse().unwrap(), &example, "0/10".parse().unwrap());
    let terms: Terms = single.unwrap().terms();
    Realm::from_parts(name, "any".to_owned(), "some layout".to_owned(), scale, 1 << 45, pool, terms)
}

fn with_pool(realm: &Realm, pool: &str) -> Realm {
    let (name, scheme) = (realm.name().clone(), realm.scheme().to_owned());
    let pool = pool.parse().unwrap();
    let layout = realm.layout().to_owned();
    Realm::from_parts(name, scheme, layout, realm.scale(), realm.end(), pool, realm.terms())
}

fn index(dice: &mut Dice, len: usize) -> usize {
    usize::try_from(dice.below(u64::try_from(len).unwrap())).unwrap()
}

/// A claim under one of a few tokens, so that some are repeated.
fn claim(dice: &mut Dice, now: Option<u64>) -> Claim {
    Claim::new(Token::from_bits(dice.below(12).into()), "a holder", now)
}

/// Some rows, as they may be in the store: of nodes of the pool and of prefixes and extensions of them;
/// free, held, expired and wild; of this era and earlier ones.
fn scatter_rows(server: &Redis, listing: &Listing, dice: &mut Dice) {
    let realm = &listing.record.realm;
    let now = realm.tick_at(listing.now).unwrap();
    let nodes: Vec<Node> = realm.pool().nodes().collect();
    let key = format!("tickid:{{{}}}:rows", realm.name());
    for _ in 0..dice.below(8) {
        let node = nodes[index(dice, nodes.len())];
        let digits: String = (0..node.bits())
            .rev()
            .map(|bit| if node.value() >> bit & 1 == 1 { '1' } else { '0' })
            .collect();
        let name = match dice.below(4) {
            0 => digits[..index(dice, digits.len() + 1)].to_owned(),
            1 if digits.len() < 63 => format!("{digits}{}", dice.below(2)),
            _ => digits,
        };
        let token = match dice.below(3) {
            0 => "-".to_owned(),
            _ => Token::from_bits(dice.below(12).into()).to_string(),
        };
        let era = dice.below(listing.record.era + 1);
        let ahead = realm.max_ahead();
        // Mostly long past or in reach, seldom too far; never within what a test takes.
        let ceiling = match dice.below(8) {
            0..4 => now - ahead - dice.below(ahead),
            4..7 => now + ahead / 2 + dice.below(ahead / 2),
            _ => now + 3 * ahead,
        };
        let floor = ceiling - dice.below(ahead);
        let row = format!("1 {token} {era} {floor} {ceiling} someone");
        let _: u32 = ask(server, &["HSET", &key, &name, &row]);
    }
}

/// One operation, and whether it was granted.
fn check_one(
    server: &Redis,
    store: &RedisStore,
    realm: &Realm,
    dice: &mut Dice,
    seed: u64,
) -> bool {
    let before = answer(store.list(realm.name())).unwrap();
    let rows: Vec<&Row> = before.rows.values().map(|entry| &entry.row).collect();
    let tick = realm.tick_at(before.now).unwrap();
    let scripts = scripts_run(server);
    let (result, asked): (Result<Grant, StoreError>, Asked) = if dice.below(2) == 0 {
        let now = [None, Some(tick), Some(tick - 3 * realm.max_ahead())][index(dice, 3)];
        let claim = claim(dice, now);
        (answer(store.acquire(realm, &claim)), Asked::Acquire(claim))
    } else {
        let row = rows[index(dice, rows.len())];
        let token = row.token.unwrap_or(Token::from_bits(dice.below(12).into()));
        let floor = row.floor + u64::from(dice.below(8) == 0);
        let hold = Hold { node: row.node, token, floor };
        (answer(store.renew(realm.name(), &hold)), Asked::Renew(hold))
    };
    let scripts = scripts_run(server) - scripts;
    let after = answer(store.list(realm.name())).unwrap();
    let at = result.as_ref().map_or(after.now, |grant| grant.now);
    let rules = Rules::new(&before.record, at).unwrap();
    let expected = match &asked {
        Asked::Acquire(claim) => rules.acquire(realm, &before.rows, claim),
        Asked::Renew(hold) => rules.renew(&before.rows, hold),
    };
    let context = format!("seed {seed}: {asked:?} in {before:?}");
    let mut rows: Vec<Row> = rows.into_iter().cloned().collect();
    match (&result, expected) {
        (Ok(grant), Ok(row)) => {
            assert_eq!(Grant::of(&row, grant.now), Some(*grant), "{context}");
            assert_eq!(scripts, 1, "{context}");
            rows.retain(|other| other.node != row.node);
            rows.push(row);
            rows.sort_by_key(|row| row.node);
        }
        (Err(error), Err(refusal)) => assert_eq!(error.refusal(), Some(&refusal), "{context}"),
        (result, expected) => panic!("{result:?} instead of {expected:?}; {context}"),
    }
    let kept: Vec<Row> = after.rows.into_values().map(|entry| entry.row).collect();
    assert_eq!(kept, rows, "{context}");
    assert_eq!(after.record, before.record, "{context}");
    result.is_ok()
}

#[derive(Debug)]
enum Asked {
    Acquire(Claim),
    Renew(Hold),
}
