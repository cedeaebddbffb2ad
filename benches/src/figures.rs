//! Benchmarks of quantities that criterion cannot express, which print their figures.

use std::env;

/// The request to a benchmark program, in criterion's own options as far as they apply here.
#[derive(Debug)]
pub struct Request {
    filters: Vec<String>,
    /// True to measure, since `cargo test` runs benchmarks only to see that they work.
    pub is_bench: bool,
    /// True for a short measurement, for a user who is waiting.
    pub is_quick: bool,
}

impl Request {
    /// Reads the request from the command line.
    #[must_use]
    pub fn from_args() -> Self {
        let mut request = Self { filters: Vec::new(), is_bench: false, is_quick: false };
        let mut args = env::args().skip(1);
        while let Some(arg) = args.next() {
            match &*arg {
                "--bench" => request.is_bench = true,
                "--measurement-time" | "--warm-up-time" | "--sample-size" => drop(args.next()),
                "--quick" => request.is_quick = true,
                flag if flag.starts_with('-') => {}
                // Criterion takes a regular expression. Of these, alternatives are understood.
                filter => request.filters.extend(filter.split('|').map(str::to_owned)),
            }
        }
        request
    }

    /// Reports whether the benchmark of that name was requested.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter))
    }
}

/// The figures of the group of that name.
#[derive(Clone, Copy, Debug)]
pub struct Figures(pub &'static str);

impl Figures {
    /// Prints a figure.
    pub fn print(self, name: &str, quantity: &str, unit: &str, value: f64) {
        println!("{}/{name:<40} {quantity:<12} {value:>12.3} {unit}", self.0);
    }
}
