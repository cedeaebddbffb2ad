use tickid_convert::{KuidAlphabet, Reading};
use tickid_core::{Scheme as _, UnixTime};
use tickid_kuid::{GlobalId, Kuid, LocalId, WideGlobalId};
use tickid_text::ParseError;

use crate::describe::Describe;
use crate::options::KuidOptions;
use crate::report::{Report, Value};

/// The text of an ID in the alphabet that was asked for.
macro_rules! write_text {
    () => {
        fn write_text(&self, layout: &KuidOptions, out: &mut Vec<u8>) {
            let text = match layout.alphabet() {
                KuidAlphabet::Url => self.encode_url(),
                _ => self.encode(),
            };
            out.extend_from_slice(text.as_bytes());
        }
    };
}

impl Describe for LocalId {
    const SCHEME: &'static str = Kuid::NAME;
    type Layout = KuidOptions;

    write_text!();

    fn integer(&self) -> (u128, usize) {
        (self.get().into(), size_of::<Self>())
    }

    fn time(&self, _: &KuidOptions) -> UnixTime {
        self.unix_time()
    }

    fn fields(&self, _: &KuidOptions, report: &mut Report) {
        time_fields(*self, "local", report);
        report.bits.extend([("a", 20), ("b", 20), ("c", 10), ("sequence", 14)]);
    }
}

impl Describe for GlobalId {
    const SCHEME: &'static str = Kuid::NAME;
    type Layout = KuidOptions;

    write_text!();

    fn integer(&self) -> (u128, usize) {
        let mut wide = [0; 16];
        wide[4..].copy_from_slice(&self.to_bytes());
        (u128::from_be_bytes(wide), size_of::<Self>())
    }

    fn time(&self, layout: &KuidOptions) -> UnixTime {
        self.unix_time(layout.drift())
    }

    fn fields(&self, layout: &KuidOptions, report: &mut Report) {
        let drift = layout.drift();
        let node = Value::Hex(self.node(drift).get().into(), size_of::<u32>());
        global_fields(self.to_local(drift), node, layout, report);
    }
}

impl Describe for WideGlobalId {
    const SCHEME: &'static str = Kuid::NAME;
    type Layout = KuidOptions;

    write_text!();

    fn integer(&self) -> (u128, usize) {
        (u128::from_be_bytes(self.to_bytes()), size_of::<Self>())
    }

    fn time(&self, layout: &KuidOptions) -> UnixTime {
        self.unix_time(layout.drift())
    }

    fn fields(&self, layout: &KuidOptions, report: &mut Report) {
        let drift = layout.drift();
        let node = Value::Hex(self.node(drift), size_of::<u64>());
        global_fields(self.to_local(drift), node, layout, report);
    }
}

fn time_fields(id: LocalId, kind: &'static str, report: &mut Report) {
    report.field("kind", Value::Word(kind));
    report.number("a", id.mega_seconds());
    report.number("b", id.seconds());
    report.number("c", id.micro_seconds());
    report.number("sequence", id.sequence());
}

fn global_fields(id: LocalId, node: Value, layout: &KuidOptions, report: &mut Report) {
    time_fields(id, "global", report);
    report.field("node", node);
    let low = u32::from(layout.drift().get());
    report.number("drift", layout.drift().get());
    // The rest of the bytes, around which all but the node take 64 bits.
    let node_bits = u32::try_from(report.bytes.len()).unwrap_or(0) * 8 - 64;
    report.bits.extend([
        ("a", 20),
        ("b (high)", 20 - low),
        ("node", node_bits),
        ("b (low)", low),
        ("c", 10),
        ("sequence", 14),
    ]);
}

/// Reads `text` as the kind that its length tells, or else as a global ID.
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
