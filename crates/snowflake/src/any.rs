//! A layout whose order is known only at run time.

use core::fmt;

use tickid_core::UnixTime;

use crate::id::SnowflakeId;
use crate::layout::{LayoutError, Snowflake, Widths};
use crate::order::{NodeAboveSequence, Order, SequenceAboveNode};

/// A layout whose order is known at run time, such as one that a user enters.
///
/// # Examples
/// ```
/// use tickid_snowflake::{AnySnowflake, Snowflake};
///
/// let id = match AnySnowflake::named("sonyflake").unwrap() {
///     AnySnowflake::NodeAboveSequence(layout) => layout.builder(7)?.build()?.generate()?,
///     AnySnowflake::SequenceAboveNode(layout) => layout.builder(7)?.build()?.generate()?,
/// };
/// assert_eq!(Snowflake::SONYFLAKE.node_of(id).get(), 7);
/// assert_eq!("39x10ms/8s/16n@2014-09-01".parse(), Ok(AnySnowflake::from(Snowflake::SONYFLAKE)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums, reason = "there are two orders")]
pub enum AnySnowflake {
    /// Time, node, sequence.
    NodeAboveSequence(Snowflake<NodeAboveSequence>),
    /// Time, sequence, node.
    SequenceAboveNode(Snowflake<SequenceAboveNode>),
}

impl AnySnowflake {
    /// Returns the highest ID.
    #[must_use]
    pub const fn max_id(&self) -> SnowflakeId {
        match self {
            Self::NodeAboveSequence(layout) => layout.max_id(),
            Self::SequenceAboveNode(layout) => layout.max_id(),
        }
    }

    /// Returns the start of an ID's tick.
    #[inline]
    #[must_use]
    pub fn unix_time(&self, id: SnowflakeId) -> UnixTime {
        match self {
            Self::NodeAboveSequence(layout) => layout.unix_time(id),
            Self::SequenceAboveNode(layout) => layout.unix_time(id),
        }
    }

    /// Returns the parts of the layout.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::AnySnowflake;
    ///
    /// let layout: AnySnowflake = "39x10ms/8s/16n@2014-09-01".parse()?;
    /// assert_eq!(layout.widths().sequence, 8);
    /// # Ok::<(), tickid_snowflake::LayoutError>(())
    /// ```
    #[must_use]
    pub const fn widths(&self) -> Widths {
        match self {
            Self::NodeAboveSequence(layout) => layout.widths(),
            Self::SequenceAboveNode(layout) => layout.widths(),
        }
    }
}

impl From<Snowflake<NodeAboveSequence>> for AnySnowflake {
    fn from(layout: Snowflake<NodeAboveSequence>) -> Self {
        Self::NodeAboveSequence(layout)
    }
}

impl From<Snowflake<SequenceAboveNode>> for AnySnowflake {
    fn from(layout: Snowflake<SequenceAboveNode>) -> Self {
        Self::SequenceAboveNode(layout)
    }
}

/// Returns the layout if it has the order `O`.
///
/// # Errors
/// Returns [`LayoutError::Order`] for the other order.
impl<O: Order> TryFrom<AnySnowflake> for Snowflake<O> {
    type Error = LayoutError;

    fn try_from(layout: AnySnowflake) -> Result<Self, LayoutError> {
        let is_node_lowest = matches!(layout, AnySnowflake::SequenceAboveNode(_));
        if is_node_lowest == O::IS_NODE_LOWEST {
            Self::new(layout.widths())
        } else {
            Err(LayoutError::Order)
        }
    }
}

/// Writes the text of the layout.
impl fmt::Display for AnySnowflake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NodeAboveSequence(layout) => layout.fmt(f),
            Self::SequenceAboveNode(layout) => layout.fmt(f),
        }
    }
}
