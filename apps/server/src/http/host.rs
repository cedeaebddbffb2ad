//! The host that a request names.

use core::fmt;
use core::net::Ipv6Addr;

use axum::extract::Request;
use axum::http::{Version, header};

/// The reason that a request is refused for its host.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HostProblem {
    /// The number of headers, which must be 1.
    Count(usize),
    /// Neither a name nor an address, or its port is not one.
    Malformed(String),
    /// An HTTP/2 request whose header names a different host than its `:authority`.
    Conflict,
}

impl fmt::Display for HostProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => {
                write!(f, "the request has {count} Host headers, and must have one")
            }
            Self::Malformed(host) => {
                let host = host.chars().take(64).collect::<String>();
                write!(f, "the host {host:?} is not a name or an address with an optional port")
            }
            Self::Conflict => f.write_str("the request names two different hosts"),
        }
    }
}

/// Checks that a request names one valid host, as RFC 9112, section 3.2, and RFC 9113, section
/// 8.3.1, demand. Only HTTP/1.0 permits none. The server has no use for the name, but a proxy
/// before it that reads such a request differently would forward what it means to refuse.
pub(super) fn check(request: &Request) -> Result<(), HostProblem> {
    let mut headers = request.headers().get_all(header::HOST).iter();
    let (host, more) = (headers.next(), headers.count());
    // HTTP/2 has the host in the pseudo-header `:authority`, and HTTP/1.1 in a target like
    // `GET http://a.example/ HTTP/1.1`, which clients send to proxies.
    let authority = request.uri().authority().map(|it| it.as_str().as_bytes());
    // Section 3.2 of RFC 9112 wants the header in HTTP/1.1 also beside such a target. In HTTP/2
    // either of the two will do.
    let is_missing = host.is_none()
        && match request.version() {
            Version::HTTP_09 | Version::HTTP_10 => false,
            Version::HTTP_11 => true,
            _ => authority.is_none(),
        };
    if is_missing || more > 0 {
        return Err(HostProblem::Count(usize::from(host.is_some()) + more));
    }
    let host = host.map(axum::http::HeaderValue::as_bytes);
    if let Some(bad) = host.into_iter().chain(authority).find(|host| !is_valid(host)) {
        return Err(HostProblem::Malformed(String::from_utf8_lossy(bad).into_owned()));
    }
    // In HTTP/1.1 a target that is a whole URI prevails over the header (RFC 9112, section 3.2.2),
    // so they may differ there.
    if request.version() == Version::HTTP_2
        && let (Some(host), Some(authority)) = (host, authority)
        && !host.eq_ignore_ascii_case(authority)
    {
        return Err(HostProblem::Conflict);
    }
    Ok(())
}

/// Reports whether a host is a name, an IPv4 address or an IPv6 address in brackets, with an
/// optional port. A name may be empty, as in requests over Unix sockets, but none of its parts may.
/// It has no characters of RFC 3986 that no host in use has, such as the comma, which some proxies
/// put between two headers.
fn is_valid(host: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(host) else { return false };
    // The colons of an IPv6 address would be taken for the one before the port, as in `[::1]:80`,
    // so the brackets come first.
    let port = if let Some(rest) = text.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else { return false };
        if address.parse::<Ipv6Addr>().is_err() {
            return false;
        }
        port
    } else {
        let end = text.find(':').unwrap_or(text.len());
        let (name, port) = text.split_at(end);
        // "%" is for the path of a Unix socket, which some clients put here, as in
        // `%2Frun%2Ftickid.sock`. In that, `..` is the parent folder.
        let is_path = name.contains('%');
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte);
        // A name may end with the dot of the root.
        let mut labels = name.strip_suffix('.').unwrap_or(name).split('.');
        if !name.bytes().all(is_of_name)
            || !(is_path || name.is_empty() || labels.all(|label| !label.is_empty()))
        {
            return false;
        }
        port
    };
    // RFC 3986, section 3.2.3, permits an empty port, as in `a:`. `u16` alone would also accept a
    // sign, as in `a:+80`.
    match port.strip_prefix(':') {
        None => port.is_empty(),
        Some("") => true,
        Some(port) => port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn hosts_are_names_or_addresses() {
        for host in [
            "",
            "a",
            "a.example",
            "a_b",
            "A-1.b.",
            "127.0.0.1",
            "a:80",
            "a:",
            ":80",
            "a:65535",
            "[::1]",
            "[::1]:6480",
            "[2001:db8::1]:",
            "%2Frun%2Ftickid.sock",
            "..%2Ftickid..sock",
        ] {
            assert!(is_valid(host.as_bytes()), "{host}");
        }
        for host in [
            "a b",
            "a\tb",
            "a/b",
            "a?b",
            "a#b",
            "a\\b",
            "user@a",
            "@",
            "a,b",
            "a, b",
            "a;b",
            "<a>",
            "\"a\"",
            "http://a",
            "a:x",
            "a:-1",
            "a:+1",
            "a:65536",
            "a:80:80",
            "a:80 ",
            "::1",
            "[::1",
            "::1]",
            "[a]",
            "[]",
            "[::1]a",
            "[::1]:x",
            "a..b",
            "a..",
            ".a",
            ".",
            "[1.2.3.4]",
            "ä",
            "a\u{200b}",
        ] {
            assert!(!is_valid(host.as_bytes()), "{host}");
        }
        assert!(!is_valid(b"\xff"));
    }

    #[test]
    fn a_request_names_one_host() {
        let (http10, http11, http2) = (Version::HTTP_10, Version::HTTP_11, Version::HTTP_2);
        for (version, target, hosts, expected) in [
            (http10, "/", &[][..], Ok(())),
            (http10, "/", &["a", "a"], Err(HostProblem::Count(2))),
            (http11, "/", &[], Err(HostProblem::Count(0))),
            (http11, "/", &["a"], Ok(())),
            (http11, "/", &["a b"], Err(HostProblem::Malformed("a b".to_owned()))),
            (http11, "http://a/", &["b"], Ok(())),
            (http11, "http://a/", &[], Err(HostProblem::Count(0))),
            (http2, "http://a/", &[], Ok(())),
            (http2, "http://a/", &["A"], Ok(())),
            (http2, "http://a/", &["b"], Err(HostProblem::Conflict)),
            (http2, "http://a/", &["a", "a"], Err(HostProblem::Count(2))),
            (http2, "http://u@a/", &[], Err(HostProblem::Malformed("u@a".to_owned()))),
            (http2, "/", &[], Err(HostProblem::Count(0))),
            (http2, "/", &["a"], Ok(())),
        ] {
            let mut request = Request::builder().version(version).uri(target);
            for host in hosts {
                request = request.header(header::HOST, *host);
            }
            let request = request.body(Body::empty()).unwrap();
            assert_eq!(check(&request), expected, "{version:?} {target} {hosts:?}");
        }
    }
}
