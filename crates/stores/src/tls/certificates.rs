//! Certificates from files, and the faults of servers'.

use core::error::Error;
use std::fs;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, OnceLock};

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, RootCertStore};

use super::Files;
use crate::error::BoxError;

/// The fault of one of the files.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("{option} {path} cannot be read: {why}")]
    Unreadable { option: &'static str, path: String, why: BoxError },
    #[error("there is no certificate in {option} {path}")]
    Empty { option: &'static str, path: String },
    #[error("sslcert and sslkey must be set together")]
    Half,
    #[error("sslkey is not the key of sslcert: {0}")]
    NotOne(BoxError),
}

/// A client's own certificate, those between it and an authority, and its key.
pub(crate) struct Identity {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
    /// The key as it is in the file.
    pub(crate) key_pem: Vec<u8>,
}

impl Files {
    /// Returns the authorities to trust, either those named or the system's.
    pub(crate) fn roots(&self) -> Result<Vec<CertificateDer<'static>>, FileError> {
        match &self.roots {
            Some(path) => certificates("sslrootcert", path),
            None => Ok(of_the_system()),
        }
    }

    /// Returns the client's own certificate, if one is named.
    pub(crate) fn identity(&self) -> Result<Option<Identity>, FileError> {
        let (certificate, key) = match (&self.certificate, &self.key) {
            (None, None) => return Ok(None),
            (Some(certificate), Some(key)) => (certificate, key),
            _ => return Err(FileError::Half),
        };
        let chain = certificates("sslcert", certificate)?;
        let key_pem = read("sslkey", key)?;
        let unreadable = |source| unreadable("sslkey", key, source);
        let key =
            PrivateKeyDer::from_pem_slice(&key_pem).map_err(|error| unreadable(error.into()))?;
        // Client libraries assume that the two match.
        CertifiedKey::from_der(chain.clone(), key.clone_key(), &ring::default_provider())
            .map_err(|error| FileError::NotOne(error.into()))?;
        Ok(Some(Identity { chain, key, key_pem }))
    }

    /// Returns a configuration that verifies every server's certificate and name.
    pub(crate) fn client_config(&self) -> Result<ClientConfig, BoxError> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(self.roots()?);
        trusting(roots, self.identity()?)
    }
}

/// Returns a configuration with these authorities and the client's certificate, if it has one.
pub(crate) fn trusting(
    roots: RootCertStore,
    identity: Option<Identity>,
) -> Result<ClientConfig, BoxError> {
    // By name, since another crate of the program may have chosen another one for all.
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots);
    Ok(match identity {
        Some(Identity { chain, key, .. }) => config.with_client_auth_cert(chain, key)?,
        None => config.with_no_client_auth(),
    })
}

/// Returns the authorities that the system trusts. Unreadable ones are not trusted, and without
/// any, every server is refused.
fn of_the_system() -> Vec<CertificateDer<'static>> {
    // Reading them takes milliseconds, and a process may open thousands of stores.
    static FOUND: OnceLock<Vec<CertificateDer<'static>>> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return found.clone();
    }
    let found = rustls_native_certs::load_native_certs().certs;
    // There may be some later.
    if found.is_empty() { found } else { FOUND.get_or_init(|| found).clone() }
}

fn unreadable(option: &'static str, path: &str, why: BoxError) -> FileError {
    FileError::Unreadable { option, path: path.to_owned(), why }
}

fn read(option: &'static str, path: &str) -> Result<Vec<u8>, FileError> {
    #[cfg(unix)]
    if fs::metadata(path).is_ok_and(|file| file.is_file() && file.mode() & 0o002 != 0) {
        tracing::warn!(option, path, "every user of this machine may write the file (chmod o-w)");
    }
    fs::read(path).map_err(|error| unreadable(option, path, error.into()))
}

fn certificates(
    option: &'static str,
    path: &str,
) -> Result<Vec<CertificateDer<'static>>, FileError> {
    let pem = read(option, path)?;
    let read = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
    let read = read.map_err(|error| unreadable(option, path, error.into()))?;
    if read.is_empty() {
        return Err(FileError::Empty { option, path: path.to_owned() });
    }
    Ok(read)
}

/// Returns the step that failed, if an error comes from encryption.
pub(crate) fn hindrance(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = tls_error(error) {
            let is_untrusted = matches!(error, rustls::Error::InvalidCertificate(_));
            return Some(if is_untrusted {
                "trust the server's certificate"
            } else {
                "encrypt the connection"
            });
        }
        cause = error.source();
    }
    None
}

/// Errors of I/O and shared ones hide their cause from [`Error::source`].
fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    if let Some(shared) = error.downcast_ref::<Arc<dyn Error + Send + Sync>>() {
        return tls_error(&**shared);
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return error.get_ref().and_then(|inner| tls_error(inner));
    }
    error.downcast_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_tls_errors_are_found() {
        let refused = || rustls::Error::InvalidCertificate(rustls::CertificateError::Expired);
        let trust = Some("trust the server's certificate");
        assert_eq!(hindrance(&refused()), trust);
        let wrapped = io::Error::new(io::ErrorKind::InvalidData, refused());
        assert_eq!(hindrance(&wrapped), trust);
        let shared: Arc<dyn Error + Send + Sync> = Arc::new(wrapped);
        assert_eq!(hindrance(&shared), trust);
        let other = io::Error::other(rustls::Error::HandshakeNotComplete);
        assert_eq!(hindrance(&other), Some("encrypt the connection"));
        assert_eq!(hindrance(&io::Error::other("x")), None);
        assert_eq!(hindrance(&io::Error::from(io::ErrorKind::ConnectionReset)), None);
    }

    #[test]
    fn unusable_files_name_the_option() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("a file");
        fs::write(&empty, "").unwrap();
        let path = empty.to_str().unwrap().replace(' ', "%20");
        let files = |options: &[(&str, &str)]| {
            let mut files = Files::default();
            assert!(options.iter().all(|(name, value)| files.take(name, value)));
            files
        };
        let error = files(&[("sslrootcert", &path)]).roots().unwrap_err().to_string();
        assert!(error.starts_with("there is no certificate in sslrootcert /"), "{error}");
        let error = |options: &[(&str, &str)]| {
            files(options).identity().map(|_| ()).unwrap_err().to_string()
        };
        assert_eq!(error(&[("sslcert", "/a")]), "sslcert and sslkey must be set together");
        assert_eq!(error(&[("sslkey", "/a")]), "sslcert and sslkey must be set together");
        let both = [("sslcert", "/nowhere"), ("sslkey", &*path)];
        assert!(error(&both).starts_with("sslcert /nowhere cannot be read: "));
        assert!(!Files::default().take("sslmode", "require"));
    }
}
