//! The packets of the protocol, both requests to write and the fields of answers.

use tickid_lease::backend::excerpt;

/// The largest number of columns of an answer, more than any statement of ours returns. A column
/// takes memory in each row.
const MAX_COLUMNS: u64 = 4;

/// Bits of a server's and a client's capabilities.
pub(super) mod capability {
    const LONG_PASSWORD: u32 = 1;
    const CONNECT_WITH_DB: u32 = 1 << 3;
    const PROTOCOL_41: u32 = 1 << 9;
    pub(in crate::mysql) const TLS: u32 = 1 << 11;
    const TRANSACTIONS: u32 = 1 << 13;
    const SECURE_CONNECTION: u32 = 1 << 15;
    const MULTI_STATEMENTS: u32 = 1 << 16;
    const MULTI_RESULTS: u32 = 1 << 17;
    const PLUGIN_AUTH: u32 = 1 << 19;

    /// The capabilities that a server must have. Without `LOCAL_FILES`, it cannot read ours.
    pub(super) const NEEDED: u32 = CONNECT_WITH_DB
        | PROTOCOL_41
        | TRANSACTIONS
        | SECURE_CONNECTION
        | MULTI_STATEMENTS
        | MULTI_RESULTS
        | PLUGIN_AUTH;
    /// MariaDB clears the first bit to announce its own extensions, which we do not use.
    pub(super) const OURS: u32 = LONG_PASSWORD | NEEDED;
}

/// `utf8mb4_general_ci`.
const COLLATION: u8 = 45;

/// A reason that a server's answer was not received.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The server's error, by its code and its message.
    #[error("{1}")]
    Server(u16, String),
    #[error("the server does not encrypt")]
    NoEncryption,
    /// `caching_sha2_password` needs the password itself once after the server's start.
    #[error(
        "the server asks for the password itself, which is sent over TLS (sslmode=verify-full) or \
         a Unix socket (socket=FILE) only"
    )]
    NeedsEncryption,
    #[error(
        "the user authenticates by the plugin {0}; mysql_native_password and caching_sha2_password \
         are supported"
    )]
    Plugin(String),
    #[error("{0} is too long")]
    TooLong(&'static str),
    #[error("the server does not follow the protocol: {0}")]
    Malformed(&'static str),
}

/// The rest of a packet.
pub(super) struct PacketFields<'a>(pub(super) &'a [u8]);

impl<'a> PacketFields<'a> {
    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*chunk)
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn until_zero(&mut self) -> Option<&'a [u8]> {
        let text = self.take(self.0.iter().position(|&byte| byte == 0)?)?;
        self.take(1)?;
        Some(text)
    }

    /// Takes a length-encoded number.
    fn number(&mut self) -> Option<u64> {
        Some(match self.chunk()? {
            [0xfb | 0xff] => return None,
            [0xfc] => u16::from_le_bytes(self.chunk()?).into(),
            [0xfd] => {
                let [low, middle, high] = self.chunk()?;
                u32::from_le_bytes([low, middle, high, 0]).into()
            }
            [0xfe] => u64::from_le_bytes(self.chunk()?),
            [small] => small.into(),
        })
    }

    /// Takes a row's cell.
    fn cell(&mut self) -> Option<Option<String>> {
        if let Some(rest) = self.0.strip_prefix(&[0xfb]) {
            self.0 = rest;
            return Some(None);
        }
        let len = usize::try_from(self.number()?).ok()?;
        Some(Some(String::from_utf8_lossy(self.take(len)?).into_owned()))
    }
}

/// The first packet of a server.
pub(super) struct Greeting {
    pub(super) capabilities: u32,
    /// The challenge that a password is mixed with.
    pub(super) nonce: Vec<u8>,
    /// The method that most users authenticate by.
    pub(super) plugin: String,
}

impl Greeting {
    pub(super) fn parse(packet: &[u8]) -> Result<Self, Error> {
        if let Some(error) = error(packet) {
            return Err(error);
        }
        let greeting =
            Self::fields(PacketFields(packet)).ok_or(Error::Malformed("its greeting"))?;
        if greeting.capabilities & capability::NEEDED != capability::NEEDED {
            return Err(Error::Malformed("it is older than MySQL 5.5"));
        }
        Ok(greeting)
    }

    fn fields(mut fields: PacketFields<'_>) -> Option<Self> {
        let [10] = fields.chunk()? else { return None };
        let (_version, _thread) = (fields.until_zero()?, fields.take(4)?);
        let mut nonce = fields.take(8)?.to_vec();
        let (_filler, low) = (fields.take(1)?, fields.chunk::<2>()?);
        let (_collation_and_status, high) = (fields.take(3)?, fields.chunk::<2>()?);
        let (_len_and_reserved, rest) = (fields.take(11)?, fields.take(12)?);
        nonce.extend(rest);
        fields.take(1)?;
        // Some servers leave out the zero at the end.
        let plugin = fields.until_zero().unwrap_or(fields.0);
        Some(Self {
            capabilities: u32::from_le_bytes([low[0], low[1], high[0], high[1]]),
            nonce,
            plugin: String::from_utf8_lossy(plugin).into_owned(),
        })
    }
}

/// Returns the part of a login that comes before encryption, and again after it.
pub(super) fn login_start(is_encrypted: bool) -> Vec<u8> {
    let tls = if is_encrypted { capability::TLS } else { 0 };
    let mut packet = (capability::OURS | tls).to_le_bytes().to_vec();
    packet.extend((1_u32 << 24).to_le_bytes());
    packet.push(COLLATION);
    packet.extend([0; 23]);
    packet
}

/// Returns a packet that authenticates. The texts contain no zero.
pub(super) fn login(
    is_encrypted: bool,
    user: &str,
    proof: &[u8],
    database: &str,
    plugin: &str,
) -> Vec<u8> {
    let mut packet = login_start(is_encrypted);
    packet.extend(user.bytes().chain([0]));
    packet.extend(u8::try_from(proof.len()));
    packet.extend(proof);
    packet.extend(database.bytes().chain([0]));
    packet.extend(plugin.bytes().chain([0]));
    packet
}

/// Returns the method and the challenge of a request to authenticate by a different method.
pub(super) fn switch(rest: &[u8]) -> Option<(String, Vec<u8>)> {
    let mut fields = PacketFields(rest);
    let plugin = String::from_utf8_lossy(fields.until_zero()?).into_owned();
    Some((plugin, fields.take(20).unwrap_or_default().to_vec()))
}

/// Returns the error, if the packet is one.
pub(super) fn error(packet: &[u8]) -> Option<Error> {
    let mut fields = PacketFields(packet.strip_prefix(&[0xff])?);
    let Some(code) = fields.chunk() else { return Some(Error::Malformed("an error")) };
    // A state of five characters, unless the connection is refused.
    if fields.0.first() == Some(&b'#') {
        let _ = fields.take(6);
    }
    let message = excerpt(&String::from_utf8_lossy(fields.0));
    Some(Error::Server(u16::from_le_bytes(code), message))
}

/// The first packet of an answer to a statement.
pub(super) enum QueryAnswer {
    /// The statement is done.
    Done {
        /// The answer to another statement follows.
        has_next: bool,
    },
    /// This many definitions of columns follow, and then rows.
    Rows(usize),
}

impl QueryAnswer {
    pub(super) fn parse(packet: &[u8]) -> Result<Self, Error> {
        if let Some(error) = error(packet) {
            return Err(error);
        }
        match packet.split_first() {
            Some((0, rest)) => {
                let mut fields = PacketFields(rest);
                let (_rows, _id) = (fields.number(), fields.number());
                let has_next = has_next(fields).ok_or(Error::Malformed("the end of an answer"))?;
                Ok(Self::Done { has_next })
            }
            _ => match PacketFields(packet).number() {
                Some(count @ 1..=MAX_COLUMNS) => Ok(Self::Rows(count.try_into().unwrap_or(1))),
                _ => Err(Error::Malformed("the number of columns")),
            },
        }
    }
}

/// Reads a packet after definitions of columns or rows, if it ends these. Returns whether one more
/// answer follows.
pub(super) fn end(packet: &[u8]) -> Option<bool> {
    let mut fields = PacketFields(packet.strip_prefix(&[0xfe]).filter(|rest| rest.len() < 8)?);
    let _warnings = fields.take(2)?;
    has_next(fields)
}

fn has_next(mut status: PacketFields<'_>) -> Option<bool> {
    Some(u16::from_le_bytes(status.chunk()?) & 8 > 0)
}

/// Reads a row with this number of columns.
pub(super) fn row(packet: &[u8], columns: usize) -> Option<Vec<Option<String>>> {
    let mut fields = PacketFields(packet);
    let row: Option<Vec<_>> = (0..columns).map(|_| fields.cell()).collect();
    row.filter(|_| fields.0.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_lengths() {
        let number = |bytes| PacketFields(bytes).number();
        assert_eq!(number(&[250]), Some(250));
        assert_eq!(number(&[0xfc, 1, 2]), Some(0x201));
        assert_eq!(number(&[0xfd, 1, 2, 3]), Some(0x3_0201));
        assert_eq!(number(&[0xfe, 1, 0, 0, 0, 0, 0, 0, 8]), Some((8 << 56) + 1));
        for bytes in [&[][..], &[0xfb], &[0xff], &[0xfc, 1], &[0xfd, 1, 2], &[0xfe, 1, 2, 3]] {
            assert_eq!(number(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn rows_have_all_their_columns() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(row(b"\x01a\xfb\x02bc", 3), Some(vec![text("a"), None, text("bc")]));
        for (packet, columns) in
            [(&b"\x01a"[..], 2), (b"\x01a\x01b", 1), (b"\x02a", 1), (b"\xfe\xff", 1), (b"", 1)]
        {
            assert_eq!(row(packet, columns), None, "{packet:?}");
        }
    }

    #[test]
    fn announced_columns_have_a_limit() {
        assert!(matches!(QueryAnswer::parse(&[4]), Ok(QueryAnswer::Rows(4))));
        for packet in [&[5][..], &[0xfe, 0, 0, 0, 64, 0, 0, 0, 0], &[0xfb, b'/', b'a'], &[]] {
            assert!(matches!(QueryAnswer::parse(packet), Err(Error::Malformed(_))), "{packet:?}");
        }
    }

    #[test]
    fn errors_have_a_code_and_a_message() {
        let error = |packet: &[u8]| error(packet).unwrap().to_string();
        assert_eq!(error(b"\xff\x15\x04#28000Access denied"), "Access denied");
        assert_eq!(error(b"\xff\x10\x04Too many connections"), "Too many connections");
        assert!(error(b"\xff\x10").contains("an error"));
        assert!(error(&[&b"\xff\x10\x04"[..], &[7; 1_000]].concat()).len() <= 300);
    }
}
