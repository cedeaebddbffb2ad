//! A connection to a server, with a deadline and a limit for each request. The `redis` crate is not
//! used, because it has a timeout for each read instead, and no limit for an answer.

use core::time::Duration;
use std::io::{self, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Instant;

use super::reply::{Reply, append};
use super::url::Place;

/// The largest number of bytes in the answer to a request. A page of rows takes a tenth of it.
const MAX_ANSWER: usize = 4 << 20;

pub(super) struct Connection(BufReader<Box<dyn Transport>>);

/// A connected socket, encrypted or not.
trait Transport: Read + Write + Send {
    fn socket(&mut self) -> &mut Limited;
}

/// A socket that fails at the end of a request's time, or of the bytes that it may receive.
struct Limited {
    socket: TcpStream,
    until: Instant,
    left: usize,
}

impl Connection {
    /// Connects. Encryption starts with the first request.
    pub(super) fn open(place: &Place, until: Instant) -> io::Result<Self> {
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in (place.host.trim_matches(['[', ']']), place.port).to_socket_addrs()? {
            let socket = rest(until).and_then(|rest| TcpStream::connect_timeout(&address, rest));
            match socket.and_then(|socket| socket.set_nodelay(true).map(|()| socket)) {
                Err(error) => failure = error,
                Ok(socket) => {
                    let socket = Limited { socket, until, left: 0 };
                    return Ok(Self(BufReader::new(place.encrypt(socket)?)));
                }
            }
        }
        Err(failure)
    }

    /// Sends commands and returns the reply to each.
    pub(super) fn ask(&mut self, commands: &[&[&str]], until: Instant) -> io::Result<Vec<Reply>> {
        let mut request = Vec::new();
        for command in commands {
            append(&mut request, command);
        }
        let transport = self.0.get_mut();
        let socket = transport.socket();
        (socket.until, socket.left) = (until, MAX_ANSWER);
        transport.write_all(&request)?;
        transport.flush()?;
        commands.iter().map(|_| Reply::read(&mut self.0)).collect()
    }

    /// Reports whether an idle connection can be used again. It can if it is open, and has received
    /// no unsolicited data.
    pub(super) fn is_usable(&mut self) -> bool {
        let socket = &self.0.get_mut().socket().socket;
        let peek = || {
            socket.set_nonblocking(true)?;
            let peeked = socket.peek(&mut [0]);
            socket.set_nonblocking(false)?;
            peeked
        };
        peek().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl Place {
    fn encrypt(&self, socket: Limited) -> io::Result<Box<dyn Transport>> {
        if let Some(config) = &self.tls {
            let host = self.host.trim_matches(['[', ']']).to_owned();
            let name = host.try_into().map_err(io::Error::other)?;
            let connection = rustls::ClientConnection::new(config.clone(), name);
            let connection = connection.map_err(io::Error::other)?;
            return Ok(Box::new(rustls::StreamOwned::new(connection, socket)));
        }
        Ok(Box::new(socket))
    }
}

impl Transport for Limited {
    fn socket(&mut self) -> &mut Limited {
        self
    }
}

impl Transport for rustls::StreamOwned<rustls::ClientConnection, Limited> {
    fn socket(&mut self) -> &mut Limited {
        &mut self.sock
    }
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(format!("an answer of more than {MAX_ANSWER} bytes")));
        }
        self.socket.set_read_timeout(Some(rest(self.until)?))?;
        let most = buffer.len().min(self.left);
        let count = self.socket.read(&mut buffer[..most]).map_err(timed_out)?;
        self.left -= count;
        Ok(count)
    }
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(rest(self.until)?))?;
        self.socket.write(bytes).map_err(timed_out)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

/// Returns the time until a deadline, which is not zero.
fn rest(until: Instant) -> io::Result<Duration> {
    let rest = until.saturating_duration_since(Instant::now());
    if rest.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(rest) }
}

/// Names the end of a socket's timeout, which Unix reports as a lack of data.
fn timed_out(error: io::Error) -> io::Error {
    let is_over = error.kind() == io::ErrorKind::WouldBlock;
    if is_over { io::ErrorKind::TimedOut.into() } else { error }
}
