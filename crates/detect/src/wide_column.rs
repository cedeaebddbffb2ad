//! Texts of 128 bits in one column, which decide together whether they are UUIDs or ULIDs.

use tickid_convert::{Form, Settings};
use tickid_core::UnixTime;

use crate::confidence::Doubt;
use crate::detect::detect;
use crate::formats::Format;
use crate::identifier::{Identifier, version};
use crate::reading::{Reading, Readings};

/// The fewest lines that decide, as for integers.
pub(crate) const MIN_LINES: usize = 3;
/// The most lines that are used. The more there are, the fewer bits the times must save in each.
pub(crate) const MAX_LINES: usize = 10;

/// What the texts of 128 bits in a column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Each is what it is by itself, because there are too few to decide.
    #[default]
    Each,
    /// UUIDs. Of those without hyphens, so many lines have the same version.
    Uuids { version: usize, lines: usize },
    /// IDs of another format in UUIDs, such as ULIDs, which most of so many lines are.
    InUuids { format: Format, lines: usize },
    /// UUIDs with hyphens, each with a version, although some may have the time of a ULID.
    Versioned,
    /// Those without hyphens are random bits, as of hashes. One in 64 of them has the bits of a
    /// version by chance.
    Random,
}

impl Verdict {
    /// Returns the format that they have.
    pub(crate) const fn format(self) -> Option<Format> {
        match self {
            Self::Uuids { .. } => Some(Format::Uuid),
            Self::InUuids { format, .. } => Some(format),
            Self::Each | Self::Versioned | Self::Random => None,
        }
    }

    /// Returns the number of lines that have it.
    pub(crate) const fn lines(self) -> usize {
        match self {
            Self::Uuids { lines, .. } | Self::InUuids { lines, .. } => lines,
            Self::Each | Self::Versioned | Self::Random => 0,
        }
    }

    /// Applies the verdict to a line. One that contradicts it ends it.
    pub(crate) fn settle(&mut self, readings: &mut Readings) {
        // Whether a reading is what the column says, if that speaks of it.
        let is_it: &dyn Fn(&Reading) -> Option<bool> = match self {
            Self::Each => return,
            Self::Uuids { version, .. } if is_bare(readings) => {
                if bare_version(readings) != Some(*version) {
                    *self = Self::Each;
                    return;
                }
                &|one| is_undecided(one).then_some(one.bare_version().is_some())
            }
            Self::Random if is_bare(readings) => &|one| is_undecided(one).then_some(false),
            Self::Versioned if readings.weighed().any(is_in_uuid) => {
                if !has_version(readings) {
                    *self = Self::Each;
                    return;
                }
                &|one| is_in_uuid(one).then_some(false)
            }
            Self::Uuids { .. } | Self::Versioned | Self::Random => return,
            Self::InUuids { .. } => {
                if !readings.weighed().any(is_in_uuid) {
                    // One of version 7 has the same time.
                    let is_timed = |one: &Reading| is_uuid(one) && one.time.is_some();
                    if !readings.likely().any(is_timed)
                        && (is_bare(readings) || readings.iter().any(is_uuid))
                    {
                        *self = Self::Each;
                    }
                    return;
                }
                &|one| (is_in_uuid(one) || is_uuid(one)).then_some(is_in_uuid(one))
            }
        };
        readings.change_weighed(|one| match is_it(one) {
            // Before what one line may be by chance.
            Some(true) => (one.doubt, one.surprise) = (None, 0),
            Some(false) => one.doubt = one.doubt.or(Some(Doubt::Unexplained)),
            None => {}
        });
        readings.settle();
    }
}

/// The first texts of a column that may have 128 bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WideTexts {
    /// The number of texts that were looked at.
    seen: usize,
    /// The number of those that have 128 bits.
    lines: usize,
    /// The number of those that have no hyphens, and the version that all of them have as UUIDs.
    bare: usize,
    version: Option<usize>,
    /// The number of lines that are likely an ID in a UUID, and the format of these.
    held: usize,
    format: Option<Format>,
    /// The number of these that have no version, and so are no UUIDs.
    unversioned: usize,
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
            self.version = version.filter(|_| self.bare == 0 || self.version == version);
            self.bare += 1;
        } else if !readings.iter().any(is_uuid) {
            return;
        }
        self.lines += 1;
        if let Some(held) = readings.likely().find(|one| is_in_uuid(one)) {
            self.format = Some(held.format());
            self.held += 1;
            self.unversioned += usize::from(!has_version(&readings));
        }
    }

    pub(crate) fn verdict(self) -> Verdict {
        let Self { seen: _, lines, bare, version, held, format, unversioned } = self;
        // UUIDs of version 8 may start with a time as well, but one ULID in eight has a version.
        if let Some(format) = format
            && lines >= MIN_LINES
            && 2 * held > lines
            && unversioned > 0
        {
            return Verdict::InUuids { format, lines };
        }
        match version {
            Some(version) if bare >= MIN_LINES => Verdict::Uuids { version, lines: bare },
            None if bare > 1 => Verdict::Random,
            None if bare == 0 && lines >= MIN_LINES && unversioned == 0 => Verdict::Versioned,
            Some(_) | None => Verdict::Each,
        }
    }
}

/// Reports whether a text is 16 bytes in hexadecimal or a literal of them. Each is also a kuid with
/// a wide node.
fn is_bare(readings: &Readings) -> bool {
    let is_literal = |one: &Reading| matches!(one.form, Form::Hex | Form::Bytes);
    readings.iter().any(|one| matches!(one.identifier, Identifier::KuidWide(_)) && is_literal(one))
}

fn bare_version(readings: &Readings) -> Option<usize> {
    readings.weighed().find_map(Reading::bare_version)
}

fn is_uuid(one: &Reading) -> bool {
    matches!(one.identifier, Identifier::Uuid(_))
}

/// Reports whether a text has the bits of a UUID's version, with hyphens or without.
fn has_version(readings: &Readings) -> bool {
    let is_it =
        |one: &Reading| matches!(one.identifier, Identifier::Uuid(uuid) if version(uuid).is_some());
    readings.iter().any(is_it)
}

fn is_in_uuid(one: &Reading) -> bool {
    one.identifier.is_in_uuid(one.form)
}

/// Reports whether random bits look like it once in some hundred times.
fn is_undecided(one: &Reading) -> bool {
    one.bare_version().is_some() || is_in_uuid(one)
}
