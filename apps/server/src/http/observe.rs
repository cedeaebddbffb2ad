//! `POST /v1/realms/{realm}/observe`.

use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};

use super::ids::{bad, parameters, realm_of};
use super::problem::Problem;
use crate::access::Client;
use crate::realm::FormUse;
use crate::shared::ServerState;

/// Makes all later IDs of this server greater than one from elsewhere.
pub(super) async fn observe(
    State(shared): State<Arc<ServerState>>,
    Extension(client): Extension<Arc<Client>>,
    realm: Result<Path<String>, PathRejection>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let forbidden = |text| Err(Problem::new(StatusCode::FORBIDDEN, text));
    if !client.may_observe() {
        return forbidden("the token has no right to observe");
    }
    // Any web page can have a browser on this machine send such a request, for example to
    // `127.0.0.1:6480`, but without a token. Browsers name the page in `Origin` with every POST,
    // and a server without tokens has no other way to tell.
    if !shared.access.is_closed() && headers.contains_key(header::ORIGIN) {
        return forbidden("a web page may observe with a token only");
    }
    let realm = realm_of(&shared, realm)?;
    let [id, form] = parameters(&uri, &["id", "as"])?;
    let id = id.ok_or_else(|| bad("the query parameter \"id\" is missing".to_owned()))?;
    let form = realm.form(form.as_ref().map(String::as_bytes), FormUse::Observe)?;
    // The rate comes after all that can be malformed, so that only what reaches the generator
    // counts.
    shared.access.admit(&client, 1)?;
    realm.observe(id.as_bytes(), form)?;
    Ok(StatusCode::NO_CONTENT)
}
