//! The way to a new lease, which leads past the decision whether the node is free.

use tickid_core::AnyNode;

use super::RealmRules;
use crate::model::lease::Claim;
use crate::model::record::{Row, RowState};
use crate::model::refusal::Refusal;

/// The proof that a node can be granted. Only [`RealmRules::free`] makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free<'s> {
    node: AnyNode,
    ceiling: u64,
    state: Option<&'s RowState>,
}

impl Free<'_> {
    /// Returns the first tick of the node's next window.
    pub(crate) const fn ceiling(&self) -> u64 {
        self.ceiling
    }

    /// Returns a key by which the node whose window starts first is the lowest.
    pub(crate) const fn order(&self) -> (u64, AnyNode) {
        (self.ceiling, self.node)
    }
}

impl RealmRules<'_> {
    /// Decides whether a node can be granted: it is in the pool, its row shows where its last window
    /// ends, and it is [free](Self::is_free).
    pub(crate) fn free<'s>(&self, node: AnyNode, state: Option<&'s RowState>) -> Option<Free<'s>> {
        self.record.part_of(node)?;
        let ceiling = self.ceiling(node, state).filter(|&ceiling| self.is_free(ceiling, state))?;
        Some(Free { node, ceiling, state })
    }

    /// Reports whether a node that ends there can be granted.
    pub(crate) fn is_free(&self, ceiling: u64, state: Option<&RowState>) -> bool {
        let is_gone = match state {
            Some(RowState::Intact { row, is_dead, .. }) => *is_dead || row.token.is_none(),
            Some(RowState::Malformed { .. } | RowState::Newer { .. }) | None => false,
        };
        (ceiling <= self.now || is_gone) && self.next_ceiling(ceiling) <= self.limit()
    }

    /// Returns the row of a new lease of a node, from its ceiling on.
    ///
    /// # Errors
    /// Returns [`Refusal::EndOfTime`] if the scheme has no ticks left.
    pub(crate) fn grant(&self, free: Free<'_>, claim: &Claim) -> Result<Row, Refusal> {
        let Free { node, ceiling: floor, state } = free;
        let end = self.record.realm.end();
        let ceiling = self.next_ceiling(floor).min(end);
        if ceiling <= floor {
            return Err(Refusal::EndOfTime { last: end - 1 });
        }
        let row = state.and_then(RowState::row);
        Ok(Row {
            node,
            token: Some(claim.token),
            holder: claim.holder().to_owned(),
            era: self.record.era,
            floor,
            ceiling,
            cut: row.map(|row| row.cut).unwrap_or_default(),
            extra: row.map(|row| row.extra.clone()).unwrap_or_default(),
        })
    }
}
