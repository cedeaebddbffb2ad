//! Shorthands for the errors of the backends.

use core::error::Error;

use tickid_lease::StoreError;
use tickid_lease::backend::StoreErrorKind;

/// The source of an error, from a client or from the system.
pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// Creates the error of a request that failed.
pub(crate) fn failed(backend: &'static str, what: impl Into<String>) -> StoreError {
    StoreError::failed(backend, what)
}

/// Creates the error of a server that takes no requests yet.
#[cfg(any(feature = "mysql", feature = "postgres", feature = "redis"))]
pub(crate) fn not_ready(backend: &'static str, what: impl Into<String>) -> StoreError {
    StoreError::new(backend, StoreErrorKind::NotReady { what: what.into() })
}

/// Creates the error of a request without an answer.
pub(crate) fn unreachable(backend: &'static str, source: impl Into<BoxError>) -> StoreError {
    StoreError::new(backend, StoreErrorKind::Unreachable).with_source(source)
}

/// Creates the error of data that cannot be read.
pub(crate) fn corrupt(backend: &'static str, what: impl Into<String>) -> StoreError {
    StoreError::new(backend, StoreErrorKind::Corrupt { what: what.into() })
}

/// Creates the error of a URL that names no store.
pub(crate) fn url(backend: &'static str, why: impl Into<String>) -> StoreError {
    StoreError::new(backend, StoreErrorKind::Url { why: why.into() })
}
