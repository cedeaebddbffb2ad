use tickid_core::{Scheme as _, UnixTime};
use tickid_scru64::{Scru64, Scru64Id};

use crate::describe::Describe;
use crate::options::Scru64Options;
use crate::report::{Facts, Value};

impl Describe for Scru64Id {
    const SCHEME: &'static str = Scru64::NAME;
    type Layout = Scru64Options;

    #[inline]
    fn write_text(&self, _: &Scru64Options, out: &mut Vec<u8>) {
        out.extend_from_slice(self.encode().as_bytes());
    }

    fn bytes(&self) -> impl AsRef<[u8]> {
        self.to_be_bytes()
    }

    fn time(&self, _: &Scru64Options) -> UnixTime {
        self.unix_time()
    }

    #[inline]
    fn fields(&self, layout: &Scru64Options, facts: &mut impl Facts) {
        facts.field("int", Value::BigNumber(self.get()));
        facts.number("timestamp", i64::try_from(self.timestamp()).unwrap_or(i64::MAX));
        facts.number("node_ctr", self.node_ctr());
        facts.bits(&[("timestamp", 40)]);
        match layout.node_size {
            Some(size) => {
                facts.number("node_id", self.node_id(size));
                facts.number("counter", self.counter(size));
                facts.bits(&[("node_id", size.get().into()), ("counter", size.counter_bits())]);
            }
            None => facts.bits(&[("node_ctr", Self::NODE_CTR_BITS)]),
        }
    }
}
