//! Generators with a given node.

use js_sys::Reflect;
use tickid_convert::{AnyId, AnyScheme, Kind, SchemeVariant, SchemeVisitor};
use tickid_core::{Builder, Error, LocalGenerator, NodeId as _, Scheme};
use wasm_bindgen::prelude::*;

use crate::given::{self, Given, Thrown, camel_case, range_error, type_error};
use crate::id;

/// A generator of a scheme that is known only at run time.
#[wasm_bindgen]
pub struct Generator {
    source: Box<dyn AnyGenerator>,
}

#[wasm_bindgen]
impl Generator {
    /// Starts a generator.
    #[wasm_bindgen(constructor)]
    pub fn new(kind: &JsValue, options: Option<Given>) -> Result<Self, Thrown> {
        let options = options.as_ref();
        let mut layouts = given::layouts(options)?;
        let kind = id::scheme(kind, &mut layouts)?;
        let scheme = AnyScheme::new(kind, &layouts);
        let node = given::small(options, "node", 0..=u32::MAX)?;
        let node = match (node, kind.has_node()) {
            (Some(node), true) => node.into(),
            (None, false) => 0,
            (None, true) => return Err(type_error("the option node is missing")),
            (Some(_), false) => return Err(type_error(&format!("{kind} IDs have no node"))),
        };
        let bits = node_bits(&scheme).ok_or_else(|| {
            let names = kind.layout_options().iter().map(|option| camel_case(option.name));
            let names: Vec<String> = names.collect();
            type_error(&format!("the option {} is missing", names.join(", ")))
        })?;
        let metabyte = given::small(options, "metabyte", 0..=u8::MAX)?;
        if metabyte.is_some() && !kind.has_metabyte() {
            return Err(type_error(&format!("{kind} IDs have no metabyte")));
        }
        let source = scheme.visit(Start { bits, node, metabyte })?;
        Ok(Self { source })
    }

    /// Generates an ID without waiting: an integer of up to 64 bits, or else the text.
    pub fn generate(&mut self) -> Result<JsValue, JsValue> {
        let id = self.source.try_generate().map_err(|error| refusal(&error))?;
        let is_integer = id.kind().byte_len() <= 8;
        Ok(if is_integer { id.to_u128().into() } else { JsValue::from_str(&id.text()) })
    }
}

/// Returns the bits of a generator's node. A generator of IDs without a node has one as well, of
/// the size that the scheme's other kind has.
fn node_bits(scheme: &AnyScheme) -> Option<u32> {
    let name = scheme.kind().name();
    let mut kinds = Kind::ALL.iter().filter(|kind| kind.name() == name && kind.has_node());
    AnyScheme::new(*kinds.next()?, scheme.layouts()).node_bits()
}

/// Returns the exception for an ID that cannot be issued now.
fn refusal(error: &Error) -> JsValue {
    let exception = js_sys::Error::new(&error.to_string());
    exception.set_name("GenerateError");
    if let Some(wait) = error.retry_after() {
        // Timers have whole milliseconds.
        let millis = u32::try_from(wait.as_micros().div_ceil(1_000)).unwrap_or(u32::MAX);
        // A new object takes any property.
        let _ = Reflect::set(&exception, &"retryAfterMs".into(), &millis.max(1).into());
    }
    exception.into()
}

trait AnyGenerator {
    fn try_generate(&mut self) -> Result<AnyId, Error>;
}

struct Local<S: Scheme, V> {
    generator: LocalGenerator<S>,
    variant: V,
}

impl<S: Scheme, V: SchemeVariant<S>> AnyGenerator for Local<S, V> {
    fn try_generate(&mut self) -> Result<AnyId, Error> {
        self.generator.with(self.variant).try_generate().map(Into::into)
    }
}

/// Starts the generator of a node.
struct Start {
    bits: u32,
    node: u64,
    metabyte: Option<u8>,
}

impl SchemeVisitor for Start {
    type Output = Result<Box<dyn AnyGenerator>, Thrown>;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, variant: V) -> Self::Output {
        let node = S::Node::from_value(self.node, self.bits).map_err(range_error)?;
        let generator = Builder::of(scheme, node).build_local().map_err(range_error)?;
        let variant = self.metabyte.map_or(variant, V::with_metabyte);
        Ok(Box::new(Local { generator, variant }))
    }
}
