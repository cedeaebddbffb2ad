use std::process::ExitCode;

use clap::Args;
use tickid_sno::{Meta, Partition, Sno, SnoId};

use super::plan::{GenOptions, Plan, SchemeArguments};
use super::source::Request;
use crate::failure::Failure;
use crate::options::{Kind, Scheme};
use crate::values::{metabyte, partition};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid gen sno -n 5
  tickid gen sno --node 258 --meta 24 --json")]
pub(super) struct SnoArguments {
    /// Partition, 0 to 65535; leased unless given
    #[arg(long, value_name = "0..65535", value_parser = partition)]
    #[arg(conflicts_with_all = ["store", "realm"])]
    node: Option<Partition>,
    /// Metabyte, 0 to 255
    #[arg(long, value_name = "0..255", value_parser = metabyte, default_value = "0")]
    meta: u8,
}

impl SchemeArguments for SnoArguments {
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let lease = Request {
            scheme: Sno,
            realm: "sno".to_owned(),
            pool: Scheme::Sno.default_pool(Kind::Global),
            node_size: None,
        };
        let (variant, blank) = (Meta(self.meta), SnoId::ZERO);
        Plan { node: self.node, lease, variant, blank, layout: &() }.run(options)
    }
}
