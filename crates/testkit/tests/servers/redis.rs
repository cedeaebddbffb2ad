//! Tests of the Redis server that other tests start.

use tickid_testkit::servers::{Redis, Server as _, Test};

pub(crate) const TESTS: [Test<Redis>; 3] = [
    ("keeps_what_it_has_over_a_restart", keeps_what_it_has_over_a_restart),
    ("its_clock_can_be_set", its_clock_can_be_set),
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

fn its_clock_can_be_set(_: &Redis) {
    let redis = Redis::with_settable_clock().unwrap();
    let now = || {
        let script = "EVAL \"return tonumber(redis.call('TIME')[1])\" 0";
        ask(&redis, script).trim_start_matches(':').trim().parse::<u64>().unwrap()
    };
    let before = now();
    redis.set_clock_forward(3_600).unwrap();
    assert!(now() >= before + 3_600);
    redis.set_clock_forward(0).unwrap();
    assert!(now() < before + 3_600);
}

fn is_gone_when_dropped(_: &Redis) {
    let redis = Redis::start().unwrap();
    let address = redis.address();
    drop(redis);
    assert!(std::net::TcpStream::connect(address).is_err());
}
