use std::process::ExitCode;

use clap::Args;
use tickid_core::Plain;
use tickid_scru64::{NodeSpec, Scru64, Scru64Id};

use super::plan::{GenOptions, Plan, SchemeArguments};
use super::source::Request;
use crate::failure::Failure;
use crate::options::{Kind, Scheme, Scru64Options};
use crate::values::node_spec;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid gen scru64 --node 42/8 -n 3           node 42 in 8 bits
  tickid gen scru64 --node 0u2r85hm2pt3/16     the node of that ID, after that ID
  tickid gen scru64 --format int               as an integer for a BIGINT column")]
pub(super) struct Scru64Arguments {
    /// Node ID and its size in bits (42/8, 0xb00/12), or the last ID and that size; leased unless
    /// given
    #[arg(long, value_name = "SPEC", value_parser = node_spec)]
    #[arg(conflicts_with_all = ["store", "realm"])]
    node: Option<NodeSpec>,
    #[command(flatten)]
    layout: Scru64Options,
}

impl SchemeArguments for Scru64Arguments {
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let lease = Request {
            scheme: Scru64,
            realm: "scru64".to_owned(),
            pool: Scheme::Scru64.default_pool(Kind::Global),
            node_size: self.layout.node_size.map(|size| size.get().into()),
        };
        let (variant, blank) = (Plain, Scru64Id::MIN);
        Plan { node: self.node, lease, variant, blank, layout: &self.layout }.run(options)
    }
}
