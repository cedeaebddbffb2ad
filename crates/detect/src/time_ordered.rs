//! Ranges of times in the formats of other systems whose IDs start with their time.

use tickid_convert::Uuid;
use tickid_convert::foreign::Mastodon;
use tickid_core::{Field, RangeError, UnixTime};

use crate::fields;
use crate::formats::{Format, READ_ONLY};
use crate::identifier::{Foreign, Identifier};

/// A format of another system whose IDs start with their time, so the IDs of a range of times are a
/// range of IDs. For example, a query can select the rows of one day by their primary keys.
///
/// Compare IDs as bytes, as integers, or as canonical texts. Decimal texts are an exception,
/// because a longer one may sort before a shorter one. For UUIDs the format is version 7, and UUIDs
/// of other versions may lie between the ends. The ranges of schemes, and of presets of Snowflakes,
/// are those of [`AnyScheme`](tickid_convert::AnyScheme).
///
/// # Examples
/// ```
/// use tickid_convert::Settings;
/// use tickid_core::UnixTime;
/// use tickid_detect::{Inspection, TimeOrdered};
///
/// let ulid = TimeOrdered::all().find(|one| one.name() == "ulid").ok_or("no ULID")?;
/// let day = [1_704_067_200_000, 1_704_153_599_999].map(UnixTime::from_millis);
/// let ends = [ulid.min_at(day[0]?)?, ulid.max_at(day[1]?)?];
/// let texts = ends.map(|id| Inspection::new(id, "", &Settings::default()).text().to_owned());
/// assert_eq!(texts, ["01HK153X000000000000000000", "01HK3QGKZZZZZZZZZZZZZZZZZZ"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TimeOrdered {
    format: Format,
    /// The highest first. Before the time, there is only what is 0.
    fields: &'static [Field],
    /// The place of the time, a field of up to 64 bits.
    time: usize,
    /// The place of a field with the milliseconds of a time in seconds.
    millis: Option<usize>,
    /// The unit of the time, in microseconds.
    unit: u32,
    epoch: UnixTime,
}

/// The milliseconds of a second.
const MILLIS: u64 = 1_000;

/// The formats with types of their own, which have no row among those that are only read.
static TYPED: [TimeOrdered; 2] = [
    TimeOrdered {
        format: Format::Uuid,
        fields: fields::uuid(Some(7)),
        time: 0,
        millis: None,
        unit: 1_000,
        epoch: UnixTime::EPOCH,
    },
    TimeOrdered {
        format: Format::Mastodon,
        fields: &Mastodon::FIELDS,
        time: 0,
        millis: None,
        unit: 1_000,
        epoch: UnixTime::EPOCH,
    },
];

impl TimeOrdered {
    /// Returns every such format, such as ULID, KSUID and version 7 of UUIDs.
    pub fn all() -> impl Iterator<Item = Self> {
        let sorts = READ_ONLY.iter().filter(|(_, row)| row.coding.keeps_order());
        TYPED.iter().copied().chain(sorts.map(|(format, row)| Self {
            format: *format,
            fields: row.fields,
            time: row.time,
            millis: row.millis,
            unit: row.unit,
            epoch: row.epoch,
        }))
    }

    /// Returns the name in options, which is the format's [key](Format::key), or `uuid-v7` for
    /// UUIDs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        if matches!(self.format, Format::Uuid) { "uuid-v7" } else { self.format.key() }
    }

    /// Returns the lowest ID that shows `time` or a later one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the first or after the last that IDs show.
    pub fn min_at(self, time: UnixTime) -> Result<Identifier, RangeError> {
        // Rounded up, because an ID of the tick that contains `time` shows its start.
        let tick = self.micros(time).map(|micros| micros.div_ceil(self.unit.into()));
        let tick = tick.filter(|tick| *tick <= self.last_tick());
        tick.map(|tick| self.id(tick, 0)).ok_or_else(|| self.out_of_range(time, 0))
    }

    /// Returns the highest ID that shows `time` or an earlier one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the first that IDs show, or after the last tick.
    pub fn max_at(self, time: UnixTime) -> Result<Identifier, RangeError> {
        let tick = self.micros(time).map(|micros| micros / u64::from(self.unit));
        let tick = tick.filter(|tick| *tick <= self.last_tick());
        tick.map(|tick| self.id(tick, u8::MAX))
            .ok_or_else(|| self.out_of_range(time, self.unit.saturating_sub(1).into()))
    }

    /// Returns the time since the epoch, unless it is before.
    fn micros(self, time: UnixTime) -> Option<u64> {
        let micros = i128::from(time.as_micros()) - i128::from(self.epoch.as_micros());
        u64::try_from(micros).ok()
    }

    fn last_tick(self) -> u64 {
        let bits = self.fields.get(self.time).map_or(0, Field::bits);
        let last = u64::MAX.checked_shr(u64::BITS.saturating_sub(bits)).unwrap_or(0);
        if self.millis.is_some() { last.saturating_mul(MILLIS) + (MILLIS - 1) } else { last }
    }

    /// `beyond` is the part of the last tick that is in range.
    fn out_of_range(self, time: UnixTime, beyond: i128) -> RangeError {
        let first = i128::from(self.epoch.as_micros());
        let last = first + i128::from(self.last_tick()) * i128::from(self.unit) + beyond;
        RangeError::of_time(time.as_micros().into(), first, last)
    }

    /// Returns the ID of a tick whose other bytes are `rest`, apart from bits that are always the
    /// same.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the formats that are read only")]
    fn id(self, tick: u64, rest: u8) -> Identifier {
        let mut bytes = [rest; 20];
        for (place, field) in self.fields.iter().enumerate() {
            match field.name() {
                _ if place == self.time && self.millis.is_some() => {
                    write(&mut bytes, field, tick / MILLIS);
                }
                _ if place == self.time => write(&mut bytes, field, tick),
                _ if Some(place) == self.millis => write(&mut bytes, field, tick % MILLIS),
                "unused" => write(&mut bytes, field, 0),
                "version" => write(&mut bytes, field, 7),
                "variant" => write(&mut bytes, field, 2),
                _ => {}
            }
        }
        let bits: u32 = self.fields.iter().map(Field::bits).sum();
        let [first @ .., _, _, _, _] = bytes;
        let uuid = Uuid::from_bytes(first);
        match self.format {
            Format::Uuid => Identifier::Uuid(uuid),
            Format::Mastodon => Identifier::Mastodon(Mastodon(uuid.as_u64_pair().0)),
            format => {
                let bytes = bytes.get(..bits as usize / 8).unwrap_or_default();
                Identifier::Foreign(Foreign::new(format, bytes))
            }
        }
    }
}

/// Writes a field of up to 64 bits that are in one place.
fn write(bytes: &mut [u8], field: &Field, value: u64) {
    for place in 0..field.bits() {
        let bit = field.start() + place;
        let mask = 0x80 >> (bit % 8);
        let is_set = value >> (field.bits() - 1 - place) & 1 == 1;
        if let Some(byte) = bytes.get_mut((bit / 8) as usize) {
            *byte = if is_set { *byte | mask } else { *byte & !mask };
        }
    }
}
