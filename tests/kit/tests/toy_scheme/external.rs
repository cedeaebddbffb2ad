//! Other libraries' traits for the toy scheme.

use crate::id::TicketId;

tickid_core::impl_external! {
    TicketId: "ticket",
    integer u64, bytes [u8; 8], column i64: BigInt, serde u64,
    text "^[01][0-9A-Za-z]{12}$"
}

impl tickid_core::external::SortedText for TicketId {}
