//! Conversions between an engine's word and its public views.

use crate::engine::word::Word;
use crate::range::RangeError;
use crate::scheme::Scheme;
use crate::sequence::SequenceBounds;
use crate::snapshot::Snapshot;
use crate::tick::Tick;
use crate::window::Window;

/// Returns the word of an engine that continues from `snapshot`, and the highest stamp under the
/// other toggle.
pub(crate) fn resume<S: Scheme>(
    scheme: &S,
    snapshot: &Snapshot<S>,
    bounds: SequenceBounds,
    window: &Window<S>,
) -> Result<(Word<S>, u64), RangeError> {
    let max_stamp = Word::<S>::MAX_STAMP.min(scheme.max_tick() + 1);
    let other_past = snapshot.other_past.map_or(0, |tick| tick.get() + 1);
    if other_past > max_stamp {
        let (value, max) = (other_past - 1, max_stamp - 1);
        return Err(RangeError::new("tick", value.into(), 0, max.into()));
    }
    // Each drift flips the toggle, which starts unset.
    let toggle = S::TOGGLE && snapshot.drifts % 2 == 1;
    let exhausted = u64::from(bounds.last()) + 1;
    // The stamp 0 is before the first tick, so the first call moves on from it.
    let Some(tick) = snapshot.tick else {
        return Ok((Word::new(0, toggle, 0), other_past));
    };
    let floor = window.floor().get().max(S::FIRST_TICK);
    let ceiling = window.ceiling().min(max_stamp);
    if tick.get() < floor || tick.get() >= ceiling {
        let (value, max) = (tick.get().into(), i128::from(ceiling) - 1);
        return Err(RangeError::new("tick", value, floor.into(), max));
    }
    // One beyond the last sequence is legal: the tick was used up.
    let next = u64::from(snapshot.next_sequence);
    if next < u64::from(bounds.lowest()) || next > exhausted {
        let (lowest, last) = (bounds.lowest().into(), exhausted.into());
        return Err(RangeError::new("next sequence", next.into(), lowest, last));
    }
    // Another implementation may have reached a reserved tick, but nothing more is issued in it.
    let next = if tick.get() > scheme.last_tick() { exhausted } else { next };
    Ok((Word::new(tick.get() + 1, toggle, next), other_past))
}

/// A view of a running generator, for metrics and logs. It may be out of date by the time it is
/// read, because other threads draw IDs. So never restore its snapshot, which may lack IDs that
/// were issued since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct State<S: Scheme> {
    /// The snapshot that closing the generator would return.
    pub snapshot: Snapshot<S>,
    /// The window, as far as it has been widened.
    pub window: Window<S>,
    /// True if the generator is closed.
    pub is_closed: bool,
}

/// Returns the snapshot of an engine's word and past.
pub(crate) fn snapshot<S: Scheme>(
    word: Word<S>,
    other_past: u64,
    drifts: u32,
    bounds: SequenceBounds,
) -> Snapshot<S> {
    // A flip is counted after its exchange, so the count may lag behind the word by one.
    let uncounted = S::TOGGLE && word.toggle() != (drifts % 2 == 1);
    let next = word.sequence().min(u64::from(bounds.last()) + 1);
    Snapshot {
        tick: word.tick(),
        #[allow(clippy::cast_possible_truncation, reason = "one past a u32 bound at most")]
        next_sequence: if word.tick().is_some() { next as u32 } else { 0 },
        drifts: drifts.wrapping_add(uncounted.into()),
        other_past: other_past.checked_sub(1).map(Tick::in_range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{Seconds, Toggling};

    const BOUNDS: SequenceBounds = SequenceBounds::new(3, 9);

    fn tick<S: Scheme>(tick: u64) -> Tick<S> {
        Tick::new(tick).unwrap()
    }

    /// Returns the error of restoring `snapshot` in the window `[100, 200)`.
    fn refused<S: Scheme + Default>(snapshot: Snapshot<S>) -> Option<RangeError> {
        let window = Window::new(tick(100), 200).unwrap();
        resume(&S::default(), &snapshot, BOUNDS, &window).err()
    }

    #[test]
    fn restored_state_round_trips() {
        for (tick_and_next, drifts, other_past) in [
            (Some((0, 3)), 0, None),
            (Some((150, 9)), 1, Some(170)),
            (Some((Toggling::MAX_TICK, 4)), 0, None),
            (Some((Toggling::MAX_TICK, 10)), 2, Some(0)),
            (None, 1, Some(Toggling::MAX_TICK)),
            (Some((150, 4)), u32::MAX, None),
        ] {
            let snapshot = tick_and_next
                .map_or(Snapshot::EMPTY, |(at, next)| Snapshot::at(tick(at), next))
                .with_drifts(drifts, other_past.map(tick::<Toggling>));
            let (word, past) = resume(&Toggling, &snapshot, BOUNDS, &Window::ALL).unwrap();
            assert_eq!(super::snapshot(word, past, drifts, BOUNDS), snapshot);
        }
    }

    #[test]
    fn tick_outside_window_is_refused() {
        for (at, is_refused) in [(99, true), (100, false), (199, false), (200, true)] {
            let error = refused(Snapshot::<Seconds>::at(tick(at), 3));
            assert_eq!(error.is_some(), is_refused, "{at}");
            if let Some(error) = error {
                let range = (error.value(), error.min(), error.max());
                assert_eq!(range, (i128::from(at), 100, 199));
            }
        }
    }

    #[test]
    fn sequences_must_be_in_bounds() {
        for (next, is_refused) in [(2, true), (3, false), (10, false), (11, true)] {
            let error = refused(Snapshot::<Seconds>::at(tick(150), next));
            assert_eq!(error.is_some(), is_refused, "{next}");
            if let Some(error) = error {
                let range = (error.value(), error.min(), error.max());
                assert_eq!(range, (i128::from(next), 3, 10));
            }
        }
    }

    #[test]
    fn other_past_may_leave_the_window() {
        let snapshot = Snapshot::<Toggling>::at(tick(150), 3);
        for other_past in [0, 99, 200, Toggling::MAX_TICK] {
            assert_eq!(refused(snapshot.with_drifts(1, Some(tick(other_past)))), None);
        }
    }

    #[test]
    fn no_toggle_without_a_toggle_bit() {
        let snapshot = Snapshot::<Seconds>::at(tick(150), 3).with_drifts(1, None);
        let (word, _) = resume(&Seconds, &snapshot, BOUNDS, &Window::ALL).unwrap();
        assert!(!word.toggle());
        assert_eq!(super::snapshot(word, 0, 1, BOUNDS), snapshot);
    }

    #[test]
    fn uncounted_flips_are_counted() {
        for (toggle, counted, drifts) in
            [(false, 0, 0), (true, 0, 1), (true, 1, 1), (false, 1, 2), (false, u32::MAX, 0)]
        {
            let word = Word::<Toggling>::new(150, toggle, 3);
            assert_eq!(super::snapshot(word, 0, counted, BOUNDS).drifts, drifts);
        }
    }

    #[test]
    fn adds_in_the_guard_are_not_reported() {
        let word = Word::<Seconds>::new(150, false, Word::<Seconds>::CLOSED - 1);
        assert_eq!(super::snapshot(word, 0, 0, BOUNDS).next_sequence, 10);
    }

    #[test]
    fn unused_state_is_empty() {
        let drawn_from = Word::<Seconds>::PRISTINE.with_sequence(5);
        assert_eq!(super::snapshot(drawn_from, 0, 0, BOUNDS), Snapshot::<Seconds>::EMPTY);
    }

    #[test]
    fn highest_tick_spans_toggles() {
        let at = |at| Snapshot::<Toggling>::at(tick(at), 3);
        assert_eq!(Snapshot::<Toggling>::EMPTY.highest_tick(), None);
        assert_eq!(at(5).highest_tick(), Some(tick(5)));
        assert_eq!(at(5).with_drifts(1, Some(tick(9))).highest_tick(), Some(tick(9)));
        assert_eq!(at(9).with_drifts(2, Some(tick(5))).highest_tick(), Some(tick(9)));
    }
}
