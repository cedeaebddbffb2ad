//! Generators with a given node.

use js_sys::Reflect;
use tickid_convert::{AnyLocalGenerator, AnyScheme};
use tickid_core::{AnyNode, Error};
use wasm_bindgen::prelude::*;

use crate::given::{self, Given, Thrown, camel_case, range_error, type_error};
use crate::id;

/// A generator of a scheme that is known only at run time.
#[wasm_bindgen]
pub struct Generator {
    source: AnyLocalGenerator,
}

#[wasm_bindgen]
impl Generator {
    /// Starts a generator.
    #[wasm_bindgen(constructor)]
    pub fn new(kind: &JsValue, options: Option<Given>) -> Result<Self, Thrown> {
        let options = options.as_ref();
        let mut settings = given::settings(options)?;
        // The name may be that of a layout, such as `discord`, which becomes one of the settings.
        // The scheme is therefore made afterwards.
        let kind = id::scheme(kind, &mut settings)?;
        let scheme = AnyScheme::new(kind, &settings);
        let node = given::small(options, "node", 0..=u32::MAX)?;
        // A node that the IDs do not show is refused and not ignored, because its caller would take
        // two such generators for distinct.
        let node = match (node, kind.has_node()) {
            (Some(node), true) => node.into(),
            (None, false) => 0,
            (None, true) => return Err(type_error("the option node is missing")),
            (Some(_), false) => return Err(type_error(&format!("{kind} IDs have no node"))),
        };
        // If IDs have no node, its size does not matter. SCRU64's IDs have one of any size and do
        // not say which, so `nodeSize` must.
        let bits = scheme.node_bits().or((!kind.has_node()).then_some(0)).ok_or_else(|| {
            let names = kind.setting_options().iter().map(|option| camel_case(option.name));
            let names: Vec<String> = names.collect();
            type_error(&format!("the option {} is missing", names.join(", ")))
        })?;
        let metabyte = given::small(options, "metabyte", 0..=u8::MAX)?;
        // The builder ignores a metabyte that the scheme has no place for.
        if metabyte.is_some() && !kind.has_metabyte() {
            return Err(type_error(&format!("{kind} IDs have no metabyte")));
        }
        let builder = scheme.builder(AnyNode::new(node, bits).map_err(range_error)?);
        let builder = builder.metabyte(metabyte.unwrap_or(0));
        Ok(Self { source: builder.build_local().map_err(range_error)? })
    }

    /// Generates an ID without waiting: an integer of up to 64 bits, or else the text.
    pub fn generate(&mut self) -> Result<JsValue, JsValue> {
        let id = self.source.try_generate().map_err(|error| refusal(&error))?;
        let is_integer = id.kind().byte_len() <= 8;
        Ok(if is_integer { id.to_u128().into() } else { JsValue::from_str(&id.text()) })
    }
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
