//! etcd clusters for tests.

use std::path::Path;

use crate::servers::kept::{Kept, Script};
use crate::servers::network::{free_port, is_on_path, wait_for_answer};
use crate::servers::server::{Server, StartError};

/// An empty etcd cluster, on ports of this machine.
///
/// Its members can be [killed](Self::kill), [paused](Self::pause) and started again one by one.
#[derive(Debug)]
pub struct Etcd {
    kept: Kept,
    members: Vec<Member>,
    /// The first member's port for encrypted connections, if it accepts them.
    tls_port: Option<u16>,
    options: String,
}

/// The script starts nothing, because members are started one by one. Each leaves its process ID
/// behind.
const SCRIPT: Script = Script {
    start: ":",
    stop: "for member in *.pid; do kill -9 \"$(cat \"$member\")\"; done\nwait",
};

#[derive(Clone, Copy, Debug)]
struct Member {
    client_port: u16,
    peer_port: u16,
}

impl Etcd {
    /// Starts a cluster of `members` members, and returns once all are up.
    ///
    /// # Errors
    /// As [`start`](Server::start).
    pub fn cluster(members: usize) -> Result<Self, StartError> {
        if !Self::is_installed() {
            return Err(StartError::NotInstalled);
        }
        let member = |_| Ok(Member { client_port: free_port()?, peer_port: free_port()? });
        let members = (0..members).map(member).collect::<Result<_, StartError>>()?;
        let kept = Kept::start("etcd", &SCRIPT, &[])?;
        let etcd = Self { kept, members, tls_port: None, options: String::new() };
        // No member is up before most of them are.
        for number in 0..etcd.members.len() {
            etcd.launch(number)?;
        }
        for number in 0..etcd.members.len() {
            etcd.wait_until_healthy(number)?;
        }
        Ok(etcd)
    }

    /// Starts one member that also accepts encrypted connections, at a separate
    /// [endpoint](Self::tls_endpoint).
    ///
    /// A shell first runs the line `prepare` in the member's [folder](Self::folder). The `options`
    /// on etcd's command line may name files in that folder.
    ///
    /// # Errors
    /// As [`start`](Server::start), and when `prepare` fails.
    pub fn with_tls(prepare: &str, options: &str) -> Result<Self, StartError> {
        if !Self::is_installed() {
            return Err(StartError::NotInstalled);
        }
        let kept = Kept::start("etcd", &SCRIPT, &[])?;
        kept.tell(prepare)?;
        let members = vec![Member { client_port: free_port()?, peer_port: free_port()? }];
        let tls_port = Some(free_port()?);
        let etcd = Self { kept, members, tls_port, options: options.to_owned() };
        etcd.revive(0)?;
        Ok(etcd)
    }

    fn launch(&self, number: usize) -> Result<(), StartError> {
        let Member { client_port, peer_port } = self.members[number];
        let member = |(number, member): (usize, &Member)| {
            format!("m{number}=http://127.0.0.1:{}", member.peer_port)
        };
        let cluster: Vec<String> = self.members.iter().enumerate().map(member).collect();
        let cluster = cluster.join(",");
        let tls = self.tls_port.map(|port| format!(",https://127.0.0.1:{port}"));
        let (tls, options) = (tls.unwrap_or_default(), &self.options);
        self.kept.tell(&format!(
            "etcd --name=m{number} --data-dir=m{number} \
             --listen-client-urls=http://127.0.0.1:{client_port}{tls} {options} \
             --advertise-client-urls=http://127.0.0.1:{client_port} \
             --listen-peer-urls=http://127.0.0.1:{peer_port} \
             --initial-advertise-peer-urls=http://127.0.0.1:{peer_port} \
             --initial-cluster={cluster} --heartbeat-interval=50 --election-timeout=500 \
             & echo $! >m{number}.pid"
        ))
    }

    fn wait_until_healthy(&self, number: usize) -> Result<(), StartError> {
        let question = "GET /health HTTP/1.0\r\n\r\n";
        let port = self.members[number].client_port;
        wait_for_answer(&self.kept, port, question, r#""health":"true""#)
    }

    /// Returns the addresses that clients connect to: host and port of each member.
    #[must_use]
    pub fn endpoints(&self) -> Vec<String> {
        self.members.iter().map(|member| format!("127.0.0.1:{}", member.client_port)).collect()
    }

    /// Returns the first member's address for encrypted connections, if it was started [with
    /// them](Self::with_tls). The host is `localhost`, because certificates can be made for that
    /// name.
    #[must_use]
    pub fn tls_endpoint(&self) -> Option<String> {
        self.tls_port.map(|port| format!("localhost:{port}"))
    }

    /// Returns the folder that holds the cluster's files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.kept.folder()
    }

    fn signal(&self, number: usize, signal: &str) -> Result<(), StartError> {
        self.kept.tell(&format!("kill -{signal} \"$(cat m{number}.pid)\""))
    }

    /// Kills a member, as a loss of power would.
    ///
    /// # Errors
    /// When it is not running.
    pub fn kill(&self, number: usize) -> Result<(), StartError> {
        self.signal(number, "KILL")?;
        self.kept.tell(&format!("wait \"$(cat m{number}.pid)\"; rm m{number}.pid"))
    }

    /// Starts a [killed](Self::kill) member from its data on disk, and returns once it is part of a
    /// cluster again.
    ///
    /// # Errors
    /// When it does not start.
    pub fn revive(&self, number: usize) -> Result<(), StartError> {
        self.launch(number)?;
        self.wait_until_healthy(number)
    }

    /// Stops a member's process, with its connections left open, until it is
    /// [resumed](Self::resume).
    ///
    /// # Errors
    /// When it is not running.
    pub fn pause(&self, number: usize) -> Result<(), StartError> {
        self.signal(number, "STOP")
    }

    /// Continues a member after a [`pause`](Self::pause).
    ///
    /// # Errors
    /// When it is not running.
    pub fn resume(&self, number: usize) -> Result<(), StartError> {
        self.signal(number, "CONT")
    }

    /// Copies the data on disk of a [killed](Self::kill) member.
    ///
    /// # Errors
    /// When it cannot be copied.
    pub fn back_up(&self, number: usize) -> Result<(), StartError> {
        self.kept.tell(&format!("rm -rf b{number} && cp -R m{number} b{number}"))
    }

    /// Restores the copy that [`back_up`](Self::back_up) made, into a killed member.
    ///
    /// # Errors
    /// When a copy is missing.
    pub fn restore(&self, number: usize) -> Result<(), StartError> {
        self.kept.tell(&format!("rm -rf m{number} && cp -R b{number} m{number}"))
    }
}

impl Server for Etcd {
    const NAME: &'static str = "etcd";

    fn start() -> Result<Self, StartError> {
        Self::cluster(1)
    }

    fn is_installed() -> bool {
        is_on_path("etcd")
    }
}
