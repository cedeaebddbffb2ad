//! Comparison of generators, call by call, with the behaviour in a scheme's document, which is a
//! state machine of a few plain lines that shares no code with the engine.

use core::fmt;
use std::rc::Rc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tickid_core::{Error, ManualClock, Policy, Scheme, Snapshot};

use crate::cases::config;
use crate::generators::build;
use crate::schedule::{Action, Rule, Schedule, Setup, Turns, schedules, setups};
use crate::subject::Subject;

/// The options of a generator, in plain numbers.
#[derive(Clone)]
pub struct Given {
    /// The policy, unless it is the default.
    pub rule: Rule,
    /// The allowance of a ratchet.
    pub allowance: u64,
    /// The lowest sequence.
    pub lowest: u32,
    /// The last sequence.
    pub last: u32,
    /// The first tick of the window.
    pub floor: u64,
    /// One past the last tick of the window.
    pub ceiling: u64,
    /// The rule for the first sequence of a tick.
    pub start: Rc<dyn Fn(u64) -> u32>,
}

impl Given {
    /// Returns the first sequence of `tick`, if the window has the tick and the bounds the
    /// sequence.
    #[must_use]
    pub fn enter(&self, tick: u64) -> Option<u32> {
        let start = (self.start)(tick);
        let is_allowed = self.floor <= tick && tick < self.ceiling;
        (is_allowed && self.lowest <= start && start <= self.last).then_some(start)
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, allowance, lowest, last, floor, ceiling, start: _ } = self;
        write!(f, "{rule:?} {allowance}, {lowest}..={last} in [{floor}, {ceiling})")
    }
}

/// The state machine of a document.
pub trait Document<T: Subject> {
    /// Creates a machine that has issued no ID.
    fn new(given: Given) -> Self;

    /// Returns the options. One of them, the ceiling, may change while the machine runs.
    fn given(&mut self) -> &mut Given;

    /// Returns the next ID when the clock shows `micros` since 1970, or returns `None` and changes
    /// nothing.
    fn next(&mut self, micros: i64, form: T::Variant) -> Option<T::Id>;

    /// Returns one more ID of the same tick, if it has one. (A call for several IDs reads the clock
    /// once.)
    fn more(&mut self, form: T::Variant) -> Option<T::Id>;

    /// Checks the error of a call that gets no ID. Most documents do not specify the error.
    ///
    /// # Errors
    /// Returns the difference.
    fn check_refusal(&mut self, micros: i64, error: &Error) -> Result<(), String> {
        let _ = (micros, error);
        Ok(())
    }

    /// Checks the state that a closed generator leaves.
    ///
    /// # Errors
    /// Returns the difference.
    fn check_snapshot(&self, snapshot: &Snapshot<T::Scheme>) -> Result<(), String> {
        let _ = snapshot;
        Ok(())
    }
}

/// Compares a generator with the document; fails with the shortest schedule found under which they
/// differ.
///
/// Both generators must do exactly what the document specifies; the shared one up to a block that
/// is shorter.
///
/// # Panics
/// If there is such a schedule.
pub fn follow<T: Subject<Id: PartialEq>, D: Document<T>>(subject: &T, rule: Rule) {
    let cases = (setups(subject, rule), schedules(&subject.settings(), 0..60));
    let mut runner = TestRunner::new(config(4));
    let outcome = runner.run(&cases, |(setup, schedule)| {
        run::<T, D>(subject, &setup, &schedule).map_err(TestCaseError::fail)
    });
    if let Err(error) = outcome {
        panic!("{}, with the seed {:?}: {error}", T::Scheme::NAME, config(4).rng_seed);
    }
}

fn run<T: Subject<Id: PartialEq>, D: Document<T>>(
    subject: &T,
    setup: &Setup<T::Scheme>,
    schedule: &Schedule,
) -> Result<(), String> {
    let (layout, forms) = (subject.settings(), subject.forms());
    let clock = ManualClock::new(setup.now);
    let mut turns = Turns::new(&clock, layout, setup.now);
    let (rule, bounds) = (setup.start.rule(&layout, &subject.node()), setup.bounds);
    // The document gets the same options as the generators.
    let (kind, allowance) = match setup.policy {
        Policy::Ratchet { allowance } => (Rule::Ratchet, allowance.get()),
        Policy::TickTock => (Rule::TickTock, 0),
        Policy::Wait => (Rule::Wait, 0),
        other => return Err(format!("no document has {other}")),
    };
    let mut document = D::new(Given {
        rule: kind,
        allowance,
        lowest: bounds.lowest(),
        last: bounds.last(),
        floor: setup.floor,
        ceiling: setup.ceiling,
        start: Rc::new(move |tick| rule.start(tick, bounds)),
    });
    let build = |ceiling, snapshot, shared| {
        let built = build(subject, setup, &clock, ceiling, snapshot, shared);
        built.map_err(|error| format!("not built: {error}"))
    };
    let mut local = build(setup.ceiling, Snapshot::EMPTY, false)?;
    let mut shared = Some(build(setup.ceiling, Snapshot::EMPTY, true)?);

    for (turn, action, form) in schedule {
        let now = turns.turn(*turn);
        let (micros, form) = (now.as_micros(), forms[form % forms.len()]);
        // Changes of the window and restarts concern both sides. Everything else is a call for IDs.
        let most = match *action {
            Action::One => 1,
            Action::Block(n) => n.get() as usize,
            Action::Fill(n) => n,
            Action::Widen(by) => {
                let ceiling = (document.given().ceiling + by).min(layout.max_tick() + 1);
                for generator in [Some(&mut local), shared.as_mut()].into_iter().flatten() {
                    generator.wider(ceiling).map_err(|error| error.to_string())?;
                }
                document.given().ceiling = ceiling;
                continue;
            }
            Action::Reopen => {
                if layout.check_start(&ManualClock::new(now)).is_ok() {
                    let snapshot = local.end();
                    document.check_snapshot(&snapshot)?;
                    local = build(document.given().ceiling, snapshot, false)?;
                }
                continue;
            }
        };
        // The exclusive generator must answer as the document does, also if that is a refusal.
        let Some(got) = local.ask(*action, form, subject.blank()) else { continue };
        let said = several(&mut document, micros, form, *action, most);
        let got = match got {
            Err(error) if said.is_empty() => {
                document.check_refusal(micros, &error)?;
                Vec::new()
            }
            got => got.unwrap_or_default(),
        };
        if got != said {
            return Err(format!("{got:?}, where the document says {said:?}"));
        }
        if let Some(generator) = &mut shared {
            let got = generator.ask(*action, form, subject.blank());
            let got = got.and_then(Result::ok).unwrap_or_default();
            if said.get(..got.len()) != Some(&got[..]) || got.is_empty() != said.is_empty() {
                return Err(format!("{got:?} of a shared one, where the document says {said:?}"));
            }
            // A block may be shorter, where many threads have to fit into the word's guard.
            if got.len() < said.len() {
                shared = None;
            }
        }
    }
    Ok(())
}

/// Returns the document's result of a call for several IDs.
fn several<T: Subject, D: Document<T>>(
    document: &mut D,
    micros: i64,
    form: T::Variant,
    action: Action,
    most: usize,
) -> Vec<T::Id> {
    let mut ids = Vec::new();
    while ids.len() < most {
        let Some(first) = document.next(micros, form) else { break };
        ids.push(first);
        while ids.len() < most
            && let Some(id) = document.more(form)
        {
            ids.push(id);
        }
        if matches!(action, Action::Block(_)) {
            break;
        }
    }
    ids
}
