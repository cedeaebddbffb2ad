//! Every asynchronous method, in spawned tasks and in the handlers of a web server, where futures
//! have to be `Send` and own what they use.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::future::pending;
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::routing::get;
use tickid_core::{ManualClock, Scheme, SequenceBounds, UnixTime, Variant};
use tickid_kuid::{Kuid, Local, Node};
use tickid_lease::admin::{Refusal, Start};
use tickid_lease::session::{Claim, Token};
use tickid_lease::{LeasedGenerator, Realm, RealmSpec, Store, StoreError};
use tickid_nanoflake::{GeneratorId, Nanoflake};
use tickid_scru64::Scru64;
use tickid_sno::{Meta, Partition, Sno};
use tokio::time::sleep;
use tower::ServiceExt as _;

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

#[test]
fn tasks_hold_leases() {
    run(async {
        let task = tokio::spawn(async {
            let store = Store::in_memory();
            let realm = realm(Scru64, "0-255/8");
            let lease = store.acquire(realm.spec(), &mut claim("a task")).await.unwrap();
            let renewed = store.renew(realm.spec(), &lease).await.unwrap();
            assert!(renewed.ceiling >= lease.ceiling);
            store.release(realm.spec(), &renewed, None).await
        });
        task.await.unwrap().unwrap();
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
        (Store::open(&url).unwrap(), "0-255/8"),
        (Store::open("static:42/8").unwrap(), "42/8"),
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

/// The state of a web server.
struct App {
    generator: tickid_sno::Generator,
    leased: LeasedGenerator<Sno>,
    store: Store,
    realm: Realm<Sno>,
    /// Left by the handler that starts one, for the handler that shuts it down.
    started: Mutex<Option<LeasedGenerator<Sno>>>,
}

type Response = Result<String, StatusCode>;

/// Answers with an error's text in the log and with 503 to the client.
fn unavailable(error: impl fmt::Display) -> StatusCode {
    eprintln!("{error}");
    StatusCode::SERVICE_UNAVAILABLE
}

async fn generated(State(app): State<Arc<App>>) -> Response {
    let id = app.generator.generate_async(sleep).await.map_err(unavailable)?;
    let other = app.generator.with(Meta(7)).generate_async(sleep).await.map_err(unavailable)?;
    Ok(format!("{id}\n{other}\n"))
}

async fn local_and_handle(State(app): State<Arc<App>>) -> Response {
    let mut local = tickid_sno::LocalGenerator::new(Partition::new(2)).map_err(unavailable)?;
    let id = local.generate_async(sleep).await.map_err(unavailable)?;
    let mut handle = app.generator.handle();
    let other = handle.with(Meta(7)).generate_async(sleep).await.map_err(unavailable)?;
    Ok(format!("{id}\n{other}\n"))
}

async fn leased(State(app): State<Arc<App>>) -> Response {
    let id = app.leased.generate_async(sleep).await.map_err(unavailable)?;
    let other = app.leased.with(Meta(7)).generate_async(sleep).await.map_err(unavailable)?;
    Ok(format!("{id}\n{other}\n"))
}

async fn start(State(app): State<Arc<App>>) -> Response {
    let started = LeasedGenerator::start_async(app.store.clone(), app.realm.clone()).await;
    let leased = started.map_err(unavailable)?;
    let id = leased.generate_async(sleep).await.map_err(unavailable)?;
    *app.started.lock().unwrap() = Some(leased);
    Ok(format!("{id}\n"))
}

async fn shut_down(State(app): State<Arc<App>>) -> Response {
    let started = app.started.lock().unwrap().take();
    started.ok_or(StatusCode::NOT_FOUND)?.shut_down_async().await.map_err(unavailable)?;
    Ok(String::new())
}

async fn lease(State(app): State<Arc<App>>) -> Response {
    let (store, realm) = (&app.store, app.realm.spec());
    let mut claim = claim("a handler");
    let lease = store.acquire(realm, &mut claim).await.map_err(unavailable)?;
    let lease = store.renew(realm, &lease).await.map_err(unavailable)?;
    store.release(realm, &lease, None).await.map_err(unavailable)?;
    Ok(String::new())
}

async fn store(State(app): State<Arc<App>>) -> Response {
    await_every_method(&app.store, app.realm.spec()).await.map_err(unavailable)?;
    Ok(String::new())
}

#[test]
fn web_handlers_await_stores() {
    run(async {
        let app = Arc::new(App {
            generator: tickid_sno::Generator::new(Partition::new(1)).unwrap(),
            leased: leased_generator().await,
            store: Store::in_memory(),
            realm: realm(Sno, "0-65535/16"),
            started: Mutex::default(),
        });
        let router = Router::new()
            .route("/generated", get(generated))
            .route("/local-and-handle", get(local_and_handle))
            .route("/leased", get(leased))
            .route("/start", get(start))
            .route("/shut-down", get(shut_down))
            .route("/lease", get(lease))
            .route("/store", get(store))
            .with_state(app);
        let mut distinct = HashSet::new();
        for (path, lines) in [
            ("/generated", 2),
            ("/local-and-handle", 2),
            ("/leased", 2),
            ("/start", 1),
            ("/shut-down", 0),
            ("/lease", 0),
            ("/store", 0),
        ] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            let body = to_bytes(response.into_body(), 4096).await.unwrap();
            let body = String::from_utf8(body.to_vec()).unwrap();
            assert_eq!(body.lines().count(), lines, "{path}");
            distinct.extend(body.lines().map(str::to_owned));
        }
        assert_eq!(distinct.len(), 7, "{distinct:?}");
    });
}
