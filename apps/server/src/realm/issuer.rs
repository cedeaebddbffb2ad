//! A leased generator of any scheme.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::time::Duration;

use tickid_convert::{AnyScheme, Kind, SchemeError, SchemeId, SchemeVariant, SchemeVisitor};
use tickid_core::Scheme;
use tickid_core::source_parts::Follow as _;
use tickid_lease::{
    GenerateError, Lease, LeaseError, LeaseState, LeasedGenerator, ObserveError, Realm, RealmSpec,
    Store, StoreError,
};
use tokio::time::Instant;

use super::id::{Framing, OutputForm, integer, write_ids};
use crate::error::RealmProblem;

/// A request for IDs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdRequest {
    pub(crate) count: u32,
    pub(crate) format: OutputForm,
    pub(crate) framing: Framing,
    /// The metabyte, for schemes that have one.
    pub(crate) meta: Option<u8>,
}

/// A leased generator behind its scheme.
pub(crate) trait Issuer: Send + Sync {
    /// Appends at least one and at most `request.count` IDs, as many as there are without waiting,
    /// and returns the number.
    fn try_issue(&self, request: IdRequest, out: &mut Vec<u8>) -> Result<u32, GenerateError>;

    /// Returns an ID as an integer, without waiting. Zero for schemes without that form.
    fn try_integer(&self) -> Result<u64, GenerateError>;

    /// Makes all later IDs greater than `id`, which is in one of the forms but bytes.
    fn observe(&self, id: &str, form: OutputForm) -> Result<(), ObserveProblem>;

    /// Returns the state of the lease.
    fn state(&self) -> LeaseState;

    /// Waits for the first lease, or for the error that ends the start.
    fn first_lease(&self) -> Boxed<'_, Result<Lease, LeaseError>>;

    /// Waits until an ID can be issued.
    fn wait_ready(&self, within: Duration) -> Boxed<'_, Result<(), GenerateError>>;

    /// Issues no more IDs, and releases the node.
    fn release(&self) -> Boxed<'_, Result<(), StoreError>>;
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Sleeps. Short times give way to other tasks until they are over: the timer has a resolution of
/// a millisecond, as long as a tick of Nanoflake.
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

/// The reason that an ID was not observed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ObserveProblem {
    #[error("{0}")]
    NoId(String),
    #[error("{0} IDs cannot be observed: they sort by node before the last part of their time")]
    NotObservable(Kind),
    #[error(transparent)]
    Refused(#[from] ObserveError),
}

/// The reason that a generator did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Realm(#[from] RealmProblem),
    #[error(transparent)]
    Lease(#[from] LeaseError),
}

/// Returns the scheme of a realm, with its layout.
pub(crate) fn scheme_of(spec: &RealmSpec) -> Result<AnyScheme, RealmProblem> {
    let scheme =
        AnyScheme::from_realm(spec.scheme(), spec.layout(), spec.variants().contains(true));
    scheme.map_err(|error| match error {
        SchemeError::Layout => RealmProblem::Layout(spec.layout().to_owned()),
        _ => RealmProblem::Scheme(spec.scheme().to_owned()),
    })
}

/// Starts a generator, which acquires its lease in the background.
pub(crate) struct Start<'a> {
    pub(crate) store: &'a Store,
    pub(crate) spec: &'a RealmSpec,
    pub(crate) holder: Option<&'a str>,
    /// Tells whether the nodes and the terms are the store's where they differ.
    pub(crate) adopts: bool,
}

impl SchemeVisitor for Start<'_> {
    type Output = Result<Box<dyn Issuer>, StartError>;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, variant: V) -> Self::Output {
        let realm = Realm::from_spec(self.spec.clone(), scheme).map_err(RealmProblem::from)?;
        let mut builder = LeasedGenerator::builder(self.store.clone(), realm);
        if let Some(holder) = self.holder {
            builder = builder.holder(holder);
        }
        if self.adopts {
            builder = builder.adopt();
        }
        Ok(Box::new(Leased { generator: builder.start_pending()?, variant }))
    }
}

/// A leased generator and the variant of IDs that its realm is for.
struct Leased<S: Scheme, V> {
    generator: LeasedGenerator<S>,
    variant: V,
}

/// The number of IDs generated in one call.
const BATCH: usize = 256;

impl<S: Scheme, V: SchemeVariant<S>> Issuer for Leased<S, V> {
    fn try_issue(&self, request: IdRequest, out: &mut Vec<u8>) -> Result<u32, GenerateError> {
        let variant = request.meta.map_or(self.variant, V::with_metabyte);
        let IdRequest { count, format, framing, .. } = request;
        // One ID first: a call that is refused may use up as many sequences as it asks for.
        let id = self.generator.with(variant).try_generate()?;
        write_ids(&[id], format, framing, out);
        let mut issued = 1;
        if count > 1 {
            let view = self.generator.with(variant);
            let mut ids = [V::Id::BLANK; BATCH];
            while issued < count {
                let want = ids.len().min((count - issued) as usize);
                let Ok(filled) = view.try_fill(&mut ids[..want]) else { break };
                write_ids(&filled, format, framing, out);
                // At most the size of a batch.
                issued += u32::try_from(filled.len()).unwrap_or(u32::MAX);
            }
        }
        Ok(issued)
    }

    fn try_integer(&self) -> Result<u64, GenerateError> {
        self.generator.with(self.variant).try_generate().map(integer)
    }

    fn observe(&self, id: &str, form: OutputForm) -> Result<(), ObserveProblem> {
        let Some(least) = V::LEAST else {
            return Err(ObserveProblem::NotObservable(V::Id::KIND));
        };
        let id = read::<V::Id>(id, form).map_err(ObserveProblem::NoId)?.number();
        let followed = self.generator.follow(|scheme, slot| least.id(scheme, slot).number() > id);
        followed.map_err(ObserveProblem::Refused)
    }

    fn state(&self) -> LeaseState {
        self.generator.state()
    }

    fn first_lease(&self) -> Boxed<'_, Result<Lease, LeaseError>> {
        Box::pin(self.generator.first_lease_async())
    }

    fn wait_ready(&self, within: Duration) -> Boxed<'_, Result<(), GenerateError>> {
        Box::pin(self.generator.wait_ready_async(within, sleep))
    }

    fn release(&self) -> Boxed<'_, Result<(), StoreError>> {
        Box::pin(self.generator.shut_down_async())
    }
}

/// Reads an ID, or returns the reason why the text is not one.
fn read<I: SchemeId>(id: &str, form: OutputForm) -> Result<I, String> {
    if form != OutputForm::Int {
        return I::parse(id.as_bytes()).map_err(|error| error.to_string());
    }
    let is_decimal = id.bytes().all(|byte| byte.is_ascii_digit());
    let number = id.parse::<u64>().ok().filter(|_| is_decimal);
    let number = number.ok_or_else(|| {
        let start: String = id.chars().take(64).collect();
        format!("{start:?} is not a decimal integer of up to 64 bits")
    })?;
    I::from_number(number.into()).map_err(|error| error.to_string())
}

impl fmt::Debug for dyn Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issuer").field("state", &self.state()).finish()
    }
}
