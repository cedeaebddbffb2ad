//! The errors of conversions.

use tickid_core::RangeError;

use crate::loss::Loss;

/// The reason why an ID could not be converted.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The target has no tick for the ID's time, or it is one that no generator issues. For
    /// example, the first and the last timestamp of SCRU64 are reserved.
    #[error("no ID of the target for this time: {0}")]
    Time(RangeError),
    /// The ID's own time is not valid, for example in a kuid whose seconds or microseconds are a
    /// million or more, or in a SCRU64 ID with a reserved timestamp.
    #[error("the ID has no time: {0}")]
    NoTime(RangeError),
    /// The node does not fit. [`Nodes`](crate::Nodes) can cut it or replace it.
    #[error("node {node} does not fit the target, which has {bits} bits for it")]
    NodeTooWide {
        /// The node.
        node: u64,
        /// The number of bits available, or 0 if the format has no place for a node.
        bits: u32,
    },
    /// The node is higher than the scheme's nodes are.
    #[error(transparent)]
    Node(RangeError),
    /// The sequence is higher than the scheme's sequences are.
    #[error(transparent)]
    Sequence(RangeError),
    /// The target needs a node, and the ID has none. [`Nodes::Set`](crate::Nodes::Set) gives it
    /// one.
    #[error("the ID has no node, and the target needs one, of {bits} bits")]
    NodeMissing {
        /// The number of bits of the target's node.
        bits: u32,
    },
    /// The table of nodes does not contain the node.
    #[error("node {node} is not in the table")]
    NodeUnknown {
        /// The node.
        node: u64,
    },
    /// Information would be lost, and [`convert_exact`](crate::convert_exact) allows no loss.
    #[error("would be lost: {0}")]
    Lossy(Loss),
    /// Bits that are always zero in IDs of this form are set.
    #[error("bits are set that a {form} leaves zero: {bits:#x}")]
    StrayBits {
        /// The name of the form.
        form: &'static str,
        /// The bits.
        bits: u64,
    },
    /// The value is not an ID with a node and a sequence, so there is nothing to convert.
    #[error("a {format} has no node and no sequence to convert")]
    NoFields {
        /// The name of the format.
        format: &'static str,
    },
    /// No ID converts to this one under these options, so there is nothing to restore.
    #[error("no ID of the source becomes this one under these options")]
    NeverConverted,
}

tickid_core::debug_error! {
    enum ConvertError {
        Time(error), NoTime(error), NodeTooWide { node, bits }, Node(error), Sequence(error),
        NodeMissing { bits }, NodeUnknown { node }, Lossy(error), StrayBits { form, bits },
        NoFields { format }, NeverConverted,
    }
}

/// The reason why a UUID holds no ID, or an ID does not fit a UUID.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CarryError {
    /// The UUID has none of the three forms.
    #[error("the UUID holds no ID: {reason}")]
    NotCarried {
        /// The reason.
        reason: &'static str,
    },
    /// The time is not valid, or does not fit 48 bits of milliseconds since 1970.
    #[error("no version-7 UUID of this time: {0}")]
    Time(RangeError),
    /// The UUID holds a Nanoflake of a different epoch.
    #[error("the UUID holds a Nanoflake whose epoch is {found} ms after 1970, not {expected} ms")]
    Epoch {
        /// The epoch of the Nanoflake.
        found: i64,
        /// The epoch that was given.
        expected: i64,
    },
    /// The UUID holds a global kuid of a different drift.
    #[error("the UUID holds a kuid of drift {found}, not {expected}")]
    Drift {
        /// The drift of the kuid.
        found: u8,
        /// The drift that was given.
        expected: u8,
    },
}

tickid_core::debug_error! {
    enum CarryError {
        NotCarried { reason }, Time(error), Epoch { found, expected }, Drift { found, expected },
    }
}

impl CarryError {
    pub(crate) const OTHER_TIME: Self =
        Self::NotCarried { reason: "an ID of another time than the UUID's" };
}
