//! A proxy between a client and a member that can report another time or another cluster, or
//! nothing.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use core::time::Duration;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// A proxy that serves until the tests end.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    address: String,
    lies: Arc<Lies>,
}

#[derive(Debug, Default)]
struct Lies {
    seconds_ahead: AtomicU64,
    is_another_cluster: AtomicBool,
    /// After so many more answers, one is kept back; zero for none.
    silent_after: AtomicU32,
    requests: AtomicU32,
    /// The length of all answers.
    bytes: AtomicUsize,
}

impl Front {
    /// Creates a proxy for the member with this host and port.
    pub(crate) fn of(member: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let lies = Arc::new(Lies::default());
        let front = Self { address, lies: Arc::clone(&lies) };
        let member = member.to_owned();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (lies, member) = (Arc::clone(&lies), member.clone());
                // It ends when the client closes the connection.
                thread::spawn(move || serve(&stream, &member, &lies));
            }
        });
        front
    }

    pub(crate) fn endpoint(&self) -> &str {
        &self.address
    }

    pub(crate) fn set_forward(&self, seconds: u64) {
        self.lies.seconds_ahead.store(seconds, Ordering::Relaxed);
    }

    /// Returns the number of requests so far.
    pub(crate) fn requests(&self) -> u32 {
        self.lies.requests.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes of all answers so far.
    pub(crate) fn bytes(&self) -> usize {
        self.lies.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn become_another_cluster(&self) {
        self.lies.is_another_cluster.store(true, Ordering::Relaxed);
    }

    /// Forwards the `count`th request from now on, and keeps its answer back.
    pub(crate) fn lose_answer(&self, count: u32) {
        self.lies.silent_after.store(count, Ordering::Relaxed);
    }
}

fn serve(stream: &TcpStream, member: &str, lies: &Lies) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut length, mut path) = (0, String::new());
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if let Some(rest) = line.strip_prefix("POST ") {
                path = rest.split(' ').next().unwrap_or_default().to_owned();
            }
            let line = line.to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut request = vec![0; length];
        reader.read_exact(&mut request)?;
        lies.requests.fetch_add(1, Ordering::Relaxed);
        let (status, date, body) = forward(member, &path, &request).map_err(io::Error::other)?;
        lies.bytes.fetch_add(body.len(), Ordering::Relaxed);
        let silent_after = lies.silent_after.load(Ordering::Relaxed);
        lies.silent_after.store(silent_after.saturating_sub(1), Ordering::Relaxed);
        if silent_after == 1 {
            return Ok(());
        }
        let date = httpdate::parse_http_date(&date).map_err(io::Error::other)?
            + Duration::from_secs(lies.seconds_ahead.load(Ordering::Relaxed));
        let body = if lies.is_another_cluster.load(Ordering::Relaxed) {
            with_another_cluster_id(&body)
        } else {
            body
        };
        let date = httpdate::fmt_http_date(date);
        let length = body.len();
        let mut writer = stream;
        let head = format!("HTTP/1.1 {status}\r\nDate: {date}\r\nContent-Length: {length}\r\n\r\n");
        writer.write_all((head + &body).as_bytes())?;
    }
}

/// Removes the last digit of the cluster's ID.
fn with_another_cluster_id(body: &str) -> String {
    const ID: &str = "\"cluster_id\":\"";
    // Not every answer has one.
    let Some(start) = body.find(ID).map(|at| at + ID.len()) else { return body.to_owned() };
    let end = start + body[start..].find('"').unwrap();
    format!("{}{}", &body[..end - 1], &body[end..])
}

fn forward(member: &str, path: &str, request: &[u8]) -> Result<(u16, String, String), ureq::Error> {
    let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None).build();
    let url = format!("http://{member}{path}");
    let mut response = config.new_agent().post(url).send(request)?;
    let date = response.headers()["date"].to_str().unwrap().to_owned();
    let body = response.body_mut().with_config().limit(1 << 28).read_to_string()?;
    Ok((response.status().as_u16(), date, body))
}
