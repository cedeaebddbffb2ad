#![allow(unexpected_cfgs, reason = "the crate of a scheme has a feature for each library")]

use crate::id::TicketId;

tickid_core::impl_external! {
    TicketId: "ticket",
    integer u64, bytes [u8; 8], column i64: BigInt, serde u64,
    text "^[01][0-9A-Za-z]{12}$"
}

impl tickid_core::external::SortedText for TicketId {}

// The implementations that the feature `serde` of a scheme's crate enables.
tickid_core::impl_serde!(TicketId as u64);
