//! `GET /v1/realms` and `GET /v1/realms/{realm}/ids`.

use core::sync::atomic::Ordering;
use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use serde::Serialize;
use tokio::time::Instant;

use super::accept::preferred;
use super::problem::Problem;
use crate::access::Client;
use crate::metrics::Protocol;
use crate::realm::{Framing, IdItem, IdOptions, IdRequest, RequestError, RunningRealm, shown};
use crate::shared::ServerState;

/// The number of IDs in one part of an answer. An answer with more is streamed.
const PART: u32 = 1_024;

/// A realm.
#[derive(Debug, Serialize)]
pub(super) struct RealmInfo {
    /// The name.
    name: String,
    /// The name of the scheme.
    scheme: &'static str,
    /// The number of bytes of an ID.
    id_bytes: usize,
    /// Set if IDs have a form as an integer of 64 bits.
    has_integers: bool,
    /// Set if requests may name a metabyte.
    has_meta: bool,
    /// Set if IDs can be issued.
    is_ready: bool,
}

/// The realms.
#[derive(Debug, Serialize)]
pub(super) struct RealmList {
    realms: Vec<RealmInfo>,
}

/// Lists the realms whose scheme is known, which the others are not before they run.
pub(super) async fn realms(
    State(shared): State<Arc<ServerState>>,
    uri: Uri,
) -> Result<Json<RealmList>, Problem> {
    parameters(&uri, &[])?;
    let info = |realm: &Arc<RunningRealm>| RealmInfo {
        name: realm.name().to_string(),
        scheme: realm.scheme(),
        id_bytes: realm.id_size(),
        has_integers: realm.is_integer(),
        has_meta: realm.has_meta(),
        is_ready: realm.check_ready().is_ok(),
    };
    Ok(Json(RealmList { realms: shared.realms.iter().map(info).collect() }))
}

/// Issues IDs as JSON, unless the request prefers text/plain, which has an ID on each line and
/// nothing else.
pub(super) async fn ids(
    State(shared): State<Arc<ServerState>>,
    Extension(client): Extension<Arc<Client>>,
    realm: Result<Path<String>, PathRejection>,
    uri: Uri,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let realm = realm_of(&shared, realm)?;
    let [count, form, meta] = parameters(&uri, &["count", "as", "meta"])?;
    let framing = match preferred(&headers, &["application/json", "text/plain"]) {
        "text/plain" => Framing::Lines,
        _ => Framing::Json,
    };
    let [count, form, meta] = [&count, &form, &meta].map(|it| it.as_ref().map(String::as_bytes));
    let options = IdOptions { count, form, meta };
    let request = IdRequest::parse(options, realm, shared.limits.count, framing)?;
    let kind = match (IdItem::from(request.form), framing) {
        (IdItem::Bytes, Framing::Json | Framing::Lines | Framing::Resp) => {
            "application/octet-stream"
        }
        (IdItem::Text | IdItem::Integer, Framing::Json | Framing::Resp) => "application/json",
        (IdItem::Text | IdItem::Integer, Framing::Lines) => "text/plain; charset=utf-8",
    };
    let body = if method == Method::HEAD {
        // Issues nothing. The length is left out: it depends on the IDs.
        Body::from_stream(futures_util::stream::empty::<io::Result<Bytes>>())
    } else {
        // The rate counts what is issued, so refused requests above cost nothing.
        shared.access.admit(&client, request.count)?;
        IdBody { shared: Arc::clone(&shared), realm: Arc::clone(realm), request }.body().await?
    };
    let mut response = body.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}

/// Returns the realm in the path of a request.
pub(super) fn realm_of(
    shared: &ServerState,
    realm: Result<Path<String>, PathRejection>,
) -> Result<&Arc<RunningRealm>, Problem> {
    let Path(name) = realm.map_err(|error| bad(error.body_text()))?;
    let no_realm = || {
        let text = format!("no such realm {}", shown(&name));
        Problem::new(StatusCode::NOT_FOUND, text)
    };
    Ok(shared.realms.get(name.as_bytes()).ok_or_else(no_realm)??)
}

pub(super) fn bad(text: String) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, text)
}

/// Returns the values of the parameters of a request that has only these.
pub(super) fn parameters<const N: usize>(
    uri: &Uri,
    names: &[&str; N],
) -> Result<[Option<String>; N], Problem> {
    let query = Query::<Vec<(String, String)>>::try_from_uri(uri);
    let Query(pairs) = query.map_err(|error| bad(error.body_text()))?;
    let mut values = [const { None }; N];
    // Unknown names are refused, because `?cout=100` would quietly return one ID, and so are
    // repeated ones, because a proxy may count the first value and the server take the last.
    for (name, value) in pairs {
        let Some(index) = names.iter().position(|known| *known == name) else {
            let known = if N == 0 { "none".to_owned() } else { names.join(", ") };
            let name = shown(&name);
            return Err(bad(format!("unknown query parameter {name}; there are: {known}")));
        };
        if values[index].replace(value).is_some() {
            return Err(bad(format!("the query parameter {} is repeated", shown(&name))));
        }
    }
    Ok(values)
}

/// The rest of an answer.
struct IdBody {
    shared: Arc<ServerState>,
    realm: Arc<RunningRealm>,
    /// The IDs that are missing.
    request: IdRequest,
}

impl IdBody {
    /// Issues the first part, and returns the body, which is whole or a stream.
    async fn body(mut self) -> Result<Body, RequestError> {
        let mut first = Vec::new();
        if self.is_json() {
            let (realm, scheme) = (self.realm.name(), self.realm.scheme());
            let head = format!(r#"{{"realm":"{realm}","scheme":"{scheme}","ids":["#);
            first.extend_from_slice(head.as_bytes());
        }
        self.part(true, &mut first).await?;
        Ok(if self.request.count == 0 { Body::from(first) } else { self.stream(first) })
    }

    fn is_json(&self) -> bool {
        match (self.request.form.into(), self.request.framing) {
            (IdItem::Text | IdItem::Integer, Framing::Json) => true,
            (IdItem::Bytes, _)
            | (IdItem::Text | IdItem::Integer, Framing::Lines | Framing::Resp) => false,
        }
    }

    /// Appends the next part. Only the first waits for its turn, because the client decides when
    /// the stream of the others is polled.
    async fn part(&mut self, is_first: bool, out: &mut Vec<u8>) -> Result<(), RequestError> {
        let part = IdRequest { count: self.request.count.min(PART), ..self.request };
        let deadline = Instant::now() + self.shared.limits.timeout;
        if is_first {
            self.realm.issue_in_turn(part, Protocol::Http, deadline, out).await?;
        } else {
            self.realm.issue(part, Protocol::Http, deadline, out).await?;
        }
        self.request.count -= part.count;
        if self.is_json() && self.request.count == 0 {
            // In the place of the comma after the last ID.
            out.pop();
            out.extend_from_slice(b"]}");
        }
        Ok(())
    }

    /// Returns a body that issues IDs as they are sent. If they cannot be, it breaks off, which
    /// clients notice in either version of HTTP.
    fn stream(self, first: Vec<u8>) -> Body {
        let parts =
            futures_util::stream::unfold((self, Some(first)), |(mut answer, first)| async {
                // The first part exists before the status is sent, so whatever prevents it is an
                // answer like 503 and not a broken one.
                if let Some(first) = first {
                    return Some((Ok(Bytes::from(first)), (answer, None)));
                }
                if answer.request.count == 0 {
                    return None;
                }
                // Let other tasks have their turn, since a client that reads is never waited for.
                tokio::task::yield_now().await;
                let mut out = Vec::new();
                match answer.part(false, &mut out).await {
                    Ok(()) => Some((Ok(Bytes::from(out)), (answer, None))),
                    // The status has been sent, so an error can only break the answer off. Without
                    // IDs left to issue, the next poll ends the stream instead of trying again.
                    Err(error) => {
                        answer.request.count = 0;
                        let metrics = answer.shared.metrics.of(Protocol::Http);
                        metrics.failed.fetch_add(1, Ordering::Relaxed);
                        let error: io::Error = io::Error::other(error.to_string());
                        Some((Err(error), (answer, None)))
                    }
                }
            });
        Body::from_stream(parts)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, StreamExt as _};
    use tickid_lease::{Realm, Store};
    use tickid_sno::Sno;

    use super::*;
    use crate::access::Access;
    use crate::limits::Limits;
    use crate::realm::{RealmStart, Realms};

    /// Returns the state of a server, and its realm, whose generator may be stopped.
    async fn realm() -> (Arc<ServerState>, Arc<RunningRealm>) {
        let spec = Realm::builder("orders", Sno).pool("1/16").build().unwrap().into();
        let (store, spec) = (&Store::in_memory(), &spec);
        let start = RealmStart { store, spec, holder: None, adopts: false };
        let realm = RunningRealm::start(start).unwrap();
        realm.check_start().await.unwrap();
        let mut realms = Realms::default();
        realms.add(realm);
        let shared = Arc::new(ServerState::new(realms, Access::new(None, None), Limits::default()));
        let realm = Arc::clone(shared.realms.iter().next().unwrap());
        (shared, realm)
    }

    async fn body(shared: &Arc<ServerState>, realm: &Arc<RunningRealm>, parts: u32) -> Body {
        let count = Some((parts * PART).to_string());
        let options =
            IdOptions { count: count.as_deref().map(str::as_bytes), ..IdOptions::default() };
        let request = IdRequest::parse(options, realm, 10_000, Framing::Lines).unwrap();
        let (shared, realm) = (Arc::clone(shared), Arc::clone(realm));
        IdBody { shared, realm, request }.body().await.unwrap()
    }

    #[tokio::test]
    async fn others_have_their_turns_between_the_parts_of_an_answer() {
        let (shared, realm) = realm().await;
        let mut parts = body(&shared, &realm, 5).await.into_data_stream();
        // The first is there before the status is sent.
        assert!(parts.next().now_or_never().unwrap().is_some());
        for _ in 1..5 {
            let mut next = parts.next();
            assert!((&mut next).now_or_never().is_none(), "no turn for others");
            assert!(next.await.unwrap().is_ok());
        }
        assert!(parts.next().await.is_none());
    }

    #[tokio::test]
    async fn answers_that_break_off_are_counted() {
        let (shared, realm) = realm().await;
        let mut parts = body(&shared, &realm, 3).await.into_data_stream();
        assert!(parts.next().await.unwrap().is_ok());
        realm.release().await.unwrap();
        assert!(parts.next().await.unwrap().is_err());
        assert!(parts.next().await.is_none());
        assert_eq!(shared.metrics.of(Protocol::Http).failed.load(Ordering::Relaxed), 1);
    }
}
