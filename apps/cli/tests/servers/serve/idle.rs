//! Many connections that send nothing.

use core::net::SocketAddr;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use tempfile::TempDir;

use super::serving::Serving;
use crate::process::with_state;

/// The most bytes of memory that a connection may take, of those that have sent a command of RESP.
const MOST: u64 = 8 << 10;

/// Holds connections open that have sent a request, half of them in the middle of another: all are
/// answered at the end, and an idle one of RESP takes little memory.
pub(crate) fn idle_connections_are_kept() {
    let wanted = std::env::var("TICKID_CONNECTIONS").map_or(1_000, |it| it.parse().unwrap());
    let count = wanted.min(most_files() - 200);
    let state = TempDir::new().unwrap();
    let options = format!("serve --realm a=kuid --max-connections {}", count + 100);
    let serving = Serving::start(with_state(state.path(), &options));
    let kinds = [
        ("RESP", serving.resp, &b"PING\r\n"[..], &b"+PONG\r\n"[..]),
        ("HTTP/1.1", serving.http, b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", b"\r\n\r\nok\n"),
    ];
    for (kind, address, request, end) in kinds {
        // The first connections also take what all of them share.
        let mut connections = open(address, 50, request, end);
        let before = memory(serving.id());
        connections.extend(open(address, count - 50, request, end));
        let each = (memory(serving.id()).saturating_sub(before)) / (count as u64 - 50);
        println!("shown: {count} idle connections of {kind}: {each} bytes each");
        assert!(kind != "RESP" || each <= MOST, "{each} bytes for each connection");
        for (index, connection) in connections.iter_mut().enumerate() {
            // Half of them in two parts.
            let (head, tail) = request.split_at(if index % 2 == 0 { 0 } else { 3 });
            connection.write_all(head).unwrap();
            connection.write_all(tail).unwrap();
        }
        connections.iter_mut().for_each(|connection| read_until(connection, end));
    }
}

/// Returns the number of files that a process may have open.
fn most_files() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let limit = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    limit.unwrap_or(1_024)
}

fn open(address: SocketAddr, count: usize, request: &[u8], end: &[u8]) -> Vec<TcpStream> {
    let open = || {
        let mut connection = TcpStream::connect(address).unwrap();
        connection.set_nodelay(true).unwrap();
        connection.write_all(request).unwrap();
        read_until(&mut connection, end);
        connection
    };
    (0..count).map(|_| open()).collect()
}

fn read_until(connection: &mut TcpStream, end: &[u8]) {
    let (mut answer, mut buffer) = (Vec::new(), [0; 1_024]);
    while !answer.ends_with(end) {
        let len = connection.read(&mut buffer).unwrap();
        assert_ne!(len, 0, "the connection was closed after {}", answer.escape_ascii());
        answer.extend_from_slice(&buffer[..len]);
    }
}

/// Returns the bytes of memory that a process has; 0 where the system does not report it.
fn memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: Option<u64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kib.map_or(0, |kib| kib << 10)
}
