//! Hands libFuzzer's inputs to `tickid_server::fuzzing::converse_http`, which holds the promises.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tickid_server::fuzzing::converse_http(data));
