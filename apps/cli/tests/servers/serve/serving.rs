//! A server that runs, and a client that sends bytes.

use core::net::SocketAddr;
use core::time::Duration;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

/// The longest that anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running `tickid serve`, which ends with this.
pub(crate) struct Serving {
    child: Child,
    /// The lines of its log, read by a thread, so that it never waits for this process.
    lines: Receiver<String>,
    /// Those received so far.
    log: String,
    pub(crate) resp: SocketAddr,
    pub(crate) http: SocketAddr,
}

impl Serving {
    /// Starts a command with ports of the system's choice, and reads its log until it listens.
    pub(crate) fn start(mut command: Command) -> Self {
        command.args(["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--log", "json"]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let nowhere = SocketAddr::from(([0; 4], 0));
        let mut serving = Self { child, lines, log: String::new(), resp: nowhere, http: nowhere };
        serving.resp = serving.address("resp");
        serving.http = serving.address("http");
        serving
    }

    /// Reads the log up to an address.
    fn address(&mut self, protocol: &str) -> SocketAddr {
        let line = self.logged("listening");
        assert_eq!(line["protocol"], protocol);
        line["address"].as_str().unwrap().parse().unwrap()
    }

    /// Reads the log up to a line with this message.
    pub(crate) fn logged(&mut self, message: &str) -> Value {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("no line with {message:?}:\n{}", self.log));
            self.log += &line;
            self.log.push('\n');
            // Remarks of the command are no JSON.
            let Ok(value) = serde_json::from_str::<Value>(&line) else { continue };
            if value["message"] == message {
                return value;
            }
        }
    }

    /// Returns the ID of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits until the process has ended after a signal, and returns its log.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let mut log = core::mem::take(&mut self.log);
        for line in self.lines.iter() {
            log += &line;
            log.push('\n');
        }
        (self.child.wait().unwrap(), log)
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.resp).unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client of RESP.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> std::io::Result<Self> {
        Self::with_patience(address, PATIENCE)
    }

    /// Connects to a server whose answers may take as long.
    pub(crate) fn with_patience(address: SocketAddr, patience: Duration) -> std::io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, patience)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends a command and returns the first line of the answer; empty if the server ended.
    pub(crate) fn ask(&mut self, command: &str) -> std::io::Result<String> {
        self.stream.get_mut().write_all(format!("{command}\r\n").as_bytes())?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    /// Asks for IDs as bytes; `None` if the server has none now, or ended.
    pub(crate) fn ids<const SIZE: usize>(
        &mut self,
        realm: &str,
        n: usize,
    ) -> Option<Vec<[u8; SIZE]>> {
        let line = self.ask(&format!("TICKID.NEXT {realm} {n} AS bytes")).ok()?;
        let len: usize = line.strip_prefix('$')?.parse().ok()?;
        assert_eq!(len, n * SIZE);
        let mut bytes = vec![0; len + 2];
        self.stream.read_exact(&mut bytes).ok()?;
        Some(bytes[..len].as_chunks().0.to_vec())
    }
}

/// Sends a request over HTTP and returns the status and the answer.
pub(crate) fn http(address: SocketAddr, path: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.strip_prefix("HTTP/1.1 ").unwrap()[..3].parse().unwrap();
    (status, answer)
}
