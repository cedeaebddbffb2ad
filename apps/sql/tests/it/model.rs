//! One session under a scripted clock does exactly as a state machine of a few lines.

use tickid_testkit::Dice;
use tickid_testkit::servers::{Postgres, Test};

use crate::base::{Base, KINDS, Kind, Parts, START};

pub(crate) const TESTS: [Test<Postgres>; 6] = [
    ("draws_agree_with_the_model", draws_agree_with_the_model),
    ("a_full_tick_has_every_sequence", a_full_tick_has_every_sequence),
    ("small_counters_start_in_their_lower_half", small_counters_start_in_their_lower_half),
    ("a_rounded_clock_is_found", a_rounded_clock_is_found),
    ("a_draw_of_a_past_tick_is_found", a_draw_of_a_past_tick_is_found),
    ("a_misplaced_field_is_found", a_misplaced_field_is_found),
];

/// The last word, and the policy: wait is ratchet with an allowance of zero.
struct Model {
    kind: Kind,
    tick: u64,
    sequence: u64,
}

impl Model {
    /// Returns whether the tick was not full.
    fn next_sequence(&mut self) -> bool {
        let is_free = self.sequence < self.kind.last_sequence();
        self.sequence += u64::from(is_free);
        is_free
    }

    /// Returns the next tick and sequence, or `None` if the clock is too far behind. The sequence
    /// is `None` where it is random.
    fn draw(&mut self, now: u64) -> Option<(u64, Option<u64>)> {
        let limit = now + self.kind.allowance();
        let ahead = self.tick.checked_sub(now);
        // A look and a draw, and then another one of those that may be ahead.
        let drawn = self.next_sequence();
        if drawn && ahead == Some(0)
            || ahead.is_some_and(|ahead| (1..=self.kind.allowance()).contains(&ahead))
                && self.next_sequence()
        {
            return Some((self.tick, Some(self.sequence)));
        }
        let target = now.max(self.tick + 1);
        if target > limit {
            return None;
        }
        (self.tick, self.sequence) = (target, 0);
        Some((target, (self.kind != Kind::Scru64).then_some(0)))
    }
}

/// Draws while the clock stands, runs and steps.
fn follow(base: &Base<'_>, kind: Kind) -> Result<(), String> {
    let session = base.session();
    let mut model = Model { kind, tick: 0, sequence: kind.last_sequence() };
    let mut dice = Dice::new(kind as u64);
    let (mut micros, mut refused) = (START, 0);
    for step in 0..600 {
        let allowed = i64::try_from(kind.allowance()).unwrap() * kind.micros_per_tick();
        micros += match dice.below(16) {
            0..6 => 0,
            6..13 => dice.within(0..2 * kind.micros_per_tick()),
            13 => dice.within(0..3_000_000),
            // Within the allowance, or too far to wait for.
            14 if allowed > 0 => -dice.within(0..allowed).min(allowed / 4),
            _ if step % 3 == 0 => -(allowed + 20_000_000),
            _ => 25_000_000 + allowed,
        };
        let now = kind.tick_at(micros);
        // A wait in between would only take time.
        let behind = model.tick.saturating_sub(now + kind.allowance());
        let wait = i64::try_from(behind).unwrap() * kind.micros_per_tick();
        if 0 < wait && wait < 8_000_000 {
            micros += wait + kind.micros_per_tick();
        }
        session.set_clock(micros);
        let (now, drawn) = (kind.tick_at(micros), session.draw(kind));
        let expected = model.draw(now);
        match (&drawn, expected) {
            (Ok(parts), Some((tick, sequence))) => {
                let node = kind.pool().1;
                let sequence = sequence.unwrap_or(parts.sequence);
                let all = Parts { tick, sequence, node };
                if *parts != all {
                    return Err(format!("{kind:?} {step} at {micros}: {parts:?}, not {all:?}"));
                }
                model.sequence = parts.sequence;
            }
            (Err(error), None) if error.contains("s behind the next ID") => refused += 1,
            _ => return Err(format!("{kind:?} {step} at {micros}: {drawn:?}, not {expected:?}")),
        }
    }
    assert!(refused > 5, "{refused}");
    Ok(())
}

fn draws_agree_with_the_model(server: &Postgres) {
    for kind in KINDS.into_iter().chain([Kind::Seconds]) {
        let base = Base::new(server, &[kind]);
        base.script_clock();
        follow(&base, kind).unwrap();
    }
}

/// All in one tick, which ends with an error or the next tick.
fn a_full_tick_has_every_sequence(server: &Postgres) {
    for kind in KINDS.into_iter().chain([Kind::Seconds]) {
        let base = Base::new(server, &[kind]);
        base.script_clock();
        base.give_up_soon();
        let (tick, last) = (kind.tick_at(START), kind.last_sequence());
        // SCRU64 starts at a random one; all of them would take too long.
        let first = if kind == Kind::Scru64 { last - 100 } else { 0 };
        if kind == Kind::Scru64 {
            let start = "floor(random() * 524288)::bigint";
            base.plant("advance_1", start, &first.to_string());
        }
        let session = base.session();
        let ids = session.draws(kind, u32::try_from(last + 1 - first).unwrap()).unwrap();
        let expected = (first..=last).map(|sequence| Parts { tick, sequence, node: kind.pool().1 });
        assert!(ids.into_iter().eq(expected), "{kind:?}");
        let next = session.draw(kind);
        if kind.allowance() > 0 {
            assert_eq!(next.unwrap().tick, tick + 1);
            continue;
        }
        // Waits for a clock that stands, and gives up.
        assert!(next.unwrap_err().contains("behind the next ID"));
        session.set_clock(START + kind.micros_per_tick());
        let next = session.draw(kind).unwrap();
        assert_eq!((next.tick, next.sequence), (tick + 1, 0));
    }
}

/// As in the original: with nodes of 20 bits and more, counters keep a guard bit.
fn small_counters_start_in_their_lower_half(server: &Postgres) {
    for (pool, last, highest) in [("9/22", 3, 1), ("9/20", 15, 7), ("9/19", 31, 31)] {
        let base = Base::empty(server);
        base.create(&Kind::Scru64.realm(pool));
        base.script_clock();
        let session = base.session();
        let mut starts = Vec::new();
        // With so many random starts, the highest ones are among them.
        for tick in 1..=400 {
            session.set_clock(START + 12_000_000 * tick);
            let id: u64 = session.one(&Kind::Scru64.draw()).unwrap().parse().unwrap();
            starts.push(id & last);
        }
        let (least, most) = (starts.iter().min().unwrap(), starts.iter().max().unwrap());
        assert!(*most <= highest && *most + 3 > highest && *least < 3, "{pool}: {least} to {most}");
    }
}

fn a_rounded_clock_is_found(server: &Postgres) {
    for kind in [Kind::Nanoflake, Kind::KuidLocal] {
        let base = Base::new(server, &[kind]);
        base.script_clock();
        let half = kind.micros_per_tick() / 2;
        let rounded = format!("tickid.clock_v1() OPERATOR(pg_catalog.+) {half}");
        for function in ["draw_1", "advance_1"] {
            base.plant(function, "tickid.clock_v1()", &rounded);
        }
        assert!(follow(&base, kind).is_err(), "{kind:?}");
    }
}

fn a_draw_of_a_past_tick_is_found(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake]);
    base.script_clock();
    base.plant("draw_1", "OPERATOR(pg_catalog.=)", "OPERATOR(pg_catalog.<=)");
    assert!(follow(&base, Kind::Nanoflake).is_err());
}

/// A node in the place of the sequence, and a tick below its place.
fn a_misplaced_field_is_found(server: &Postgres) {
    for (kind, part, other) in [
        (Kind::Sonyflake, "(word, 24, 24, 255, 16, 65535)", "(word, 24, 24, 255, 0, 16776960)"),
        (Kind::Discord, "(word, 21, 22, 4095,", "(word, 21, 21, 4095,"),
    ] {
        let base = Base::new(server, &[kind]);
        base.script_clock();
        base.plant("draw_1", part, other);
        assert!(follow(&base, kind).is_err(), "{kind:?}");
    }
}
