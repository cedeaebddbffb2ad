//! Moves a column of Discord's Snowflakes to sno IDs, which keeps the order, and counts the losses.
//!
//! ```text
//! $ cargo run -p tickid-convert --example convert-migrate
//!  175928847299117063  4uxvnme422242229  2016-04-30T11:18:25.796Z
//!  824311987654321098  76xgbqci223te2wc  2021-03-24T16:01:32.832Z
//! 1234567890123456789  8kix239s223biean  2024-04-29T18:12:02.164Z
//! IDs whose time was rounded down to 4 ms: 1, other losses: none
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_convert::foreign::System;
use tickid_convert::{Options, convert_all};
use tickid_sno::SnoId;

const COLUMN: [u64; 3] =
    [175_928_847_299_117_063, 824_311_987_654_321_098, 1_234_567_890_123_456_789];

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let options = Options::default();
    let mut rounded = 0;
    let mut ids: Vec<SnoId> = Vec::new();
    let old = COLUMN.map(|number| System::Discord.id(number));
    for (key, converted) in COLUMN.iter().zip(convert_all::<SnoId, _>(old, &options)) {
        let converted = converted?;
        rounded += usize::from(converted.loss.time.is_some());
        println!("{key:>19}  {}  {}", converted.id, converted.id.unix_time());
        ids.push(converted.id);
    }
    assert!(ids.is_sorted());
    println!("IDs whose time was rounded down to 4 ms: {rounded}, other losses: none");
    Ok(())
}
