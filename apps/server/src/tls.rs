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
    pub(crate) fn read(files: &TlsFiles, read: impl Fn(&Path) -> ReadFile) -> Self {
        Self {
            certificate: read(&files.certificate),
            key: read(&files.key),
            client_authorities: files.client_authorities.as_deref().map(read),
        }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &ReadFile> {
        [&self.certificate, &self.key].into_iter().chain(&self.client_authorities)
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
    /// When the certificate ends, in seconds since 1970, if it says so.
    pub(crate) end: Option<i64>,
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
    let end = chain.first().and_then(|certificate| end_of(certificate));
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
    Ok(TlsConfigs { resp: Arc::new(resp), http: Arc::new(http), end })
}

/// Returns when a certificate ends, in seconds since 1970 (RFC 5280, section 4.1). rustls reads no
/// more of it than connections need.
fn end_of(certificate: &[u8]) -> Option<i64> {
    const VERSION: u8 = 0xa0;
    const UTC_TIME: u8 = 0x17;
    const GENERALIZED_TIME: u8 = 0x18;
    let (_, certificate, _) = element(certificate)?;
    let (_, mut fields, _) = element(certificate)?;
    if let (VERSION, _, rest) = element(fields)? {
        fields = rest;
    }
    // The serial number, the signature's algorithm and the issuer come before the validity.
    for _ in 0..3 {
        (_, _, fields) = element(fields)?;
    }
    let (_, validity, _) = element(fields)?;
    let (_, _, end) = element(validity)?;
    let (kind, time, _) = element(end)?;
    let digits = |range: core::ops::Range<usize>| -> Option<i64> {
        str::from_utf8(time.get(range)?).ok()?.parse().ok()
    };
    let (year, rest) = match kind {
        // Two digits, from 1950 to 2049.
        UTC_TIME => digits(0..2).map(|year| (if year < 50 { 2_000 } else { 1_900 } + year, 2))?,
        GENERALIZED_TIME => (digits(0..4)?, 4),
        _ => return None,
    };
    let two = |place: usize| digits(rest + 2 * place..rest + 2 * place + 2);
    let (month, day) = (two(0)?, two(1)?);
    // Years of this count start in March, so that a leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day
        - 719_469;
    Some(((days * 24 + two(2)?) * 60 + two(3)?) * 60 + two(4)?)
}

/// Returns the tag and the contents of the first element in DER, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, first], rest) = bytes.split_first_chunk()?;
    let (len, rest) = match first {
        0x00..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (digits.iter().fold(0, |len, &digit| len << 8 | usize::from(digit)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(len)?;
    Some((tag, content, rest))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A certificate as far as its validity, with other fields of one byte.
    fn certificate(has_version: bool, end: (u8, &str)) -> Vec<u8> {
        let element = |tag: u8, content: &[u8]| {
            let len = u8::try_from(content.len()).unwrap();
            [&[tag, 0x81, len], content].concat()
        };
        let version = if has_version { element(0xa0, &[2, 1, 2]) } else { Vec::new() };
        let begin = element(0x17, b"700101000000Z");
        let validity = element(0x30, &[begin, element(end.0, end.1.as_bytes())].concat());
        let other = element(2, &[1]);
        element(0x30, &element(0x30, &[version, other.repeat(3), validity, other].concat()))
    }

    #[test]
    fn the_end_of_a_certificate_is_read() {
        for (end, expected) in [
            ((0x17, "700101000000Z"), Some(0)),
            ((0x17, "491231235959Z"), Some(2_524_607_999)),
            ((0x17, "500101000000Z"), Some(-631_152_000)),
            ((0x18, "20240229120001Z"), Some(1_709_208_001)),
            ((0x18, "21000301000000Z"), Some(4_107_542_400)),
            ((0x18, "99991231235959Z"), Some(253_402_300_799)),
            ((0x18, "2024"), None),
            ((0x0c, "700101000000Z"), None),
        ] {
            for has_version in [false, true] {
                let bytes = certificate(has_version, end);
                assert_eq!(end_of(&bytes), expected, "{end:?}");
                // A part of it has none, and ends no server.
                assert!((0..bytes.len()).all(|len| end_of(&bytes[..len]).is_none()), "{end:?}");
            }
        }
    }
}
