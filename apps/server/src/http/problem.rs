//! Errors of requests in the form of RFC 9457.

use core::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tickid_lease::session::WaitReason;

use crate::access::RateExceeded;
use crate::realm::RequestError;

/// An error, as RFC 9457 has it.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    /// The status of the answer.
    status: u16,
    /// The meaning of the status.
    title: String,
    /// The reason.
    detail: String,
    /// The name of the limit that was exceeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'static str>,
    /// The label of the reason for which there are no IDs at the moment, as metrics have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip)]
    retry_after: Option<Duration>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status: status.as_u16(),
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            detail: detail.into(),
            limit: None,
            reason: None,
            retry_after: None,
        }
    }

    pub(super) fn with_limit(self, limit: &'static str) -> Self {
        Self { limit: Some(limit), ..self }
    }

    pub(super) fn with_reason(self, reason: Option<WaitReason>) -> Self {
        Self { reason: reason.map(WaitReason::label), ..self }
    }

    pub(super) fn with_retry(self, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..self }
    }
}

impl From<RequestError> for Problem {
    fn from(error: RequestError) -> Self {
        let status = match error {
            RequestError::Later { .. } => StatusCode::SERVICE_UNAVAILABLE,
            RequestError::Count { .. }
            | RequestError::Meta { .. }
            | RequestError::NoForm { .. }
            | RequestError::NoId { .. } => StatusCode::BAD_REQUEST,
            // The request is right for other realms.
            RequestError::NoMeta { .. }
            | RequestError::NoInteger { .. }
            | RequestError::Unobserved { .. } => StatusCode::CONFLICT,
        };
        Self {
            limit: error.limit(),
            retry_after: error.retry_after(),
            ..Self::new(status, error.to_string()).with_reason(error.wait())
        }
    }
}

impl From<RateExceeded> for Problem {
    fn from(error: RateExceeded) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, error.to_string())
            .with_limit("rate")
            .with_retry(error.retry_after)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_string(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(wait) = self.retry_after {
            // The header has whole seconds, and a client that retries too early is refused again.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
