//! Snowflakes of layouts that are known only at run time.

use proptest::prelude::*;
use tickid_convert::{
    AnyId, AnyScheme, ConvertError, Kind, Nodes, Options, Settings, ToParts as _, carry,
    convert_any, restore_any,
};
use tickid_snowflake::{AnySnowflake, Preset, SnowflakeId};
use tickid_testkit::config;

const OTHERS: [&str; 4] = [
    "41x1ms/0n/12s@2024-01-01",
    "43x100us/10s/10n@2024-01-01",
    "30x1s/16n/18s/unsigned@0",
    "20x3600s/22n/18s@-86400000",
];

fn snowflakes() -> Vec<AnySnowflake> {
    let presets = Preset::ALL.iter().map(|preset| preset.layout());
    presets.chain(OTHERS.map(|layout| layout.parse().unwrap())).collect()
}

fn any_layout() -> impl Strategy<Value = Settings> {
    let layout = proptest::sample::select(snowflakes());
    layout.prop_map(|snowflake| Settings { snowflake, ..Settings::default() })
}

/// Returns an ID of the layout with these bits.
fn id(bits: u64, settings: &Settings) -> AnyId {
    let widths = settings.snowflake.widths();
    let unused = u64::BITS - widths.time - widths.node - widths.sequence;
    SnowflakeId::new(bits >> unused).into()
}

proptest! {
    #![proptest_config(config(1))]

    #[test]
    fn conversions_keep_order_and_are_reversed(
        bits: u64, step in 1_u64..1_000, source in any_layout(), target in any_layout(),
    ) {
        let options = Options { source, target, nodes: Nodes::LowBits, ..Options::default() };
        let one = id(bits, &source);
        let (Ok(mut parts), Ok(a)) =
            (one.parts(&source), convert_any(one, Kind::Snowflake, &options))
        else {
            return Ok(()); // its node is missing, or its time is not one of the target's
        };
        prop_assert_eq!(a.id.parts(&target).unwrap().unix_time() <= parts.unix_time(), true);
        if a.loss.is_restorable() {
            prop_assert_eq!(restore_any(a.id, Kind::Snowflake, &options), Ok(one));
        }
        // A later ID of the node.
        let scheme = AnyScheme::new(Kind::Snowflake, &source);
        let node = parts.node().map_or(0, |node| node.value());
        let tick = scheme.scale().micros_per_tick();
        let later = parts.unix_time().as_micros() + (step * tick).cast_signed();
        let later = tickid_core::UnixTime::from_micros(later);
        let Ok(other) = scheme.id_at(later, node, 0) else { return Ok(()) };
        parts = other.parts(&source).unwrap();
        prop_assert!(other.to_u128() > one.to_u128() && parts.unix_time() == later);
        if let Ok(b) = convert_any(other, Kind::Snowflake, &options) {
            prop_assert!(a.id.to_u128() <= b.id.to_u128(), "{} {}", a.id, b.id);
        }
    }

    #[test]
    fn uuids_hold_snowflakes(bits: u64, settings in any_layout()) {
        let id = id(bits, &settings);
        prop_assert_eq!(carry::from_uuid(carry::to_uuid(id), &settings), Ok(id));
        if let Ok(uuid) = carry::to_uuid_v7(id, &settings) {
            prop_assert_eq!(carry::from_uuid(uuid, &settings), Ok(id));
        }
    }
}

#[test]
fn bits_above_the_layout_are_refused() {
    let settings =
        Settings { snowflake: AnySnowflake::named("js-safe").unwrap(), ..Settings::default() };
    let error = SnowflakeId::new(1 << 53).parts(&settings).unwrap_err();
    assert!(matches!(error, ConvertError::StrayBits { bits, .. } if bits == 1 << 53), "{error}");
    assert!(error.to_string().contains("a Snowflake of 53 bits leaves zero"), "{error}");
    assert!(carry::to_uuid_v7(SnowflakeId::new(1 << 53), &settings).is_err());
}

#[test]
fn realms_record_the_whole_layout() {
    let read = |text: &str| AnyScheme::from_realm("snowflake", text, true).unwrap();
    let all: Vec<AnyScheme> = snowflakes().iter().map(|layout| read(&layout.to_string())).collect();
    for (index, one) in all.iter().enumerate() {
        assert_eq!(one.settings().snowflake, snowflakes()[index]);
        assert!(all.iter().skip(index + 1).all(|other| other != one));
    }
    // Names may change their meaning one day.
    assert!(AnyScheme::from_realm("snowflake", "discord", true).is_err());
    assert_eq!(read(OTHERS[0]).usual_nodes(), Some((0, 0)));
}
