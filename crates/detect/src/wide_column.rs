//! Texts of 128 bits in one column, which decide together whether they are UUIDs.

use tickid_convert::{Form, Settings};
use tickid_core::UnixTime;

use crate::column::{MAX_LINES, MIN_LINES};
use crate::confidence::Doubt;
use crate::detect::detect;
use crate::formats::Format;
use crate::identifier::Identifier;
use crate::reading::{Reading, Readings};

/// What the texts of 128 bits in a column are, of those that have no hyphens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Each is what it is by itself, because there are too few to decide.
    #[default]
    Each,
    /// UUIDs, of which so many lines have the same version.
    Uuids { version: usize, lines: usize },
    /// Random bits, as of hashes. One in 64 of them has the bits of a version by chance.
    Random,
}

impl Verdict {
    /// Returns the format that they have.
    pub(crate) const fn format(self) -> Option<Format> {
        match self {
            Self::Uuids { .. } => Some(Format::Uuid),
            Self::Each | Self::Random => None,
        }
    }

    /// Returns the number of lines that have it.
    pub(crate) const fn lines(self) -> usize {
        match self {
            Self::Uuids { lines, .. } => lines,
            Self::Each | Self::Random => 0,
        }
    }

    /// Applies the verdict to a line. One that contradicts it ends it.
    pub(crate) fn settle(&mut self, readings: &mut Readings) {
        let doubt = match *self {
            Self::Each => return,
            Self::Uuids { version, .. } if is_bare(readings) => {
                if bare_version(readings) != Some(version) {
                    *self = Self::Each;
                    return;
                }
                None
            }
            Self::Uuids { .. } => return,
            Self::Random => Some(Doubt::Unexplained),
        };
        if bare_version(readings).is_none() {
            return;
        }
        readings.change_weighed(|one| {
            if one.bare_version().is_some() {
                one.doubt = doubt;
                // Before what one line may be by chance.
                one.surprise = if doubt.is_none() { 0 } else { one.surprise };
            }
        });
        readings.settle();
    }
}

/// The first texts of a column that may have 128 bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WideTexts {
    /// The number of texts that were looked at.
    seen: usize,
    /// The number of those that have 128 bits and no hyphens.
    lines: usize,
    /// The version that all of these have as UUIDs.
    version: Option<usize>,
}

impl WideTexts {
    /// Adds a text that is not an integer of 64 bits.
    pub(crate) fn add(&mut self, text: &[u8], settings: &Settings, now: UnixTime) {
        /// The fewest characters of 16 bytes, which hexadecimal digits have.
        const MIN_LEN: usize = 32;
        if text.len() < MIN_LEN || self.seen == MAX_LINES {
            return;
        }
        self.seen += 1;
        let readings = detect(text, settings, Some(now));
        if is_bare(&readings) {
            let version = bare_version(&readings);
            self.version = version.filter(|_| self.lines == 0 || self.version == version);
            self.lines += 1;
        }
    }

    pub(crate) fn verdict(self) -> Verdict {
        match self.version {
            Some(version) if self.lines >= MIN_LINES => {
                Verdict::Uuids { version, lines: self.lines }
            }
            None if self.lines > 1 => Verdict::Random,
            Some(_) | None => Verdict::Each,
        }
    }
}

/// Reports whether a text is 16 bytes in hexadecimal or a literal of them. Each is also a kuid with
/// a wide node.
fn is_bare(readings: &Readings) -> bool {
    let is_literal = |one: &Reading| matches!(one.form(), Form::Hex | Form::Bytes);
    readings
        .iter()
        .any(|one| matches!(one.identifier(), Identifier::KuidWide(_)) && is_literal(one))
}

fn bare_version(readings: &Readings) -> Option<usize> {
    readings.weighed().find_map(Reading::bare_version)
}
