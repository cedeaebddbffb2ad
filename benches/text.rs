//! `encode` and `decode`: IDs to text and back, one at a time. Times are per ID.
//!
//! 1,024 different IDs are used in turn, because the branches of a parser that always gets the same
//! ID would be predicted too well. All decoders check everything, all read from an array, and each
//! result is used where it is, so that none pays for moving it.

use std::array;
use std::fmt::Debug;
use std::hint::black_box;
use std::str::FromStr;

use base64::Engine as _;
use base64::alphabet::Alphabet;
use base64::engine::{GeneralPurpose, general_purpose::NO_PAD};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use data_encoding::{Encoding, Specification};
use ferroid::base32::Base32SnowExt as _;
use tickid_benches::criterion;
use tickid_benches::peers::WideSnowflake;
use tickid_benches::texts::{COUNT, ids};
use tickid_kuid::{GlobalId, Kuid, LocalId};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};

type Group<'a> = BenchmarkGroup<'a, WallTime>;
type Official = scru64_official::Scru64Id;

fn text(c: &mut Criterion) {
    let sno: [SnoId; COUNT] = ids::<Sno>();
    let scru64: [Scru64Id; COUNT] = ids::<Scru64>();
    let kuid: [GlobalId; COUNT] = ids::<Kuid>();
    let nanoflake: [NanoflakeId; COUNT] = ids::<Nanoflake>();
    let inputs = Inputs {
        locals: kuid.map(|id| id.to_local(tickid_kuid::Drift::DEFAULT)),
        // The same bits, in each peer's own types.
        sno_bytes: sno.map(SnoId::to_bytes),
        kuid_bytes: kuid.map(GlobalId::to_bytes),
        official: scru64.map(|id| Official::const_from_u64(id.get())),
        snowflakes: scru64.map(|id| WideSnowflake::from_raw(id.get())),
        ulids: kuid.map(|id| ulid::Ulid(wide(id))),
        uuids: kuid.map(|id| uuid::Uuid::from_u128(wide(id))),
        sno,
        scru64,
        kuid,
        nanoflake,
    };

    let mut group = c.benchmark_group("encode");
    group.throughput(Throughput::Elements(COUNT as u64));
    inputs.encode(&mut group);
    group.finish();
    let mut group = c.benchmark_group("decode");
    group.throughput(Throughput::Elements(COUNT as u64));
    inputs.decode(&mut group);
    group.finish();
}

/// Returns 128 bits for the libraries that take as many.
fn wide(id: GlobalId) -> u128 {
    let mut bytes = [0x5a; 16];
    bytes[..12].copy_from_slice(&id.to_bytes());
    u128::from_be_bytes(bytes)
}

struct Inputs {
    sno: [SnoId; COUNT],
    scru64: [Scru64Id; COUNT],
    kuid: [GlobalId; COUNT],
    locals: [LocalId; COUNT],
    nanoflake: [NanoflakeId; COUNT],
    sno_bytes: [[u8; 10]; COUNT],
    kuid_bytes: [[u8; 12]; COUNT],
    official: [Official; COUNT],
    snowflakes: [WideSnowflake; COUNT],
    ulids: [ulid::Ulid; COUNT],
    uuids: [uuid::Uuid; COUNT],
}

impl Inputs {
    fn encode(&self, group: &mut Group<'_>) {
        let base32 = sno_base32();
        assert_eq!(base32.encode(&self.sno_bytes[1]), self.sno[1].to_string(), "same text");
        assert_eq!(KUID_BASE64.encode(self.kuid_bytes[1]), self.kuid[1].to_string(), "same text");
        assert_eq!(self.official[1].to_string(), self.scru64[1].to_string(), "same text");

        each(group, "sno", &self.sno, |id| id.encode());
        each(group, "scru64", &self.scru64, |id| id.encode());
        each(group, "kuid-global", &self.kuid, |id| id.encode());
        each(group, "kuid-local", &self.locals, |id| id.encode());
        each(group, "nanoflake", &self.nanoflake, |id| id.encode());
        each(group, "nanoflake/padded", &self.nanoflake, |id| id.encode_padded());

        // This writes into an array on the stack, like ours, so none of them has to allocate.
        each(group, "data-encoding/sno", &self.sno_bytes, |bytes| {
            let mut text = [0; 16];
            base32.encode_mut(bytes, &mut text);
            text
        });
        each(group, "base64/kuid-global", &self.kuid_bytes, |bytes| {
            let mut text = [0; 16];
            KUID_BASE64.encode_slice(bytes, &mut text).expect("room");
            text
        });
        each(group, "scru64-official", &self.official, |id| id.encode());
        each(group, "ferroid/base32", &self.snowflakes, |id| id.encode());
        each(group, "ulid", &self.ulids, |id| {
            let mut text = [0; ulid::ULID_LEN];
            id.array_to_str(&mut text);
            text
        });
        each(group, "uuid", &self.uuids, |id| {
            let mut text = [0; uuid::fmt::Hyphenated::LENGTH];
            id.hyphenated().encode_lower(&mut text);
            text
        });
    }

    fn decode(&self, group: &mut Group<'_>) {
        let base32 = sno_base32();
        let sno = Texts::of(&self.sno);
        let kuid = Texts::of(&self.kuid);
        let scru64 = Texts::of(&self.scru64);

        parse::<SnoId>(group, "sno", &sno);
        parse::<Scru64Id>(group, "scru64", &scru64);
        parse::<GlobalId>(group, "kuid-global", &kuid);
        parse::<LocalId>(group, "kuid-local", &Texts::of(&self.locals));
        parse::<NanoflakeId>(group, "nanoflake", &Texts::of(&self.nanoflake));
        let padded = self.nanoflake.map(|id| id.encode_padded());
        parse::<NanoflakeId>(group, "nanoflake/padded", &Texts::of(&padded));

        each(group, "data-encoding/sno", &sno.all(), |text| {
            let mut bytes = [0; 10];
            base32.decode_mut(text.as_bytes(), &mut bytes).expect("valid text");
            bytes
        });
        each(group, "base64/kuid-global", &kuid.all(), |text| {
            let mut bytes = [0; 12];
            KUID_BASE64.decode_slice(text, &mut bytes).expect("valid text");
            bytes
        });
        parse::<Official>(group, "scru64-official", &scru64);
        parse::<WideSnowflake>(group, "ferroid/base32", &Texts::of(&self.snowflakes));
        parse::<ulid::Ulid>(group, "ulid", &Texts::of(&self.ulids));
        parse::<uuid::Uuid>(group, "uuid", &Texts::of(&self.uuids));
    }
}

const SNO_SYMBOLS: &str = "23456789abcdefghijklmnopqrstuvwx";
const KUID_SYMBOLS: &str = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/// Returns sno's alphabet, for the crate that takes any alphabet.
fn sno_base32() -> Encoding {
    let mut specification = Specification::new();
    specification.symbols.push_str(SNO_SYMBOLS);
    specification.encoding().expect("32 symbols")
}

/// kuid's alphabet, for the crate that takes any alphabet. As a constant it is slightly faster.
/// (Its SIMD engines take only the standard alphabets.)
const KUID_BASE64: GeneralPurpose = {
    match Alphabet::new(KUID_SYMBOLS) {
        Ok(alphabet) => GeneralPurpose::new(&alphabet, NO_PAD),
        Err(_) => panic!("64 symbols"),
    }
};

/// Texts of one length, one after the other in memory.
struct Texts {
    together: String,
    len: usize,
}

impl Texts {
    fn of<T: ToString>(values: &[T; COUNT]) -> Self {
        let len = values[0].to_string().len();
        let together: String = values.iter().map(T::to_string).collect();
        assert_eq!(together.len(), COUNT * len, "all of one length");
        Self { together, len }
    }

    fn all(&self) -> [&str; COUNT] {
        array::from_fn(|i| &self.together[i * self.len..][..self.len])
    }
}

fn parse<I: FromStr<Err: Debug>>(group: &mut Group<'_>, name: &str, texts: &Texts) {
    each(group, name, &texts.all(), |text| text.parse::<I>().expect("valid text"));
}

fn each<I, O>(group: &mut Group<'_>, name: &str, inputs: &[I; COUNT], one: impl Fn(&I) -> O) {
    group.bench_function(name, |b| {
        b.iter(|| {
            for input in black_box(inputs) {
                black_box(&one(input));
            }
        });
    });
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = text
}
criterion_main!(benches);
