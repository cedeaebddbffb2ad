//! RESP, the protocol of Redis.

mod connection;
pub(crate) mod parse;
mod reply;
mod session;

pub(crate) use self::connection::serve;
