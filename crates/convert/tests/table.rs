//! The table of all pairs in `docs/conversions.md` is what conversions do.

#[cfg(test)]
mod support;

#[cfg(test)]
mod tests {
    use core::fmt::Write as _;
    use core::time::Duration;

    use tickid_convert::{Converted, Layouts, Nodes, Options, convert};
    use tickid_core::{Scheme, Tick, UnixTime};
    use tickid_kuid::{GlobalId, LocalId};
    use tickid_nanoflake::NanoflakeId;
    use tickid_scru64::{NodeIdSize, Scru64Id};
    use tickid_sno::SnoId;

    use crate::support::{Fields, Subject};

    const PAGE: &str = include_str!("../../../docs/conversions.md");

    /// How each of the six is called in the table, and under which layouts it is what it is there.
    fn layouts(sized: bool) -> Layouts {
        let node_size = sized.then(|| NodeIdSize::new(8).unwrap());
        Layouts { node_size, ..Layouts::default() }
    }

    fn name<S: Subject>(sized: bool) -> &'static str {
        match S::NAME {
            "scru64" if sized => "SCRU64, 8 bits of node",
            "scru64" => "SCRU64, no node size",
            "nanoflake" => "Nanoflake",
            other => other,
        }
    }

    /// The worst that happens to the IDs of 32 seconds, after which the pattern of any two schemes' ticks
    /// repeats.
    fn worst<S: Subject, T: Subject>(options: &Options<'_>) -> (Duration, u32) {
        const FROM: UnixTime = UnixTime::from_micros(1_700_000_000_000_000);
        const TO: UnixTime = UnixTime::from_micros(1_700_000_032_000_000);
        let scheme = S::scheme(&options.source);
        let [first, last] = [FROM, TO].map(|time| scheme.tick_at(time).unwrap().get());
        let (mut time, mut cut) = (Duration::ZERO, 0);
        for tick in first..=last {
            // All bits set, so that whatever is cut shows.
            let fields = Fields { node: 1, sequence: u32::MAX, toggle: true, metabyte: 1 };
            let id = S::at(Tick::new(tick).unwrap(), fields, &options.source);
            let Converted { loss, .. } = convert::<T>(id, options).unwrap();
            time = time.max(loss.time.unwrap_or_default());
            cut = cut.max(loss.sequence.map_or(0, |lost| lost.bits));
        }
        (time, cut)
    }

    fn row<S: Subject, T: Subject>(source_sized: bool, target_sized: bool) -> String {
        let (source, target) = (layouts(source_sized), layouts(target_sized));
        let bits = [S::node_bits(&source), T::node_bits(&target)];
        let nodes = if bits[0] == 0 && bits[1] > 0 { Nodes::Set(1) } else { Nodes::LowBits };
        let options = Options { source, target, nodes, ..Options::default() };
        let (time, cut) = worst::<S, T>(&options);

        let mut row = format!("| {} | {} |", name::<S>(source_sized), name::<T>(target_sized));
        match time {
            Duration::ZERO => row.push_str(" exact |"),
            time => write!(row, " up to {time:?} earlier |").unwrap(),
        }
        let (has, room) = (S::sequence_bits(&source), T::sequence_bits(&target));
        let ticks = crate::support::tick_bits(S::NAME, T::NAME);
        let toggle = u32::from(S::NAME == "sno" && T::NAME != "sno");
        assert_eq!(cut, (ticks + toggle + has).saturating_sub(room), "{row}");
        let fits = if cut == 0 { "all".to_owned() } else { format!("{cut} cut") };
        write!(row, " {ticks} + {toggle} + {has} in {room}: {fits} |").unwrap();
        match bits {
            [0, 0] => row.push_str(" none |"),
            [0, room] => write!(row, " none for {room}: give one |").unwrap(),
            [has, 0] => write!(row, " {has} in none: drop it by name |").unwrap(),
            [has, room] if has <= room => write!(row, " {has} in {room} |").unwrap(),
            [has, room] => write!(row, " {has} in {room}: an error if above |").unwrap(),
        }
        let besides = match (S::NAME, T::NAME) {
            (from, to) if from != "sno" || to == "sno" => "nothing",
            _ => "metabyte; tick-tock bit",
        };
        row + " " + besides + " |"
    }

    fn rows_from<S: Subject>(sized: bool, rows: &mut Vec<String>) {
        rows.push(row::<S, Scru64Id>(sized, true));
        rows.push(row::<S, Scru64Id>(sized, false));
        rows.push(row::<S, NanoflakeId>(sized, false));
        rows.push(row::<S, LocalId>(sized, false));
        rows.push(row::<S, GlobalId>(sized, false));
        rows.push(row::<S, SnoId>(sized, false));
    }

    #[test]
    fn the_table_of_all_pairs_is_what_conversions_do() {
        let mut rows = Vec::new();
        rows_from::<Scru64Id>(true, &mut rows);
        rows_from::<Scru64Id>(false, &mut rows);
        rows_from::<NanoflakeId>(false, &mut rows);
        rows_from::<LocalId>(false, &mut rows);
        rows_from::<GlobalId>(false, &mut rows);
        rows_from::<SnoId>(false, &mut rows);
        let table = rows.join("\n");
        assert!(PAGE.contains(&table), "the table should be\n{table}");
    }
}
