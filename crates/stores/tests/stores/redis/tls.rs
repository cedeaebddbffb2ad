//! Encrypted connections.

use tickid_lease::backend::StoreErrorKind;
use tickid_lease::{Lease, StoreError};
use tickid_testkit::servers::{CERTIFICATES, Redis, Test};

use crate::error_chain::causes;
use crate::redis::servers::open;
use crate::windows::Windows;

pub(crate) const TESTS: [Test<Redis>; 2] = [
    ("servers_are_verified", servers_are_verified),
    ("clients_show_certificates", clients_show_certificates),
];

const OPTIONS: &str =
    "--tls-cert-file server.crt --tls-key-file server.key --tls-ca-cert-file ca.pem";

fn acquire(windows: &Windows, url: &str) -> Result<Lease, StoreError> {
    windows.acquire(&open(url))
}

fn is_failure(result: Result<Lease, StoreError>, what: &str, why: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), format!("redis store: could not {what}"), "{}", causes(&error));
    assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    assert!(causes(&error).contains(why), "{}", causes(&error));
}

fn servers_are_verified(_: &Redis) {
    let server =
        Redis::with_tls(CERTIFICATES, &format!("{OPTIONS} --tls-auth-clients no")).unwrap();
    let windows = Windows::new("0-7/10");
    let roots = format!("sslrootcert={}", server.folder().join("ca.pem").display());
    let place = server.tls_address().unwrap();
    let store = open(&format!("rediss://{place}?{roots}"));
    let windows = windows.begun(&store);
    let held = windows.acquire(&store).unwrap();
    windows.renew(&store, &held).unwrap();
    let trust = "trust the server's certificate";
    // An unknown authority, and a name that the certificate does not have.
    is_failure(acquire(&windows, &format!("rediss://{place}")), trust, "UnknownIssuer");
    let address = place.replace("localhost", "127.0.0.1");
    let error = acquire(&windows, &format!("rediss://{address}?{roots}"));
    is_failure(error, trust, "not valid for name");
    // The server closes these connections without an answer.
    let plain = acquire(&windows, &format!("redis://{place}")).unwrap_err();
    assert!(plain.is_unreachable(), "{plain:?}");
    assert!(causes(&plain).contains("encrypted connections only"), "{}", causes(&plain));
}

fn clients_show_certificates(_: &Redis) {
    let server = Redis::with_tls(CERTIFICATES, OPTIONS).unwrap();
    let windows = Windows::new("0-7/10");
    let file =
        |option: &str, name: &str| format!("{option}={}", server.folder().join(name).display());
    let place =
        format!("rediss://{}?{}", server.tls_address().unwrap(), file("sslrootcert", "ca.pem"));
    // The server may close the connection before it sends the reason.
    assert!(acquire(&windows, &place).is_err());
    let own = format!("{}&{}", file("sslcert", "client.crt"), file("sslkey", "client.key"));
    let place = format!("{place}&{own}");
    acquire(&windows.begun(&open(&place)), &place).unwrap();
}
