//! `GET /v1/inspect/{id}`.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tickid_convert::Layouts;
use tickid_core::{Clock as _, SystemClock};
use tickid_detect::{Inspection, detect};
use utoipa::ToSchema;

use super::ids::parameters;
use super::problem::Problem;

/// The longest text that is looked at; no ID has as many characters.
const LONGEST: usize = 128;

/// The readings of a text.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Inspections)]
pub(super) struct Inspections<'a> {
    /// The text.
    text: &'a str,
    /// The readings, likeliest first; none for a text that fits no known format.
    #[schema(value_type = Vec<Reading>)]
    readings: Vec<Inspection<'a>>,
}

/// A text as an ID of one format. Its fields are further members.
#[derive(ToSchema)]
#[allow(dead_code, reason = "the description of an inspection, which serializes itself")]
pub(super) struct Reading {
    /// The format.
    #[schema(examples("sno"))]
    scheme: String,
    /// The canonical text.
    text: String,
    /// The bytes in hexadecimal.
    hex: String,
    /// The time at which the ID would have been made, with default layouts, in milliseconds since
    /// 1970.
    unix_ms: Option<i64>,
    /// The same in RFC 3339.
    time: Option<String>,
    /// The ID as an integer, if it has up to 64 bits.
    int: Option<String>,
    /// How sure it is that the text is an ID of the format: certain, likely or possible.
    confidence: String,
    /// The features of the text that match the format.
    reason: String,
    /// The reason why the reading is no more than possible.
    doubt: Option<String>,
}

/// Find out what an ID may be
///
/// Most texts fit several formats. Epochs and drifts are taken to be the defaults.
#[utoipa::path(
    get,
    path = "/v1/inspect/{id}",
    params(("id" = String, Path, description = "The ID", max_length = 128)),
    responses(
        (status = 200, description = "The readings of the text", body = Inspections<'_>),
        (status = 400, description = "The text is too long, or a parameter is unknown",
            body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "The token is missing or unknown",
            body = Problem, content_type = "application/problem+json"),
    ),
    security((), ("token" = []))
)]
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
    let found = detect(text.as_bytes(), &Layouts::default(), SystemClock.now().ok());
    let layouts = Layouts::default();
    let readings = found.iter().map(|one| Inspection::of(one, &text, &layouts)).collect();
    let body = serde_json::to_vec(&Inspections { text: &text, readings })
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}
