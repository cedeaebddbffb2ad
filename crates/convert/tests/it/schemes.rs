//! Schemes and IDs that are known only at run time agree with the schemes' own types.

use core::fmt::Write as _;

use proptest::prelude::*;
use tickid_convert::{
    AnyId, AnyScheme, Kind, SchemeError, SchemeVariant, SchemeVisitor, Settings, TextForm,
};
use tickid_core::{Scheme, Tick, UnixTime};
use tickid_kuid::Drift;
use tickid_nanoflake::Epoch;
use tickid_testkit::config;
use tickid_text::form::Characters;

/// A realm's record: the scheme's name, the layout as text, whether IDs carry a node.
struct Record;

impl SchemeVisitor for Record {
    type Output = (&'static str, String, bool);

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, v: V) -> Self::Output {
        let mut layout = String::new();
        scheme.write_settings(&mut layout).unwrap();
        (S::NAME, layout, !S::HAS_NODELESS_IDS || v.has_node())
    }
}

/// The start of a tick, by the scheme's own type.
struct TimeOf(u64);

impl SchemeVisitor for TimeOf {
    type Output = UnixTime;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, _: V) -> UnixTime {
        scheme.time_of(Tick::new(self.0).unwrap())
    }
}

fn settings() -> impl Strategy<Value = Settings> {
    (0_i64..1_700_000_000_000, 5_u8..=10).prop_map(|(epoch, drift)| Settings {
        epoch: Epoch::from_unix_millis(epoch).unwrap(),
        drift: Drift::new(drift).unwrap(),
        ..Settings::default()
    })
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn a_realms_record_is_read_back(settings in settings()) {
        for &kind in Kind::ALL {
            let scheme = AnyScheme::new(kind, &settings);
            let (name, layout, has_node) = scheme.visit(Record);
            let read = AnyScheme::from_realm(name, &layout, has_node).unwrap();
            prop_assert_eq!(read.kind(), kind);
            prop_assert_eq!(read.visit(Record), (name, layout, has_node));
            prop_assert_eq!(read.visit(TimeOf(1_000)), scheme.visit(TimeOf(1_000)));
        }
    }

    #[test]
    fn texts_numbers_and_bytes_agree(number: u128, settings in settings()) {
        for &kind in Kind::ALL {
            let max = kind.max_number();
            let id = AnyId::from_u128(kind, if max == u128::MAX { number } else { number % (max + 1) });
            let id = id.unwrap();
            prop_assert_eq!(id.kind(), kind);
            prop_assert_eq!(AnyId::parse(kind, id.text().as_bytes()), Ok(id));
            prop_assert_eq!(AnyId::from_bytes(kind, &id.bytes()), Ok(id));
            prop_assert_eq!(id.bytes().len(), kind.byte_len());
            let mut hex = String::new();
            write!(hex, "{}", id.bytes()).unwrap();
            prop_assert_eq!(u128::from_str_radix(&hex, 16), Ok(id.to_u128()));
            for form in TextForm::all(kind) {
                let text = id.text_in(form).unwrap();
                prop_assert_eq!(form.parse(text.as_bytes()), Ok(id));
                prop_assert!(form.fits(text.len(), Characters::of(&text)), "{:?} {}", form, text);
                prop_assert!(!form.is_integer || *text == id.to_u128().to_string());
                if form.sorts && id.to_u128() > 0 {
                    let less = AnyId::from_u128(kind, id.to_u128() - 1).unwrap();
                    prop_assert!(less.text_in(form) < Some(text));
                }
            }
            let error = AnyId::from_u128(kind, max + 1).unwrap_err();
            prop_assert_eq!(error.max().cast_unsigned(), max);
            // The fields that no others divide are all bits, each once.
            let scheme = AnyScheme::new(kind, &settings);
            let fields = scheme.fields();
            let whole = fields.iter().filter(|field| !field.is_divided());
            let again = whole.flat_map(|field| {
                field.spans().map(move |span| (span, field))
            });
            let bits: u32 = again.map(|(span, _)| span.bits).sum();
            prop_assert_eq!(bits as usize, 8 * kind.byte_len());
        }
    }

    #[test]
    fn ids_are_made_of_time_node_and_sequence(
        millis in 1_750_000_000_000_i64..1_900_000_000_000, node in 0_u64..32, sequence in 0_u64..200,
    ) {
        let time = UnixTime::from_millis(millis).unwrap();
        for &kind in Kind::ALL {
            let node_size = Some(tickid_scru64::NodeIdSize::new(8).unwrap());
            let scheme = AnyScheme::new(kind, &Settings { node_size, ..Settings::default() });
            let node = if kind == Kind::KuidLocal { 0 } else { node };
            let id = scheme.id_at(time, node, sequence).unwrap();
            let shown = scheme.unix_time(id);
            let (min, max) = (scheme.min_at(shown).unwrap(), scheme.max_at(time).unwrap());
            prop_assert!((min.to_u128()..=max.to_u128()).contains(&id.to_u128()));
            prop_assert_eq!(scheme.unix_time(id), scheme.unix_time(min));
            let value = |names: &[&str]| {
                let fields = scheme.fields();
                let field = fields.iter().find(|field| names.contains(&field.name()));
                field.map(|field| field.value(&id.bytes()))
            };
            prop_assert_eq!(value(&["sequence", "counter"]), Some(sequence.into()));
            let node = (kind != Kind::KuidLocal).then_some(node.into());
            prop_assert_eq!(value(&["node", "node_id", "generator", "partition"]), node);
        }
    }
}

#[test]
fn other_records_are_refused() {
    for (name, layout, has_node, error) in [
        ("ulid", "", true, SchemeError::Name),
        ("snowflake", "", true, SchemeError::Settings),
        ("snowflake", "42x1ms/10n/12s@0", true, SchemeError::Settings),
        ("sno", "epoch 0", true, SchemeError::Settings),
        ("sno", "", false, SchemeError::Nodeless),
        ("scru64", "", false, SchemeError::Nodeless),
        ("nanoflake", "", true, SchemeError::Settings),
        ("nanoflake", "epoch x", true, SchemeError::Settings),
        ("kuid", "drift 11", true, SchemeError::Settings),
    ] {
        assert_eq!(AnyScheme::from_realm(name, layout, has_node), Err(error), "{name} {layout}");
    }
}
