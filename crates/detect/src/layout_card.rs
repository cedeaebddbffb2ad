//! A layout of Snowflakes taken apart.

use core::fmt;
use core::time::Duration;

use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use tickid_convert::{AnyScheme, Fields, Kind, Settings};
use tickid_core::{Field, Scheme as _, TickScale, UnixTime};
use tickid_snowflake::{AnySnowflake, Preset, Widths};

use crate::inspection::date_time;
use crate::serialize::Displayed;

/// A layout of Snowflakes taken apart, with everything that is printed about it.
///
/// `tickid layout`, the inspector page and the npm package print cards. It is serialized as a map
/// with the members `layout` (its text), `names` and `title` (of the preset, if it is one), `bits`,
/// `fields`, `tick_us`, `first` and `last` (the times of IDs), `span` (the time between them for
/// people), `nodes`, `ids_per_tick` and `ids_per_second` (of one node), `javascript_until` and
/// `signed_until` (null if all IDs are safe there), and `warnings`.
///
/// # Examples
/// ```
/// use tickid_detect::LayoutCard;
/// use tickid_snowflake::AnySnowflake;
///
/// let card = LayoutCard::new(AnySnowflake::read("discord")?, None);
/// assert_eq!(card.layout().to_string(), "42x1ms/10n/12s/unsigned@1420070400000");
/// assert_eq!((card.nodes(), card.ids_per_second()), (1_024, 4_096_000.0));
/// let warnings: Vec<_> = card.warnings().map(|warning| warning.to_string()).collect();
/// assert_eq!(
///     warnings[0],
///     "the sign bit is set from 2084-09-06T15:47:35Z on: signed columns show these IDs as \
///      negative and sort them first"
/// );
/// # Ok::<(), tickid_snowflake::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayoutCard {
    layout: AnySnowflake,
    now: Option<UnixTime>,
}

/// The bits of JavaScript's exact integers.
const JAVASCRIPT_BITS: u32 = 53;
/// The bits beside the sign of a signed column.
const SIGNED_BITS: u32 = 63;
/// The rest of its life in which a layout's end is worth a warning.
const SOON: Duration = Duration::from_secs(10 * YEAR);
/// The mean length of a year of the calendar, in seconds.
const YEAR: u64 = 31_556_952;

impl LayoutCard {
    /// Returns the card of a layout. Without the present time, it cannot warn of layouts that start
    /// later, end soon or have ended.
    #[must_use]
    pub const fn new(layout: AnySnowflake, now: Option<UnixTime>) -> Self {
        Self { layout, now }
    }

    /// Returns the layout.
    #[must_use]
    pub const fn layout(&self) -> AnySnowflake {
        self.layout
    }

    /// Returns the preset with this layout, if there is one.
    #[must_use]
    pub fn preset(&self) -> Option<Preset> {
        Preset::of(self.layout)
    }

    /// Returns the names of the layout, which are the preset's name and its aliases. There are none
    /// if no preset has this layout.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        let preset = self.preset();
        let aliases = preset.map_or(&[][..], Preset::aliases);
        preset.map(Preset::key).into_iter().chain(aliases.iter().copied())
    }

    /// Returns the fields that the bits consist of, the highest first. A preset's have the names of
    /// its source, for example `worker` and `process` for Discord's node. The fields of other
    /// layouts are time, node and sequence.
    #[must_use]
    pub fn fields(&self) -> Fields {
        self.preset().map_or_else(|| self.scheme().fields(), |preset| Fields::new(preset.fields()))
    }

    fn scheme(&self) -> AnyScheme {
        let settings = Settings { snowflake: self.layout, ..Settings::default() };
        AnyScheme::new(Kind::Snowflake, &settings)
    }

    fn scale(&self) -> TickScale {
        self.scheme().scale()
    }

    /// Returns the time of the first tick, which is the epoch.
    #[must_use]
    pub fn first(&self) -> UnixTime {
        self.scale().epoch()
    }

    /// Returns the start of the last tick in which IDs are issued.
    #[must_use]
    pub fn last(&self) -> UnixTime {
        self.scale().time_of(self.layout.last_tick())
    }

    /// Returns the time for which the layout suffices, in words. For example, it is `139 years` for
    /// Discord's.
    #[must_use]
    pub fn span(&self) -> impl fmt::Display + use<> {
        let ticks = u128::from(self.layout.last_tick()) + 1;
        TimeSpan(ticks * self.layout.widths().unit.as_micros())
    }

    /// Returns the number of nodes.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        1 << self.layout.widths().node
    }

    /// Returns the number of IDs that a node can make in a tick.
    #[must_use]
    pub const fn ids_per_tick(&self) -> u64 {
        1 << self.layout.widths().sequence
    }

    /// Returns the number of IDs that a node can make in a second. It may be below 1 if ticks are
    /// long.
    #[must_use]
    pub fn ids_per_second(&self) -> f64 {
        let (ids, micros) = self.rate();
        #[allow(clippy::cast_precision_loss, reason = "38 bits and 32")]
        let (ids, micros) = (ids as f64, micros as f64);
        ids / micros
    }

    /// Returns a number of IDs, and the microseconds in which a node makes a millionth of them.
    fn rate(&self) -> (u64, u64) {
        (self.ids_per_tick() * 1_000_000, self.scale().micros_per_tick())
    }

    /// Returns the first time whose IDs have more than 53 bits, or `None` if no ID has.
    /// JavaScript's numbers do not hold such integers exactly, so send them as text. In Discord's
    /// layout, all IDs are that large from 25 days after the epoch.
    #[must_use]
    pub fn javascript_until(&self) -> Option<UnixTime> {
        self.fits_until(JAVASCRIPT_BITS)
    }

    /// Returns the time from which on IDs have the sign bit of signed columns, or `None` if none
    /// do. Such columns show these IDs as negative and sort them first.
    #[must_use]
    pub fn signed_until(&self) -> Option<UnixTime> {
        self.fits_until(SIGNED_BITS)
    }

    /// Returns the time of the first tick whose IDs have more than `bits` bits.
    fn fits_until(&self, bits: u32) -> Option<UnixTime> {
        let Widths { time, node, sequence, .. } = self.layout.widths();
        let low = node + sequence;
        (time + low > bits).then(|| self.scale().time_of(1 << (bits - low)))
    }

    /// Returns the reasons to choose a different layout, or to take care with this one.
    pub fn warnings(&self) -> impl Iterator<Item = LayoutWarning> + use<> {
        let (now, first, last) = (self.now, self.first(), self.last());
        let starts = now.filter(|now| first > *now).map(|_| LayoutWarning::Starts(first));
        let ends = now.and_then(|now| {
            let is_soon = last.saturating_since(now) < SOON;
            match last < now {
                true => Some(LayoutWarning::Ended(last)),
                false => is_soon.then_some(LayoutWarning::Ends(last)),
            }
        });
        let single = (self.nodes() == 1).then_some(LayoutWarning::SingleNode);
        let sign = self.signed_until().map(LayoutWarning::Sign);
        let javascript = self.javascript_until().map(LayoutWarning::JavaScript);
        [starts, ends, single, sign, javascript].into_iter().flatten()
    }
}

/// A reason to take care with a layout. Its text is for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LayoutWarning {
    /// The epoch is in the future, and generators refuse to start before it.
    Starts(UnixTime),
    /// The last tick is over, so IDs can only be read.
    Ended(UnixTime),
    /// The last tick is less than ten years away.
    Ends(UnixTime),
    /// There is only one node, so two generators would issue the same IDs.
    SingleNode,
    /// IDs have the sign bit from this time on, which signed columns show as negative.
    Sign(UnixTime),
    /// JavaScript rounds IDs from this time on, unless they are sent as text.
    JavaScript(UnixTime),
}

impl LayoutWarning {
    /// Returns the name in data, for example `single-node`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Starts(_) => "starts",
            Self::Ended(_) => "ended",
            Self::Ends(_) => "ends",
            Self::SingleNode => "single-node",
            Self::Sign(_) => "sign",
            Self::JavaScript(_) => "javascript",
        }
    }
}

impl fmt::Display for LayoutWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Starts(time) => {
                write!(f, "the epoch is in the future: generators refuse to start before {time:.0}")
            }
            Self::Ended(time) => write!(f, "the last tick was at {time:.0}: it can only be read"),
            Self::Ends(time) => {
                write!(f, "the last tick is at {time:.0}, in less than ten years")
            }
            Self::SingleNode => {
                f.write_str("there is one node: two generators would issue the same IDs")
            }
            Self::Sign(time) => write!(
                f,
                "the sign bit is set from {time:.0} on: signed columns show these IDs as negative \
                 and sort them first"
            ),
            Self::JavaScript(time) => {
                write!(f, "JavaScript's numbers round the IDs from {time:.0} on: send them as text")
            }
        }
    }
}

/// A number of microseconds, in the largest unit of which there are two.
struct TimeSpan(u128);

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SECOND: u128 = 1_000_000;
        let units = [
            (YEAR as u128 * SECOND, "years"),
            (86_400 * SECOND, "days"),
            (3_600 * SECOND, "hours"),
            (60 * SECOND, "minutes"),
            (SECOND, "seconds"),
        ];
        let unit = units.into_iter().find(|(micros, _)| self.0 >= 2 * micros);
        let (micros, name) = unit.unwrap_or((1_000, "milliseconds"));
        write!(f, "{} {name}", self.0 / micros)
    }
}

/// A value that is serialized by a function.
struct With<F>(F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for With<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

struct FieldMap(Field);

impl Serialize for FieldMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Field", 4)?;
        map.serialize_field("name", self.0.name())?;
        map.serialize_field("start", &self.0.start())?;
        map.serialize_field("bits", &self.0.bits())?;
        map.serialize_field("meaning", self.0.meaning())?;
        map.end()
    }
}

struct CardTime(UnixTime);

impl Serialize for CardTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Instant", 2)?;
        map.serialize_field("unix_ms", &self.0.as_millis())?;
        map.serialize_field("time", &date_time(self.0).map(Displayed))?;
        map.end()
    }
}

impl Serialize for LayoutWarning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Warning", 2)?;
        map.serialize_field("kind", self.name())?;
        map.serialize_field("text", &Displayed(self))?;
        map.end()
    }
}

impl Serialize for LayoutCard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let widths = self.layout.widths();
        let fields = self.fields();
        let mut map = serializer.serialize_struct("LayoutCard", 15)?;
        map.serialize_field("layout", &Displayed(self.layout))?;
        map.serialize_field("names", &With(|| self.names()))?;
        map.serialize_field("title", &self.preset().map(Preset::title))?;
        map.serialize_field("bits", &(widths.time + widths.node + widths.sequence))?;
        map.serialize_field("fields", &With(|| fields.iter().copied().map(FieldMap)))?;
        map.serialize_field("tick_us", &self.scale().micros_per_tick())?;
        map.serialize_field("first", &CardTime(self.first()))?;
        map.serialize_field("last", &CardTime(self.last()))?;
        map.serialize_field("span", &Displayed(self.span()))?;
        map.serialize_field("nodes", &self.nodes())?;
        map.serialize_field("ids_per_tick", &self.ids_per_tick())?;
        match self.rate() {
            (ids, micros) if ids.is_multiple_of(micros) => {
                map.serialize_field("ids_per_second", &(ids / micros))?;
            }
            _ => map.serialize_field("ids_per_second", &self.ids_per_second())?,
        }
        map.serialize_field("javascript_until", &self.javascript_until().map(CardTime))?;
        map.serialize_field("signed_until", &self.signed_until().map(CardTime))?;
        map.serialize_field("warnings", &With(|| self.warnings()))?;
        map.end()
    }
}
