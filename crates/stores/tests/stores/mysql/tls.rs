//! Encrypted connections.

use core::time::Duration;

use tickid_lease::backend::StoreErrorKind;
use tickid_stores::MySqlBackend;
use tickid_testkit::servers::{CERTIFICATES, MySql, Test};

use crate::error_chain::causes;
use crate::mysql::server::open;
use crate::sql::{acquire, answer, begin, realm};

pub(crate) const TESTS: [Test<MySql>; 1] =
    [("servers_and_clients_are_verified", servers_and_clients_are_verified)];

fn servers_and_clients_are_verified(_: &MySql) {
    let options = "--ssl-cert=$PWD/server.crt --ssl-key=$PWD/server.key --ssl-ca=$PWD/ca.pem";
    let server = MySql::with_options(CERTIFICATES, options).unwrap();
    server.query("ALTER USER tickid REQUIRE X509").unwrap();
    let file = |name: &str| server.folder().join(name).display().to_string();
    let place = format!("tickid:secret%20of%20the%20tests@localhost:{}/tickid", server.port());
    let url = |options: &str| format!("mysql://{place}?{options}");
    let trusting = format!("sslmode=verify-full&sslrootcert={}", file("ca.pem"));
    let key = format!("sslcert={}&sslkey={}", file("client.crt"), file("client.key"));
    let (few, store) =
        (realm("0-7/3", Duration::from_secs(10)), open(&url(&format!("{trusting}&{key}"))));
    begin(&store, &few);
    acquire(&store, &few).unwrap();

    // No client certificate, no encryption.
    for options in [&*trusting, ""] {
        let error = answer(open(&url(options)).realms()).unwrap_err();
        assert_eq!(error.to_string(), "MySQL store: could not log in", "{}", causes(&error));
    }
    // An unknown authority, and a name that the certificate does not have.
    let elsewhere = url(&trusting).replace("localhost", "127.0.0.1");
    for url in [url("sslmode=require"), elsewhere] {
        let error = answer(open(&url).realms()).unwrap_err();
        let expected = "MySQL store: could not trust the server's certificate";
        assert_eq!(error.to_string(), expected, "{}", causes(&error));
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    }
    // The key of another certificate.
    let other = format!("{trusting}&sslcert={}&sslkey={}", file("client.crt"), file("ca.key"));
    let error = MySqlBackend::open(&url(&other)).unwrap_err();
    assert!(causes(&error).contains("sslkey is not the key of sslcert"), "{}", causes(&error));
}
