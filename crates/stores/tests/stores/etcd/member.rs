//! A member of a cluster behind a proxy of its own.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};
use tickid_core::AnyNode;
use tickid_lease::admin::RealmName;
use tickid_lease::backend::{Backend as _, Scope};
use tickid_lease::session::block_on;
use tickid_lease::{Store, conformance};
use tickid_stores::EtcdBackend;
use tickid_testkit::servers::{Etcd, Proxy, Target};

use crate::sql::TIMEOUT;

/// A member behind a separate proxy, so that a scenario's changes to its clock and its cluster do
/// not affect the others.
pub(crate) struct Testbed {
    proxy: Proxy,
    lies: Arc<Lies>,
    member: String,
    clients: Mutex<Vec<EtcdBackend>>,
    /// Keys, values and versions.
    saved: Mutex<Vec<Value>>,
}

/// Another time and another cluster than a member's.
#[derive(Default)]
struct Lies {
    seconds_ahead: AtomicU64,
    is_another_cluster: AtomicBool,
}

impl Lies {
    fn alter(&self, answer: &mut [u8]) {
        if let Some(date) = after(answer, b"Date: ") {
            let date = &mut date[..29];
            let time = httpdate::parse_http_date(str::from_utf8(date).unwrap()).unwrap();
            let time = time + Duration::from_secs(self.seconds_ahead.load(Ordering::Relaxed));
            date.copy_from_slice(httpdate::fmt_http_date(time).as_bytes());
        }
        if self.is_another_cluster.load(Ordering::Relaxed)
            && let Some(id) = after(answer, b"\"cluster_id\":\"")
        {
            let last = id.iter().position(|&byte| byte == b'"').unwrap() - 1;
            id[last] = if id[last] == b'0' { b'1' } else { b'0' };
        }
    }
}

/// Returns the bytes after the first occurrence of `name`.
fn after<'a>(answer: &'a mut [u8], name: &[u8]) -> Option<&'a mut [u8]> {
    let at = answer.windows(name.len()).position(|bytes| bytes == name)?;
    Some(&mut answer[at + name.len()..])
}

/// Returns a proxy before a member.
pub(crate) fn proxy(member: &str) -> Proxy {
    Proxy::new(Target::Tcp(member.to_owned())).unwrap()
}

impl Testbed {
    pub(crate) fn new(server: &Etcd) -> Self {
        let member = server.endpoints()[0].clone();
        let lies = Arc::<Lies>::default();
        let told = Arc::clone(&lies);
        let target = Target::Tcp(member.clone());
        let proxy = Proxy::with_filter(target, move |answer| told.alter(answer)).unwrap();
        Self { proxy, lies, member, clients: Mutex::default(), saved: Mutex::default() }
    }
}

impl conformance::Testbed for Testbed {
    fn store(&self) -> Store {
        let url = format!("etcd://{}", self.proxy.address());
        let client = EtcdBackend::open_with_timeout(&url, TIMEOUT).unwrap();
        self.clients.lock().unwrap().push(client.clone());
        Store::new(client)
    }

    fn pass(&self, time: Duration) {
        thread::sleep(time);
    }

    fn set_forward(&self) {
        self.lies.seconds_ahead.store(3_600, Ordering::Relaxed);
    }

    /// A client does not notice before the next answer.
    fn set_back(&self) {
        self.lies.seconds_ahead.store(0, Ordering::Relaxed);
        let realm = "none".parse().unwrap();
        for client in &*self.clients.lock().unwrap() {
            block_on(client.read(&realm, Scope::Record), Duration::from_secs(60)).unwrap();
        }
    }

    fn change_generation(&self) {
        self.lies.is_another_cluster.store(true, Ordering::Relaxed);
    }

    fn save(&self, realm: &RealmName) {
        let mut answer = post(&self.member, "kv/range", &all_of(realm));
        let all = answer["kvs"].as_array_mut().map(core::mem::take);
        *self.saved.lock().unwrap() = all.unwrap_or_default();
    }

    /// A key's version is the number of its writes.
    fn load(&self, realm: &RealmName) {
        post(&self.member, "kv/deleterange", &all_of(realm));
        for saved in &*self.saved.lock().unwrap() {
            let version: u32 = saved["version"].as_str().unwrap().parse().unwrap();
            for _ in 0..version {
                let put = json!({ "key": saved["key"], "value": saved["value"] });
                post(&self.member, "kv/put", &put);
            }
        }
    }

    fn damage(&self, realm: &RealmName, node: AnyNode) {
        let key = format!("tickid/{realm}/rows/{}", node.sort_key());
        post(&self.member, "kv/put", &json!({ "key": base64(&key), "value": base64("x") }));
    }

    fn delete(&self, realm: &RealmName, node: Option<AnyNode>) {
        let row = |node: AnyNode| format!("rows/{}", node.sort_key());
        let key = node.map_or_else(|| "record".to_owned(), row);
        let key = base64(&format!("tickid/{realm}/{key}"));
        post(&self.member, "kv/deleterange", &json!({ "key": key }));
    }
}

pub(crate) fn all_of(realm: &RealmName) -> Value {
    let (first, end) = (format!("tickid/{realm}/"), format!("tickid/{realm}0"));
    json!({ "key": base64(&first), "range_end": base64(&end) })
}

/// Sends a member a request that the backend does not use. Repeats it while the member is too busy
/// to answer.
pub(crate) fn post(member: &str, method: &str, request: &Value) -> Value {
    let url = format!("http://{member}/v3/{method}");
    let begin = Instant::now();
    let mut response = loop {
        match ureq::post(&url).send(request.to_string()) {
            Ok(response) => break response,
            // etcd gives a request up after six seconds.
            Err(ureq::Error::StatusCode(503)) if begin.elapsed() < TIMEOUT => {}
            Err(error) => panic!("{method}: {error}"),
        }
    };
    let body = response.body_mut().with_config().limit(1 << 28).read_to_string().unwrap();
    serde_json::from_str(&body).unwrap()
}

pub(crate) fn base64(text: &str) -> String {
    base64::Engine::encode(&base64::prelude::BASE64_STANDARD, text)
}
