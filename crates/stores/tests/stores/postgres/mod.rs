//! The backend in PostgreSQL.

mod database;
mod faults;
mod promises;
mod search_path;
mod tls;

use tickid_testkit::servers::{Postgres, Test};

use crate::distance::{self, Line};
use crate::releases;

pub(crate) fn tests() -> Vec<Test<Postgres>> {
    let mut tests = tickid_lease::store_scenarios!(Postgres: database::Database::empty).to_vec();
    tests.extend(promises::TESTS);
    tests.extend(faults::TESTS);
    tests.extend(search_path::TESTS);
    tests.extend(tls::TESTS);
    tests.extend(releases::tests!(Postgres, "postgres", database::Database::empty));
    tests.extend(distance::tests!(Postgres, at_the_end_of_a_line));
    tests
}

fn at_the_end_of_a_line(server: &Postgres, test: impl FnOnce(Line<'_>)) {
    let database = database::Database::new(server);
    let new = || database.proxy();
    test(Line { new: &new, patient: &database::open, near: database.client() });
}
