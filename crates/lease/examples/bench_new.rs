//! Baseline.
#![allow(
    clippy::all,
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    clippy::expect_used
)]
use core::time::Duration;
use std::time::Instant;
use tickid_lease::{Begin, Claim, RealmSpec as Realm, Store, Token, block_on};
fn connect(url: &str) -> Result<Store, tickid_lease::StoreError> {
    Store::open(url)
}

const T: Duration = Duration::from_secs(60);

fn realm(name: &str, pool: &str) -> Realm {
    let name = format!("{name}-{}", Token::random().unwrap());
    let size: u64 = 65536;
    let _ = size;
    Realm::new(name.parse().unwrap(), &tickid_kuidlike(), pool.parse().unwrap()).unwrap()
}
fn tickid_kuidlike() -> tickid_sno::Sno {
    tickid_sno::Sno::default()
}

fn claim() -> Claim {
    Claim::new(Token::random().unwrap(), "bench", None)
}

fn renewals(url: &str, threads: usize) -> f64 {
    let realm = realm("ren", "0-1023/16");
    let store = connect(url).unwrap();
    block_on(store.begin(&realm, Begin::AtOnce), T).unwrap();
    let start = Instant::now();
    let total: u64 = std::thread::scope(|s| {
        let hs: Vec<_> = (0..threads)
            .map(|_| {
                let realm = realm.clone();
                s.spawn(move || {
                    let store = connect(url).unwrap();
                    let mut g = loop {
                        if let Ok(g) = block_on(store.acquire(&realm, &mut claim()), T) {
                            break g;
                        }
                    };
                    let mut n = 0u64;
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_secs(4) {
                        if let Ok(l) = block_on(store.renew(&realm, &g), T) {
                            n += 1;
                            g = l
                        }
                    }
                    n
                })
            })
            .collect();
        hs.into_iter().map(|h| h.join().unwrap()).sum()
    });
    let _ = start;
    total as f64 / 4.0
}

fn p50(url: &str, realm: &Realm, n: usize) -> (Duration, usize) {
    let store = connect(url).unwrap();
    let _ = block_on(store.begin(realm, Begin::AtOnce), T);
    let mut times = Vec::new();
    let mut failed = 0;
    for _ in 0..n {
        let mut c = claim();
        let start = Instant::now();
        match block_on(store.acquire(realm, &mut c), T) {
            Ok(_) => {}
            _ => failed += 1,
        }
        times.push(start.elapsed());
    }
    times.sort();
    (times[n / 2], failed)
}

fn b64(s: &[u8]) -> String {
    base64::Engine::encode(&base64::prelude::BASE64_STANDARD, s)
}

fn prefill(url: &str, realm: &Realm, free: u64) {
    let store = connect(url).unwrap();
    block_on(store.begin(realm, Begin::AtOnce), T).unwrap();
    let g = block_on(store.acquire(realm, &mut claim()), T).unwrap();
    let ceiling = g.ceiling + 10_000_000;
    let now = g.floor;
    let _ = now;
    let nodes: Vec<_> = realm.pool().nodes().collect();
    let step = nodes.len() as u64 / free.max(1);
    // near ceiling: within limit; make it long held: era 0
    let held = g.ceiling;
    let _ = ceiling;
    let token = Token::random().unwrap();
    if let Some(host) = url.strip_prefix("redis://") {
        let host = host.split('?').next().unwrap();
        let client = redis::Client::open(format!("redis://{host}")).unwrap();
        let mut con = client.get_connection().unwrap();
        for chunk in nodes.chunks(2048) {
            let key = |k: &str| format!("tickid:{{{}}}:{k}", realm.name());
            let mut p = redis::pipe();
            for node in chunk {
                let ceil = if node.value() % step == step / 2 { 10 } else { held };
                let row = format!(
                    r#"1 {{"format":1,"node":"{node}","token":"{token}","holder":"bench","era":0,"floor":5,"ceiling":{ceil}}}"#
                );
                p.hset(key("rows"), node.sort_key(), row).ignore();
                p.zadd(key("nodes"), node.sort_key(), 0).ignore();
                p.zadd(key("ceilings"), node.sort_key(), ceil).ignore();
            }
            let () = p.query(&mut con).unwrap();
        }
    } else {
        let host = url.strip_prefix("etcd://").unwrap().split(['?', ',']).next().unwrap();
        for chunk in nodes.chunks(100) {
            let ops: Vec<String> = chunk.iter().map(|node| {
                let ceil = if node.value() % step == step / 2 { 10 } else { held };
                let row = format!(r#"{{"format":1,"node":"{node}","token":"{token}","holder":"bench","era":0,"floor":5,"ceiling":{ceil}}}"#);
                format!(r#"{{"requestPut":{{"key":"{}","value":"{}"}}}}"#, b64(format!("tickid/{}/rows/{}", realm.name(), node.sort_key()).as_bytes()), b64(row.as_bytes()))
            }).collect();
            ureq::post(format!("http://{host}/v3/kv/txn"))
                .send(format!(r#"{{"success":[{}]}}"#, ops.join(",")))
                .unwrap();
        }
    }
}

fn main() {
    let url = std::env::args().nth(1).unwrap();
    println!("renewals/s, 1 client: {:.0}", renewals(&url, 1));
    println!("renewals/s, 16 clients: {:.0}", renewals(&url, 16));
    for pool in ["0-255/16", "0-65535/16"] {
        let empty = realm("empty", pool);
        println!("acquire p50, empty {pool}: {:?}", p50(&url, &empty, 30));
        let full = realm("full", pool)
            .with_terms(realm("x", pool).terms().with_term(Duration::from_secs(3600)))
            .unwrap();
        prefill(&url, &full, if pool == "0-255/16" { 100 } else { 100 });
        println!("acquire p50, {pool} full but 100: {:?}", p50(&url, &full, 15));
    }
}
