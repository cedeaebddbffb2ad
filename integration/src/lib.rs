//! What the tests of all databases share: IDs with the times at which they were made, and what a table of
//! them has to be good for.

mod history;
mod table;

pub use self::history::{
    History, Issued, TimeRange, kuid_global, kuid_local, nanoflake, scru64, sno,
};
pub use self::table::{Row, Table, finds_time_ranges, finds_time_ranges_across_nodes};
