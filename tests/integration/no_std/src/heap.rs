//! The libraries' features with an allocator, which the program has to bring itself.

extern crate alloc;

use alloc::string::ToString as _;
use alloc::sync::Arc;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::fmt;
use core::ptr;
use core::str::FromStr;
use core::sync::atomic::{AtomicUsize, Ordering};

use tickid_core::{Builder, ManualClock, Scheme, Variant};

#[global_allocator]
static HEAP: Bump = Bump { memory: UnsafeCell::new([0; SIZE]), used: AtomicUsize::new(0) };

const SIZE: usize = 64 * 1024;

/// Hands out memory from front to back and takes none back: enough for a few IDs.
struct Bump {
    memory: UnsafeCell<[u8; SIZE]>,
    used: AtomicUsize,
}

// SAFETY: `memory` is only touched through the regions that `alloc` gives out, and `used` never
// goes down, so no two of them overlap.
unsafe impl Sync for Bump {}

// SAFETY: every region lies inside of `memory`, is aligned as asked, and is given out once; nothing
// here panics.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = self.memory.get().cast::<u8>();
        // Room to align wherever the region starts.
        let Some(room) = layout.size().checked_add(layout.align()) else {
            return ptr::null_mut();
        };
        let used = self.used.fetch_add(room, Ordering::Relaxed);
        if used.checked_add(room).is_none_or(|end| end > SIZE) {
            return ptr::null_mut();
        }
        // SAFETY: `used` is below `SIZE`.
        let region = unsafe { start.add(used) };
        let padding = region.align_offset(layout.align());
        if padding > layout.align() {
            return ptr::null_mut();
        }
        // SAFETY: padding and size together are at most `room`, which ends inside of `memory`.
        unsafe { region.add(padding) }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

/// Reports whether a generator whose clock is behind an `Arc` issues, and its ID survives as a
/// `String`.
pub fn works<S>(scheme: S, node: S::Node) -> Option<bool>
where
    S: Scheme<Variant: Variant<S, Id: PartialEq + fmt::Display + FromStr>>,
{
    let clock = Arc::new(ManualClock::new(crate::NOW));
    let builder = Builder::seeded_of(scheme, node, 42).clock(Arc::clone(&clock));
    let id = builder.build().ok()?.try_generate().ok()?;
    Some(id.to_string().parse().is_ok_and(|parsed: <S::Variant as Variant<S>>::Id| parsed == id))
}
