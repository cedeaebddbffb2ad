//! Certificates for servers and clients of one test.

/// For a shell: an authority in `ca.pem`; certificates of it for `localhost` and for a client, in
/// `server.crt` and `client.crt`, with their keys in `server.key` and `client.key`.
pub const CERTIFICATES: &str = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
    -subj /CN=tests -keyout ca.key -out ca.pem && \
    echo subjectAltName=DNS:localhost >names && \
    for name in server client; do \
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=$name \
    -keyout $name.key -out $name.csr && \
    openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
    -extfile names -out $name.crt || break; done && test -s client.crt";
