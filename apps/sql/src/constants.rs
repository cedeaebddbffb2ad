//! The schemes' constants in the script.

use tickid_core::Scheme;
use tickid_kuid::{Kuid, LocalId};
use tickid_lease::admin::RealmFacet;
use tickid_nanoflake::{GeneratorId, Nanoflake, NanoflakeId};
use tickid_scru64::{NodeIdSize, NodeSpec, Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};

/// The empty bits of a kuid's word between tick and sequence. A kuid's node is not in the word.
const KUID_GUARD_BITS: u32 = 5;

/// Replaces each `${name}` of the script by the constant.
pub(crate) fn filled(script: &str) -> String {
    let replace = |script: String, (name, value): (&str, String)| {
        script.replace(&format!("${{{name}}}"), &value)
    };
    constants().into_iter().fold(script.to_owned(), replace)
}

fn constants() -> Vec<(&'static str, String)> {
    let (kuid, nanoflake) = (Kuid::default(), Nanoflake::default());
    // The fields of a local kuid, as the shifts of its bits.
    let shift = |a, b, c| LocalId::from_parts(a, b, c, 0).map_or(0, |id| id.get().trailing_zeros());
    let (a, b) = (shift(1, 0, 0), shift(0, 1, 0));
    let c = LocalId::MAX_SEQUENCE.count_ones();
    vec![
        ("version", version()),
        ("fixed_fields", fixed_fields()),
        ("nanoflake_ticks", ticks(&nanoflake)),
        ("nanoflake_micros", nanoflake.scale().micros_per_tick().to_string()),
        ("nanoflake_shift", (GeneratorId::BITS + NanoflakeId::SEQUENCE_BITS).to_string()),
        ("nanoflake_sequence", NanoflakeId::SEQUENCE_BITS.to_string()),
        ("nanoflake_node", node(&nanoflake)),
        ("scru64_ticks", ticks(&Scru64)),
        ("scru64_micros", Scru64.scale().micros_per_tick().to_string()),
        ("scru64_shift", Scru64Id::NODE_CTR_BITS.to_string()),
        ("scru64_max", Scru64Id::MAX.get().to_string()),
        ("scru64_guarded", guarded_size().to_string()),
        ("kuid_node", node(&kuid)),
        ("kuid_ticks", ticks(&kuid)),
        ("kuid_micros", kuid.scale().micros_per_tick().to_string()),
        ("kuid_second", Kuid::TICKS_PER_SECOND.to_string()),
        ("kuid_word", (KUID_GUARD_BITS + c).to_string()),
        ("kuid_a", a.to_string()),
        ("kuid_b", b.to_string()),
        ("kuid_c", c.to_string()),
        ("kuid_max_a", LocalId::MAX_MEGA_SECONDS.to_string()),
        ("kuid_max_b", LocalId::MAX_SECONDS.to_string()),
        ("sno_node", node(&Sno)),
        ("sno_ticks", ticks(&Sno)),
        ("sno_micros", Sno.scale().micros_per_tick().to_string()),
        // In the first eight bytes.
        ("sno_shift", (u64::BITS - SnoId::TIMESTAMP_BITS).to_string()),
        ("sno_last", SnoId::MAX_TIMESTAMP.to_string()),
        ("sno_sequence", Sno::MAX_SEQUENCE.count_ones().to_string()),
    ]
}

/// Returns the fields of a record that differ in no realms of one name.
fn fixed_fields() -> String {
    let fixed = RealmFacet::ALL.iter().filter(|facet| facet.is_fixed());
    fixed.flat_map(|facet| facet.fields()).copied().collect::<Vec<_>>().join(", ")
}

/// Returns the release as numbers, without the rest of a pre-release.
fn version() -> String {
    let [major, minor, patch] = [
        env!("CARGO_PKG_VERSION_MAJOR"),
        env!("CARGO_PKG_VERSION_MINOR"),
        env!("CARGO_PKG_VERSION_PATCH"),
    ];
    format!("{major}.{minor}.{patch}")
}

/// Returns the number of bits of a whole node.
fn node<S: Scheme>(scheme: &S) -> String {
    scheme.node_bits().unwrap_or(0).to_string()
}

/// Returns the least size of SCRU64 nodes whose counters start below their highest bit.
fn guarded_size() -> u8 {
    let is_guarded = |size: &NodeIdSize| {
        NodeSpec::with_node_id(0, *size).is_ok_and(|node| Scru64.guard_bits(&node) > 0)
    };
    let sizes = (NodeIdSize::MIN.get()..=NodeIdSize::MAX.get()).flat_map(NodeIdSize::new);
    sizes.into_iter().find(is_guarded).map_or(u8::MAX, NodeIdSize::get)
}

/// Returns the last arguments of `tickid.tick_at_v1`.
fn ticks<S: Scheme>(scheme: &S) -> String {
    let (scale, last) = (scheme.scale(), S::MAX_TICK);
    let (period, micros) = (scale.period_micros(), scale.micros_per_tick());
    format!("{period}, {}, {micros}, {last}", scale.ticks_per_period())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FUNCTIONS;

    #[test]
    fn every_constant_is_in_the_script() {
        for (name, value) in constants() {
            assert!(FUNCTIONS.contains(&format!("${{{name}}}")), "{name}");
            assert_ne!(value, "0", "{name}");
        }
        assert!(!filled(FUNCTIONS).contains("${"));
    }
}
