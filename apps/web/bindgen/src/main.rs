//! Writes the JavaScript around a WebAssembly module. `wasm-bindgen-cli` does the same, but cargo
//! would install it without a lock file of ours.
//!
//! Usage: `tickid-web-bindgen MODULE FOLDER`

use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(module), Some(folder), None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: tickid-web-bindgen MODULE FOLDER".into());
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name("engine").typescript(false).omit_default_module_path(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.web(true)?.generate(folder)?;
    Ok(())
}
