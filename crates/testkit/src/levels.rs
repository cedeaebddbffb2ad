//! Recorded texts, written and read at every level that this processor has.

use core::fmt::Debug;
use std::io::{self, Write as _};
use std::sync::LazyLock;

use tickid_text::{Codec, SimdLevel, slices};

/// Asserts that every level writes `recorded` and reads it back.
///
/// # Panics
/// If a level does not.
pub fn write_and_read<C: Codec<CHARS>, const CHARS: usize>(recorded: &[(C::Value, &str)])
where
    C::Value: Debug + PartialEq,
{
    let bits: Vec<C::Value> = recorded.iter().map(|(bits, _)| *bits).collect();
    let texts: Vec<&str> = recorded.iter().map(|(_, text)| *text).collect();
    for &level in available() {
        let mut written = vec![[0; CHARS]; bits.len()];
        let encoded = slices::encode_at::<C, _, CHARS>(level, &bits, &mut written, |bits| bits);
        assert_eq!(encoded, Some(Ok(())), "{level:?}");
        assert!(written.iter().eq(texts.iter().map(|text| text.as_bytes())), "{level:?}");

        let mut read = vec![C::Value::default(); bits.len()];
        let decoded = slices::decode_at::<C, _, CHARS>(level, &written, &mut read, |bits| bits);
        assert_eq!(decoded, Some(Ok(())), "{level:?}");
        assert_eq!(read, bits, "{level:?}");
    }
}

/// Returns the levels that this processor has. Prints them once, past the test harness, which would
/// capture the line, because skipped levels must be visible and `cargo xtask verify memcheck` reads
/// the list.
fn available() -> &'static [SimdLevel] {
    static LEVELS: LazyLock<Vec<SimdLevel>> = LazyLock::new(|| {
        let (here, skipped): (Vec<_>, Vec<_>) =
            SimdLevel::ALL.into_iter().partition(|level| level.is_available());
        let mut stderr = io::stderr();
        let _ = writeln!(stderr, "at levels {here:?}");
        if !skipped.is_empty() {
            let _ = writeln!(stderr, "skipped: this processor has no {skipped:?}");
        }
        here
    });
    &LEVELS
}
