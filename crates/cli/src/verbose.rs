//! Events of the library, on standard error.

use std::env;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::failure::Failure;

/// Selects the events when `-v` is not given.
const VARIABLE: &str = "RUST_LOG";

/// Shows the events that `-v`, given this often, or else `RUST_LOG` selects.
pub(crate) fn start(verbose: u8) -> Result<(), Failure> {
    let targets = match (verbose, env::var(VARIABLE)) {
        (0, Ok(directives)) if !directives.is_empty() => directives
            .parse::<Targets>()
            .map_err(|error| Failure::Usage(format!("${VARIABLE}: {error}")))?,
        (0, _) => return Ok(()),
        (1, _) => Targets::new().with_target("tickid", LevelFilter::DEBUG),
        _ => Targets::new().with_default(LevelFilter::TRACE),
    };
    let events = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    // Fails only if there is a subscriber, which nothing else sets.
    drop(tracing_subscriber::registry().with(events).with(targets).try_init());
    Ok(())
}
