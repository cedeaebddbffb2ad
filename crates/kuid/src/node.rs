//! Nodes, and the hashes by which Erlang computes them.

use tickid_text::{ParseError, Text};

use crate::codec::HEX;

/// A node, which is a fingerprint of 32 bits that distinguishes generators.
///
/// Erlang derives it from the node's name, for example `uid@127.0.0.1`. Today's library uses
/// [`phash2`] for this, and its documentation and older versions use [`phash`]. Where no Erlang
/// node has to agree on it, any other number will do.
///
/// Fingerprints of names have an effective width of only **28 bits**, because both functions return
/// at most 2^28 different values. For example, among a hundred nodes with random names two have the
/// same fingerprint with a probability of about 1 in 54,000, and would then issue the same IDs. So
/// compare the fingerprints of your nodes once.
///
/// Its text is 8 hexadecimal digits in lower case.
///
/// [`phash2`]: Self::phash2
/// [`phash`]: Self::phash
///
/// # Examples
/// ```
/// use tickid_kuid::Node;
///
/// let node = Node::phash2("uid@127.0.0.1");
/// assert_eq!(node.get(), 65_742_641);
/// assert_eq!(node.to_string(), "03eb2731");
/// assert_eq!(Node::phash("uid@127.0.0.1").to_string(), "03eb2732");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Node(u32);

impl Node {
    /// The length of the text.
    pub const TEXT_LEN: usize = 8;

    /// Returns the node with this fingerprint.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_kuid::Node::new(255).to_string(), "000000ff");
    /// ```
    #[inline]
    #[must_use]
    pub const fn new(fingerprint: u32) -> Self {
        Self(fingerprint)
    }

    /// Returns the fingerprint of a node name as computed by `erlang:phash2(Name, 1 bsl 32)`, with
    /// the name as an atom. Today's Erlang library uses this function.
    ///
    /// Names are compared by code point, so `é` as one character and as `e` with an accent are two
    /// names. Erlang's atoms hold at most 255 characters. A longer name has a fingerprint here, but
    /// no Erlang node has that name.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_kuid::Node::phash2("uid@127.0.0.1").get(), 65_742_641);
    /// ```
    #[must_use]
    pub const fn phash2(name: &str) -> Self {
        Self(atom_hash(name))
    }

    /// Returns the fingerprint of a node name as computed by `erlang:phash(Name, 1 bsl 32)`, which
    /// is [`phash2`] plus one. The Erlang library's documentation uses this function, so use it
    /// only to agree with IDs that were made that way. Names are read as in `phash2`.
    ///
    /// [`phash2`]: Self::phash2
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_kuid::Node::phash("uid@127.0.0.1").get(), 65_742_642);
    /// ```
    #[must_use]
    pub const fn phash(name: &str) -> Self {
        // 28 bits.
        Self(atom_hash(name) + 1)
    }

    /// Returns a random node of all 32 bits, from the operating system's random numbers.
    ///
    /// Two generators may choose the same node, and may then issue the same IDs. Among a hundred
    /// generators the probability of this is 1 in 870,000, and among a thousand it is 1 in 8,600.
    ///
    /// # Errors
    /// Returns [`BuildError::Seed`](tickid_core::BuildError::Seed) if the operating system has no
    /// random numbers.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{Drift, Generator, Node};
    ///
    /// let generator = Generator::new(Node::random()?)?;
    /// assert_eq!(generator.generate()?.node(Drift::DEFAULT), generator.node());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn random() -> Result<Self, tickid_core::BuildError> {
        tickid_core::external::random_bytes().map(Self::from_be_bytes)
    }

    /// Returns the fingerprint.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the fingerprint in 4 bytes, big-endian, as it is stored in an ID.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_kuid::Node::new(258).to_be_bytes(), [0, 0, 1, 2]);
    /// ```
    #[must_use]
    pub const fn to_be_bytes(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }

    /// Returns the node with this fingerprint in 4 big-endian bytes.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_kuid::Node::from_be_bytes([0, 0, 1, 2]).get(), 258);
    /// ```
    #[must_use]
    pub const fn from_be_bytes(bytes: [u8; 4]) -> Self {
        Self(u32::from_be_bytes(bytes))
    }

    /// Parses a node from 8 hexadecimal digits in lower case.
    ///
    /// # Errors
    /// Returns a [`ParseError`] for any other length and for the first byte that is not such a
    /// digit.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::Node;
    ///
    /// assert_eq!(Node::parse_bytes(b"000000ff"), Ok(Node::new(255)));
    /// assert!(Node::parse_bytes(b"ff").is_err());
    /// ```
    pub const fn parse_bytes(text: &[u8]) -> Result<Self, ParseError> {
        match HEX.decode::<4, { Self::TEXT_LEN }>(text) {
            Ok(bytes) => Ok(Self::from_be_bytes(bytes)),
            Err(kind) => Err(ParseError::new("kuid node", kind)),
        }
    }

    /// Returns the fingerprint as 8 hexadecimal digits in lower case.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_kuid::Node::new(255).encode(), "000000ff");
    /// ```
    #[must_use]
    pub const fn encode(self) -> Text<{ Self::TEXT_LEN }> {
        HEX.encode(&self.to_be_bytes())
    }
}

tickid_text::impl_text!(Node);

tickid_core::impl_conversions! { Node:
    from u32 = Node::new;
    from [u8; 4] = Node::from_be_bytes;
    into u32 = Node::get;
    into [u8; 4] = Node::to_be_bytes;
}
tickid_core::impl_node_id!(Node: "node", u32::BITS);

/// The error for an ID of a different node than the one requested.
///
/// # Examples
/// ```
/// use tickid_kuid::{Drift, GlobalId, LocalId, Node};
///
/// let (a, b) = (Node::phash2("a@host"), Node::phash2("b@host"));
/// let id = GlobalId::from_local(LocalId::MIN, b, Drift::DEFAULT);
/// let error = id.to_local_of(a, Drift::DEFAULT).unwrap_err();
/// assert_eq!((error.expected(), error.found()), (a, b));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the ID is of node {found}, not of node {expected}")]
pub struct ForeignNode {
    expected: Node,
    found: Node,
}

tickid_core::debug_error! {
    struct ForeignNode { expected, found }
}

impl ForeignNode {
    pub(crate) const fn new(expected: Node, found: Node) -> Self {
        Self { expected, found }
    }

    /// Returns the requested node.
    #[must_use]
    pub const fn expected(&self) -> Node {
        self.expected
    }

    /// Returns the node of the ID.
    #[must_use]
    pub const fn found(&self) -> Node {
        self.found
    }
}

/// Computes P. J. Weinberger's hash as Erlang does for an atom. A character up to U+00FF counts as
/// its one Latin-1 byte, and any other as its UTF-8 bytes. The result has 28 bits.
const fn atom_hash(name: &str) -> u32 {
    let mut hash: u32 = 0;
    let mut rest = name.as_bytes();
    loop {
        let byte;
        (byte, rest) = match rest {
            [] => return hash,
            // U+0080 to U+00FF; `name` is UTF-8, so the second byte continues the first.
            [lead @ 0xc2..=0xc3, next, rest @ ..] => (*lead << 6 | *next & 0x3f, rest),
            [byte, rest @ ..] => (*byte, rest),
        };
        hash = (hash << 4).wrapping_add(byte as u32);
        hash = (hash ^ (hash >> 28 << 4)) & 0x0fff_ffff;
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    #[test]
    fn takes_four_bytes() {
        assert_eq!(size_of::<Node>(), 4);
    }

    #[test]
    fn latin_1_is_one_byte_per_char() {
        // 'ö' is 0xf6 in Latin-1; U+043D is 0xd0 0xbd in UTF-8.
        assert_eq!(Node::phash2("ö").get(), 0xf6);
        assert_eq!(Node::phash2("н").get(), 0xd00 + 0xbd);
        assert_eq!(Node::phash2("öн").get(), (0xf60 + 0xd0) * 16 + 0xbd);
    }

    #[test]
    fn the_error_names_both_nodes() {
        let error = ForeignNode::new(Node(1), Node(0xffff_ffff));
        assert_eq!(error.to_string(), "the ID is of node ffffffff, not of node 00000001");
    }

    #[test]
    fn only_canonical_nodes_parse() {
        assert_eq!("03eb2731".parse(), Ok(Node(65_742_641)));
        for text in ["", "3eb2731", "003eb2731", "03EB2731", "0x3eb273"] {
            assert!(text.parse::<Node>().is_err(), "{text:?}");
        }
    }
}
