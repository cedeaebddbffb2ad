use tickid_core::{Scheme as _, UnixTime};
use tickid_sno::{Sno, SnoId};

use crate::describe::Describe;
use crate::report::Facts;

impl Describe for SnoId {
    const SCHEME: &'static str = Sno::NAME;
    type Layout = ();

    #[inline]
    fn write_text(&self, (): &(), out: &mut Vec<u8>) {
        out.extend_from_slice(self.encode().as_bytes());
    }

    fn bytes(&self) -> impl AsRef<[u8]> {
        self.to_bytes()
    }

    fn time(&self, (): &()) -> UnixTime {
        self.unix_time()
    }

    #[inline]
    fn fields(&self, (): &(), facts: &mut impl Facts) {
        facts.number("timestamp", i64::try_from(self.timestamp()).unwrap_or(i64::MAX));
        facts.number("toggle", self.toggle());
        facts.number("meta", self.meta());
        facts.number("partition", self.partition().get());
        facts.number("sequence", self.sequence());
        facts.bits(&[
            ("timestamp", 39),
            ("toggle", 1),
            ("meta", 8),
            ("partition", 16),
            ("sequence", 16),
        ]);
    }
}
