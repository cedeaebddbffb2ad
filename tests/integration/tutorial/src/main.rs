//! Takes orders over HTTP and keeps them in PostgreSQL, under Nanoflakes: the program of
//! `docs/tutorial.md`.
//!
//! `orders setup` prepares a new database; `orders` serves.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use tickid::lease::admin::{Refusal, Start};
use tickid::lease::{GenerateError, LeasedGenerator, Realm, Store};
use tickid::nanoflake::{Epoch, Nanoflake, NanoflakeId, RangeError};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

type Failure = Box<dyn core::error::Error + Send + Sync>;

/// IDs do not say their epoch, so it never changes.
const SCHEME: Nanoflake = Nanoflake { epoch: Epoch::TWITTER };

struct App {
    orders: PgPool,
    ids: LeasedGenerator<Nanoflake>,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let url = std::env::var("DATABASE_URL").map_err(|_| "DATABASE_URL is not set")?;
    let orders = PgPool::connect(&url).await?;
    let store = tickid::stores::open(&url)?;
    let realm = Realm::builder("tutorial", SCHEME).pool("0-1023/10").build()?;
    if std::env::args().nth(1).as_deref() == Some("setup") {
        return set_up(&orders, &store, &realm).await;
    }

    let ids = LeasedGenerator::start_async(store, realm).await?;
    let app = Arc::new(App { orders, ids });
    let routes = Router::new()
        .route("/orders", post(place).get(list))
        .route("/orders/{id}", get(one))
        .route("/readyz", get(ready))
        .with_state(Arc::clone(&app));

    let address = std::env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:3000".to_owned());
    let listener = TcpListener::bind(address).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    println!("listening on http://{}", listener.local_addr()?);
    let stop = async move {
        terminate.recv().await;
    };
    axum::serve(listener, routes).with_graceful_shutdown(stop).await?;
    app.ids.shut_down_async().await?;
    Ok(())
}

/// Prepares a database that has no orders yet.
async fn set_up(orders: &PgPool, store: &Store, realm: &Realm<Nanoflake>) -> Result<(), Failure> {
    let table = "CREATE TABLE orders (id BIGINT PRIMARY KEY, item TEXT NOT NULL)";
    sqlx::query(table).execute(orders).await?;
    // The table is new, so no ID was ever issued for it: the realm need not wait.
    let created = store.create(realm.spec(), Start::Immediately).await?;
    // Unless it exists already, since the service was started too early. Then it waits.
    if let Some(not_yet @ Refusal::NotYet { from, now, .. }) = &created.not_yet {
        println!("the realm was there before: {not_yet}");
        let wait = from.saturating_since(*now);
        if wait > Duration::from_secs(60) {
            return Err("that is more than a minute: run the service then".into());
        }
        tokio::time::sleep(wait).await;
    }
    Ok(())
}

#[derive(Deserialize)]
struct NewOrder {
    item: String,
}

#[derive(Serialize)]
struct Order {
    id: NanoflakeId,
    placed: Timestamp,
    item: String,
}

impl Order {
    fn new(id: NanoflakeId, item: String) -> Result<Self, Rejection> {
        Ok(Self { id, placed: SCHEME.time_as(id)?, item })
    }
}

async fn place(
    State(app): State<Arc<App>>,
    Json(new): Json<NewOrder>,
) -> Result<(StatusCode, Json<Order>), Rejection> {
    let id = app.ids.generate_async(tokio::time::sleep).await?;
    let insert = sqlx::query("INSERT INTO orders (id, item) VALUES ($1, $2)");
    insert.bind(id).bind(&new.item).execute(&app.orders).await?;
    Ok((StatusCode::CREATED, Json(Order::new(id, new.item)?)))
}

async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<NanoflakeId>,
) -> Result<Json<Order>, Rejection> {
    let select = sqlx::query_scalar("SELECT item FROM orders WHERE id = $1");
    let item: Option<String> = select.bind(id).fetch_optional(&app.orders).await?;
    let item = item.ok_or_else(|| Rejection::new(StatusCode::NOT_FOUND, "no such order"))?;
    Ok(Json(Order::new(id, item)?))
}

/// An answer other than success.
struct Rejection {
    status: StatusCode,
    message: String,
    /// In seconds.
    retry_after: Option<u64>,
}

impl Rejection {
    fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), retry_after: None }
    }
}

impl From<GenerateError> for Rejection {
    fn from(error: GenerateError) -> Self {
        let retry_after = error.retry_after().map(|wait| wait.as_secs() + 1);
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self { status, message: error.to_string(), retry_after }
    }
}

impl From<sqlx::Error> for Rejection {
    fn from(error: sqlx::Error) -> Self {
        eprintln!("{error}");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the database failed")
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let retry_after =
            self.retry_after.map(|seconds| [(header::RETRY_AFTER, seconds.to_string())]);
        (self.status, retry_after, self.message).into_response()
    }
}

async fn ready(State(app): State<Arc<App>>) -> Result<&'static str, Rejection> {
    let state = app.ids.state();
    let quarter = state.lease.map(|lease| lease.terms.term / 4);
    if quarter.is_none_or(|quarter| state.window_left < quarter) {
        let trouble = state.trouble.map_or_else(String::new, |error| error.to_string());
        return Err(Rejection::new(StatusCode::SERVICE_UNAVAILABLE, trouble));
    }
    Ok("ready\n")
}

#[derive(Deserialize)]
struct Period {
    since: Timestamp,
    until: Timestamp,
}

async fn list(
    State(app): State<Arc<App>>,
    Query(period): Query<Period>,
) -> Result<Json<Vec<Order>>, Rejection> {
    let Some(keys) = SCHEME.range(period.since..period.until) else {
        return Ok(Json(Vec::new()));
    };
    let (min, max) = keys.into_inner();
    let select = "SELECT id, item FROM orders WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT 1000";
    let rows: Vec<(NanoflakeId, String)> =
        sqlx::query_as(select).bind(min).bind(max).fetch_all(&app.orders).await?;
    let orders = rows.into_iter().map(|(id, item)| Order::new(id, item));
    Ok(Json(orders.collect::<Result<_, _>>()?))
}

impl From<RangeError> for Rejection {
    fn from(error: RangeError) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error.to_string())
    }
}

impl From<jiff::Error> for Rejection {
    fn from(error: jiff::Error) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error.to_string())
    }
}
