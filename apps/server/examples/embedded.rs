//! Starts a server inside the program, and requests three IDs over HTTP as any other program can.
//!
//! ```text
//! $ cargo run -p tickid-server --example embedded
//! 9q8q28b6522i6222
//! 9q8q28b6522i6223
//! 9q8q28b6522i6224
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_lease::{Realm, RealmSpec, Store};
use tickid_server::Server;
use tickid_sno::Sno;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn core::error::Error>> {
    // Leases in memory end with the program; `tickid_stores::open` takes the
    // URL of a folder or a server.
    let realm = RealmSpec::from(Realm::builder("orders", Sno).pool("0-1023/16").build()?);
    let server = Server::builder(Store::in_memory())
        .realm(realm)
        .http("127.0.0.1:0".parse()?) // a port chosen by the system
        .start()
        .await?;

    let mut connection = TcpStream::connect(server.http_addresses()).await?;
    let request = "GET /v1/realms/orders/ids?count=3 HTTP/1.1\r\nHost: localhost\r\n\
                   Accept: text/plain\r\nConnection: close\r\n\r\n";
    connection.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await?;
    let (head, ids) = answer.split_once("\r\n\r\n").ok_or("no body")?;
    if !head.starts_with("HTTP/1.1 200") {
        return Err(head.into());
    }
    print!("{ids}");

    server.stop().await; // releases the node
    Ok(())
}
