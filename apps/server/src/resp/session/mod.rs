//! The state of a connection of RESP, and its commands.

mod commands;
mod transaction;

use core::fmt;
use core::fmt::Write as _;
use core::sync::atomic::Ordering;
use std::sync::Arc;

use tickid_convert::Form;
use tokio::time::Instant;

pub(crate) use self::commands::NO_AUTH;
pub(crate) use self::transaction::Transaction;
use super::parse::RespCommand;
use super::reply::{self, RespVersion};
use crate::access::{Client, WRONG_TOKENS};
use crate::metrics::Protocol;
use crate::realm::{
    FormUse, Framing, IdItem, IdOptions, IdRequest, RequestError, RunningRealm, number,
};
use crate::shared::{Peer, ServerState};

/// The state of one connection.
#[derive(Debug)]
pub(crate) struct RespSession {
    shared: Arc<ServerState>,
    version: RespVersion,
    /// The client, once it is known.
    client: Option<Arc<Client>>,
    /// The number of the connection.
    id: u64,
    peer: Peer,
    /// The commands since MULTI.
    transaction: Option<Transaction>,
    /// The name that the client gave itself.
    name: String,
    /// The number of wrong tokens that the client has sent.
    wrong_tokens: u32,
}

/// The next step after a command.
#[derive(Debug)]
pub(crate) enum AfterCommand {
    /// The answer has been appended.
    Continue,
    /// The answer has been appended, and is the last.
    Close,
    /// IDs could not be issued immediately.
    Wait(PendingReply),
    /// The commands of a transaction must be run.
    Execute(Transaction),
}

/// An answer that must wait for some of its IDs.
#[derive(Debug)]
pub(crate) struct PendingReply {
    realm: Arc<RunningRealm>,
    /// The IDs that are missing.
    request: IdRequest,
    reply: StartedReply,
}

/// An answer whose head has been written, and whose IDs follow.
#[derive(Clone, Copy, Debug)]
struct StartedReply {
    shape: ReplyShape,
    /// What its IDs are.
    item: IdItem,
    /// Where it starts in the output.
    start: usize,
}

/// How a command answers with IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplyShape {
    /// One ID.
    One,
    /// An array of IDs.
    Array,
    /// A string of all IDs.
    Bytes,
}

/// The arguments of a command.
struct Args<'a> {
    command: &'a RespCommand,
    buffer: &'a [u8],
}

impl<'a> Args<'a> {
    fn len(&self) -> usize {
        self.command.len()
    }

    fn get(&self, index: usize) -> &'a [u8] {
        self.command.arg(index, self.buffer)
    }

    fn is(&self, index: usize, word: &str) -> bool {
        self.get(index).eq_ignore_ascii_case(word.as_bytes())
    }

    /// Returns an argument as it is shown in errors, that is escaped and cut.
    fn shown(&self, index: usize) -> String {
        let arg = self.get(index);
        let end = if arg.len() > 128 { "…" } else { "" };
        format!("{}{end}", arg[..arg.len().min(128)].escape_ascii())
    }

    /// Returns the options of a request for IDs, which follow the realm, or the error.
    fn id_options(&self) -> Result<IdOptions<'a>, String> {
        let mut options = IdOptions::default();
        let mut at = 2;
        // A word that starts like a number is meant as the count, so a bad one is refused as such.
        let is_number = |arg: &[u8]| matches!(arg, [b'0'..=b'9' | b'-' | b'+', ..]);
        if at < self.len() && is_number(self.get(at)) {
            options.count = Some(self.get(at));
            at += 1;
        }
        // The others come in any order, each once, because of two the client may have meant either.
        while at < self.len() {
            let has_value = at + 1 < self.len();
            let option = if has_value && self.is(at, "as") {
                &mut options.form
            } else if has_value && self.is(at, "meta") {
                &mut options.meta
            } else {
                return Err("ERR syntax error".to_owned());
            };
            if option.replace(self.get(at + 1)).is_some() {
                let option = self.shown(at).to_ascii_uppercase();
                return Err(format!("ERR the option {option} is repeated"));
            }
            at += 2;
        }
        Ok(options)
    }
}

impl fmt::Display for Args<'_> {
    /// Writes the arguments after the name, as far as Redis shows them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (1..self.len().min(4)).try_for_each(|index| write!(f, "'{}' ", self.shown(index)))
    }
}

impl RespSession {
    pub(crate) fn new(shared: Arc<ServerState>, id: u64, peer: Peer) -> Self {
        let client = shared.access.anyone().cloned();
        Self {
            shared,
            version: RespVersion::default(),
            client,
            id,
            peer,
            transaction: None,
            name: String::new(),
            wrong_tokens: 0,
        }
    }

    /// Runs a command, all of `buffer`, and appends its answer.
    pub(crate) fn run(
        &mut self,
        command: &RespCommand,
        buffer: &[u8],
        out: &mut Vec<u8>,
    ) -> AfterCommand {
        let args = &Args { command, buffer };
        let start = out.len();
        let next = self.dispatch(args, out);
        if out.get(start) == Some(&b'-') {
            self.shared.metrics.of(Protocol::Resp).failed.fetch_add(1, Ordering::Relaxed);
        }
        next
    }

    /// Reports whether the client has sent a valid token, or needs none.
    pub(crate) fn is_known(&self) -> bool {
        self.client.is_some()
    }

    /// Reports whether the client may send commands, because it needs no token or still has a valid
    /// one.
    fn is_admitted(&mut self) -> bool {
        if self.client.as_ref().is_some_and(|client| client.is_revoked()) {
            self.client = None;
            // Within a transaction the AUTH that the client must send now would be queued, and the
            // EXEC that would run it is refused without a token.
            self.transaction = None;
        }
        self.client.is_some()
    }

    fn incr(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        let realm = match self.realm(args) {
            Ok(realm) => realm,
            Err(text) => return fail(&text, out),
        };
        // An answer is always an integer, so a realm of longer IDs, such as sno, is refused. This
        // comes before the rate, because a refused request costs its client nothing.
        if let Err(error) = realm.check_integer() {
            return fail(&format!("ERR {error}"), out);
        }
        if let Some(refusal) = self.over_rate(1) {
            return fail(&refusal, out);
        }
        // A counter client sends nothing else, so the common case goes straight to the number,
        // without a block and without waiting for a turn.
        match realm.try_integer(Protocol::Resp) {
            Ok(id) => integer_id(id, out),
            Err(_) => {
                // The reason is not needed. Waiting for the ID either succeeds by the deadline, or
                // returns the reason at that moment.
                let request =
                    IdRequest { count: 1, form: Form::Int, framing: Framing::Resp, meta: None };
                let reply = StartedReply::begin(ReplyShape::One, request, realm, out);
                AfterCommand::Wait(PendingReply { realm: Arc::clone(realm), request, reply })
            }
        }
    }

    /// Does the same as `INCR`, for libraries that send this in its place.
    fn incr_by(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        if args.get(2) != b"1" {
            return fail("ERR INCRBY of a realm takes 1; TICKID.NEXT returns more IDs", out);
        }
        self.incr(args, out)
    }

    fn next(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        let realm = match self.realm(args) {
            Ok(realm) => realm,
            Err(text) => return fail(&text, out),
        };
        let options = match args.id_options() {
            Ok(options) => options,
            Err(text) => return fail(&text, out),
        };
        let most = self.shared.limits.count;
        // Refused before the reply's head is written, because it promises a number of IDs.
        let request = match IdRequest::parse(options, realm, most, Framing::Resp) {
            Ok(request) => request,
            Err(error) => return fail(&refusal(&error), out),
        };
        if let Some(refusal) = self.over_rate(request.count) {
            return fail(&refusal, out);
        }
        let shape = ReplyShape::of(request, options);
        let reply = StartedReply::begin(shape, request, realm, out);
        // Most requests end here. What the generator cannot issue now is waited for outside, where
        // other connections run meanwhile.
        let issued = realm.try_issue(request, Protocol::Resp, out).unwrap_or(0);
        match request.count.saturating_sub(issued) {
            0 => {
                reply.end(out);
                AfterCommand::Continue
            }
            count => {
                let request = IdRequest { count, ..request };
                AfterCommand::Wait(PendingReply { realm: Arc::clone(realm), request, reply })
            }
        }
    }

    fn observe(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        // Observing an ID skips all IDs before it for every client, so it takes a right of its own.
        // Without tokens, all clients have it.
        if !self.client.as_ref().is_some_and(|client| client.may_observe()) {
            return fail("NOPERM the token has no right to observe", out);
        }
        let realm = match self.realm(args) {
            Ok(realm) => realm,
            Err(text) => return fail(&text, out),
        };
        let form = match args.len() {
            3 => None,
            5 if args.is(3, "as") => Some(args.get(4)),
            _ => return fail("ERR syntax error", out),
        };
        let form = match realm.form(form, FormUse::Observe) {
            Ok(form) => form,
            Err(error) => return fail(&refusal(&error), out),
        };
        // An observed ID counts like an issued one, because it can use up sequences just as well:
        // those before it are skipped.
        if let Some(refusal) = self.over_rate(1) {
            return fail(&refusal, out);
        }
        match realm.observe(args.get(2), form) {
            Ok(()) => ok(out),
            Err(error) => fail(&refusal(&error), out),
        }
    }

    /// Returns the realm that a command names, or the error.
    fn realm(&self, args: &Args<'_>) -> Result<&Arc<RunningRealm>, String> {
        match self.shared.realms.get(args.get(1)) {
            Some(realm) => realm.map_err(|error| refusal(&error)),
            None => Err(format!("ERR no such realm '{}'", args.shown(1))),
        }
    }

    /// Counts IDs against the rate, and returns the refusal if it is exceeded.
    fn over_rate(&self, ids: u32) -> Option<String> {
        let client = self.client.as_ref()?;
        let error = self.shared.access.admit(client, ids).err()?;
        Some(format!("TRYAGAIN {error}; retry after {} ms", error.retry_after.as_millis().max(1)))
    }

    #[expect(clippy::unused_self, reason = "one signature for all commands")]
    fn ping(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        match args.len() {
            1 => reply::status("PONG", out),
            _ => reply::bulk(args.get(1), out),
        }
        AfterCommand::Continue
    }

    #[expect(clippy::unused_self, reason = "one signature for all commands")]
    fn echo(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        reply::bulk(args.get(1), out);
        AfterCommand::Continue
    }

    #[expect(clippy::unused_self, reason = "one signature for all commands")]
    fn quit(&mut self, _: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        reply::status("OK", out);
        AfterCommand::Close
    }

    fn reset(&mut self, _: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        let new = Self::new(Arc::clone(&self.shared), self.id, self.peer);
        *self = Self { wrong_tokens: self.wrong_tokens, ..new };
        reply::status("RESET", out);
        AfterCommand::Continue
    }

    #[expect(clippy::unused_self, reason = "one signature for all commands")]
    fn select(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        match number(args.get(1)) {
            Some(0) => ok(out),
            Some(_) => fail("ERR DB index is out of range", out),
            None => fail("ERR value is not an integer or out of range", out),
        }
    }

    fn auth(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        let user = if args.len() == 3 { args.get(1) } else { b"default" };
        match self.admit(user, args.get(args.len() - 1)) {
            Ok(()) => ok(out),
            Err(text) => self.refuse_token(text, out),
        }
    }

    /// Refuses a token. The last one that a connection may guess ends it.
    fn refuse_token(&self, text: &str, out: &mut Vec<u8>) -> AfterCommand {
        reply::error(text, out);
        if self.wrong_tokens < WRONG_TOKENS { AfterCommand::Continue } else { AfterCommand::Close }
    }

    /// Looks up the token. The user is "default" or the token's name.
    fn admit(&mut self, user: &[u8], token: &[u8]) -> Result<(), &'static str> {
        if !self.shared.access.is_closed() {
            return Err("ERR AUTH <password> called without any password configured for the \
                        default user. Are you sure your configuration is correct?");
        }
        let client = self.shared.access.client(token);
        // A token under another name than its own is refused like a wrong one, so the answer does
        // not show which of the two was right.
        match client.filter(|it| user == b"default" || user == it.name().as_bytes()) {
            Some(client) => {
                self.client = Some(client);
                Ok(())
            }
            None => {
                self.wrong_tokens += 1;
                if let Some(suppressed) = self.shared.warnings.token.admit("") {
                    tracing::warn!(peer = %self.peer, suppressed, "a client has no valid token");
                }
                Err("WRONGPASS invalid username-password pair or user is disabled.")
            }
        }
    }

    fn hello(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        // All options are read before anything changes, because a client whose HELLO is malformed
        // keeps its state.
        let mut version = self.version;
        if args.len() > 1 {
            version = match number(args.get(1)) {
                Some(2) => RespVersion::Resp2,
                Some(3) => RespVersion::Resp3,
                _ => return fail("NOPROTO unsupported protocol version", out),
            };
        }
        let (mut at, mut name) = (2, None);
        let mut credentials = None;
        while at < args.len() {
            if args.is(at, "auth") && at + 2 < args.len() && credentials.is_none() {
                credentials = Some((args.get(at + 1), args.get(at + 2)));
                at += 3;
            } else if args.is(at, "setname") && at + 1 < args.len() && name.is_none() {
                name = match checked_name(args.get(at + 1)) {
                    Ok(name) => Some(name.to_owned()),
                    Err(text) => return fail(text, out),
                };
                at += 2;
            } else {
                let option = args.shown(at);
                return fail(&format!("ERR Syntax error in HELLO option '{option}'"), out);
            }
        }
        // The same order as in Redis: the token first, so that strangers learn nothing else.
        if let Some((user, token)) = credentials
            && let Err(text) = self.admit(user, token)
        {
            return self.refuse_token(text, out);
        }
        if !self.is_admitted() {
            return fail(
                "NOAUTH HELLO must be called with the client already authenticated, otherwise the \
                 HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client \
                 and select the RESP protocol version at the same time",
                out,
            );
        }
        if let Some(name) = name {
            self.name = name;
        }
        // Clients read server, version and role, and expect the members of Redis.
        self.version = version;
        reply::map(7, version, out);
        for (key, value) in [("server", "tickid"), ("version", env!("CARGO_PKG_VERSION"))] {
            reply::bulk(key.as_bytes(), out);
            reply::bulk(value.as_bytes(), out);
        }
        reply::bulk(b"proto", out);
        reply::integer(version.number(), out);
        reply::bulk(b"id", out);
        reply::integer(self.id.cast_signed(), out);
        for (key, value) in [("mode", "standalone"), ("role", "master")] {
            reply::bulk(key.as_bytes(), out);
            reply::bulk(value.as_bytes(), out);
        }
        reply::bulk(b"modules", out);
        reply::array(0, out);
        AfterCommand::Continue
    }

    fn client(&mut self, args: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        let is = |sub, len| args.is(1, sub) && args.len() == len;
        // A known subcommand with a wrong number of arguments falls through to the error at the
        // end.
        if is("id", 2) {
            reply::integer(self.id.cast_signed(), out);
        } else if is("getname", 2) {
            match &*self.name {
                "" => reply::null(self.version, out),
                name => reply::bulk(name.as_bytes(), out),
            }
        } else if is("setname", 3) {
            return match checked_name(args.get(2)) {
                Ok(name) => {
                    name.clone_into(&mut self.name);
                    ok(out)
                }
                Err(text) => fail(text, out),
            };
        } else if is("setinfo", 4) || is("no-evict", 3) || is("no-touch", 3) {
            // Many libraries send `CLIENT SETINFO LIB-NAME …` on each new connection. Nothing here
            // depends on any of these.
            return ok(out);
        } else if is("info", 2) {
            // The members that Redis has and that mean something here, in its form, one line of
            // `key=value`.
            let user = self.client.as_ref().map_or("", |client| client.name());
            let (id, name, proto) = (self.id, &self.name, self.version.number());
            let line = format!("id={id} name={name} db=0 user={user} resp={proto}\n");
            reply::bulk(line.as_bytes(), out);
        } else {
            let sub = args.shown(1);
            let text = format!(
                "ERR unknown subcommand or wrong number of arguments for '{sub}'. There are \
                 CLIENT ID, GETNAME, SETNAME, SETINFO, INFO"
            );
            return fail(&text, out);
        }
        AfterCommand::Continue
    }

    fn info(&mut self, _: &Args<'_>, out: &mut Vec<u8>) -> AfterCommand {
        // The sections and names are those of Redis where it has them, so that a monitor which
        // reads `connected_clients` or `rejected_connections` finds them. All sections are returned
        // whatever the arguments name, as readers look for names anyway.
        let metrics = self.shared.metrics.of(Protocol::Resp);
        let mut text = String::new();
        // Writing to memory cannot fail.
        let _ = write!(
            text,
            "# Server\r\nserver_name:tickid\r\ntickid_version:{}\r\nprocess_id:{}\r\n\
             uptime_in_seconds:{}\r\n\r\n# Clients\r\nconnected_clients:{}\r\nmaxclients:{}\r\n\r\n\
             # Stats\r\ntotal_connections_received:{}\r\nrejected_connections:{}\r\n\
             total_commands_processed:{}\r\ntotal_error_replies:{}\r\n\r\n# Realms\r\n",
            env!("CARGO_PKG_VERSION"),
            std::process::id(),
            self.shared.started.elapsed().as_secs(),
            metrics.open.load(Ordering::Relaxed),
            self.shared.limits.connections,
            metrics.accepted.load(Ordering::Relaxed),
            metrics.refused.load(Ordering::Relaxed),
            metrics.latency.count(),
            metrics.failed.load(Ordering::Relaxed),
        );
        // The form of Redis' keyspace lines, such as `db0:keys=1,expires=0`:
        // `orders:scheme=sno,node=42/16,window_seconds=9.3,ids=7`.
        for realm in self.shared.realms.iter() {
            let state = realm.state();
            let left = state.window_left.as_secs_f64();
            let node = state.lease.map(|lease| lease.node.to_string());
            let _ = write!(
                text,
                "{}:scheme={},node={},window_seconds={left:.1},ids={}\r\n",
                realm.name(),
                realm.scheme(),
                node.as_deref().unwrap_or("none"),
                realm.metrics.ids(),
            );
        }
        reply::bulk(text.as_bytes(), out);
        AfterCommand::Continue
    }
}

impl ReplyShape {
    /// Returns the shape of the answer to a request. Only one that names a count gets an array.
    fn of(request: IdRequest, options: IdOptions<'_>) -> Self {
        match (request.form.into(), options.count) {
            (IdItem::Bytes, Some(_) | None) => Self::Bytes,
            (IdItem::Text | IdItem::Integer, Some(_)) => Self::Array,
            (IdItem::Text | IdItem::Integer, None) => Self::One,
        }
    }
}

impl StartedReply {
    /// Appends the head, which promises the IDs of the request.
    fn begin(
        shape: ReplyShape,
        request: IdRequest,
        realm: &RunningRealm,
        out: &mut Vec<u8>,
    ) -> Self {
        let (start, count) = (out.len(), request.count as usize);
        match shape {
            ReplyShape::One => {}
            ReplyShape::Array => reply::array(count, out),
            ReplyShape::Bytes => reply::bulk_header(count * realm.id_size(), out),
        }
        Self { shape, item: request.form.into(), start }
    }

    /// Completes an answer that has all of its IDs. Integers that this protocol does not have, and
    /// that clients would cut or refuse, are replaced by an error.
    fn end(self, out: &mut Vec<u8>) {
        match self.shape {
            ReplyShape::Bytes => out.extend_from_slice(b"\r\n"),
            ReplyShape::One | ReplyShape::Array => {}
        }
        let is_too_large = match self.item {
            // The IDs of an answer ascend.
            IdItem::Integer => last_integer(out).is_some_and(|id| i64::try_from(id).is_err()),
            IdItem::Text | IdItem::Bytes => false,
        };
        if is_too_large {
            out.truncate(self.start);
            reply::error(NO_INTEGER, out);
        }
    }
}

impl PendingReply {
    /// Returns the number of bytes of output that belong to earlier commands, which from now on are
    /// not part of it.
    pub(crate) fn split_off_earlier(&mut self) -> usize {
        core::mem::take(&mut self.reply.start)
    }

    /// Issues the IDs by the deadline and completes the answer, or replaces it by an error.
    pub(crate) async fn run(self, shared: &ServerState, deadline: Instant, out: &mut Vec<u8>) {
        let error =
            match self.realm.issue_in_turn(self.request, Protocol::Resp, deadline, out).await {
                Ok(()) => {
                    self.reply.end(out);
                    if out.get(self.reply.start) == Some(&b'-') {
                        shared.metrics.of(Protocol::Resp).failed.fetch_add(1, Ordering::Relaxed);
                    }
                    return;
                }
                Err(error) => error,
            };
        // The head of an array promises its elements, so an error cannot follow some of them and
        // takes the place of all. IDs that were generated are lost.
        out.truncate(self.reply.start);
        shared.metrics.of(Protocol::Resp).failed.fetch_add(1, Ordering::Relaxed);
        reply::error(&refusal(&error), out);
    }
}

/// The error for an ID above the integers of this protocol, which have a sign.
const NO_INTEGER: &str = "ERR the ID exceeds 63 bits; TICKID.NEXT returns it as text";

/// Returns the integer at the end of an answer.
fn last_integer(out: &[u8]) -> Option<u64> {
    let digits = out.strip_suffix(b"\r\n")?;
    let start = digits.iter().rposition(|&byte| byte == b':')?;
    str::from_utf8(&digits[start + 1..]).ok()?.parse().ok()
}

/// Returns the text of an error, which starts with `TRYAGAIN` if the request may succeed later.
fn refusal(error: &RequestError) -> String {
    match (error.retry_after(), error.limit()) {
        (Some(time), _) => format!("TRYAGAIN {error}; retry after {} ms", time.as_millis().max(1)),
        (None, Some(limit)) => format!("ERR {error} (limit {limit})"),
        (None, None) => format!("ERR {error}"),
    }
}

/// Appends an ID as an integer, which in this protocol has a sign.
fn integer_id(id: u64, out: &mut Vec<u8>) -> AfterCommand {
    match i64::try_from(id) {
        Ok(id) => {
            reply::integer(id, out);
            AfterCommand::Continue
        }
        Err(_) => fail(NO_INTEGER, out),
    }
}

fn ok(out: &mut Vec<u8>) -> AfterCommand {
    reply::status("OK", out);
    AfterCommand::Continue
}

fn fail(text: &str, out: &mut Vec<u8>) -> AfterCommand {
    reply::error(text, out);
    AfterCommand::Continue
}

/// Returns the name of a client, if it is one that Redis takes.
fn checked_name(name: &[u8]) -> Result<&str, &'static str> {
    let is_name =
        |name: &&str| name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_graphic());
    str::from_utf8(name).ok().filter(is_name).ok_or(
        "ERR Client names cannot contain spaces, newlines or special characters, and have at most \
         64 bytes",
    )
}
