//! Order is kept from every scheme to every scheme, and what is not lost is found again.

use core::cell::Cell;

use crate::support::{
    TestId, TickFields, fields, for_each_test_id, near, nearest, sequences, settings, tick_bits,
    times,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tickid_convert::{ConvertError, Converted, Nodes, Options, convert, convert_exact, restore};
use tickid_core::{Scheme, UnixTime};
use tickid_kuid::{GlobalId, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::{NodeIdSize, Scru64Id};
use tickid_sno::SnoId;
use tickid_testkit::config;

/// Runs a test for every ordered pair of kinds, each kind with itself included.
macro_rules! for_all_pairs {
    ($test:ident) => {
        for_each_test_id!(pairs_from, $test);
    };
}
macro_rules! pairs_from {
    ($test:tt, $source:ident) => {
        for_each_test_id!(pair_of, $test, $source);
    };
}
macro_rules! pair_of {
    ($test:tt, $source:tt, $target:ident) => {
        $test::<$source, $target>();
    };
}

/// Nodes such that nothing fails over them, by truncation where that is needed.
fn options<S: TestId, T: TestId>(options: Options<'static>, high: bool) -> Options<'static> {
    let needs_one = S::node_bits(&options.source) == 0 && T::node_bits(&options.target) > 0;
    let nodes = match (needs_one, high) {
        (true, _) => Nodes::Set(1),
        (false, false) => Nodes::LowBits,
        (false, true) => Nodes::HighBits,
    };
    Options { nodes, ..options }
}

fn all_options() -> impl Strategy<Value = Options<'static>> {
    (settings(), settings(), any::<u8>()).prop_map(|(source, target, metabyte)| Options {
        source,
        target,
        metabyte,
        ..Options::default()
    })
}

fn id<S: TestId>(time: UnixTime, fields: TickFields, options: &Options<'_>) -> S {
    let settings = &options.source;
    S::at(nearest(S::scheme(settings), time), fields, settings)
}

/// Checks `test` on many cases, and that at least a third of them were converted.
fn check<V: Strategy>(
    cases: V,
    test: impl Fn(V::Value) -> Result<bool, TestCaseError>,
    what: &str,
) {
    let (all, converted) = (Cell::new(0), Cell::new(0));
    let outcome = TestRunner::new(config(4)).run(&cases, |case| {
        let is_converted = test(case)?;
        all.set(all.get() + 1);
        converted.set(converted.get() + i32::from(is_converted));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(3 * converted.get() >= all.get(), "{what}: only {} converted", converted.get());
}

/// Checks `test` on IDs of many times and fields, and what they were converted to.
fn check_converted<S: TestId, T: TestId>(
    test: impl Fn(S, Converted<T>, &Options<'_>) -> Result<(), TestCaseError>,
) {
    let cases = (times(), fields(), any::<bool>(), all_options());
    let convert_and_test = |(time, fields, high, given)| {
        let options = options::<S, T>(given, high);
        let id: S = id(time, fields, &options);
        let converted = convert::<T>(id, &options);
        converted.map_or(Ok(false), |converted| test(id, converted, &options).map(|()| true))
    };
    check(cases, convert_and_test, &what::<S, T>());
}

fn what<S: TestId, T: TestId>() -> String {
    format!("{} to {}", S::NAME, T::NAME)
}

#[test]
fn order_is_kept() {
    fn pair<S: TestId, T: TestId>() {
        let cases = (times(), near(), fields(), sequences(), any::<(bool, bool)>(), all_options());
        let test = |(time, near, fields, sequence, (toggle, high), given): (_, i64, _, _, _, _)| {
            let options = options::<S, T>(given, high);
            let time: UnixTime = time;
            let later = UnixTime::from_micros(time.as_micros().saturating_add(near));
            let other = TickFields { sequence, toggle, ..fields };
            let (a, b): (S, S) = (id(time, fields, &options), id(later, other, &options));
            let (low, high) = (a.min(b), a.max(b));
            match (convert::<T>(low, &options), convert::<T>(high, &options)) {
                (Ok(low), Ok(high)) => {
                    prop_assert!(low.id <= high.id, "{low:?} > {high:?}, of {a:?} and {b:?}");
                    if a != b && low.loss.is_restorable() && high.loss.is_restorable() {
                        prop_assert!(low.id < high.id, "{low:?} = {high:?}, of {a:?} and {b:?}");
                    }
                    Ok(true)
                }
                (Err(error), _) | (_, Err(error)) => {
                    prop_assert!(matches!(error, ConvertError::Time(_)), "{error} of {a:?}, {b:?}");
                    Ok(false)
                }
            }
        };
        check(cases, test, &what::<S, T>());
    }
    for_all_pairs!(pair);
}

#[test]
fn field_losses_are_restorable() {
    fn pair<S: TestId, T: TestId>() {
        check_converted::<S, T>(|id, converted, options| {
            let restored = restore::<S, T>(converted.id, options);
            if converted.loss.is_restorable() {
                prop_assert_eq!(restored, Ok(id), "of {:?}", converted);
            } else if let Ok(restored) = restored {
                // The lowest of those that became this one.
                let again = convert::<T>(restored, options).unwrap();
                prop_assert_eq!(again.id, converted.id);
                let (lost, kept) =
                    (S::sequence(id, &options.source), S::sequence(restored, &options.source));
                if converted.loss.node.is_none() && converted.loss.metabyte.is_none() {
                    prop_assert!(restored < id && kept <= lost, "{restored:?} for {id:?}");
                }
            }
            Ok(())
        });
    }
    for_all_pairs!(pair);
}

#[test]
fn exact_means_lossless() {
    fn pair<S: TestId, T: TestId>() {
        let cases = (times(), fields(), any::<bool>(), all_options());
        let test = |(time, fields, high, given)| {
            let options = options::<S, T>(given, high);
            let id: S = id(time, fields, &options);
            match (convert::<T>(id, &options), convert_exact::<T>(id, &options)) {
                (Ok(converted), Ok(exact)) => {
                    prop_assert!(converted.loss.is_none() && converted.id == exact);
                    prop_assert_eq!(restore::<S, T>(exact, &options), Ok(id));
                }
                (Ok(converted), Err(error)) => {
                    prop_assert_eq!(error, ConvertError::Lossy(converted.loss));
                    prop_assert!(!converted.loss.is_none());
                }
                (Err(one), other) => prop_assert_eq!(Err(one), other),
            }
            Ok(true)
        };
        check(cases, test, &what::<S, T>());
    }
    for_all_pairs!(pair);
}

/// The statements of `docs/conversions.md` below its table of all pairs.
#[test]
fn documented_pairs_lose_nothing() {
    fn pair<S: TestId, T: TestId>(of: fn(Options<'static>) -> Options<'static>, time_too: bool) {
        let cases = (times(), fields(), all_options());
        let test = |(time, fields, given): (_, TickFields, _)| {
            let options = of(Options { nodes: Nodes::Keep, ..given });
            // A node that fits the narrowest.
            let id: S = id(time, TickFields { node: fields.node % 256, ..fields }, &options);
            let Ok(converted) = convert::<T>(id, &options) else {
                return Ok(false);
            };
            let loss = converted.loss;
            let holds = loss.is_none() || time_too && loss.is_restorable() && !loss.toggle;
            prop_assert!(holds, "{loss} of {id:?}");
            Ok(true)
        };
        check(cases, test, &what::<S, T>());
    }
    fn any(options: Options<'static>) -> Options<'static> {
        options
    }
    fn with_node(options: Options<'static>) -> Options<'static> {
        Options { nodes: Nodes::Set(1), ..options }
    }
    fn of_one_size(options: Options<'static>) -> Options<'static> {
        let mut options = options;
        options.target.node_size = options.source.node_size;
        options
    }
    fn of_8_to_16_bits(options: Options<'static>) -> Options<'static> {
        let mut options = options;
        options.source.node_size = NodeIdSize::new(8 + options.metabyte % 9).ok();
        options
    }
    pair::<Scru64Id, Scru64Id>(of_one_size, false);
    pair::<NanoflakeId, NanoflakeId>(any, false);
    pair::<LocalId, LocalId>(any, false);
    pair::<GlobalId, GlobalId>(any, false);
    pair::<SnoId, SnoId>(any, false);
    pair::<Scru64Id, SnoId>(of_8_to_16_bits, false);
    pair::<LocalId, GlobalId>(with_node, false);
    pair::<NanoflakeId, SnoId>(any, true);
    pair::<NanoflakeId, GlobalId>(any, true);
    pair::<LocalId, SnoId>(with_node, true);
    pair::<GlobalId, SnoId>(any, true);
}

/// An oracle that shares no arithmetic with the crate: ticks are numbered by the schemes
/// themselves, and the number that start in one comes from the table above.
#[test]
fn sequence_is_the_rank_in_tick() {
    fn pair<S: TestId, T: TestId>() {
        check_converted::<S, T>(|id, converted, options| {
            let (source, target) = (S::scheme(&options.source), T::scheme(&options.target));
            let tick = id.tick(&options.source).unwrap();
            let begin = source.time_of(tick);
            let expected = target.tick_at(begin).unwrap();
            let start = target.time_of(expected);
            prop_assert_eq!(converted.id.tick(&options.target), Some(expected));
            let earlier = (begin.as_micros() - start.as_micros()).unsigned_abs();
            let time = converted.loss.time.map_or(0, |time| time.as_micros());
            prop_assert_eq!(time, u128::from(earlier));

            // Counts the ticks that start between the start of the target's tick and the ID's,
            // if the format has a tick at that start.
            let Ok(at_start) = source.tick_at(start) else {
                return Ok(());
            };
            let begins_before = source.time_of(at_start) < start;
            let before = tick.get() - at_start.get() - u64::from(begins_before);
            let same = S::NAME == "sno" && T::NAME == "sno";
            let (toggle, toggle_bits) =
                if S::NAME == "sno" && !same { (id.toggle().into(), 1) } else { (0, 0) };
            let bits = S::sequence_bits(&options.source);
            let rank: u64 =
                ((before << toggle_bits | toggle) << bits) + S::sequence(id, &options.source);
            let width = tick_bits(S::NAME, T::NAME) + toggle_bits + bits;
            let shift = width.saturating_sub(T::sequence_bits(&options.target));
            prop_assert_eq!(T::sequence(converted.id, &options.target), rank >> shift);
            prop_assert_eq!(converted.id.toggle(), same && id.toggle());
            let cut = rank & ((1 << shift) - 1);
            let lost = converted.loss.sequence.map(|lost| (lost.bits, lost.value));
            prop_assert_eq!(lost, (cut > 0).then_some((shift, cut)));
            prop_assert_eq!(converted.loss.toggle, toggle == 1);
            Ok(())
        });
    }
    for_all_pairs!(pair);
}
