//! The sources of `gen`: a generator with a given node, or one with a leased node.

use core::fmt::Display;
use core::time::Duration;

use clap::Args;
use tickid_core::{LocalGenerator, ManualClock, Scheme, Variant};
use tickid_lease::admin::RealmName;

use crate::failure::Failure;
use crate::options::values::parse;
use crate::store::StoreOptions;

pub(super) trait IdSource<S: Scheme>: Sized {
    /// Writes IDs to the front of `out`, which is not empty, and returns how many: as many as there
    /// are without waiting.
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure>;

    /// Waits until there are IDs, for at most `within`.
    fn wait_ready(&mut self, within: Duration) -> Result<(), Failure>;

    /// Releases what the source holds.
    fn finish(self) -> Result<(), Failure> {
        Ok(())
    }
}

impl<S: Scheme> IdSource<S> for LocalGenerator<S> {
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure> {
        Ok(self.with(variant).try_fill(out)?.len())
    }

    fn wait_ready(&mut self, within: Duration) -> Result<(), Failure> {
        Ok(Self::wait_ready(self, within)?)
    }
}

/// Waits are not real: the clock moves on by them.
impl<S: Scheme> IdSource<S> for LocalGenerator<S, ManualClock> {
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure> {
        if let Ok(ids) = self.with(variant).try_fill(out) {
            return Ok(ids.len());
        }
        out[0] = self.with(variant).generate().map_err(of_time)?;
        Ok(1)
    }

    fn wait_ready(&mut self, within: Duration) -> Result<(), Failure> {
        Self::wait_ready(self, within).map_err(of_time)
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
