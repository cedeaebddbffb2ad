//! Measures the time after which a killed holder's node is in use again: `after_a_kill URL
//! [ROUNDS]`. It leaves realms of random names behind.
//!
//! For each scheme, a process keeps the only node of a realm, on the default terms. It is killed
//! (`kill -9`) at a moment between two renewals. Another process then retries until it has the node
//! and its first ID.

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::time::Duration;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use tickid_core::Scheme;
use tickid_kuid::Kuid;
use tickid_lease::admin::{Refusal, Start};
use tickid_lease::session::{Token, block_on};
use tickid_lease::{LeaseError, LeasedGenerator, Realm};
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;

type BoxError = Box<dyn core::error::Error + Send + Sync>;

/// Holds the name of the realm of a process that will be killed.
const REALM: &str = "TICKID_EXAMPLE_REALM";

fn main() -> Result<(), BoxError> {
    let mut args = std::env::args().skip(1);
    let url = args.next().ok_or("the URL of a store is missing")?;
    let rounds: u32 = args.next().map_or(Ok(5), |rounds| rounds.parse())?;
    if let Ok(realm) = std::env::var(REALM) {
        let (scheme, _) = realm.split_once('-').ok_or("it names no scheme")?;
        return match scheme {
            Scru64::NAME => hold::<Scru64>(&url, &realm),
            Nanoflake::NAME => hold::<Nanoflake>(&url, &realm),
            Kuid::NAME => hold::<Kuid>(&url, &realm),
            _ => hold::<Sno>(&url, &realm),
        };
    }
    thread::scope(|scope| {
        let schemes = [measure::<Scru64>, measure::<Kuid>, measure::<Nanoflake>, measure::<Sno>];
        let url = &url;
        let all = schemes.map(|measure| scope.spawn(move || measure(url, rounds)));
        all.into_iter().try_for_each(|one| one.join().map_err(|_| "it panicked")?)
    })
}

fn measure<S: LeasableScheme>(url: &str, rounds: u32) -> Result<(), BoxError> {
    let (mut leased, mut issued) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let realm = format!("{}-{}", S::NAME, Token::random()?);
        let mut holder = Command::new(std::env::current_exe()?)
            .arg(url)
            .env(REALM, &realm)
            .stdout(Stdio::piped())
            .spawn()?;
        let said = holder.stdout.take().ok_or("no output")?;
        BufReader::new(said).read_line(&mut String::new())?;
        // The moments range from just after the first renewal to just before the next.
        thread::sleep(Duration::from_millis(5_100) + Duration::from_millis(4_800) * round / rounds);
        holder.kill()?;
        holder.wait()?;
        let start = Instant::now();
        let generator = keep::<S>(url, &realm)?;
        leased.push(start.elapsed());
        generator.generate()?;
        issued.push(start.elapsed());
    }
    for (what, mut times) in [("leased", leased), ("issued", issued)] {
        times.sort_unstable();
        let [least, median, most] = [0, times.len() / 2, times.len() - 1].map(|at| times[at]);
        println!("{:>9}, {what}: least {least:.1?}, median {median:.1?}, most {most:.1?}", S::NAME);
    }
    Ok(())
}

/// Keeps a node until the process is killed.
fn hold<S: LeasableScheme>(url: &str, realm: &str) -> Result<(), BoxError> {
    let _generator = keep::<S>(url, realm)?;
    println!("here");
    loop {
        thread::park();
    }
}

/// Returns a leased generator as soon as the node is free.
fn keep<S: LeasableScheme>(url: &str, realm: &str) -> Result<LeasedGenerator<S>, BoxError> {
    let realm = Realm::builder(realm, S::default()).pool(S::POOL).build()?;
    let store = tickid_stores::open(url)?;
    block_on(store.create(realm.spec(), Start::Immediately), Duration::from_secs(5))?;
    loop {
        match LeasedGenerator::start(store.clone(), realm.clone()) {
            Err(error) if is_busy(&error) => thread::sleep(Duration::from_millis(50)),
            result => return Ok(result?),
        }
    }
}

fn is_busy(error: &LeaseError) -> bool {
    let refusal = error.store().and_then(|error| error.refusal());
    matches!(refusal, Some(Refusal::NoFreeNode { .. }))
}

trait LeasableScheme: Scheme + Default {
    const POOL: &'static str;
}

impl LeasableScheme for Scru64 {
    const POOL: &'static str = "7/8";
}

impl LeasableScheme for Nanoflake {
    const POOL: &'static str = "7/10";
}

impl LeasableScheme for Kuid {
    const POOL: &'static str = "7/32";
}

impl LeasableScheme for Sno {
    const POOL: &'static str = "7/16";
}
