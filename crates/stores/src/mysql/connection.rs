//! A connection to a server. Existing clients are not used, because they reserve memory for as many
//! columns as a server announces, and have no limit for an answer.

use core::pin::pin;
use core::task::{Context, Waker};
use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::mysql::login::Plugin;
use crate::mysql::protocol::{self, Error, Greeting, QueryAnswer, capability};
use crate::mysql::url::Place;
use crate::sql::{MAX_ANSWER, Texts};

/// The largest number of bytes that a server may send before it has accepted a user.
const MAX_LOGIN: usize = 1 << 16;
/// The largest packet to send. Longer requests would have to be split.
const MAX_REQUEST: usize = (1 << 24) - 2;
/// The largest packet of an answer, more than any row takes.
const MAX_PACKET: usize = 4 << 20;
/// The memory of a row besides its texts, as an answer's limit counts it.
const ROW: usize = 150;

const QUIT: u8 = 1;
const QUERY: u8 = 3;

/// A connected socket, encrypted or not.
pub(super) trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// A connection over which a user is logged in.
pub(super) struct Connection(Packets);

impl Drop for Connection {
    fn drop(&mut self) {
        // Servers count and log connections that end without it. It is not waited for.
        let Self(packets) = self;
        packets.sequence = 0;
        let goodbye = pin!(async {
            packets.send(&[QUIT]).await?;
            Ok::<_, Error>(packets.stream.shutdown().await?)
        });
        let _ = goodbye.poll(&mut Context::from_waker(Waker::noop()));
    }
}

impl Connection {
    /// Connects and authenticates.
    pub(super) async fn open(place: &Place) -> Result<Self, Error> {
        #[cfg(unix)]
        if let Some(socket) = &place.socket {
            return Self::log_in(tokio::net::UnixStream::connect(socket).await?, true, place).await;
        }
        let socket = TcpStream::connect((&*place.host, place.port)).await?;
        socket.set_nodelay(true)?;
        Self::log_in(socket, false, place).await
    }

    /// Authenticates. `is_private` is set if only this machine can read what is sent.
    pub(super) async fn log_in(
        socket: impl Transport + 'static,
        is_private: bool,
        place: &Place,
    ) -> Result<Self, Error> {
        let mut packets =
            Packets { stream: BufReader::new(Box::new(socket)), sequence: 0, left: MAX_LOGIN };
        let Greeting { capabilities, mut nonce, plugin } =
            Greeting::parse(&packets.receive().await?)?;
        let is_encrypted = place.tls.is_some();
        // TLS begins before the user's name is sent: the start of a login has no more than the
        // flags.
        if is_encrypted {
            if capabilities & capability::TLS == 0 {
                return Err(Error::NoEncryption);
            }
            packets.send(&protocol::login_start(true)).await?;
            packets = packets.encrypt(place).await?;
        }
        let (user, password) = (&*place.login.user, &*place.login.password);
        // The server requests another method if the user has one.
        let mut plugin = Plugin::named(&plugin).unwrap_or(Plugin::Native);
        let proof = plugin.proof(&nonce, password);
        let login = protocol::login(is_encrypted, user, &proof, &place.database, plugin.name());
        packets.send(&login).await?;
        // A server may answer with any number of packets. Each kind is taken once, so that none can
        // keep this busy for ever.
        let (mut was_switched, mut is_asked) = (false, false);
        loop {
            let packet = packets.receive().await?;
            if let Some(error) = protocol::error(&packet) {
                return Err(error);
            }
            match packet.split_first() {
                Some((0, _)) => return Ok(Self(packets)),
                // "AuthSwitchRequest": the method was a guess, and this user has another, with a
                // new nonce.
                Some((0xfe, rest)) if !was_switched => {
                    was_switched = true;
                    let Some((name, new)) = protocol::switch(rest) else {
                        return Err(Error::Plugin("mysql_old_password".to_owned()));
                    };
                    (plugin, nonce) = (Plugin::named(&name)?, new);
                    packets.send(&plugin.proof(&nonce, password)).await?;
                }
                // The server knows the proof. Otherwise it needs the password.
                Some((1, [3])) if plugin == Plugin::CachingSha2 => {}
                Some((1, [4])) if plugin == Plugin::CachingSha2 && !is_asked => {
                    is_asked = true;
                    // The server asks for the password itself, which is not sent where others could
                    // read it.
                    if !(is_encrypted || is_private) {
                        return Err(Error::NeedsEncryption);
                    }
                    packets.send(&[password.as_bytes(), &[0]].concat()).await?;
                }
                _ => return Err(Error::Malformed("its answer to a login")),
            }
        }
    }

    /// Executes statements and returns all their rows.
    pub(super) async fn query(&mut self, statements: &str) -> Result<Texts, Error> {
        let Self(packets) = self;
        (packets.sequence, packets.left) = (0, MAX_ANSWER);
        packets.send(&[&[QUERY], statements.as_bytes()].concat()).await?;
        let (mut texts, mut size) = (Texts::new(), 0);
        // Each statement has its own answer, with or without rows.
        loop {
            let has_next = match QueryAnswer::parse(&packets.receive().await?)? {
                QueryAnswer::Done { has_next } => has_next,
                QueryAnswer::Rows(columns) => {
                    // Skip the descriptions of the columns, which are known.
                    for _ in 0..columns {
                        packets.receive().await?;
                    }
                    let end = protocol::end(&packets.receive().await?);
                    end.ok_or(Error::Malformed("the end of its columns"))?;
                    loop {
                        let packet = packets.receive().await?;
                        if let Some(error) = protocol::error(&packet) {
                            return Err(error);
                        }
                        if let Some(has_next) = protocol::end(&packet) {
                            break has_next;
                        }
                        let row = protocol::row(&packet, columns);
                        let row = row.ok_or(Error::Malformed("a row"))?;
                        // Bounded, because a hostile server could send rows without an end.
                        size += row.iter().flatten().map(String::len).sum::<usize>() + ROW;
                        if size > MAX_ANSWER {
                            return Err(Error::TooLong("the answer"));
                        }
                        texts.push(row);
                    }
                }
            };
            if !has_next {
                return Ok(texts);
            }
        }
    }
}

/// A stream of packets, with a limit for what is received.
struct Packets {
    stream: BufReader<Box<dyn Transport>>,
    /// The number of the next packet of a request or its answer.
    sequence: u8,
    /// The number of bytes that the server may still send.
    left: usize,
}

impl Packets {
    async fn encrypt(self, place: &Place) -> Result<Self, Error> {
        if let Some(config) = &place.tls {
            // Nothing that came unencrypted is taken for encrypted.
            if !self.stream.buffer().is_empty() {
                return Err(Error::Malformed("its greeting"));
            }
            let name = place.host.clone().try_into().map_err(io::Error::other)?;
            let connector = tokio_rustls::TlsConnector::from(config.clone());
            let stream = connector.connect(name, self.stream.into_inner()).await?;
            return Ok(Self { stream: BufReader::new(Box::new(stream)), ..self });
        }
        let _ = place;
        Ok(self)
    }

    async fn send(&mut self, payload: &[u8]) -> Result<(), Error> {
        let len = u32::try_from(payload.len()).ok().filter(|_| payload.len() <= MAX_REQUEST);
        let [low, middle, high, _] = len.ok_or(Error::TooLong("the request"))?.to_le_bytes();
        let head = [low, middle, high, self.sequence];
        self.sequence = self.sequence.wrapping_add(1);
        self.stream.write_all(&[&head, payload].concat()).await?;
        Ok(self.stream.flush().await?)
    }

    /// Receives a packet. It takes little more memory than the bytes that came.
    async fn receive(&mut self) -> Result<Vec<u8>, Error> {
        let mut head = [0; 4];
        self.stream.read_exact(&mut head).await?;
        let [low, middle, high, sequence] = head;
        let len = u32::from_le_bytes([low, middle, high, 0]);
        let count = usize::try_from(len).ok().filter(|&count| count <= MAX_PACKET);
        let count = count.ok_or(Error::TooLong("the answer"))?;
        // All packets of an answer together have a limit as well. During the login it is low,
        // because anybody may have answered.
        let left = self.left.checked_sub(head.len() + count);
        self.left = left.ok_or(Error::TooLong("the answer"))?;
        let mut packet = Vec::new();
        (&mut self.stream).take(len.into()).read_to_end(&mut packet).await?;
        if packet.len() < count {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let expected = core::mem::replace(&mut self.sequence, sequence.wrapping_add(1));
        // A server that ends an idle connection sends the reason with any number.
        if sequence != expected && packet.first() != Some(&0xff) {
            return Err(Error::Malformed("the order of its packets"));
        }
        Ok(packet)
    }
}

#[cfg(test)]
mod tests {
    use core::task::Poll;

    use super::*;
    use crate::mysql::url;

    const NONCE: &[u8; 20] = b"abcdefghijklmnopqrst";
    const OTHER: &[u8; 20] = b"ABCDEFGHIJKLMNOPQRST";

    /// A server's packet and its number.
    type Sent<'a> = (u8, &'a [u8]);

    fn greeting(plugin: Plugin) -> Vec<u8> {
        let [a, b, c, d] = (!capability::TLS).to_le_bytes();
        let mut packet = b"\x0a8.4.0\0\x01\0\0\0".to_vec();
        packet.extend(&NONCE[..8]);
        packet.extend([0, a, b, 45, 2, 0, c, d, 21]);
        packet.extend([0; 10]);
        packet.extend(&NONCE[8..]);
        packet.push(0);
        packet.extend(plugin.name().bytes().chain([0]));
        packet
    }

    /// Logs in to a server that sends these packets, each with its number. Returns the result, and
    /// the contents of the client's packets.
    fn log_in(
        plugin: Plugin,
        is_private: bool,
        answers: &[Sent<'_>],
    ) -> (Result<(), Error>, Vec<Vec<u8>>) {
        let (client, mut server) = tokio::io::duplex(1 << 20);
        let place = url::parse("mysql://app:s%40cret@a/ids").unwrap();
        let greeting = greeting(plugin);
        let work = async {
            for (number, packet) in [(0, &*greeting)].iter().chain(answers) {
                let [low, high] = u16::try_from(packet.len()).unwrap().to_le_bytes();
                server.write_all(&[&[low, high, 0, *number], *packet].concat()).await.unwrap();
            }
            // The connection is dropped, which ends what the server reads.
            let result = Connection::log_in(client, is_private, &place).await.map(drop);
            let mut sent = Vec::new();
            server.read_to_end(&mut sent).await.unwrap();
            (result, sent)
        };
        let Poll::Ready((result, sent)) = pin!(work).poll(&mut Context::from_waker(Waker::noop()))
        else {
            panic!("memory is always ready");
        };
        let (mut packets, mut sent) = (Vec::new(), &*sent);
        while let Some(([len, 0, 0, _], rest)) = sent.split_first_chunk() {
            let (packet, rest) = rest.split_at((*len).into());
            packets.push(packet.to_vec());
            sent = rest;
        }
        (result, packets)
    }

    fn shows_password(sent: &[Vec<u8>]) -> bool {
        sent.iter().any(|packet| packet.windows(6).any(|bytes| bytes == b"s@cret"))
    }

    #[test]
    fn logins_prove_the_password() {
        let answers: [(Plugin, &[Sent<'_>]); 2] =
            [(Plugin::Native, &[(2, &[0])]), (Plugin::CachingSha2, &[(2, &[1, 3]), (3, &[0])])];
        for (plugin, answers) in answers {
            let (result, sent) = log_in(plugin, false, answers);
            result.unwrap();
            let (proof, name) = (plugin.proof(NONCE, "s@cret"), plugin.name().as_bytes());
            let start = protocol::login_start(false);
            let len = u8::try_from(proof.len()).unwrap();
            let login = [&start, &b"app\0"[..], &[len], &proof, b"ids\0", name, &[0]].concat();
            assert_eq!(sent, [login, vec![QUIT]], "{plugin:?}");
        }
    }

    #[test]
    fn servers_may_request_another_method() {
        for (from, to) in
            [(Plugin::Native, Plugin::CachingSha2), (Plugin::CachingSha2, Plugin::Native)]
        {
            let switch = [b"\xfe", to.name().as_bytes(), &[0], OTHER, &[0]].concat();
            let (result, sent) = log_in(from, false, &[(2, &switch), (4, &[0])]);
            result.unwrap();
            assert_eq!(sent[1], to.proof(OTHER, "s@cret"));
            // But once only.
            let (result, _) = log_in(from, false, &[(2, &switch), (4, &switch)]);
            assert!(matches!(result, Err(Error::Malformed(_))), "{result:?}");
        }
    }

    #[test]
    fn passwords_are_shown_to_nobody_else() {
        let asks: Sent<'_> = (2, &[1, 4]);
        let (result, sent) = log_in(Plugin::CachingSha2, true, &[asks, (4, &[0])]);
        result.unwrap();
        assert_eq!(sent[1], b"s@cret\0");
        let (result, sent) = log_in(Plugin::CachingSha2, false, &[asks, (4, &[0])]);
        assert!(matches!(result, Err(Error::NeedsEncryption)) && !shows_password(&sent));
        let (result, sent) = log_in(Plugin::CachingSha2, true, &[asks, (4, &[1, 4])]);
        assert!(matches!(result, Err(Error::Malformed(_))) && sent.len() == 2, "once only");
        // The password does not go to a server that asks for another method.
        for (plugin, answers) in [
            (Plugin::Native, &[asks, (4, &[0])][..]),
            (Plugin::CachingSha2, &[(2, b"\xfemysql_clear_password\0\0"), (4, &[0])]),
            (Plugin::CachingSha2, &[(2, b"\xfe"), (4, &[0])]),
        ] {
            let (result, sent) = log_in(plugin, false, answers);
            assert!(result.is_err() && !shows_password(&sent), "{answers:?}");
        }
    }
}
