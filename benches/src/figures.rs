//! Benchmarks of quantities that criterion cannot express. They print their figures and save them
//! where the report finds them.

use std::path::PathBuf;
use std::{env, fs};

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
                // Criterion takes a regular expression, so `cargo xtask bench` joins several
                // filters as alternatives.
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

/// The figures of one group.
#[derive(Debug)]
pub struct Figures {
    group: &'static str,
    lines: Vec<String>,
}

impl Figures {
    /// Creates a group without figures.
    #[must_use]
    pub fn new(group: &'static str) -> Self {
        Self { group, lines: Vec::new() }
    }

    /// Prints a figure and keeps it.
    pub fn add(&mut self, name: &str, quantity: &str, unit: &str, value: f64) {
        println!("{}/{name:<40} {quantity:<12} {value:>12.3} {unit}", self.group);
        self.lines.push(format!(
            r#"{{"name":"{name}","quantity":"{quantity}","unit":"{unit}","value":{value:.4}}}"#
        ));
    }

    /// Saves the figures for the report, if there are any.
    pub fn save(self) {
        if self.lines.is_empty() {
            return;
        }
        let home = env::var_os("CRITERION_HOME").map(PathBuf::from);
        let folder = home.unwrap_or_else(|| PathBuf::from("target/criterion")).join("figures");
        let text = format!(
            "{{\"group\":\"{}\",\"figures\":[\n{}\n]}}\n",
            self.group,
            self.lines.join(",\n")
        );
        let path = folder.join(self.group.replace('/', "_")).with_extension("json");
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, text))
            .expect("a folder to write to");
    }
}
