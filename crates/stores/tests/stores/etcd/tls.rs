//! Encrypted connections.

use tickid_lease::backend::StoreErrorKind;
use tickid_lease::{Lease, StoreError};
use tickid_testkit::servers::{CERTIFICATES, Etcd, Test};

use crate::error_chain::causes;
use crate::etcd::members::open;
use crate::windows::Windows;

pub(crate) const TESTS: [Test<Etcd>; 2] = [
    ("servers_are_verified", servers_are_verified),
    ("clients_show_certificates", clients_show_certificates),
];

const OPTIONS: &str = "--cert-file=server.crt --key-file=server.key";

fn acquire(windows: &Windows, place: &str) -> Result<Lease, StoreError> {
    windows.acquire(&open(place))
}

fn is_failure(result: Result<Lease, StoreError>, what: &str, why: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), format!("etcd store: could not {what}"), "{}", causes(&error));
    assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    assert!(causes(&error).contains(why), "{}", causes(&error));
}

fn servers_are_verified(_: &Etcd) {
    let etcd = Etcd::with_tls(CERTIFICATES, OPTIONS).unwrap();
    let windows = Windows::new("0-7/10");
    let roots = format!("sslrootcert={}", etcd.folder().join("ca.pem").display());
    let place = etcd.tls_endpoint().unwrap();
    let windows = windows.begun(&open(&format!("{place}?{roots}")));
    for options in
        [roots.clone(), format!("sslmode=require&{roots}"), format!("{roots}&sslmode=verify-full")]
    {
        acquire(&windows, &format!("{place}?{options}")).unwrap();
    }
    let trust = "trust the server's certificate";
    // An unknown authority, and a name that the certificate does not have.
    is_failure(acquire(&windows, &format!("{place}?sslmode=require")), trust, "UnknownIssuer");
    let address = place.replace("localhost", "127.0.0.1");
    is_failure(acquire(&windows, &format!("{address}?{roots}")), trust, "not valid for name");
    // The server closes these connections without an answer.
    let plain = acquire(&windows, &format!("{place}?sslmode=disable")).unwrap_err();
    assert!(plain.is_unreachable(), "{plain:?}");
    assert!(causes(&plain).contains("encrypted connections only"), "{}", causes(&plain));
    // An untrusted member is passed over; one that is down may be trusted.
    let down = format!("localhost:1,{place}?sslmode=require");
    assert!(acquire(&windows, &down).unwrap_err().is_unreachable());
    acquire(&windows, &format!("{address},{place}?{roots}")).unwrap();
}

fn clients_show_certificates(_: &Etcd) {
    let options = format!("{OPTIONS} --client-cert-auth --trusted-ca-file=ca.pem");
    let etcd = Etcd::with_tls(CERTIFICATES, &options).unwrap();
    let windows = Windows::new("0-7/10");
    let file =
        |option: &str, name: &str| format!("{option}={}", etcd.folder().join(name).display());
    let place = format!("{}?{}", etcd.tls_endpoint().unwrap(), file("sslrootcert", "ca.pem"));
    // The server may close the connection before it sends the reason.
    assert!(acquire(&windows, &place).is_err());
    let own = format!("{}&{}", file("sslcert", "client.crt"), file("sslkey", "client.key"));
    let with_own = format!("{place}&{own}");
    let windows = windows.begun(&open(&with_own));
    acquire(&windows, &with_own).unwrap();
    let other = format!("{}&{}", file("sslcert", "client.crt"), file("sslkey", "server.key"));
    let error = tickid_stores::open(&format!("etcd://{place}&{other}")).unwrap_err().to_string();
    assert!(error.contains("sslkey is not the key of sslcert"), "{error}");
}
