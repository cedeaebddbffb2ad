use tickid_convert::{NanoflakeText, Reading};
use tickid_core::{Scheme as _, UnixTime};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_text::ParseError;

use crate::describe::Describe;
use crate::options::{NanoflakeOptions, Radix};
use crate::report::{Facts, Value};

impl Describe for NanoflakeId {
    const SCHEME: &'static str = Nanoflake::NAME;
    type Layout = NanoflakeOptions;

    #[inline]
    fn write_text(&self, layout: &NanoflakeOptions, out: &mut Vec<u8>) {
        match layout.radix {
            Some(Radix::Decimal) => {
                out.extend_from_slice(itoa::Buffer::new().format(self.get()).as_bytes());
            }
            Some(Radix::Base36) | None => out.extend_from_slice(self.encode().as_bytes()),
        }
    }

    fn bytes(&self) -> impl AsRef<[u8]> {
        self.to_be_bytes()
    }

    fn time(&self, layout: &NanoflakeOptions) -> UnixTime {
        Nanoflake { epoch: layout.epoch() }.unix_time(*self)
    }

    #[inline]
    fn fields(&self, layout: &NanoflakeOptions, facts: &mut impl Facts) {
        facts.field("int", Value::BigNumber(u64::from(*self)));
        facts.number("epoch_ms", layout.epoch().as_unix_millis());
        facts.number("timestamp", i64::try_from(self.timestamp()).unwrap_or(i64::MAX));
        facts.number("generator", self.generator().get());
        facts.number("datacenter", self.generator().datacenter());
        facts.number("worker", self.generator().worker());
        facts.number("sequence", self.sequence());
        facts.bits(&[
            ("0", 1),
            ("timestamp", 41),
            ("datacenter", 5),
            ("worker", 5),
            ("sequence", 12),
        ]);
    }
}

/// Returns the form of `text`. Without a radix, a text that can only be decimal is taken for
/// decimal: more digits than Base36 has.
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
