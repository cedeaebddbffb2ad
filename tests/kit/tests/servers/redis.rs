//! Tests of the Redis server that other tests start.

use tickid_testkit::servers::{Redis, Server as _, Test};

pub(crate) const TESTS: [Test<Redis>; 2] = [
    ("keeps_what_it_has_over_a_restart", keeps_what_it_has_over_a_restart),
    ("is_gone_when_dropped", is_gone_when_dropped),
];

/// Returns the server's reply of one line.
fn ask(redis: &Redis, question: &str) -> String {
    use std::io::{BufRead as _, BufReader, Write as _};
    let mut stream = std::net::TcpStream::connect(redis.address()).unwrap();
    stream.write_all(format!("{question}\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    answer
}

fn keeps_what_it_has_over_a_restart(_: &Redis) {
    let redis = Redis::start().unwrap();
    assert_eq!(ask(&redis, "INCR count"), ":1\r\n");
    redis.kill().unwrap();
    redis.revive().unwrap();
    assert_eq!(ask(&redis, "INCR count"), ":2\r\n");
}

fn is_gone_when_dropped(_: &Redis) {
    let redis = Redis::start().unwrap();
    let address = redis.address();
    drop(redis);
    assert!(std::net::TcpStream::connect(address).is_err());
}
