//! Bugs that the simulation must find.

/// A simplified rule that some schedule breaks. The correct form is in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    /// A claim compares the row's token when it is written [and its version]: a renewal in between
    /// keeps the token, and two windows overlap.
    AcquireOnTokenAlone,
    /// A renewal compares the token [and the window's floor]: a claim that the network repeats late
    /// gets the node again, and the lease from before is taken for that one.
    RenewOnTokenAlone,
    /// A released node continues after the tick in the word [the highest that was ever in it]:
    /// tick-tock has been further ahead under the other toggle.
    ReleaseAtWordsTick,
    /// After a fail-over nothing is granted for as long as a lease can last [ceilings are raised]:
    /// windows that the store lost were used nevertheless, by clocks that differ from the store's.
    QuarantineByWaiting,
    /// A generator is closed by using up its tick [by a bit that nothing clears]: a thread that had
    /// read the word before continues in the next.
    CloseByExhausting,
    /// A new node starts where it ended itself [where all prefix-related nodes of earlier pools
    /// ended].
    ReconfigureWithoutRelated,
    /// A lease is good as long as its row has its token [and its era].
    EraIgnored,
    /// The node of a holder that seems dead is free from now on [from its ceiling on]: the holder
    /// may be alive.
    SilenceIsDeath,
    /// A node is free, from then on, once it has not been renewed for a term [once the store's
    /// clock has reached its ceiling]: its holder issues up to the ceiling.
    ExpireAfterTerm,
    /// A lease that proves that the store lost data is merely lost [the realm is invalidated]: the
    /// other nodes are granted again.
    ProofIgnored,
    /// A lease of an earlier era is taken for a proof [it is merely lost]: the realm is invalidated
    /// without reason.
    ProofOfEarlierEra,
    /// An invalidation compares the record only [and the row that is the proof]: a read from a
    /// replica that lags behind is taken for a proof.
    ProofNotCompared,
    /// A renewal that finds its node granted from below its ceiling takes that for a proof [a claim
    /// does, if its holder never released the lease]: a late renewal of a released lease sees the
    /// same.
    RenewalDecides,
    /// A release in place of the holder is not noted: the holder takes it for a proof.
    CutUnnoted,
    /// A claim does not show the lease that its holder lost.
    LostLeaseHidden,
    /// A claim does not show the highest era that its holder has seen.
    EraForgotten,
    /// After a backup from before the term was raised, the realm is invalidated with the terms of the
    /// backup [the longest since].
    RaisedTermsForgotten,
    /// A claim does not count rows.
    RowsUncounted,
    /// A node with more bits than IDs carry is taken for the whole one [its generator has the share
    /// of the sequences that the further bits name].
    FurtherBitsDropped,
    /// Claims show nothing, and a holder forgets the ticks that it has used [and refuses windows
    /// that start there].
    OwnTicksForgotten,
}
