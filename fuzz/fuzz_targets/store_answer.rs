//! Hands libFuzzer's inputs to `tickid_fuzz::store_answer::check`, which holds the promises.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tickid_fuzz::store_answer::check(data));
