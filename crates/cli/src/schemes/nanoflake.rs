use tickid_convert::{NanoflakeText, Reading};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_text::ParseError;

use crate::args::{NanoflakeOptions, Radix};
use crate::report::{Report, Value};
use crate::schemes::Describe;

impl Describe for NanoflakeId {
    type Layout = NanoflakeOptions;

    fn write_text(&self, layout: &NanoflakeOptions, out: &mut Vec<u8>) {
        match layout.radix {
            Some(Radix::Decimal) => out.extend_from_slice(self.encode_decimal().as_bytes()),
            Some(Radix::Base36) | None => out.extend_from_slice(self.encode().as_bytes()),
        }
    }

    fn integer(&self) -> (u128, usize) {
        (u64::from(*self).into(), 8)
    }

    fn describe(&self, layout: &NanoflakeOptions, report: &mut Report) {
        let epoch = layout.epoch();
        report.start("nanoflake", Nanoflake { epoch }.unix_time(*self), &self.to_be_bytes());
        match layout.radix {
            Some(Radix::Decimal) => report.text.push_str(&self.encode_decimal()),
            Some(Radix::Base36) | None => report.text.push_str(&self.encode()),
        }
        report.field("int", Value::BigNumber(u64::from(*self)));
        report.number("epoch_ms", epoch.as_unix_millis());
        report.number("timestamp", i64::try_from(self.timestamp()).unwrap_or(i64::MAX));
        report.number("generator", self.generator().get());
        report.number("datacenter", self.generator().datacenter());
        report.number("worker", self.generator().worker());
        report.number("sequence", self.sequence());
        report.bits.extend([
            ("0", 1),
            ("timestamp", 41),
            ("datacenter", 5),
            ("worker", 5),
            ("sequence", 12),
        ]);
    }
}

impl NanoflakeOptions {
    /// The same for an ID that was written like this.
    pub(crate) fn in_text(self, text: NanoflakeText) -> Self {
        let radix = if text == NanoflakeText::Decimal { Radix::Decimal } else { Radix::Base36 };
        Self { radix: Some(radix), ..self }
    }
}

/// How `text` is to be read. Without a radix, what can only be decimal is taken for decimal: more digits
/// than Base36 has.
pub(crate) fn text_of(text: &[u8], layout: &NanoflakeOptions) -> NanoflakeText {
    match layout.radix {
        Some(Radix::Decimal) => NanoflakeText::Decimal,
        Some(Radix::Base36) => NanoflakeText::Base36,
        None if text.len() > NanoflakeId::TEXT_LEN && text.iter().all(u8::is_ascii_digit) => {
            NanoflakeText::Decimal
        }
        None => NanoflakeText::Base36,
    }
}

pub(crate) fn read(text: &[u8], layout: &NanoflakeOptions) -> Result<Reading, ParseError> {
    let form = text_of(text, layout);
    let id = match form {
        NanoflakeText::Decimal => NanoflakeId::parse_decimal(text)?,
        _ => NanoflakeId::parse_bytes(text)?,
    };
    Ok(Reading::Nanoflake(id, form))
}
