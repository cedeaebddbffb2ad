use tickid_core::external::{Representations, SortedText};

use crate::id::TicketId;

impl Representations for TicketId {
    type Integer = u64;
    type Bytes = [u8; 8];

    const NAME: &'static str = "ticket";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    const TEXT_PATTERN: &'static str = "^[01][0-9A-Za-z]{12}$";
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

impl SortedText for TicketId {}

tickid_core::impl_serde!(TicketId as u64);
