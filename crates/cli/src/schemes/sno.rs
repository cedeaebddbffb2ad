use tickid_core::{Scheme as _, UnixTime};
use tickid_sno::{Sno, SnoId};

use crate::describe::Describe;
use crate::report::Report;

impl Describe for SnoId {
    const SCHEME: &'static str = Sno::NAME;
    type Layout = ();

    fn write_text(&self, (): &(), out: &mut Vec<u8>) {
        out.extend_from_slice(self.encode().as_bytes());
    }

    fn bytes(&self) -> impl AsRef<[u8]> {
        self.to_bytes()
    }

    fn time(&self, (): &()) -> UnixTime {
        self.unix_time()
    }

    fn fields(&self, (): &(), report: &mut Report) {
        report.number("timestamp", i64::try_from(self.timestamp()).unwrap_or(i64::MAX));
        report.number("toggle", self.toggle());
        report.number("meta", self.meta());
        report.number("partition", self.partition().get());
        report.number("sequence", self.sequence());
        report.bits.extend([
            ("timestamp", 39),
            ("toggle", 1),
            ("meta", 8),
            ("partition", 16),
            ("sequence", 16),
        ]);
    }
}
