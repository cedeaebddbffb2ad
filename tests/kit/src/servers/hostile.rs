//! A server that answers as no server should.

use core::sync::atomic::{AtomicU32, Ordering};
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// A server that answers requests as no server should. It serves until the tests end.
#[derive(Debug)]
pub struct Hostile {
    address: String,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    opened: AtomicU32,
    closed: AtomicU32,
}

impl Hostile {
    /// Starts a server that sends `greeting` to each client, waits for the first bytes of a request
    /// and then behaves in some way, before it waits until the client closes the connection.
    ///
    /// # Errors
    /// Returns the operating system's error if no port is free.
    pub fn new(
        greeting: Vec<u8>,
        behaviour: impl Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let counts = Arc::<Counts>::default();
        let (server, seen) = (Arc::new((greeting, behaviour)), Arc::clone(&counts));
        thread::spawn(move || {
            for mut client in listener.incoming().flatten() {
                let (server, seen) = (Arc::clone(&server), Arc::clone(&seen));
                seen.opened.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || {
                    let (greeting, behaviour) = &*server;
                    let mut serve = || {
                        client.write_all(greeting)?;
                        client.read_exact(&mut [0; 8])?;
                        behaviour(&mut client)?;
                        io::copy(&mut client, &mut io::sink())
                    };
                    // It ends when the client closes the connection, in whatever way.
                    drop(serve());
                    drop(client);
                    seen.closed.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Ok(Self { address, counts })
    }

    /// Returns its address: host and port.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the number of connections so far.
    #[must_use]
    pub fn connections(&self) -> u32 {
        self.counts.opened.load(Ordering::SeqCst)
    }

    /// Returns the number of connections that clients have not closed.
    #[must_use]
    pub fn open_connections(&self) -> u32 {
        // In this order, it is never negative.
        let closed = self.counts.closed.load(Ordering::SeqCst);
        self.connections() - closed
    }
}
