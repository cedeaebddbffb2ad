use tickid_core::{Scheme as _, UnixTime};
use tickid_scru64::{Scru64, Scru64Id};

use crate::describe::Describe;
use crate::options::Scru64Options;
use crate::report::{Report, Value};

impl Describe for Scru64Id {
    const SCHEME: &'static str = Scru64::NAME;
    type Layout = Scru64Options;

    fn write_text(&self, _: &Scru64Options, out: &mut Vec<u8>) {
        out.extend_from_slice(self.encode().as_bytes());
    }

    fn bytes(&self) -> impl AsRef<[u8]> {
        self.to_be_bytes()
    }

    fn time(&self, _: &Scru64Options) -> UnixTime {
        self.unix_time()
    }

    fn fields(&self, layout: &Scru64Options, report: &mut Report) {
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
