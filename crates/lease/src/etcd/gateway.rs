//! etcd's JSON gateway, which every member has on the port for clients.

use core::error::Error;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;

use tickid_core::{Clock as _, SystemClock, UnixTime};
use ureq::Agent;
use ureq::http::{HeaderMap, StatusCode, header};

use super::BACKEND;
use super::message::{Failure, Txn, TxnAnswer};
use crate::blocking::PerProcess;
use crate::error::{StoreError, StoreErrorKind};

/// More than all rows of the largest pool take.
const MAX_ANSWER: u64 = 1 << 28;

/// The members of a cluster. Any of them will do; the one that answered last is asked first.
#[derive(Debug)]
pub(crate) struct Gateway {
    endpoints: Vec<String>,
    time_out: Duration,
    last: AtomicUsize,
    agent: PerProcess<Agent>,
}

/// Why one member gave no answer, or which.
enum Trouble {
    /// It may or may not have done what it was asked. Another member may know.
    Silence(Box<dyn Error + Send + Sync>),
    /// It said no.
    No(StoreError),
}

impl Gateway {
    /// The members with these hosts and ports, which together get `time_out` to answer.
    pub(crate) const fn new(endpoints: Vec<String>, time_out: Duration) -> Self {
        Self { endpoints, time_out, last: AtomicUsize::new(0), agent: PerProcess::new() }
    }

    fn agent(&self) -> Agent {
        let members = u32::try_from(self.endpoints.len()).unwrap_or(u32::MAX).max(1);
        self.agent.get(|| {
            let config = Agent::config_builder()
                .timeout_global(Some(self.time_out / members))
                .http_status_as_error(false)
                .max_redirects(0)
                .proxy(None)
                .build();
            config.new_agent()
        })
    }

    /// What etcd answers, and when that was by its clock.
    ///
    /// A transaction that is sent to one member after another may be done, and its comparisons fail the
    /// second time.
    pub(crate) fn txn(&self, txn: &Txn) -> Result<(TxnAnswer, UnixTime), StoreError> {
        let request = serde_json::to_vec(txn).map_err(|error| failed("write JSON", error))?;
        let first = self.last.load(Ordering::Relaxed);
        let mut silence = Silence(Vec::new());
        for index in (0..self.endpoints.len()).map(|at| (first + at) % self.endpoints.len()) {
            let endpoint = &self.endpoints[index];
            match self.ask(endpoint, &request) {
                Ok(answer) => {
                    self.last.store(index, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(Trouble::No(error)) => return Err(error),
                Err(Trouble::Silence(error)) => silence.0.push((endpoint.clone(), error)),
            }
        }
        Err(StoreError::new(BACKEND, StoreErrorKind::Unreachable).with_source(silence))
    }

    fn ask(&self, endpoint: &str, request: &[u8]) -> Result<(TxnAnswer, UnixTime), Trouble> {
        let silence = |error: ureq::Error| Trouble::Silence(error.into());
        let url = format!("http://{endpoint}/v3/kv/txn");
        let sent = self.agent().post(url).content_type("application/json").send(request);
        let mut response = sent.map_err(silence)?;
        let body = response.body_mut().with_config().limit(MAX_ANSWER).read_to_vec();
        let body = body.map_err(silence)?;
        if response.status() != StatusCode::OK {
            return Err(refusal(response.status(), &body));
        }
        let corrupt = |error: Box<dyn Error + Send + Sync>| {
            let what = "its answer".to_owned();
            let corrupt = StoreError::new(BACKEND, StoreErrorKind::Corrupt { what });
            Trouble::No(corrupt.with_source(error))
        };
        let answer = serde_json::from_slice(&body).map_err(|error| corrupt(error.into()))?;
        Ok((answer, time(response.headers()).map_err(corrupt)?))
    }
}

/// What an answer says that is none. The protocol's `UNAVAILABLE` and `DEADLINE_EXCEEDED` come as 503 and
/// 504: no leader, no quorum, not in time.
fn refusal(status: StatusCode, body: &[u8]) -> Trouble {
    let message = match serde_json::from_slice(body) {
        Ok(Failure { message }) => message,
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    };
    let said = Said { status, message };
    match status {
        StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::REQUEST_TIMEOUT
        | StatusCode::GATEWAY_TIMEOUT => Trouble::Silence(said.into()),
        _ => Trouble::No(failed("do a transaction", said)),
    }
}

fn failed(what: &str, source: impl Into<Box<dyn Error + Send + Sync>>) -> StoreError {
    let kind = StoreErrorKind::Failed { what: what.to_owned() };
    StoreError::new(BACKEND, kind).with_source(source)
}

/// The time by the clock of the member that answered. HTTP tells whole seconds; the rest is ours where
/// our clock agrees on the second, and otherwise as near to ours as that second gets.
fn time(headers: &HeaderMap) -> Result<UnixTime, Box<dyn Error + Send + Sync>> {
    const MICROS: Duration = Duration::from_micros(999_999);
    let date = headers.get(header::DATE).ok_or("no date")?.to_str()?;
    let second = UnixTime::try_from(httpdate::parse_http_date(date)?)?;
    let end = second.checked_add(MICROS).ok_or("the end of time")?;
    Ok(SystemClock.now().map_or(second, |now| now.clamp(second, end)))
}

/// What a member said with a status that is not 200.
#[derive(Debug, thiserror::Error)]
#[error("{status}: {message}")]
struct Said {
    status: StatusCode,
    message: String,
}

/// What came instead of an answer, from each member.
#[derive(Debug)]
struct Silence(Vec<(String, Box<dyn Error + Send + Sync>)>);

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (endpoint, error)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{endpoint}: {error}")?;
        }
        Ok(())
    }
}

impl Error for Silence {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.last().map(|(_, error)| &**error as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said_at(date: UnixTime) -> UnixTime {
        let micros = u64::try_from(date.as_micros()).unwrap();
        let date = std::time::UNIX_EPOCH + Duration::from_micros(micros);
        let mut headers = HeaderMap::new();
        headers.insert(header::DATE, httpdate::fmt_http_date(date).parse().unwrap());
        time(&headers).unwrap()
    }

    #[test]
    fn the_time_is_ours_only_within_the_second_that_etcd_says() {
        const HOUR: Duration = Duration::from_secs(3_600);
        let second = |time: UnixTime| time.as_micros() / 1_000_000;
        let before = SystemClock.now().unwrap();
        let now = said_at(before);
        assert_eq!(second(now), second(before));
        let (ahead, behind) =
            (before.checked_add(HOUR).unwrap(), before.checked_sub(HOUR).unwrap());
        assert_eq!(said_at(ahead).as_micros(), second(ahead) * 1_000_000);
        assert_eq!(said_at(behind).as_micros(), second(behind) * 1_000_000 + 999_999);
    }

    #[test]
    fn without_a_date_there_is_no_time() {
        assert!(time(&HeaderMap::new()).is_err());
    }

    #[test]
    fn all_members_are_asked_before_there_is_no_answer() {
        // Nothing listens on port 1 (tcpmux), nor takes connections to port 0.
        let endpoints = vec!["127.0.0.1:1".to_owned(), "127.0.0.1:0".to_owned()];
        let gateway = Gateway::new(endpoints, Duration::from_secs(10));
        let error = gateway.txn(&Txn::default()).unwrap_err();
        assert!(error.is_unreachable());
        let source = error.source().unwrap().to_string();
        assert!(source.contains("127.0.0.1:1: ") && source.contains("127.0.0.1:0: "), "{source}");
    }
}
