//! The routes, what all of them do, and their description.

use core::sync::atomic::Ordering;
use core::time::Duration;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tokio::time::Instant;
use utoipa::OpenApi as _;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{OpenApi, RefOr, Schema};

use super::problem::Problem;
use super::{ids, inspect, prometheus};
use crate::metrics::Protocol;
use crate::shared::{Shared, request_id};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "tickid",
        description = "Time-ordered identifiers",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/")),
    paths(ids::realms, ids::ids, inspect::inspect, health, ready, metrics_text)
)]
struct Description;

/// Returns all routes.
pub(super) fn router(shared: &Arc<Shared>) -> Router {
    let api = describe(Description::openapi(), shared).to_json().unwrap_or_default();
    let api = get(|| async { ([(header::CONTENT_TYPE, "application/json")], api) });
    Router::new()
        .route("/v1/realms", get(ids::realms))
        .route("/v1/realms/{realm}/ids", get(ids::ids))
        .route("/v1/inspect/{id}", get(inspect::inspect))
        .route("/healthz", get(health))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics_text))
        .route("/openapi.json", api)
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn_with_state(Arc::clone(shared), attend))
        .with_state(Arc::clone(shared))
}

/// Adds what depends on the server's options.
fn describe(mut api: OpenApi, shared: &Shared) -> OpenApi {
    let token = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    api.components.get_or_insert_default().add_security_scheme("token", token);
    let paths = api.paths.paths.values_mut().filter_map(|path| path.get.as_mut());
    let parameters = paths.filter_map(|get| get.parameters.as_mut()).flatten();
    for parameter in parameters {
        let Some(RefOr::T(Schema::Object(object))) = &mut parameter.schema else { continue };
        match &*parameter.name {
            "count" => object.maximum = Some(utoipa::Number::from(shared.limits.count as usize)),
            "realm" => {
                let names = shared.realms.iter();
                object.enum_values = Some(names.map(|it| it.name().as_str().into()).collect());
            }
            _ => {}
        }
    }
    api
}

/// Report that the process runs
#[utoipa::path(
    get,
    path = "/healthz",
    responses((status = 200, description = "It runs", body = String, content_type = "text/plain"))
)]
async fn health() -> &'static str {
    "ok\n"
}

/// Report whether all realms can issue IDs, for a quarter of their term at least
#[utoipa::path(
    get,
    path = "/readyz",
    responses(
        (status = 200, description = "They can", body = String, content_type = "text/plain"),
        (status = 503, description = "One cannot, or the server stops",
            body = Problem, content_type = "application/problem+json"),
    )
)]
async fn ready(State(shared): State<Arc<Shared>>) -> Result<&'static str, Problem> {
    let refuse = |detail: String| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).with_retry(Duration::from_secs(1))
    };
    if shared.stopping.is_cancelled() {
        return Err(refuse("the server is stopping".to_owned()));
    }
    for realm in shared.realms.iter() {
        realm.check_ready().map_err(|why| refuse(format!("the realm {}: {why}", realm.name())))?;
    }
    Ok("ready\n")
}

/// Return the metrics, for Prometheus
#[utoipa::path(
    get,
    path = "/metrics",
    responses(
        (status = 200, description = "The metrics", body = String,
            content_type = "application/openmetrics-text"),
        (status = 401, description = "The token is missing or unknown",
            body = Problem, content_type = "application/problem+json"),
    ),
    security((), ("token" = []))
)]
async fn metrics_text(State(shared): State<Arc<Shared>>) -> Result<Response, Problem> {
    const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let text = prometheus::encode(&shared.metrics, &shared.realms)
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, KIND)], text).into_response())
}

async fn no_route(uri: Uri) -> Problem {
    let path: String = uri.path().chars().take(128).collect();
    Problem::new(StatusCode::NOT_FOUND, format!("there is nothing at {path:?}"))
}

async fn no_method(method: Method) -> Problem {
    let text = format!("there are GET and HEAD, not {method}");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, text)
}

/// Reports whether a path needs no token: those that orchestrators ask, and the description.
fn is_public(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/openapi.json")
}

/// Admits a request, numbers it, and records its outcome.
async fn attend(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    let start = Instant::now();
    let id = request_id();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let client = match shared.access.anyone() {
        Some(anyone) => Some(Arc::clone(anyone)),
        None => bearer(&request).and_then(|token| shared.access.client(token)),
    };
    let name = client.as_ref().map(|client| client.name().to_owned());
    let mut response = match client {
        Some(client) => {
            request.extensions_mut().insert(client);
            next.run(request).await
        }
        None if is_public(&path) => next.run(request).await,
        None => {
            let text = "the request needs a known token, as in Authorization: Bearer TOKEN";
            Problem::new(StatusCode::UNAUTHORIZED, text).into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert("x-request-id", id);
    }
    let latency = start.elapsed();
    let metrics = shared.metrics.of(Protocol::Http);
    metrics.latency.observe(latency, 1);
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        metrics.failed.fetch_add(1, Ordering::Relaxed);
    }
    let status = status.as_u16();
    tracing::debug!(request = id, %method, path, status, client = name, ?latency, "answered");
    response
}

/// Returns the token of a request.
fn bearer(request: &Request) -> Option<&[u8]> {
    let value = request.headers().get(header::AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
}
