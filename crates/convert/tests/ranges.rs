//! Ranges of times, for all schemes alike.

#[cfg(test)]
mod support;

#[cfg(test)]
mod tests {
    use core::ops::RangeInclusive;

    use proptest::prelude::*;
    use tickid_convert::Layouts;
    use tickid_core::{RangeError, Scheme, Tick, UnixTime};
    use tickid_kuid::{GlobalId, Kuid, LocalId, Node};
    use tickid_nanoflake::{Nanoflake, NanoflakeId};
    use tickid_scru64::{Scru64, Scru64Id};
    use tickid_sno::{Sno, SnoId};
    use tickid_testkit::config;

    use crate::support::{Fields, Subject, fields, layouts, near, nearest, times};

    trait Ranges: Subject {
        fn range(
            layouts: &Layouts,
            from: UnixTime,
            to: UnixTime,
        ) -> Result<RangeInclusive<Self>, RangeError>;
    }

    impl Ranges for Scru64Id {
        fn range(
            _: &Layouts,
            from: UnixTime,
            to: UnixTime,
        ) -> Result<RangeInclusive<Self>, RangeError> {
            Ok(Scru64.min_at(from)?..=Scru64.max_at(to)?)
        }
    }

    impl Ranges for NanoflakeId {
        fn range(
            layouts: &Layouts,
            from: UnixTime,
            to: UnixTime,
        ) -> Result<RangeInclusive<Self>, RangeError> {
            let layout = Nanoflake { epoch: layouts.epoch };
            Ok(layout.min_at(from)?..=layout.max_at(to)?)
        }
    }

    impl Ranges for LocalId {
        fn range(
            _: &Layouts,
            from: UnixTime,
            to: UnixTime,
        ) -> Result<RangeInclusive<Self>, RangeError> {
            Ok(Self::min_at(from)?..=Self::max_at(to)?)
        }
    }

    impl Ranges for SnoId {
        fn range(
            _: &Layouts,
            from: UnixTime,
            to: UnixTime,
        ) -> Result<RangeInclusive<Self>, RangeError> {
            Ok(Sno.min_at(from)?..=Sno.max_at(to)?)
        }
    }

    fn at<S: Subject>(time: UnixTime, fields: Fields, layouts: &Layouts) -> S {
        S::at(nearest(S::scheme(layouts), time), fields, layouts)
    }

    /// An ID near the one end or the other is in the range if and only if its tick is.
    fn exact<S: Ranges>(
        ends: [UnixTime; 2],
        time: UnixTime,
        fields: Fields,
        layouts: &Layouts,
    ) -> Result<(), TestCaseError> {
        let scheme = S::scheme(layouts);
        let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let ticks = ends.map(|end| scheme.tick_at(end));
        let range = match (S::range(layouts, ends[0], ends[1]), ticks) {
            (Ok(range), [Ok(from), Ok(to)]) => {
                let id: S = at(time, fields, layouts);
                let tick = id.tick(layouts).unwrap();
                prop_assert_eq!(range.contains(&id), (from..=to).contains(&tick), "{:?}", id);
                range
            }
            (Err(error), [one, other]) => {
                prop_assert!(one == Err(error) || other == Err(error), "{error}");
                return Ok(());
            }
            (Ok(range), ticks) => return Err(TestCaseError::fail(format!("{range:?} {ticks:?}"))),
        };
        // The ends themselves are of the ticks of the ends.
        let of_ends = [range.start(), range.end()].map(|id| id.tick(layouts));
        prop_assert_eq!(of_ends.map(Option::unwrap), ticks.map(Result::unwrap));
        Ok(())
    }

    fn close(time: UnixTime, near: i64) -> UnixTime {
        UnixTime::from_micros(time.as_micros().saturating_add(near))
    }

    proptest! {
        #![proptest_config(config(4))]

        #[test]
        fn ranges_are_exact(
            one in times(), span in near(), off in near(), fields in fields(), layouts in layouts()
        ) {
            let ends = [one, close(one, span)];
            for time in [close(one, off), close(ends[1], off)] {
                exact::<Scru64Id>(ends, time, fields, &layouts)?;
                exact::<NanoflakeId>(ends, time, fields, &layouts)?;
                exact::<LocalId>(ends, time, fields, &layouts)?;
                exact::<SnoId>(ends, time, fields, &layouts)?;
            }
        }

        #[test]
        fn global_kuid_ranges_are_wider(
            one in times(), span in near(), off in -2_000_000_000_i64..2_000_000_000, fields in fields(),
            layouts in layouts()
        ) {
            let layout = Kuid { drift: layouts.drift };
            let (from, to) = (one.min(close(one, span)), one.max(close(one, span)));
            let (Ok(min), Ok(max)) = (layout.min_at(from), layout.max_at(to)) else {
                return Ok(());
            };
            for time in [close(one, off), close(one, off % 2_000), close(to, off % 2_000)] {
                let id: GlobalId = at(time, fields, &layouts);
                let tick = id.tick(layouts.drift).unwrap();
                let is_its = (layout.tick_at(from).unwrap()..=layout.tick_at(to).unwrap()).contains(&tick);
                if is_its {
                    prop_assert!((min..=max).contains(&id), "{id} is missing");
                } else if (min..=max).contains(&id) {
                    let time = layout.unix_time(id);
                    let off = from.saturating_since(time).max(time.saturating_since(to));
                    prop_assert!(off < layouts.drift.interval(), "{id} is {off:?} off");
                }
            }
        }

        #[test]
        fn one_nodes_kuid_range_is_exact(
            one in times(), span in near(), off in near(), fields in fields(), layouts in layouts()
        ) {
            let layout = Kuid { drift: layouts.drift };
            let (from, to) = (one.min(close(one, span)), one.max(close(one, span)));
            let (Ok(min), Ok(max)) = (LocalId::min_at(from), LocalId::max_at(to)) else {
                return Ok(());
            };
            let node = Node::from_u32(fields.node);
            let [min, max] = [min, max].map(|local| GlobalId::from_local(local, node, layouts.drift));
            for time in [close(one, off), close(to, off)] {
                let id: GlobalId = at(time, fields, &layouts);
                let tick = id.tick(layouts.drift).unwrap();
                let is_its = (layout.tick_at(from).unwrap()..=layout.tick_at(to).unwrap()).contains(&tick);
                prop_assert_eq!((min..=max).contains(&id), is_its);
            }
        }
    }

    #[test]
    fn ranges_reach_both_ends() {
        fn check<S: Ranges>(lowest: S, highest: S) {
            let layouts = Layouts::default();
            let scheme = S::scheme(&layouts);
            let first = scheme.time_of(Tick::MIN);
            let last = scheme.time_of(Tick::MAX);
            assert_eq!(S::range(&layouts, first, last), Ok(lowest..=highest));
            assert!(S::range(&layouts, close(first, -1), last).is_err());
            let end =
                (1..300_000).find(|off| S::range(&layouts, first, close(last, *off)).is_err());
            let len = match S::NAME {
                "scru64" => 256_000,
                "nanoflake" => 1_000,
                "sno" => 4_000,
                _ => 576, // the last step of a second
            };
            assert_eq!(end, Some(len), "{}", S::NAME);
        }
        check(Scru64Id::MIN, Scru64Id::MAX);
        check(NanoflakeId::MIN, NanoflakeId::MAX);
        let last =
            LocalId::from_parts(LocalId::MAX_MEGA_SECONDS, 999_999, 999_999, 16_383).unwrap();
        check(LocalId::MIN, last);
        check(SnoId::MIN, SnoId::MAX);
    }
}
