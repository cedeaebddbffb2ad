//! The sources of `gen`: a generator with a given node, or one with a leased node.

use core::fmt::Display;
use core::num::NonZeroU32;
use core::time::Duration;

use clap::Args;
use tickid_convert::{AnyIds, AnyLocalGenerator};
use tickid_core::ManualClock;
use tickid_lease::admin::RealmName;

use crate::failure::Failure;
use crate::options::values::parse;
use crate::store::StoreOptions;

/// What IDs are drawn from. Dropping it releases what it holds.
pub(super) trait IdSource {
    /// Draws up to `n` IDs without waiting.
    fn try_block(&mut self, metabyte: u8, n: NonZeroU32) -> Result<AnyIds, Failure>;

    /// Draws up to `n` IDs, waiting for them for at most `within`.
    fn block_within(
        &mut self,
        metabyte: u8,
        n: NonZeroU32,
        within: Duration,
    ) -> Result<AnyIds, Failure>;
}

impl IdSource for AnyLocalGenerator {
    fn try_block(&mut self, metabyte: u8, n: NonZeroU32) -> Result<AnyIds, Failure> {
        Ok(self.try_block_with(metabyte, n)?)
    }

    fn block_within(
        &mut self,
        metabyte: u8,
        n: NonZeroU32,
        within: Duration,
    ) -> Result<AnyIds, Failure> {
        Ok(Self::block_within(self, metabyte, n, within)?)
    }
}

/// Waits are not real: the clock moves on by them.
impl IdSource for AnyLocalGenerator<ManualClock> {
    fn try_block(&mut self, metabyte: u8, n: NonZeroU32) -> Result<AnyIds, Failure> {
        IdSource::block_within(self, metabyte, n, Duration::MAX)
    }

    fn block_within(
        &mut self,
        metabyte: u8,
        n: NonZeroU32,
        within: Duration,
    ) -> Result<AnyIds, Failure> {
        Self::block_within(self, metabyte, n, within).map_err(of_time)
    }
}

/// Returns the failure of a generator whose clock is the option `--time`.
pub(super) fn of_time(error: impl Display) -> Failure {
    Failure::Usage(format!("--time: {error}"))
}

/// The store and the realm to lease a node from.
#[derive(Debug, Args)]
pub(super) struct LeaseOptions {
    #[command(flatten)]
    pub(super) store: StoreOptions,
    /// Realm in the store: generators of one realm never have the same node at the same time
    /// [env: TICKID_REALM] [default: one for each scheme, epoch and drift]
    #[arg(long, value_name = "NAME", value_parser = parse::<RealmName>)]
    pub(super) realm: Option<RealmName>,
}
