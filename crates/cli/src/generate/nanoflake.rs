use std::process::ExitCode;

use clap::Args;
use tickid_core::Plain;
use tickid_nanoflake::{GeneratorId, Nanoflake, NanoflakeId};

use super::plan::{GenOptions, Plan, SchemeArguments};
use super::source::Request;
use crate::failure::Failure;
use crate::options::{Kind, NanoflakeOptions, Scheme};
use crate::values::generator_id;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid gen nanoflake --node 5 -n 3
  tickid gen nanoflake --epoch discord --radix 10
  tickid gen nanoflake --epoch 2024-01-01T00:00:00Z")]
pub(super) struct NanoflakeArguments {
    /// Generator ID, 0 to 1023; leased unless given
    #[arg(long, value_name = "0..1023", value_parser = generator_id)]
    #[arg(conflicts_with_all = ["store", "realm"])]
    node: Option<GeneratorId>,
    #[command(flatten)]
    layout: NanoflakeOptions,
}

impl SchemeArguments for NanoflakeArguments {
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let epoch = self.layout.epoch();
        let lease = Request {
            scheme: Nanoflake { epoch },
            realm: format!("nanoflake-{}", epoch.as_unix_millis()),
            pool: Scheme::Nanoflake.default_pool(Kind::Global),
            node_size: None,
        };
        let (variant, blank) = (Plain, NanoflakeId::MIN);
        Plan { node: self.node, lease, variant, blank, layout: &self.layout }.run(options)
    }
}
