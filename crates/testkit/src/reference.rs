//! Generators held, call by call, against what a scheme's document says they do: a state machine of a few plain
//! lines that shares no code with the engine.

use core::fmt;
use std::rc::Rc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tickid_core::{LocalGenerator, ManualClock, Policy, Scheme, Snapshot};

use crate::cases::config;
use crate::schedule::{Action, Rule, Schedule, Setup, Turns, schedules, setups};
use crate::subject::Subject;

/// What a generator is told before it starts, in plain numbers.
#[derive(Clone)]
pub struct Given {
    /// For a ratchet.
    pub allowance: u64,
    /// The lowest sequence.
    pub lowest: u32,
    /// The last sequence.
    pub last: u32,
    /// The first tick of the window.
    pub floor: u64,
    /// One past the last tick of the window.
    pub ceiling: u64,
    /// Where the sequence of a tick starts.
    pub start: Rc<dyn Fn(u64) -> u32>,
}

impl Given {
    /// The first sequence of `tick`, if the window has the tick and the bounds the sequence.
    #[must_use]
    pub fn enter(&self, tick: u64) -> Option<u32> {
        let start = (self.start)(tick);
        let is_allowed = self.floor <= tick && tick < self.ceiling;
        (is_allowed && self.lowest <= start && start <= self.last).then_some(start)
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { allowance, lowest, last, floor, ceiling, start: _ } = self;
        write!(f, "allowance {allowance}, {lowest}..={last} in [{floor}, {ceiling})")
    }
}

/// The state machine of a document.
pub trait Document<T: Subject>: Clone {
    /// Before the first ID.
    fn new(given: Given) -> Self;

    /// What was given may change while it runs: the ceiling does.
    fn given(&mut self) -> &mut Given;

    /// The next ID when the clock shows `micros` since 1970, or nothing, and then nothing changes.
    fn next(&mut self, micros: i64, form: T::Variant) -> Option<T::Id>;

    /// One more ID of the same tick, if it has one. (Who asks for several at once asks the clock once.)
    fn more(&mut self, form: T::Variant) -> Option<T::Id>;
}

/// Fails with the shortest schedule found under which a generator does other than the document says. The
/// exclusive generator does just that; the shared one may skip sequences from its first refusal on.
///
/// # Panics
/// That is how it fails.
pub fn follow<T: Subject<Id: PartialEq>, D: Document<T>>(subject: &T, rule: Rule) {
    let cases = (setups(subject, rule), schedules(&subject.layout(), 0..60));
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
    let (layout, forms) = (subject.layout(), subject.forms());
    let clock = ManualClock::new(setup.now);
    let mut turns = Turns::new(&clock, layout, setup.now);
    let (rule, bounds) = (setup.start.rule::<T::Scheme>(), setup.bounds);
    let mut document = D::new(Given {
        allowance: match setup.policy {
            Policy::Ratchet { allowance } => allowance.get(),
            _ => 0,
        },
        lowest: bounds.lowest(),
        last: bounds.last(),
        floor: setup.floor,
        ceiling: setup.ceiling,
        start: Rc::new(move |tick| rule.start(tick, bounds)),
    });
    let build = |ceiling, snapshot| setup.builder(subject, &clock, ceiling, snapshot);
    let built = |error| format!("not built: {error}");
    let mut local: LocalGenerator<_, _> =
        build(setup.ceiling, Snapshot::EMPTY).build_local().map_err(built)?;
    let mut shared = Some(build(setup.ceiling, Snapshot::EMPTY).build().map_err(built)?);

    for (turn, action, form) in schedule {
        let now = turns.turn(*turn);
        let form = forms[form % forms.len()];
        let most = match *action {
            Action::One => 1,
            Action::Block(n) => n.get() as usize,
            Action::Fill(0) => continue,
            Action::Fill(n) => n,
            Action::Widen(by) => {
                let ceiling = (document.given().ceiling + by).min(T::Scheme::MAX_TICK + 1);
                let widened = local.widen(ceiling).map_err(|error| error.to_string());
                widened?;
                if let Some(shared) = &shared {
                    shared.widen(ceiling).map_err(|error| error.to_string())?;
                }
                document.given().ceiling = ceiling;
                continue;
            }
            Action::Reopen => {
                if layout.check_start(&ManualClock::new(now)).is_ok() {
                    let ceiling = document.given().ceiling;
                    local = build(ceiling, local.close()).build_local().map_err(built)?;
                }
                continue;
            }
        };
        macro_rules! ask {
            ($generator:expr) => {
                match *action {
                    Action::One => $generator.with(form).try_generate().map(|id| vec![id]),
                    Action::Fill(n) => {
                        let mut out = vec![subject.blank(); n];
                        $generator.with(form).try_fill(&mut out).map(|ids| ids.to_vec())
                    }
                    Action::Block(n) => $generator.with(form).try_block(n).map(Iterator::collect),
                    Action::Widen(_) | Action::Reopen => continue,
                }
            };
        }
        let said = several(&mut document, now.as_micros(), form, *action, most);
        let got: Vec<T::Id> = ask!(local).unwrap_or_default();
        if got != said {
            return Err(format!("{got:?}, where the document says {said:?}"));
        }
        if let Some(generator) = &shared {
            let got: Vec<T::Id> = ask!(generator).unwrap_or_default();
            if said.get(..got.len()) != Some(&got[..]) || got.is_empty() != said.is_empty() {
                return Err(format!("{got:?} of a shared one, where the document says {said:?}"));
            }
            // What is drawn in vain is dropped, and a block may be shorter.
            if got.len() < most {
                shared = None;
            }
        }
    }
    Ok(())
}

/// What a document says to a call for several IDs.
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
