//! One connection of RESP.

use core::pin::pin;
use core::sync::atomic::Ordering;
use core::time::Duration;
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::parse::{ProtocolError, RespCommand};
use super::reply;
use super::session::{AfterCommand, NO_AUTH, PendingReply, RespSession, Transaction};
use crate::metrics::Protocol;
use crate::shared::{LOOK, Last, Peer, ServerState};
use crate::stream::{ClientStream, Lingering};

/// The size of a quiet connection's buffer.
const QUIET: usize = 1_024;
/// The number of bytes to read in one call from a busy one.
const BUSY: usize = 16_384;
/// The number of bytes of answers after which they are written, though there are more requests.
const FLUSH: usize = 65_536;
/// The most bytes of a command before the client has sent a valid token, so that strangers take
/// little memory. `HELLO` with a token and a name has fewer.
const UNKNOWN: usize = 1_024;

/// Serves a connection to its end.
///
/// # Errors
/// Returns the error that ended the connection, if it was not one of the client's requests.
pub(crate) async fn serve(
    stream: impl ClientStream,
    shared: Arc<ServerState>,
    id: u64,
    peer: Peer,
) -> io::Result<()> {
    let session = RespSession::new(Arc::clone(&shared), id, peer);
    let connection = RespConnection {
        stream: Lingering::new(stream, shared.limits.timeout, shared.answering.token()),
        session,
        input: Vec::new(),
        read: 0,
        was_full: false,
        has_asked: false,
        output: Vec::new(),
        written: 0,
    };
    connection.run(&shared).await
}

struct RespConnection<S> {
    stream: Lingering<S>,
    session: RespSession,
    /// Bytes that have arrived.
    input: Vec<u8>,
    /// The number of these that were commands already answered.
    read: usize,
    /// Set if the buffer was full when bytes were last read.
    was_full: bool,
    /// Set once a command has arrived.
    has_asked: bool,
    output: Vec<u8>,
    /// The number of bytes written since others had their turn.
    written: usize,
}

/// The state of a connection after the commands that have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionStatus {
    /// All commands are answered.
    Open,
    /// The client has left, or must leave.
    Over,
}

impl<S: ClientStream> RespConnection<S> {
    async fn run(mut self, shared: &Arc<ServerState>) -> io::Result<()> {
        let limits = &shared.limits;
        // Made once, as they would cost more than a request. The timer is set anew only when it has
        // run out, or is too late for a deadline.
        let mut stopping = pin!(shared.stopping.cancelled());
        let mut timer = pin!(sleep_until(Instant::now() + limits.idle));
        let mut since = Instant::now();
        let mut was_partial = false;
        // The time since which the client owes a first command, or its token.
        let mut owing = None;
        let mut last: Option<Last> = None;
        loop {
            // An unfinished command has a deadline from its first byte on.
            let is_partial = !self.input.is_empty();
            if !is_partial || !was_partial {
                since = Instant::now();
            }
            was_partial = is_partial;
            if self.has_asked && self.session.is_known() {
                owing = None;
            } else {
                owing.get_or_insert(since);
            }
            let deadline = match (owing, is_partial) {
                (Some(owing), _) => owing + limits.timeout.min(limits.idle),
                (None, true) => since + limits.timeout,
                (None, false) => since + limits.idle,
            };
            let deadline = last.map_or(deadline, |last| deadline.min(last.deadline));
            if timer.deadline() > deadline {
                timer.as_mut().reset(deadline);
            }
            self.make_room();
            let len = loop {
                tokio::select! {
                    biased;
                    len = read(&mut self.stream, &mut self.input, last.is_some()) => break len?,
                    () = &mut stopping, if last.is_none() => {
                        timer.as_mut().reset(deadline.min(last.insert(Last::new()).deadline));
                    }
                    () = &mut timer => {
                        let now = Instant::now();
                        match &mut last {
                            Some(last) if now < last.deadline => {}
                            Some(last) if self.stream.has_more() => last.prolong(),
                            Some(_) => {
                                self.stream.note_quiet();
                                return self.stream.shutdown().await;
                            }
                            None if now < deadline => {}
                            None => return self.time_out(is_partial, limits.timeout).await,
                        }
                        let deadline = last.map_or(deadline, |last| last.deadline);
                        timer.as_mut().reset(deadline);
                    }
                }
            };
            if len == 0 {
                return self.stream.shutdown().await;
            }
            self.was_full = self.input.len() == self.input.capacity();
            let arrived = self.input.len();
            let status = self.answer(shared).await?;
            // The rest is another command; its time starts now.
            was_partial &= self.input.len() == arrived;
            // Requests that have arrived are answered; later ones are not.
            if let Some(last) = &mut last {
                last.read(len, !self.input.is_empty());
            }
            if status == ConnectionStatus::Over || last.is_some_and(|last| last.is_over()) {
                return self.stream.shutdown().await;
            }
        }
    }

    /// Makes room for the next bytes, and gives back what a quiet connection does not need.
    fn make_room(&mut self) {
        let is_busy = self.was_full && self.session.is_known();
        let room = if is_busy { BUSY } else { QUIET };
        if self.input.is_empty() && self.input.capacity() > room {
            self.input = Vec::new();
        }
        if self.output.capacity() > QUIET {
            self.output = Vec::new();
        }
        self.input.reserve(room);
    }

    async fn time_out(mut self, is_partial: bool, timeout: Duration) -> io::Result<()> {
        if is_partial {
            let text =
                format!("ERR the request was not complete after {timeout:?} (limit timeout)");
            reply::error(&text, &mut self.output);
            self.flush(timeout).await?;
        }
        self.stream.shutdown().await
    }

    /// Answers the commands that have arrived.
    async fn answer(&mut self, shared: &ServerState) -> io::Result<ConnectionStatus> {
        let limits = &shared.limits;
        let metrics = shared.metrics.of(Protocol::Resp);
        let mut start = Instant::now();
        let mut commands = 0;
        let mut command = RespCommand::default();
        let mut status = ConnectionStatus::Open;
        // One command after the other, because replies must keep the order. A pipeline is read
        // once and answered by few writes.
        while status == ConnectionStatus::Open {
            let rest = &self.input[self.read..];
            let most = limits.request_bytes as usize;
            let is_known = self.session.is_known();
            let most = if is_known { most } else { most.min(UNKNOWN) };
            let is_there = match command.read(rest, most) {
                Ok(Some(len)) => {
                    self.read += len;
                    if command.len() == 0 {
                        continue;
                    }
                    commands += 1;
                    match self.session.run(&command, &rest[..len], &mut self.output) {
                        AfterCommand::Continue => {}
                        AfterCommand::Close => status = ConnectionStatus::Over,
                        AfterCommand::Wait(waiting) => self.wait(waiting, shared).await?,
                        AfterCommand::Execute(transaction) => {
                            status = self.execute(&transaction, shared).await?;
                        }
                    }
                    true
                }
                Ok(None) => false,
                Err(error) => {
                    let text = match error {
                        // What it lacks is the token, with which it may send more.
                        ProtocolError::TooBig(_) if !is_known => NO_AUTH.to_owned(),
                        ProtocolError::TooBig(_)
                        | ProtocolError::Count
                        | ProtocolError::NoBulk(_)
                        | ProtocolError::Length
                        | ProtocolError::NoEnd
                        | ProtocolError::Line => format!("ERR Protocol error: {error}"),
                    };
                    reply::error(&text, &mut self.output);
                    metrics.failed.fetch_add(1, Ordering::Relaxed);
                    status = ConnectionStatus::Over;
                    true
                }
            };
            if !is_there {
                break;
            }
            if self.output.len() >= FLUSH {
                self.flush(limits.timeout).await?;
                metrics.latency.record(start.elapsed(), commands);
                (start, commands) = (Instant::now(), 0);
            }
        }
        self.input.drain(..self.read);
        self.read = 0;
        // Answers to single requests of many clients leave together, which saves context switches
        // between clients and server. With one client there is nothing to wait for.
        if commands == 1 && metrics.open.load(Ordering::Relaxed) > 1 {
            tokio::task::yield_now().await;
        }
        self.flush(limits.timeout).await?;
        if commands > 0 {
            self.has_asked = true;
            metrics.latency.record(start.elapsed(), commands);
        }
        Ok(status)
    }

    /// Waits for the IDs of a command, unless its client leaves. One that has closed its side only
    /// is taken to have left, as Redis does it.
    async fn wait(&mut self, mut waiting: PendingReply, shared: &ServerState) -> io::Result<()> {
        // The answers to earlier commands of the pipeline are whole, and their client may use them
        // while it waits for this one. What this one has appended so far, such as the head of its
        // array, is kept back because an error may still replace it.
        let (earlier, patience) = (waiting.split_off_earlier(), shared.limits.timeout);
        if earlier > 0 {
            let answer = self.output.split_off(earlier);
            self.flush(patience).await?;
            self.output = answer;
        }
        let deadline = Instant::now() + patience;
        let mut run = pin!(waiting.run(shared, deadline, &mut self.output));
        // Nothing is read meanwhile, so a client that leaves would not be noticed, and its IDs
        // would be taken from those that still wait. The connection is therefore checked from time
        // to time.
        loop {
            tokio::select! {
                biased;
                () = &mut run => return Ok(()),
                () = sleep(LOOK) => {
                    if self.stream.has_left() {
                        let error = io::ErrorKind::ConnectionAborted;
                        return Err(io::Error::new(error, "the client left while it waited"));
                    }
                }
            }
        }
    }

    /// Runs the commands of a transaction, and answers with an array of their answers.
    async fn execute(
        &mut self,
        transaction: &Transaction,
        shared: &ServerState,
    ) -> io::Result<ConnectionStatus> {
        let limits = &shared.limits;
        reply::array(transaction.count as usize, &mut self.output);
        let mut rest = &*transaction.commands;
        let mut command = RespCommand::default();
        // The commands were read before, so all are whole.
        while let Ok(Some(len)) = command.read(rest, limits.request_bytes as usize) {
            let (bytes, next) = rest.split_at(len);
            rest = next;
            match self.session.run(&command, bytes, &mut self.output) {
                AfterCommand::Wait(waiting) => self.wait(waiting, shared).await?,
                // The client has guessed too many tokens; the rest of the array is not its own.
                AfterCommand::Close => return Ok(ConnectionStatus::Over),
                AfterCommand::Continue | AfterCommand::Execute(_) => {}
            }
            if self.output.len() >= FLUSH {
                self.flush(limits.timeout).await?;
            }
        }
        Ok(ConnectionStatus::Open)
    }

    /// Writes the answers. A client that does not read them in time loses its connection.
    async fn flush(&mut self, patience: Duration) -> io::Result<()> {
        if self.output.is_empty() {
            return Ok(());
        }
        timeout(patience, async {
            self.stream.write_all(&self.output).await?;
            self.stream.flush().await
        })
        .await
        .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "the client does not read"))??;
        self.written += self.output.len();
        self.output.clear();
        // Let other tasks have their turn, as a pipeline of large requests may have work for
        // seconds, and writing to a client that reads does not wait.
        if self.written >= FLUSH {
            self.written = 0;
            tokio::task::yield_now().await;
        }
        Ok(())
    }
}

/// Reads what there is, or waits for more. With `is_last`, the task's share of time does not count,
/// which would pass for the end of what has arrived.
async fn read(
    stream: &mut impl ClientStream,
    input: &mut Vec<u8>,
    is_last: bool,
) -> io::Result<usize> {
    if is_last {
        return unconstrained(stream.read_buf(input)).await;
    }
    stream.read_buf(input).await
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;
    use crate::access::{Access, Client};
    use crate::limits::Limits;
    use crate::realm::Realms;

    /// A pipeline whose answers its client has room for never waits, and has work for long.
    #[tokio::test(start_paused = true)]
    async fn others_have_their_turns_beside_a_pipeline() {
        const ECHO: usize = 1_000;
        const COMMANDS: usize = 4_000;
        let access = Access::new(None, None);
        let shared = Arc::new(ServerState::new(Realms::default(), access, Limits::default()));
        let (client, server) = duplex(2 * COMMANDS * ECHO);
        let (mut read, mut write) = tokio::io::split(client);
        let command = format!("*2\r\n$4\r\nECHO\r\n${ECHO}\r\n{}\r\n", "x".repeat(ECHO));
        write.write_all(command.repeat(COMMANDS).as_bytes()).await.unwrap();
        write.shutdown().await.unwrap();
        let connection = tokio::spawn(serve(server, shared, 1, Peer(None)));
        let mut turns = 0;
        while !connection.is_finished() {
            turns += 1;
            tokio::task::yield_now().await;
        }
        // What a read has brought is answered before a turn, which may be more than is written by
        // then.
        assert!((COMMANDS * ECHO / (2 * FLUSH)..COMMANDS).contains(&turns), "{turns}");
        let mut answers = Vec::new();
        read.read_to_end(&mut answers).await.unwrap();
        assert_eq!(answers.len(), COMMANDS * format!("${ECHO}\r\n{}\r\n", "x".repeat(ECHO)).len());
    }

    /// A stranger takes little memory, and one that shows its token has the limit of the others.
    #[tokio::test(start_paused = true)]
    async fn commands_are_short_until_the_token() {
        let token = "0123456789abcdef";
        let echo = |len: usize| format!("*2\r\n$4\r\nECHO\r\n${len}\r\n{}\r\n", "x".repeat(len));
        let no_auth = "-NOAUTH Authentication required.\r\n";
        let long = "x".repeat(900);
        for (has_tokens, sent, expected) in [
            (true, "*2\r\n$4\r\nECHO\r\n$1024\r\n".to_owned(), no_auth.to_owned()),
            (true, echo(1_000), no_auth.to_owned()),
            (
                true,
                "*1025\r\n".to_owned(),
                "-ERR Protocol error: invalid multibulk length\r\n".to_owned(),
            ),
            // Each command by itself, whatever its client sends at once.
            (
                true,
                format!("{}PING\r\nQUIT\r\n", echo(900).repeat(5)),
                format!("{}+OK\r\n", no_auth.repeat(6)),
            ),
            (
                true,
                format!("AUTH {long} {token}\r\nAUTH {token}\r\n{}QUIT\r\n", echo(60_000)),
                format!(
                    "-WRONGPASS invalid username-password pair or user is disabled.\r\n+OK\r\n$60000\r\n{}\r\n+OK\r\n",
                    "x".repeat(60_000)
                ),
            ),
            (false, format!("{}QUIT\r\n", echo(2)), "$2\r\nxx\r\n+OK\r\n".to_owned()),
            (
                false,
                format!("{}QUIT\r\n", echo(60_000)),
                format!("$60000\r\n{}\r\n+OK\r\n", "x".repeat(60_000)),
            ),
        ] {
            let clients = has_tokens.then(|| vec![Client::new("a", token, false)]);
            let access = Access::new(clients, None);
            let shared = Arc::new(ServerState::new(Realms::default(), access, Limits::default()));
            let (mut client, server) = duplex(1 << 20);
            tokio::spawn(serve(server, shared, 1, Peer(None)));
            client.write_all(sent.as_bytes()).await.unwrap();
            let mut rest = String::new();
            client.read_to_string(&mut rest).await.unwrap();
            let start = |text: &str| text.chars().take(200).collect::<String>();
            assert!(rest == expected, "{}: {}", start(&sent), start(&rest));
        }
    }

    /// A stream of requests whose parts all end within one. Only a single request may be late.
    #[tokio::test(start_paused = true)]
    async fn each_request_has_its_own_time() {
        let limits = Limits::default();
        let part = limits.timeout * 2 / 3;
        let access = Access::new(None, None);
        let shared = Arc::new(ServerState::new(Realms::default(), access, limits));
        let (mut client, server) = duplex(1_024);
        tokio::spawn(serve(server, shared, 1, Peer(None)));
        client.write_all(b"PI").await.unwrap();
        for _ in 0..10 {
            tokio::time::sleep(part).await;
            client.write_all(b"NG\r\nPI").await.unwrap();
            let mut answer = [0; 7];
            client.read_exact(&mut answer).await.unwrap();
            assert_eq!(&answer, b"+PONG\r\n");
        }
        let mut rest = String::new();
        client.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "-ERR the request was not complete after 5s (limit timeout)\r\n");
    }

    #[tokio::test(start_paused = true)]
    async fn clients_may_read_nothing_before_they_have_sent_everything() {
        let access = Access::new(None, None);
        let shared = Arc::new(ServerState::new(Realms::default(), access, Limits::default()));
        let (mut client, server) = duplex(1_024);
        tokio::spawn(serve(server, shared, 1, Peer(None)));
        client.write_all(b"*1\r\n:1\r\n").await.unwrap();
        client.write_all(&[b'a'; 4 << 20]).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "-ERR Protocol error: expected '$', got ':'\r\n");
    }

    #[tokio::test(start_paused = true)]
    async fn clients_that_do_not_read_are_closed() {
        let limits = Limits::default();
        let access = Access::new(None, None);
        let shared = Arc::new(ServerState::new(Realms::default(), access, limits.clone()));
        // There is room for a part of the answers.
        let (mut client, server) = duplex(32);
        client.write_all("PING\r\n".repeat(5).as_bytes()).await.unwrap();
        let start = Instant::now();
        let served = timeout(2 * limits.timeout, serve(server, shared, 1, Peer(None))).await;
        let error = served.expect("closed in time").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        // The timer has a resolution of a millisecond.
        assert_eq!(start.elapsed().as_secs(), limits.timeout.as_secs());
        drop(client);
    }

    #[tokio::test(start_paused = true)]
    async fn a_first_command_and_a_token_are_awaited_for_less_time() {
        let limits = Limits::default();
        for (has_tokens, first, answer, patience) in [
            (true, "", "", limits.timeout),
            (true, "AUTH wrong\r\n", "-WRONGPASS", limits.timeout),
            (true, "AUTH 0123456789abcdef\r\n", "+OK", limits.idle),
            (false, "", "", limits.timeout),
            (false, "PING\r\n", "+PONG", limits.idle),
        ] {
            let clients = has_tokens.then(|| vec![Client::new("a", "0123456789abcdef", false)]);
            let access = Access::new(clients, None);
            let shared = Arc::new(ServerState::new(Realms::default(), access, limits.clone()));
            let (mut client, server) = duplex(1_024);
            let start = Instant::now();
            tokio::spawn(serve(server, shared, 1, Peer(None)));
            client.write_all(first.as_bytes()).await.unwrap();
            let mut rest = String::new();
            client.read_to_string(&mut rest).await.unwrap();
            assert!(rest.starts_with(answer), "{rest}");
            // The timer has a resolution of a millisecond.
            assert_eq!(start.elapsed().as_secs(), patience.as_secs(), "{first}");
        }
    }
}
