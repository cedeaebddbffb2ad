//! The IDs to convert.

use tickid_convert::{
    Candidate, ConvertError, Kind, Layouts, Parts, Plausibility, Reading, Source, carry, detect,
    foreign,
};
use tickid_core::UnixTime;
use tickid_text::{ParseError, decimal};
use uuid::Uuid;

use super::args::Origin;
use crate::options::{self, Scheme};
use crate::report::named;
use crate::schemes;

/// An ID that was read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Original {
    Read(Reading),
    Shift24(foreign::NanoflakeShift24),
}

impl Source for Original {
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        match self {
            Self::Read(reading) => reading.parts(layouts),
            Self::Shift24(id) => id.parts(layouts),
        }
    }
}

impl Origin {
    /// Returns the scheme, if it is one.
    pub(super) const fn kind(self) -> Option<Kind> {
        match self {
            Self::Scru64 => Some(Kind::Scru64),
            Self::Nanoflake => Some(Kind::Nanoflake),
            Self::Kuid => Some(Kind::KuidGlobal),
            Self::Sno => Some(Kind::Sno),
            _ => None,
        }
    }
}

impl Original {
    pub(super) const fn is_scru64(&self) -> bool {
        matches!(self, Self::Read(Reading::Scru64(_)))
    }

    /// Returns the name of its format, as `--from` has it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Shift24(_) => "nanoflake-shift24",
            Self::Read(reading) => reading.format().key(),
        }
    }
}

/// Reads `text` in the format that was named. The error is a predicate.
pub(super) fn read(
    origin: Origin,
    text: &[u8],
    options: &options::Layouts,
    layouts: &Layouts,
) -> Result<Original, String> {
    let scheme = |scheme| {
        let read = schemes::read(scheme, text, options);
        read.or_else(|error| schemes::other_form(scheme, text, layouts).ok_or(error))
            .map_err(|error| format!("is {error}"))
    };
    let number = |name| {
        let value = decimal::decode(text, u64::MAX);
        value.map_err(|kind| format!("is {}", ParseError::new(name, kind)))
    };
    let reading = match origin {
        Origin::Scru64 => scheme(Scheme::Scru64)?,
        Origin::Nanoflake => scheme(Scheme::Nanoflake)?,
        Origin::Kuid => scheme(Scheme::Kuid)?,
        Origin::Sno => scheme(Scheme::Sno)?,
        Origin::NanoflakeShift24 => {
            // The same texts, whatever the bits mean; its timestamps are never negative as texts.
            let reading = scheme(Scheme::Nanoflake)?;
            if let Reading::Nanoflake(id, _) = reading {
                let id = foreign::NanoflakeShift24(id.get().cast_unsigned());
                return Ok(Original::Shift24(id));
            }
            reading
        }
        Origin::Uuid => {
            let uuid = Uuid::try_parse_ascii(text).map_err(|_| "is no UUID")?;
            let id = carry::from_uuid(uuid, layouts);
            Reading::Carried(id.map_err(|error| format!("can't be read: {error}"))?)
        }
        Origin::Twitter => Reading::Twitter(foreign::Twitter(number("Twitter ID")?)),
        Origin::Discord => Reading::Discord(foreign::Discord(number("Discord ID")?)),
        Origin::Instagram => Reading::Instagram(foreign::Instagram(number("Instagram ID")?)),
        Origin::Mastodon => Reading::Mastodon(foreign::Mastodon(number("Mastodon ID")?)),
        Origin::Sonyflake => Reading::Sonyflake(foreign::Sonyflake(number("Sonyflake")?)),
        Origin::SonyflakeV2 => Reading::SonyflakeV2(foreign::SonyflakeV2(number("Sonyflake")?)),
        Origin::PgEdge => Reading::PgEdge(foreign::PgEdge(number("pgEdge snowflake")?)),
    };
    Ok(Original::Read(reading))
}

/// The reading chosen for a text.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    pub(super) candidate: Candidate,
    /// The other readings that it fits.
    pub(super) others: Vec<Candidate>,
}

/// Returns the likeliest reading of `text`, or as an error a predicate if that is not clear, or if
/// its time is not plausible.
pub(super) fn guess(
    text: &[u8],
    options: &options::Layouts,
    layouts: &Layouts,
    now: Option<UnixTime>,
) -> Result<Guess, String> {
    // A UUID that holds an ID is that ID here.
    let found = detect(text, layouts, now);
    let is_carried = found.iter().any(is_marked);
    let asked_for = |one: &Candidate| {
        let is_wrapping = is_carried && matches!(one.reading(), Reading::Uuid(_));
        !is_wrapping
            && one.plausibility() != Plausibility::NeverIssued
            && schemes::is_asked_for(&one.reading(), text, options)
    };
    let mut candidates = found.into_iter().filter(asked_for);
    let candidate = candidates.next().ok_or("is no ID of any format known here")?;
    let others: Vec<Candidate> = candidates.collect();
    let rivals = || {
        let is_rival = |other: &&Candidate| other.plausibility() <= candidate.plausibility();
        core::iter::once(&candidate).chain(others.iter().filter(is_rival))
    };
    let names = || rivals().map(named).collect::<Vec<_>>().join(", ");
    if candidate.plausibility() == Plausibility::Unlikely && !is_marked(&candidate) {
        return Err(format!(
            "is no ID of a plausible time; it may be: {}; say which with --from",
            names()
        ));
    }
    if rivals().count() > 1 {
        return Err(format!(
            "is as likely one of these as another: {}; say which with --from",
            names()
        ));
    }
    Ok(Guess { candidate, others })
}

/// Reports whether it has the marks of an ID in a UUID, which are stronger evidence than its time.
fn is_marked(candidate: &Candidate) -> bool {
    matches!(candidate.reading(), Reading::Carried(_))
}
