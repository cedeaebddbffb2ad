use tickid_kuid::Drift;
use tickid_nanoflake::Epoch;
use tickid_scru64::NodeIdSize;

use crate::nodes::Nodes;

/// The facts that are not in the bits of IDs, for all schemes together.
///
/// # Examples
/// ```
/// use tickid_convert::{Layouts, Source};
/// use tickid_nanoflake::{Epoch, NanoflakeId};
///
/// let id = NanoflakeId::new(175_928_847_299_117_063)?;
/// let discord = Layouts { epoch: Epoch::DISCORD, ..Layouts::default() };
/// assert_eq!(id.parts(&discord)?.time().as_millis(), 1_462_015_105_796);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Layouts {
    /// Nanoflake's epoch; Twitter's by default.
    pub epoch: Epoch,
    /// The number of bits of the node ID in a SCRU64 ID. Unknown by default: an ID is then all
    /// sequence apart from its time, and has no node.
    pub node_size: Option<NodeIdSize>,
    /// The drift of global kuids; 8 by default.
    pub drift: Drift,
}

/// The options of a conversion.
///
/// # Examples
/// ```
/// use tickid_convert::{Layouts, Nodes, Options};
/// use tickid_scru64::NodeIdSize;
///
/// let options = Options {
///     target: Layouts { node_size: Some(NodeIdSize::new(8)?), ..Layouts::default() },
///     nodes: Nodes::LowBits,
///     ..Options::default()
/// };
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options<'a> {
    /// The layouts of the IDs that are converted.
    pub source: Layouts,
    /// The layouts of the IDs that result.
    pub target: Layouts,
    /// The nodes of the new IDs.
    pub nodes: Nodes<'a>,
    /// The metabyte of sno IDs that are made of IDs which have none.
    pub metabyte: u8,
}
