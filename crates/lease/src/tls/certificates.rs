//! Certificates from files, and what is wrong with those of others.

use core::error::Error;
use std::fs;
use std::io;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
#[cfg(feature = "postgres-tls")]
use rustls::{ClientConfig, RootCertStore};

use super::Files;

type BoxError = Box<dyn Error + Send + Sync>;

/// What could not be done with one of the files.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("{option} {path} can't be read")]
    Unreadable { option: &'static str, path: String, source: BoxError },
    #[error("there is no certificate in {option} {path}")]
    Empty { option: &'static str, path: String },
    #[error("sslcert and sslkey come together")]
    Half,
    #[error("sslkey is no key to sslcert")]
    NotOne(#[source] BoxError),
}

/// A client's own certificate, those between it and an authority, and the key to it.
pub(crate) struct Identity {
    #[cfg(any(feature = "etcd-tls", feature = "mysql-tls", feature = "postgres-tls"))]
    pub(crate) chain: Vec<CertificateDer<'static>>,
    #[cfg(feature = "postgres-tls")]
    pub(crate) key: PrivateKeyDer<'static>,
    /// The same as they are in the files.
    #[cfg(any(feature = "etcd-tls", feature = "mysql-tls", feature = "redis-tls"))]
    pub(crate) pem: (Vec<u8>, Vec<u8>),
}

impl Files {
    /// What is in the file of authorities, if one is named.
    #[cfg(feature = "redis-tls")]
    pub(crate) fn roots_pem(&self) -> Result<Option<Vec<u8>>, FileError> {
        let Some(path) = &self.roots else { return Ok(None) };
        let pem = read("sslrootcert", path)?;
        certificates("sslrootcert", path, &pem)?;
        Ok(Some(pem))
    }

    /// The authorities to trust: those named, or the system's.
    #[cfg(any(feature = "etcd-tls", feature = "mysql-tls", feature = "postgres-tls"))]
    pub(crate) fn roots(&self) -> Result<Vec<CertificateDer<'static>>, FileError> {
        match &self.roots {
            Some(path) => certificates("sslrootcert", path, &read("sslrootcert", path)?),
            // Those that can't be read are not trusted; without any, every server is refused.
            None => Ok(rustls_native_certs::load_native_certs().certs),
        }
    }

    /// Who we are, if a certificate is named.
    pub(crate) fn identity(&self) -> Result<Option<Identity>, FileError> {
        let (certificate, key) = match (&self.certificate, &self.key) {
            (None, None) => return Ok(None),
            (Some(certificate), Some(key)) => (certificate, key),
            _ => return Err(FileError::Half),
        };
        let pem = (read("sslcert", certificate)?, read("sslkey", key)?);
        let chain = certificates("sslcert", certificate, &pem.0)?;
        let unreadable = |source| unreadable("sslkey", key, source);
        let key =
            PrivateKeyDer::from_pem_slice(&pem.1).map_err(|error| unreadable(error.into()))?;
        // Clients that get them take for granted that they are one's.
        CertifiedKey::from_der(chain.clone(), key.clone_key(), &ring::default_provider())
            .map_err(|error| FileError::NotOne(error.into()))?;
        Ok(Some(Identity {
            #[cfg(any(feature = "etcd-tls", feature = "mysql-tls", feature = "postgres-tls"))]
            chain,
            #[cfg(feature = "postgres-tls")]
            key,
            #[cfg(any(feature = "etcd-tls", feature = "mysql-tls", feature = "redis-tls"))]
            pem,
        }))
    }

    /// A configuration that verifies every server's certificate and name.
    #[cfg(feature = "postgres-tls")]
    pub(crate) fn client_config(&self) -> Result<ClientConfig, BoxError> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(self.roots()?);
        trusting(roots, self.identity()?)
    }
}

/// With these authorities, and as somebody or nobody.
#[cfg(feature = "postgres-tls")]
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

fn unreadable(option: &'static str, path: &str, source: BoxError) -> FileError {
    FileError::Unreadable { option, path: path.to_owned(), source }
}

fn read(option: &'static str, path: &str) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(|error| unreadable(option, path, error.into()))
}

fn certificates(
    option: &'static str,
    path: &str,
    pem: &[u8],
) -> Result<Vec<CertificateDer<'static>>, FileError> {
    let read = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let read = read.map_err(|error| unreadable(option, path, error.into()))?;
    if read.is_empty() {
        return Err(FileError::Empty { option, path: path.to_owned() });
    }
    Ok(read)
}

/// What can't be done, if it is encryption that an error comes from.
pub(crate) fn hindrance(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = tls_error(error) {
            return Some(match error {
                rustls::Error::InvalidCertificate(_) => "trust the server's certificate",
                _ => "encrypt the connection",
            });
        }
        cause = error.source();
    }
    None
}

/// Errors of I/O and shared ones hide what they are made of from [`Error::source`].
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
    fn encryption_is_found_under_what_covers_it() {
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
    fn files_that_say_nothing_are_told_by_their_option() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("a file");
        fs::write(&empty, "").unwrap();
        let path = empty.to_str().unwrap().replace(' ', "%20");
        let files = |options: &[(&str, &str)]| {
            let mut files = Files::default();
            assert!(options.iter().all(|(name, value)| files.take(name, value)));
            files
        };
        #[cfg(any(feature = "etcd-tls", feature = "mysql-tls", feature = "postgres-tls"))]
        {
            let error = files(&[("sslrootcert", &path)]).roots().unwrap_err().to_string();
            assert!(error.starts_with("there is no certificate in sslrootcert /"), "{error}");
        }
        #[cfg(feature = "redis-tls")]
        {
            let error = files(&[("sslrootcert", "/nowhere")]).roots_pem().unwrap_err().to_string();
            assert_eq!(error, "sslrootcert /nowhere can't be read");
        }
        let error = |options: &[(&str, &str)]| {
            files(options).identity().map(|_| ()).unwrap_err().to_string()
        };
        assert_eq!(error(&[("sslcert", "/a")]), "sslcert and sslkey come together");
        assert_eq!(error(&[("sslkey", "/a")]), "sslcert and sslkey come together");
        let both = [("sslcert", "/nowhere"), ("sslkey", &*path)];
        assert_eq!(error(&both), "sslcert /nowhere can't be read");
        assert!(!Files::default().take("sslmode", "require"));
    }
}
