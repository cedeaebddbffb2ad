//! Inspections in one call.

use tickid_convert::Settings;
use tickid_core::Clock;
#[cfg(feature = "std")]
use tickid_core::SystemClock;

use crate::detect::detect_in;
use crate::evidence::Scope;
use crate::inspection::Inspection;
use crate::reading::Readings;

/// Inspects a text as every ID that it may be, likeliest first.
///
/// This uses the default settings, and judges times by the system's clock. If your IDs have a
/// different epoch or node size, or if a test needs a clock that it sets by itself, use a
/// [`Detector`]. Text around the ID, such as quotation marks, has to be [trimmed](crate::trimmed)
/// first.
///
/// # Examples
/// ```
/// let found = tickid_detect::inspect("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
/// let first = found.first().ok_or("no known format")?;
/// assert_eq!(first.name().to_string(), "UUID of version 7");
/// assert_eq!(first.unix_time().ok_or("no time")?.to_string(), "2022-02-22T19:22:22Z");
/// assert!(tickid_detect::inspect("?").first().is_none());
/// # Ok::<(), &str>(())
/// ```
#[cfg(feature = "std")]
#[must_use]
pub fn inspect(text: &str) -> Inspections<'_> {
    Detector::default().inspect(text)
}

/// Inspects texts under options that are given once, which are the settings of the IDs and the
/// clock that times are judged by.
///
/// Settings hold what is not in the bits of an ID, and a wrong one gives a wrong time. For example,
/// a Nanoflake with Discord's epoch, 2015, appears four years too old under the default epoch,
/// which is Twitter's of 2010.
///
/// # Examples
/// ```
/// use tickid_convert::Settings;
/// use tickid_core::{ManualClock, UnixTime};
/// use tickid_detect::Detector;
/// use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId};
///
/// let settings = Settings { epoch: Epoch::DISCORD, ..Settings::default() };
/// let clock = ManualClock::new(UnixTime::from_millis(1_900_000_000_000)?);
/// let detector = Detector::new(settings, clock);
/// let found = detector.inspect("bppc0m3ju134");
/// let first = found.first().ok_or("no known format")?;
/// let id: NanoflakeId = "bppc0m3ju134".parse()?;
/// assert_eq!(first.unix_time(), Some(Nanoflake { epoch: Epoch::DISCORD }.unix_time(id)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Detector<C> {
    pub(crate) settings: Settings,
    pub(crate) clock: C,
}

/// Returns a detector with the default settings and the system's clock.
#[cfg(feature = "std")]
impl Default for Detector<SystemClock> {
    fn default() -> Self {
        Self::new(Settings::default(), SystemClock)
    }
}

impl<C: Clock> Detector<C> {
    /// Returns a detector for IDs of these settings, which reads `clock` once per text. If the
    /// clock fails, times cannot be judged. A reading with a time is then at most possible, unless
    /// the text has marks of its format, such as the groups of a UUID.
    #[must_use]
    pub const fn new(settings: Settings, clock: C) -> Self {
        Self { settings, clock }
    }

    /// Inspects a text under these options, and returns every ID that it may be, likeliest first.
    #[must_use]
    pub fn inspect<'a>(&self, text: &'a str) -> Inspections<'a> {
        self.inspect_in(Scope::Whole, text)
    }

    /// Inspects a text that is all that was given or a part of it.
    #[inline]
    pub(crate) fn inspect_in<'a>(&self, scope: Scope, text: &'a str) -> Inspections<'a> {
        let now = self.clock.now().ok();
        let readings = detect_in(scope, text.as_bytes(), &self.settings, now);
        Inspections { readings, text, settings: self.settings }
    }
}

/// The inspections of a text, one for each reading.
#[derive(Clone, Debug)]
pub struct Inspections<'a> {
    pub(crate) readings: Readings,
    text: &'a str,
    settings: Settings,
}

impl Inspections<'_> {
    /// Returns the readings that are inspected.
    #[must_use]
    pub const fn readings(&self) -> &Readings {
        &self.readings
    }

    /// Returns the inspection of the likeliest reading, or `None` if the text fits no known format.
    /// Check its [confidence](Inspection::confidence) before you rely on it, since even the
    /// likeliest reading may be no more than possible.
    #[must_use]
    pub fn first(&self) -> Option<Inspection<'_>> {
        self.readings.first().map(|one| Inspection::of(one, self.text, &self.settings))
    }

    /// Returns the inspections, likeliest first.
    ///
    /// # Examples
    /// ```
    /// let found = tickid_detect::inspect("brpk4q72xwf2m63l");
    /// let formats: Vec<&str> = found.iter().map(|one| one.format().key()).collect();
    /// assert!(formats.contains(&"sno"));
    /// assert_eq!(formats.len(), found.readings().len());
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Inspection<'_>> {
        self.readings.iter().map(|one| Inspection::of(one, self.text, &self.settings))
    }
}
