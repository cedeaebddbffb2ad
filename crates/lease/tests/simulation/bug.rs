/// A simpler form of a rule that a schedule breaks. What is right is in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    /// A claim compares the row's token when it is written [and its ceiling]: a renewal in between keeps the
    /// token, and two windows overlap.
    AcquireOnTokenAlone,
    /// A renewal compares the token [and the window's floor]: a claim that the network repeats late gets
    /// the node again, and the lease from before is taken for that one.
    RenewOnTokenAlone,
    /// A released node goes on after the tick that stands in the word [the highest that was ever in it]:
    /// tick-tock has been further ahead under the other toggle.
    ReleaseAtWordsTick,
    /// After a fail-over nothing is given out for as long as a lease can hold [ceilings are raised]:
    /// what the store forgot was used all the same, by clocks that differ from the store's.
    QuarantineByWaiting,
    /// A generator is closed by using up its tick [by a bit that nothing clears]: a thread that had read
    /// the word before goes on to the next.
    CloseByExhausting,
    /// A new node begins where it ended itself [where the nodes of all earlier pools ended that are
    /// prefix-related to it].
    RepoolWithoutRelated,
    /// A lease is good as long as its row has its token [and its era].
    EraIgnored,
    /// The node of who is taken for dead is free from now on [from its ceiling on]: its holder may be alive.
    SilenceIsDeath,
    /// A node is free, from then on, once it has not been renewed for a term [once the store's clock has
    /// reached its ceiling]: its holder issues up to the ceiling.
    ExpireAfterTerm,
}
