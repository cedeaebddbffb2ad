use tickid_convert::{KuidAlphabet, Reading};
use tickid_kuid::{GlobalId, LocalId, WideGlobalId};
use tickid_text::{ParseError, Text};

use crate::args::{Alphabet, KuidOptions};
use crate::report::{Report, Value};
use crate::schemes::Describe;

impl KuidOptions {
    /// `id` in the alphabet that was asked for, by one of its two ways to be written.
    fn text<I, const N: usize>(
        self,
        id: I,
        sortable: fn(I) -> Text<N>,
        url: fn(I) -> Text<N>,
    ) -> Text<N> {
        match self.alphabet {
            Some(Alphabet::Url) => url(id),
            Some(Alphabet::Sortable) | None => sortable(id),
        }
    }

    pub(crate) fn alphabet(self) -> KuidAlphabet {
        match self.alphabet {
            Some(Alphabet::Url) => KuidAlphabet::Url,
            Some(Alphabet::Sortable) | None => KuidAlphabet::Sortable,
        }
    }

    /// The names and widths of a global ID's bit fields around its node of `node_bits`.
    fn global_bits(self, node_bits: u32) -> [(&'static str, u32); 6] {
        let low = self.drift().get().into();
        [
            ("a", 20),
            ("b (high)", 20 - low),
            ("node", node_bits),
            ("b (low)", low),
            ("c", 10),
            ("sequence", 14),
        ]
    }
}

impl Describe for LocalId {
    type Layout = KuidOptions;

    fn write_text(&self, layout: &KuidOptions, out: &mut Vec<u8>) {
        out.extend_from_slice(layout.text(*self, Self::encode, Self::encode_url).as_bytes());
    }

    fn integer(&self) -> (u128, usize) {
        (self.get().into(), 8)
    }

    fn describe(&self, layout: &KuidOptions, report: &mut Report) {
        report.start("kuid", self.unix_time(), &self.to_be_bytes());
        report.text.push_str(&layout.text(*self, Self::encode, Self::encode_url));
        report.field("kind", Value::Word("local"));
        describe_time(*self, report);
        report.bits.extend([("a", 20), ("b", 20), ("c", 10), ("sequence", 14)]);
    }
}

/// What local and global IDs have in common.
fn describe_time(id: LocalId, report: &mut Report) {
    report.number("a", id.mega_seconds());
    report.number("b", id.seconds());
    report.number("c", id.micro_seconds());
    report.number("sequence", id.sequence());
}

impl Describe for GlobalId {
    type Layout = KuidOptions;

    fn write_text(&self, layout: &KuidOptions, out: &mut Vec<u8>) {
        out.extend_from_slice(layout.text(*self, Self::encode, Self::encode_url).as_bytes());
    }

    fn integer(&self) -> (u128, usize) {
        let mut wide = [0; 16];
        wide[4..].copy_from_slice(&self.to_bytes());
        (u128::from_be_bytes(wide), 12)
    }

    fn describe(&self, layout: &KuidOptions, report: &mut Report) {
        let drift = layout.drift();
        report.start("kuid", self.unix_time(drift), &self.to_bytes());
        report.text.push_str(&layout.text(*self, Self::encode, Self::encode_url));
        report.field("kind", Value::Word("global"));
        describe_time(self.to_local(drift), report);
        report.field("node", Value::Hex(self.node(drift).get().into(), 4));
        report.number("drift", drift.get());
        report.bits.extend(layout.global_bits(32));
    }
}

impl Describe for WideGlobalId {
    type Layout = KuidOptions;

    fn write_text(&self, layout: &KuidOptions, out: &mut Vec<u8>) {
        out.extend_from_slice(layout.text(*self, Self::encode, Self::encode_url).as_bytes());
    }

    fn integer(&self) -> (u128, usize) {
        (u128::from_be_bytes(self.to_bytes()), 16)
    }

    fn describe(&self, layout: &KuidOptions, report: &mut Report) {
        let drift = layout.drift();
        report.start("kuid", self.unix_time(drift), &self.to_bytes());
        report.text.push_str(&layout.text(*self, Self::encode, Self::encode_url));
        report.field("kind", Value::Word("global"));
        describe_time(self.to_local(drift), report);
        report.field("node", Value::Hex(self.node(drift), 8));
        report.number("drift", drift.get());
        report.bits.extend(layout.global_bits(64));
    }
}

/// The length tells the kinds apart; what has none of the three is measured against a global ID.
pub(crate) fn read(text: &[u8], layout: &KuidOptions) -> Result<Reading, ParseError> {
    let alphabet = layout.alphabet();
    let url = alphabet == KuidAlphabet::Url;
    match text.len() {
        LocalId::TEXT_LEN => {
            let parse = if url { LocalId::parse_url } else { LocalId::parse_bytes };
            parse(text).map(|id| Reading::KuidLocal(id, alphabet))
        }
        WideGlobalId::TEXT_LEN => {
            let parse = if url { WideGlobalId::parse_url } else { WideGlobalId::parse_bytes };
            parse(text).map(|id| Reading::KuidWide(id, alphabet))
        }
        _ => {
            let parse = if url { GlobalId::parse_url } else { GlobalId::parse_bytes };
            parse(text).map(|id| Reading::KuidGlobal(id, alphabet))
        }
    }
}
