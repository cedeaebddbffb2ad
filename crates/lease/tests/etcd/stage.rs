use core::time::Duration;
use std::sync::Mutex;
use std::thread;

use serde_json::{Value, json};
use tickid_lease::{
    Backend as _, EtcdBackend, Node, RealmName, Scope, Store, block_on, conformance,
};
use tickid_testkit::servers::Etcd;

use crate::front::Front;

/// A member behind a proxy of its own, so that a scenario's changes to its clock and its cluster do
/// not affect the others.
pub(crate) struct Stage {
    front: Front,
    member: String,
    clients: Mutex<Vec<EtcdBackend>>,
    /// Keys, values and versions.
    saved: Mutex<Vec<Value>>,
}

impl Stage {
    pub(crate) fn new(server: &Etcd) -> Self {
        let member = server.endpoints()[0].clone();
        let front = Front::of(&member);
        Self { front, member, clients: Mutex::default(), saved: Mutex::default() }
    }
}

impl conformance::Stage for Stage {
    fn store(&self) -> Store {
        let client = EtcdBackend::open(&format!("etcd://{}", self.front.endpoint())).unwrap();
        self.clients.lock().unwrap().push(client.clone());
        Store::new(client)
    }

    fn pass(&self, time: Duration) {
        thread::sleep(time);
    }

    fn set_forward(&self) {
        self.front.set_forward(3_600);
    }

    /// A client does not notice before the next answer.
    fn set_back(&self) {
        self.front.set_forward(0);
        let realm = "none".parse().unwrap();
        for client in &*self.clients.lock().unwrap() {
            block_on(client.read(&realm, Scope::Record), Duration::from_secs(60)).unwrap();
        }
    }

    fn change_generation(&self) {
        self.front.become_another_cluster();
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

    fn damage(&self, realm: &RealmName, node: Node) {
        let key = format!("tickid/{realm}/rows/{}", node.sort_key());
        post(&self.member, "kv/put", &json!({ "key": base64(&key), "value": base64("x") }));
    }
}

fn all_of(realm: &RealmName) -> Value {
    let (first, end) = (format!("tickid/{realm}/"), format!("tickid/{realm}0"));
    json!({ "key": base64(&first), "range_end": base64(&end) })
}

/// Sends a member a request that the backend does not use.
pub(crate) fn post(member: &str, method: &str, request: &Value) -> Value {
    let url = format!("http://{member}/v3/{method}");
    let mut response = ureq::post(url).send(request.to_string()).unwrap();
    let body = response.body_mut().with_config().limit(1 << 28).read_to_string().unwrap();
    serde_json::from_str(&body).unwrap()
}

pub(crate) fn base64(text: &str) -> String {
    base64::Engine::encode(&base64::prelude::BASE64_STANDARD, text)
}
