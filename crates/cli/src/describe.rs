//! IDs that can be printed and taken apart.

use std::io::Write as _;

use tickid_core::UnixTime;

use crate::options::Format;
use crate::report::{Hex, Report};

pub(crate) trait Describe: Copy {
    /// The scheme's name.
    const SCHEME: &'static str;

    /// The facts that the bits of an ID do not carry.
    type Layout;

    /// Appends the text that the layout asks for.
    fn write_text(&self, layout: &Self::Layout, out: &mut Vec<u8>);

    /// Returns the ID as a number, and its length in bytes.
    fn integer(&self) -> (u128, usize);

    /// Returns the time of its tick.
    fn time(&self, layout: &Self::Layout) -> UnixTime;

    /// Appends the scheme's own fields.
    fn fields(&self, layout: &Self::Layout, report: &mut Report);

    /// Takes the ID apart.
    fn describe(&self, layout: &Self::Layout, report: &mut Report) {
        let (number, len) = self.integer();
        report.start(Self::SCHEME, self.time(layout), Hex::low(&number.to_be_bytes(), len).0);
        self.write_text(layout, &mut report.text);
        self.fields(layout, report);
    }
}

/// Appends one ID as a line (but for raw bytes, which have nothing in between).
pub(crate) fn write_id<I: Describe>(id: &I, layout: &I::Layout, format: Format, out: &mut Vec<u8>) {
    let (number, len) = id.integer();
    let bytes = number.to_be_bytes();
    let hex = Hex::low(&bytes, len);
    match format {
        Format::Text => id.write_text(layout, out),
        // Writing to memory can't fail.
        Format::Int => drop(write!(out, "{number}")),
        Format::Hex => out.extend_from_slice(hex.digits(&mut [0; _])),
        Format::Bytes => return out.extend_from_slice(hex.0),
    }
    out.push(b'\n');
}
