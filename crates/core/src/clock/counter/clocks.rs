//! The clocks that a counter is held to.

/// A source of readings.
pub(super) trait Clocks {
    /// Reads the counter, after everything that comes before in the program.
    fn counter(&self) -> u64;
    /// Reads the counter, perhaps a moment early.
    fn early_counter(&self) -> u64;
    /// Reads the wall clock, before everything that comes after in the program. Returns `None` for
    /// a time that does not fit.
    fn wall(&self) -> Option<u64>;
    /// Reads a clock that is neither stepped nor slewed.
    fn raw(&self) -> u64;
}
