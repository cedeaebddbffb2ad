//! The IDs to convert: read in the format that `--from` names, or in the likeliest.

use tickid_convert::foreign::{Mastodon, NanoflakeShift24};
use tickid_convert::{AnyId, ConvertError, Kind, Layouts, Parts, ToParts, carry};
use tickid_core::UnixTime;
use tickid_detect::{Confidence, Doubt, Format, Identifier, Reading, detect};
use uuid::Uuid;

use super::args::Source;
use crate::options::{self, KuidKind, Scheme};
use crate::reading::schemes;
use crate::reading::{integer, named, of_preset};

/// An ID that was read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Original {
    Read(Identifier),
    Shift24(NanoflakeShift24),
}

impl ToParts for Original {
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        match self {
            Self::Read(id) => id.parts(layouts),
            Self::Shift24(id) => id.parts(layouts),
        }
    }
}

impl Source {
    /// Returns the kind of the IDs with a node, if conversions make them.
    pub(super) fn kind(self) -> Option<Kind> {
        match self {
            Self::Scheme(scheme) => Some(scheme.kind(KuidKind::Global)),
            Self::Preset(_) => Some(Kind::Snowflake),
            _ => None,
        }
    }
}

impl Original {
    pub(super) const fn is_scru64(&self) -> bool {
        matches!(self, Self::Read(Identifier::Scheme(AnyId::Scru64(_), _)))
    }

    /// Returns the name of its format, as `--from` has it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Shift24(_) => "nanoflake-shift24",
            Self::Read(id) => id.format().key(),
        }
    }
}

/// Reads `text` in the format that was named. The error is a predicate.
pub(super) fn read(
    source: Source,
    text: &[u8],
    options: &options::Layouts,
    layouts: &Layouts,
) -> Result<Original, String> {
    let read = |scheme| {
        let read = schemes::read(scheme, text, options);
        read.or_else(|error| schemes::other_form(scheme, text, layouts).ok_or(error))
            .map_err(|error| format!("is {error}"))
    };
    let identifier = match source {
        Source::Scheme(scheme) => read(scheme)?,
        Source::Preset(preset) => of_preset(preset, text)?,
        Source::Mastodon => {
            Identifier::Mastodon(Mastodon(integer(text, Format::Mastodon.title())?))
        }
        Source::NanoflakeShift24 => {
            // The same texts, whatever the bits mean; its timestamps are never negative as texts.
            let scheme = Scheme::of(Format::Nanoflake).ok_or("is not a Nanoflake ID")?;
            let id = read(scheme)?;
            if let Identifier::Scheme(AnyId::Nanoflake(id), _) = id {
                return Ok(Original::Shift24(NanoflakeShift24(id.get().cast_unsigned())));
            }
            id
        }
        Source::Uuid => {
            let uuid = Uuid::try_parse_ascii(text).map_err(|_| "is not a UUID")?;
            let id = carry::from_uuid(uuid, layouts);
            Identifier::Carried(id.map_err(|error| format!("can't be read: {error}"))?)
        }
    };
    Ok(Original::Read(identifier))
}

/// The reading chosen for a text.
#[derive(Clone, Debug)]
pub(super) struct Detected {
    pub(super) reading: Reading,
    /// The other readings that it fits.
    pub(super) others: Vec<Reading>,
}

/// Returns the likeliest reading of `text`, or as an error a predicate if that is not clear, or if
/// nothing is at least likely.
pub(super) fn likeliest(
    text: &[u8],
    options: &options::Layouts,
    layouts: &Layouts,
    now: Option<UnixTime>,
) -> Result<Detected, String> {
    // A UUID that holds an ID is that ID here.
    let found = detect(text, layouts, now);
    let is_carried = |one: &Reading| matches!(one.identifier(), Identifier::Carried(_));
    let holds_id = found.iter().any(is_carried);
    let asked_for = |one: &Reading| {
        let is_wrapping = holds_id && matches!(one.identifier(), Identifier::Uuid(_));
        !is_wrapping
            && one.doubt() != Some(Doubt::NeverIssued)
            && one.format() != Format::UnixTime
            && schemes::is_asked_for(one, text, options)
    };
    let mut readings = found.into_iter().filter(asked_for);
    let reading = readings.next().ok_or("is not an ID of any format known here")?;
    let others: Vec<Reading> = readings.collect();
    let rivals = || {
        let is_rival = |other: &&Reading| other.confidence() <= reading.confidence();
        core::iter::once(&reading).chain(others.iter().filter(is_rival))
    };
    let names = || rivals().map(named).collect::<Vec<_>>().join(", ");
    if reading.confidence() == Confidence::Possible {
        return Err(format!("is not likely an ID; it may be: {}; say which with --from", names()));
    }
    if rivals().count() > 1 {
        return Err(format!("is ambiguous: {}; say which with --from", names()));
    }
    Ok(Detected { reading, others })
}
