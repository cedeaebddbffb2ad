//! Every asynchronous method in spawned tasks, whose futures must be `Send` and own what they use.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::future::pending;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use tickid_core::{ManualClock, Scheme, SequenceBounds, UnixTime, Variant};
use tickid_kuid::{Kuid, Local, Node};
use tickid_lease::admin::{Refusal, Start};
use tickid_lease::session::{Claim, Token};
use tickid_lease::{LeasedGenerator, Realm, RealmSpec, Store, StoreError};
use tickid_nanoflake::{GeneratorId, Nanoflake};
use tickid_scru64::Scru64;
use tickid_sno::{Meta, Partition, Sno};
use tokio::time::sleep;

fn run<F: Future>(future: F) -> F::Output {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_time().build().unwrap().block_on(future)
}

/// Returns a realm of the scheme with the nodes of `pool`.
fn realm<S: Scheme>(scheme: S, pool: &str) -> Realm<S> {
    Realm::builder("orders", scheme).pool(pool).build().unwrap()
}

fn claim(holder: &str) -> Claim {
    Claim::new(Token::random().unwrap(), holder, None)
}

async fn leased_generator() -> LeasedGenerator<Sno> {
    let realm = realm(Sno, "0-65535/16");
    LeasedGenerator::start_async(Store::in_memory(), realm).await.unwrap()
}

/// Draws IDs in several tasks at the same time, by the default variant and by `variant`.
async fn in_tasks<S, F>(generator: tickid_core::Generator<S>, variant: F)
where
    S: Scheme<Variant: Send + Sync>,
    F: Variant<S> + Send + 'static,
    <S::Variant as Variant<S>>::Id: fmt::Debug + Send + 'static,
    F::Id: fmt::Debug + Send + 'static,
{
    let generator = Arc::new(generator);
    let tasks = [(); 4].map(|()| {
        let generator = Arc::clone(&generator);
        tokio::spawn(async move {
            let id = generator.generate_async(sleep).await.unwrap();
            let other = generator.with(variant).generate_async(sleep).await.unwrap();
            [format!("{id:?}"), format!("{other:?}")]
        })
    });
    let mut distinct = HashSet::new();
    for task in tasks {
        distinct.extend(task.await.unwrap());
    }
    assert_eq!(distinct.len(), 8, "{}", S::NAME);
}

#[test]
fn tasks_share_generators() {
    run(async {
        in_tasks::<Scru64, _>(
            tickid_scru64::Generator::new("42/8".parse().unwrap()).unwrap(),
            tickid_core::Plain,
        )
        .await;
        in_tasks::<Nanoflake, _>(
            tickid_nanoflake::Generator::new(GeneratorId::MIN).unwrap(),
            tickid_core::Plain,
        )
        .await;
        in_tasks::<Kuid, _>(tickid_kuid::Generator::new(Node::new(1)).unwrap(), Local).await;
        in_tasks::<Sno, _>(tickid_sno::Generator::new(Partition::new(1)).unwrap(), Meta(1)).await;
    });
}

#[test]
fn tasks_own_local_generators() {
    run(async {
        // Four sequences in 4 ms, so that most calls wait.
        let builder = || {
            let builder = tickid_sno::Generator::builder(Partition::new(1));
            builder.bounds(SequenceBounds::new(0, 3))
        };
        let mut local = builder().build_local().unwrap();
        let shared = Arc::new(builder().build().unwrap());
        let of_local = tokio::spawn(async move {
            let mut ids = Vec::new();
            for _ in 0..6 {
                ids.push(local.generate_async(sleep).await.unwrap());
                ids.push(local.with(Meta(0)).generate_async(sleep).await.unwrap());
            }
            ids
        });
        let of_handle = tokio::spawn(async move {
            let mut handle = shared.handle();
            let mut ids = Vec::new();
            for _ in 0..6 {
                ids.push(handle.generate_async(sleep).await.unwrap());
                ids.push(handle.with(Meta(0)).generate_async(sleep).await.unwrap());
            }
            ids
        });
        for ids in [of_local.await.unwrap(), of_handle.await.unwrap()] {
            assert_eq!(ids.len(), 12);
            assert!(ids.is_sorted_by(|one, next| one < next), "{ids:?}");
        }
    });
}

#[test]
fn waiting_tasks_are_unique() {
    run(async {
        // Four sequences in 4 ms, so that most calls wait.
        let builder = tickid_sno::Generator::builder(Partition::new(1));
        let generator = builder.bounds(SequenceBounds::new(0, 3)).build().unwrap();
        let generator = Arc::new(generator);
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let generator = Arc::clone(&generator);
                tokio::spawn(async move {
                    let mut ids = Vec::new();
                    for _ in 0..5 {
                        ids.push(generator.generate_async(sleep).await.unwrap());
                    }
                    ids
                })
            })
            .collect();
        let mut distinct = HashSet::new();
        for task in tasks {
            let ids = task.await.unwrap();
            assert!(ids.is_sorted());
            distinct.extend(ids);
        }
        assert_eq!(distinct.len(), 40);
    });
}

/// Polls a future once, which must be pending, and drops it.
fn abandon<F: Future>(future: F) {
    let mut context = Context::from_waker(Waker::noop());
    assert!(pin!(future).poll(&mut context).is_pending());
}

#[test]
fn dropped_futures_draw_nothing() {
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
    let builder = tickid_sno::Generator::builder(Partition::new(1)).clock(Arc::clone(&clock));
    let generator = builder.bounds(SequenceBounds::new(0, 3)).build().unwrap();
    let tick = |generator: &tickid_sno::Generator<_>| {
        let ids: Vec<_> = (0..4).map(|_| generator.try_generate().unwrap()).collect();
        assert!(generator.try_generate().is_err(), "the tick is exhausted");
        ids.iter().map(|id| id.sequence()).collect::<Vec<_>>()
    };
    assert_eq!(tick(&generator), [0, 1, 2, 3]);
    for _ in 0..10 {
        abandon(generator.generate_async(|_| pending()));
        abandon(generator.with(Meta(1)).generate_async(|_| pending()));
    }
    clock.advance(Duration::from_millis(4));
    assert_eq!(tick(&generator), [0, 1, 2, 3]);
}

#[test]
fn sleeps_need_not_be_send() {
    let sleeps = Rc::new(Cell::new(0));
    let sleep = |pause| {
        let sleeps = Rc::clone(&sleeps);
        async move {
            sleep(pause).await;
            sleeps.set(sleeps.get() + 1);
        }
    };
    run(async {
        let builder = tickid_sno::Generator::builder(Partition::new(1));
        let generator = builder.bounds(SequenceBounds::new(0, 3)).build().unwrap();
        let leased = leased_generator().await;
        for _ in 0..12 {
            generator.generate_async(sleep).await.unwrap();
            leased.generate_async(sleep).await.unwrap();
        }
    });
    assert!(sleeps.get() > 0);
}

#[test]
fn tasks_share_a_leased_generator() {
    run(async {
        let leased = Arc::new(tokio::spawn(leased_generator()).await.unwrap());
        let tasks = [1, 2, 3].map(|meta| {
            let leased = Arc::clone(&leased);
            tokio::spawn(async move {
                let first = leased.generate_async(sleep).await.unwrap();
                let second = leased.with(Meta(meta)).generate_async(sleep).await.unwrap();
                assert_eq!((first.meta(), second.meta()), (0, meta));
                [first, second]
            })
        });
        let mut distinct = HashSet::new();
        for task in tasks {
            distinct.extend(task.await.unwrap());
        }
        assert_eq!(distinct.len(), 6);
        tokio::spawn(async move { leased.shut_down_async().await }).await.unwrap().unwrap();
    });
}

/// Awaits every method of a store.
async fn await_every_method(store: &Store, realm: &RealmSpec) -> Result<(), StoreError> {
    store.create(realm, Start::Immediately).await?;
    let lease = store.acquire(realm, &mut claim("a caller")).await?;
    let renewed = store.renew(realm, &lease).await?;
    assert!(renewed.ceiling >= lease.ceiling);
    assert!(!store.realms().await?.is_empty());
    assert_eq!(store.realm(realm.name()).await?.realm.name(), realm.name());
    assert!(!store.list(realm.name()).await?.rows.is_empty());
    store.release(realm, &renewed, None).await?;
    let error = store.repair(realm.name(), lease.node).await.unwrap_err();
    assert!(matches!(error.refusal(), Some(Refusal::NotQuarantined { .. })), "{error}");
    assert_eq!(store.repair_all(realm.name()).await?, []);
    store.reconfigure(realm).await?;
    store.invalidate(realm).await.map(drop)
}

#[test]
fn tasks_await_local_stores() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file://{}/leases", folder.path().display());
    let stores: [(Store, &str); 3] = [
        (Store::in_memory(), "0-255/8"),
        (tickid_stores::open(&url).unwrap(), "0-255/8"),
        (tickid_stores::open("static:42/8").unwrap(), "42/8"),
    ];
    run(async {
        for (store, pool) in stores {
            let backend = store.backend();
            let realm = realm(Scru64, pool);
            let task = tokio::spawn(async move { await_every_method(&store, realm.spec()).await });
            task.await.unwrap().unwrap_or_else(|error| panic!("{backend}: {error}"));
        }
    });
}
