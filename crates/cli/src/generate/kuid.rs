use std::process::ExitCode;

use clap::Args;
use tickid_kuid::{Global, GlobalId, Kuid, Local, LocalId};

use super::plan::{GenOptions, Plan, SchemeArguments};
use super::source::Request;
use crate::failure::Failure;
use crate::options::{Kind, KuidOptions, NodeHash, Scheme};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid gen kuid --node uid@127.0.0.1
  tickid gen kuid --node 0x03eb2731 --drift 10 --alphabet url
  tickid gen kuid --kind local -n 3")]
pub(super) struct KuidArguments {
    /// Local IDs (8 bytes, unique to one generator) or global ones (12 bytes, with the node)
    #[arg(long, value_enum, default_value_t = Kind::Global)]
    kind: Kind,
    /// Erlang node name, or its fingerprint in hexadecimal after 0x; leased unless given
    #[arg(long, value_name = "NAME|0xHEX", conflicts_with_all = ["store", "realm"])]
    node: Option<String>,
    /// How a node name becomes a fingerprint
    #[arg(long, value_enum, default_value_t = NodeHash::Phash2)]
    node_hash: NodeHash,
    #[command(flatten)]
    layout: KuidOptions,
}

impl SchemeArguments for KuidArguments {
    fn generate(&self, options: &GenOptions) -> Result<ExitCode, Failure> {
        let node = self.node.as_deref().map(|node| self.node_hash.node(node)).transpose();
        let node = node.map_err(|error| Failure::Usage(format!("--node: {error}")))?;
        let (drift, layout) = (self.layout.drift(), &self.layout);
        let pool = Scheme::Kuid.default_pool(self.kind);
        let lease = |scheme, realm| Request { scheme, realm, pool, node_size: None };
        match self.kind {
            Kind::Global => {
                let lease = lease(Kuid { drift }, format!("kuid-{drift}"));
                Plan { node, lease, variant: Global, blank: GlobalId::MIN, layout }.run(options)
            }
            Kind::Local if node.is_some() => {
                Err(Failure::Usage("a local kuid has no node: leave out --node".into()))
            }
            // Local IDs have no node and no drift: the generator's do not show. One layout for
            // all, so that they share a realm.
            Kind::Local => {
                let lease = lease(Kuid::default(), "kuid-local".to_owned());
                Plan { node, lease, variant: Local, blank: LocalId::MIN, layout }.run(options)
            }
        }
    }
}
