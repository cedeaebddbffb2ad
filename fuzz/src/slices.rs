//! Slices of texts at every level that the processor has, compared with the portable conversion of
//! one.

use core::fmt::Debug;

use arbitrary::{Result, Unstructured};
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_text::base36::TwelveDigits;
use tickid_text::{Codec, ParseError, SimdLevel, SliceError, slices};

use crate::subjects::codecs::{Form, Global, Local, Sno, UrlGlobal, UrlLocal, Wide};

/// The name of the IDs in errors.
const WHAT: &str = "test ID";

pub fn check(data: &[u8]) {
    // Too few bytes are not a case.
    let _ = any_form(&mut Unstructured::new(data));
}

fn any_form(data: &mut Unstructured<'_>) -> Result<()> {
    match data.int_in_range(0..=6)? {
        0 => {
            let texts = form::<Sno, 16, 10>(data, |bytes| bytes)?;
            best_level(&texts, SnoId::ZERO, SnoId::parse_bytes, SnoId::decode_slice);
        }
        1 => {
            let texts = form::<TwelveDigits, 12, 8>(data, number)?;
            best_level(&texts, Scru64Id::MIN, Scru64Id::parse_bytes, Scru64Id::decode_slice);
        }
        2 => drop(form::<Global, 16, 12>(data, |bytes| bytes)?),
        3 => drop(form::<UrlGlobal, 16, 12>(data, |bytes| bytes)?),
        4 => drop(form::<Local, 11, 8>(data, |bytes| bytes)?),
        5 => drop(form::<UrlLocal, 11, 8>(data, |bytes| bytes)?),
        _ => drop(form::<Wide, 22, 16>(data, |bytes| bytes)?),
    }
    Ok(())
}

fn number(bytes: [u8; 8]) -> u64 {
    u64::from_be_bytes(bytes) % 36_u64.pow(12)
}

/// Writes IDs, makes some of the texts invalid, and reads them; returns the IDs read.
fn form<F: Form<N>, const N: usize, const BYTES: usize>(
    data: &mut Unstructured<'_>,
    bits: impl Fn([u8; BYTES]) -> F::Value,
) -> Result<Vec<[u8; N]>> {
    // This is more than the 64 that are converted together.
    let count = data.int_in_range(0..=130)?;
    let seed: [u8; BYTES] = data.arbitrary()?;
    let spoiled: Vec<(u8, u8, u8)> =
        (0..data.int_in_range(0..=3)?).map(|_| data.arbitrary()).collect::<Result<_>>()?;
    let bits: Vec<F::Value> =
        (0..count)
            .map(|index| {
                // Different IDs, even from few fuzzed bytes.
                let mut bytes = seed;
                bytes[0] ^= index;
                bytes[BYTES - 1] = bytes[BYTES - 1].wrapping_mul(index | 1);
                bits(data.arbitrary().map_or(bytes, |more: [u8; BYTES]| {
                    core::array::from_fn(|at| more[at] ^ bytes[at])
                }))
            })
            .collect();

    let mut texts: Vec<[u8; N]> = bits.iter().map(F::Codec::encode_portable).collect();
    for level in SimdLevel::ALL {
        let mut written = vec![[b'?'; N]; bits.len()];
        match slices::encode_at::<F::Codec, _, N>(level, &bits, &mut written, |bits| bits) {
            Some(encoded) => assert_eq!((encoded, &written), (Ok(()), &texts), "{level:?}"),
            None => assert!(!level.is_available()),
        }
    }
    if let (Some(bits), Some(text)) = (bits.first(), texts.first()) {
        assert_eq!(F::reference(bits).as_bytes(), text);
        assert_eq!(F::Codec::encode(bits), *text);
    }

    for (index, at, byte) in spoiled {
        if let Some(text) = texts.get_mut(usize::from(index)) {
            text[usize::from(at) % N] = byte;
        }
    }
    read_alike::<F::Codec, N>(&texts);
    Ok(texts)
}

fn read_alike<C: Codec<N>, const N: usize>(texts: &[[u8; N]])
where
    C::Value: Debug + PartialEq,
{
    let one_by_one = texts.iter().map(C::decode_portable);
    let mut expected = vec![C::Value::default(); texts.len()];
    let mut outcome = Ok(());
    for (index, (place, read)) in expected.iter_mut().zip(one_by_one).enumerate() {
        match read {
            Ok(bits) => *place = bits,
            Err(kind) => {
                let error = ParseError::new(WHAT, kind);
                outcome = Err(SliceError::Text { index, error });
                break;
            }
        }
    }
    for level in SimdLevel::ALL {
        let mut bits = vec![C::Value::default(); texts.len()];
        let read = slices::decode_at::<C, _, N>(level, texts, &mut bits, |bits| bits);
        if let Some(read) = read {
            assert_eq!((&read, &bits), (&outcome, &expected), "{level:?}");
        }
    }
    for text in texts {
        assert_eq!(C::decode(text), C::decode_portable(text));
        assert_eq!(C::parse(text), C::decode_portable(text));
    }
}

/// Compares an ID type's slices, at the best level, with its parser of single texts.
fn best_level<I: Copy + Debug + PartialEq, const N: usize>(
    texts: &[[u8; N]],
    blank: I,
    one: impl Fn(&[u8]) -> core::result::Result<I, ParseError>,
    all: impl Fn(&[[u8; N]], &mut [I]) -> core::result::Result<(), SliceError>,
) {
    let mut ids = vec![blank; texts.len()];
    match all(texts, &mut ids) {
        Ok(()) => {
            for (text, id) in texts.iter().zip(ids) {
                assert_eq!(one(text), Ok(id));
            }
        }
        Err(SliceError::Text { index, error }) => {
            assert_eq!(one(&texts[index]), Err(error));
            for (text, id) in texts.iter().zip(ids).take(index) {
                assert_eq!(one(text), Ok(id));
            }
        }
        Err(error) => panic!("{error}"),
    }
}
