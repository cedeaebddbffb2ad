//! What the crates name: nothing that hides a crate of the standard library, and in each scheme
//! whatever a program with that scheme has to name. These are compile tests.

#![allow(unused_imports, reason = "whether the names can be imported is the point")]

/// With a public item named `core`, `alloc` or `std`, a program that globs it in could no longer
/// name the crate.
macro_rules! globs {
    ($($name:ident: $($import:ident)::+;)+) => {$(
        mod $name {
            use $($import)::+::*;

            extern crate alloc;

            #[test]
            fn standard_crates_keep_their_names() {
                let seconds = core::time::Duration::from_secs(1);
                let text: alloc::string::String = std::string::String::from("1s");
                assert_eq!(text, std::format!("{seconds:?}"));
            }
        }
    )+};
}

globs! {
    facade: tickid;
    in_scru64: tickid::scru64;
    in_nanoflake: tickid::nanoflake;
    in_snowflake: tickid::snowflake;
    in_kuid: tickid::kuid;
    in_sno: tickid::sno;
    convert: tickid::convert;
    lease: tickid::lease;
    text: tickid::text;
    engine: tickid::engine;
}

/// A program with one scheme names all that it needs through that scheme, and with another scheme
/// by the same names. They are listed here once more, since `scheme_names!` would lose a name from
/// all five at once.
macro_rules! schemes {
    ($($scheme:ident)+) => {$(
        mod $scheme {
            use tickid::$scheme::{
                AnyNode, BuildError, Builder, Error, ErrorKind, FillError, Generator, IntoUnixTime,
                LocalGenerator, ObserveError, ParseError, ParseErrorKind, ParseNodeError, Policy,
                ProcessError, RandomStart, RangeError, SequenceBounds, Snapshot, StallReason, Text,
                Tick, TickStart, Ticks, UnixTime, Variants, Window, tickid_core,
            };

            #[test]
            fn scheme_names_the_errors_of_its_generator() {
                let _: fn(Builder) -> Result<Generator, BuildError> = Builder::build;
                let _: fn(&Generator) -> Result<_, Error> = Generator::generate;
                let _: fn(&Generator, &mut [_]) -> Result<(), FillError> = Generator::fill;
                let _: fn(&Error) -> ErrorKind = Error::kind;
                let _: fn(StallReason) -> ErrorKind = ErrorKind::Stalled;
            }
        }
    )+};
}

schemes! { scru64 nanoflake snowflake kuid sno }
