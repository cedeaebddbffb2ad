//! Certificates.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::RootCertStore;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;

use crate::error::ServerError;
use crate::files::ReadFile;

/// The files for encrypted connections, in PEM. After they were replaced,
/// [`Server::reload`](crate::Server::reload) reads them again.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, followed by its issuers' certificates.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
    /// The authorities that may have issued the certificates of clients. With them, clients without
    /// a certificate are refused, even if they have a token.
    pub client_authorities: Option<PathBuf>,
}

/// The bytes of the files.
#[derive(Debug, Hash)]
pub(crate) struct Contents {
    certificate: ReadFile,
    key: ReadFile,
    client_authorities: Option<ReadFile>,
}

impl Contents {
    pub(crate) fn read(files: &TlsFiles) -> Self {
        Self {
            certificate: ReadFile::read(&files.certificate),
            key: ReadFile::read(&files.key),
            client_authorities: files.client_authorities.as_deref().map(ReadFile::read),
        }
    }
}

/// The settings of encrypted connections, as last read.
#[derive(Debug)]
pub(crate) struct ReloadedTls(ArcSwap<TlsConfigs>);

/// One for each protocol, because they differ in what they negotiate.
#[derive(Debug)]
pub(crate) struct TlsConfigs {
    resp: Arc<ServerConfig>,
    http: Arc<ServerConfig>,
}

impl ReloadedTls {
    pub(crate) fn new(configs: TlsConfigs) -> Self {
        Self(ArcSwap::from_pointee(configs))
    }

    pub(crate) fn replace(&self, configs: TlsConfigs) {
        self.0.store(Arc::new(configs));
    }

    pub(crate) fn for_resp(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.0.load().resp)
    }

    pub(crate) fn for_http(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.0.load().http)
    }
}

/// Parses the files, and reports each that cannot be used.
pub(crate) fn parse(files: &Contents) -> Result<TlsConfigs, Vec<ServerError>> {
    let refuse = |file: &ReadFile, reason: &dyn core::fmt::Display| ServerError::Certificate {
        path: file.path().to_owned(),
        reason: reason.to_string(),
    };
    let provider = Arc::new(ring::default_provider());
    // Each file is parsed before any result is looked at, because an operator who replaces three
    // files wants one attempt to report all that is wrong.
    let chain = certificates(&files.certificate);
    let key = files.key.bytes().and_then(|bytes| {
        PrivateKeyDer::from_pem_slice(bytes).map_err(|error| refuse(&files.key, &error))
    });
    let verifier = files.client_authorities.as_ref().map(|file| {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(file)? {
            roots.add(certificate).map_err(|error| refuse(file, &error))?;
        }
        let provider = Arc::clone(&provider);
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
        verifier.build().map_err(|error| refuse(file, &error))
    });
    // From here on only the files together can be wrong, for example a key that does not belong to
    // the certificate.
    let (chain, key, verifier) = match (chain, key, verifier.transpose()) {
        (Ok(chain), Ok(key), Ok(verifier)) => (chain, key, verifier),
        (chain, key, verifier) => {
            let errors = [chain.err(), key.err(), verifier.err()];
            return Err(errors.into_iter().flatten().collect());
        }
    };
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| vec![refuse(&files.certificate, &error)])?;
    // With authorities, a client without a certificate of theirs does not get past the handshake. A
    // token does not replace that.
    let builder = match verifier {
        None => builder.with_no_client_auth(),
        Some(verifier) => builder.with_client_cert_verifier(verifier),
    };
    let mut resp =
        builder.with_single_cert(chain, key).map_err(|error| vec![refuse(&files.key, &error)])?;
    // Clients keep their connections, so hardly any would resume a session, and the tickets would
    // only take memory and time.
    resp.send_tls13_tickets = 0;
    let mut http = resp.clone();
    // HTTP/2 is preferred where the client offers both. RESP must offer nothing here, because
    // rustls refuses a client that offers only protocols which the server does not have.
    http.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsConfigs { resp: Arc::new(resp), http: Arc::new(http) })
}

fn certificates(file: &ReadFile) -> Result<Vec<CertificateDer<'static>>, ServerError> {
    let refuse = |reason: String| ServerError::Certificate { path: file.path().to_owned(), reason };
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(file.bytes()?).collect();
    let certificates = certificates.map_err(|error| refuse(error.to_string()))?;
    if certificates.is_empty() {
        return Err(refuse("there is no certificate in the file".to_owned()));
    }
    Ok(certificates)
}
