//! A leased generator of any scheme.

use core::fmt;
use core::future::Future;
use core::pin::Pin;

use tickid_core::{Plain, Scheme};
use tickid_kuid::{Drift, Global, Kuid, Local};
use tickid_lease::{
    GenerateError, LeaseError, LeaseState, LeasedGenerator, Realm, RealmSpec, Store, StoreError,
};
use tickid_nanoflake::{Epoch, Nanoflake};
use tickid_scru64::Scru64;
use tickid_sno::{Meta, Sno};

use super::id::{Choice, Format, Framing, ServedId, write_ids};
use crate::error::RealmProblem;

/// IDs to issue in one go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) count: u32,
    pub(crate) format: Format,
    pub(crate) framing: Framing,
    /// The metabyte, for schemes that have one.
    pub(crate) meta: Option<u8>,
}

/// A leased generator behind its scheme.
pub(crate) trait Issuer: Send + Sync {
    /// Appends at least one and at most `order.count` IDs, as many as there are without waiting,
    /// and returns the number.
    fn try_issue(&self, order: Order, out: &mut Vec<u8>) -> Result<u32, GenerateError>;

    /// Returns an ID as an integer, without waiting. Zero for schemes without that form.
    fn try_integer(&self) -> Result<u64, GenerateError>;

    /// Returns the state of the lease.
    fn state(&self) -> LeaseState;

    /// Releases the node.
    fn release(self: Box<Self>) -> Boxed<Result<(), StoreError>>;
}

pub(crate) type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The facts about a realm's IDs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The name of the scheme.
    pub(crate) scheme: &'static str,
    /// The number of bytes of an ID.
    pub(crate) size: usize,
    /// Set if IDs have a form as an integer of up to 64 bits.
    pub(crate) is_integer: bool,
    /// Set if requests may name a metabyte.
    pub(crate) has_meta: bool,
    pub(crate) start: Start,
}

/// A function that acquires a lease of a realm.
type Start = fn(Store, RealmSpec, Lessee) -> Boxed<Result<Box<dyn Issuer>, StartError>>;

/// The options of leased generators.
#[derive(Clone, Debug)]
pub(crate) struct Lessee {
    pub(crate) holder: Option<String>,
}

/// The reason that a generator did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Realm(RealmProblem),
    #[error(transparent)]
    Lease(LeaseError),
}

impl Shape {
    /// Returns the shape of a realm's IDs.
    pub(crate) fn of(spec: &RealmSpec) -> Result<Self, RealmProblem> {
        let shape = match spec.scheme() {
            Scru64::NAME => Self::new::<Scru64, Plain>(),
            Nanoflake::NAME => Self::new::<Nanoflake, Plain>(),
            Kuid::NAME if spec.variants().contains(true) => Self::new::<Kuid, Global>(),
            Kuid::NAME => Self::new::<Kuid, Local>(),
            Sno::NAME => Self::new::<Sno, Meta>(),
            other => return Err(RealmProblem::Scheme(other.to_owned())),
        };
        Ok(shape)
    }

    fn new<S: Layout, V: Choice<S> + Default>() -> Self {
        Self {
            scheme: S::NAME,
            size: V::Id::SIZE,
            is_integer: V::Id::IS_INTEGER,
            has_meta: V::HAS_META,
            start: |store, spec, lessee| Box::pin(start::<S, V>(store, spec, lessee)),
        }
    }
}

/// A scheme with the layout of a realm in a store.
trait Layout: Scheme + Default {
    fn of(spec: &RealmSpec) -> Result<Self, RealmProblem>;
}

impl Layout for Scru64 {
    fn of(_: &RealmSpec) -> Result<Self, RealmProblem> {
        Ok(Self)
    }
}

impl Layout for Nanoflake {
    fn of(spec: &RealmSpec) -> Result<Self, RealmProblem> {
        let epoch = Epoch::from_unix_millis(spec.scale().epoch().as_millis());
        Ok(Self { epoch: epoch.map_err(|error| RealmProblem::Layout(error.to_string()))? })
    }
}

impl Layout for Kuid {
    fn of(spec: &RealmSpec) -> Result<Self, RealmProblem> {
        let bits = spec.layout().strip_prefix("drift ").and_then(|bits| bits.parse().ok());
        let drift = bits.and_then(|bits| Drift::new(bits).ok());
        let drift = drift.ok_or_else(|| RealmProblem::Layout(spec.layout().to_owned()))?;
        Ok(Self { drift })
    }
}

impl Layout for Sno {
    fn of(_: &RealmSpec) -> Result<Self, RealmProblem> {
        Ok(Self)
    }
}

async fn start<S: Layout, V: Choice<S> + Default>(
    store: Store,
    spec: RealmSpec,
    lessee: Lessee,
) -> Result<Box<dyn Issuer>, StartError> {
    let scheme = S::of(&spec).map_err(StartError::Realm)?;
    let realm = Realm::from_spec(scheme, spec);
    let realm = realm.map_err(|error| StartError::Realm(RealmProblem::Mismatch(error)))?;
    let mut builder = LeasedGenerator::builder(store, realm);
    if let Some(holder) = lessee.holder {
        builder = builder.holder(holder);
    }
    let generator = builder.start_async().await.map_err(StartError::Lease)?;
    Ok(Box::new(Leased { generator, variant: V::default() }))
}

/// A leased generator and the variant of IDs that its realm is for.
struct Leased<S: Scheme, V> {
    generator: LeasedGenerator<S>,
    variant: V,
}

/// The number of IDs generated at once.
const BATCH: usize = 256;

impl<S: Scheme, V: Choice<S>> Issuer for Leased<S, V> {
    fn try_issue(&self, order: Order, out: &mut Vec<u8>) -> Result<u32, GenerateError> {
        let variant = order.meta.map_or(self.variant, V::with_meta);
        let Order { count, format, framing, .. } = order;
        // One ID first: a call that is refused may use up as many sequences as it asks for. The
        // leased generator's own error names the trouble with the lease.
        let id = self.generator.with(variant).try_generate()?;
        write_ids(&[id], format, framing, out);
        let mut issued = 1;
        if count > 1
            && let Some(tenure) = self.generator.tenure()
        {
            let view = tenure.generator().with(variant);
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
        self.generator.with(self.variant).try_generate().map(ServedId::integer)
    }

    fn state(&self) -> LeaseState {
        self.generator.state()
    }

    fn release(self: Box<Self>) -> Boxed<Result<(), StoreError>> {
        Box::pin(self.generator.shut_down_async())
    }
}

impl fmt::Debug for dyn Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issuer").field("state", &self.state()).finish()
    }
}
