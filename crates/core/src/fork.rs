//! The identity of a process. It is needed because the child of a `fork` has all the memory of its
//! parent, including its generators, and would issue the same IDs.

#![allow(unsafe_code, reason = "registers a function with the C library and shares what is leaked")]

use alloc::boxed::Box;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// The number of forks between the process that registered first and this one.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// The process that made a value, to find out later whether a `fork` has come in between.
///
/// A `fork` copies the value, but the child is a different process. Children of the C library's
/// `fork` are detected, by a handler that the first value registers with `pthread_atfork`. Handlers
/// for the child that were registered before it run before it, and still take the child for the
/// parent, so they must not generate IDs. Children of a raw `clone` or of glibc's `_Fork`, which
/// runs no handlers, and copies of a whole machine are not detected, because nothing in their
/// memory changes. Children of `vfork` share their parent's memory until they run a different
/// program, so they count as the parent.
///
/// # Examples
/// ```
/// let home = tickid_core::Process::this();
/// assert!(home.is_this());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(u64);

impl Process {
    /// Returns the process that is running.
    ///
    /// # Examples
    /// ```
    /// assert!(tickid_core::Process::this().is_this());
    /// ```
    #[must_use]
    pub fn this() -> Self {
        register();
        Self(GENERATION.load(Ordering::Relaxed))
    }

    /// Reports whether the value was made in this process, rather than in its parent before a fork.
    /// It is a load and a comparison.
    #[inline]
    #[must_use]
    pub fn is_this(self) -> bool {
        // Relaxed: the number changes only in a child, while that has a single thread.
        GENERATION.load(Ordering::Relaxed) == self.0
    }

    /// Returns a number that no other process has in the memory that this one shares or has
    /// inherited.
    pub(crate) const fn number(self) -> u64 {
        self.0
    }

    /// Returns a process that is none of those in which tests run.
    #[cfg(test)]
    pub(crate) const fn another() -> Self {
        Self(u64::MAX)
    }
}

/// A cell whose value belongs to one process, so that a child of a `fork` starts without one. It
/// suits a `static` generator or connection.
///
/// It takes no lock, because some thread might hold the lock at the moment of a `fork`, and that
/// thread does not exist in the child to release it.
///
/// A child never drops its parent's value, because that could close a connection that the parent
/// still uses.
///
/// # Examples
/// ```
/// use tickid_core::PerProcess;
///
/// static NUMBER: PerProcess<u32> = PerProcess::new();
/// assert_eq!(NUMBER.get(), None);
/// assert_eq!(NUMBER.set(5), &5);
/// assert_eq!(NUMBER.set(6), &5, "it stays");
/// assert_eq!(NUMBER.get_or_set(|| 7), &5);
/// assert_eq!((NUMBER.get(), NUMBER.inherited()), (Some(&5), None));
/// ```
pub struct PerProcess<T> {
    /// Null, or an entry that came from a box and that only `drop` frees.
    newest: AtomicPtr<Entry<T>>,
    /// Values are dropped with this, and threads share them.
    owned: PhantomData<T>,
}

struct Entry<T> {
    home: Process,
    value: ManuallyDrop<T>,
    /// The previous process's entry, which is null or a pointer as in `newest`.
    older: *mut Self,
}

impl<T: Send + Sync> PerProcess<T> {
    /// Creates a cell without a value.
    #[must_use]
    pub const fn new() -> Self {
        Self { newest: AtomicPtr::new(ptr::null_mut()), owned: PhantomData }
    }

    /// Returns this process's value, or `None` if it has none yet.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::PerProcess;
    ///
    /// static NUMBER: PerProcess<u32> = PerProcess::new();
    /// assert_eq!(NUMBER.get(), None);
    /// NUMBER.set(5);
    /// assert_eq!(NUMBER.get(), Some(&5));
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self) -> Option<&T> {
        self.entry().filter(|entry| entry.home.is_this()).map(|entry| &*entry.value)
    }

    /// Returns the value of the process that this one was forked from, until this process has its
    /// own value. A child can read from it what to do differently, for example which node it must
    /// not use.
    #[must_use]
    pub fn inherited(&self) -> Option<&T> {
        self.entry().filter(|entry| !entry.home.is_this()).map(|entry| &*entry.value)
    }

    /// Returns this process's value, and makes it first if necessary. Threads that race here may
    /// make several, but only one of them stays, so `make` should not have side effects that
    /// matter.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::PerProcess;
    ///
    /// static NUMBER: PerProcess<u32> = PerProcess::new();
    /// assert_eq!(NUMBER.get(), None);
    /// assert_eq!(NUMBER.get_or_set(|| 5), &5);
    /// assert_eq!(NUMBER.get_or_set(|| 6), &5);
    /// ```
    pub fn get_or_set(&self, make: impl FnOnce() -> T) -> &T {
        match self.get() {
            Some(value) => value,
            None => self.set(make()),
        }
    }

    /// Sets this process's value, unless a thread has set it before, and returns the one that is
    /// set.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::PerProcess;
    ///
    /// static NUMBER: PerProcess<u32> = PerProcess::new();
    /// assert_eq!((NUMBER.set(5), NUMBER.set(6)), (&5, &5));
    /// ```
    pub fn set(&self, value: T) -> &T {
        let seen = self.newest.load(Ordering::Acquire);
        if let Some(value) = self.get() {
            return value;
        }
        let (home, value) = (Process::this(), ManuallyDrop::new(value));
        let own = Box::into_raw(Box::new(Entry { home, value, older: seen }));
        // Release publishes the entry to a thread that acquires the pointer. Acquire makes another
        // thread's entry visible, which is read below.
        let set = self.newest.compare_exchange(seen, own, Ordering::AcqRel, Ordering::Acquire);
        match set {
            // SAFETY: it came from the box above. From now on it is shared, and freed by `drop`
            // only.
            Ok(_) => unsafe { &(*own).value },
            // Only threads of this process set anything while it runs, and none of them removes a
            // value.
            Err(newest) => {
                // SAFETY: it came from the box above, and no other thread has seen it.
                let own = unsafe { Box::from_raw(own) };
                drop(ManuallyDrop::into_inner(own.value));
                // SAFETY: it was published with a release after its box was made, and is freed by
                // `drop` only.
                unsafe { &(*newest).value }
            }
        }
    }

    #[inline]
    fn entry(&self) -> Option<&Entry<T>> {
        // Acquire pairs with the release in `set`.
        let entry = self.newest.load(Ordering::Acquire);
        // SAFETY: it is null, or came from a box in `set`, where it was published with a release:
        // valid and initialized. Only `drop` frees it, which nothing that borrows from `self`
        // outlives.
        unsafe { entry.as_ref() }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let mut next = *self.newest.get_mut();
        while !next.is_null() {
            // SAFETY: it came from a box in `set`. Nothing borrows from `self` any more, and each
            // entry is in the list once. In a child it is the child's copy of the memory.
            let entry = unsafe { Box::from_raw(next) };
            next = entry.older;
            if entry.home.is_this() {
                drop(ManuallyDrop::into_inner(entry.value));
            }
        }
    }
}

impl<T: Send + Sync> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug + Send + Sync> fmt::Debug for PerProcess<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PerProcess").field(&self.get()).finish()
    }
}

/// Makes sure that forks are counted from here on, if the system has them.
fn register() {
    #[cfg(any(
        target_os = "linux",
        target_os = "android",
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
        target_os = "dragonfly",
    ))]
    {
        use core::sync::atomic::AtomicBool;

        /// Counts the fork, in the child, before `fork` returns there.
        extern "C" fn in_child() {
            GENERATION.fetch_add(1, Ordering::Relaxed);
        }

        static IS_REGISTERED: AtomicBool = AtomicBool::new(false);
        // Threads that race here count each fork several times, which does no harm. Waiting for
        // each other would take a lock, and in a child there may be no owner to release it.
        if IS_REGISTERED.load(Ordering::Acquire) {
            return;
        }
        // SAFETY: `in_child` is a function of the required type, and stays where it is: a program
        // does not unload itself. In a child of a process with several threads it may do only what
        // is async-signal-safe; it does one atomic addition to a static, takes no lock, allocates
        // nothing and does not unwind.
        let error = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        if error != 0 {
            // Out of memory is the only error there is.
            alloc::alloc::handle_alloc_error(core::alloc::Layout::new::<[usize; 4]>());
        }
        IS_REGISTERED.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;

    use super::*;

    /// Makes `values` look as they would in a child forked now.
    fn as_child<T>(values: &PerProcess<T>) {
        // SAFETY: only this thread has it, and the pointer came from a box.
        if let Some(entry) = unsafe { values.newest.load(Ordering::Relaxed).as_mut() } {
            entry.home = Process::another();
        }
    }

    #[test]
    fn children_have_own_values() {
        let values = PerProcess::new();
        assert_eq!((values.get_or_set(|| 1), values.get_or_set(|| 2)), (&1, &1));
        as_child(&values);
        assert_eq!((values.get(), values.inherited()), (None, Some(&1)));
        assert_eq!((values.get_or_set(|| 3), values.set(4)), (&3, &3));
        assert_eq!((values.get(), values.inherited()), (Some(&3), None));
    }

    #[test]
    fn only_own_values_are_dropped() {
        let (parents, own) = (Arc::new(()), Arc::new(()));
        let values = PerProcess::new();
        values.set(Arc::clone(&parents));
        as_child(&values);
        values.set(Arc::clone(&own));
        values.set(Arc::clone(&own));
        assert_eq!((Arc::strong_count(&parents), Arc::strong_count(&own)), (2, 2));
        drop(values);
        assert_eq!((Arc::strong_count(&parents), Arc::strong_count(&own)), (2, 1));
    }

    #[test]
    fn one_racing_thread_sets_it() {
        let (values, dropped) = (PerProcess::new(), Arc::new(()));
        std::thread::scope(|scope| {
            let set = || values.get_or_set(|| Arc::clone(&dropped));
            let threads = [(); 8].map(|()| scope.spawn(set));
            let first = values.get_or_set(|| Arc::clone(&dropped));
            for thread in threads {
                assert!(ptr::eq(thread.join().unwrap(), first));
            }
        });
        assert_eq!(Arc::strong_count(&dropped), 2);
    }
}
