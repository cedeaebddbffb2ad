//! Transactions as etcd's gateway receives and returns them. These are the protocol's messages in
//! JSON, with bytes in Base64, 64-bit numbers as strings, and zero or empty fields left out.

use core::fmt;
use core::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Deserializer, Serialize};

/// Bytes, which are Base64 in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bytes(pub(super) Vec<u8>);

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

/// If all comparisons hold, all operations of `success` are done, and otherwise those of `failure`.
#[derive(Debug, Default, Serialize)]
pub(super) struct Txn {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) compare: Vec<Compare>,
    pub(super) success: Vec<Operation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) failure: Vec<Operation>,
}

#[derive(Debug, Serialize)]
pub(super) struct Compare {
    result: &'static str,
    key: Bytes,
    #[serde(flatten)]
    target: Compared,
}

/// The property of a key that is compared.
#[derive(Debug, Serialize)]
#[serde(tag = "target")]
pub(super) enum Compared {
    /// The revision of its last write.
    #[serde(rename = "MOD")]
    Revision { mod_revision: String },
    /// The number of its writes.
    #[serde(rename = "VERSION")]
    Version { version: String },
    #[serde(rename = "VALUE")]
    Value { value: Bytes },
}

impl Compare {
    fn new(key: &str, target: Compared) -> Self {
        Self { result: "EQUAL", key: key.into(), target }
    }

    /// Compares the revision of the last write, which is 0 for a key that must not exist.
    pub(super) fn revision(key: &str, revision: u64) -> Self {
        Self::new(key, Compared::Revision { mod_revision: revision.to_string() })
    }

    /// Compares the number of writes, which is 0 for a key that must not exist.
    pub(super) fn version(key: &str, version: u64) -> Self {
        Self::new(key, Compared::Version { version: version.to_string() })
    }

    pub(super) fn value(key: &str, value: &str) -> Self {
        Self::new(key, Compared::Value { value: value.into() })
    }
}

/// An operation. Reads are linearizable, since no weaker consistency is requested.
#[derive(Debug, Serialize)]
pub(super) enum Operation {
    #[serde(rename = "requestRange")]
    Range {
        key: Bytes,
        #[serde(skip_serializing_if = "Option::is_none")]
        range_end: Option<Bytes>,
        /// The largest number of keys; 0 for all.
        limit: String,
    },
    #[serde(rename = "requestPut")]
    Put { key: Bytes, value: Bytes },
    #[serde(rename = "requestDeleteRange")]
    Delete { key: Bytes },
}

impl Operation {
    pub(super) fn get(key: &str) -> Self {
        Self::Range { key: key.into(), range_end: None, limit: "0".to_owned() }
    }

    /// Reads the first keys from `key` on, up to `end`.
    pub(super) fn get_range(key: &str, end: &str, limit: usize) -> Self {
        let (range_end, limit) = (Some(end.into()), limit.to_string());
        Self::Range { key: key.into(), range_end, limit }
    }

    pub(super) fn put(key: &str, value: &str) -> Self {
        Self::Put { key: key.into(), value: value.into() }
    }

    pub(super) fn delete(key: &str) -> Self {
        Self::Delete { key: key.into() }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct TxnAnswer {
    pub(super) header: Header,
    #[serde(default)]
    pub(super) succeeded: bool,
    #[serde(default)]
    pub(super) responses: Vec<OperationAnswer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Header {
    #[serde(default, deserialize_with = "number")]
    pub(super) cluster_id: u64,
    /// That of the transaction, and of every key that it has written.
    #[serde(default, deserialize_with = "number")]
    pub(super) revision: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct OperationAnswer {
    #[serde(default)]
    pub(super) response_range: RangeAnswer,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct RangeAnswer {
    #[serde(default)]
    pub(super) kvs: Vec<KeyValue>,
    /// There are more keys in the range.
    #[serde(default)]
    pub(super) more: bool,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct KeyValue {
    pub(super) key: Bytes,
    #[serde(default)]
    pub(super) value: Bytes,
    #[serde(default, deserialize_with = "number")]
    pub(super) mod_revision: u64,
    #[serde(default, deserialize_with = "number")]
    pub(super) version: u64,
}

/// A request for a token.
#[derive(Serialize)]
pub(super) struct Authenticate<'a> {
    pub(super) name: &'a str,
    pub(super) password: &'a str,
}

#[derive(Deserialize)]
pub(super) struct Authenticated {
    pub(super) token: String,
}

/// A refusal, under one name, the other or both, by etcd's version.
#[derive(Debug, Deserialize)]
pub(super) struct GatewayError {
    pub(super) message: Option<String>,
    pub(super) error: Option<String>,
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
    fn transactions_are_written() {
        let txn = Txn {
            compare: vec![
                Compare::revision("a", 7),
                Compare::version("b", 0),
                Compare::value("c", "d"),
            ],
            success: vec![
                Operation::put("a", "b"),
                Operation::get_range("a", "c", 5),
                Operation::delete("a"),
            ],
            failure: vec![Operation::get("b")],
        };
        assert_eq!(
            serde_json::to_string(&txn).unwrap(),
            "{\"compare\":[\
             {\"result\":\"EQUAL\",\"key\":\"YQ==\",\"target\":\"MOD\",\"mod_revision\":\"7\"},\
             {\"result\":\"EQUAL\",\"key\":\"Yg==\",\"target\":\"VERSION\",\"version\":\"0\"},\
             {\"result\":\"EQUAL\",\"key\":\"Yw==\",\"target\":\"VALUE\",\"value\":\"ZA==\"}],\
             \"success\":[{\"requestPut\":{\"key\":\"YQ==\",\"value\":\"Yg==\"}},\
             {\"requestRange\":{\"key\":\"YQ==\",\"range_end\":\"Yw==\",\"limit\":\"5\"}},\
             {\"requestDeleteRange\":{\"key\":\"YQ==\"}}],\
             \"failure\":[{\"requestRange\":{\"key\":\"Yg==\",\"limit\":\"0\"}}]}"
        );
    }

    #[test]
    fn missing_fields_are_zero() {
        let text = r#"{"header":{"cluster_id":"15118495548433857066","revision":"2"},
            "responses":[{"response_range":{"header":{"revision":"2"},"kvs":[
            {"key":"YQ==","create_revision":"2","mod_revision":"2","version":"1"}],"more":true}},
            {"response_put":{"header":{"revision":"2"}}}]}"#;
        let answer: TxnAnswer = serde_json::from_str(text).unwrap();
        assert!(!answer.succeeded);
        let header = Header { cluster_id: 15_118_495_548_433_857_066, revision: 2 };
        assert_eq!(answer.header, header);
        let kv = KeyValue { key: "a".into(), value: Bytes::default(), mod_revision: 2, version: 1 };
        assert_eq!(answer.responses[0].response_range.kvs, [kv]);
        assert!(answer.responses[0].response_range.more);
        assert_eq!(answer.responses[1].response_range.kvs, []);
    }
}
