//! Sequence bounds at every edge: whether they are refused, and which sequences a tick then has.

use core::num::NonZeroU32;

use tickid_core::{
    BuildError, Builder, Clock, ErrorKind, Ids, Lowest, ManualClock, Policy, Scheme,
    SequenceBounds, StallReason,
};

use crate::subject::Subject;

/// Confines generators to all bounds at the edges of the scheme's sequences, and checks their IDs.
///
/// Each end is one of these: the first sequence, the second, the last of the smallest pool or the
/// one before, the middle, the last but one or the last that fits beside the subject's node, or the
/// one after; for a share also the one before the first. Bounds with fewer sequences than the
/// scheme's smallest pool, or with a sequence that does not exist or is outside of the share, must
/// be refused by name. Otherwise a tick must issue all sequences in order, from the lowest to the
/// last.
///
/// # Panics
/// If a check fails.
pub fn hold_at_every_edge<T: Subject>(subject: &T) {
    let all = subject.sequences();
    let (first, last) = (all.lowest(), all.last());
    let least = T::Scheme::MIN_POOL;
    let mut edges = vec![first, first + 1, first + (last - first) / 2, last - 1, last, last + 1];
    // Counted from the first: one fewer than the smallest pool, and exactly that pool.
    edges.extend([first + least.saturating_sub(2), first + least - 1]);
    edges.extend(first.checked_sub(1));
    edges.sort_unstable();
    edges.dedup();
    let clock = ManualClock::new(subject.start());
    let mut issued = 0;
    for &low in &edges {
        for &high in edges.iter().filter(|&&high| high >= low) {
            let bounds = SequenceBounds::new(low, high);
            let built = builder(subject, &clock, bounds).build();
            let pool = u64::from(high - low) + 1;
            let is_outside = low < first || high > last;
            if let Some(node) = subject.share().filter(|_| is_outside) {
                assert_eq!(built.err(), Some(BuildError::Share { bounds, node, share: all }));
                continue;
            }
            match (is_outside, pool < T::Scheme::MIN_POOL.into()) {
                (true, _) => {
                    let Err(BuildError::SequenceBound(error)) = built else {
                        panic!("{bounds:?} are accepted beyond {last}");
                    };
                    let named = (error.value(), error.min(), error.max());
                    assert_eq!(named, (i128::from(last) + 1, first.into(), last.into()));
                }
                (false, true) => {
                    let Err(BuildError::Pool { pool: named, .. }) = built else {
                        panic!("{bounds:?} are accepted below {}", T::Scheme::MIN_POOL);
                    };
                    assert_eq!(named, pool);
                }
                (false, false) => {
                    let shared = built.unwrap();
                    exhaust(subject, bounds, |form| shared.with(form).try_block(NonZeroU32::MAX));
                    let mut local = builder(subject, &clock, bounds).build_local().unwrap();
                    exhaust(subject, bounds, |form| local.with(form).try_block(NonZeroU32::MAX));
                    issued += 1;
                }
            }
        }
    }
    // With two sequences, these are each of them and both.
    assert!(issued >= 3, "only {issued} bounds were accepted");
}

fn builder<'a, T: Subject>(
    subject: &T,
    clock: &'a ManualClock,
    bounds: SequenceBounds,
) -> Builder<T::Scheme, &'a impl Clock> {
    subject.builder(0).clock(clock).policy(Policy::Wait).bounds(bounds).sequence(Lowest)
}

/// Draws all IDs of a tick.
fn exhaust<T: Subject>(
    subject: &T,
    bounds: SequenceBounds,
    mut draw: impl FnMut(T::Variant) -> Result<Ids<T::Scheme, T::Variant>, tickid_core::Error>,
) {
    let forms = subject.forms();
    let mut next = u64::from(bounds.lowest());
    for form in forms.iter().copied().cycle() {
        match draw(form) {
            Ok(ids) => {
                let mut sequences = ids.map(|id| u64::from(subject.parts(id).sequence));
                assert!(sequences.all(|sequence| {
                    next += 1;
                    sequence == next - 1
                }));
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::TickUsedUp));
                break;
            }
        }
    }
    assert_eq!(next, u64::from(bounds.last()) + 1, "{bounds:?}");
}
