//! A leased generator of any scheme.

use core::fmt;
use core::future::Future;
use core::pin::Pin;

use tickid_convert::{AnyScheme, SchemeError, SchemeId as _, SchemeVariant, SchemeVisitor};
use tickid_core::Scheme;
use tickid_lease::{
    GenerateError, LeaseError, LeaseState, LeasedGenerator, Realm, RealmSpec, Store, StoreError,
};

use super::id::{Format, Framing, integer, write_ids};
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

/// Reports whether IDs have a metabyte that requests choose.
pub(crate) struct HasMeta;

impl SchemeVisitor for HasMeta {
    type Output = bool;

    fn visit<S: Scheme + Default, V: SchemeVariant<S>>(self, _: S, _: V) -> bool {
        V::HAS_METABYTE
    }
}

/// Acquires a lease of a realm.
pub(crate) struct Start {
    pub(crate) store: Store,
    pub(crate) spec: RealmSpec,
    pub(crate) holder: Option<String>,
}

impl SchemeVisitor for Start {
    type Output = Boxed<Result<Box<dyn Issuer>, StartError>>;

    fn visit<S: Scheme + Default, V: SchemeVariant<S>>(
        self,
        scheme: S,
        variant: V,
    ) -> Self::Output {
        Box::pin(async move {
            let Self { store, spec, holder } = self;
            let realm = Realm::from_spec(scheme, spec).map_err(RealmProblem::from)?;
            let mut builder = LeasedGenerator::builder(store, realm);
            if let Some(holder) = holder {
                builder = builder.holder(holder);
            }
            let generator = builder.start_async().await?;
            Ok(Box::new(Leased { generator, variant }) as Box<dyn Issuer>)
        })
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
    fn try_issue(&self, order: Order, out: &mut Vec<u8>) -> Result<u32, GenerateError> {
        let variant = order.meta.map_or(self.variant, V::with_metabyte);
        let Order { count, format, framing, .. } = order;
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
