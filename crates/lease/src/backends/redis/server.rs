//! Requests to a server, over connections that are kept for the next.

use core::fmt;
use core::time::Duration;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tickid_core::PerProcess;

use super::connection::Connection;
use super::reply::Reply;
use super::url::Place;
use crate::error::{StoreError, StoreErrorKind, excerpt};

pub(super) const BACKEND: &str = "redis";

/// The number of connections kept: a holder and a command need no more at once.
const MAX_IDLE: usize = 4;

pub(super) struct Server {
    place: Place,
    timeout: Duration,
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
    pub(super) const fn new(place: Place, timeout: Duration) -> Self {
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
        let until = Instant::now() + self.timeout;
        let count = keys.len().to_string();
        let run = |link: &mut Link| {
            let name = link.scripts[script as usize].clone();
            let words = ["EVALSHA", &name, &count].into_iter();
            let words: Vec<&str> =
                words.chain(keys.iter().map(|key| &**key)).chain(args.iter().copied()).collect();
            self.ask(link, &words, until)
        };
        let mut link = self.link(until)?;
        let mut reply = run(&mut link)?;
        if matches!(&reply, Reply::Error(message) if message.starts_with("NOSCRIPT")) {
            link = self.connect(until)?;
            reply = run(&mut link)?;
        }
        self.keep(link);
        answer("run a script", reply)
    }

    /// Runs a command.
    pub(super) fn command(&self, words: &[&str]) -> Result<Reply, StoreError> {
        let until = Instant::now() + self.timeout;
        let mut link = self.link(until)?;
        let reply = self.ask(&mut link, words, until)?;
        self.keep(link);
        answer("answer a request", reply)
    }

    fn ask(&self, link: &mut Link, words: &[&str], until: Instant) -> Result<Reply, StoreError> {
        let replies = link.connection.ask(&[words], until).map_err(|error| self.silence(error))?;
        Ok(replies.into_iter().next().unwrap_or(Reply::Nil))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Link>> {
        self.idle.get_or_set(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, link: Link) {
        let mut idle = self.idle();
        if idle.len() < MAX_IDLE {
            idle.push(link);
        }
    }

    /// Returns a kept connection that is still open, or a new one.
    fn link(&self, until: Instant) -> Result<Link, StoreError> {
        loop {
            let Some(mut link) = self.idle().pop() else { return self.connect(until) };
            if link.connection.is_usable() {
                return Ok(link);
            }
        }
    }

    /// Connects, and in one round trip authenticates, loads the scripts, and requests the settings
    /// by which the server keeps data.
    fn connect(&self, until: Instant) -> Result<Link, StoreError> {
        let Place { login, database, may_forget, .. } = &self.place;
        let database = database.to_string();
        let mut commands: Vec<Vec<&str>> = Vec::new();
        if let Some(login) = login {
            let user = if login.user.is_empty() { "default" } else { &login.user };
            commands.push(vec!["AUTH", user, &login.password]);
        }
        if database != "0" {
            commands.push(vec!["SELECT", &database]);
        }
        commands.extend(SCRIPTS.map(|script| vec!["SCRIPT", "LOAD", script]));
        if !may_forget {
            commands.extend(SETTINGS.map(|setting| vec!["CONFIG", "GET", setting]));
        }
        let commands: Vec<&[&str]> = commands.iter().map(|command| &**command).collect();
        let mut connection =
            Connection::open(&self.place, until).map_err(|error| self.silence(error))?;
        let replies = connection.ask(&commands, until).map_err(|error| self.hung_up(error))?;
        let (mut scripts, mut settings) = (Vec::new(), Vec::new());
        for (command, reply) in commands.iter().zip(replies) {
            match command[0] {
                "CONFIG" => settings.push(setting(&reply)),
                "SCRIPT" => {
                    let name = answer("take a script", reply)?;
                    scripts.push(name.text().unwrap_or_default().to_owned());
                }
                "AUTH" => drop(answer("log in", reply)?),
                _ => drop(answer("select the database", reply)?),
            }
        }
        match doubt(&settings) {
            Some(why) => Err(StoreError::new(BACKEND, StoreErrorKind::Unfit { why })),
            None => Ok(Link { connection, scripts }),
        }
    }

    /// Returns the error of a request without an answer.
    fn silence(&self, error: io::Error) -> StoreError {
        #[cfg(feature = "redis-tls")]
        if self.place.tls.is_some()
            && let Some(what) = crate::tls::certificates::hindrance(&error)
        {
            return StoreError::failed(BACKEND, what).with_source(error);
        }
        StoreError::unreachable(BACKEND, error)
    }

    /// Returns the error of a server that did not answer the first request.
    fn hung_up(&self, error: io::Error) -> StoreError {
        if self.place.tls.is_some() || !crate::tls::is_hung_up(&error) {
            return self.silence(error);
        }
        StoreError::unreachable(BACKEND, crate::tls::HungUp(error.into()))
    }
}

/// Returns a reply unless it is an error.
fn answer(what: &str, reply: Reply) -> Result<Reply, StoreError> {
    let Reply::Error(message) = reply else { return Ok(reply) };
    let what = if message.starts_with("NOAUTH") { "log in" } else { what };
    Err(StoreError::failed(BACKEND, what).with_source(excerpt(&message)))
}

const SETTINGS: [&str; 3] = ["appendonly", "appendfsync", "maxmemory-policy"];

/// Returns the value of a setting; `None` if the server does not report it.
fn setting(reply: &Reply) -> Option<String> {
    Some(excerpt(reply.list()?.get(1)?.text()?))
}

/// Returns the reason to doubt that a server with these [`SETTINGS`] keeps acknowledged writes.
fn doubt(settings: &[Option<String>]) -> Option<String> {
    const ADVICE: &str = "set it, or add `persistence=acknowledged` to the URL if you accept the \
                          losses that docs/leases/backends.md describes";
    let [appendonly, appendfsync, policy] = settings else { return None };
    for (name, value, wanted) in
        [("appendonly", appendonly, "yes"), ("appendfsync", appendfsync, "always")]
    {
        if value.as_deref() != Some(wanted) {
            let value = value.as_deref().unwrap_or("not reported");
            return Some(format!("its {name} is {value} instead of {wanted}: {ADVICE}"));
        }
    }
    let policy = policy.as_deref().filter(|policy| policy.starts_with("allkeys"))?;
    Some(format!("its maxmemory-policy is {policy}, which removes leases: {ADVICE}"))
}

/// Without the password.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address())
            .field("timeout", &self.timeout)
            .field("may_forget", &self.place.may_forget)
            .field("is_encrypted", &self.place.tls.is_some())
            .finish_non_exhaustive()
    }
}
