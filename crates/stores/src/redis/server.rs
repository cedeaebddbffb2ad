//! Requests to a server, over connections that are kept for the next.

use core::fmt;
use core::time::Duration;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tickid_core::PerProcess;
use tickid_lease::StoreError;
use tickid_lease::backend::{StoreErrorKind, excerpt};

use super::connection::Connection;
use super::reply::Reply;
use super::url::{Persistence, Place};
use crate::error;

pub(super) const BACKEND: &str = "redis";

/// The timeout of a request over an open connection.
pub(super) const TIMEOUT: Duration = Duration::from_secs(3);
/// The timeout of a request that connects first, as for other servers.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of connections kept. A holder and a command need no more at a time.
const MAX_IDLE: usize = 4;

pub(super) struct Server {
    place: Place,
    timeout: Option<Duration>,
    idle: PerProcess<Mutex<Vec<Link>>>,
}

/// A connection over which the scripts were loaded.
struct Link {
    connection: Connection,
    /// The names of the scripts in the server.
    scripts: Vec<String>,
}

/// The scripts. Each is one step that no other request comes between.
#[derive(Clone, Copy)]
pub(super) enum Script {
    Read,
    Commit,
}

const SCRIPTS: [&str; 2] = [
    concat!(include_str!("common.lua"), include_str!("read.lua")),
    concat!(include_str!("common.lua"), include_str!("commit.lua")),
];

impl Server {
    pub(super) const fn new(place: Place, timeout: Option<Duration>) -> Self {
        Self { place, timeout, idle: PerProcess::new() }
    }

    /// Returns the server's address.
    pub(super) fn address(&self) -> String {
        format!("{}:{}", self.place.host, self.place.port)
    }

    /// Runs a script. If the server has dropped the script, the call is repeated over a new
    /// connection.
    pub(super) fn run(
        &self,
        script: Script,
        keys: &[String],
        args: &[&str],
    ) -> Result<Reply, StoreError> {
        let count = keys.len().to_string();
        let run = |link: &mut Link, until| {
            let name = link.scripts[script as usize].clone();
            let words = ["EVALSHA", &name, &count].into_iter();
            let words: Vec<&str> =
                words.chain(keys.iter().map(|key| &**key)).chain(args.iter().copied()).collect();
            self.ask(link, &words, until)
        };
        let begun = Instant::now();
        let (mut link, mut reply, broken) = self.over_a_link(run)?;
        if matches!(&reply, Reply::Error(message) if message.starts_with("NOSCRIPT")) {
            let until = self.end(begun, CONNECTION_TIMEOUT);
            link = self.connect(until)?;
            reply = run(&mut link, until)?;
        }
        let reply = self.keep(link, "run a script", reply)?;
        match (script, broken) {
            // The first attempt may have been carried out, so that the second one could not.
            (Script::Commit, Some(error)) if reply.list().is_some() => Err(error),
            (Script::Read | Script::Commit, _) => Ok(reply),
        }
    }

    /// Asks over a kept connection that is still open, or a new one. If a kept one turns out to be
    /// broken, another is made at once, before a window ends. The error of the first is returned as
    /// well then.
    fn over_a_link(
        &self,
        ask: impl Fn(&mut Link, Instant) -> Result<Reply, StoreError>,
    ) -> Result<(Link, Reply, Option<StoreError>), StoreError> {
        let begun = Instant::now();
        let mut broken = None;
        // The lock is not held while it asks.
        loop {
            let Some(mut link) = self.idle().pop() else { break };
            if !link.connection.is_usable() {
                continue;
            }
            match ask(&mut link, self.end(begun, TIMEOUT)) {
                Ok(reply) => return Ok((link, reply, None)),
                Err(error) if error.is_unreachable() => {
                    broken = Some(error);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let until = self.end(begun, CONNECTION_TIMEOUT);
        let mut link = self.connect(until)?;
        let reply = ask(&mut link, until)?;
        Ok((link, reply, broken))
    }

    /// Returns the end of a request.
    fn end(&self, begun: Instant, timeout: Duration) -> Instant {
        begun + self.timeout.unwrap_or(timeout)
    }

    /// Runs a command.
    pub(super) fn command(&self, words: &[&str]) -> Result<Reply, StoreError> {
        let (link, reply, _) = self.over_a_link(|link, until| self.ask(link, words, until))?;
        self.keep(link, "answer a request", reply)
    }

    /// Writes a key of no realm, which is gone after a millisecond. Returns `false` if the user has
    /// no right to that key, as one who has those of some realms only.
    pub(super) fn try_write(&self) -> Result<bool, StoreError> {
        let words = ["SET", "tickid:{}:doctor", "", "PX", "1"];
        let (link, reply, _) = self.over_a_link(|link, until| self.ask(link, &words, until))?;
        // "no permissions to run the 'set' command" holds for all keys.
        let is_denied = matches!(&reply, Reply::Error(message)
            if message.starts_with("NOPERM") && message.contains(" key"));
        match self.keep(link, "write", reply) {
            Err(_) if is_denied => Ok(false),
            written => written.map(|_| true),
        }
    }

    /// Sends a command, and in the same round trip requests the settings, which may have changed
    /// since the connection was opened. If they are wrong, the command was carried out all the
    /// same, like one that was not answered may have been.
    fn ask(&self, link: &mut Link, words: &[&str], until: Instant) -> Result<Reply, StoreError> {
        let Place { persistence, .. } = self.place;
        let commands: Vec<&[&str]> =
            [words].into_iter().chain(persistence.questions().iter().copied()).collect();
        let replies = link.connection.ask(&commands, until).map_err(|error| self.silence(error))?;
        let mut replies = replies.into_iter();
        let reply = replies.next().unwrap_or(Reply::Nil);
        // The reason for an error comes first: a server that is loading has no settings.
        if !matches!(reply, Reply::Error(_)) {
            Settings::of(replies).check(persistence)?;
        }
        Ok(reply)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Link>> {
        self.idle.get_or_set(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a reply, and keeps its connection unless it is an error, because the server may no
    /// longer be a primary, or may not have the data at all. The next request looks its address up
    /// again, which a fail-over may have moved while the connections stay open. None of those is
    /// kept either.
    fn keep(&self, link: Link, what: &str, reply: Reply) -> Result<Reply, StoreError> {
        let mut idle = self.idle();
        if matches!(reply, Reply::Error(_)) {
            idle.clear();
        } else if idle.len() < MAX_IDLE {
            idle.push(link);
        }
        answer(what, reply)
    }

    /// Connects, and in one round trip authenticates, loads the scripts, and requests the settings
    /// that decide how the server keeps data. Only `CONFIG GET` shows one of them, and with the
    /// right to use it a user can read the server's passwords, so the URL can state it instead.
    fn connect(&self, until: Instant) -> Result<Link, StoreError> {
        let Place { login, database, persistence, .. } = &self.place;
        let database = database.to_string();
        // One round trip logs in, loads the scripts and asks how the server keeps data.
        let mut commands: Vec<Vec<&str>> = Vec::new();
        if let Some(login) = login {
            let user = if login.user.is_empty() { "default" } else { &login.user };
            commands.push(vec!["AUTH", user, &login.password]);
        }
        if database != "0" {
            commands.push(vec!["SELECT", &database]);
        }
        commands.extend(SCRIPTS.map(|script| vec!["SCRIPT", "LOAD", script]));
        let own = commands.len();
        commands.extend(persistence.questions().iter().map(|question| question.to_vec()));
        let commands: Vec<&[&str]> = commands.iter().map(|command| &**command).collect();
        let mut connection =
            Connection::open(&self.place, until).map_err(|error| self.silence(error))?;
        let replies = connection.ask(&commands, until).map_err(|error| self.hung_up(error))?;
        let mut replies = replies.into_iter();
        let mut scripts = Vec::new();
        // The replies come in the order of the commands.
        for (command, reply) in commands[..own].iter().zip(replies.by_ref()) {
            match command[0] {
                "SCRIPT" => {
                    let name = answer("take a script", reply)?;
                    scripts.push(name.text().unwrap_or_default().to_owned());
                }
                "AUTH" => drop(answer("log in", reply)?),
                _ => drop(answer("select the database", reply)?),
            }
        }
        Settings::of(replies).check(*persistence)?;
        Ok(Link { connection, scripts })
    }

    /// Returns the error of a request without an answer.
    fn silence(&self, error: io::Error) -> StoreError {
        if self.place.tls.is_some()
            && let Some(what) = crate::tls::certificates::hindrance(&error)
        {
            return error::failed(BACKEND, what).with_source(error);
        }
        error::unreachable(BACKEND, error)
    }

    /// Returns the error of a server that did not answer the first request.
    fn hung_up(&self, error: io::Error) -> StoreError {
        if self.place.tls.is_some() || !crate::tls::is_hung_up(&error) {
            return self.silence(error);
        }
        error::unreachable(BACKEND, crate::tls::HungUp(error.into()))
    }
}

/// Returns a reply unless it is an error.
fn answer(what: &str, reply: Reply) -> Result<Reply, StoreError> {
    let Reply::Error(message) = reply else { return Ok(reply) };
    let what = match message.split(' ').next() {
        Some("NOAUTH") => "log in",
        // The server still reads its data, or its primary's.
        Some("LOADING" | "MASTERDOWN") => {
            return Err(error::unreachable(BACKEND, excerpt(&message)));
        }
        Some("READONLY") => {
            let what = "write: the server accepts no writes, like a replica";
            return Err(error::not_ready(BACKEND, what).with_source(excerpt(&message)));
        }
        Some("MOVED" | "ASK" | "TRYAGAIN" | "CROSSSLOT" | "CLUSTERDOWN") => {
            "use one server of a Redis Cluster, which is not followed: name a server that has all keys"
        }
        _ => what,
    };
    Err(error::failed(BACKEND, what).with_source(excerpt(&message)))
}

/// The settings that decide how a server keeps data, as far as it reports them.
#[derive(Default)]
struct Settings {
    /// `appendonly`, as 0 or 1.
    is_logged: Option<String>,
    /// `appendfsync`.
    flush: Option<String>,
    /// `maxmemory-policy`.
    eviction: Option<String>,
}

impl Persistence {
    /// Returns the commands that request the settings in question.
    const fn questions(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::MayForget => &[],
            Self::FlushStated => &[&["INFO", "persistence"], &["INFO", "memory"]],
            Self::Shown => {
                &[&["INFO", "persistence"], &["INFO", "memory"], &["CONFIG", "GET", "appendfsync"]]
            }
        }
    }
}

impl Settings {
    /// Takes the replies to the [questions](Persistence::questions). `CONFIG GET` has a list.
    fn of(replies: impl Iterator<Item = Reply>) -> Self {
        let mut settings = Self::default();
        for reply in replies {
            match reply.list() {
                Some(list) => {
                    settings.flush = list.get(1).and_then(Reply::text).map(excerpt);
                }
                None => settings.note(reply.text().unwrap_or_default()),
            }
        }
        settings
    }

    fn check(&self, persistence: Persistence) -> Result<(), StoreError> {
        match self.doubt(persistence) {
            Some(why) => Err(StoreError::new(BACKEND, StoreErrorKind::Unfit { why })),
            None => Ok(()),
        }
    }

    /// Takes what a section of `INFO` reports.
    fn note(&mut self, section: &str) {
        for line in section.lines() {
            match line.split_once(':') {
                Some(("aof_enabled", value)) => self.is_logged = Some(excerpt(value)),
                Some(("maxmemory_policy", value)) => self.eviction = Some(excerpt(value)),
                _ => {}
            }
        }
    }

    /// Returns the reason to doubt that a server with these settings keeps acknowledged writes.
    fn doubt(&self, persistence: Persistence) -> Option<String> {
        const ADVICE: &str = "set it, or add `persistence=acknowledged` to the URL if you accept \
                              the loss of leases that a restart of Redis brings";
        let wrong = |name, value: &str, wanted| {
            Some(format!("its {name} is {value} instead of {wanted}: {ADVICE}"))
        };
        if persistence == Persistence::MayForget {
            return None;
        }
        // Without the log, a restart forgets every lease.
        match self.is_logged.as_deref() {
            Some("1") => {}
            Some("0") => return wrong("appendonly", "no", "yes"),
            _ => return wrong("appendonly", "not reported", "yes"),
        }
        // A log that is not flushed forgets the last ones.
        match self.flush.as_deref() {
            _ if persistence == Persistence::FlushStated => {}
            Some("always") => {}
            Some(value) => return wrong("appendfsync", value, "always"),
            None => {
                return Some(
                    "it does not report its appendfsync to this user: set it to always, and state \
                     that by `appendfsync=always` in the URL"
                        .to_owned(),
                );
            }
        }
        // A full server may remove keys, and with them leases.
        match self.eviction.as_deref() {
            Some(policy) if !policy.starts_with("allkeys") => None,
            policy => {
                let policy = policy.unwrap_or("not reported");
                Some(format!(
                    "its maxmemory-policy is {policy}, which may remove leases, instead of \
                     noeviction: {ADVICE}"
                ))
            }
        }
    }
}

/// Without the password.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address())
            .field("timeout", &self.timeout)
            .field("persistence", &self.place.persistence)
            .field("is_encrypted", &self.place.tls.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_start_are_awaited() {
        let passes = |message: &str| {
            answer("answer a request", Reply::Error(message.to_owned())).unwrap_err().passes()
        };
        assert!(passes("LOADING Redis is loading the dataset in memory"));
        assert!(passes("READONLY You can't write against a read only replica."));
        assert!(!passes("WRONGPASS invalid username-password pair or user is disabled."));
        assert!(!passes("NOPERM User app has no permissions to run the 'get' command"));
    }
}
