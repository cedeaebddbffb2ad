//! Encrypted connections.

use core::pin::Pin;
use core::sync::atomic::AtomicUsize;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tickid_lease::StoreError;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::config::Host;
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client;

use crate::error::BoxError;
use crate::postgres::failure::failed;
use crate::postgres::stream::Stream;
use crate::tls::Files;
use crate::tls::certificates::trusting;

/// A configuration that verifies every server's certificate and name.
#[derive(Clone, Debug)]
pub(super) struct TlsClient(Arc<ClientConfig>);

impl TlsClient {
    /// Trusts no authority, for connections that are not encrypted.
    pub(super) fn none() -> Result<Self, BoxError> {
        Ok(Self(Arc::new(trusting(RootCertStore::empty(), None)?)))
    }

    /// Trusts the authorities in the files, or the system's.
    pub(super) fn new(files: &Files) -> Result<Self, BoxError> {
        Ok(Self(Arc::new(files.client_config()?)))
    }
}

/// Returns the encryption of a connection to one host.
pub(super) fn tls_to(tls: &TlsClient, host: &Host) -> Result<Connect, StoreError> {
    let name = match host {
        Host::Tcp(name) => name,
        // A socket in a folder has no name, and needs none: it is not encrypted.
        #[cfg(unix)]
        Host::Unix(_) => "localhost",
    };
    let no_name = |error| failed("encrypt the connection").with_source(error);
    let name = ServerName::try_from(name.to_owned()).map_err(no_name)?;
    Ok(Connect { config: Arc::clone(&tls.0), name })
}

pub(super) struct Connect {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl<S> TlsConnect<S> for Connect
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Stream<client::TlsStream<S>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Stream, BoxError>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let socket = TlsConnector::from(self.config).connect(self.name, stream).await?;
            // The stream below has the limit.
            Ok(Stream { socket, left: Arc::new(AtomicUsize::new(usize::MAX)) })
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Stream<client::TlsStream<S>> {
    fn channel_binding(&self) -> ChannelBinding {
        // Channel binding protects clients that do not verify certificates.
        ChannelBinding::none()
    }
}
