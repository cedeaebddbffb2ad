//! The realms of a server.

mod id;

use core::num::NonZeroU32;
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use tickid_convert::{
    AnyIds, AnyLeasedGenerator, AnyObserveError, AnyScheme, Form, Kind, SchemeError,
};
use tickid_lease::admin::RealmName;
use tickid_lease::session::{Wait, WaitReason};
use tickid_lease::{
    GenerateError, LeaseError, LeaseState, LeasedObserveError, RealmSpec, Store, StoreError,
};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use self::id::WriteIds;
pub(crate) use self::id::{FormUse, Framing, IdItem, IdOptions, IdRequest, number, shown};
use crate::error::{RealmProblem, ServerError, chain};
use crate::metrics::{Protocol, RealmMetrics};

/// A realm and its generator.
#[derive(Debug)]
pub(crate) struct RunningRealm {
    spec: RealmSpec,
    generator: AnyLeasedGenerator,
    /// Held by the request that takes the next IDs. Others wait for it in their order.
    turn: Mutex<()>,
    pub(crate) metrics: RealmMetrics,
}

/// The reason that a realm refused a request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    #[error("the scheme {scheme} has no metabyte")]
    NoMeta { scheme: &'static str },
    #[error("IDs of the realm {realm} have {size} bytes and no form as an integer of 64 bits")]
    NoInteger { realm: RealmName, size: usize },
    #[error("the count {given} is outside of 1..={most}")]
    Count { given: String, most: u32 },
    #[error("the metabyte {given} is outside of 0..=255")]
    Meta { given: String },
    #[error("the form {given} is none of {names}")]
    NoForm { given: String, names: String },
    #[error("{given} is not an ID of the realm {realm}: {reason}")]
    NoId { given: String, realm: RealmName, reason: String },
    /// The generator refused to observe an ID. A retry may succeed after the given time, if there
    /// is one.
    #[error("the realm {realm}: {reason}")]
    Unobserved { realm: RealmName, reason: String, retry_after: Option<Duration> },
    /// There are no IDs now. A retry may succeed after the given time. Without a `wait`, other
    /// requests take the IDs.
    #[error("the realm {realm}: {reason}")]
    Later { realm: RealmName, reason: String, wait: Option<WaitReason>, retry_after: Duration },
}

/// The reason that a realm is not ready, and the one that metrics have for it, if any.
#[derive(Debug)]
pub(crate) struct NotReady {
    pub(crate) text: String,
    pub(crate) wait: Option<WaitReason>,
}

impl From<&LeaseState> for NotReady {
    fn from(state: &LeaseState) -> Self {
        // Without IDs, the reason is the one that requests get. While there are still some, it is
        // what the renewals fail for.
        let wait = state.wait.map(|wait| wait.reason);
        let wait = wait.or_else(|| state.trouble.as_ref().map(LeaseError::reason));
        let text = match (&state.trouble, wait) {
            _ if state.is_stopped => "the server is stopping".to_owned(),
            (Some(trouble), _) => chain(trouble),
            (None, Some(reason)) => reason.to_string(),
            (None, None) => format!("the window ends in {:?}", state.window_left),
        };
        Self { text, wait }
    }
}

/// A realm to start.
pub(crate) struct RealmStart<'a> {
    pub(crate) store: &'a Store,
    pub(crate) spec: &'a RealmSpec,
    pub(crate) holder: Option<&'a str>,
    /// Set if the nodes and the terms are the store's where they differ.
    pub(crate) adopts: bool,
}

impl RunningRealm {
    /// Starts a generator, which acquires its lease in the background.
    pub(crate) fn start(start: RealmStart<'_>) -> Result<Self, ServerError> {
        let spec = start.spec.clone();
        let realm = || spec.name().clone();
        let problem = |source| ServerError::Realm { realm: realm(), source };
        let scheme = scheme_of(&spec).map_err(problem)?;
        let builder = AnyLeasedGenerator::builder(scheme, start.store.clone(), spec.clone());
        let mut builder = builder.map_err(|mismatch| problem(mismatch.into()))?;
        if let Some(holder) = start.holder {
            builder = builder.holder(holder);
        }
        if start.adopts {
            builder = builder.adopt();
        }
        let generator = builder.start_pending();
        let generator =
            generator.map_err(|source| ServerError::Lease { realm: realm(), source })?;
        let (turn, metrics) = (Mutex::default(), RealmMetrics::default());
        Ok(Self { spec, generator, turn, metrics })
    }

    /// Waits for the first lease or the first error.
    ///
    /// # Errors
    /// Returns the error if the lease is refused for good. Otherwise it is still being acquired.
    pub(crate) async fn check_start(&self) -> Result<(), ServerError> {
        let Err(source) = self.generator.first_lease_async().await else { return Ok(()) };
        if self.state().wait.is_some_and(|wait| !wait.reason.passes()) {
            return Err(ServerError::Lease { realm: self.name().clone(), source });
        }
        Ok(())
    }

    pub(crate) fn name(&self) -> &RealmName {
        self.spec.name()
    }

    fn kind(&self) -> Kind {
        self.generator.scheme().kind()
    }

    pub(crate) fn scheme(&self) -> &'static str {
        self.kind().name()
    }

    /// Returns the number of bytes of an ID.
    pub(crate) fn id_size(&self) -> usize {
        self.kind().byte_len()
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.id_size() <= size_of::<u64>()
    }

    /// Reports whether IDs have a metabyte that requests choose.
    pub(crate) fn has_meta(&self) -> bool {
        self.kind().has_metabyte()
    }

    /// Returns the state of the lease.
    pub(crate) fn state(&self) -> LeaseState {
        self.generator.state()
    }

    /// Checks that IDs can be issued for a quarter of the term. A renewal that succeeds leaves at
    /// least half of it.
    pub(crate) fn check_ready(&self) -> Result<(), NotReady> {
        let state = self.state();
        // The store's term, which an operator can change while the server runs.
        if state.lease.is_some_and(|lease| state.window_left >= lease.terms.term / 4) {
            return Ok(());
        }
        Err(NotReady::from(&state))
    }

    /// Returns the form of the realm's IDs with this name, in upper or lower case. The default is
    /// the canonical text.
    pub(crate) fn form(&self, name: Option<&[u8]>, usage: FormUse) -> Result<Form, RequestError> {
        let kind = self.kind();
        let Some(given) = name else { return Ok(Form::canonical(kind)) };
        let forms = Form::names(kind).filter_map(|name| Some((name, Form::named(kind, name)?)));
        let forms = forms.filter(|(_, form)| usage.takes((*form).into()));
        let found = forms.clone().find(|(name, _)| given.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, form)| form).ok_or_else(|| RequestError::NoForm {
            given: shown(given),
            names: Vec::from_iter(forms.map(|(name, _)| name)).join(", "),
        })
    }

    /// Checks that the realm has IDs as requested.
    pub(crate) fn check(&self, request: &IdRequest) -> Result<(), RequestError> {
        self.check_form(request.form)?;
        if request.meta.is_some() && !self.has_meta() {
            return Err(RequestError::NoMeta { scheme: self.scheme() });
        }
        Ok(())
    }

    fn check_form(&self, form: Form) -> Result<(), RequestError> {
        match form.into() {
            IdItem::Integer => self.check_integer(),
            IdItem::Text | IdItem::Bytes => Ok(()),
        }
    }

    /// Checks that IDs have a form as an integer.
    pub(crate) fn check_integer(&self) -> Result<(), RequestError> {
        if self.is_integer() {
            return Ok(());
        }
        Err(RequestError::NoInteger { realm: self.name().clone(), size: self.id_size() })
    }

    /// Appends up to `request.count` IDs without waiting, and returns the number, at least one.
    #[inline]
    pub(crate) fn try_issue(
        &self,
        request: IdRequest,
        protocol: Protocol,
        out: &mut Vec<u8>,
    ) -> Result<u32, GenerateError> {
        // One ID first, because a refused call may use up as many sequences as it asks for.
        let (mut issued, mut want) = (0, NonZeroU32::MIN);
        loop {
            match self.generator.try_block_with(request.meta.unwrap_or(0), want) {
                Ok(ids) => issued += self.write(ids, request, protocol, out),
                Err(error) if issued == 0 => return Err(error),
                Err(_) => return Ok(issued),
            }
            match NonZeroU32::new(request.count.saturating_sub(issued)) {
                Some(left) => want = left,
                None => return Ok(issued),
            }
        }
    }

    /// Appends IDs, and returns their number.
    fn write(&self, ids: AnyIds, request: IdRequest, protocol: Protocol, out: &mut Vec<u8>) -> u32 {
        // A block is no longer than its request.
        let len = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        ids.visit(WriteIds { request, out });
        self.metrics.count(protocol, len);
        len
    }

    /// Returns an ID as an integer, without waiting. Check first that its scheme has integers.
    #[inline]
    pub(crate) fn try_integer(&self, protocol: Protocol) -> Result<u64, GenerateError> {
        let id = self.generator.try_number()?;
        self.metrics.count(protocol, 1);
        Ok(u64::try_from(id).unwrap_or(u64::MAX))
    }

    /// Does the same as [`issue`](Self::issue), but one request after the other. If each took a
    /// part of the next IDs, requests for more than there are until their deadlines would all miss
    /// them. The caller must not depend on a client while it waits.
    pub(crate) async fn issue_in_turn(
        &self,
        mut request: IdRequest,
        protocol: Protocol,
        deadline: Instant,
        out: &mut Vec<u8>,
    ) -> Result<(), RequestError> {
        self.check(&request)?;
        let start = out.len();
        // No turn is needed for IDs that exist already.
        request.count -= self.try_issue(request, protocol, out).unwrap_or(0);
        if request.count == 0 {
            return Ok(());
        }
        let issued = match timeout_at(deadline, self.turn.lock()).await {
            Ok(_turn) => self.issue(request, protocol, deadline, out).await,
            Err(_) => Err(self.overtaken()),
        };
        if issued.is_err() {
            out.truncate(start);
        }
        issued
    }

    /// Returns the error of a request whose turn did not come.
    fn overtaken(&self) -> RequestError {
        let pause = Duration::from_secs(1);
        // If the generator has no IDs either, that is what held the queue up. A retry in less than
        // a second would only join the queue again.
        match self.generator.wait_ready(Duration::ZERO) {
            Err(error) => {
                let retry_after = error.retry_after().map(|time| time.max(pause));
                self.later(&error, error.wait(), retry_after)
            }
            Ok(()) => RequestError::Later {
                realm: self.name().clone(),
                reason: "earlier requests take all of its IDs".to_owned(),
                wait: None,
                retry_after: pause,
            },
        }
    }

    /// Appends `request.count` IDs, waiting until the deadline. On an error nothing is appended,
    /// and IDs that were generated are dropped.
    ///
    /// # Errors
    /// Returns [`RequestError::Later`] immediately if the wait would exceed the deadline.
    pub(crate) async fn issue(
        &self,
        mut request: IdRequest,
        protocol: Protocol,
        deadline: Instant,
        out: &mut Vec<u8>,
    ) -> Result<(), RequestError> {
        self.check(&request)?;
        let (start, meta) = (out.len(), request.meta.unwrap_or(0));
        while let Some(want) = NonZeroU32::new(request.count) {
            let left = deadline.saturating_duration_since(Instant::now());
            // On the heap, because the tasks of idle connections have room for it as well.
            let block = Box::pin(self.generator.block_within_async(meta, want, left, sleep));
            match block.await {
                Ok(ids) => request.count -= self.write(ids, request, protocol, out),
                Err(error) => {
                    out.truncate(start);
                    return Err(self.later(&error, error.wait(), error.retry_after()));
                }
            }
        }
        Ok(())
    }

    /// Makes all later IDs of this server greater than `id`, which is in a form to
    /// [observe](FormUse::Observe). It does not wait.
    pub(crate) fn observe(&self, id: &[u8], form: Form) -> Result<(), RequestError> {
        use AnyObserveError::{NotObservable, Refused, Scheme};
        use tickid_core::ObserveError::{Ahead, Clock, Closed, EndOfTime, TickTock, Window};
        self.check_form(form)?;
        let realm = self.name().clone();
        let id = match form.read(self.kind(), id) {
            Ok(id) => id,
            Err(error) => {
                let (given, reason) = (shown(id), error.to_string());
                return Err(RequestError::NoId { given, realm, reason });
            }
        };
        // Clients must know which refusals to repeat. A refusal because of the ID or the scheme is
        // final. The clock catches up with an ID that is too far ahead, so that error says when to
        // retry. A refusal because of the lease passes, as it does for a request for IDs.
        let Err(error) = self.generator.observe(id) else { return Ok(()) };
        let reason = error.to_string();
        let unobserved = |retry_after| RequestError::Unobserved { realm, reason, retry_after };
        // The three enums can grow. An error that this does not know passes as well: a client that
        // repeats too much loses less than one that gives up too early.
        Err(match &error {
            // IDs of this scheme cannot be observed, for example sno.
            NotObservable(_) | Scheme { .. } => unobserved(None),
            Refused(refused) => match refused {
                LeasedObserveError::Refused(by_engine) => match by_engine {
                    Ahead { retry_after, .. } => unobserved(Some(*retry_after)),
                    EndOfTime | TickTock => unobserved(None),
                    // The window ends before the ID and will be renewed, the lease has ended and is
                    // followed by the next, or the clock fails.
                    Window { .. } | Closed | Clock(_) => {
                        self.later(refused, None, refused.retry_after())
                    }
                    _ => self.later(refused, None, refused.retry_after()),
                },
                // There is no lease.
                LeasedObserveError::Generator(error) => {
                    self.later(refused, error.wait(), refused.retry_after())
                }
                _ => self.later(refused, None, refused.retry_after()),
            },
            _ => self.later(&error, None, None),
        })
    }

    /// Returns the error of a request that may succeed later.
    fn later(
        &self,
        error: &dyn core::error::Error,
        wait: Option<Wait>,
        retry_after: Option<Duration>,
    ) -> RequestError {
        let retry_after = retry_after.unwrap_or(Duration::from_secs(1));
        let (realm, wait) = (self.name().clone(), wait.map(|wait| wait.reason));
        RequestError::Later { realm, reason: chain(error), wait, retry_after }
    }

    /// Issues no more IDs, and releases the node.
    pub(crate) async fn release(&self) -> Result<(), StoreError> {
        self.generator.shut_down_async().await
    }
}

/// Returns the scheme of a realm, with its settings.
fn scheme_of(spec: &RealmSpec) -> Result<AnyScheme, RealmProblem> {
    let scheme =
        AnyScheme::from_realm(spec.scheme(), spec.settings(), spec.variants().contains(true));
    scheme.map_err(|error| match error {
        SchemeError::Settings => RealmProblem::Settings(spec.settings().to_owned()),
        // What this server cannot build, it does not have.
        SchemeError::Name | SchemeError::Nodeless => RealmProblem::Scheme(spec.scheme().to_owned()),
        _ => RealmProblem::Scheme(spec.scheme().to_owned()),
    })
}

/// Sleeps. For short times it yields to other tasks until they are over, because the timer has a
/// resolution of a millisecond, which is as long as a tick of Nanoflake.
async fn sleep(time: Duration) {
    const TIMER: Duration = Duration::from_millis(2);
    if time >= TIMER {
        return tokio::time::sleep(time).await;
    }
    let until = Instant::now() + time;
    while Instant::now() < until {
        tokio::task::yield_now().await;
    }
}

impl RequestError {
    /// Returns the reason for which there are no IDs at the moment, if that is the error.
    pub(crate) const fn wait(&self) -> Option<WaitReason> {
        match self {
            Self::Later { wait, .. } => *wait,
            Self::Count { .. }
            | Self::Meta { .. }
            | Self::NoMeta { .. }
            | Self::NoInteger { .. }
            | Self::NoForm { .. }
            | Self::NoId { .. }
            | Self::Unobserved { .. } => None,
        }
    }

    /// Returns the time after which the request may succeed, if any.
    pub(crate) const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Unobserved { retry_after, .. } => *retry_after,
            Self::Later { retry_after, .. } => Some(*retry_after),
            Self::Count { .. }
            | Self::Meta { .. }
            | Self::NoMeta { .. }
            | Self::NoInteger { .. }
            | Self::NoForm { .. }
            | Self::NoId { .. } => None,
        }
    }

    /// Returns the name of the limit that the request exceeds, if that is the error.
    pub(crate) const fn limit(&self) -> Option<&'static str> {
        match self {
            Self::Count { .. } => Some("count"),
            Self::Meta { .. }
            | Self::NoMeta { .. }
            | Self::NoInteger { .. }
            | Self::NoForm { .. }
            | Self::NoId { .. }
            | Self::Unobserved { .. }
            | Self::Later { .. } => None,
        }
    }
}

impl IdRequest {
    /// Reads the options of a request for at most `most` IDs, and checks that the realm has such.
    /// All of it comes before anything is issued, because an ID that no client gets is lost.
    pub(crate) fn parse(
        options: IdOptions<'_>,
        realm: &RunningRealm,
        most: u32,
        framing: Framing,
    ) -> Result<Self, RequestError> {
        let IdOptions { count, form, meta } = options;
        let count = count.map_or(Ok(1), |given| {
            let count = number(given).filter(|count| (1..=most).contains(count));
            count.ok_or_else(|| RequestError::Count { given: shown(given), most })
        })?;
        let form = realm.form(form, FormUse::Issue)?;
        let meta = meta.map(|given| {
            let meta = number(given).and_then(|meta| u8::try_from(meta).ok());
            meta.ok_or_else(|| RequestError::Meta { given: shown(given) })
        });
        let request = Self { count, form, framing, meta: meta.transpose()? };
        realm.check(&request)?;
        Ok(request)
    }
}

/// The realms by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Realms(BTreeMap<Box<[u8]>, ServedRealm>);

/// A realm that runs, or is still to be read from the store.
#[derive(Clone, Debug)]
pub(crate) struct ServedRealm {
    name: RealmName,
    running: OnceLock<Arc<RunningRealm>>,
    /// Why it does not run yet; empty for one that ran from the start.
    awaited: String,
}

impl ServedRealm {
    pub(crate) fn name(&self) -> &RealmName {
        &self.name
    }

    /// Returns the realm if it runs.
    pub(crate) fn running(&self) -> Option<&Arc<RunningRealm>> {
        self.running.get()
    }

    /// Returns the realm, or the error of a request if it does not run yet.
    fn get(&self) -> Result<&Arc<RunningRealm>, RequestError> {
        self.running().ok_or_else(|| RequestError::Later {
            realm: self.name.clone(),
            reason: self.awaited.clone(),
            wait: Some(WaitReason::Unreachable),
            retry_after: Duration::from_secs(1),
        })
    }

    /// As [`RunningRealm::check_ready`].
    pub(crate) fn check_ready(&self) -> Result<(), NotReady> {
        match self.running() {
            Some(realm) => realm.check_ready(),
            None => {
                let (text, wait) = (self.awaited.clone(), Some(WaitReason::Unreachable));
                Err(NotReady { text, wait })
            }
        }
    }
}

impl Realms {
    pub(crate) fn add(&mut self, realm: RunningRealm) {
        let (name, running) = (realm.name().clone(), OnceLock::from(Arc::new(realm)));
        self.insert(ServedRealm { name, running, awaited: String::new() });
    }

    /// Adds a realm that is not known yet, with the reason.
    pub(crate) fn add_awaited(&mut self, name: RealmName, awaited: String) {
        self.insert(ServedRealm { name, running: OnceLock::new(), awaited });
    }

    fn insert(&mut self, realm: ServedRealm) {
        self.0.insert(realm.name.as_str().as_bytes().into(), realm);
    }

    /// Puts a realm in its place. Returns it if none of its name is awaited.
    pub(crate) fn start(&self, realm: Arc<RunningRealm>) -> Result<(), Arc<RunningRealm>> {
        match self.0.get(realm.name().as_str().as_bytes()) {
            Some(place) => place.running.set(realm),
            None => Err(realm),
        }
    }

    /// Returns a realm, or the error of a request if it does not run yet, or `None` if it is not
    /// served.
    pub(crate) fn get(&self, name: &[u8]) -> Option<Result<&Arc<RunningRealm>, RequestError>> {
        self.0.get(name).map(ServedRealm::get)
    }

    /// Returns all realms in the order of their names.
    pub(crate) fn all(&self) -> impl Iterator<Item = &ServedRealm> {
        self.0.values()
    }

    /// Returns the realms that run, in the same order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<RunningRealm>> {
        self.all().filter_map(ServedRealm::running)
    }
}

#[cfg(test)]
mod tests {
    use tickid_lease::backend::StoreErrorKind;

    use super::*;

    /// While renewals fail, IDs are issued to the end of the window, so requests show no reason.
    #[test]
    fn failing_renewals_are_why_a_realm_is_not_ready() {
        let error = |kind| StoreError::new("a", kind).into();
        let mut state = LeaseState::default();
        assert_eq!(NotReady::from(&state).wait, None);
        state.trouble = Some(error(StoreErrorKind::Unreachable));
        let NotReady { text, wait } = NotReady::from(&state);
        assert_eq!(wait, Some(WaitReason::Unreachable), "{text}");
    }
}
