//! Encrypted connections.

use core::error::Error;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::io;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client;

use crate::tls::{Files, trusting};

type BoxError = Box<dyn Error + Send + Sync>;

/// Verifies every server's certificate and name.
#[derive(Clone, Debug)]
pub(super) struct Tls(Arc<ClientConfig>);

impl Tls {
    /// Trusts nobody: for connections that are not encrypted.
    pub(super) fn none() -> Result<Self, BoxError> {
        Ok(Self(Arc::new(trusting(RootCertStore::empty(), None)?)))
    }

    /// With the certificates in these files.
    pub(super) fn new(files: &Files) -> Result<Self, BoxError> {
        Ok(Self(Arc::new(files.client_config()?)))
    }
}

impl<S> MakeTlsConnect<S> for Tls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type TlsConnect = Connect;
    type Error = BoxError;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Connect, BoxError> {
        Ok(Connect { config: Arc::clone(&self.0), domain: domain.to_owned() })
    }
}

/// To be made to one server. A socket in a folder has no name, and needs none until it is encrypted.
pub(super) struct Connect {
    config: Arc<ClientConfig>,
    domain: String,
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
            let name = ServerName::try_from(self.domain)?;
            let stream = TlsConnector::from(self.config).connect(name, stream).await?;
            Ok(Encrypted(stream))
        })
    }
}

pub(super) struct Encrypted<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        // Which guards those who don't verify certificates.
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
