//! The features of this build, and the answer to a request for one that it lacks.

use std::ffi::OsString;

use clap::Args;

use crate::failure::Failure;

/// The features, and whether this build has them.
const ALL: [(&str, bool); 5] = [
    ("etcd", cfg!(feature = "etcd")),
    ("mysql", cfg!(feature = "mysql")),
    ("postgres", cfg!(feature = "postgres")),
    ("redis", cfg!(feature = "redis")),
    ("serve", cfg!(feature = "serve")),
];

/// The features of stores, by the schemes of their URLs.
const STORES: [(&str, &str); 7] = [
    ("etcd", "etcd"),
    ("mariadb", "mysql"),
    ("mysql", "mysql"),
    ("postgres", "postgres"),
    ("postgresql", "postgres"),
    ("redis", "redis"),
    ("rediss", "redis"),
];

/// The arguments of a subcommand that this build lacks.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct MissingFeature {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

/// Returns the failure of a request for what another feature has.
pub(crate) fn missing(what: &str, feature: &str) -> Failure {
    let has = |(name, is_on): &(&'static str, bool)| (*is_on || *name == feature).then_some(*name);
    let features: Vec<&str> = match feature {
        "full" => vec!["full"],
        _ => ALL.iter().filter_map(has).collect(),
    };
    let failure =
        Failure::Usage(format!("this build has no {what}: it lacks the feature {feature}"));
    failure.hinting(format!("`cargo install tickid-cli --features {}`", features.join(",")))
}

/// Refuses the URL of a store that another feature has.
pub(crate) fn check_store(url: &str) -> Result<(), Failure> {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    let feature =
        STORES.iter().find(|(name, _)| scheme == Some(*name)).map(|(_, feature)| *feature);
    let lacking = ALL.iter().find(|(name, is_on)| feature == Some(*name) && !is_on);
    match (scheme, lacking) {
        (Some(scheme), Some((feature, _))) => Err(missing(&format!("{scheme} stores"), feature)),
        _ => Ok(()),
    }
}
