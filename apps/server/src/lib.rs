//! An ID server, which gives time-ordered identifiers over RESP, the protocol of Redis, and over
//! HTTP.
//!
//! A generator inside the process takes nanoseconds for an ID and needs no network, so prefer that
//! where you can. The server is for programs in languages without a library, and for those that are
//! too short-lived or too many to lease a node each, for example with PHP-FPM or in scripts.
//!
//! Each server leases its nodes from a store, so the IDs of several servers of one realm differ
//! without any other coordination.
//!
//! ```
//! use tickid_lease::{Realm, Store};
//! use tickid_server::Server;
//! use tickid_sno::{Sno, SnoId};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let realm = Realm::builder("orders", Sno).pool("0-65535/16").build()?;
//! let builder = Server::builder(Store::in_memory()).realm(realm);
//! let server = builder.resp("127.0.0.1:0".parse()?).start().await?;
//!
//! // Any client of Redis, in any language.
//! let client = redis::Client::open(format!("redis://{}", server.resp_addresses()[0]))?;
//! let mut connection = client.get_connection()?;
//! let id: String = redis::cmd("TICKID.NEXT").arg("orders").query(&mut connection)?;
//! assert_eq!(id.parse::<SnoId>()?.to_string(), id);
//! server.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! | part | purpose |
//! |---|---|
//! | [`Server`] | a running server |
//! | [`ServerBuilder`] | its realms, addresses, tokens and certificates |
//! | [`Limits`] | the sizes, times and rates that it permits |
//!
//! The command `tickid serve` is this server with options of the command line, and `docs/server.md`
//! is the guide to it.
//!
//! # Protocols
//!
//! | RESP 2 and 3 | answer |
//! |---|---|
//! | `TICKID.NEXT realm` | an ID as text |
//! | `TICKID.NEXT realm 100` | an array of 100 IDs |
//! | `… AS int`, `hex`, `bytes` or a text | integers, hexadecimal digits, one string of all bytes, or [a text](tickid_convert::Form) such as `url` |
//! | `… META n` | IDs with this metabyte, for sno |
//! | `INCR realm`, `INCRBY realm 1` | an ID as an integer, for SCRU64, Nanoflake and local kuids |
//! | `TICKID.OBSERVE realm id` | `OK`, and all later IDs of this server are greater |
//! | `MULTI`, `EXEC`, `DISCARD`, `WATCH` | the same in one array |
//!
//! Clients with numbers of 53 bits, as in JavaScript, must ask for text, because they would round
//! integers, which can turn two IDs into one. Errors that pass by themselves start with `TRYAGAIN`,
//! and say when to repeat the request.
//!
//! | HTTP | answer |
//! |---|---|
//! | `GET /v1/realms` | the realms |
//! | `GET /v1/realms/{realm}/ids?count=&as=&meta=` | IDs as JSON, text or bytes |
//! | `POST /v1/realms/{realm}/observe?id=&as=` | all later IDs of this server are greater |
//! | `GET /healthz`, `/readyz`, `/metrics`, `/openapi.json` | for machines |
//!
//! # Threats
//!
//! Requests cannot make it panic, wait for longer than [`Limits::timeout`], or take more memory for
//! a connection than the limits say. It refuses an address that other machines can reach if tokens
//! or TLS are missing, unless [`insecure`](ServerBuilder::insecure) is set. Without tokens, anyone
//! could draw IDs, and without TLS, tokens could be read on the way.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

mod access;
mod error;
mod files;
#[cfg(any(feature = "_fuzzing", test))]
#[doc(hidden)]
pub mod fuzzing;
mod http;
mod limits;
mod listener;
mod metrics;
mod realm;
mod reload;
mod resp;
mod server;
mod shared;
mod socket;
mod stream;
mod tls;

pub use self::error::{RealmProblem, ReloadError, ServerError, Stopped};
pub use self::limits::Limits;
pub use self::server::{Server, ServerBuilder};
pub use self::tls::TlsFiles;
