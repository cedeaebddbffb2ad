#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tickid_fuzz::snowflake::check(data));
