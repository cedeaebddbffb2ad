//! The features of this build, and the answer to a request for one that it lacks.

use std::ffi::OsString;

use clap::Args;

use crate::failure::Failure;

/// Returns the features that this build has.
fn present() -> impl Iterator<Item = &'static str> {
    let servers = tickid_stores::servers().filter(|(_, is_on)| *is_on).map(|(name, _)| name);
    servers.chain(cfg!(feature = "serve").then_some("serve"))
}

/// The arguments of a subcommand that this build lacks.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct MissingFeature {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

/// Returns the failure of a request for what another feature has.
pub(crate) fn missing(what: &str, feature: &'static str) -> Failure {
    let mut features = vec![feature];
    if feature != "full" {
        features.extend(present());
    }
    let failure =
        Failure::Usage(format!("this build has no {what}: it lacks the feature {feature}"));
    failure.hinting(format!("`cargo install tickid-cli --features {}`", features.join(",")))
}

/// Refuses the URL of a store that another feature has.
pub(crate) fn check_store(url: &str) -> Result<(), Failure> {
    match (tickid_stores::missing_feature(url), url.split_once(':')) {
        (Some(feature), Some((scheme, _))) => Err(missing(&format!("{scheme} stores"), feature)),
        (Some(_) | None, _) => Ok(()),
    }
}
