//! The routes, what all of them do, and their description.

use core::sync::atomic::Ordering;
use core::time::Duration;
use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, Version, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use tokio::time::Instant;

use super::accept::preferred;
use super::link::{ClientProgress, ConnectionKind, Link};
use super::problem::Problem;
use super::{HEADERS, host, ids, observe, prometheus};
use crate::access::{Client, WRONG_TOKENS};
use crate::metrics::Protocol;
use crate::realm::NotReady;
use crate::shared::{ServerState, request_id};

/// The description of the API.
const DESCRIPTION: &str = include_str!("../../openapi.json");

type Routes = [(&'static str, &'static str, MethodRouter<Arc<ServerState>>); 7];

/// The handlers by path and method.
fn routes() -> Routes {
    [
        ("/v1/realms", "get", get(ids::realms)),
        ("/v1/realms/{realm}/ids", "get", get(ids::ids)),
        ("/v1/realms/{realm}/observe", "post", post(observe::observe)),
        ("/healthz", "get", get(health)),
        ("/readyz", "get", get(ready)),
        ("/metrics", "get", get(metrics_text)),
        ("/openapi.json", "get", get(description)),
    ]
}

/// Returns all routes.
pub(super) fn router(shared: &Arc<ServerState>) -> Router {
    let add = |router: Router<Arc<ServerState>>, (path, _, handler)| router.route(path, handler);
    routes()
        .into_iter()
        .fold(Router::new(), add)
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn_with_state(Arc::clone(shared), attend))
        .with_state(Arc::clone(shared))
}

async fn description() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], DESCRIPTION)
}

/// Reports that the process runs.
async fn health() -> &'static str {
    "ok\n"
}

/// Reports whether all realms can issue IDs, for a quarter of their term at least.
async fn ready(State(shared): State<Arc<ServerState>>) -> Result<&'static str, Problem> {
    let refuse = |detail: String| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).with_retry(Duration::from_secs(1))
    };
    if shared.stopping.is_cancelled() {
        return Err(refuse("the server is stopping".to_owned()));
    }
    for realm in shared.realms.all() {
        realm.check_ready().map_err(|NotReady { text, wait }| {
            refuse(format!("the realm {}: {text}", realm.name())).with_reason(wait)
        })?;
    }
    Ok("ready\n")
}

/// Returns the metrics.
async fn metrics_text(
    State(shared): State<Arc<ServerState>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    const OPEN: &str = "application/openmetrics-text";
    let text = prometheus::encode(&shared.metrics, &shared.realms)
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    let (kind, text) = if preferred(&headers, &["text/plain", OPEN]) == OPEN {
        ("application/openmetrics-text; version=1.0.0; charset=utf-8", text)
    } else {
        ("text/plain; version=0.0.4; charset=utf-8", prometheus::plain(&text))
    };
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

async fn no_route(uri: Uri) -> Problem {
    let path: String = uri.path().chars().take(128).collect();
    Problem::new(StatusCode::NOT_FOUND, format!("no such path: {path:?}"))
}

async fn no_method(method: Method) -> Problem {
    let text = format!("the method {method} is not allowed");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, text)
}

/// Reports whether a path is for orchestrators, which ask for it also when the server is full.
fn is_probe(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz")
}

/// Reports whether a path needs no token.
fn is_public(path: &str) -> bool {
    is_probe(path) || path == "/openapi.json"
}

/// Checks what every request must have, before it is known who sent it.
fn check(request: &Request, shared: &ServerState, link: &Link) -> Result<(), Problem> {
    // The connection comes first. One beyond the limit is open only so that an orchestrator does
    // not take a full server for a dead one and restart it.
    if link.kind == ConnectionKind::ProbesOnly && !is_probe(request.uri().path()) {
        let most = shared.limits.connections;
        let text = format!("there are {most} connections, the most that are permitted");
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, text)
            .with_limit("connections")
            .with_retry(Duration::from_secs(1)));
    }
    if link.is_barred() {
        // Only HTTP/2 gets here, because over HTTP/1 the answer to the last wrong token closes the
        // connection. A proxy may send requests of many clients over it, whose tokens may be valid,
        // so the status is not 401, and the text names a limit of the connection.
        let text = format!("{WRONG_TOKENS} tokens were wrong, the most on one connection");
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, text)
            .with_limit("wrong tokens")
            .with_retry(Duration::from_secs(1)));
    }
    // A request that names its host or its token twice is read differently by a proxy and by the
    // server, so a proxy could let through what it means to refuse. The server does not guess which
    // one is meant.
    host::check(request)
        .map_err(|reason| Problem::new(StatusCode::BAD_REQUEST, reason.to_string()))?;
    let headers = request.headers();
    let tokens = headers.get_all(header::AUTHORIZATION).iter().count();
    if tokens > 1 {
        let text = format!("the request has {tokens} Authorization headers, more than 1");
        return Err(Problem::new(StatusCode::BAD_REQUEST, text));
    }
    // hyper has limits of its own, which bound its memory, but each version of HTTP counts
    // differently there, and the answer is a bare status. The documented limits are these, which
    // are the same in both.
    let longest = shared.limits.request_bytes.min(HEADERS) as usize;
    // The 4 bytes are `: ` and the line break, which each header has in HTTP/1.
    let lines = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    let len = request.uri().path_and_query().map_or(0, |it| it.as_str().len());
    for (what, status, len) in [
        ("path", StatusCode::URI_TOO_LONG, len),
        ("head", StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, len + lines.sum::<usize>()),
    ] {
        if len > longest {
            let text = format!("the {what} of the request has {len} bytes, more than {longest}");
            return Err(Problem::new(status, text));
        }
    }
    // No route reads a body, so only its declared length is checked. That of a chunked body is
    // unknown here and counts as 0.
    let (len, most) = (request.body().size_hint().lower(), shared.limits.request_bytes);
    if len > most.into() {
        let text = format!("the body of the request has {len} bytes, more than {most}");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text).with_limit("request bytes"));
    }
    Ok(())
}

/// Returns the client that sent a request, if its token is known or none is needed.
fn client(request: &Request, shared: &ServerState, link: &Link) -> Option<Arc<Client>> {
    if let Some(anyone) = shared.access.anyone() {
        return Some(Arc::clone(anyone));
    }
    let client = shared.access.client(bearer(request)?);
    if client.is_none() {
        link.count_wrong_token();
        if let Some(suppressed) = shared.warnings.token.admit("") {
            tracing::warn!(peer = %link.peer, suppressed, "a client has no valid token");
        }
    }
    client
}

/// Admits a request, numbers it, and records its outcome.
async fn attend(
    State(shared): State<Arc<ServerState>>,
    Extension(link): Extension<Arc<Link>>,
    mut request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let id = request_id();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let version = request.version();
    link.advance(ClientProgress::Asking);
    // A malformed request proves nothing about its client, so the token is looked up afterwards.
    let checked = check(&request, &shared, &link);
    let client = checked.map(|()| client(&request, &shared, &link));
    let mut name = None;
    let mut response = match client {
        Err(problem) => problem.into_response(),
        Ok(Some(client)) => {
            link.advance(ClientProgress::Known);
            name = Some(client.name().to_owned());
            request.extensions_mut().insert(client);
            next.run(request).await
        }
        Ok(None) if is_public(&path) => next.run(request).await,
        Ok(None) => {
            let text = "the request needs a known token, as in Authorization: Bearer TOKEN";
            Problem::new(StatusCode::UNAUTHORIZED, text).into_response()
        }
    };
    // HTTP/1 ends after an answer that says so; HTTP/2 has no such header.
    let headers = response.headers_mut();
    let is_last = link.kind == ConnectionKind::ProbesOnly || link.is_barred();
    if is_last && version != Version::HTTP_2 {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    // A cache that answered a second request would issue an ID twice.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert("x-request-id", id);
    }
    // The time until the answer's head; a streamed body takes longer.
    let latency = start.elapsed();
    let metrics = shared.metrics.of(Protocol::Http);
    metrics.latency.record(latency, 1);
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
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_route_is_described() {
        let description: serde_json::Value = serde_json::from_str(DESCRIPTION).unwrap();
        let described = description["paths"].as_object().unwrap();
        let operations: BTreeSet<(&str, &str)> = described
            .iter()
            .flat_map(|(path, methods)| {
                methods.as_object().unwrap().keys().map(|method| (path.as_str(), method.as_str()))
            })
            .collect();
        let routes = routes().into_iter().map(|(path, method, _)| (path, method));
        assert_eq!(operations, routes.collect());
        assert_eq!(description["info"]["version"], env!("CARGO_PKG_VERSION"));
    }
}
