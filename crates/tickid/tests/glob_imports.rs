//! A glob import of a crate of the project must not shadow a crate of the standard library.
//!
//! These are compile tests: with a public item named `core`, `alloc` or `std`, a program that globs
//! it in could no longer name the crate.

#![allow(unused_imports, reason = "what a glob import hides is the point")]

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
    scru64: tickid::scru64;
    nanoflake: tickid::nanoflake;
    kuid: tickid::kuid;
    sno: tickid::sno;
    convert: tickid::convert;
    lease: tickid::lease;
    text: tickid::text;
    engine: tickid::engine;
}
