//! Tokens and encryption.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use tickid_server::{Server, TlsFiles};

use crate::support::{PATIENCE, Raw, builder};

const TOKEN: &str = "0123456789abcdef";

async fn with_tokens(folder: &Path) -> Server {
    let tokens = folder.join("tokens");
    fs::write(&tokens, format!("billing {TOKEN}\nfedcba9876543210\n")).unwrap();
    builder().tokens(tokens).start().await.unwrap()
}

#[tokio::test]
async fn resp_needs_a_token() {
    let folder = TempDir::new().unwrap();
    let server = with_tokens(folder.path()).await;
    let mut raw = Raw::resp(&server).await;
    for command in ["PING", "INCR scru64", "INFO", "GET x", "COMMAND"] {
        assert_eq!(raw.ask(command).await, "-NOAUTH Authentication required.", "{command}");
    }
    assert!(raw.ask("HELLO 3").await.starts_with("-NOAUTH HELLO must be called"));
    let wrong = "-WRONGPASS invalid username-password pair or user is disabled.";
    for command in ["AUTH x", "AUTH other 0123456789abcdef", "HELLO 3 AUTH default x"] {
        assert_eq!(raw.ask(command).await, wrong, "{command}");
    }
    assert_eq!(raw.ask(&format!("AUTH {TOKEN}")).await, "+OK");
    assert!(raw.ask("INCR scru64").await.starts_with(':'));
    for command in [format!("AUTH billing {TOKEN}"), "AUTH default fedcba9876543210".to_owned()] {
        assert_eq!(Raw::resp(&server).await.ask(&command).await, "+OK");
    }
    let hello = format!("HELLO 3 AUTH billing {TOKEN}");
    assert_eq!(Raw::resp(&server).await.ask(&hello).await, "%7");
    // A HELLO that fails admits nobody.
    let mut refused = Raw::resp(&server).await;
    let answer = refused.ask(&format!("HELLO 3 AUTH default {TOKEN} SETNAME \x7f")).await;
    assert!(answer.starts_with("-ERR Client names cannot contain"), "{answer}");
    assert_eq!(refused.ask("INCR scru64").await, "-NOAUTH Authentication required.");

    // A token that is taken away.
    fs::write(folder.path().join("tokens"), "fedcba9876543210").unwrap();
    server.reload().unwrap();
    assert_eq!(raw.ask("INCR scru64").await, "-NOAUTH Authentication required.");

    // In the middle of a transaction.
    assert_eq!(raw.ask("AUTH fedcba9876543210").await, "+OK");
    assert_eq!(raw.ask("MULTI").await, "+OK");
    assert_eq!(raw.ask("INCR scru64").await, "+QUEUED");
    fs::write(folder.path().join("tokens"), TOKEN).unwrap();
    server.reload().unwrap();
    assert_eq!(raw.ask("EXEC").await, "-NOAUTH Authentication required.");
    assert_eq!(raw.ask(&format!("AUTH {TOKEN}")).await, "+OK");
    assert_eq!(raw.ask("EXEC").await, "-ERR EXEC without MULTI");
    assert!(raw.ask("INCR scru64").await.starts_with(':'));
}

/// Neither other commands, a new state of the connection nor a valid token start the count anew.
#[tokio::test]
async fn wrong_tokens_end_a_resp_connection() {
    let folder = TempDir::new().unwrap();
    let server = with_tokens(folder.path()).await;
    let wrong = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
    let attempts = ["AUTH x", "HELLO 3 AUTH default x", "AUTH other 0123456789abcdef"];
    let rest = |count: usize| attempts.into_iter().cycle().take(count);

    let mut raw = Raw::resp(&server).await;
    for attempt in rest(4) {
        raw.send(format!("{attempt}\r\n")).await;
        raw.expect(wrong).await;
    }
    assert_eq!(raw.ask(&format!("AUTH {TOKEN}")).await, "+OK");
    assert_eq!(raw.ask("RESET").await, "+RESET");
    raw.send(format!("AUTH {TOKEN}\r\nPING\r\nAUTH x\r\nPING\r\n")).await;
    assert_eq!(raw.rest().await, format!("+OK\r\n+PONG\r\n{wrong}"));

    let mut raw = Raw::resp(&server).await;
    let guesses: String = rest(1_000).map(|guess| format!("{guess}\r\n")).collect();
    raw.send(format!("AUTH {TOKEN}\r\nMULTI\r\n{guesses}EXEC\r\n")).await;
    raw.expect(format!("+OK\r\n+OK\r\n{}*1000\r\n", "+QUEUED\r\n".repeat(1_000))).await;
    assert_eq!(raw.rest().await, wrong.repeat(5));
}

#[tokio::test]
async fn http_needs_a_token() {
    let folder = TempDir::new().unwrap();
    let server = with_tokens(folder.path()).await;
    let status = async |path: &str, header: &str| {
        let mut raw = Raw::http(&server).await;
        raw.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n{header}\r\n")).await;
        raw.line().await
    };
    let ids = "/v1/realms/sno/ids";
    for path in [ids, "/v1/realms", "/metrics", "/nothing"] {
        for header in
            ["", "Authorization: Bearer x\r\n", "Authorization: Basic 0123456789abcdef\r\n"]
        {
            assert_eq!(status(path, header).await, "HTTP/1.1 401 Unauthorized", "{path} {header}");
        }
    }
    for path in ["/healthz", "/readyz", "/openapi.json"] {
        assert_eq!(status(path, "").await, "HTTP/1.1 200 OK", "{path}");
    }
    let header = format!("authorization: bearer {TOKEN}\r\n");
    assert_eq!(status(ids, &header).await, "HTTP/1.1 200 OK");
}

/// A pipeline of guesses, among which the right one is the sixth.
#[tokio::test]
async fn wrong_tokens_end_an_http_connection() {
    let folder = TempDir::new().unwrap();
    let server = with_tokens(folder.path()).await;
    let ask = |token: &str| {
        let authorization = format!("Authorization: Bearer {token}\r\n");
        format!("GET /v1/realms HTTP/1.1\r\nHost: a\r\n{authorization}\r\n")
    };
    let mut raw = Raw::http(&server).await;
    // Its client has shown its own token, and guesses another's.
    raw.send(ask(TOKEN) + &ask("x").repeat(5) + &ask(TOKEN)).await;
    let answers = raw.rest().await;
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 1, "{answers}");
    assert_eq!(answers.matches("HTTP/1.1 401 Unauthorized").count(), 5, "{answers}");
    assert_eq!(answers.matches("connection: close").count(), 1, "{answers}");
}

/// As RFC 9110 has it, at least one space follows the scheme.
#[tokio::test]
async fn a_request_has_one_authorization() {
    let folder = TempDir::new().unwrap();
    let server = with_tokens(folder.path()).await;
    let authorization = format!("Authorization: Bearer  {TOKEN}\r\n");
    for (headers, status) in [(1, "200 OK"), (2, "400 Bad Request")] {
        let mut raw = Raw::http(&server).await;
        let headers = authorization.repeat(headers);
        raw.send(format!("GET /v1/realms HTTP/1.1\r\nHost: a\r\n{headers}\r\n")).await;
        assert_eq!(raw.line().await, format!("HTTP/1.1 {status}"));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn unix_sockets_are_for_owner_and_group() {
    use std::os::unix::fs::PermissionsExt as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let folder = TempDir::new().unwrap();
    let path = folder.path().join("socket");
    let server = builder().unix(&path).start().await.unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o660);
    let mut stream = tokio::net::UnixStream::connect(&path).await.unwrap();
    stream.write_all(b"PING\r\nQUIT\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert_eq!(answer, "+PONG\r\n+OK\r\n");

    let error = builder().unix(&path).start().await.unwrap_err().to_string();
    assert!(error.contains("a server listens on it"), "{error}");
    server.stop().await;
    assert!(!path.exists());
    // One that a killed server has left.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let server = builder().unix(&path).start().await.unwrap();
    // One that has lost its path to another.
    fs::remove_file(&path).unwrap();
    let other = builder().unix(&path).start().await.unwrap();
    server.stop().await;
    tokio::net::UnixStream::connect(&path).await.unwrap();
    other.stop().await;
    fs::write(&path, "text").unwrap();
    let error = builder().unix(&path).start().await.unwrap_err().to_string();
    assert!(error.contains("it is not a socket"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A server that accepts nothing has no room for another client, and still has its path.
#[cfg(unix)]
#[tokio::test]
async fn unix_sockets_with_full_queues_are_in_use() {
    use socket2::{Domain, SockAddr, Socket, Type};

    let folder = TempDir::new().unwrap();
    let path = folder.path().join("socket");
    let address = SockAddr::unix(&path).unwrap();
    let socket = || {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
        socket.set_nonblocking(true).unwrap();
        socket
    };
    let listener = socket();
    listener.bind(&address).unwrap();
    listener.listen(0).unwrap();
    let mut waiting = Vec::new();
    // Where the system refuses clients of a full queue, it looks stale.
    let full = loop {
        let client = socket();
        match client.connect(&address) {
            Ok(()) => waiting.push(client),
            Err(error) => break error.kind(),
        }
    };
    if full != std::io::ErrorKind::WouldBlock {
        return;
    }
    // In a thread of its own, so that a start that blocks the runtime fails instead of hanging.
    let (sender, receiver) = std::sync::mpsc::channel();
    let taken = path.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let error = runtime.block_on(builder().unix(taken).start()).unwrap_err();
        let _ = sender.send(error.to_string());
    });
    let error = receiver.recv_timeout(PATIENCE).expect("an answer in time");
    assert!(error.contains("a server listens on it"), "{error}");
    assert!(path.exists());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn unix_paths_have_up_to_107_bytes() {
    let folder = TempDir::new().unwrap();
    let fill = |len: usize| {
        let start = folder.path().to_str().unwrap().len() + 1;
        folder.path().join("s".repeat(len - start))
    };
    for len in [100, 107] {
        let path = fill(len);
        let server = builder().unix(&path).start().await.unwrap();
        tokio::net::UnixStream::connect(&path).await.unwrap();
        server.stop().await;
        assert!(!path.exists());
    }
    let error = builder().unix(fill(108)).start().await.unwrap_err();
    let reason = core::error::Error::source(&error).unwrap().to_string();
    assert_eq!(reason, "a socket's path cannot have 108 bytes (Linux: at most 107)");
}

/// In containers each start has the same process ID, also after the server was killed in it.
#[cfg(unix)]
#[tokio::test]
async fn unix_sockets_need_no_other_name() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("socket");
    fs::create_dir(folder.path().join(format!("socket.{}", std::process::id()))).unwrap();
    let server = builder().unix(&path).start().await.unwrap();
    tokio::net::UnixStream::connect(&path).await.unwrap();
    server.stop().await;
}

#[cfg(unix)]
mod tls {
    use std::process::Command;
    use std::sync::Arc;

    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
    use rustls::{ClientConfig, RootCertStore};
    use tickid_testkit::servers::CERTIFICATES;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;
    use tokio_rustls::TlsConnector;

    use super::*;

    fn certificates() -> TempDir {
        let folder = TempDir::new().unwrap();
        let made = Command::new("sh").args(["-c", CERTIFICATES]).current_dir(&folder).output();
        let made = made.unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        folder
    }

    fn files(folder: &TempDir, has_authorities: bool) -> TlsFiles {
        let path = |name| folder.path().join(name);
        TlsFiles {
            certificate: path("server.crt"),
            key: path("server.key"),
            client_authorities: has_authorities.then(|| path("ca.pem")),
        }
    }

    fn client(folder: &TempDir, has_certificate: bool, protocol: &[u8]) -> TlsConnector {
        let path = |name| folder.path().join(name);
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(path("ca.pem")).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let mut config = if has_certificate {
            let chain = vec![CertificateDer::from_pem_file(path("client.crt")).unwrap()];
            let key = PrivateKeyDer::from_pem_file(path("client.key")).unwrap();
            config.with_client_auth_cert(chain, key).unwrap()
        } else {
            config.with_no_client_auth()
        };
        if !protocol.is_empty() {
            config.alpn_protocols = vec![protocol.to_vec()];
        }
        TlsConnector::from(Arc::new(config))
    }

    /// Sends bytes over an encrypted connection and returns the answer.
    async fn exchange(
        connector: &TlsConnector,
        address: core::net::SocketAddr,
        request: &str,
    ) -> std::io::Result<String> {
        let stream = TcpStream::connect(address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        let mut stream = connector.connect(name, stream).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = vec![0; 1_024];
        let len = stream.read(&mut answer).await?;
        Ok(String::from_utf8_lossy(&answer[..len]).into_owned())
    }

    /// Does the same, and returns all that comes until the connection ends.
    async fn exchange_all(
        connector: &TlsConnector,
        address: core::net::SocketAddr,
        request: &str,
    ) -> std::io::Result<String> {
        let stream = TcpStream::connect(address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        let mut stream = connector.connect(name, stream).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok(answer)
    }

    #[tokio::test]
    async fn connections_are_encrypted() {
        let folder = certificates();
        let server = builder().tls(files(&folder, false)).start().await.unwrap();
        let (resp, http) = (server.resp_addresses()[0], server.http_addresses()[0]);
        let connector = client(&folder, false, b"");
        assert_eq!(exchange(&connector, resp, "PING\r\n").await.unwrap(), "+PONG\r\n");
        let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
        let answer = exchange(&connector, http, request).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        let stream = TcpStream::connect(http).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let stream = client(&folder, false, b"h2").connect(name, stream).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        // Plain text is not answered.
        assert!(!Raw::resp(&server).await.is_answered("PING\r\n").await);

        // Other files, read upon a reload.
        let other = certificates();
        for name in ["server.crt", "server.key", "ca.pem"] {
            fs::copy(other.path().join(name), folder.path().join(name)).unwrap();
        }
        assert!(exchange(&connector, resp, "PING\r\n").await.is_ok());
        server.reload().unwrap();
        assert!(exchange(&connector, resp, "PING\r\n").await.is_err());
        let connector = client(&folder, false, b"");
        assert_eq!(exchange(&connector, resp, "PING\r\n").await.unwrap(), "+PONG\r\n");
        fs::write(folder.path().join("server.key"), "no key").unwrap();
        assert!(server.reload().is_err());
        assert_eq!(exchange(&connector, resp, "PING\r\n").await.unwrap(), "+PONG\r\n");
    }

    #[tokio::test]
    async fn every_broken_file_is_reported() {
        let folder = certificates();
        let tokens = folder.path().join("tokens");
        fs::write(&tokens, TOKEN).unwrap();
        let builder = builder().tls(files(&folder, true)).tokens(&tokens);
        let server = builder.start().await.unwrap();
        let names = ["tokens", "server.crt", "server.key", "ca.pem"];
        for name in names {
            fs::write(folder.path().join(name), "broken").unwrap();
        }
        let error = server.reload().unwrap_err();
        assert_eq!(error.files.len(), names.len());
        for (file, name) in error.files.iter().zip(names) {
            assert!(file.to_string().contains(name), "{file}");
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    /// Makes a pipe, and writes its contents once.
    fn pipe(path: std::path::PathBuf, contents: Vec<u8>) {
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        std::thread::spawn(move || fs::write(path, contents));
    }

    /// Whoever opened a pipe again would wait until somebody writes into it.
    #[tokio::test]
    async fn what_came_from_a_pipe_is_kept() {
        let (folder, other) = (certificates(), certificates());
        let tokens = folder.path().join("tokens");
        pipe(tokens.clone(), TOKEN.into());
        let server = builder().tls(files(&folder, false)).tokens(&tokens).start().await.unwrap();
        let address = server.resp_addresses()[0];
        let auth = format!("AUTH {TOKEN}\r\n");
        assert_eq!(
            exchange(&client(&folder, false, b""), address, &auth).await.unwrap(),
            "+OK\r\n"
        );
        // The others are read again.
        for name in ["server.crt", "server.key", "ca.pem"] {
            fs::copy(other.path().join(name), folder.path().join(name)).unwrap();
        }
        server.reload().unwrap();
        assert_eq!(exchange(&client(&other, false, b""), address, &auth).await.unwrap(), "+OK\r\n");

        // A certificate and its key, of which one is a pipe, are kept together.
        let (folder, other) = (certificates(), certificates());
        let (key, tokens) = (folder.path().join("server.key"), folder.path().join("tokens"));
        let contents = fs::read(&key).unwrap();
        fs::remove_file(&key).unwrap();
        pipe(key, contents);
        fs::write(&tokens, "fedcba9876543210").unwrap();
        let server = builder().tls(files(&folder, false)).tokens(&tokens).start().await.unwrap();
        let address = server.resp_addresses()[0];
        fs::copy(other.path().join("server.crt"), folder.path().join("server.crt")).unwrap();
        fs::write(&tokens, TOKEN).unwrap();
        server.reload().unwrap();
        assert_eq!(
            exchange(&client(&folder, false, b""), address, &auth).await.unwrap(),
            "+OK\r\n"
        );
    }

    #[tokio::test]
    async fn reloads_and_the_end_of_the_certificate_are_metrics() {
        let folder = certificates();
        let path = folder.path().join("server.crt");
        let shell = format!(
            "date -d \"$(openssl x509 -enddate -noout -in {} | cut -d= -f2)\" +%s",
            path.display()
        );
        let end = Command::new("sh").args(["-c", &shell]).output().unwrap().stdout;
        let end = format!(
            "tickid_server_certificate_end_timestamp_seconds {}",
            String::from_utf8(end).unwrap()
        );
        let server = builder().tls(files(&folder, false)).start().await.unwrap();
        let address = server.http_addresses()[0];
        let metrics = async || {
            let request = "GET /metrics HTTP/1.0\r\nHost: a\r\n\r\n";
            exchange_all(&client(&folder, false, b"http/1.1"), address, request).await.unwrap()
        };
        let before = metrics().await;
        assert!(before.contains(&end), "{end}: {before}");
        assert!(before.contains("tickid_server_reload_failures_total 0\n"), "{before}");
        fs::write(&path, "no certificate").unwrap();
        assert!(server.reload().is_err());
        let after = metrics().await;
        assert!(after.contains(&end), "{after}");
        assert!(after.contains("tickid_server_reload_failures_total 1\n"), "{after}");
    }

    /// A token that was revoked stays if the same reload has met half of a new certificate: what is
    /// in use at any time was in the files together.
    #[tokio::test]
    async fn a_reload_takes_all_files_or_none() {
        let (folder, other) = (certificates(), certificates());
        let tokens = folder.path().join("tokens");
        fs::write(&tokens, TOKEN).unwrap();
        let server = builder().tls(files(&folder, false)).tokens(&tokens).start().await.unwrap();
        let address = server.resp_addresses()[0];
        let connector = client(&folder, false, b"");
        let auth = async |connector: &TlsConnector, token: &str| {
            exchange(connector, address, &format!("AUTH {token}\r\n")).await.unwrap()
        };
        let replaced = "fedcba9876543210";
        fs::write(&tokens, replaced).unwrap();
        fs::copy(other.path().join("server.key"), folder.path().join("server.key")).unwrap();
        let error = server.reload().unwrap_err();
        assert!(error.to_string().contains("server.key"), "{error}");
        assert_eq!(auth(&connector, TOKEN).await, "+OK\r\n");
        assert!(auth(&connector, replaced).await.starts_with("-WRONGPASS"));
        // The rest of it.
        for name in ["server.crt", "ca.pem"] {
            fs::copy(other.path().join(name), folder.path().join(name)).unwrap();
        }
        server.reload().unwrap();
        let connector = client(&folder, false, b"");
        assert_eq!(auth(&connector, replaced).await, "+OK\r\n");
        assert!(auth(&connector, TOKEN).await.starts_with("-WRONGPASS"));
    }

    #[tokio::test]
    async fn clients_show_certificates() {
        let folder = certificates();
        let server = builder().tls(files(&folder, true)).start().await.unwrap();
        let address = server.resp_addresses()[0];
        let known = client(&folder, true, b"");
        assert_eq!(exchange(&known, address, "PING\r\n").await.unwrap(), "+PONG\r\n");
        let unknown = client(&folder, false, b"");
        assert!(exchange(&unknown, address, "PING\r\n").await.is_err());
    }

    #[tokio::test]
    async fn other_machines_need_both() {
        let folder = certificates();
        let open = "0.0.0.0:0".parse().unwrap();
        let with_tls = || builder().resp(open).tls(files(&folder, false));
        let error = with_tls().start().await.unwrap_err().to_string();
        assert!(error.contains("that takes tokens, or"), "{error}");
        let tokens = folder.path().join("tokens");
        fs::write(&tokens, TOKEN).unwrap();
        let error = builder().resp(open).tokens(&tokens).start().await.unwrap_err().to_string();
        assert!(error.contains("that takes TLS, or"), "{error}");
        with_tls().tokens(&tokens).start().await.unwrap();
        builder().resp(open).insecure(true).start().await.unwrap();
    }
}
