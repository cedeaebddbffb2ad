use tickid_convert::{KuidAlphabet, Reading};
use tickid_core::{Scheme as _, UnixTime};
use tickid_kuid::{GlobalId, Kuid, LocalId, Node, WideGlobalId};
use tickid_text::ParseError;

use crate::describe::Describe;
use crate::options::KuidOptions;
use crate::report::{Facts, Value};

/// The text of an ID in the alphabet that was asked for.
macro_rules! write_text {
    () => {
        #[inline]
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

    fn bytes(&self) -> impl AsRef<[u8]> {
        self.to_be_bytes()
    }

    fn time(&self, _: &KuidOptions) -> UnixTime {
        self.unix_time()
    }

    #[inline]
    fn fields(&self, _: &KuidOptions, facts: &mut impl Facts) {
        time_fields(*self, "local", facts);
        facts.bits(&[("a", 20), ("b", 20), ("c", 10), ("sequence", 14)]);
    }
}

macro_rules! describe_global {
    ($id:ty, $node:ty, $node_number:expr) => {
        impl Describe for $id {
            const SCHEME: &'static str = Kuid::NAME;
            type Layout = KuidOptions;

            write_text!();

            fn bytes(&self) -> impl AsRef<[u8]> {
                self.to_bytes()
            }

            fn time(&self, layout: &KuidOptions) -> UnixTime {
                self.unix_time(layout.drift())
            }

            #[inline]
            fn fields(&self, layout: &KuidOptions, facts: &mut impl Facts) {
                let drift = layout.drift();
                time_fields(self.to_local(drift), "global", facts);
                facts.field("node", Value::Hex($node_number(self.node(drift)), size_of::<$node>()));
                facts.number("drift", drift.get());
                let low = drift.get().into();
                facts.bits(&[
                    ("a", 20),
                    ("b (high)", 20 - low),
                    ("node", <$node>::BITS),
                    ("b (low)", low),
                    ("c", 10),
                    ("sequence", 14),
                ]);
            }
        }
    };
}

describe_global!(GlobalId, u32, |node: Node| node.get().into());
describe_global!(WideGlobalId, u64, |node: u64| node.into());

#[inline]
fn time_fields(id: LocalId, kind: &'static str, facts: &mut impl Facts) {
    facts.field("kind", Value::Word(kind));
    facts.number("a", id.mega_seconds());
    facts.number("b", id.seconds());
    facts.number("c", id.micro_seconds());
    facts.number("sequence", id.sequence());
}

/// Reads `text` as the kind of its length, or otherwise as a global ID.
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
