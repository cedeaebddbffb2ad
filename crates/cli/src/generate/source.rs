//! The sources of `gen`: a generator with a given node, or one with a leased node.

use core::fmt::Display;

use clap::Args;
use tickid_core::{LocalGenerator, ManualClock, Scheme, Variant};
use tickid_lease::LeasedGenerator;
use tickid_lease::admin::RealmName;

use crate::failure::Failure;
use crate::store::StoreOptions;
use crate::values::parse;

pub(super) trait Source<S: Scheme>: Sized {
    /// Writes IDs to the front of `out`, which is not empty, and returns how many: as many as there
    /// are without waiting.
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure>;

    /// Releases what the source holds.
    fn finish(self) -> Result<(), Failure> {
        Ok(())
    }
}

impl<S: Scheme> Source<S> for LocalGenerator<S> {
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure> {
        Ok(self.with(variant).try_fill(out)?.len())
    }
}

/// Waits are not real: the clock moves on by them.
impl<S: Scheme> Source<S> for LocalGenerator<S, ManualClock> {
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure> {
        if let Ok(ids) = self.with(variant).try_fill(out) {
            return Ok(ids.len());
        }
        out[0] = self.with(variant).generate().map_err(of_time)?;
        Ok(1)
    }
}

/// Returns the failure of a generator whose clock is the option `--time`.
pub(super) fn of_time(error: impl Display) -> Failure {
    Failure::Usage(format!("--time: {error}"))
}

impl<S: Scheme> Source<S> for LeasedGenerator<S> {
    fn try_fill<V: Variant<S>>(&mut self, variant: V, out: &mut [V::Id]) -> Result<usize, Failure> {
        Ok(self.with(variant).try_fill(out)?.len())
    }

    fn finish(self) -> Result<(), Failure> {
        self.shut_down().map_err(Failure::GiveBack)
    }
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
