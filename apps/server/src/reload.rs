//! Reads tokens, certificates and keys again while the server runs.

use core::hash::BuildHasher as _;
use core::sync::atomic::Ordering;
use core::time::Duration;
use std::collections::HashSet;
use std::hash::RandomState;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::sleep;

use crate::access::{self, Client};
use crate::error::{ReloadError, ServerError, chain};
use crate::files::{KeptFiles, ReadFile, everyone_may_write, is_pipe};
use crate::shared::ServerState;
use crate::tls::{self, ReloadedTls, TlsConfigs, TlsFiles};

/// The time between two looks at the files. A certificate is renewed days before it ends, and
/// whoever takes a token away in a hurry sends SIGHUP.
const LOOK: Duration = Duration::from_secs(60);

/// The files that the options name.
#[derive(Debug)]
pub(crate) struct SecretFiles {
    pub(crate) tokens: Option<PathBuf>,
    pub(crate) tls: Option<TlsFiles>,
}

/// What is in the files.
#[derive(Debug)]
pub(crate) struct Secrets {
    pub(crate) clients: Option<Vec<Client>>,
    pub(crate) tls: Option<TlsConfigs>,
}

/// The bytes of the files.
#[derive(Hash)]
struct Contents {
    tokens: Option<ReadFile>,
    tls: Option<tls::Contents>,
}

impl Contents {
    fn files(&self) -> impl Iterator<Item = &ReadFile> {
        self.tokens.iter().chain(self.tls.iter().flat_map(tls::Contents::files))
    }

    /// Returns what is in the files, or each that cannot be used with the reason.
    fn parse(&self) -> Result<Secrets, Vec<ServerError>> {
        let clients = self.tokens.as_ref().map(access::parse).transpose();
        let tls = self.tls.as_ref().map(tls::parse).transpose();
        match (clients, tls) {
            (Ok(clients), Ok(tls)) => Ok(Secrets { clients, tls }),
            (clients, tls) => {
                Err(clients.err().into_iter().chain(tls.err().unwrap_or_default()).collect())
            }
        }
    }
}

impl SecretFiles {
    fn paths(&self) -> impl Iterator<Item = &Path> {
        let tls = self.tls.iter().flat_map(|files| {
            [&files.certificate, &files.key].into_iter().chain(&files.client_authorities)
        });
        self.tokens.iter().chain(tls).map(PathBuf::as_path)
    }

    fn read(&self, read: impl Fn(&Path) -> ReadFile) -> Contents {
        Contents {
            tokens: self.tokens.as_deref().map(&read),
            tls: self.tls.as_ref().map(|files| tls::Contents::read(files, &read)),
        }
    }

    /// Returns the files that are not read again, after a warning of each.
    fn once(&self) -> HashSet<PathBuf> {
        let mut once: HashSet<PathBuf> =
            self.paths().filter(|path| is_pipe(path)).map(Path::to_owned).collect();
        // A new certificate does not fit the old key.
        if let Some(TlsFiles { certificate, key, .. }) = &self.tls
            && (once.contains(certificate) || once.contains(key))
        {
            once.extend([certificate.clone(), key.clone()]);
        }
        for path in self.paths().filter(|path| once.contains(*path)) {
            let path = path.display();
            tracing::warn!(%path, "a pipe can be read once, so the file is not read again");
        }
        once
    }

    fn warn(&self) {
        for path in self.paths().filter(|path| everyone_may_write(path)) {
            let path = path.display();
            tracing::warn!(%path, "every user of this machine may write the file (chmod o-w)");
        }
    }
}

/// The files of a running server, and what they had when they were last read.
#[derive(Debug)]
pub(crate) struct Reloader {
    files: SecretFiles,
    /// A hash of the contents, so that no second copy of a key stays in memory. It is locked while
    /// the files are read and taken.
    last: Mutex<u64>,
    hasher: RandomState,
    /// What came from pipes.
    kept: KeptFiles,
}

impl Reloader {
    /// Reads the files for the first time.
    pub(crate) fn new(files: SecretFiles) -> Result<(Self, Secrets), Vec<ServerError>> {
        // Before they are opened, after which those of `<(...)` may be gone.
        let once = files.once();
        let (contents, hasher) = (files.read(ReadFile::read), RandomState::new());
        let secrets = contents.parse()?;
        files.warn();
        let last = Mutex::new(hasher.hash_one(&contents));
        let mut kept = KeptFiles::default();
        contents.files().filter(|file| once.contains(file.path())).for_each(|it| kept.keep(it));
        Ok((Self { files, last, hasher, kept }, secrets))
    }

    /// Reads the files again, and takes what is in them if all can be used. A server that took the
    /// ones and not the others would have, for example, a certificate without its key.
    pub(crate) fn reload(
        &self,
        shared: &ServerState,
        tls: Option<&ReloadedTls>,
    ) -> Result<(), ReloadError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let contents = self.read();
        *last = self.hasher.hash_one(&contents);
        self.take(&contents, shared, tls)
    }

    /// Does the same if the contents of a file are others than when they were last read, also if
    /// they could not be used then. Returns whether they are.
    fn reload_if_changed(
        &self,
        shared: &ServerState,
        tls: Option<&ReloadedTls>,
    ) -> Result<bool, ReloadError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let contents = self.read();
        let hash = self.hasher.hash_one(&contents);
        if core::mem::replace(&mut *last, hash) == hash {
            return Ok(false);
        }
        self.take(&contents, shared, tls).map(|()| true)
    }

    fn read(&self) -> Contents {
        self.files.read(|path| ReadFile::read_again(path, &self.kept))
    }

    fn take(
        &self,
        contents: &Contents,
        shared: &ServerState,
        tls: Option<&ReloadedTls>,
    ) -> Result<(), ReloadError> {
        let secrets = contents.parse().map_err(|files| {
            shared.metrics.reload_failures.fetch_add(1, Ordering::Relaxed);
            ReloadError { files }
        })?;
        self.files.warn();
        // There are both if there are files for them, which are always the same.
        if let Some(clients) = secrets.clients {
            shared.access.replace(clients);
        }
        if let (Some(tls), Some(configs)) = (tls, secrets.tls) {
            shared.metrics.certificate_end.store(configs.end.unwrap_or(0), Ordering::Relaxed);
            tls.replace(configs);
        }
        Ok(())
    }

    /// Looks at the files each minute until the server stops: orchestrators replace mounted secrets
    /// and send no signal.
    pub(crate) async fn watch(
        self: Arc<Self>,
        shared: Arc<ServerState>,
        tls: Option<Arc<ReloadedTls>>,
    ) {
        while shared.stopping.run_until_cancelled(sleep(LOOK)).await.is_some() {
            match self.reload_if_changed(&shared, tls.as_deref()) {
                Ok(false) => {}
                Ok(true) => tracing::info!("the files have changed, and were read again"),
                Err(error) => {
                    let reason = chain(&error);
                    tracing::error!(reason, "the files have changed, and cannot be used");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::access::Access;
    use crate::limits::Limits;
    use crate::realm::Realms;

    /// The state of a server with a file of tokens.
    fn running(tokens: &Path) -> (Arc<Reloader>, Arc<ServerState>) {
        let files = SecretFiles { tokens: Some(tokens.to_owned()), tls: None };
        let (reloader, secrets) = Reloader::new(files).unwrap();
        let access = Access::new(secrets.clients, None);
        let shared = ServerState::new(Realms::default(), access, Limits::default());
        (Arc::new(reloader), Arc::new(shared))
    }

    #[tokio::test(start_paused = true)]
    async fn changed_tokens_are_taken_within_a_minute() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        fs::write(&path, "0123456789abcdef").unwrap();
        let (reloader, shared) = running(&path);
        let watch = tokio::spawn(reloader.watch(Arc::clone(&shared), None));
        let is_known = |token: &str| shared.access.client(token.as_bytes()).is_some();
        for (content, expected) in [
            (Some("0123456789abcdef\nfedcba9876543210"), [true, true]),
            (Some("fedcba9876543210"), [false, true]),
            // What cannot be used changes nothing, and a file that is gone opens no door.
            (Some("short"), [false, true]),
            (Some(""), [false, true]),
            (None, [false, true]),
            (Some("0123456789abcdef"), [true, false]),
        ] {
            match content {
                Some(text) => fs::write(&path, text).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            sleep(LOOK).await;
            // Two timers of one moment fire in any order.
            sleep(Duration::from_millis(2)).await;
            let known = [is_known("0123456789abcdef"), is_known("fedcba9876543210")];
            assert_eq!(known, expected, "{content:?}");
            assert!(shared.access.anyone().is_none(), "{content:?}");
        }
        shared.stopping.cancel();
        watch.await.unwrap();
    }

    #[test]
    fn each_change_of_a_file_is_taken_or_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        fs::write(&path, "0123456789abcdef").unwrap();
        let (reloader, shared) = running(&path);
        let look = || reloader.reload_if_changed(&shared, None).map_err(|error| error.to_string());
        assert_eq!(look(), Ok(false));
        // The same in a new file, as by a tool that writes without comparing.
        fs::remove_file(&path).unwrap();
        fs::write(&path, "0123456789abcdef").unwrap();
        assert_eq!(look(), Ok(false));
        fs::write(&path, "short").unwrap();
        assert!(look().unwrap_err().contains("the token has 5 bytes"));
        assert_eq!(look(), Ok(false));
        fs::remove_file(&path).unwrap();
        assert!(look().unwrap_err().contains("could not read"));
        assert_eq!(look(), Ok(false));
        // What is in use again has also changed since the last look.
        fs::write(&path, "0123456789abcdef").unwrap();
        assert_eq!(look(), Ok(true));
        reloader.reload(&shared, None).unwrap();
        assert_eq!(look(), Ok(false));
    }

    /// A pipe would be empty, or keep whoever opens it until something writes.
    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_a_file_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        fs::write(&path, "0123456789abcdef").unwrap();
        let (reloader, shared) = running(&path);
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        assert!(reloader.reload_if_changed(&shared, None).is_err());
        assert!(!reloader.reload_if_changed(&shared, None).unwrap());
        assert!(reloader.reload(&shared, None).is_err());
        assert!(shared.access.client(b"0123456789abcdef").is_some());
        assert_eq!(shared.metrics.reload_failures.load(Ordering::Relaxed), 2);
    }
}
