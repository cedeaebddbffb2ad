//! A proxy that counts round trips.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use tickid_testkit::servers::MySql;

pub(crate) struct Proxy {
    port: u16,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    round_trips: AtomicU32,
    /// The server has sent something since the client did.
    was_answered: AtomicBool,
}

impl Proxy {
    pub(crate) fn new(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let counts = Arc::<Counts>::default();
        let seen = Arc::clone(&counts);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client?, TcpStream::connect(("127.0.0.1", target))?);
                let (from, to) = (client.try_clone()?, server.try_clone()?);
                let (there, back) = (Arc::clone(&seen), Arc::clone(&seen));
                thread::spawn(move || {
                    pass(from, to, || {
                        if there.was_answered.swap(false, Ordering::SeqCst) {
                            there.round_trips.fetch_add(1, Ordering::SeqCst);
                        }
                    })
                });
                thread::spawn(move || {
                    pass(server, client, || back.was_answered.store(true, Ordering::SeqCst))
                });
            }
            io::Result::Ok(())
        });
        Self { port, counts }
    }

    pub(crate) fn url(&self, server: &MySql) -> String {
        server.url().replace(&format!(":{}", server.port()), &format!(":{}", self.port))
    }

    /// Returns the number of round trips since it was last called.
    pub(crate) fn round_trips(&self) -> u32 {
        self.counts.round_trips.swap(0, Ordering::SeqCst)
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, seen: impl Fn()) -> io::Result<()> {
    let mut buffer = [0; 8_192];
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return to.shutdown(std::net::Shutdown::Both);
        }
        seen();
        to.write_all(&buffer[..count])?;
    }
}
