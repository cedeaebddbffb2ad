//! Which process this is: the child of a `fork` has all the memory of its parent, generators included, and
//! would issue the same IDs.

#![allow(unsafe_code, reason = "registers a function with the C library and shares what is leaked")]

use alloc::boxed::Box;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// How many forks lie between the process that first asked and this one.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// The process that a value was made in.
///
/// A `fork` copies the value but not what it stands for. Known are children of `fork` as the C library has
/// it; not those of a raw `clone`, and no copies of a whole machine. Those of `vfork` share their
/// parent's memory until they become another program.
///
/// # Examples
/// ```
/// let home = tickid_core::Process::this();
/// assert!(home.is_this());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(u64);

impl Process {
    /// This process.
    #[must_use]
    pub fn this() -> Self {
        handler::register();
        Self(GENERATION.load(Ordering::Relaxed))
    }

    /// Whether it is this process; no longer in a child that was forked since.
    #[inline]
    #[must_use]
    pub fn is_this(self) -> bool {
        // Relaxed: it changes only in a child, before anything else is run there.
        GENERATION.load(Ordering::Relaxed) == self.0
    }

    /// A number that no other process has in the memory that this one shares or has inherited.
    pub(crate) const fn number(self) -> u64 {
        self.0
    }
}

/// A static value of which each process has its own, and none of them its parent's.
///
/// # Examples
/// ```
/// use tickid_core::PerProcess;
///
/// static NUMBER: PerProcess<u32> = PerProcess::new();
/// assert_eq!(NUMBER.get(), None);
/// assert_eq!(NUMBER.set(5), &5);
/// assert_eq!(NUMBER.set(6), &5, "it stays");
/// assert_eq!((NUMBER.get(), NUMBER.inherited()), (Some(&5), None));
/// ```
#[derive(Debug)]
pub struct PerProcess<T: 'static> {
    /// Null or an entry that was leaked. No lock: another thread might hold it at the moment of a fork, and
    /// is not there to release it in the child.
    newest: AtomicPtr<Entry<T>>,
}

#[derive(Debug)]
struct Entry<T> {
    home: Process,
    value: T,
}

impl<T: Send + Sync> PerProcess<T> {
    /// Without a value.
    #[must_use]
    pub const fn new() -> Self {
        Self { newest: AtomicPtr::new(ptr::null_mut()) }
    }

    /// This process's value.
    #[inline]
    #[must_use]
    pub fn get(&'static self) -> Option<&'static T> {
        self.entry().filter(|entry| entry.home.is_this()).map(|entry| &entry.value)
    }

    /// The value of the process that this one was forked from, as long as this one has none of its own.
    #[must_use]
    pub fn inherited(&'static self) -> Option<&'static T> {
        self.entry().filter(|entry| !entry.home.is_this()).map(|entry| &entry.value)
    }

    /// This process's value: `value`, or the one that another thread has set before.
    pub fn set(&'static self, value: T) -> &'static T {
        let seen = self.newest.load(Ordering::Acquire);
        if let Some(value) = self.get() {
            return value;
        }
        // Whoever loses the race below leaves theirs behind: once for a thread, at most.
        let own: &'static Entry<T> = Box::leak(Box::new(Entry { home: Process::this(), value }));
        // Release publishes the entry to whoever acquires the pointer.
        let set = self.newest.compare_exchange(
            seen,
            ptr::from_ref(own).cast_mut(),
            Ordering::Release,
            Ordering::Relaxed,
        );
        match set {
            Ok(_) => &own.value,
            // Only threads of this process set anything.
            Err(_) => self.get().unwrap_or(&own.value),
        }
    }

    #[inline]
    fn entry(&'static self) -> Option<&'static Entry<T>> {
        // Acquire pairs with the release in `set`.
        let entry = self.newest.load(Ordering::Acquire);
        // SAFETY: it is null, or came from `Box::leak` in `set`, where it was published with a release: valid and
        // initialized, never freed, and only shared since.
        unsafe { entry.as_ref() }
    }
}

impl<T: Send + Sync> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(any(
    target_os = "linux",
    target_os = "android",
    target_vendor = "apple",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
    target_os = "dragonfly",
))]
mod handler {
    use core::alloc::Layout;
    use core::sync::atomic::{AtomicBool, Ordering};

    use super::GENERATION;

    /// Counts the fork, in the child, before `fork` returns there.
    extern "C" fn in_child() {
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }

    /// Sees to it that forks are counted from here on.
    pub(super) fn register() {
        static IS_REGISTERED: AtomicBool = AtomicBool::new(false);
        // Threads that race here count each fork several times over, which does no harm. To wait for each other they
        // would need a lock, which in a child may be held by nobody who is there.
        if IS_REGISTERED.load(Ordering::Acquire) {
            return;
        }
        // SAFETY: `in_child` is a function of the type asked for, and stays where it is: a program does not unload itself.
        // In a child of a process with several threads it may do only what is async-signal-safe; it does one
        // atomic addition to a static, takes no lock, allocates nothing and does not unwind.
        let error = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        if error != 0 {
            // The only error there is.
            alloc::alloc::handle_alloc_error(Layout::new::<[usize; 4]>());
        }
        IS_REGISTERED.store(true, Ordering::Release);
    }
}

/// Where there is no `fork`.
#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_vendor = "apple",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
    target_os = "dragonfly",
)))]
mod handler {
    pub(super) fn register() {}
}
