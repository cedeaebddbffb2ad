//! Encrypted connections.

use redis::{ClientTlsConfig, TlsCertificates};
use rustls::crypto::{CryptoProvider, ring};

use crate::tls::{FileError, Files};

pub(super) fn certificates(files: &Files) -> Result<TlsCertificates, FileError> {
    let identity = files.identity()?.map(|identity| {
        let (client_cert, client_key) = identity.pem;
        ClientTlsConfig { client_cert, client_key }
    });
    Ok(TlsCertificates { client_tls: identity, root_cert: files.roots_pem()? })
}

/// The client takes rustls' provider of cryptography that was chosen for the whole process, and has rustls
/// choose one if nobody did: a panic where several are compiled in. So it is chosen here, then.
pub(super) fn choose_provider() {
    if CryptoProvider::get_default().is_none() {
        // Fails when somebody else was faster.
        let _ = ring::default_provider().install_default();
    }
}
