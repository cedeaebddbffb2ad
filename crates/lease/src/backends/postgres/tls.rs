//! Encrypted connections.

use core::error::Error;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::io;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::Host;
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client;

use crate::backends::postgres::failed;
use crate::error::StoreError;
use crate::tls::{Files, trusting};

type BoxError = Box<dyn Error + Send + Sync>;

/// A configuration that verifies every server's certificate and name.
#[derive(Clone, Debug)]
pub(super) struct Tls(Arc<ClientConfig>);

impl Tls {
    /// Trusts no authority: for connections that are not encrypted.
    pub(super) fn none() -> Result<Self, BoxError> {
        Ok(Self(Arc::new(trusting(RootCertStore::empty(), None)?)))
    }

    /// Trusts the authorities in the files, or the system's.
    pub(super) fn new(files: &Files) -> Result<Self, BoxError> {
        Ok(Self(Arc::new(files.client_config()?)))
    }
}

/// Returns the encryption of a connection to one host.
pub(super) fn tls_to(tls: &Tls, host: &Host) -> Result<Connect, StoreError> {
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
    type Stream = Encrypted<S>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Encrypted<S>, BoxError>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let stream = TlsConnector::from(self.config).connect(self.name, stream).await?;
            Ok(Encrypted(stream))
        })
    }
}

pub(super) struct Encrypted<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        // It protects clients that do not verify certificates.
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
