//! The calls that all generators have in common. Their bodies are functions over a [`Source`], and
//! a macro turns them into documented methods.

use core::num::NonZeroU32;
#[cfg(feature = "std")]
use core::time::Duration;

use crate::engine::Block;
use crate::generator::ids::{FillError, Filled, Ids};
use crate::generator::source::Source;
#[cfg(feature = "std")]
use crate::generator::wait;
use crate::scheme::Variant;
use crate::slot::Slot;

/// Generates one ID. `slow` is a cold function, so that only the fast path is inlined.
#[inline]
fn one<D: Source, V: Variant<D::Scheme>>(
    mut source: D,
    variant: V,
    slow: impl FnOnce(D, D::Missed) -> Result<Slot<D::Scheme>, D::Error>,
) -> Result<V::Id, D::Error> {
    source.check_variant(variant)?;
    let scheme = source.scheme();
    let slot = match source.fast_slot() {
        Ok(slot) => slot,
        Err(missed) => slow(source, missed)?,
    };
    Ok(variant.id(&scheme, slot))
}

/// Generates an ID without waiting.
#[inline]
pub fn try_generate<D: Source, V: Variant<D::Scheme>>(
    source: D,
    variant: V,
) -> Result<V::Id, D::Error> {
    one(source, variant, try_slow_slot)
}

#[cold]
#[inline(never)]
fn try_slow_slot<D: Source>(mut source: D, missed: D::Missed) -> Result<Slot<D::Scheme>, D::Error> {
    source.slow_slot(missed).map_err(|error| source.note(error))
}

/// Generates an ID, waiting for it.
#[cfg(feature = "std")]
#[inline]
pub fn generate<D: Source, V: Variant<D::Scheme>>(
    source: D,
    variant: V,
) -> Result<V::Id, D::Error> {
    one(source, variant, slow_slot)
}

#[cfg(feature = "std")]
#[cold]
#[inline(never)]
fn slow_slot<D: Source>(mut source: D, missed: D::Missed) -> Result<Slot<D::Scheme>, D::Error> {
    source.slow_slot(missed).or_else(|error| {
        let block = wait::for_block(&mut source, NonZeroU32::MIN, error, None)?;
        Ok(block.first)
    })
}

/// Draws a block without waiting.
pub fn try_block<D: Source, V: Variant<D::Scheme>>(
    mut source: D,
    variant: V,
    n: NonZeroU32,
) -> Result<Ids<D::Scheme, V>, D::Error> {
    source.check_variant(variant)?;
    let block = source.try_block(n).map_err(|error| source.note(error))?;
    Ok(Ids::new(source.scheme(), variant, &block))
}

/// Draws a block. Waits for it for at most `within`, or for as long as the generator's options
/// permit.
#[cfg(feature = "std")]
pub fn block<D: Source, V: Variant<D::Scheme>>(
    mut source: D,
    variant: V,
    n: NonZeroU32,
    within: Option<Duration>,
) -> Result<Ids<D::Scheme, V>, D::Error> {
    source.check_variant(variant)?;
    let block = source.try_block(n);
    let block = block.or_else(|error| wait::for_block(&mut source, n, error, within))?;
    Ok(Ids::new(source.scheme(), variant, &block))
}

/// Does the same, awaiting `sleep`.
#[cfg(feature = "std")]
pub async fn block_async<D, V, F, Fut>(
    mut source: D,
    variant: V,
    n: NonZeroU32,
    within: Option<Duration>,
    sleep: F,
) -> Result<Ids<D::Scheme, V>, D::Error>
where
    D: Source,
    V: Variant<D::Scheme>,
    F: Fn(Duration) -> Fut,
    Fut: Future<Output = ()>,
{
    source.check_variant(variant)?;
    let block = match source.try_block(n) {
        Ok(block) => block,
        Err(error) => wait::for_block_async(&mut source, n, error, within, sleep).await?,
    };
    Ok(Ids::new(source.scheme(), variant, &block))
}

/// Fills all of `out`, unless `on_error` gives up first.
fn fill_with<D: Source, V: Variant<D::Scheme>>(
    source: &mut D,
    variant: V,
    out: &mut [V::Id],
    on_error: impl Fn(&mut D, NonZeroU32, D::Error) -> Result<Block<D::Scheme>, D::Error>,
) -> Result<(), FillError<D::Error>> {
    source.check_variant(variant).map_err(|source| FillError { written: 0, source })?;
    let mut written = 0;
    while let Some(n) = NonZeroU32::new(u32::try_from(out.len() - written).unwrap_or(u32::MAX)) {
        let block = source
            .try_block(n)
            .or_else(|error| on_error(source, n, error))
            .map_err(|source| FillError { written, source })?;
        let len = block.len.get() as usize;
        variant.fill(&source.scheme(), block.first, &mut out[written..written + len]);
        written += len;
    }
    Ok(())
}

/// Fills the front of `out` without waiting.
pub fn try_fill<D: Source, V: Variant<D::Scheme>>(
    mut source: D,
    variant: V,
    out: &mut [V::Id],
) -> Result<Filled<'_, V::Id>, D::Error> {
    let written = match fill_with(&mut source, variant, out, |_, _, error| Err(error)) {
        Ok(()) => out.len(),
        Err(FillError { written: 0, source: error }) => return Err(source.note(error)),
        Err(FillError { written, .. }) => written,
    };
    Ok(Filled::new(&mut out[..written]))
}

/// Fills all of `out`, waiting for that.
#[cfg(feature = "std")]
pub fn fill<D: Source, V: Variant<D::Scheme>>(
    mut source: D,
    variant: V,
    out: &mut [V::Id],
) -> Result<(), FillError<D::Error>> {
    fill_with(&mut source, variant, out, |source, n, error| wait::for_block(source, n, error, None))
}

/// Generates an ID, awaiting `sleep` for it.
#[cfg(feature = "std")]
pub async fn generate_async<D, V, F, Fut>(
    mut source: D,
    variant: V,
    sleep: F,
) -> Result<V::Id, D::Error>
where
    D: Source,
    V: Variant<D::Scheme>,
    F: Fn(Duration) -> Fut,
    Fut: Future<Output = ()>,
{
    source.check_variant(variant)?;
    let block = match source.try_block(NonZeroU32::MIN) {
        Ok(block) => block,
        Err(error) => {
            wait::for_block_async(&mut source, NonZeroU32::MIN, error, None, sleep).await?
        }
    };
    Ok(variant.id(&source.scheme(), block.first))
}

/// Makes the calls methods of a type.
///
/// `$this` is `self`, and `$receiver` the form that the methods take it in. `$source` and
/// `$variant` are expressions of `$this`. `$named` names the error in the documentation, which also
/// links to `$max_wait`. `$filled` is a sentence about the order of a slice. `$setup` is the code
/// that creates a `generator` with a `clock` at second 100, which is hidden in the examples.
#[doc(hidden)]
#[macro_export]
macro_rules! __calls {
    (
        $this:ident, ($($receiver:tt)+), $source:expr, $variant:expr,
        id $id:ty, ids $ids:ty, error $error:ty,
        named $named:literal, max_wait $max_wait:literal, filled $filled:literal,
        setup $setup:literal
    ) => {
        /// Generates an ID without blocking. Call it where waiting is not an option, for example
        /// while a lock is held, or to try a second generator if this one has no ID.
        ///
        /// # Errors
        #[doc = concat!("Returns ", $named, " if no ID can be issued at the current clock reading,")]
        /// because the tick is exhausted, the clock has gone back further than the policy
        /// tolerates, the window has ended, or the generator is closed. Its `retry_after` returns
        /// how long the condition lasts, if that is known.
        ///
        /// # Examples
        /// ```
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// use core::time::Duration;
        ///
        /// // This scheme has 256 IDs per second, and its clock stands still.
        /// for _ in 0..256 {
        ///     assert_eq!(generator.try_generate()? >> 17, 100);
        /// }
        /// let error = generator.try_generate().unwrap_err();
        /// assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[inline]
        pub fn try_generate($($receiver)+) -> Result<$id, $error> {
            $crate::source_parts::try_generate($source, $variant)
        }

        /// Writes IDs to the front of `out` until it is full or no more can be issued, and returns
        /// the part that was written. The rest of `out` is left as it was, so use only the part
        /// that is returned.
        ///
        /// # Errors
        #[doc = concat!("Returns ", $named, " if `out` has room and no ID at all could be issued.")]
        ///
        /// # Examples
        /// ```
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// let mut ids = [0; 300];
        /// let written = generator.try_fill(&mut ids)?;
        /// assert_eq!(written.len(), 256); // the tick has no more
        /// assert!(written.is_sorted());
        /// assert!(generator.try_fill(&mut ids).is_err());
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn try_fill<'ids>(
            $($receiver)+,
            out: &'ids mut [$id],
        ) -> Result<$crate::Filled<'ids, $id>, $error> {
            $crate::source_parts::try_fill($source, $variant, out)
        }

        /// Draws at least one and at most `n` IDs of one tick without blocking.
        ///
        /// There may be fewer than `n`, because a block never crosses into the next tick. Call it
        /// again for the rest, or use [`try_fill`](Self::try_fill). If the call fails, it normally
        /// skips no IDs. But if a second thread of a shared generator draws at the same moment, up
        /// to `n` of the tick's IDs are never issued.
        ///
        /// # Errors
        /// Returns the errors of [`try_generate`](Self::try_generate).
        ///
        /// # Examples
        /// ```
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// use core::num::NonZeroU32;
        ///
        /// let n = NonZeroU32::new(200).ok_or("zero")?;
        /// let (one, other) = (generator.try_block(n)?, generator.try_block(n)?);
        /// assert_eq!((one.len(), other.len()), (200, 56)); // of 256 in the tick
        /// assert!(one.chain(other).is_sorted());
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn try_block(
            $($receiver)+,
            n: core::num::NonZeroU32,
        ) -> Result<$ids, $error> {
            $crate::source_parts::try_block($source, $variant, n)
        }

        $crate::__waiting_calls! {
            $this, ($($receiver)+), $source, $variant,
            id $id, ids $ids, error $error,
            named $named, max_wait $max_wait, filled $filled,
            setup $setup
        }
    };
}
pub(crate) use __calls as calls;

/// Makes the calls that wait methods of a type, as [`__calls`] does.
#[cfg(feature = "std")]
#[doc(hidden)]
#[macro_export]
macro_rules! __waiting_calls {
    (
        $this:ident, ($($receiver:tt)+), $source:expr, $variant:expr,
        id $id:ty, ids $ids:ty, error $error:ty,
        named $named:literal, max_wait $max_wait:literal, filled $filled:literal,
        setup $setup:literal
    ) => {
        /// Generates an ID, sleeping until one can be issued.
        ///
        /// Usually there is an ID at once. The call waits, for example, if the tick's sequences are
        /// used up, or if the clock was set back further than the policy tolerates. It sleeps for
        /// at most 50 milliseconds before it rereads the clock, because the clock may have been
        /// corrected in the meantime. It spins for no more than the last 200 microseconds, or for
        /// a millisecond if the clock stands.
        ///
        /// In a browser, where threads cannot sleep, it spins for the whole wait, so call
        /// [`generate_async`](Self::generate_async) there. In some hosts of WebAssembly, the clocks
        /// stand while a call runs. The wait would never end, so after a million looks at clocks
        /// that stand the call fails with the stall.
        ///
        /// # Errors
        #[doc = concat!("Returns ", $named, " if the wait would take longer than")]
        #[doc = concat!("[`max_wait`](", $max_wait, "), by default one minute. If waiting does not help,")]
        /// the call fails immediately. That is the case if the generator is closed, if its clock is
        /// out of the scheme's range, or if its window has passed and `max_wait` is not set.
        ///
        /// # Examples
        /// ```
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// use core::time::Duration;
        ///
        /// for _ in 0..300 {
        ///     generator.generate()?;
        /// }
        /// assert_eq!(clock.slept(), Duration::from_secs(1)); // after 256 IDs, until the next tick
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[inline]
        pub fn generate($($receiver)+) -> Result<$id, $error> {
            $crate::source_parts::generate($source, $variant)
        }

        /// Generates an ID, awaiting `sleep` until one can be issued.
        ///
        /// `sleep` is the executor's timer, for example `tokio::time::sleep`. It is called with at
        /// most 50 milliseconds at a time, and not at all if there is an ID at once. The future is
        /// `Send` if the generator can be shared between threads and the futures of `sleep` are
        /// `Send`. A spawned task must own the generator, for example in an `Arc`.
        ///
        /// # Errors
        /// Returns the errors of [`generate`](Self::generate).
        ///
        /// # Examples
        /// ```
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # mod tokio { pub mod time { pub async fn sleep(_: core::time::Duration) {} } }
        /// # async fn example() -> Result<(), Box<dyn core::error::Error>> {
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// let id = generator.generate_async(tokio::time::sleep).await?;
        /// # Ok(())
        /// # }
        /// ```
        pub async fn generate_async<F, Fut>(
            $($receiver)+,
            sleep: F,
        ) -> Result<$id, $error>
        where
            F: Fn(core::time::Duration) -> Fut,
            Fut: Future<Output = ()>,
        {
            $crate::source_parts::generate_async($source, $variant, sleep).await
        }

        /// Fills all of `out` with IDs, sleeping as [`generate`](Self::generate) does. For many IDs
        /// this is faster than a loop over `generate`, because it draws them in blocks.
        #[doc = $filled]
        ///
        /// # Errors
        /// Returns a `FillError` with the number of IDs written to the front of `out`, and the
        #[doc = concat!("error that `generate` would return. [`max_wait`](", $max_wait, ")")]
        /// applies to each wait.
        ///
        /// # Examples
        /// ```
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// let mut ids = [0; 1_000];
        /// generator.fill(&mut ids)?; // 256 for each second
        /// assert!(ids.is_sorted());
        /// assert_eq!(ids[999] >> 17, 103);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn fill($($receiver)+, out: &mut [$id]) -> Result<(), $crate::FillError<$error>> {
            $crate::source_parts::fill($source, $variant, out)
        }

        /// Draws at least one and at most `n` IDs of one tick, sleeping as
        /// [`generate`](Self::generate) does. It waits for the first ID only, so there may be
        /// fewer than `n`, for example if only the end of a tick is left.
        ///
        /// # Errors
        /// Returns the errors of [`generate`](Self::generate).
        ///
        /// # Examples
        /// ```
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// use core::num::NonZeroU32;
        ///
        /// let n = NonZeroU32::new(256).ok_or("zero")?;
        /// assert!(generator.block(n)?.all(|id| id >> 17 == 100)); // all of the tick
        /// assert!(generator.block(n)?.all(|id| id >> 17 == 101)); // a second later
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn block(
            $($receiver)+,
            n: core::num::NonZeroU32,
        ) -> Result<$ids, $error> {
            $crate::source_parts::block($source, $variant, n, None)
        }

        /// Does the same as [`block`](Self::block), but waits for at most `within`, whatever
        /// `max_wait` is. It suits a request that has a deadline of its own.
        ///
        /// # Errors
        /// Returns the errors of [`generate`](Self::generate), and returns them immediately if the
        /// wait would take longer than `within`.
        ///
        /// # Examples
        /// ```
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// use core::num::NonZeroU32;
        /// use core::time::Duration;
        ///
        /// let n = NonZeroU32::new(256).ok_or("zero")?;
        /// assert_eq!(generator.block_within(n, Duration::ZERO)?.len(), 256); // all of the second
        /// let error = generator.block_within(n, Duration::from_millis(100)).unwrap_err();
        /// assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
        /// assert!(generator.block_within(n, Duration::from_secs(5)).is_ok());
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn block_within(
            $($receiver)+,
            n: core::num::NonZeroU32,
            within: core::time::Duration,
        ) -> Result<$ids, $error> {
            $crate::source_parts::block($source, $variant, n, Some(within))
        }

        /// Does the same as [`block_within`](Self::block_within), but awaits `sleep`, the
        /// executor's timer, for at most 50 milliseconds at a time.
        ///
        /// # Errors
        /// Returns the errors of `block_within`.
        ///
        /// # Examples
        /// ```
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # mod tokio { pub mod time { pub async fn sleep(_: core::time::Duration) {} } }
        /// # async fn example() -> Result<(), Box<dyn core::error::Error>> {
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// use core::num::NonZeroU32;
        /// use core::time::Duration;
        ///
        /// let (n, within) = (NonZeroU32::new(256).ok_or("zero")?, Duration::from_secs(5));
        /// let ids = generator.block_within_async(n, within, tokio::time::sleep).await?;
        /// # Ok(())
        /// # }
        /// ```
        pub async fn block_within_async<F, Fut>(
            $($receiver)+,
            n: core::num::NonZeroU32,
            within: core::time::Duration,
            sleep: F,
        ) -> Result<$ids, $error>
        where
            F: Fn(core::time::Duration) -> Fut,
            Fut: Future<Output = ()>,
        {
            $crate::source_parts::block_async($source, $variant, n, Some(within), sleep).await
        }
    };
}

/// There are none without an operating system.
#[cfg(not(feature = "std"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __waiting_calls {
    ($($arguments:tt)*) => {};
}

/// Makes methods that wait without drawing anything, as [`__calls`] does.
#[cfg(feature = "std")]
#[doc(hidden)]
#[macro_export]
macro_rules! __ready_calls {
    (
        $this:ident, ($($receiver:tt)+), $source:expr, error $error:ty, setup $setup:literal
    ) => {
        /// Waits until an ID can be issued, for at most `within`, without drawing one. If other
        /// threads share the generator, they may draw it first.
        ///
        /// It sleeps as [`generate`](Self::generate) does. Use it to make a long wait visible, for
        /// example in a command that waits for a second, prints the reason, and waits on.
        ///
        /// # Errors
        /// Returns the errors of [`generate`](Self::generate), and returns them immediately if the
        /// wait would take longer than `within`, or if waiting does not help.
        ///
        /// # Examples
        /// ```
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// use core::time::Duration;
        ///
        /// while generator.try_generate().is_ok() {} // all of the second
        /// let error = generator.wait_ready(Duration::from_millis(100)).unwrap_err();
        /// println!("waiting: {error}");
        /// generator.wait_ready(Duration::from_secs(5))?;
        /// assert_eq!(clock.slept(), Duration::from_secs(1));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn wait_ready(
            $($receiver)+,
            within: core::time::Duration,
        ) -> Result<(), $error> {
            $crate::source_parts::wait_ready($source, within)
        }

        /// Does the same as [`wait_ready`](Self::wait_ready), but awaits `sleep`, the executor's
        /// timer, for at most 50 milliseconds at a time.
        ///
        /// # Errors
        /// Returns the errors of `wait_ready`.
        ///
        /// # Examples
        /// ```
        /// # use core::time::Duration;
        /// # use tickid_core::{Generator, LocalGenerator, ManualClock, UnixTime, example};
        /// # mod tokio { pub mod time { pub async fn sleep(_: core::time::Duration) {} } }
        /// # async fn example() -> Result<(), Box<dyn core::error::Error>> {
        /// # let clock = ManualClock::new(UnixTime::from_millis(100_000)?);
        #[doc = concat!("# ", $setup)]
        /// generator.wait_ready_async(Duration::from_secs(5), tokio::time::sleep).await?;
        /// # Ok(())
        /// # }
        /// ```
        pub async fn wait_ready_async<F, Fut>(
            $($receiver)+,
            within: core::time::Duration,
            sleep: F,
        ) -> Result<(), $error>
        where
            F: Fn(core::time::Duration) -> Fut,
            Fut: Future<Output = ()>,
        {
            $crate::source_parts::wait_ready_async($source, within, sleep).await
        }
    };
}
#[cfg(feature = "std")]
pub(crate) use __ready_calls as ready_calls;

/// Writes the calls that close a generator and wait for the end of its last tick. `$build` is the
/// builder's method.
#[cfg(feature = "std")]
macro_rules! closing_calls {
    ($this:ident, ($($receiver:tt)+), $source:expr, $generator:literal, $build:literal) => {
        /// Closes the generator as [`close`](Self::close) does, and waits until its clock is past
        /// the last ID, for at most `within`. From then on, a new generator of the node issues
        /// none of its IDs, even if it has no snapshot, as in the next process.
        ///
        /// Without that wait, the next one may begin in the same tick, or before it: a ratchet can
        /// be ahead of the clock by one tick more than its allowance, and a clock that was set back
        /// may not have caught up. Call it at the end of a program whose node the next program gets
        /// at once. It takes no longer than a tick, unless one of these was the case.
        ///
        /// # Errors
        /// Returns [`Stalled`](crate::ErrorKind::Stalled) immediately if the wait would take longer
        /// than `within`. The error says how long it [would take](crate::Error::retry_after), and
        /// the generator is closed, so you may call this again, or [`close`](Self::close) for the
        /// snapshot. Other errors say that the clock cannot be read, or that no tick comes after
        /// the last ID.
        ///
        /// # Examples
        /// ```
        /// use core::time::Duration;
        #[doc = concat!("use tickid_core::{", $generator, " as Generator, ManualClock, UnixTime, example};")]
        ///
        /// let clock = ManualClock::new(UnixTime::from_millis(100_300)?);
        /// let build = || {
        ///     let builder = Generator::<example::Seconds>::builder(example::Node(1));
        #[doc = concat!("    builder.clock(&clock).", $build, "()")]
        /// };
        /// let mut generator = build()?;
        /// # let generator = &mut generator;
        /// let last = generator.generate()?;
        /// generator.close_and_wait(Duration::from_secs(5))?;
        /// assert_eq!(clock.slept(), Duration::from_millis(700)); // the rest of the second
        /// assert_ne!(build()?.generate()?, last);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn close_and_wait(
            $($receiver)+,
            within: core::time::Duration,
        ) -> Result<crate::Snapshot<S>, crate::Error> {
            let snapshot = $this.close();
            crate::generator::wait::until_over(&$source, snapshot.highest_tick(), within)?;
            Ok(snapshot)
        }

        /// Does the same as [`close_and_wait`](Self::close_and_wait), but awaits `sleep`, the
        /// executor's timer, for at most 50 milliseconds at a time.
        ///
        /// # Errors
        /// Returns the errors of `close_and_wait`.
        pub async fn close_and_wait_async<F, Fut>(
            $($receiver)+,
            within: core::time::Duration,
            sleep: F,
        ) -> Result<crate::Snapshot<S>, crate::Error>
        where
            F: Fn(core::time::Duration) -> Fut,
            Fut: Future<Output = ()>,
        {
            let snapshot = $this.close();
            let last = snapshot.highest_tick();
            crate::generator::wait::until_over_async(&$source, last, within, sleep).await?;
            Ok(snapshot)
        }
    };
}
#[cfg(feature = "std")]
pub(crate) use closing_calls;
