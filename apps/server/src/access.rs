//! Tokens and rates.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use arc_swap::ArcSwap;
use subtle::ConstantTimeEq as _;
use tickid_core::counted;
use tokio::time::Instant;

use crate::error::ServerError;
use crate::files::ReadFile;

/// The clients that may send requests, and their rates.
#[derive(Debug)]
pub(crate) struct Access {
    /// Set if there is a file of tokens. Without one, anyone who can connect is a client.
    is_closed: bool,
    tokens: ArcSwap<Tokens>,
    /// All clients of a server without tokens.
    anyone: Arc<Client>,
    rate: Option<u64>,
    start: Instant,
}

#[derive(Debug)]
struct Tokens {
    clients: Vec<Arc<Client>>,
}

/// The owner of a token, or everyone if the server has no tokens.
pub(crate) struct Client {
    name: String,
    token: String,
    usage: Arc<Usage>,
}

/// The state of a token. It outlives a reload, which may give the token a different name.
#[derive(Default)]
struct Usage {
    /// Set if the client may have generators observe IDs.
    may_observe: AtomicBool,
    /// The time when the IDs so far would have been issued at the client's rate, in nanoseconds
    /// since the server's start.
    due: AtomicU64,
    /// Set once the token has gone from the file.
    is_revoked: AtomicBool,
}

// Never shows the token.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Client {
    pub(crate) fn new(name: &str, token: &str, may_observe: bool) -> Self {
        let usage = Usage { may_observe: may_observe.into(), ..Usage::default() };
        Self { name: name.to_owned(), token: token.to_owned(), usage: Arc::new(usage) }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Reports whether the client may have generators observe IDs.
    pub(crate) fn may_observe(&self) -> bool {
        self.usage.may_observe.load(Ordering::Relaxed)
    }

    /// Reports whether the token has gone from the file since the client was admitted.
    pub(crate) fn is_revoked(&self) -> bool {
        self.usage.is_revoked.load(Ordering::Relaxed)
    }
}

/// The rate of a client was exceeded.
#[derive(Debug, thiserror::Error)]
#[error("the limit rate is {rate} IDs per second for each token")]
pub(crate) struct RateExceeded {
    pub(crate) rate: u64,
    pub(crate) retry_after: Duration,
}

/// The shortest token.
const SHORTEST: usize = 16;
/// The longest token.
const LONGEST: usize = 256;
/// The number of wrong tokens that end a connection, because nothing else would slow a client down
/// that guesses. A program whose token was replaced sends one or two.
pub(crate) const WRONG_TOKENS: u32 = 5;
/// The right to have generators observe IDs.
const OBSERVE: &str = "observe";

impl Access {
    /// The clients are the owners of the tokens, if there is a file of them.
    pub(crate) fn new(clients: Option<Vec<Client>>, rate: Option<u64>) -> Self {
        let is_closed = clients.is_some();
        let clients = clients.into_iter().flatten().map(Arc::new).collect();
        Self {
            is_closed,
            tokens: ArcSwap::from_pointee(Tokens { clients }),
            anyone: Arc::new(Client::new("anyone", "", true)),
            rate,
            start: Instant::now(),
        }
    }

    /// Replaces the tokens. Of two calls, the second must come after the first.
    pub(crate) fn replace(&self, mut clients: Vec<Client>) {
        // Connections keep the `Client` that they were admitted with, and learn of changes only
        // from its `Usage`. A token that stays keeps that, so a connection gains or loses the right
        // to observe without authenticating anew, and a reload does not give a client a new burst.
        let before = self.tokens.load_full();
        let by_token = before.clients.iter().map(|client| (&*client.token, &client.usage));
        let mut gone: HashMap<&str, &Arc<Usage>> = by_token.collect();
        for client in &mut clients {
            if let Some(usage) = gone.remove(&*client.token) {
                usage.may_observe.store(client.may_observe(), Ordering::Relaxed);
                client.usage = Arc::clone(usage);
            }
        }
        let clients = clients.into_iter().map(Arc::new).collect();
        self.tokens.store(Arc::new(Tokens { clients }));
        gone.values().for_each(|usage| usage.is_revoked.store(true, Ordering::Relaxed));
    }

    /// Reports whether clients must have a token.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns the client that needs no token, if none is needed.
    pub(crate) fn anyone(&self) -> Option<&Arc<Client>> {
        (!self.is_closed()).then_some(&self.anyone)
    }

    /// Returns the client that has a token. The time that this takes does not depend on the
    /// contents of the tokens.
    pub(crate) fn client(&self, token: &[u8]) -> Option<Arc<Client>> {
        let tokens = self.tokens.load();
        let mut found = None;
        for client in &tokens.clients {
            if bool::from(client.token.as_bytes().ct_eq(token)) {
                found = Some(client);
            }
        }
        found.cloned()
    }

    /// Counts `ids` against a client's rate.
    pub(crate) fn admit(&self, client: &Client, ids: u32) -> Result<(), RateExceeded> {
        let Some(rate) = self.rate else { return Ok(()) };
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let cost = u64::from(ids).saturating_mul(1_000_000_000) / rate.max(1);
        let second = Duration::from_secs(1);
        // A second's worth of IDs may come in one burst; a request that alone is more may, too.
        let latest = now.saturating_add(1_000_000_000);
        let admitted = client.usage.due.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |due| {
            let due = due.max(now);
            (due < latest && (due == now || due.saturating_add(cost) <= latest))
                .then_some(due.saturating_add(cost))
        });
        admitted.map(drop).map_err(|due| {
            let over = due.saturating_add(cost).saturating_sub(latest);
            let wait = Duration::from_nanos(over.min(due.saturating_sub(now)));
            RateExceeded { rate, retry_after: wait.clamp(Duration::from_millis(1), 60 * second) }
        })
    }
}

/// Parses a file of tokens. Each line has one, after an optional name, and after both perhaps a
/// right.
pub(crate) fn parse(file: &ReadFile) -> Result<Vec<Client>, ServerError> {
    let path = file.path();
    let text = str::from_utf8(file.bytes()?).map_err(|error| ServerError::Read {
        path: path.to_owned(),
        source: io::Error::new(io::ErrorKind::InvalidData, error),
    })?;
    // Some editors start a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut clients = Vec::new();
    // The line of each token, for the message about one that comes twice.
    let mut lines = HashMap::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with('#') {
            continue;
        }
        let refuse = |reason: String| {
            Err(ServerError::Tokens { path: path.to_owned(), line: index + 1, reason })
        };
        // A line is `TOKEN`, `shop TOKEN` or `shop TOKEN observe`. Logs need a name, so a token
        // without one is called after its line, for example "line-4".
        let unnamed = format!("line-{}", index + 1);
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, token, rights) = match *words {
            [] => continue,
            [token] => (unnamed.as_str(), token, &[][..]),
            [name, token, ref rights @ ..] => (name, token, rights),
        };
        // No message shows a token, because logs are read by more people than the file.
        if !(SHORTEST..=LONGEST).contains(&token.len()) {
            let len = counted(token.len(), "byte");
            return refuse(format!("the token has {len}, outside of {SHORTEST}..={LONGEST}"));
        }
        // Clients send other characters in an `Authorization` header in different encodings (RFC
        // 9110, section 5.5), so such a token would be right from one client and wrong from
        // another.
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return refuse("the token has a character other than visible ASCII".to_owned());
        }
        if name.len() > 64 {
            return refuse(format!("the name has {} bytes, more than 64", name.len()));
        }
        // With a token on two lines, its name and its right would depend on which line is found.
        if let Some(other) = lines.insert(token, index + 1) {
            return refuse(format!("the token is also on line {other}"));
        }
        // A misspelt right must not pass for a token without rights, and the message does not
        // repeat the word because it may be a token, as in `our invoice-department TOKEN`.
        if !matches!(rights, [] | [OBSERVE]) {
            return refuse(format!("after the token is something other than the right {OBSERVE}"));
        }
        clients.push(Client::new(name, token, !rights.is_empty()));
    }
    // A file without a token would lock all clients out. More likely, a reload has met the file
    // while it was being replaced, and then the earlier tokens stay in use.
    if clients.is_empty() {
        let reason = "there is no token in the file".to_owned();
        return Err(ServerError::Tokens { path: path.to_owned(), line: 1, reason });
    }
    Ok(clients)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn limited(rate: u64) -> Access {
        Access::new(None, Some(rate))
    }

    /// Returns the clients of a file with this text.
    fn clients(text: &str) -> Result<Vec<Client>, ServerError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        fs::write(&path, text).unwrap();
        parse(&ReadFile::read(&path))
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_holds_a_second_of_ids() {
        let access = limited(1_000);
        let client = Arc::clone(access.anyone().unwrap());
        access.admit(&client, 600).unwrap();
        access.admit(&client, 400).unwrap();
        let error = access.admit(&client, 100).unwrap_err();
        assert_eq!((error.rate, error.retry_after), (1_000, Duration::from_millis(100)));
        tokio::time::advance(Duration::from_millis(100)).await;
        access.admit(&client, 100).unwrap();
        assert!(access.admit(&client, 1).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_request_waits_for_its_turn() {
        let access = limited(10);
        let client = Arc::clone(access.anyone().unwrap());
        access.admit(&client, 50).unwrap();
        let error = access.admit(&client, 50).unwrap_err();
        assert_eq!(error.retry_after, Duration::from_secs(5));
        tokio::time::advance(Duration::from_secs(5)).await;
        access.admit(&client, 50).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn rates_outlive_a_reload() {
        let access = Access::new(Some(clients("a 0123456789abcdef\n").unwrap()), Some(10));
        access.admit(&access.client(b"0123456789abcdef").unwrap(), 10).unwrap();
        access.replace(clients("# another name\nb 0123456789abcdef\n").unwrap());
        assert!(access.admit(&access.client(b"0123456789abcdef").unwrap(), 1).is_err());
    }

    #[test]
    fn tokens_are_read_and_found() {
        let ours = clients("# ours\n\nbilling 0123456789abcdef\nfedcba9876543210\n");
        let access = Access::new(Some(ours.unwrap()), None);
        let name =
            |token: &str| access.client(token.as_bytes()).map(|client| client.name().to_owned());
        assert_eq!(name("0123456789abcdef").as_deref(), Some("billing"));
        assert_eq!(name("fedcba9876543210").as_deref(), Some("line-4"));
        assert_eq!(name("0123456789abcdeF"), None);
        assert_eq!(name(""), None);
        assert!(access.anyone().is_none());

        let billing = access.client(b"0123456789abcdef").unwrap();
        for (rights, may_observe) in [(" observe", true), ("", false)] {
            access.replace(clients(&format!("billing 0123456789abcdef{rights}\n")).unwrap());
            assert_eq!(billing.may_observe(), may_observe, "of a connection that stays");
            let found = access.client(b"0123456789abcdef").unwrap();
            assert_eq!(found.may_observe(), may_observe);
        }

        let before = access.client(b"0123456789abcdef").unwrap();
        access.replace(clients("\u{feff}invoices 0123456789abcdef\n").unwrap());
        assert!(!before.is_revoked());
        assert_eq!(name("0123456789abcdef").as_deref(), Some("invoices"));
        access.replace(clients("billing 0123456789abcde!\n").unwrap());
        assert!(before.is_revoked());
        assert!(access.client(b"0123456789abcde!").is_some());
    }

    #[test]
    fn malformed_tokens_are_not_shown() {
        for (text, reason) in [
            ("a b", "the token has 1 byte, outside of 16..=256"),
            ("a short", "the token has 5 bytes, outside of 16..=256"),
            ("a 0123456789äbcdef", "other than visible ASCII"),
            ("a 0123456789abcdef 0123456789", "line 1: after the token is something other than"),
            ("a 0123456789abcdef observe observe", "after the token is something other than"),
            ("", "there is no token"),
            ("# nothing", "there is no token"),
            ("a 0123456789abcdef\n\nb 0123456789abcdef", "line 3: the token is also on line 1"),
        ] {
            let error = clients(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
            assert!(!error.contains("0123456789"), "{error}");
        }
    }
}
