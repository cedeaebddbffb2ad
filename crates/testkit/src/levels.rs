//! Recorded texts, written and read in every way that this processor has.

use core::fmt::Debug;

use tickid_core::text::{Codec, Level, slices};

/// Fails unless every level writes `recorded` and reads it back.
///
/// # Panics
/// That is how it fails.
#[allow(clippy::print_stderr, reason = "what is skipped must be seen")]
pub fn write_and_read<C: Codec<CHARS>, const CHARS: usize>(recorded: &[(C::Bits, &str)])
where
    C::Bits: Debug + PartialEq,
{
    let bits: Vec<C::Bits> = recorded.iter().map(|(bits, _)| *bits).collect();
    let texts: Vec<&str> = recorded.iter().map(|(_, text)| *text).collect();
    for level in Level::ALL {
        let mut written = vec![[0; CHARS]; bits.len()];
        let encoded = slices::encode_at::<C, _, CHARS>(level, &bits, &mut written, |bits| bits);
        let Some(encoded) = encoded else {
            eprintln!("skipped: this processor has no {level:?}");
            continue;
        };
        assert_eq!(encoded, Ok(()), "{level:?}");
        assert!(written.iter().eq(texts.iter().map(|text| text.as_bytes())), "{level:?}");

        let mut read = vec![C::Bits::default(); bits.len()];
        let decoded =
            slices::decode_at::<C, _, CHARS>(level, &written, &mut read, "recorded ID", |bits| {
                bits
            });
        assert_eq!(decoded, Some(Ok(())), "{level:?}");
        assert_eq!(read, bits, "{level:?}");
    }
}
