use tickid_scru64::{LocalGenerator, NodeIdSize, NodeSpec, Scru64Id};

use crate::args::Scru64Options;
use crate::failure::Failure;
use crate::generate::random;
use crate::report::{Report, Value};
use crate::schemes::Describe;

impl Describe for Scru64Id {
    type Layout = Scru64Options;

    fn write_text(&self, _: &Scru64Options, out: &mut Vec<u8>) {
        out.extend_from_slice(self.encode().as_bytes());
    }

    fn integer(&self) -> (u128, usize) {
        (self.get().into(), 8)
    }

    fn describe(&self, layout: &Scru64Options, report: &mut Report) {
        report.start("scru64", self.unix_time(), &self.to_be_bytes());
        report.text.push_str(&self.encode());
        report.field("int", Value::BigNumber(self.get()));
        report.number("timestamp", i64::try_from(self.timestamp()).unwrap_or(i64::MAX));
        report.number("node_ctr", self.node_ctr());
        report.bits.push(("timestamp", 40));
        match layout.node_size {
            Some(size) => {
                report.number("node_id", self.node_id(size));
                report.number("counter", self.counter(size));
                report.bits.push(("node_id", size.get().into()));
                report.bits.push(("counter", size.counter_bits()));
            }
            None => report.bits.push(("node_ctr", Self::NODE_CTR_BITS)),
        }
    }
}

/// A generator for `node`, or for a random one of 8 bits.
pub(crate) fn generator(node: Option<NodeSpec>) -> Result<LocalGenerator, Failure> {
    let node = match node {
        Some(node) => node,
        None => {
            let size = NodeIdSize::new(8).map_err(|error| Failure::Usage(error.to_string()))?;
            let [node_id] = random()?;
            NodeSpec::with_node_id(node_id.into(), size)
                .map_err(|error| Failure::Usage(error.to_string()))?
        }
    };
    Ok(LocalGenerator::new(node)?)
}
