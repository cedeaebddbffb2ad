//! Clients that mean harm, and resources that run out.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;

use tempfile::TempDir;

use super::serving::{Client, Serving, http};
use crate::process::{OK, by_way_of, ran, ran_in, with_state};

/// HTTP/2 clients may acknowledge pings that were never sent, and a library warns each time.
pub(crate) fn libraries_write_no_log() {
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    const ACK: &[u8] = b"\0\0\x08\x06\x01\0\0\0\0unwanted";
    let state = TempDir::new().unwrap();
    let serving = Serving::start(with_state(state.path(), "serve --realm a=kuid"));
    let mut stream = TcpStream::connect(serving.http).unwrap();
    stream.write_all(PREFACE).unwrap();
    stream.write_all(&ACK.repeat(20_000)).unwrap();
    // One that is answered: the others were read.
    stream.write_all(b"\0\0\x08\x06\0\0\0\0\0answered").unwrap();
    let mut answers = Vec::new();
    while !answers.ends_with(b"answered") {
        let mut buffer = [0; 1_024];
        let len = stream.read(&mut buffer).unwrap();
        assert_ne!(len, 0);
        answers.extend_from_slice(&buffer[..len]);
    }
    serving.signal("TERM");
    let (_, log) = serving.end();
    assert!(log.len() < 4_000, "{} bytes: {log:.1000}", log.len());
}

/// Guessed tokens do not fill the log, which names the address that they came from.
pub(crate) fn wrong_tokens_are_logged_once() {
    let state = TempDir::new().unwrap();
    let tokens = state.path().join("tokens");
    fs::write(&tokens, "0123456789abcdef").unwrap();
    let options = format!("serve --realm a=kuid --token-file {}", tokens.display());
    let mut serving = Serving::start(with_state(state.path(), &options));
    for _ in 0..50 {
        assert!(serving.client().ask("AUTH fedcba9876543210").unwrap().starts_with("-WRONGPASS"));
        let header = "Authorization: Bearer fedcba9876543210\r\n";
        assert_eq!(http(serving.http, "/v1/realms", header).0, 401);
    }
    let line = serving.logged("a client has no valid token");
    assert!(line["peer"].as_str().unwrap().starts_with("127.0.0.1:"), "{line}");
    assert_eq!(line["suppressed"], 0);
    serving.signal("TERM");
    let (_, log) = serving.end();
    assert_eq!(log.matches("no valid token").count(), 1, "{log}");
}

/// Connections are refused before the store has no descriptors left.
pub(crate) fn few_files_end_no_lease() {
    const FILES: usize = 120;
    let state = TempDir::new().unwrap();
    let init = "lease init sno --realm a --term 2 --skew 60 --new";
    assert_eq!(ran_in(state.path(), init).status, OK);
    let start = |files: usize, options: &str| {
        let serve = with_state(state.path(), &format!("serve --realm a {options}"));
        let limited = format!("ulimit -n {files} && exec \"$@\"");
        by_way_of(&serve, "sh", &["-c", &limited, "sh"])
    };
    let refused = ran(&mut start(60, ""));
    assert!(refused.stderr.contains("the limit of open files is 60, fewer than"), "{refused:?}");
    assert!(refused.stderr.contains("ulimit -n"), "{refused:?}");

    let mut serving = Serving::start(start(FILES, "--log-level debug"));
    let mut clients: Vec<Client> = (0..2 * FILES).map(|_| serving.client()).collect();
    let is_answered = |client: &mut Client| match client.ask("PING") {
        Ok(answer) => answer == "+PONG",
        Err(error) => {
            assert_ne!(error.kind(), ErrorKind::WouldBlock, "neither answered nor refused");
            false
        }
    };
    let answered = clients.iter_mut().map(is_answered).filter(|&it| it).count();
    // As the log says, of 10,000.
    assert!((20..FILES).contains(&answered), "{answered}");
    for _ in 0..4 {
        serving.logged("lease renewed");
    }
    assert_eq!(clients[0].ids::<10>("a", 3).unwrap().len(), 3);
    serving.signal("TERM");
    let (_, log) = serving.end();
    assert!(log.contains(&format!("\"connections\":{answered}")), "{log}");
    // A busy machine may answer a renewal late.
    let is_hurt = |line: &str| line.contains("no lease or no renewal") && line.contains("os error");
    assert!(!log.lines().any(is_hurt), "{log}");
}
