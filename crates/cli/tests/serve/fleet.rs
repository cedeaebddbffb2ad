//! Two servers over one store that are killed, stopped and paused under load.

use core::net::SocketAddr;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use core::time::Duration;
use std::collections::HashSet;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use tempfile::TempDir;

use crate::process::{OK, ran, with_state};
use crate::serving::{Client, Serving};

/// The number of clients.
const CLIENTS: usize = 8;
/// The number of IDs of one request.
const COUNT: usize = 50;
/// The number of IDs that clients must get between two events.
const BETWEEN: usize = 5_000;
/// The pause between two looks at a condition.
const LOOK: Duration = Duration::from_millis(1);
/// Longer than the clients take for that many.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the number of times that each event happens: `cargo xtask verify` sets more.
fn rounds() -> usize {
    std::env::var("TICKID_SERVE_ROUNDS").map_or(2, |rounds| rounds.parse().unwrap())
}

pub(crate) fn over_a_folder() {
    let folder = TempDir::new().unwrap();
    over(&format!("file://{}", folder.path().display()));
}

/// Kills, stops and pauses servers over the store of that URL, while clients get IDs from either of
/// them: no ID comes twice, and each client's from one connection ascend.
pub(crate) fn over(store: &str) {
    let state = TempDir::new().unwrap();
    // The node is free only after a while if its holder was killed, so there are more than two.
    let init = format!("lease init sno --realm fleet --new --store {store}");
    let init = ran(&mut with_state(state.path(), &init));
    assert_eq!(init.status, OK, "{}", init.stderr);
    let start = || {
        let serve = format!("serve --realm fleet --store {store} --timeout 30s");
        Serving::start(with_state(state.path(), &serve))
    };
    let mut servers = [start(), start()];
    let addresses = Mutex::new(servers.each_ref().map(|server| server.resp));
    let (count, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let ids = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|index| {
                let (addresses, count, is_over) = (&addresses, &count, &is_over);
                scope.spawn(move || collect(index, addresses, count, is_over))
            })
            .collect();
        let more = || {
            let (start, least) = (Instant::now(), count.load(Ordering::Relaxed) + BETWEEN);
            while count.load(Ordering::Relaxed) < least {
                assert!(clients.iter().all(|client| !client.is_finished()), "a client failed");
                assert!(start.elapsed() < PATIENCE, "the servers give no more IDs");
                thread::sleep(LOOK);
            }
        };
        for round in 0..rounds() {
            let index = round % 2;
            let replace = |servers: &mut [Serving; 2]| {
                servers[index] = start();
                addresses.lock().unwrap()[index] = servers[index].resp;
            };
            more();
            servers[index].signal("KILL");
            replace(&mut servers);
            more();
            servers[index].signal("TERM");
            more();
            replace(&mut servers);
            more();
            servers[index].signal("STOP");
            more();
            servers[index].signal("CONT");
        }
        more();
        is_over.store(true, Ordering::Relaxed);
        // A request of a paused server is answered now.
        let ids: Vec<_> = clients.into_iter().map(|client| client.join().unwrap()).collect();
        ids.concat()
    });
    for server in servers {
        server.signal("TERM");
        let (status, log) = server.end();
        assert_eq!(status.code(), Some(OK), "{log}");
    }
    let distinct: HashSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
}

/// Gets IDs until it is over: from one server after the other, except for the first two clients,
/// which stay with theirs, so that a paused one does not stop all.
fn collect(
    index: usize,
    addresses: &Mutex<[SocketAddr; 2]>,
    count: &AtomicUsize,
    is_over: &AtomicBool,
) -> Vec<[u8; 10]> {
    let mut ids = Vec::new();
    let mut server = index;
    while !is_over.load(Ordering::Relaxed) {
        if index >= 2 {
            server += 1;
        }
        let address = addresses.lock().unwrap()[server % 2];
        let Ok(mut client) = Client::new(address) else {
            // It was killed, or is stopping.
            thread::sleep(LOOK);
            continue;
        };
        let mut last = None;
        for _ in 0..20 {
            let Some(more) = client.ids("fleet", COUNT) else { break };
            assert!(last < more.first().copied() && more.is_sorted());
            last = more.last().copied();
            count.fetch_add(more.len(), Ordering::Relaxed);
            ids.extend(more);
        }
    }
    ids
}
