//! kuids as the tuples that Erlang's shell prints, for example `{uid,{1539,625275,432128},1}`, or
//! with a node `{uid,<<3,235,39,49>>,{1539,625275,432128},1}`.

use core::fmt;

use tickid_convert::{AnyId, Settings};
use tickid_kuid::{Drift, GlobalId, LocalId, Node};

/// Reads a tuple of `uid`. The node is four bytes, which Erlang's shell prints as a string if all of
/// them are printable, or the name of an Erlang node, which is hashed the way `uid` does it. Microseconds are rounded down to a multiple of 1,024, as in an encoded ID.
pub(crate) fn read(text: &[u8], settings: &Settings) -> Option<AnyId> {
    let mut rest = Rest(text);
    rest.open(b"{")?;
    rest.open(b"uid")?;
    rest.open(b",")?;
    let node = if rest.open(b"{").is_some() {
        None
    } else {
        let node = rest.node()?;
        rest.open(b",")?;
        rest.open(b"{")?;
        Some(node)
    };
    let mega_seconds = rest.number()?;
    rest.open(b",")?;
    let seconds = rest.number()?;
    rest.open(b",")?;
    let micro_seconds = rest.number()?;
    rest.open(b"}")?;
    rest.open(b",")?;
    let sequence = rest.sequence()?;
    rest.open(b"}")?;
    let local = LocalId::from_parts(mega_seconds, seconds, micro_seconds, sequence).ok()?;
    rest.0.is_empty().then(|| match node {
        None => local.into(),
        Some(node) => GlobalId::from_local(local, node, settings.drift).into(),
    })
}

/// The rest of the text, which is not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    /// Skips a token and the spaces around it.
    fn open(&mut self, token: &[u8]) -> Option<()> {
        self.0 = self.0.trim_ascii_start().strip_prefix(token)?.trim_ascii_start();
        Some(())
    }

    /// Takes the bytes before the first that is not one of these.
    fn take(&mut self, is_one: impl Fn(&u8) -> bool) -> &'a [u8] {
        let end = self.0.iter().position(|byte| !is_one(byte)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at_checked(end).unwrap_or_default();
        self.0 = rest;
        taken
    }

    fn number(&mut self) -> Option<u32> {
        str::from_utf8(self.take(u8::is_ascii_digit)).ok()?.parse().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        u8::try_from(self.number()?).ok()
    }

    /// Reads an integer, or 14 bits as `<<0,1:6>>`.
    fn sequence(&mut self) -> Option<u32> {
        if self.open(b"<<").is_none() {
            return self.number();
        }
        let high = self.byte()?;
        self.open(b",")?;
        let low = self.byte().filter(|low| *low < 1 << 6)?;
        self.open(b":6>>")?;
        Some(u32::from(high) << 6 | u32::from(low))
    }

    /// Reads one of the characters of a string, of which some are escaped.
    fn character(&mut self) -> Option<u8> {
        let (byte, rest) = match *self.0 {
            [b'\\', escaped, ref rest @ ..] => {
                let byte = match escaped {
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'e' => 27,
                    b'd' => 127,
                    b'"' | b'\\' => escaped,
                    _ => return None,
                };
                (byte, rest)
            }
            // The others of Latin-1, in UTF-8.
            [0xc2, low @ 0xa0..=0xbf, ref rest @ ..] => (low, rest),
            [0xc3, low @ 0x80..=0xbf, ref rest @ ..] => (low + 0x40, rest),
            [byte @ b' '..=b'~', ref rest @ ..] if byte != b'"' => (byte, rest),
            _ => return None,
        };
        self.0 = rest;
        Some(byte)
    }

    /// Reads `<<1,2,3,4>>`, `<<"KDAQ">>`, or an atom with or without quotation marks.
    fn node(&mut self) -> Option<Node> {
        if self.open(b"<<").is_none() {
            let is_quoted = self.open(b"'").is_some();
            let name = self.take(|byte| {
                byte.is_ascii_alphanumeric()
                    || b"_@".contains(byte)
                    || (is_quoted && b".-".contains(byte))
            });
            if is_quoted {
                self.open(b"'")?;
            }
            let name = str::from_utf8(name).ok().filter(|name| !name.is_empty())?;
            return Some(Node::phash2(name));
        }
        let mut bytes = [0; 4];
        // Spaces within the string belong to it.
        if let Some(text) = self.0.strip_prefix(b"\"") {
            self.0 = text;
            for byte in &mut bytes {
                *byte = self.character()?;
            }
            self.0 = self.0.strip_prefix(b"\"")?;
        } else {
            for (place, byte) in bytes.iter_mut().enumerate() {
                if place > 0 {
                    self.open(b",")?;
                }
                *byte = self.byte()?;
            }
        }
        self.open(b">>")?;
        Some(Node::new(u32::from_be_bytes(bytes)))
    }
}

/// A kuid as Erlang prints its tuple.
pub(crate) struct Tuple(LocalId, Option<Node>);

impl Tuple {
    /// Returns the tuple of an ID, if it is a kuid.
    pub(crate) fn of(id: AnyId, drift: Drift) -> Option<Self> {
        if let AnyId::KuidLocal(id) = id {
            return Some(Self(id, None));
        }
        let AnyId::KuidGlobal(id) = id else { return None };
        Some(Self(id.to_local(drift), Some(id.node(drift))))
    }
}

impl fmt::Display for Tuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(id, node) = self;
        f.write_str("{uid,")?;
        if let Some(node) = node {
            let [a, b, c, d] = node.get().to_be_bytes();
            write!(f, "<<{a},{b},{c},{d}>>,")?;
        }
        let (mega_seconds, seconds) = (id.mega_seconds(), id.seconds());
        let (micro_seconds, sequence) = (id.micro_seconds(), id.sequence());
        write!(f, "{{{mega_seconds},{seconds},{micro_seconds}}},{sequence}}}")
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    fn read_and_written(text: &str) -> Option<std::string::String> {
        let id = read(text.as_bytes(), &Settings::default())?;
        Tuple::of(id, Drift::DEFAULT).map(|tuple| tuple.to_string())
    }

    #[test]
    fn tuples_are_read_as_erlang_prints_them() {
        let local = "{uid,{1539,625275,432128},1}";
        let global = "{uid,<<3,235,39,49>>,{1539,625275,432128},1}";
        for (text, written) in [
            (local, local),
            (" { uid , { 1539 , 625275 , 432128 } , 1 } ", local),
            ("{uid,{1539,625275,432128},<<0,1:6>>}", local),
            ("{uid,{1539,625275,432999},1}", local), // rounded down
            (global, global),
            ("{uid,'uid@127.0.0.1',{1539,625275,432128},1}", global),
            (
                "{uid,<<\"KDAQ\">>,{1539,625275,432128},1}",
                "{uid,<<75,68,65,81>>,{1539,625275,432128},1}",
            ),
            (
                "{uid, << \" \\\"\\n}\" >>,{1539,625275,432128},1}",
                "{uid,<<32,34,10,125>>,{1539,625275,432128},1}",
            ),
            (
                "{uid,<<\"\u{a0}\u{ff}\\e\\\\\">>,{1539,625275,432128},1}",
                "{uid,<<160,255,27,92>>,{1539,625275,432128},1}",
            ),
            ("{uid,<<0,0,0,7>>,{0,0,0},<<255,63:6>>}", "{uid,<<0,0,0,7>>,{0,0,0},16383}"),
        ] {
            assert_eq!(read_and_written(text).as_deref(), Some(written), "{text}");
        }
        for text in [
            "",
            "{uid}",
            "{uid,{1539,625275},1}",
            "{uid,{1539,625275,432128},1",
            "{uid,{1539,625275,432128},1}}",
            "{uid,{1539,625275,432128},16384}",
            "{uid,{1539,625275,432128},<<0,64:6>>}",
            "{uid,{1048576,625275,432128},1}",
            "{uid,{1539,625275,99999999999},1}",
            "{uid,<<1,2,3>>,{1539,625275,432128},1}",
            "{uid,<<1,2,3,256>>,{1539,625275,432128},1}",
            "{uid,'',{1539,625275,432128},1}",
            "{uid,<<\"KDA\">>,{1539,625275,432128},1}",
            "{uid,<<\"KDAQR\">>,{1539,625275,432128},1}",
            "{uid,<<\"KDAQ>>,{1539,625275,432128},1}",
            "{uid,<<\"KDA\\q\">>,{1539,625275,432128},1}",
            "{uid,<<\"KDA\u{100}\">>,{1539,625275,432128},1}",
            "{uid,'a@b,{1539,625275,432128},1}",
            "{gid,{1539,625275,432128},1}",
        ] {
            assert_eq!(read_and_written(text), None, "{text}");
        }
    }
}
