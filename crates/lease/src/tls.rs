//! Certificates of encrypted connections, named by libpq's options: the same for all servers.

#[cfg(any(
    feature = "etcd-tls",
    feature = "mysql-tls",
    feature = "postgres-tls",
    feature = "redis-tls"
))]
mod certificates;

#[cfg(feature = "etcd-tls")]
pub(crate) use self::certificates::FileError;
#[cfg(any(
    feature = "etcd-tls",
    feature = "mysql-tls",
    feature = "postgres-tls",
    feature = "redis-tls"
))]
pub(crate) use self::certificates::hindrance;
#[cfg(feature = "postgres-tls")]
pub(crate) use self::certificates::trusting;

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

/// A server that closed a connection before its first answer.
#[cfg(any(feature = "etcd", feature = "redis"))]
#[derive(Debug, thiserror::Error)]
#[error("it hung up before it answered, as servers do that take encrypted connections only: {0}")]
pub(crate) struct HungUp(#[source] pub(crate) Box<dyn core::error::Error + Send + Sync>);

/// Reports whether the other side closed the connection.
#[cfg(any(feature = "etcd", feature = "redis"))]
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
        let path = percent_encoding::percent_decode_str(value).decode_utf8_lossy();
        *file = Some(path.into_owned());
        true
    }

    /// Returns the names of the files of the client's own certificate and key.
    #[cfg(feature = "mysql-tls")]
    pub(crate) fn own(&self) -> Option<(&str, &str)> {
        self.certificate.as_deref().zip(self.key.as_deref())
    }

    /// Reports whether none is named.
    #[cfg(any(
        feature = "etcd",
        feature = "mysql",
        feature = "redis",
        not(feature = "postgres-tls")
    ))]
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
