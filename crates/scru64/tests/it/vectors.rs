//! Every entry of `tests/vectors/scru64.json`, which records the behaviour of the original
//! implementation.

use core::time::Duration;
use std::sync::Arc;

use tickid_scru64::tickid_core::{
    ClockError, Error, ErrorKind, Fixed, ManualClock, Scheme as _, StallReason,
};
use tickid_scru64::{
    Builder, LocalGenerator, NodeIdSize, NodeSpec, NodeSpecError, Policy, Scru64, Scru64Id,
    UnixTime,
};
use tickid_testkit::vectors::{
    Value, big, field, has_fields, list, load, number, string, string_or_null,
};

fn scru64() -> Arc<Value> {
    load("scru64.json")
}

#[test]
fn whole_file_is_asserted() {
    let file = scru64();
    has_fields(
        &file,
        &[
            "source",
            "ids",
            "decode",
            "invalid_text",
            "invalid_num",
            "from_parts",
            "node_spec",
            "traces",
            "argument_limits",
        ],
    );
    has_fields(field(&file, "node_spec"), &["valid", "invalid"]);
    assert_eq!(string(&file, "source"), "scru64 crate 2.0.1 (Rust, from crates.io)");
}

#[test]
fn ids_are_as_recorded() {
    for entry in list(&scru64(), "ids", 215) {
        has_fields(entry, &["text", "num", "timestamp", "node_ctr"]);
        let text = string(entry, "text");
        let num: u64 = big(entry, "num");
        let timestamp: u64 = number(entry, "timestamp");
        let node_ctr: u32 = number(entry, "node_ctr");
        let id = Scru64Id::new(num).unwrap();

        assert_eq!(id.encode(), text);
        assert_eq!(id.to_string(), text);
        assert_eq!(text.parse(), Ok(id));
        assert_eq!((id.timestamp(), id.node_ctr()), (timestamp, node_ctr));
        assert_eq!(Scru64Id::from_parts(timestamp, node_ctr), Ok(id));

        assert_eq!(u64::from(id), num);
        assert_eq!(i64::from(id), num.cast_signed());
        assert_eq!(Scru64Id::try_from(num.cast_signed()), Ok(id));
        assert_eq!(id.to_be_bytes(), num.to_be_bytes());
        assert_eq!(Scru64Id::from_be_bytes(num.to_be_bytes()), Ok(id));

        let time = id.unix_time();
        assert_eq!(time.as_millis(), timestamp.cast_signed() * 256);
        let (min, max) = (Scru64Id::min_at(time), Scru64Id::max_at(time));
        assert!((min.unwrap()..=max.unwrap()).contains(&id));
        for bits in 1..=23 {
            let size = NodeIdSize::new(bits).unwrap();
            let (node_id, counter) = (id.node_id(size), id.counter(size));
            assert_eq!(node_id << (24 - bits) | counter, node_ctr);
            assert!(counter < 1 << (24 - bits));
        }
    }
}

#[test]
fn the_decoder_ignores_case() {
    for entry in list(&scru64(), "decode", 40) {
        has_fields(entry, &["input", "text", "num"]);
        let id: Scru64Id = string(entry, "input").parse().unwrap();
        assert_eq!(id.get(), big::<u64>(entry, "num"));
        assert_eq!(id.encode(), string(entry, "text"));
        assert_eq!(string(entry, "input").to_ascii_lowercase(), string(entry, "text"));
    }
}

#[test]
fn bad_texts_are_rejected() {
    let mut of_12_bytes = 0;
    for entry in list(&scru64(), "invalid_text", 70) {
        let text = entry.as_str().unwrap();
        assert_eq!(text.parse::<Scru64Id>().unwrap_err().what(), "SCRU64 ID", "{text:?}");
        assert!(Scru64Id::parse_bytes(text.as_bytes()).is_err(), "{text:?}");
        of_12_bytes += usize::from(text.len() == 12);
    }
    // Not all are rejected for their length.
    assert_eq!(of_12_bytes, 40);
}

#[test]
fn bad_integers_are_named() {
    let mut unsigned = 0;
    for entry in list(&scru64(), "invalid_num", 35) {
        has_fields(entry, &["type", "num"]);
        let error = match string(entry, "type") {
            "u64" => {
                unsigned += 1;
                let num: u64 = big(entry, "num");
                assert!(Scru64Id::from_be_bytes(num.to_be_bytes()).is_err());
                Scru64Id::try_from(num)
            }
            "i64" => Scru64Id::try_from(big::<i64>(entry, "num")),
            other => panic!("a type of its own: {other}"),
        };
        let error = error.unwrap_err();
        assert_eq!(error.value(), big::<i128>(entry, "num"));
        assert_eq!((error.min(), error.max()), (0, 36_i128.pow(12) - 1));
    }
    assert_eq!(unsigned, 20);
}

#[test]
fn parts_are_as_recorded() {
    let mut accepted = 0;
    for entry in list(&scru64(), "from_parts", 12) {
        has_fields(entry, &["timestamp", "node_ctr", "ok", "text"]);
        let (timestamp, node_ctr) = (big(entry, "timestamp"), number(entry, "node_ctr"));
        let text = string_or_null(entry, "text");
        assert_eq!(field(entry, "ok").as_bool(), Some(text.is_some()));
        match Scru64Id::from_parts(timestamp, node_ctr) {
            Ok(id) => {
                accepted += 1;
                assert_eq!(Some(&*id.encode()), text);
            }
            Err(error) => {
                assert_eq!(text, None);
                let values = [i128::from(timestamp), i128::from(node_ctr)];
                assert!(values.contains(&error.value()), "{error}");
                assert!(error.value() > error.max(), "{error}");
            }
        }
    }
    assert_eq!(accepted, 4);
}

/// Node specs that the original accepts, because its hexadecimal parser allows a sign after the
/// prefix.
const SIGNED_SPECS: [&str; 2] = ["0x+2a/8", "0X+b00/12"];

#[test]
fn node_specs_are_as_recorded() {
    let file = scru64();
    let valid = list(field(&file, "node_spec"), "valid", 76);
    let unsigned = valid.iter().filter(|entry| !SIGNED_SPECS.contains(&string(entry, "spec")));
    let mut read = 0;
    for entry in unsigned {
        has_fields(entry, &["spec", "canonical", "node_id", "node_id_size", "node_prev"]);
        let spec: NodeSpec = string(entry, "spec").parse().unwrap();
        assert_eq!(spec.to_string(), string(entry, "canonical"));
        assert_eq!(spec.node_id(), number::<u32>(entry, "node_id"));
        let size = spec.node_id_size();
        assert_eq!(size.get(), number::<u8>(entry, "node_id_size"));
        let prev = spec.node_prev().map(|prev| prev.to_string());
        assert_eq!(prev.as_deref(), string_or_null(entry, "node_prev"));

        assert_eq!(string(entry, "canonical").parse(), Ok(spec));
        let made = match spec.node_prev() {
            Some(prev) => NodeSpec::with_node_prev(prev, size),
            None => NodeSpec::with_node_id(spec.node_id(), size).unwrap(),
        };
        assert_eq!(made, spec);
        read += 1;
    }
    assert_eq!(read, 74);
}

#[test]
fn signed_node_specs_are_rejected() {
    let file = scru64();
    let valid = list(field(&file, "node_spec"), "valid", 76);
    for spec in SIGNED_SPECS {
        assert!(valid.iter().any(|entry| string(entry, "spec") == spec));
        let sign = NodeSpecError::Node { len: spec.find('/').unwrap(), position: 2 };
        assert_eq!(spec.parse::<NodeSpec>(), Err(sign), "{spec}");
    }
}

#[test]
fn bad_node_specs_are_rejected() {
    let file = scru64();
    for entry in list(field(&file, "node_spec"), "invalid", 73) {
        let spec = entry.as_str().unwrap();
        assert!(spec.parse::<NodeSpec>().is_err(), "{spec:?}");
    }
}

/// The original's functions that take the time and the allowance with each call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// Returns nothing on a significant rollback.
    Abort,
    /// Starts over on a significant rollback.
    Reset,
}

type Traced<'a> = LocalGenerator<&'a ManualClock>;

fn traced<'a>(entry: &Value, clock: &'a ManualClock) -> Traced<'a> {
    Builder::new(string(entry, "node_spec").parse().unwrap())
        .clock(clock)
        .sequence(Fixed(number(entry, "counter_init")))
        // Each call reports whether the node's previous ID is too far ahead of the clock.
        .max_wait(Duration::MAX)
        .build_local()
        .unwrap()
}

/// Makes one call at the time that the clock shows.
fn call(generator: &mut Traced<'_>, mode: Mode, allowance_ms: u64) -> Result<Scru64Id, Error> {
    let policy =
        Policy::Ratchet { allowance: Scru64.ticks_in(Duration::from_millis(allowance_ms)) };
    match generator.try_generate_under(policy) {
        Err(error)
            if mode == Mode::Reset
                && error.kind() == ErrorKind::Stalled(StallReason::ClockBehind) =>
        {
            generator.reset().unwrap();
            generator.try_generate_under(policy)
        }
        result => result,
    }
}

/// Reports whether a recorded result has the last tick, which is reserved.
fn is_reserved(result: Option<&str>) -> bool {
    result.is_some_and(|text| text.parse::<Scru64Id>().unwrap().is_reserved())
}

#[test]
fn traces_are_as_recorded() {
    let (mut steps, mut aborts, mut reserved) = (0, 0, 0);
    for trace in list(&scru64(), "traces", 36) {
        has_fields(
            trace,
            &["name", "node_spec", "counter_init", "mode", "steps", "final_node_spec"],
        );
        let name = string(trace, "name");
        let mode = match string(trace, "mode") {
            "abort" => Mode::Abort,
            "reset" => Mode::Reset,
            other => panic!("{name}: a mode of its own: {other}"),
        };
        let clock = ManualClock::new(UnixTime::EPOCH);
        let mut generator = traced(trace, &clock);
        let mut last = None;
        let mut has_reserved = false;
        for (index, step) in field(trace, "steps").as_array().unwrap().iter().enumerate() {
            has_fields(step, &["unix_ts_ms", "rollback_allowance", "result"]);
            clock.set(UnixTime::from_millis(number(step, "unix_ts_ms")).unwrap());
            let result = call(&mut generator, mode, number(step, "rollback_allowance"));
            let recorded = string_or_null(step, "result");
            steps += 1;
            if is_reserved(recorded) {
                // See `reserved_timestamp_is_an_error`.
                reserved += 1;
                has_reserved = true;
                assert!(result.is_err(), "{name}, step {index}");
            } else if let Some(text) = recorded {
                let id = result.unwrap_or_else(|error| panic!("{name}, step {index}: {error}"));
                assert_eq!(id.encode(), text, "{name}, step {index}");
                last = Some(id);
            } else {
                aborts += 1;
                assert_eq!(mode, Mode::Abort, "{name}, step {index}");
                let kind = result.unwrap_err().kind();
                assert_eq!(
                    kind,
                    ErrorKind::Stalled(StallReason::ClockBehind),
                    "{name}, step {index}"
                );
            }
        }
        let spec = NodeSpec::from(&generator);
        assert_eq!(spec.node_prev(), last, "{name}");
        if !has_reserved {
            assert_eq!(spec.to_string(), string(trace, "final_node_spec"), "{name}");
        }
    }
    assert_eq!((steps, aborts, reserved), (442, 72, 4));
}

/// The document reserves the last timestamp, but the original issues it. We report that the clock
/// is past the last tick that can be issued, and keep the record of earlier IDs.
#[test]
fn reserved_timestamp_is_an_error() {
    let file = scru64();
    let traces = list(&file, "traces", 36).iter().filter(|trace| {
        let steps = field(trace, "steps").as_array().unwrap();
        steps.iter().any(|step| is_reserved(string_or_null(step, "result")))
    });
    let mut modes = Vec::new();
    for trace in traces {
        assert!(string(trace, "name").starts_with("last ticks of the range"));
        let mode = match string(trace, "mode") {
            "abort" => Mode::Abort,
            _ => Mode::Reset,
        };
        modes.push(mode);
        let clock = ManualClock::new(UnixTime::EPOCH);
        let mut generator = traced(trace, &clock);
        let steps = list(trace, "steps", 4);
        let recorded = steps.iter().map(|step| string_or_null(step, "result").unwrap());
        assert!(recorded.eq(["zzzzzzzq0em6", "zzzzzzzq0em7", "zzzzzzzzzzzy", "zzzzzzzzzzzz"]));
        for step in &steps[..2] {
            clock.set(UnixTime::from_millis(number(step, "unix_ts_ms")).unwrap());
            let id = call(&mut generator, mode, number(step, "rollback_allowance"));
            assert_eq!(id.unwrap().encode(), string(step, "result"));
        }
        for step in &steps[2..] {
            let time = UnixTime::from_millis(number(step, "unix_ts_ms")).unwrap();
            clock.set(time);
            let error = call(&mut generator, mode, number(step, "rollback_allowance"));
            assert_eq!(error.unwrap_err().kind(), out_of_range(time));
        }
        assert_eq!(NodeSpec::from(&generator).to_string(), "zzzzzzzq0em7/2");
        assert_eq!(string(trace, "final_node_spec"), "zzzzzzzzzzzz/2");

        // An overflow that would lead there reaches the end of time instead, call after call.
        clock.set(UnixTime::from_millis(number(&steps[1], "unix_ts_ms")).unwrap());
        for _ in 0..3 {
            let error = call(&mut generator, mode, 10_000).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::EndOfTime);
        }
    }
    assert_eq!(modes, [Mode::Abort, Mode::Reset]);
}

/// Returns the error of a `time` before the first or after the last timestamp that may be issued.
fn out_of_range(time: UnixTime) -> ErrorKind {
    ErrorKind::Clock(ClockError::OutOfRange {
        time,
        first: UnixTime::from_micros(256_000),
        last: UnixTime::from_micros(72_301_961_338_624_000),
    })
}

/// The behaviour of the original at the limits of its arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Theirs {
    Panics,
    Nothing,
    Gives(&'static str),
}

/// Our behaviour there.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ours {
    Gives(&'static str),
    Rollback,
    EndOfTime,
    Clock,
    SequenceStart,
}

#[test]
fn panics_become_errors() {
    use Theirs::{Nothing, Panics};
    let same = |text| ([Theirs::Gives(text); 2], [Ours::Gives(text); 2]);
    let instead = |ours| ([Panics; 2], [ours; 2]);
    // The order is the file's: node spec, counter start, time and allowance in milliseconds, then
    // the original's behaviour and ours, in the modes `abort` and `reset`.
    let (last, late) = ("72301961338880", "1577836800000");
    let cases = [
        ("42/8", 0, "0", "10000", instead(Ours::Clock)),
        ("42/8", 0, "1", "10000", instead(Ours::Clock)),
        ("42/8", 0, "255", "10000", instead(Ours::Clock)),
        ("42/8", 0, "256", "10000", same("0000000bml8g")),
        // The last, reserved timestamp.
        (
            "42/8",
            0,
            "72301961339135",
            "10000",
            ([Theirs::Gives("zzzzzzzrnegw"); 2], [Ours::Clock; 2]),
        ),
        ("42/8", 0, "72301961339136", "10000", instead(Ours::Clock)),
        ("42/8", 0, "18446744073709551615", "10000", instead(Ours::Clock)),
        // Allowances of 2^40 ticks and more are valid.
        ("42/8", 0, late, "281474976710656", instead(Ours::Gives("0sa61wwe0mio"))),
        ("42/8", 0, late, "281474976710655", same("0sa61wwe0mio")),
        ("42/8", 0, late, "18446744073709551615", instead(Ours::Gives("0sa61wwe0mio"))),
        ("42/8", 70_000, late, "10000", instead(Ours::SequenceStart)),
        ("42/8", 65_536, late, "10000", instead(Ours::SequenceStart)),
        ("42/8", 65_535, late, "10000", same("0sa61wwe2133")),
        // Nothing comes after the last ID, however large the allowance.
        ("zzzzzzzzzzzz/8", 0, late, "140737488355328", instead(Ours::EndOfTime)),
        ("zzzzzzzzzzzz/8", 0, last, "10000", instead(Ours::Clock)),
        (
            "zzzzzzzzzzzy/8",
            0,
            last,
            "10000",
            ([Theirs::Gives("zzzzzzzzzzzz"); 2], [Ours::Clock; 2]),
        ),
        (
            "zzzzzzzzzzzz/8",
            0,
            late,
            "10000",
            (
                [Nothing, Theirs::Gives("0sa61wwmbthc")],
                [Ours::Rollback, Ours::Gives("0sa61wwmbthc")],
            ),
        ),
    ];
    let file = scru64();
    for (entry, case) in list(&file, "argument_limits", 17).iter().zip(cases) {
        let (node_spec, counter_init, unix_ts_ms, allowance, (theirs, ours)) = case;
        has_fields(
            entry,
            &["node_spec", "counter_init", "unix_ts_ms", "rollback_allowance", "abort", "reset"],
        );
        assert_eq!(string(entry, "node_spec"), node_spec);
        assert_eq!(number::<u32>(entry, "counter_init"), counter_init);
        assert_eq!(string(entry, "unix_ts_ms"), unix_ts_ms);
        assert_eq!(string(entry, "rollback_allowance"), allowance);
        // Times beyond the range of a clock are replaced by the latest that it can show.
        let time = big::<u64>(entry, "unix_ts_ms").try_into().ok();
        let time = time.and_then(|millis| UnixTime::from_millis(millis).ok());
        let time = time.unwrap_or(UnixTime::MAX);

        let modes = [("abort", Mode::Abort), ("reset", Mode::Reset)];
        for (((key, mode), theirs), ours) in modes.into_iter().zip(theirs).zip(ours) {
            let recorded = field(entry, key);
            match theirs {
                Panics => has_fields(recorded, &["panics"]),
                Nothing | Theirs::Gives(_) => has_fields(recorded, &["panics", "result"]),
            }
            let panics = field(recorded, "panics").as_bool();
            assert_eq!(panics, Some(theirs == Panics), "{entry}");
            match theirs {
                Panics => {}
                Nothing => assert_eq!(string_or_null(recorded, "result"), None),
                Theirs::Gives(text) => assert_eq!(string(recorded, "result"), text),
            }

            let clock = ManualClock::new(time);
            let mut generator = traced(entry, &clock);
            let result = call(&mut generator, mode, big(entry, "rollback_allowance"));
            let expected = match ours {
                Ours::Gives(text) => Ok(text.parse().unwrap()),
                Ours::Rollback => Err(ErrorKind::Stalled(StallReason::ClockBehind)),
                Ours::EndOfTime => Err(ErrorKind::EndOfTime),
                Ours::Clock => Err(out_of_range(time)),
                Ours::SequenceStart => {
                    Err(ErrorKind::SequenceStart { start: counter_init, lowest: 0, last: 65_535 })
                }
            };
            assert_eq!(result.map_err(|error| error.kind()), expected, "{entry}");
        }
    }
}
