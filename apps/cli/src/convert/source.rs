//! The IDs to convert: read in the format that `--from` names, or in the likeliest.

use tickid_convert::foreign::NanoflakeShift24;
use tickid_convert::{AnyId, ConvertError, Kind, Parts, Settings, ToParts, carry};
use tickid_detect::{Agreement, Confidence, Doubt, Format, Identifier, Reading, Readings};
use tickid_snowflake::Preset;
use uuid::Uuid;

use super::args::{Source, Target};
use crate::options::{KuidKind, Scheme};
use crate::reading::{NamedFormat, Reader, named, schemes};

/// An ID that was read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Original {
    Read(Identifier),
    Shift24(NanoflakeShift24),
}

impl ToParts for Original {
    fn parts(self, settings: &Settings) -> Result<Parts, ConvertError> {
        match self {
            Self::Read(id) => id.parts(settings),
            Self::Shift24(id) => id.parts(settings),
        }
    }
}

impl Source {
    /// Returns the format of the texts.
    pub(super) const fn format(self) -> NamedFormat {
        match self {
            Self::Format(named) => named,
            // The texts are the same, whatever the bits mean, and its timestamps are never
            // negative.
            Self::NanoflakeShift24 { text } => NamedFormat { format: Format::Nanoflake, text },
        }
    }

    /// Returns the kind of the IDs with a node, if conversions make them.
    pub(super) fn kind(self) -> Option<Kind> {
        match self {
            Self::Format(NamedFormat { format, .. }) => match Preset::named(format.key()) {
                Some(_) => Some(Kind::Snowflake),
                None => Scheme::of(format).map(|it| it.kind(KuidKind::Global)),
            },
            Self::NanoflakeShift24 { .. } => None,
        }
    }

    /// Returns the kinds of the IDs that have options.
    pub(super) fn kinds(self) -> Vec<Kind> {
        match self {
            Self::Format(named) => Scheme::kinds_of(named.format),
            Self::NanoflakeShift24 { .. } => vec![Kind::Nanoflake],
        }
    }
}

impl Original {
    pub(super) const fn is_scru64(&self) -> bool {
        matches!(self, Self::Read(Identifier::Scheme(AnyId::Scru64(_))))
    }

    /// Returns the name of its format, as `--from` has it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Shift24(_) => "nanoflake-shift24",
            Self::Read(id) => id.format().key(),
        }
    }
}

/// Reads `text` in the format that was named, also behind a prefix. The error is a predicate.
pub(super) fn read(
    source: Source,
    to: Target,
    text: &[u8],
    reader: &Reader<'_>,
) -> Result<Original, String> {
    read_whole(source, to, text, reader).or_else(|reason| {
        let behind = reader.read_behind_prefix(source.format(), text);
        match behind.as_slice() {
            [] => Err(reason),
            [(split, _)] => read_whole(source, to, split.id, reader),
            several => {
                let prefixes: Vec<&str> = several.iter().map(|(split, _)| split.prefix).collect();
                Err(format!("is ambiguous: its prefix may be {}", prefixes.join(" or ")))
            }
        }
    })
}

fn read_whole(
    source: Source,
    to: Target,
    text: &[u8],
    reader: &Reader<'_>,
) -> Result<Original, String> {
    if source.format().format == Format::Uuid {
        let other = || Identifier::in_other_forms(Format::Uuid, text, &reader.settings).next();
        let uuid = match (Uuid::try_parse_ascii(text), other()) {
            (Ok(uuid), _) | (Err(_), Some((Identifier::Uuid(uuid), _))) => uuid,
            (Err(_), _) => return Err("is not a UUID".to_owned()),
        };
        // Whatever it holds.
        if to == Target::Ulid {
            return Ok(Original::Read(Identifier::Uuid(uuid)));
        }
        let id = carry::from_uuid(uuid, &reader.settings);
        let id = id.map_err(|error| format!("can't be read: {error}"))?;
        return Ok(Original::Read(Identifier::Carried(id)));
    }
    let (id, _) = reader.read_as(source.format(), text)?;
    match source {
        Source::Format(_) => Ok(Original::Read(id)),
        Source::NanoflakeShift24 { .. } => {
            let Identifier::Scheme(AnyId::Nanoflake(id)) = id else {
                return Err("is not a Nanoflake".to_owned());
            };
            Ok(Original::Shift24(NanoflakeShift24(id.get().cast_unsigned())))
        }
    }
}

/// The reading chosen for a text.
#[derive(Clone, Debug)]
pub(super) struct Detected {
    pub(super) reading: Reading,
    /// The other readings that it fits.
    pub(super) others: Vec<Reading>,
}

/// Returns the readings of a text that have something to convert.
fn convertible(text: &[u8], found: Readings) -> Vec<Reading> {
    let is_carried = |one: &Reading| matches!(one.identifier(), Identifier::Carried(_));
    let holds_id = found.iter().any(is_carried);
    // A Unix time has nothing to convert but itself, and of an ID that no generator issues the
    // parts mean nothing.
    let asked_for = |one: &Reading| {
        let is_wrapping = holds_id && matches!(one.identifier(), Identifier::Uuid(_));
        !is_wrapping
            && one.doubt() != Some(Doubt::NeverIssued)
            && one.format() != Format::UnixTime
            && schemes::is_usual(one, text)
    };
    found.into_iter().filter(asked_for).collect()
}

/// Returns the likeliest reading of `text`, or as an error a predicate if that is not clear, or if
/// nothing is at least likely.
pub(super) fn likeliest(
    text: &[u8],
    reader: &Reader<'_>,
    agreement: &mut Agreement,
) -> Result<Detected, String> {
    // A UUID that holds an ID is that ID here.
    let mut found = reader.detect(text);
    found.agree(agreement);
    let mut readings = convertible(text, *found.readings());
    if found.readings().likely().next().is_none() {
        let behind = reader.behind_prefix(text, agreement, false);
        if !behind.is_empty() {
            let all = behind.iter();
            readings = all.flat_map(|it| convertible(it.split.id, *it.found.readings())).collect();
            readings.sort_by_key(Reading::confidence);
        }
    }
    let mut readings = readings.into_iter();
    let nothing = || {
        Reader::damage(text).unwrap_or_else(|| "is not an ID of any format known here".to_owned())
    };
    let reading = readings.next().ok_or_else(nothing)?;
    let others: Vec<Reading> = readings.collect();
    // `inspect` shows several readings and lets its user choose. Here a wrong one would turn into a
    // wrong ID unnoticed, so a reading must be the only one of its confidence or better. Formats
    // that nearly all of its IDs look like are named by the remark alone.
    let rivals = || {
        let is_rival = |other: &&Reading| {
            other.confidence() <= reading.confidence()
                && !other.format().is_behind(reading.format())
        };
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
