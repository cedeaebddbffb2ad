//! Hands libFuzzer's inputs to `tickid_fuzz::scru`, which holds the promises.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tickid_fuzz::scru64::check(data));
