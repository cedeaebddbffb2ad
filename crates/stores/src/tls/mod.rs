//! Certificates of encrypted connections, named by libpq's options, in the same way for all
//! servers.

#![cfg_attr(
    not(all(feature = "etcd", feature = "mysql", feature = "postgres", feature = "redis")),
    allow(dead_code, reason = "each server's client takes another part")
)]

pub(crate) mod certificates;

use crate::error::BoxError;

/// The configuration of encrypted connections.
pub(crate) type Encryption = std::sync::Arc<rustls::ClientConfig>;

/// Returns the configuration with the files that a URL names, if it requests encryption.
pub(crate) fn encryption(files: Option<&Files>) -> Result<Option<Encryption>, BoxError> {
    files.map(|files| files.client_config().map(Into::into)).transpose()
}

/// The files that a URL names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files {
    /// `sslrootcert`: certificates to trust instead of the system's.
    roots: Option<String>,
    /// `sslcert`: the client's own, with those between it and an authority.
    certificate: Option<String>,
    /// `sslkey`: the key to it.
    key: Option<String>,
}

/// Decodes the escaped symbols of a URL.
pub(crate) fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// A server that closed a connection before its first answer.
#[derive(Debug, thiserror::Error)]
#[error("it hung up before it answered, as servers do that take encrypted connections only: {0}")]
pub(crate) struct HungUp(pub(crate) BoxError);

/// Reports whether the other side closed the connection.
pub(crate) fn is_hung_up(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};

    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

impl Files {
    /// Takes an option of a URL if it is one of these, and returns whether it is.
    pub(crate) fn take(&mut self, name: &str, value: &str) -> bool {
        let file = match name {
            "sslrootcert" => &mut self.roots,
            "sslcert" => &mut self.certificate,
            "sslkey" => &mut self.key,
            _ => return false,
        };
        *file = Some(decoded(value));
        true
    }

    /// Reports whether none is named.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
