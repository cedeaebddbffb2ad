//! `GET /v1/inspect/{id}`.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tickid_detect::Inspection;

use super::ids::parameters;
use super::problem::Problem;

/// The longest text that is looked at. No ID has as many characters.
const LONGEST: usize = 128;

/// The readings of a text.
#[derive(Serialize)]
struct InspectAnswer<'a> {
    text: &'a str,
    /// The likeliest first. There are none for a text that fits no known format.
    readings: Vec<Inspection<'a>>,
}

/// Finds out what an ID may be. Epochs and drifts are taken to be the defaults.
pub(super) async fn inspect(
    text: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Response, Problem> {
    let bad = |text: String| Problem::new(StatusCode::BAD_REQUEST, text);
    parameters(&uri, &[])?;
    let Path(text) = text.map_err(|error| bad(error.body_text()))?;
    let len = text.chars().count();
    if len > LONGEST {
        return Err(bad(format!("the text has {len} characters, more than {LONGEST}")));
    }
    let found = tickid_detect::inspect(&text);
    let body = serde_json::to_vec(&InspectAnswer { text: &text, readings: found.iter().collect() })
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}
