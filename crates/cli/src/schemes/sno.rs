use tickid_sno::SnoId;

use crate::report::Report;
use crate::schemes::Describe;

impl Describe for SnoId {
    type Layout = ();

    fn write_text(&self, (): &(), out: &mut Vec<u8>) {
        out.extend_from_slice(self.encode().as_bytes());
    }

    fn integer(&self) -> (u128, usize) {
        let mut wide = [0; 16];
        wide[6..].copy_from_slice(&self.to_bytes());
        (u128::from_be_bytes(wide), 10)
    }

    fn describe(&self, (): &(), report: &mut Report) {
        report.start("sno", self.unix_time(), &self.to_bytes());
        report.text.push_str(&self.encode());
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
