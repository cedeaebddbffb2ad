//! Servers that listen on a port of this machine.

use core::net::Ipv4Addr;
use core::ops::RangeInclusive;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use std::{process, thread};

use crate::servers::kept::Kept;
use crate::servers::server::StartError;

/// The time that a server may take to start, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The range is below the ports that systems assign to clients, so no client can take a server's
/// port before it starts or while it restarts.
const PORTS: RangeInclusive<u16> = 10_000..=32_767;

/// Returns a port of this machine that no process listens on, and reserves it until this program
/// ends: no other call returns it, neither here nor in another test program.
///
/// # Errors
/// Returns the operating system's error if no port is free.
pub fn free_port() -> io::Result<u16> {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    // The UDP ports of the same numbers, which no server uses. On a busy machine it takes seconds
    // until a server has its own.
    static RESERVED: Mutex<Vec<UdpSocket>> = Mutex::new(Vec::new());
    // Test programs that run at the same time start at different ports.
    let ports = u32::from(PORTS.end() - PORTS.start()) + 1;
    let start = process::id().wrapping_mul(101);
    let mut taken = io::Error::from(io::ErrorKind::AddrInUse);
    for _ in PORTS {
        let offset = start.wrapping_add(CALLS.fetch_add(1, Ordering::Relaxed)) % ports;
        let port = PORTS.start() + u16::try_from(offset).unwrap_or(0);
        let address = (Ipv4Addr::LOCALHOST, port);
        let reserve = |reserved| TcpListener::bind(address).map(|_| reserved);
        match UdpSocket::bind(address).and_then(reserve) {
            Ok(reserved) => {
                RESERVED.lock().unwrap_or_else(PoisonError::into_inner).push(reserved);
                return Ok(port);
            }
            Err(error) => taken = error,
        }
    }
    Err(taken)
}

/// Waits until the server on `port` replies to `question` with a text that contains `answer`.
pub(crate) fn wait_for_answer(
    kept: &Kept,
    port: u16,
    question: &str,
    answer: &str,
) -> Result<(), StartError> {
    let start = Instant::now();
    while !answers(port, question, answer).unwrap_or(false) {
        if start.elapsed() > PATIENCE {
            return Err(kept.failure());
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn answers(port: u16, question: &str, answer: &str) -> io::Result<bool> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    stream.write_all(question.as_bytes())?;
    let mut said = Vec::new();
    let mut buffer = [0; 1_024];
    // Reads until the server closes the connection, sends nothing more, or has sent the answer.
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        said.extend_from_slice(&buffer[..count]);
        if String::from_utf8_lossy(&said).contains(answer) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reports whether a program of this name is on the `PATH`.
pub(crate) fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Returns the library that shows a program a different time, if it is where Debian's package
/// installs it.
#[must_use]
pub fn clock_library() -> Option<PathBuf> {
    let folders = fs::read_dir(Path::new("/usr/lib")).ok()?.flatten();
    let mut libraries = folders.map(|folder| folder.path().join("faketime/libfaketime.so.1"));
    libraries.find(|library| library.exists())
}
