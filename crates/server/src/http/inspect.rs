//! `GET /v1/inspect/{id}`.

use axum::Json;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{StatusCode, Uri};
use serde::Serialize;
use tickid_convert::{AnyId, Candidate, Layouts, Plausibility, detect};
use tickid_core::{Clock as _, SystemClock};
use utoipa::ToSchema;

use super::ids::parameters;
use super::problem::Problem;

/// The longest text that is looked at; no ID has as many characters.
const LONGEST: usize = 128;

/// The formats that a text fits.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Inspection {
    /// The text.
    text: String,
    /// The formats, the likeliest first; none for a text that is no known ID.
    candidates: Vec<Fit>,
}

/// A format that a text fits.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Fit {
    /// The name of the format.
    #[schema(examples("sno"))]
    format: String,
    /// The features of the text that match the format.
    reason: &'static str,
    /// The plausibility of the time: likely, unlikely, never-issued or unknown.
    plausibility: &'static str,
    /// The time at which the ID would have been made, with default layouts.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    /// The same in milliseconds since 1970, as a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    unix_ms: Option<String>,
    /// The bytes in hexadecimal, for IDs of the four schemes.
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

/// Find out what an ID may be
///
/// Most texts fit several formats. Epochs and drifts are taken to be the defaults.
#[utoipa::path(
    get,
    path = "/v1/inspect/{id}",
    params(("id" = String, Path, description = "The ID", max_length = 128)),
    responses(
        (status = 200, description = "The formats that the text fits", body = Inspection),
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
) -> Result<Json<Inspection>, Problem> {
    let bad = |text: String| Problem::new(StatusCode::BAD_REQUEST, text);
    parameters(&uri, &[])?;
    let Path(text) = text.map_err(|error| bad(error.body_text()))?;
    let len = text.chars().count();
    if len > LONGEST {
        return Err(bad(format!("the text has {len} characters, more than {LONGEST}")));
    }
    let found = detect(text.as_bytes(), &Layouts::default(), SystemClock.now().ok());
    let candidates = found.iter().map(Fit::new).collect();
    Ok(Json(Inspection { text, candidates }))
}

impl Fit {
    fn new(candidate: &Candidate) -> Self {
        let reading = candidate.reading();
        Self {
            format: reading.to_string(),
            reason: candidate.reason(),
            plausibility: match candidate.plausibility() {
                Plausibility::Likely => "likely",
                Plausibility::Unlikely => "unlikely",
                Plausibility::NeverIssued => "never-issued",
                _ => "unknown",
            },
            time: candidate.time().map(|time| time.to_string()),
            unix_ms: candidate.time().map(|time| time.as_millis().to_string()),
            hex: reading.id().map(hex),
        }
    }
}

fn hex(id: AnyId) -> String {
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    match id {
        AnyId::Scru64(id) => digits(&id.to_be_bytes()),
        AnyId::Nanoflake(id) => digits(&id.to_be_bytes()),
        AnyId::KuidLocal(id) => digits(&id.to_be_bytes()),
        AnyId::KuidGlobal(id) => digits(&id.to_bytes()),
        AnyId::Sno(id) => digits(&id.to_bytes()),
        _ => String::new(),
    }
}
