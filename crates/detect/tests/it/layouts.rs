//! The cards of layouts say what the layouts do.

use proptest::prelude::*;
use serde_json::json;
use tickid_convert::{AnyScheme, Kind, Settings};
use tickid_core::{Scheme as _, UnixTime};
use tickid_detect::{LayoutCard, LayoutWarning};
use tickid_snowflake::{AnySnowflake, Preset};
use tickid_testkit::config;

fn read(text: &str) -> AnySnowflake {
    AnySnowflake::read(text).unwrap()
}

fn card(text: &str) -> LayoutCard {
    LayoutCard::new(read(text), None)
}

/// Compares a card with the IDs that the layout makes.
fn check(layout: AnySnowflake) {
    let card = LayoutCard::new(layout, None);
    let settings = Settings { snowflake: layout, ..Settings::default() };
    let scheme = AnyScheme::new(Kind::Snowflake, &settings);
    let min_at = |time| u64::try_from(scheme.min_at(time).unwrap().to_u128()).unwrap();
    assert_eq!(min_at(card.first()), 0, "{layout}");
    let (last_tick, widths) = match layout {
        AnySnowflake::NodeAboveSequence(layout) => (layout.last_tick(), layout.widths()),
        AnySnowflake::SequenceAboveNode(layout) => (layout.last_tick(), layout.widths()),
    };
    let (low, bits) = (widths.node + widths.sequence, widths.time + widths.node + widths.sequence);
    assert_eq!(min_at(card.last()), last_tick << low, "{layout}");
    for (until, exact) in [(card.javascript_until(), 53), (card.signed_until(), 63)] {
        assert_eq!(until.map(min_at), (bits > exact).then(|| 1 << exact), "{layout}");
    }
    assert_eq!(card.nodes() * card.ids_per_tick(), 1 << low, "{layout}");
    let per_second = card.ids_per_second() * widths.unit.as_secs_f64();
    #[allow(clippy::cast_precision_loss, reason = "18 bits")]
    let per_tick = card.ids_per_tick() as f64;
    assert!((per_second / per_tick - 1.0).abs() < 1e-9, "{layout}");
    let mut end = 0;
    for field in card.fields().iter() {
        assert_eq!(field.start(), end, "{layout}");
        end += field.bits();
    }
    assert_eq!(end, 64, "{layout}");
}

#[test]
fn presets_have_their_cards() {
    for preset in Preset::ALL {
        check(preset.layout());
        let card = LayoutCard::new(preset.layout(), None);
        assert_eq!(card.names().next(), Some(preset.key()));
        assert_eq!(card.fields()[..], *preset.fields());
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn cards_are_of_their_layouts(
        widths in (8_u32..=41, 0_u32..=22, 1_u32..=18),
        unit in prop::sample::select(vec!["100us", "1ms", "10ms", "2s"]),
        is_node_lowest: bool,
    ) {
        let (time, node, sequence) = widths;
        let node = node.min(63 - time - sequence);
        let low = match is_node_lowest {
            true => format!("{sequence}s/{node}n"),
            false => format!("{node}n/{sequence}s"),
        };
        check(read(&format!("{time}x{unit}/{low}@2020-01-01")));
    }
}

#[test]
fn cards_are_serialized() {
    let expected = json!({
        "layout": "40x1s/16s/8n/unsigned@1577836800000",
        "names": [],
        "title": null,
        "bits": 64,
        "fields": [
            {"name": "timestamp", "start": 0, "bits": 40, "meaning": "ticks since the epoch"},
            {"name": "sequence", "start": 40, "bits": 16,
                "meaning": "distinguishes the IDs of a tick"},
            {"name": "node", "start": 56, "bits": 8, "meaning": "distinguishes generators"},
        ],
        "tick_us": 1_000_000,
        "first": {"unix_ms": 1_577_836_800_000_i64, "time": "2020-01-01T00:00:00.000Z"},
        // After the year 9999.
        "last": {"unix_ms": 1_101_089_464_575_000_i64, "time": null},
        "span": "34842 years",
        "nodes": 256,
        "ids_per_tick": 65_536,
        "ids_per_second": 65_536,
        "javascript_until":
            {"unix_ms": 2_114_707_712_000_i64, "time": "2037-01-04T18:48:32.000Z"},
        "signed_until": {"unix_ms": 551_333_650_688_000_i64, "time": null},
        "warnings": [
            {"kind": "sign", "text": "the sign bit is set from +019441-01-25T12:18:08Z on: \
                signed columns show these IDs as negative and sort them first"},
            {"kind": "javascript", "text": "JavaScript's numbers round the IDs from \
                2037-01-04T18:48:32Z on: send them as text"},
        ],
    });
    let card = card("40x1000ms/16s/8n/unsigned@2020-01-01");
    assert_eq!(serde_json::to_value(card).unwrap(), expected);
}

#[test]
fn long_ticks_have_low_rates() {
    let slow = card("20x3600s/3n/1s@2020-01-01");
    let value = serde_json::to_value(slow).unwrap();
    assert_eq!(value["ids_per_second"], json!(2.0 / 3_600.0));
    for (text, span) in [
        ("8x100us/3n/1s@2020-01-01", "25 milliseconds"),
        ("8x10ms/3n/1s@2020-01-01", "2 seconds"),
        ("8x468750us/3n/1s@2020-01-01", "2 minutes"),
        ("8x468749us/3n/1s@2020-01-01", "119 seconds"),
        ("8x1s/3n/1s@2020-01-01", "4 minutes"),
        ("8x60s/3n/1s@2020-01-01", "4 hours"),
        ("8x3600s/3n/1s@2020-01-01", "10 days"),
        ("41x1ms/3n/1s@2020-01-01", "69 years"),
    ] {
        assert_eq!(card(text).span().to_string(), span, "{text}");
    }
}

#[test]
fn warnings_are_of_their_time() {
    let kinds = |text: &str, now: &str| {
        let now = card(&format!("41x1ms/1n/1s@{now}")).first();
        let card = LayoutCard::new(read(text), Some(now));
        card.warnings().map(LayoutWarning::name).collect::<Vec<_>>()
    };
    assert_eq!(kinds("js-safe", "2026-11-24"), <[&str; 0]>::default());
    assert_eq!(kinds("js-safe", "2024-12-31"), ["starts"]);
    assert_eq!(kinds("js-safe", "2084-09-07"), <[&str; 0]>::default());
    assert_eq!(kinds("js-safe", "2084-09-09"), ["ends"]);
    assert_eq!(kinds("js-safe", "2094-09-07"), ["ends"]);
    assert_eq!(kinds("js-safe", "2094-09-08"), ["ended"]);
    // To the microsecond.
    let (first, last) = (card("js-safe").first(), card("js-safe").last());
    let ten_years = 10 * 31_556_952_000_000;
    for (time, micros, expected) in [
        (first, -1, &["starts"][..]),
        (first, 0, &[]),
        (last, -ten_years, &[]),
        (last, 1 - ten_years, &["ends"]),
        (last, 0, &["ends"]),
        (last, 1, &["ended"]),
    ] {
        let now = UnixTime::from_micros(time.as_micros() + micros);
        let card = LayoutCard::new(read("js-safe"), Some(now));
        assert!(card.warnings().map(LayoutWarning::name).eq(expected.iter().copied()), "{now}");
    }
    assert_eq!(kinds("41x1ms/0n/12s@2025-01-01", "2026-11-24"), ["single-node"]);
    assert_eq!(kinds("tsid", "2026-11-24"), ["sign", "javascript"]);
    // Without a clock, nothing has ended.
    assert!(card("baidu").warnings().all(|one| !matches!(one, LayoutWarning::Ended(_))));
    let ended = LayoutCard::new(read("baidu"), UnixTime::from_millis(1_800_000_000_000).ok());
    let first = ended.warnings().next().unwrap();
    assert_eq!(first.to_string(), "the last tick was at 2024-11-20T13:24:15Z: it can only be read");
}
