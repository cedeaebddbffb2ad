//! Reads the IDs of Erlang programs, as text in both alphabets and as bytes, and continues with
//! another node.
//!
//! ```text
//! $ cargo run -p tickid-kuid --example kuid-migrate
//! .5.tXVEf8n8vPN.0  text of the current library
//! .5.tXVEf8n8vPN.0  URL-safe Base64, of its document
//! .5.tXVEf8n8vPN.0  bytes of uid:encode/1
//! .6.pJkPv7h3veZ..  new
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_kuid::{Generator, GlobalId, Node};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let text: GlobalId = ".5.tXVEf8n8vPN.0".parse()?;
    println!("{text}  text of the current library");
    // Most texts are valid in both alphabets, but stand for different IDs.
    let url = GlobalId::parse_url(text.encode_url().as_bytes())?;
    println!("{url}  URL-safe Base64, of its document");
    let bytes = GlobalId::from_bytes(text.to_bytes());
    println!("{bytes}  bytes of uid:encode/1");
    assert_eq!((url, bytes), (text, text));

    // No Erlang node has this name.
    let generator = Generator::new(Node::phash2("rust@127.0.0.1"))?;
    let id = generator.generate()?;
    assert!(id > text);
    println!("{id}  new");
    Ok(())
}
