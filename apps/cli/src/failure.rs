//! The failures that end the command, their exit statuses and hints.

use core::time::Duration;
use std::borrow::Cow;
#[cfg(target_os = "linux")]
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

#[cfg(feature = "serve")]
use tickid_core::source_parts::Chain;
use tickid_core::{BuildError, ErrorKind, StallReason};
use tickid_lease::admin::{LeaseTextError, Mismatch, RealmFacet, Refusal, RefusalKind};
use tickid_lease::backend::StoreErrorKind;
use tickid_lease::session::Token;
use tickid_lease::{GenerateError, LeaseError, RealmError, StoreError};
#[cfg(feature = "serve")]
use tickid_server::ServerError;

#[cfg(target_os = "linux")]
use crate::message::shown;

/// Some input was not an ID, or the output could not be written.
pub(crate) const INVALID: u8 = 1;
const USAGE: u8 = 2;
pub(crate) const STORE: u8 = 3;
/// The clock prevents it, or a wait took too long.
pub(crate) const CLOCK: u8 = 4;
/// A program of `lease exec` was not found, or could not be run, as `env` has them.
#[cfg(target_os = "linux")]
const NOT_FOUND: u8 = 127;
#[cfg(target_os = "linux")]
const NOT_RUNNABLE: u8 = 126;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// An input is not an ID, or cannot be converted: a predicate, and perhaps a hint.
    #[error("{reason}")]
    Invalid { reason: String, hint: Option<Cow<'static, str>> },
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Generate(#[from] tickid_core::Error),
    #[error(transparent)]
    Realm(#[from] RealmError),
    #[error(transparent)]
    Parse(#[from] LeaseTextError),
    #[error("no folder for the node store: {0}")]
    NoStateFolder(String),
    #[error("{0:?}")]
    Store(#[from] StoreError),
    #[error("{0:?}")]
    Lease(#[from] LeaseError),
    #[error("{0:?}")]
    Stalled(#[from] GenerateError),
    /// A wait that would exceed its bound.
    #[error("{stall}; that takes longer than {max_wait:?}")]
    TooLong { stall: Box<Self>, max_wait: Duration },
    /// A realm that exists was said to be new.
    #[error("{0}; --new comes too late, and changes nothing")]
    LateNew(String),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("no random numbers: {0}")]
    Randomness(io::Error),
    #[error("no node of the realm is leased under the token {0}")]
    NoLease(Token),
    #[error("{0:?}; the node is free when its window ends")]
    GiveBack(StoreError),
    /// In bytes.
    #[error(
        "the stack is limited to {} kB (ulimit -s), and this command needs {}",
        limit / 1_024,
        least / 1_024
    )]
    #[cfg(target_os = "linux")]
    Stack { limit: u64, least: u64 },
    /// A program of `lease exec` was not run, or not to its end.
    #[error("{0}")]
    #[cfg(target_os = "linux")]
    Exec(tickid_exec::Error),
    #[error("cannot run '{}': {reason}", shown(program.as_encoded_bytes()))]
    #[cfg(target_os = "linux")]
    Run { program: OsString, reason: io::Error },
    #[error("{}", Chain(&**.0))]
    #[cfg(feature = "serve")]
    Serve(Box<ServerError>),
    #[error("the runtime of the server: {0}")]
    #[cfg(feature = "serve")]
    Runtime(io::Error),
    #[error("cannot read the input: {0}")]
    Read(io::Error),
    #[error("cannot write the output: {0}")]
    Write(io::Error),
    #[error("cannot write {}: {reason}", path.display())]
    WriteFile { path: PathBuf, reason: io::Error },
    /// A failure with its own hint.
    #[error("{failure}")]
    Hinted { failure: Box<Self>, hint: String },
}

impl Failure {
    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid { reason: reason.into(), hint: None }
    }

    /// Returns the failure with a hint.
    pub(crate) fn hinting(self, hint: impl Into<String>) -> Self {
        Self::Hinted { failure: Box::new(self), hint: hint.into() }
    }

    /// Reports whether the reader of the output has left, as `head` does. Most commands take that
    /// for success.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Write(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Reports whether another attempt may succeed after a while.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only clocks and stores change by themselves"
    )]
    pub(crate) fn passes(&self) -> bool {
        match self {
            Self::Generate(error) => matches!(error.kind(), ErrorKind::Stalled(_)),
            Self::Stalled(error) => error.wait().is_some_and(|wait| wait.helps(Duration::MAX)),
            // The next claim names what the store has.
            Self::Lease(LeaseError::Adopted(_)) => true,
            Self::Lease(_) => self.refusal().is_some_and(Refusal::passes),
            Self::Store(error) => error.passes(),
            _ => false,
        }
    }

    /// Reports whether the clock is past a window although the lease was renewed: by as much as it
    /// is ahead of the store's.
    fn is_past_window(&self) -> bool {
        let Self::Stalled(GenerateError::Stalled(stall)) = self else { return false };
        let is_past = stall.error.kind() == ErrorKind::Stalled(StallReason::WindowEnded);
        is_past && stall.cause.is_none() && stall.clock_ahead_micros > Some(0)
    }

    /// Returns the duration of the failure, if a clock determines it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others last as long as their cause")]
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Generate(error) => error.retry_after(),
            Self::Stalled(error) => error.retry_after(),
            _ => None,
        }
    }

    /// Returns the remedy, if there is one that the message does not name.
    pub(crate) fn hint(&self) -> Option<Cow<'_, str>> {
        match self.refusal() {
            Some(Refusal::NoRealm { .. }) if self.store().is_some_and(is_static) => {
                Some(KEEPS_NOTHING.into())
            }
            Some(refusal) => of_refusal(refusal).1,
            None => self.own_hint().map(Cow::from),
        }
    }

    /// Returns the remedy of a failure that is no refusal.
    fn own_hint(&self) -> Option<&str> {
        match self {
            Self::Hinted { hint, .. } => Some(hint),
            // Each renewal widens the window, and the clock is past the new end again, because it
            // is further ahead of the store's than windows reach.
            Self::TooLong { stall, .. } if stall.is_past_window() => {
                Some("synchronise the clocks: a longer wait does not help one that is ahead")
            }
            Self::TooLong { .. } => Some("--max-wait allows a longer wait"),
            Self::NoStateFolder(_) => Some(NO_FOLDER),
            #[cfg(target_os = "linux")]
            Self::Stack { .. } => Some(SMALL_STACK),
            #[cfg(target_os = "linux")]
            Self::Exec(error) => of_exec(error).1,
            #[cfg(feature = "serve")]
            Self::Serve(error) => of_server(error).1.or_else(|| self.store().map(of_trouble)),
            Self::Realm(RealmError::NoNodelessIds { .. }) => Some(NO_NODES),
            Self::Store(error) if matches!(error.kind(), StoreErrorKind::Url { .. }) => {
                Some("--store or $TICKID_STORE names the store: `--store file:///var/lib/tickid`")
            }
            Self::Store(_) | Self::Lease(_) | Self::Stalled(_) => self.store().map(of_trouble),
            Self::Invalid { .. }
            | Self::Usage(_)
            | Self::Build(_)
            | Self::Generate(_)
            | Self::Realm(_)
            | Self::Parse(_)
            | Self::LateNew(_)
            | Self::Refused(_)
            | Self::Randomness(_)
            | Self::NoLease(_)
            | Self::GiveBack(_)
            | Self::Read(_)
            | Self::Write(_)
            | Self::WriteFile { .. } => None,
            #[cfg(target_os = "linux")]
            Self::Run { .. } => None,
            #[cfg(feature = "serve")]
            Self::Runtime(_) => None,
        }
    }

    /// Returns the way out of failures without their own hint. `command` is the subcommand.
    pub(crate) fn usual_hint(&self, command: &str) -> Option<String> {
        match self.status() {
            USAGE => Some(format!("`{command} --help` shows the options, with examples")),
            STORE => Some("`tickid doctor` checks the store and its realms".to_owned()),
            CLOCK => Some("`tickid doctor` checks the clock".to_owned()),
            _ => None,
        }
    }

    /// Returns the refusal, if that is the reason.
    fn refusal(&self) -> Option<&Refusal> {
        if let Self::Refused(refusal) = self { Some(refusal) } else { self.store()?.refusal() }
    }

    /// Returns the store's error, if that is the reason.
    fn store(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error) => Some(error),
            Self::Lease(error) => error.store(),
            Self::Stalled(error) => error.cause()?.store(),
            #[cfg(feature = "serve")]
            Self::Serve(error) => {
                let ServerError::Lease { source, .. } = &**error else { return None };
                source.store()
            }
            // The cause may be a store's error, but these failures have a status or hint of their
            // own.
            Self::TooLong { .. } | Self::GiveBack(_) | Self::Hinted { .. } => None,
            Self::Invalid { .. }
            | Self::Usage(_)
            | Self::Build(_)
            | Self::Generate(_)
            | Self::Realm(_)
            | Self::Parse(_)
            | Self::NoStateFolder(_)
            | Self::LateNew(_)
            | Self::Refused(_)
            | Self::Randomness(_)
            | Self::NoLease(_)
            | Self::Read(_)
            | Self::Write(_)
            | Self::WriteFile { .. } => None,
            #[cfg(target_os = "linux")]
            Self::Stack { .. } | Self::Exec(_) | Self::Run { .. } => None,
            #[cfg(feature = "serve")]
            Self::Runtime(_) => None,
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.status())
    }

    fn status(&self) -> u8 {
        // Scripts retry by the status, so the store's error decides wherever it is wrapped: in an
        // acquisition that failed, a stall, or a server that did not start.
        if let Some(error) = self.store() {
            return of_store(error);
        }
        match self {
            Self::Hinted { failure, .. } => failure.status(),
            Self::Invalid { .. } | Self::Read(_) | Self::Write(_) | Self::WriteFile { .. } => {
                INVALID
            }
            Self::Usage(_) | Self::Realm(_) | Self::Parse(_) => USAGE,
            #[cfg(target_os = "linux")]
            Self::Stack { .. } => USAGE,
            Self::TooLong { .. } => CLOCK,
            Self::Build(error) => of_build(error, USAGE),
            Self::Lease(error) => of_lease(error),
            Self::Generate(error) => match error.kind() {
                ErrorKind::SequenceStart { .. } | ErrorKind::Variant(_) => USAGE,
                ErrorKind::Stalled(_)
                | ErrorKind::Closed
                | ErrorKind::EndOfTime
                | ErrorKind::Clock(_) => CLOCK,
                _ => CLOCK,
            },
            Self::Stalled(error) => error.cause().map_or_else(|| of_stall(error), of_lease),
            Self::Refused(refusal) => of_refusal(refusal).0,
            Self::Store(_) | Self::GiveBack(_) | Self::LateNew(_) => STORE,
            Self::Randomness(_) | Self::NoLease(_) | Self::NoStateFolder(_) => STORE,
            #[cfg(target_os = "linux")]
            Self::Exec(error) => of_exec(error).0,
            #[cfg(target_os = "linux")]
            Self::Run { reason, .. } => of_run(reason),
            #[cfg(feature = "serve")]
            Self::Serve(error) => of_server(error).0,
            #[cfg(feature = "serve")]
            Self::Runtime(_) => INVALID,
        }
    }
}

#[cfg(feature = "serve")]
impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        Self::Serve(Box::new(error))
    }
}

#[cfg(target_os = "linux")]
impl From<tickid_exec::Error> for Failure {
    fn from(error: tickid_exec::Error) -> Self {
        use tickid_exec::Error;

        match error {
            Error::Store(error) => Self::Store(error),
            Error::GiveBack(error) => Self::GiveBack(error),
            Error::Randomness(error) => Self::Randomness(error),
            Error::TooLong { stall, max_wait } => {
                Self::TooLong { stall: Box::new(Self::Store(stall)), max_wait }
            }
            Error::Run { program, reason } => Self::Run { program, reason },
            Error::Nodes { .. }
            | Error::Term { .. }
            | Error::KillAfter { .. }
            | Error::Children
            | Error::Stage(_)
            | Error::Supervise(_) => Self::Exec(error),
            _ => Self::Exec(error),
        }
    }
}

/// Returns the status of a program of `lease exec` that was not run, or not to its end, and the
/// remedy.
#[cfg(target_os = "linux")]
fn of_exec(error: &tickid_exec::Error) -> (u8, Option<&'static str>) {
    use tickid_exec::Error;

    match error {
        Error::Supervise(_) => (tickid_exec::SUPERVISION, None),
        Error::Term { .. } => (USAGE, Some(SHORT_TERM)),
        Error::Children => (USAGE, Some(CHILDREN)),
        Error::Nodes { .. } | Error::KillAfter { .. } | Error::Stage(_) => (USAGE, None),
        Error::Store(error) => (of_store(error), None),
        Error::GiveBack(_) | Error::Randomness(_) => (STORE, None),
        Error::TooLong { .. } => (CLOCK, None),
        Error::Run { reason, .. } => (of_run(reason), None),
        _ => (USAGE, None),
    }
}

/// Returns the exit status for a program that could not be started.
#[cfg(target_os = "linux")]
fn of_run(reason: &io::Error) -> u8 {
    if reason.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUNNABLE }
}

/// Returns the status of a generator that issues nothing, and has no error of its lease.
fn of_stall(error: &GenerateError) -> u8 {
    match error {
        // Nothing is wrong with the lease: it is for the clock to reach the window.
        GenerateError::Stalled(_) => CLOCK,
        GenerateError::NoLease { .. } | GenerateError::Stopped | GenerateError::Forked => STORE,
        _ => STORE,
    }
}

fn of_store(error: &StoreError) -> u8 {
    match error.kind() {
        StoreErrorKind::Url { .. } => USAGE,
        StoreErrorKind::Refused(refusal) => of_refusal(refusal).0,
        StoreErrorKind::Unreachable
        | StoreErrorKind::NotReady { .. }
        | StoreErrorKind::Outdated
        | StoreErrorKind::Failed { .. }
        | StoreErrorKind::Unfit { .. }
        | StoreErrorKind::Exposed(_)
        | StoreErrorKind::Corrupt { .. }
        | StoreErrorKind::NoNode { .. } => STORE,
        _ => STORE,
    }
}

fn of_build(error: &BuildError, other: u8) -> u8 {
    match error {
        BuildError::Clock(_) | BuildError::Epoch { .. } | BuildError::Ahead { .. } => CLOCK,
        BuildError::NoToggle { .. }
        | BuildError::SequenceBound(_)
        | BuildError::Node(_)
        | BuildError::Ceiling(_)
        | BuildError::Pool { .. }
        | BuildError::Share { .. }
        | BuildError::Window { .. }
        | BuildError::Restore(_)
        | BuildError::NoNodelessIds { .. }
        | BuildError::Pinned { .. }
        | BuildError::NotPast { .. }
        | BuildError::Seed => other,
        _ => other,
    }
}

/// Returns the exit status of a refusal, and the remedy if its message does not name one.
fn of_refusal(refusal: &Refusal) -> (u8, Option<Cow<'static, str>>) {
    let hint = match refusal.kind() {
        RefusalKind::Missing { has_nodes: false } => {
            "`tickid lease init` creates a realm: tickid lease init SCHEME --realm NAME; with \
             --new, one that never existed starts immediately on a server, too"
        }
        RefusalKind::Missing { has_nodes: true } => {
            "`tickid lease init` restores it, with the nodes and terms that it had: \
             tickid lease init SCHEME --realm NAME --pool NODES"
        }
        RefusalKind::Busy { .. } => "`tickid lease list --realm NAME` shows who holds the nodes",
        RefusalKind::Sound => "`tickid lease list --realm NAME` shows the nodes",
        RefusalKind::Newer => NEWER,
        RefusalKind::Mismatch(mismatch) => return (STORE, Some(of_mismatch(mismatch).into())),
        RefusalKind::Clock => return (CLOCK, None),
        RefusalKind::Over(_) | RefusalKind::Early { .. } | RefusalKind::Other => {
            return (STORE, None);
        }
    };
    (STORE, Some(hint.into()))
}

fn of_lease(error: &LeaseError) -> u8 {
    match error {
        LeaseError::Build(error) => of_build(error, STORE),
        LeaseError::Store(_)
        | LeaseError::Adopted(_)
        | LeaseError::Range(_)
        | LeaseError::System { .. } => STORE,
        _ => STORE,
    }
}

/// Returns the status of a server that did not start, and the remedy. Mistakes in options and files
/// count as usage.
#[cfg(feature = "serve")]
fn of_server(error: &ServerError) -> (u8, Option<&'static str>) {
    match error {
        ServerError::Lease { source, .. } => (of_lease(source), None),
        ServerError::Realm { .. } => (STORE, None),
        ServerError::Listen { source, .. } if source.kind() != io::ErrorKind::AddrInUse => {
            (INVALID, None)
        }
        // The address is another program's, or another server's.
        ServerError::Listen { .. } | ServerError::InUse { .. } => (INVALID, Some(OTHER_ADDRESS)),
        ServerError::Unprotected { .. } => (USAGE, Some(PROTECTION)),
        ServerError::NoRealm
        | ServerError::Twice(_)
        | ServerError::NotAwaited(_)
        | ServerError::NoAddress
        | ServerError::Read { .. }
        | ServerError::Tokens { .. }
        | ServerError::Certificate { .. }
        | ServerError::Limit { .. } => (USAGE, None),
        // What a server refuses at the start comes from its options.
        _ => (USAGE, None),
    }
}

/// The way to a static node whose realm other processes find.
pub(crate) const KEEPS_NOTHING: &str = "a static node keeps its realm only in a folder, where \
     `tickid lease init` creates it: --store 'static:NODE/BITS?state=/FOLDER'";

fn is_static(error: &StoreError) -> bool {
    error.backend() == "static"
}

/// Returns what to do about a store that failed or did not answer. Its address may be wrong.
fn of_trouble(error: &StoreError) -> &'static str {
    if is_newer(error) { NEWER } else { OTHER_STORE }
}

/// Returns what to do about a realm that is not as an option, or its default, has it.
fn of_mismatch(mismatch: &Mismatch) -> String {
    let kept = &mismatch.kept;
    let remedy = match mismatch.what {
        RealmFacet::Scheme => format!("the realm's scheme is {kept}, for good; "),
        RealmFacet::Settings if !kept.is_empty() => {
            format!("{} is the realm's, for good; ", setting_option(kept))
        }
        RealmFacet::Ids => "--kind selects the realm's IDs; ".to_owned(),
        RealmFacet::Settings | RealmFacet::Ticks | RealmFacet::Nodes | RealmFacet::Terms => {
            String::new()
        }
        _ => String::new(),
    };
    format!("{remedy}--realm names another realm")
}

/// Returns the option that selects a realm's settings, with its value.
pub(crate) fn setting_option(kept: &str) -> String {
    // A Snowflake's settings are a layout alone, all others the name of an option and its value.
    let is_value = kept.starts_with(|first: char| first.is_ascii_digit());
    if is_value { format!("--layout {kept}") } else { format!("--{kept}") }
}

/// Reports whether a later release wrote what the store has, which `doctor` cannot read either.
pub(crate) fn is_newer(error: &StoreError) -> bool {
    let mut source = core::error::Error::source(error);
    while let Some(error) = source {
        if let Some(LeaseTextError::Newer { .. }) = error.downcast_ref() {
            return true;
        }
        source = error.source();
    }
    error.refusal().map(Refusal::kind) == Some(RefusalKind::Newer)
}

/// The message says to update this program.
pub(crate) const NEWER: &str = "`tickid --version` shows the version of this one";

const NO_FOLDER: &str =
    "--store URL names another store, and `tickid gen SCHEME --node NODE` needs none";

#[cfg(target_os = "linux")]
const SHORT_TERM: &str = "a shorter one leaves no time to end a program: `tickid lease init SCHEME --realm NAME --term 10 \
     --reconfigure` changes the realm's";

#[cfg(target_os = "linux")]
const CHILDREN: &str = "do not start other processes before an `exec tickid lease exec`, or leave \
                        --release-on-exit out";

#[cfg(target_os = "linux")]
const SMALL_STACK: &str = "`ulimit -s 1024` before it; a program of lease exec may have a lower limit \
                           of its own: -- sh -c 'ulimit -s 64; exec PROGRAM'";

#[cfg(feature = "serve")]
const OTHER_ADDRESS: &str =
    "--listen and --unix name other addresses for RESP, --http and --http-unix for HTTP";

#[cfg(feature = "serve")]
const PROTECTION: &str =
    "--token-file, --tls-cert and --tls-key protect it; --insecure serves it unprotected";

const NO_NODES: &str = "a layout without bits of node (0n) has one generator, and nothing to \
                        lease: `tickid gen snowflake --node 0/0`";

const OTHER_STORE: &str = "`tickid doctor` checks the store; --store URL names another, and \
                           `tickid gen SCHEME --node NODE` needs none";
