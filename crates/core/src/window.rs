//! Windows, which are ranges of ticks that belong to one generator of a node.

use core::fmt;

use crate::range::RangeError;
use crate::scheme::Scheme;
use crate::tick::Tick;

/// A half-open range of ticks `[floor, ceiling)`, outside of which a generator issues no ID.
///
/// Two generators of the same node whose windows are disjoint can never issue the same ID, whatever
/// their clocks do, since they have no tick in common. This is all that a
/// [lease](https://docs.rs/tickid-lease) is made of, and you can use it without one: store a ceiling
/// a minute ahead before you issue any ID, raise it in time, and after a crash start with a window
/// whose floor is the ceiling that you stored.
///
/// By default, a generator has all ticks of the format. The floor of its window is fixed. The
/// ceiling may [rise](crate::Generator::widen), but never falls, because IDs below it may have been
/// issued already.
///
/// # Examples
/// ```
/// use tickid_core::{ErrorKind, StallReason, Generator, ManualClock, Tick, UnixTime, Window, example};
///
/// // Seconds 100 to 109 belong to this generator, all others to other generators.
/// let window = Window::new(Tick::new(100)?, 110)?;
/// let clock = ManualClock::new(UnixTime::from_millis(109_000)?);
/// let generator = Generator::<example::Seconds>::builder(example::Node(1))
///     .window(window)
///     .clock(&clock)
///     .build()?;
/// assert!(generator.try_generate().is_ok());
///
/// clock.set(UnixTime::from_millis(110_000)?);
/// assert_eq!(generator.try_generate().unwrap_err().kind(), ErrorKind::Stalled(StallReason::WindowEnded));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window<S: Scheme> {
    floor: Tick<S>,
    /// One past the last tick. It is not a `Tick`, since it may be one past the format's last.
    ceiling: u64,
}

impl<S: Scheme> Window<S> {
    /// All ticks of the format.
    pub const ALL: Self = Self { floor: Tick::MIN, ceiling: S::MAX_TICK + 1 };

    /// Creates a window of the ticks from `floor` up to, but not including, `ceiling`.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the window is empty (`ceiling <= floor`), or if the ceiling is
    /// more than one past the last tick of the format.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Tick, Window, example::Seconds};
    ///
    /// let window = Window::<Seconds>::new(Tick::new(100)?, 200)?;
    /// assert!(window.contains(Tick::new(100)?) && !window.contains(Tick::new(200)?));
    /// assert!(Window::<Seconds>::new(Tick::new(100)?, 100).is_err()); // empty
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    pub const fn new(floor: Tick<S>, ceiling: u64) -> Result<Self, RangeError> {
        if ceiling > floor.get() && ceiling <= S::MAX_TICK + 1 {
            Ok(Self { floor, ceiling })
        } else {
            let (min, max) = (floor.get() as i128 + 1, S::MAX_TICK as i128 + 1);
            Err(RangeError::new("window ceiling", ceiling as i128, min, max))
        }
    }

    /// Returns the first tick of the window.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Tick, Window, example::Seconds};
    ///
    /// let window = Window::<Seconds>::new(Tick::new(100)?, 200)?;
    /// assert_eq!((window.floor().get(), window.ceiling()), (100, 200));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn floor(&self) -> Tick<S> {
        self.floor
    }

    /// Returns one past the last tick of the window. It is a plain number and not a [`Tick`], since
    /// it may be one past the last tick of the format.
    #[must_use]
    pub const fn ceiling(&self) -> u64 {
        self.ceiling
    }

    /// Reports whether `tick` lies in the window.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Tick, Window, example::Seconds};
    ///
    /// let window = Window::<Seconds>::new(Tick::new(100)?, 200)?;
    /// assert!(window.contains(Tick::new(199)?));
    /// assert!(!window.contains(Tick::new(200)?));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn contains(&self, tick: Tick<S>) -> bool {
        self.floor.get() <= tick.get() && tick.get() < self.ceiling
    }
}

impl<S: Scheme> Default for Window<S> {
    fn default() -> Self {
        Self::ALL
    }
}

/// Writes the ticks as a half-open range, for example `[12, 34)`.
impl<S: Scheme> fmt::Display for Window<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {})", self.floor, self.ceiling)
    }
}
impl<S: Scheme> fmt::Debug for Window<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use alloc::string::ToString as _;

    use super::*;
    use crate::example::Seconds;

    fn tick(tick: u64) -> Tick<Seconds> {
        Tick::new(tick).unwrap()
    }

    #[test]
    fn ceilings_are_exclusive() {
        let window = Window::new(tick(12), 34).unwrap();
        for (at, is_inside) in [(11, false), (12, true), (33, true), (34, false)] {
            assert_eq!(window.contains(tick(at)), is_inside, "{at}");
        }
    }

    #[test]
    fn everything_is_inside_of_all() {
        for at in [Tick::MIN, tick(12), Tick::MAX] {
            assert!(Window::<Seconds>::ALL.contains(at));
        }
        assert_eq!(Window::<Seconds>::default(), Window::ALL);
    }

    #[test]
    fn empty_and_endless_are_refused() {
        let max = Seconds::MAX_TICK;
        for (ceiling, is_refused) in [
            (11, true),
            (12, true),
            (13, false),
            (max + 1, false),
            (max + 2, true),
            (u64::MAX, true),
        ] {
            let error = Window::new(tick(12), ceiling).err();
            assert_eq!(error.is_some(), is_refused, "{ceiling}");
            if let Some(error) = error {
                let range = (error.value(), error.min(), error.max());
                assert_eq!(range, (ceiling.into(), 13, i128::from(max) + 1));
            }
        }
    }

    #[test]
    fn shows_a_half_open_range() {
        let window = Window::new(tick(12), 34).unwrap();
        assert_eq!(window.to_string(), "[12, 34)");
    }
}
