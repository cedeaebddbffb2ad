//! Encrypted connections.

use std::sync::Arc;

use rustls::crypto::ring;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig, TlsProvider};

use crate::tls::Files;
use crate::tls::certificates::FileError;

/// The authorities to trust and the client's own certificate. There is no `Debug`, since it holds a
/// key.
pub(super) struct TlsSettings(TlsConfig);

impl TlsSettings {
    pub(super) fn new(files: &Files) -> Result<Self, FileError> {
        let owned = |der: &[u8]| Certificate::from_der(der).to_owned();
        let roots: Vec<_> = files.roots()?.iter().map(|der| owned(der)).collect();
        let identity = files.identity()?.map(|identity| {
            let chain: Vec<_> = identity.chain.iter().map(|der| owned(der)).collect();
            let key = PrivateKey::from_pem(&identity.key_pem)
                .map_err(|error| FileError::NotOne(error.into()))?;
            Ok(ClientCert::new_with_certs(&chain, key))
        });
        // By name, since another crate of the program may have chosen another one for all.
        let provider = Arc::new(ring::default_provider());
        let config = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(provider)
            .root_certs(RootCerts::Specific(Arc::new(roots)))
            .client_cert(identity.transpose()?)
            .build();
        Ok(Self(config))
    }

    pub(super) fn config(&self) -> TlsConfig {
        self.0.clone()
    }
}
