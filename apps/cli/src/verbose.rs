//! Events of the library, on standard error.

use std::env;
use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::message::say;

/// Selects the events when `-v` is not given.
pub(crate) const VARIABLE: &str = "RUST_LOG";

/// Shows the events that `-v`, given this often, or else `RUST_LOG` selects.
pub(crate) fn start(verbose: u8) {
    let targets = match (verbose, env::var(VARIABLE)) {
        (0, Ok(directives)) if !directives.is_empty() => match directives.parse::<Targets>() {
            Ok(targets) => targets,
            // The variable may be meant for another program, with other rules.
            Err(error) => return say(&format!("${VARIABLE} is ignored: {error}")),
        },
        (0, _) => return,
        (1, _) => Targets::new().with_target("tickid", LevelFilter::DEBUG),
        _ => Targets::new().with_default(LevelFilter::TRACE),
    };
    let is_coloured = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let events = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(is_coloured);
    // Fails only if there is a subscriber, which nothing else sets.
    drop(tracing_subscriber::registry().with(events).with(targets).try_init());
}
