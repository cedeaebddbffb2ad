//! Shared code of these tests: any IDs of every type; for databases, IDs with the times when they
//! were generated, and the requirements of a table of IDs.

mod any;
mod history;
mod program;
mod table;

pub use self::any::any;
pub use self::history::{
    History, Issued, TimeRange, kuid_global, kuid_local, nanoflake, scru64, sno, snowflake,
};
pub use self::program::{Dialect, MARIADB, Order, POSTGRES, Program, SQLITE, keeps_orders};
pub use self::table::{Row, Table, finds_time_ranges};

/// The examples of the pages, so that they stay true.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/moving.md")]
    struct Moving;
    #[doc = include_str!("../../../docs/stacks.md")]
    struct Stacks;
    #[doc = include_str!("../../../docs/testing.md")]
    struct Testing;
}
