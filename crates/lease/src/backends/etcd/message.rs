//! Transactions as etcd's gateway takes and gives them: the protocol's messages in JSON, bytes in Base64,
//! 64-bit numbers as strings, what is zero or empty left out.

use core::fmt;
use core::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Deserializer, Serialize};

/// Bytes, which are Base64 in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        BASE64_STANDARD.decode(text).map(Self).map_err(serde::de::Error::custom)
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

/// All comparisons hold, then all operations are done; else none is.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Txn {
    pub(crate) compare: Vec<Compare>,
    pub(crate) success: Vec<Operation>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Compare {
    result: &'static str,
    target: &'static str,
    key: Bytes,
    mod_revision: String,
}

impl Compare {
    /// That `key` was last written by this revision; that it is not there for `None`.
    pub(crate) fn written_by(key: &str, revision: Option<u64>) -> Self {
        let mod_revision = revision.unwrap_or(0).to_string();
        Self { result: "EQUAL", target: "MOD", key: key.into(), mod_revision }
    }
}

#[derive(Debug, Serialize)]
pub(crate) enum Operation {
    /// Linearizable, as everything is that does not ask for less.
    #[serde(rename = "requestRange")]
    Range {
        key: Bytes,
        #[serde(skip_serializing_if = "Option::is_none")]
        range_end: Option<Bytes>,
    },
    #[serde(rename = "requestPut")]
    Put {
        key: Bytes,
        value: Bytes,
        /// Which etcd lease the key ends with.
        #[serde(skip_serializing_if = "Option::is_none")]
        lease: Option<LeaseId>,
    },
}

impl Operation {
    pub(crate) fn get(key: &str) -> Self {
        Self::Range { key: key.into(), range_end: None }
    }

    /// Everything from `key` on up to `end`.
    pub(crate) fn get_all(key: &str, end: &str) -> Self {
        Self::Range { key: key.into(), range_end: Some(end.into()) }
    }

    pub(crate) fn put(key: &str, value: &str) -> Self {
        Self::Put { key: key.into(), value: value.into(), lease: None }
    }

    /// The same for no longer than an etcd lease is kept alive.
    pub(crate) fn put_with(lease: LeaseId, key: &str, value: &str) -> Self {
        Self::Put { key: key.into(), value: value.into(), lease: Some(lease) }
    }
}

/// What etcd calls a lease: so many seconds, which begin anew whenever it is kept alive. Keys that are put with it
/// are deleted when they are over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeaseId(i64);

impl Serialize for LeaseId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for LeaseId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        number(deserializer).map(Self)
    }
}

/// Asks for a lease.
#[derive(Debug, Serialize)]
pub(crate) struct LeaseGrant {
    #[serde(rename = "TTL")]
    pub(crate) ttl: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LeaseGranted {
    #[serde(rename = "ID")]
    pub(crate) id: LeaseId,
}

/// Lets a lease begin anew.
#[derive(Debug, Serialize)]
pub(crate) struct KeepAlive {
    #[serde(rename = "ID")]
    pub(crate) id: LeaseId,
}

/// One of a stream of answers, of which there is one here.
#[derive(Debug, Deserialize)]
pub(crate) struct KeptAlive {
    pub(crate) result: Left,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Left {
    /// In seconds; none when there is no such lease any more.
    #[serde(rename = "TTL", default, deserialize_with = "number")]
    pub(crate) ttl: i64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TxnAnswer {
    pub(crate) header: Header,
    #[serde(default)]
    pub(crate) succeeded: bool,
    #[serde(default)]
    pub(crate) responses: Vec<OperationAnswer>,
}

/// Whose answer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Header {
    #[serde(default, deserialize_with = "number")]
    pub(crate) cluster_id: u64,
    /// How many writes the cluster has seen.
    #[serde(default, deserialize_with = "number")]
    pub(crate) revision: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct OperationAnswer {
    #[serde(default)]
    pub(crate) response_range: RangeAnswer,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct RangeAnswer {
    #[serde(default)]
    pub(crate) kvs: Vec<KeyValue>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct KeyValue {
    pub(crate) key: Bytes,
    #[serde(default)]
    pub(crate) value: Bytes,
    #[serde(deserialize_with = "number")]
    pub(crate) mod_revision: u64,
}

/// Who wants a token.
#[derive(Serialize)]
pub(crate) struct Authenticate<'a> {
    pub(crate) name: &'a str,
    pub(crate) password: &'a str,
}

#[derive(Deserialize)]
pub(crate) struct Authenticated {
    pub(crate) token: String,
}

/// What it says when it refuses: under one name, the other or both, by its version.
#[derive(Debug, Deserialize)]
pub(crate) struct Failure {
    pub(crate) message: Option<String>,
    pub(crate) error: Option<String>,
}

fn number<'de, D: Deserializer<'de>, N: FromStr<Err: fmt::Display>>(
    deserializer: D,
) -> Result<N, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_are_written_as_the_gateway_reads_them() {
        let txn = Txn {
            compare: vec![Compare::written_by("a", Some(7)), Compare::written_by("b", None)],
            success: vec![Operation::put("a", "b"), Operation::get_all("a", "c")],
        };
        assert_eq!(
            serde_json::to_string(&txn).unwrap(),
            "{\"compare\":[\
             {\"result\":\"EQUAL\",\"target\":\"MOD\",\"key\":\"YQ==\",\"mod_revision\":\"7\"},\
             {\"result\":\"EQUAL\",\"target\":\"MOD\",\"key\":\"Yg==\",\"mod_revision\":\"0\"}],\
             \"success\":[{\"requestPut\":{\"key\":\"YQ==\",\"value\":\"Yg==\"}},\
             {\"requestRange\":{\"key\":\"YQ==\",\"range_end\":\"Yw==\"}}]}"
        );
    }

    #[test]
    fn leases_are_written_and_read_as_the_gateway_does() {
        let id = LeaseId(7_587_869_134_253_180_930);
        let granted = r#"{"header":{"revision":"2"},"ID":"7587869134253180930","TTL":"5"}"#;
        assert_eq!(serde_json::from_str::<LeaseGranted>(granted).unwrap().id, id);
        let put = serde_json::to_string(&Operation::put_with(id, "a", "b")).unwrap();
        let expected =
            r#"{"requestPut":{"key":"YQ==","value":"Yg==","lease":"7587869134253180930"}}"#;
        assert_eq!(put, expected);
        let left = |text| serde_json::from_str::<KeptAlive>(text).unwrap().result.ttl;
        assert_eq!(left(r#"{"result":{"header":{},"ID":"1","TTL":"5"}}"#), 5);
        assert_eq!(left(r#"{"result":{"header":{},"ID":"1"}}"#), 0);
    }

    #[test]
    fn what_is_left_out_of_answers_is_zero() {
        let text = r#"{"header":{"cluster_id":"15118495548433857066","revision":"2"},
            "responses":[{"response_range":{"header":{"revision":"2"},"kvs":[
            {"key":"YQ==","create_revision":"2","mod_revision":"2","version":"1"}],"count":"1"}},
            {"response_put":{"header":{"revision":"2"}}}]}"#;
        let answer: TxnAnswer = serde_json::from_str(text).unwrap();
        assert!(!answer.succeeded);
        assert_eq!(answer.header.cluster_id, 15_118_495_548_433_857_066);
        let kv = KeyValue { key: "a".into(), value: Bytes::default(), mod_revision: 2 };
        assert_eq!(answer.responses[0].response_range.kvs, [kv]);
        assert_eq!(answer.responses[1].response_range.kvs, []);
    }
}
