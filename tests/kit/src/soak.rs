//! Long tests: a billion IDs of one generator, and ten years of clock time.
//!
//! The tests of the schemes run a short form of both, and `cargo xtask verify soak` runs them in
//! full.

use core::num::NonZeroU32;
use std::io::{self, Write as _};
use std::time::Instant;

use tickid_core::{
    Builder, Clock, ErrorKind, Generator, ManualClock, Scheme, Snapshot, Tick, UnixTime, Window,
};

use crate::dice::Dice;
use crate::generators::{CallResult, Generate, build};
use crate::promises::{Seen, Witness, tick_at};
use crate::schedule::{Action, Setup, StartChoice};
use crate::storm::draw;
use crate::subject::Subject;
use crate::threads::THREADS;

/// The number of IDs that each thread draws before all are compared.
const EACH: usize = 250_000;

/// Prints a line past the test harness.
fn show(line: &str) {
    // A closed output must not fail the test. The leading line break ends the harness's own line.
    let _ = writeln!(io::stdout(), "\nshown: {line}");
}

/// Draws `count` IDs on eight threads (a billion, unless `TICKID_SOAK_IDS` sets another number),
/// and asserts that none repeats.
///
/// IDs are drawn in segments of two million, and all IDs of a segment are compared. An ID that is
/// drawn after another call has returned is higher, so all IDs of a segment are higher than those
/// of the segment before. Only one segment therefore has to be in memory, at about 96 bytes per ID.
/// The clock must not go back.
///
/// # Panics
/// If an ID repeats or is wrong, or if a call fails.
pub fn draw_a_billion<T: Subject>(subject: &T) {
    let builder = Builder::of(subject.settings(), subject.node());
    let generator = builder.build().unwrap();
    let count = std::env::var("TICKID_SOAK_IDS").ok();
    let count = count.map_or(1_000_000_000, |count| count.parse().unwrap());
    let start = Instant::now();
    let (drawn, ticks) =
        segments(subject, &generator, count).unwrap_or_else(|twice| panic!("{twice}"));
    let (name, seconds) = (T::Scheme::NAME, start.elapsed().as_secs());
    show(&format!("{name}: {drawn} IDs of {ticks} ticks from {THREADS} threads in {seconds} s"));
}

/// Draws the IDs, and returns their number and the number of their ticks.
fn segments<T: Subject, C: Clock + Sync>(
    subject: &T,
    generator: &Generator<T::Scheme, C>,
    count: u64,
) -> Result<(u64, u64), String> {
    let (mut drawn, mut ticks, mut highest) = (0, 0, None);
    while drawn < count {
        let ids = draw(subject, generator, EACH);
        let keys: Vec<u128> = ids.iter().flatten().map(|&id| subject.parts(id).key()).collect();
        drawn += keys.len() as u64;
        ticks += follow(&mut highest, keys)?;
    }
    Ok((drawn, ticks))
}

/// Checks that the IDs with these keys differ and are all above the highest before them. Returns
/// the number of ticks that they add.
fn follow(highest: &mut Option<u128>, mut keys: Vec<u128>) -> Result<u64, String> {
    // The stable sort makes the most of runs that are already in order, and there is one for each
    // thread.
    keys.sort();
    let mut ticks = 0;
    for key in keys {
        match *highest {
            Some(last) if key == last => return Err(format!("issued twice: {key:x}")),
            Some(last) if key < last => return Err(format!("{key:x} came after {last:x}")),
            last => ticks += u64::from(last.is_none_or(|last| last >> 33 < key >> 33)),
        }
        *highest = Some(key);
    }
    Ok(ticks)
}

const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3_600 * SECOND;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY + 6 * HOUR;

/// The average time between two calls, for ten years with few calls or with many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// About an hour.
    Hourly,
    /// A few seconds: 53 million calls.
    Steady,
}

/// Counts of the events in these years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Diary {
    calls: u64,
    leap_seconds: u64,
    suspends: u64,
    steps: u64,
    slews: u64,
    restarts: u64,
}

/// A wall clock, and the time that it should show.
struct Wall {
    /// The time that it has been running, suspends included.
    elapsed: i64,
    /// The lead of its reading over `elapsed`.
    offset: i64,
    /// Its gain over true time, in millionths.
    slew: i64,
    /// The time of the next event of each kind.
    due: [i64; 5],
}

/// The intervals of the events, in microseconds: a leap second, a suspend, a step, another slew, a
/// restart of the program.
const EVERY: [i64; 5] = [YEAR / 2, DAY, 3 * DAY, 2 * HOUR, 30 * DAY];

impl Wall {
    fn new(dice: &mut Dice) -> Self {
        let due = EVERY.map(|every| dice.within(0..2 * every));
        // Leap seconds come at the end of June and of December.
        Self { elapsed: 0, offset: 0, slew: 0, due: [EVERY[0], due[1], due[2], due[3], due[4]] }
    }

    /// Returns its reading, in microseconds since it started.
    const fn shown(&self) -> i64 {
        self.elapsed + self.offset
    }

    /// Advances by `by` and lets the due events happen. Reports whether the program must be
    /// restarted.
    fn go_on(&mut self, by: i64, dice: &mut Dice, diary: &mut Diary) -> bool {
        self.elapsed += by;
        self.offset += by * self.slew / 1_000_000;
        let mut restarts = false;
        for (what, every) in EVERY.into_iter().enumerate() {
            if self.elapsed < self.due[what] {
                continue;
            }
            self.due[what] = match what {
                0 => self.due[0] + every,
                _ => self.elapsed + dice.within(1..2 * every),
            };
            match what {
                // The last second of the day is shown twice.
                0 => {
                    self.offset -= SECOND;
                    diary.leap_seconds += 1;
                }
                1 => {
                    self.elapsed += dice.within(SECOND..16 * HOUR);
                    diary.suspends += 1;
                }
                // NTP steps the clock if its error is more than an eighth of a second, or a user
                // sets it wrong.
                2 => {
                    let most = dice.one_of(&[SECOND, 60 * SECOND, 2 * HOUR]);
                    let wrong = dice.within(-most..most);
                    self.offset = if dice.below(2) == 0 { 0 } else { wrong };
                    diary.steps += 1;
                }
                // At most as fast as NTP slews.
                3 => {
                    self.slew = dice.within(-500..501);
                    diary.slews += 1;
                }
                _ => {
                    diary.restarts += 1;
                    restarts = true;
                }
            }
        }
        restarts
    }
}

/// Lets ten years of few calls pass: see [`hold_for_ten_busy_years`].
pub fn hold_for_ten_years<T: Subject>(subject: &T) {
    ten_years(subject, Pace::Hourly);
}

/// Lets ten years pass for a shared and an exclusive generator, in windows that a lease renews
/// every five seconds of true time, and checks all IDs against the promises.
///
/// Each ID must be above the last one of its toggle, so the test need not remember IDs to show that
/// none repeats.
///
/// # Panics
/// If a promise is broken, an ID is refused without need, or too few events happened.
pub fn hold_for_ten_busy_years<T: Subject>(subject: &T) {
    ten_years(subject, Pace::Steady);
}

fn ten_years<T: Subject>(subject: &T, pace: Pace) {
    let start = Instant::now();
    let (diary, seen) = pass(subject, pace).unwrap_or_else(|broken| panic!("{broken}"));
    let Diary { calls, leap_seconds, suspends, steps, slews, restarts } = diary;
    // The last leap second is due at the very end.
    assert!(leap_seconds >= 19, "{diary:?}");
    assert!(suspends > 2_000 && steps > 900 && slews > 20_000 && restarts > 90, "{diary:?}");
    // Clocks that go back are refused or make the toggle flip.
    assert!(
        seen.ids > calls && seen.clock_behind + seen.flips > 0 && seen.window_ended > 0,
        "{seen:?}"
    );
    if pace == Pace::Steady {
        show(&format!(
            "{}: ten years in {} s: {} IDs in {calls} calls, {leap_seconds} leap seconds, {suspends} suspends, {steps} \
             steps, {slews} slews, {restarts} restarts; {} flips; refused: {} behind, {} outside of the window",
            T::Scheme::NAME,
            start.elapsed().as_secs(),
            seen.ids,
            seen.flips,
            seen.clock_behind,
            seen.window_ended,
        ));
    }
}

fn pass<T: Subject>(subject: &T, pace: Pace) -> Result<(Diary, Seen), String> {
    let scheme = subject.settings();
    let begin = subject.start().as_micros() + DAY;
    let ahead = 15 * SECOND;
    let now = UnixTime::from_micros(begin);
    let clock = ManualClock::new(now);
    let floor = tick_at(&scheme, now).ok_or("no tick to begin with")?;
    let mut window = (floor, ceiling(&scheme, begin + ahead)?);
    let setup = Setup {
        policy: scheme.default_policy(),
        bounds: subject.sequences(),
        start: StartChoice::Own(7),
        now,
        floor,
        ceiling: window.1,
    };
    let mut generators = [
        Watched::new(subject, &setup, &clock, true)?,
        Watched::new(subject, &setup, &clock, false)?,
    ];

    let (mut dice, mut diary, mut seen) = (Dice::new(1), Diary::default(), Seen::default());
    let mut wall = Wall::new(&mut dice);
    let mean = match pace {
        Pace::Hourly => HOUR,
        Pace::Steady => 4 * SECOND,
    };
    while wall.elapsed < 10 * YEAR {
        // Some calls follow each other without a pause.
        let by =
            if dice.below(4) == 0 { dice.within(0..2_000) } else { dice.within(0..8 * mean / 3) };
        // The wall clock moves, and perhaps the program restarts.
        let restarts = wall.go_on(by, &mut dice, &mut diary);
        clock.set(UnixTime::from_micros(begin + wall.shown()));
        // A renewal widens the window by the true time, whatever the wall clock shows.
        window.1 = window.1.max(ceiling(&scheme, begin + wall.elapsed + ahead)?);
        let n = if dice.below(16) == 0 { 500 } else { dice.count(4) };
        for generator in &mut generators {
            if restarts {
                generator.restart(&setup, &clock, window.1)?;
            }
            generator.call(n, &clock, window, &mut dice, &mut seen)?;
        }
        diary.calls += 1;
    }
    Ok((diary, seen))
}

fn ceiling<S: Scheme>(scheme: &S, micros: i64) -> Result<u64, String> {
    tick_at(scheme, UnixTime::from_micros(micros)).ok_or_else(|| "the scheme has ended".to_owned())
}

/// A generator, and the promises to check its IDs against.
struct Watched<'a, T: Subject> {
    subject: &'a T,
    generator: Box<dyn Generate<T> + 'a>,
    witness: Witness<'a, T>,
    is_shared: bool,
    highest: u64,
    toggle: bool,
}

impl<'a, T: Subject> Watched<'a, T> {
    fn new(
        subject: &'a T,
        setup: &Setup<T::Scheme>,
        clock: &'a ManualClock,
        is_shared: bool,
    ) -> Result<Self, String> {
        let empty = Snapshot::EMPTY;
        let generator = build(subject, setup, clock, setup.ceiling, empty, is_shared);
        let generator = generator.map_err(|error| error.to_string())?;
        let witness = Witness::new(subject, setup.policy, setup.bounds);
        Ok(Self { subject, generator, witness, is_shared, highest: 0, toggle: false })
    }

    fn restart(
        &mut self,
        setup: &Setup<T::Scheme>,
        clock: &'a ManualClock,
        ceiling: u64,
    ) -> Result<(), String> {
        let left = self.generator.end();
        let generator = build(self.subject, setup, clock, ceiling, left, self.is_shared);
        self.generator = generator.map_err(|error| error.to_string())?;
        Ok(())
    }

    fn call(
        &mut self,
        n: u32,
        clock: &ManualClock,
        (floor, ceiling): (u64, u64),
        dice: &mut Dice,
        seen: &mut Seen,
    ) -> Result<(), String> {
        self.generator.wider(ceiling).map_err(|error| error.to_string())?;
        let form = dice.one_of(&self.subject.forms());
        let action = match (n, dice.below(2)) {
            (1, _) => Action::One,
            (n, 0) => Action::Fill(n as usize),
            (n, _) => Action::Block(NonZeroU32::new(n).unwrap()),
        };
        let now = clock.now().ok().and_then(|now| tick_at(&self.subject.settings(), now));
        let now = now.ok_or("beyond the scheme's time")?;
        let answer: Option<CallResult<T>> = self.generator.ask(action, form, self.subject.blank());
        match answer.ok_or("no answer")? {
            Ok(ids) => {
                let window =
                    Window::new(Tick::new(floor).map_err(|error| error.to_string())?, ceiling);
                let window = window.map_err(|error| error.to_string())?;
                seen.ahead += self.witness.check(&ids, form, &[now], window)?;
                seen.ids += ids.len() as u64;
                for part in ids.iter().map(|&id| self.subject.parts(id)) {
                    self.highest = self.highest.max(part.tick);
                    seen.flips += u64::from(self.toggle != part.toggle);
                    self.toggle = part.toggle;
                }
            }
            Err(error) => {
                seen.refusal(&error)?;
                let goes_on = now > self.highest && (floor..ceiling).contains(&now);
                if goes_on && !matches!(error.kind(), ErrorKind::Clock(_)) {
                    return Err(format!("refused without need at tick {now}: {error}"));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use tickid_core::Policy;
    use tickid_core::example::Toggling;

    use super::*;
    use crate::broken::Broken;

    #[test]
    fn segments_follow_each_other() {
        let clock = ManualClock::new(Broken::Not.start());
        let generator = tickid_core::Builder::<Toggling>::seeded(Broken::Not.node(), 0);
        // Each sleeping thread moves the clock, and so uses up the time of the others.
        let generator = generator.clock(&clock).policy(Policy::Wait).max_wait(Duration::MAX);
        let generator = generator.build().unwrap();
        let (drawn, ticks) = segments(&Broken::Not, &generator, 2_000_001).unwrap();
        assert_eq!(drawn, 4_000_000);
        // Each tick has 256, except for those that were drawn without effect.
        assert!((15_625..20_000).contains(&ticks), "{ticks}");
    }

    #[test]
    fn repetitions_are_found() {
        let key = |tick: u128, sequence: u128| tick << 33 | sequence;
        let mut highest = None;
        assert_eq!(follow(&mut highest, vec![key(2, 1), key(1, 9), key(1, 3)]), Ok(2));
        assert_eq!(follow(&mut highest, vec![key(3, 0), key(2, 2)]), Ok(1));
        let repeated = follow(&mut highest.clone(), vec![key(3, 1), key(4, 0), key(3, 1)]);
        assert!(repeated.unwrap_err().contains("issued twice"));
        let repeated = follow(&mut highest.clone(), vec![key(3, 0)]);
        assert!(repeated.unwrap_err().contains("issued twice"));
        let of_before = follow(&mut highest, vec![key(2, 1), key(3, 1)]);
        assert!(of_before.unwrap_err().contains("came after"));
    }

    #[test]
    fn faults_of_ten_years_are_found() {
        for (broken, message) in
            [(Broken::Drifts, "when the clock showed"), (Broken::Falls, "came after")]
        {
            let error = pass(&broken, Pace::Hourly).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
