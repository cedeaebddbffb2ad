//! The table of all pairs in `docs/conversions.md` is what conversions do.

use core::time::Duration;

use tickid_convert::{Converted, Nodes, Options, Settings, convert};
use tickid_core::{Scheme, Tick, UnixTime};
use tickid_kuid::{GlobalId, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::{NodeIdSize, Scru64Id};
use tickid_sno::SnoId;

use crate::support::{TestId, TickFields};

const PAGE: &str = include_str!("../../../../docs/conversions.md");

/// Returns the default settings, with a SCRU64 node size of 8 bits if `sized`.
fn settings(sized: bool) -> Settings {
    let node_size = sized.then(|| NodeIdSize::new(8).unwrap());
    Settings { node_size, ..Settings::default() }
}

/// Returns the largest loss of time and the most bits cut among the IDs of 32 seconds, after
/// which the pattern of any two schemes' ticks repeats.
fn worst<S: TestId, T: TestId>(options: &Options<'_>) -> (Duration, u32) {
    const FROM: UnixTime = UnixTime::from_micros(1_700_000_000_000_000);
    const TO: UnixTime = UnixTime::from_micros(1_700_000_032_000_000);
    let scheme = S::scheme(&options.source);
    let [first, last] = [FROM, TO].map(|time| scheme.tick_at(time).unwrap().get());
    let (mut time, mut cut) = (Duration::ZERO, 0);
    for tick in first..=last {
        // All bits are set, so every bit that is cut shows.
        let fields = TickFields { node: 1, sequence: u32::MAX, toggle: true, metabyte: 1 };
        let id = S::at(Tick::new(tick).unwrap(), fields, &options.source);
        let Converted { loss, .. } = convert::<T>(id, options).unwrap();
        time = time.max(loss.time.unwrap_or_default());
        cut = cut.max(loss.sequence.map_or(0, |lost| lost.bits));
    }
    (time, cut)
}

/// Returns a cell of the table, such as `255ms, 4 bits`.
fn cell<S: TestId, T: TestId>(source_sized: bool, target_sized: bool) -> String {
    let (source, target) = (settings(source_sized), settings(target_sized));
    let bits = [S::node_bits(&source), T::node_bits(&target)];
    let nodes = if bits[0] == 0 && bits[1] > 0 { Nodes::Set(1) } else { Nodes::LowBits };
    let options = Options { source, target, nodes, ..Options::default() };
    let (time, cut) = worst::<S, T>(&options);

    let toggle = u32::from(S::NAME == "sno" && T::NAME != "sno");
    let rank = crate::support::tick_bits(S::NAME, T::NAME) + toggle + S::sequence_bits(&source);
    let expected = rank.saturating_sub(T::sequence_bits(&target));
    assert_eq!(cut, expected, "{} to {}", S::NAME, T::NAME);
    match (time, cut) {
        (Duration::ZERO, 0) => "exact".to_owned(),
        (Duration::ZERO, cut) => format!("{cut} bits"),
        (time, 0) => format!("{time:?}"),
        (time, cut) => format!("{time:?}, {cut} bits"),
    }
}

fn row<S: TestId>(name: &str, sized: bool) -> String {
    let kuid = cell::<S, GlobalId>(sized, false);
    assert_eq!(cell::<S, LocalId>(sized, false), kuid, "{name}");
    let cells = [
        cell::<S, Scru64Id>(sized, true),
        cell::<S, Scru64Id>(sized, false),
        cell::<S, NanoflakeId>(sized, false),
        kuid,
        cell::<S, SnoId>(sized, false),
    ];
    format!("| {name} | {} |", cells.join(" | "))
}

#[test]
fn table_of_pairs_is_right() {
    let kuid = row::<GlobalId>("kuid", false);
    assert_eq!(row::<LocalId>("kuid", false), kuid);
    let rows = [
        row::<Scru64Id>("SCRU64, 8-bit node", true),
        row::<Scru64Id>("SCRU64, no node size", false),
        row::<NanoflakeId>("Nanoflake", false),
        kuid,
        row::<SnoId>("sno", false),
    ];
    let table = rows.join("\n");
    assert!(PAGE.contains(&table), "the table should be\n{table}");
}
