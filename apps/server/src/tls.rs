//! Certificates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::RootCertStore;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;

use crate::error::ServerError;

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

/// The settings of encrypted connections, as last read.
#[derive(Debug)]
pub(crate) struct ReloadedTls {
    files: TlsFiles,
    configs: ArcSwap<Configs>,
}

/// One for each protocol, because they differ in what they negotiate.
#[derive(Debug)]
struct Configs {
    resp: Arc<ServerConfig>,
    http: Arc<ServerConfig>,
}

impl ReloadedTls {
    pub(crate) fn new(files: TlsFiles) -> Result<Self, Vec<ServerError>> {
        let configs = ArcSwap::from_pointee(read(&files)?);
        Ok(Self { files, configs })
    }

    /// Reads the files again. On errors those read before stay in use.
    pub(crate) fn reload(&self) -> Result<(), Vec<ServerError>> {
        self.configs.store(Arc::new(read(&self.files)?));
        Ok(())
    }

    pub(crate) fn for_resp(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.configs.load().resp)
    }

    pub(crate) fn for_http(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.configs.load().http)
    }
}

/// Reads the files, and reports each that cannot be used.
fn read(files: &TlsFiles) -> Result<Configs, Vec<ServerError>> {
    let refuse = |path: &Path, reason: &dyn core::fmt::Display| ServerError::Certificate {
        path: path.to_owned(),
        reason: reason.to_string(),
    };
    let provider = Arc::new(ring::default_provider());
    // Each file is read before any result is looked at, because an operator who replaces three
    // files wants one attempt to report all that is wrong.
    let chain = certificates(&files.certificate);
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| refuse(&files.key, &error));
    let verifier = files.client_authorities.as_ref().map(|path| {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(path)? {
            roots.add(certificate).map_err(|error| refuse(path, &error))?;
        }
        let provider = Arc::clone(&provider);
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
        verifier.build().map_err(|error| refuse(path, &error))
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
    Ok(Configs { resp: Arc::new(resp), http: Arc::new(http) })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ServerError> {
    let refuse = |reason: String| ServerError::Certificate { path: path.to_owned(), reason };
    let certificates =
        CertificateDer::pem_file_iter(path).map_err(|error| refuse(error.to_string()))?;
    let certificates: Result<Vec<_>, _> = certificates.collect();
    let certificates = certificates.map_err(|error| refuse(error.to_string()))?;
    if certificates.is_empty() {
        return Err(refuse("there is no certificate in the file".to_owned()));
    }
    Ok(certificates)
}
