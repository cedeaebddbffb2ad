//! Issues IDs of every scheme in a program that has no `std`.
//!
//! `cargo xtask lint no-std` builds and runs it, without and with an allocator. A library that
//! pulled in `std`, by itself or through a dependency, would bring a second panic handler:
//! "error[E0152]: found duplicate lang item `panic_impl`". (Checking a library alone would not
//! detect it where the target has a `std` to link.) To prove that this error does occur, `lint`
//! also checks it with the feature `tickid-core/std`, and expects just that.

#![no_std]
#![no_main]

#[cfg(tickid_heap)]
mod heap;

use core::fmt::{self, Write as _};
use core::panic::PanicInfo;
use core::str::FromStr;

use tickid_convert::{AnyId, Kind, Nodes, Options, Settings, carry, convert_any};
use tickid_core::example::{Node, Seconds};
use tickid_core::{Builder, Clock, ManualClock, Scheme, UnixTime, Variant};
use tickid_kuid::{self as kuid, Kuid};
use tickid_nanoflake::{GeneratorId, Nanoflake};
use tickid_scru64::Scru64;
use tickid_sno::{Partition, Sno, SnoId};
use tickid_snowflake::Snowflake;

/// 2026-01-01T00:00:00Z, in range for every scheme.
const NOW: UnixTime = UnixTime::from_micros(1_767_225_600_000_000);

// `std` would have linked the C library; its start code calls `main`.
#[cfg_attr(unix, link(name = "c"))]
unsafe extern "C" {
    // SAFETY: C's `abort` takes nothing and may be called at any time.
    safe fn abort() -> !;
}

/// Returns the exit status: the number of failures.
// SAFETY: nothing else is called `main`, since the Rust runtime is left out, and C lets `main` have
// this signature.
#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let works = [
        works(Seconds, Some(Node(1))),
        works(Scru64, "1/8".parse().ok()),
        works(Kuid::default(), Some(kuid::Node::new(1))),
        works(Nanoflake::default(), GeneratorId::new(1).ok()),
        works(Sno, Some(Partition::new(1))),
        works(Snowflake::TWITTER, Snowflake::TWITTER.node(1).ok()),
        works(Snowflake::SONYFLAKE, Snowflake::SONYFLAKE.node(1).ok()),
    ];
    let converts = converts() == Some(true);
    works.into_iter().chain([converts]).map(|works| i32::from(!works)).sum()
}

fn works<S>(scheme: S, node: Option<S::Node>) -> bool
where
    S: Scheme<Variant: Variant<S, Id: Ord + fmt::Display + FromStr>>,
{
    let Some(node) = node else { return false };
    let works = issues(scheme, node, &ManualClock::new(NOW)) == Some(true);
    #[cfg(tickid_heap)]
    let works = works && heap::works(scheme, node) == Some(true);
    works
}

/// Reports whether both kinds of generator give two IDs, the first before the second.
fn issues<S>(scheme: S, node: S::Node, clock: impl Clock + Clone) -> Option<bool>
where
    S: Scheme<Variant: Variant<S, Id: Ord + fmt::Display + FromStr>>,
{
    let builder = || Builder::seeded_of(scheme, node, 42).clock(clock.clone());
    let shared = builder().build().ok()?;
    let mut exclusive = builder().build_local().ok()?;
    let [a, b] = [shared.try_generate().ok()?, shared.try_generate().ok()?];
    let [c, d] = [exclusive.try_generate().ok()?, exclusive.try_generate().ok()?];
    Some(a < b && c < d && [a, b, c, d].into_iter().all(survives_as_text))
}

/// Reports whether an ID can be converted to every scheme, and carried in a UUID.
fn converts() -> Option<bool> {
    let id = AnyId::from(SnoId::min_at(NOW).ok()?);
    let options = Options { nodes: Nodes::LowBits, ..Options::default() };
    let mut converted = Kind::ALL.iter().map(|kind| convert_any(id, *kind, &options));
    let carried = carry::from_uuid(carry::to_uuid(id), &Settings::default());
    Some(converted.all(|converted| converted.is_ok()) && carried == Ok(id))
}

fn survives_as_text<I: PartialEq + fmt::Display + FromStr>(id: I) -> bool {
    let mut line = Line { bytes: [0; 64], len: 0 };
    let printed = write!(line, "{id}").is_ok();
    printed && line.as_str().parse().is_ok_and(|parsed: I| parsed == id)
}

/// Room for the text of one ID.
struct Line {
    bytes: [u8; 64],
    len: usize,
}

impl Line {
    fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// Nothing here is meant to panic; if it does, that must not look like success.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

/// The unwind tables of the compiled `core` name this function, which is part of `std`. No
/// unwinding ever starts here, so it is never called.
// SAFETY: nothing else has this name without `std`.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
