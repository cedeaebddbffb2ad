//! IDs that can be printed and taken apart.

use tickid_core::UnixTime;

use crate::options::Format;
use crate::report::{Facts, Hex};

pub(crate) trait Describe: Copy {
    /// The scheme's name.
    const SCHEME: &'static str;

    /// The facts that the bits of an ID do not carry.
    type Layout;

    /// Appends the text that the layout asks for.
    fn write_text(&self, layout: &Self::Layout, out: &mut Vec<u8>);

    /// Returns the bytes, the highest first.
    fn bytes(&self) -> impl AsRef<[u8]>;

    /// Returns the time of its tick.
    fn time(&self, layout: &Self::Layout) -> UnixTime;

    /// Passes the scheme's own fields on.
    fn fields(&self, layout: &Self::Layout, facts: &mut impl Facts);

    /// Returns the ID as a number.
    fn integer(&self) -> u128 {
        let bytes = self.bytes();
        bytes.as_ref().iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
    }

    /// Takes the ID apart.
    #[inline]
    fn describe(&self, layout: &Self::Layout, facts: &mut impl Facts) {
        let (bytes, time) = (self.bytes(), self.time(layout));
        let write_text = |out: &mut Vec<u8>| self.write_text(layout, out);
        facts.start(Self::SCHEME, write_text, bytes.as_ref(), Some(time));
        self.fields(layout, facts);
    }
}

/// Appends one ID as a line (but for raw bytes, which have nothing in between).
pub(crate) fn write_id<I: Describe>(id: &I, layout: &I::Layout, format: Format, out: &mut Vec<u8>) {
    let bytes = id.bytes();
    match format {
        Format::Text => id.write_text(layout, out),
        Format::Int => {
            out.extend_from_slice(itoa::Buffer::new().format(id.integer()).as_bytes());
        }
        Format::Hex => out.extend_from_slice(Hex(bytes.as_ref()).digits(&mut [0; _])),
        Format::Bytes => return out.extend_from_slice(bytes.as_ref()),
    }
    out.push(b'\n');
}
