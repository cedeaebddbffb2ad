//! A scheme of tickets, made by the steps of "Add a scheme" in `CONTRIBUTING.md` to keep them true.
//! It has the same files as a scheme crate, and its tests.
//!
//! ```text
//! ┌─┬─────────────────────────────────┬────────┬─────────┐
//! │0│ hundredths of a second, 40 bits │ desk, 8│ number,15│
//! └─┴─────────────────────────────────┴────────┴─────────┘
//!  text: Base36, 13 digits
//! ```

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod external;
mod generator;
mod id;
mod node;
mod promises;
mod reference;
mod scheme;
mod support;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tickid_core::external::Representations;
use tickid_core::{ManualClock, Scheme as _, Ticks, UnixTime};
use tickid_testkit::{config, nodes};

use crate::generator::{Builder, Generator, LocalGenerator};
use crate::id::TicketId;
use crate::node::Desk;
use crate::scheme::Ticket;

fn ids() -> impl Strategy<Value = TicketId> {
    (0..=TicketId::MAX.get()).prop_map(|value| TicketId::new(value).unwrap())
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn every_form_of_an_id_is_read_back(id in ids()) {
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        prop_assert_eq!(TicketId::try_from(&*id.to_string().to_uppercase()), Ok(id));
        prop_assert_eq!(TicketId::try_from(u64::from(id)), Ok(id));
        prop_assert_eq!(TicketId::try_from(<[u8; 8]>::from(id)), Ok(id));
        prop_assert_eq!(TicketId::try_from(&<[u8; 8]>::from(id)[..]), Ok(id));
        prop_assert_eq!(TicketId::from_parts(id.time(), id.desk(), id.number()), Ok(id));
        let json = serde_json::to_string(&id).unwrap();
        prop_assert_eq!(serde_json::from_str::<TicketId>(&json).unwrap(), id);
    }

    #[test]
    fn fields_are_those_of_the_id(id in ids()) {
        let values = TicketId::FIELDS.map(|field| field.value(&<[u8; 8]>::from(id)));
        let own = [0, id.time().into(), id.desk().get().into(), id.number().into()];
        prop_assert_eq!(values, own);
        prop_assert_eq!(TicketId::FIELDS.map(|field| field.bits()).iter().sum::<u32>(), 64);
    }

    #[test]
    fn all_forms_order_as_ids_do(a in ids(), b in ids()) {
        prop_assert_eq!(a.encode().as_str().cmp(&b.encode()), a.cmp(&b));
        prop_assert_eq!(<[u8; 8]>::from(a).cmp(&b.into()), a.cmp(&b));
    }
}

/// As a type of one's own does that holds any ID.
#[test]
fn generic_code_reads_every_form_back() {
    fn read_back<T: Representations + PartialEq>(id: T) {
        let (integer, bytes): (T::Integer, T::Bytes) = (id.into(), id.into());
        let binary: T::Binary = id.into();
        let read = [T::try_from(integer).ok(), T::try_from(bytes).ok(), T::try_from(binary).ok()];
        assert_eq!(read, [Some(id); 3]);
    }
    read_back(TicketId::MIN);
    read_back(TicketId::MAX);
}

#[test]
fn range_errors_name_the_range() {
    let messages = [
        TicketId::new(1 << 63).unwrap_err().to_string(),
        TicketId::from_parts(1 << 40, Desk::new(0), 0).unwrap_err().to_string(),
        TicketId::from_parts(0, Desk::new(0), 1 << 15).unwrap_err().to_string(),
        "1y2p0ij32e8e8".parse::<TicketId>().unwrap_err().to_string(),
        "42".parse::<TicketId>().unwrap_err().to_string(),
    ];
    let expected = [
        "ticket 9223372036854775808 is outside of 0..=9223372036854775807",
        "ticket time 1099511627776 is outside of 0..=1099511627775",
        "ticket number 32768 is outside of 0..=32767",
        "not a ticket: the number 9223372036854775808 is above 9223372036854775807",
        "not a ticket: 2 bytes long, not 13",
    ];
    assert_eq!(messages, expected);
}

#[test]
fn desks_are_made_of_8_bits() {
    nodes::are_made_of_their_bits::<Desk>(8..=8);
}

#[test]
fn ids_have_the_clocks_time() {
    let clock = ManualClock::new(UnixTime::from_micros(1_577_836_800_123_456));
    let builder = || Builder::new(Desk::new(3)).clock(&clock);
    let shared: Generator<_> = builder().build().unwrap();
    let mut local: LocalGenerator<_> = builder().build_local().unwrap();
    let expected = TicketId::from_parts(12, Desk::new(3), 0);
    assert_eq!([shared.generate(), local.generate()].map(Result::unwrap), [expected.unwrap(); 2]);
}

#[test]
fn layouts_differ_in_text() {
    let (mut text, layout) = (String::new(), Ticket::default());
    layout.write_settings(&mut text).unwrap();
    assert_eq!(text, "epoch 1577836800000000");
    assert_eq!(layout.ticks_in(core::time::Duration::from_secs(1)), Ticks::new(100));
    assert_eq!(TicketId::NAME, Ticket::NAME);
}

/// Returns the files of the libraries' and the command's code that name a scheme's types.
fn files_naming(types: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut folders = vec![root.join("crates"), root.join("apps")];
    let mut named = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let place = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let is_source = place.split('/').nth(2).is_none_or(|part| part == "src");
            if path.is_dir() && is_source {
                folders.push(path);
            } else if is_source && place.ends_with(".rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap().lines();
                let mut code = code.filter(|line| !line.trim_start().starts_with("//"));
                let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
                let has = |line: &str, name: &&str| {
                    line.match_indices(*name).any(|(at, _)| is_end(&line[at + name.len()..]))
                };
                if code.any(|line| types.iter().any(|name| has(line, name))) {
                    named.push(place);
                }
            }
        }
    }
    named.sort();
    named
}

/// The four places of step 4 in `CONTRIBUTING.md` (the scheme's crate, two tables and the façade),
/// and the places of what only this scheme has.
#[test]
fn few_places_know_a_scheme() {
    let mut places = files_naming(&["tickid_sno", "SnoId", "::Sno"]);
    places.retain(|place| !place.starts_with("crates/sno/") && !place.ends_with("/fuzzing.rs"));
    let expected = [
        // `--to uuid-sno`: sno's document has UUIDs of its own.
        "apps/cli/src/convert/target.rs",
        // Functions in PostgreSQL are written for each scheme.
        "apps/sql/src/constants.rs",
        "apps/sql/src/lib.rs",
        // The UUIDs themselves.
        "crates/convert/src/carry.rs",
        "crates/convert/src/schemes/mod.rs",
        "crates/convert/src/schemes/sno.rs",
        "crates/detect/src/formats/mod.rs",
        // Texts with letters anywhere, as paths of pictures have them.
        "crates/detect/src/reading.rs",
        "crates/tickid/src/lib.rs",
    ];
    assert_eq!(places, expected);
}

/// The one place of `CONTRIBUTING.md`, "Add a format that is only read".
#[test]
fn one_place_knows_a_format_that_is_only_read() {
    for name in ["TikTok", "InstagramCode", "RowId", "Tid"] {
        assert_eq!(files_naming(&[name]), ["crates/detect/src/formats/mod.rs"], "{name}");
    }
}
