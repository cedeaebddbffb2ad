//! Servers that listen on a port of this machine.

use core::net::Ipv4Addr;
use core::time::Duration;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use crate::servers::kept::Kept;
use crate::servers::server::StartError;

/// The time that a server may take to start, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns a port that no process listens on.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Waits until the server on `port` answers `question` with a text that contains `answer`.
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
    // Until the server closes the connection, sends nothing more, or has sent the answer.
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        said.extend_from_slice(&buffer[..count]);
        if String::from_utf8_lossy(&said).contains(answer) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reports whether there is a program of this name.
pub(crate) fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Returns the library that shows a program another time, where Debian's package puts it.
#[must_use]
pub fn clock_library() -> Option<PathBuf> {
    let folders = fs::read_dir(Path::new("/usr/lib")).ok()?.flatten();
    let mut libraries = folders.map(|folder| folder.path().join("faketime/libfaketime.so.1"));
    libraries.find(|library| library.exists())
}
