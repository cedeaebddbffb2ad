//! Node specs, which name a node and perhaps the last ID that it issued.

use core::fmt;
use core::str::FromStr;

use tickid_core::{NodeId, RangeError, counted, pad};

use crate::id::Scru64Id;
use crate::node_size::NodeIdSize;

/// The identity of a generator, which consists of a node ID and its size in bits.
///
/// In place of the node ID, a spec can hold the ID that the node issued last. A generator built
/// from such a spec continues after that ID, so a restarted program issues no ID twice even if the
/// clock was set back in the meantime. `NodeSpec::from(&generator)` returns this form. With a node
/// ID alone, the program must not start before its clock is [past the last ID][after] that the node
/// issued.
///
/// [after]: https://example.org/tickid/blob/main/docs/choosing.md#one-process-after-another
///
/// | text | means |
/// |---|---|
/// | `42/8` | node ID 42 in 8 bits |
/// | `0xb00/12` | the same in hexadecimal |
/// | `0u2r85hm2pt3/16` | the node ID (16 bits) of that ID; continue after it |
///
/// # Examples
/// ```
/// use tickid_scru64::NodeSpec;
///
/// let spec: NodeSpec = "0u2r85hm2pt3/16".parse()?;
/// assert_eq!(spec.node_id(), 11_001);
/// assert_eq!(spec.to_string(), "0u2r85hm2pt3/16");
///
/// let error = "300/8".parse::<NodeSpec>().unwrap_err();
/// assert_eq!(error.to_string(), "node ID 300 is outside of 0..=255");
/// # Ok::<(), tickid_scru64::NodeSpecError>(())
/// ```
///
/// # Spec
/// SCRU64, "Node spec API".
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeSpec {
    /// If the timestamp is 0, which is never issued, only the node ID counts, and the counter is 0.
    prev: Scru64Id,
    size: NodeIdSize,
}

impl NodeSpec {
    /// Returns the spec of node ID `node_id` in `size` bits.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if `node_id` needs more than `size` bits.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{NodeIdSize, NodeSpec};
    ///
    /// let size = NodeIdSize::new(8)?;
    /// assert_eq!(NodeSpec::with_node_id(42, size)?.to_string(), "42/8");
    /// let error = NodeSpec::with_node_id(256, size).unwrap_err();
    /// assert_eq!(error.to_string(), "node ID 256 is outside of 0..=255");
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    pub const fn with_node_id(node_id: u32, size: NodeIdSize) -> Result<Self, RangeError> {
        if node_id > size.max_node_id() {
            return Err(RangeError::new("node ID", node_id as i128, 0, size.max_node_id() as i128));
        }
        match Scru64Id::from_parts(0, node_id << size.counter_bits()) {
            Ok(prev) => Ok(Self { prev, size }),
            Err(error) => Err(error),
        }
    }

    /// Returns the spec of the node that issued `prev`, whose generator continues after `prev`. The
    /// node ID is read from the first `size` bits of [`node_ctr`](Scru64Id::node_ctr).
    ///
    /// If the timestamp of `prev` is 0, only its node ID counts, because no generator issues such
    /// an ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{NodeIdSize, NodeSpec, scru64};
    ///
    /// let last = scru64!("0u2r85hm2pt3");
    /// let spec = NodeSpec::with_node_prev(last, NodeIdSize::new(16)?);
    /// assert_eq!((spec.node_id(), spec.node_prev()), (11_001, Some(last)));
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    #[must_use]
    pub const fn with_node_prev(prev: Scru64Id, size: NodeIdSize) -> Self {
        let prev = if prev.timestamp() > 0 {
            prev
        } else {
            match Scru64Id::from_parts(0, prev.node_ctr() & !size.max_counter()) {
                Ok(node_only) => node_only,
                // A valid `node_ctr` is still valid without the counter's bits.
                Err(_) => prev,
            }
        };
        Self { prev, size }
    }

    /// Returns the node ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::NodeSpec;
    ///
    /// assert_eq!("42/8".parse::<NodeSpec>()?.node_id(), 42);
    /// assert_eq!("0xb00/12".parse::<NodeSpec>()?.node_id(), 0xb00);
    /// # Ok::<(), tickid_scru64::NodeSpecError>(())
    /// ```
    #[must_use]
    pub const fn node_id(&self) -> u32 {
        self.prev.node_id(self.size)
    }

    /// Returns the size of the node ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::NodeSpec;
    ///
    /// assert_eq!("42/8".parse::<NodeSpec>()?.node_id_size().get(), 8);
    /// # Ok::<(), tickid_scru64::NodeSpecError>(())
    /// ```
    #[must_use]
    pub const fn node_id_size(&self) -> NodeIdSize {
        self.size
    }

    /// Returns the ID issued last, if the spec has one.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{NodeSpec, scru64};
    ///
    /// let spec: NodeSpec = "0u2r85hm2pt3/16".parse()?;
    /// assert_eq!(spec.node_prev(), Some(scru64!("0u2r85hm2pt3")));
    /// assert_eq!("42/8".parse::<NodeSpec>()?.node_prev(), None);
    /// # Ok::<(), tickid_scru64::NodeSpecError>(())
    /// ```
    #[must_use]
    pub const fn node_prev(&self) -> Option<Scru64Id> {
        if self.prev.timestamp() > 0 { Some(self.prev) } else { None }
    }

    /// Returns the node ID at its position among the 24 bits.
    #[inline]
    pub(crate) const fn node_part(&self) -> u32 {
        self.prev.node_ctr() & !self.size.max_counter()
    }
}

impl NodeId for NodeSpec {
    fn bits(&self) -> u32 {
        self.size.get().into()
    }

    fn value(&self) -> u64 {
        self.node_id().into()
    }

    fn from_value(value: u64, bits: u32) -> Result<Self, RangeError> {
        let too_many_bits = |_| RangeError::new("node ID size in bits", bits.into(), 1, 23);
        let size = NodeIdSize::new(u8::try_from(bits).map_err(too_many_bits)?)?;
        let max = size.max_node_id().into();
        let too_high = |_| RangeError::new("node ID", value.into(), 0, max);
        Self::with_node_id(u32::try_from(value).map_err(too_high)?, size)
    }
}

/// Writes the last ID or the decimal node ID, a slash and the size, as the original does. Width and
/// fill are honoured.
impl fmt::Display for NodeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pad(f, |out| match self.node_prev() {
            Some(prev) => write!(out, "{prev}/{}", self.size.get()),
            None => write!(out, "{}/{}", self.node_id(), self.size.get()),
        })
    }
}

impl fmt::Debug for NodeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The reason a text is not a node spec.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeSpecError {
    /// The text does not contain exactly one slash.
    #[error("a node spec is a node and a size with one '/' between them, not {slashes}")]
    Slash {
        /// The number of slashes.
        slashes: usize,
    },
    /// The part before the slash is not a decimal node ID, a hexadecimal one or a SCRU64 ID.
    #[error(
        "the node of a node spec is 1 to 8 decimal digits, 0x and 1 to 6 hexadecimal digits, or a \
         SCRU64 ID of 12 digits (found {}, the first wrong one at position {position})",
        counted(*len, "byte")
    )]
    Node {
        /// The number of bytes in that part.
        len: usize,
        /// The position of the first byte that fits none of these forms, or `len` if only the
        /// length is wrong.
        position: usize,
    },
    /// The part after the slash is not 1 to 3 decimal digits.
    #[error(
        "the size of a node spec is 1 to 3 decimal digits (found {}, the first wrong one at position \
         {position})",
        counted(*len, "byte")
    )]
    Size {
        /// The number of bytes in that part.
        len: usize,
        /// The position of the first byte that is not a digit, or `len` if only the length is
        /// wrong.
        position: usize,
    },
    /// The size or the node ID is out of range. For example, `300/8` is refused because 8 bits end
    /// at 255.
    #[error(transparent)]
    Range(#[from] RangeError),
}

tickid_core::debug_error! {
    enum NodeSpecError {
        Slash { slashes }, Node { len, position }, Size { len, position }, Range(error),
    }
}

impl FromStr for NodeSpec {
    type Err = NodeSpecError;

    fn from_str(text: &str) -> Result<Self, NodeSpecError> {
        let slashes = text.bytes().filter(|&byte| byte == b'/').count();
        let Some((node, size)) = text.split_once('/').filter(|_| slashes == 1) else {
            return Err(NodeSpecError::Slash { slashes });
        };
        let bits = number(size, 10, 3)
            .map_err(|position| NodeSpecError::Size { len: size.len(), position })?;
        // Three digits that don't fit a byte are above 23 as well.
        let bits_or_more = u8::try_from(bits).unwrap_or(u8::MAX);
        let size = NodeIdSize::new(bits_or_more).map_err(|range| {
            RangeError::new(range.what(), bits.into(), range.min(), range.max())
        })?;

        if node.len() == Scru64Id::TEXT_LEN {
            return match Scru64Id::from_str(node) {
                Ok(prev) => Ok(Self::with_node_prev(prev, size)),
                Err(_) => {
                    let digit = |byte: u8| byte.is_ascii_alphanumeric();
                    let position = node.bytes().position(|byte| !digit(byte));
                    let len = node.len();
                    Err(NodeSpecError::Node { len, position: position.unwrap_or(len) })
                }
            };
        }
        let hexadecimal = node.strip_prefix("0x").or_else(|| node.strip_prefix("0X"));
        let node_id = match hexadecimal {
            Some(digits) => number(digits, 16, 6).map_err(|position| position + 2),
            None => number(node, 10, 8),
        };
        let node_id =
            node_id.map_err(|position| NodeSpecError::Node { len: node.len(), position })?;
        Ok(Self::with_node_id(node_id, size)?)
    }
}

/// Parses a number of 1 to `max_len` digits (8 at most, so that it fits). The error is the position
/// of the first byte that is not a digit, or that is one too many.
fn number(digits: &str, radix: u32, max_len: usize) -> Result<u32, usize> {
    let mut value = 0;
    for (position, byte) in digits.bytes().enumerate() {
        let digit = char::from(byte).to_digit(radix).filter(|_| position < max_len);
        value = value * radix + digit.ok_or(position)?;
    }
    if digits.is_empty() { Err(0) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    #[test]
    fn specs_have_the_width_asked_for() {
        for spec in ["42/8", "0u2r85hm2pt3/16"] {
            let parsed: NodeSpec = spec.parse().unwrap();
            assert_eq!(
                std::format!("{parsed:->20}|{parsed:2}"),
                std::format!("{spec:->20}|{spec}")
            );
        }
    }

    #[test]
    fn errors_name_place_and_range() {
        let cases = [
            ("42", "one '/' between them, not 0"),
            ("1/2/3", "one '/' between them, not 2"),
            ("4x/8", "the first wrong one at position 1"),
            ("0x+2a/8", "the first wrong one at position 2"),
            ("123456789/8", "the first wrong one at position 8"),
            ("0u2r85hm2pt_/16", "the first wrong one at position 11"),
            ("42/8 ", "the first wrong one at position 1"),
            ("42/999", "node ID size in bits 999 is outside of 1..=23"),
            ("8/3", "node ID 8 is outside of 0..=7"),
        ];
        for (spec, expected) in cases {
            let message = spec.parse::<NodeSpec>().unwrap_err().to_string();
            assert!(message.contains(expected), "{spec}: {message}");
        }
    }
}
