//! The schemes as the command knows them: one file each, which says how its IDs are read from text,
//! what there is to report of them, and where to get new ones.

pub(crate) mod kuid;
pub(crate) mod nanoflake;
pub(crate) mod scru64;
pub(crate) mod sno;

use tickid_core::text::ParseError;

use crate::args::{Layouts, Scheme};
use crate::report::Report;

pub(crate) const ALL: [Scheme; 4] = [Scheme::Scru64, Scheme::Sno, Scheme::Kuid, Scheme::Nanoflake];

/// An ID type that can be printed.
pub(crate) trait Describe: Copy {
    /// What the bits of an ID don't say.
    type Layout;

    /// Appends the text that the layout asks for.
    fn write_text(&self, layout: &Self::Layout, out: &mut Vec<u8>);

    /// The ID as a number, and how many bytes it has.
    fn integer(&self) -> (u128, usize);

    /// Takes the ID apart.
    fn describe(&self, layout: &Self::Layout, report: &mut Report);
}

/// Reads `text` as an ID of `scheme` and takes it apart.
pub(crate) fn describe(
    scheme: Scheme,
    text: &[u8],
    layouts: &Layouts,
    report: &mut Report,
) -> Result<(), ParseError> {
    match scheme {
        Scheme::Scru64 => scru64::describe(text, &layouts.scru64, report),
        Scheme::Nanoflake => nanoflake::describe(text, &layouts.nanoflake, report),
        Scheme::Kuid => kuid::describe(text, &layouts.kuid, report),
        Scheme::Sno => sno::describe(text, report),
    }
}
