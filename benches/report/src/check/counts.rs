//! Instructions per operation, as a file and compared.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// The increase that does not fail, and is written to the file. It is needed because compilers
/// place a few instructions differently after changes elsewhere.
const TOLERANCE_PERCENT: f64 = 5.0;

/// The costs of the hot paths.
#[derive(Debug, PartialEq)]
pub(crate) struct Counts {
    /// The compiler, since another one generates other code.
    compiler: String,
    /// The features of the processor that select code.
    processor: String,
    tolerance_percent: f64,
    /// The number of instructions by the path's name.
    instructions: BTreeMap<String, f64>,
}

impl Counts {
    pub(crate) fn new(
        compiler: String,
        processor: String,
        instructions: impl IntoIterator<Item = (String, f64)>,
    ) -> Self {
        // Work outside of the loop is less than a twentieth of an instruction per operation.
        let rounded = |count: f64| (count * 10.0).round() / 10.0;
        Self {
            compiler,
            processor,
            tolerance_percent: TOLERANCE_PERCENT,
            instructions: instructions
                .into_iter()
                .map(|(name, count)| (name, rounded(count)))
                .collect(),
        }
    }

    pub(crate) fn from_json(text: &str) -> Option<Self> {
        let file: Value = serde_json::from_str(text).ok()?;
        let text = |name: &str| Some(file[name].as_str()?.to_owned());
        let count = |(name, value): (&String, &Value)| Some((name.clone(), value.as_f64()?));
        Some(Self {
            compiler: text("compiler")?,
            processor: text("processor")?,
            tolerance_percent: file["tolerance_percent"].as_f64()?,
            instructions: file["instructions"]
                .as_object()?
                .iter()
                .map(count)
                .collect::<Option<_>>()?,
        })
    }

    pub(crate) fn to_json(&self) -> String {
        let file = json!({
            "about": "Instructions per operation, by `cargo xtask bench --check --bless`; do not edit.",
            "compiler": self.compiler,
            "processor": self.processor,
            "tolerance_percent": self.tolerance_percent,
            "instructions": self.instructions,
        });
        format!("{file:#}\n")
    }

    /// Compares the costs in the file with today's.
    pub(crate) fn compare(&self, now: &Self) -> Comparison {
        let names: BTreeSet<_> = self.instructions.keys().chain(now.instructions.keys()).collect();
        let line = |name: &String| {
            let (before, now) = (self.instructions.get(name), now.instructions.get(name));
            Line { name: name.clone(), before: before.copied(), now: now.copied() }
        };
        let differs = |what, before: &str, now: &str| {
            (before != now).then(|| {
                format!("the file is of another {what}: \"{before}\", and this is \"{now}\"")
            })
        };
        Comparison {
            tolerance_percent: self.tolerance_percent,
            warnings: [
                differs("compiler", &self.compiler, &now.compiler),
                differs("processor", &self.processor, &now.processor),
            ]
            .into_iter()
            .flatten()
            .collect(),
            lines: names.into_iter().map(line).collect(),
        }
    }
}

/// The costs in the file and today's, side by side.
#[derive(Debug)]
pub(crate) struct Comparison {
    tolerance_percent: f64,
    warnings: Vec<String>,
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    name: String,
    before: Option<f64>,
    now: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Same,
    Cheaper,
    Dearer,
    /// The path is not in the file.
    New,
    /// The path is only in the file.
    Gone,
}

impl Line {
    fn verdict(&self, tolerance_percent: f64) -> Verdict {
        let (Some(before), Some(now)) = (self.before, self.now) else {
            return if self.now.is_some() { Verdict::New } else { Verdict::Gone };
        };
        let tolerance = before * tolerance_percent / 100.0;
        match now - before {
            change if change > tolerance => Verdict::Dearer,
            change if change < -tolerance => Verdict::Cheaper,
            _ => Verdict::Same,
        }
    }
}

impl Comparison {
    /// Returns the number of paths that are too expensive, or on one side only.
    pub(crate) fn failures(&self) -> usize {
        let fails = |verdict| matches!(verdict, Verdict::Dearer | Verdict::New | Verdict::Gone);
        self.lines.iter().filter(|line| fails(line.verdict(self.tolerance_percent))).count()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for warning in &self.warnings {
            writeln!(f, "note: {warning}")?;
        }
        writeln!(f, "{:<32} {:>8} {:>8}", "instructions per operation", "before", "now")?;
        for line in &self.lines {
            let count = |count: Option<f64>| {
                count.map_or_else(|| "-".to_owned(), |count| format!("{count:.1}"))
            };
            write!(f, "{:<32} {:>8} {:>8}", line.name, count(line.before), count(line.now))?;
            if let (Some(before), Some(now)) = (line.before, line.now) {
                write!(f, " {:>+7.1} %", (now / before - 1.0) * 100.0)?;
            }
            writeln!(
                f,
                "{}",
                match line.verdict(self.tolerance_percent) {
                    Verdict::Same => "",
                    Verdict::Cheaper => "  cheaper: --bless keeps it so",
                    Verdict::Dearer => "  MORE EXPENSIVE",
                    Verdict::New => "  NOT IN THE FILE",
                    Verdict::Gone => "  NO LONGER COUNTED",
                }
            )?;
        }
        write!(f, "tolerance: {} %", self.tolerance_percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(instructions: &[(&str, f64)]) -> Counts {
        let instructions = instructions.iter().map(|&(name, count)| (name.to_owned(), count));
        Counts::new("rustc 1".to_owned(), "x86_64 avx2".to_owned(), instructions)
    }

    #[test]
    fn a_file_holds_what_was_written() {
        let counts = counts(&[("clock/manual", 7.000_27), ("encode/sno", 154.029)]);
        let text = counts.to_json();
        assert!(text.contains("\"clock/manual\": 7.0,\n"), "{text}");
        assert_eq!(Counts::from_json(&text), Some(counts));
        for wrong in ["", "{}", &text.replace("154.0", "\"many\"")] {
            assert_eq!(Counts::from_json(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_same_counts_pass() {
        let counts = counts(&[("encode/sno", 154.0), ("decode/sno", 151.0)]);
        let comparison = counts.compare(&counts);
        assert_eq!(comparison.failures(), 0);
        assert!(comparison.warnings.is_empty());
    }

    #[test]
    fn a_doctored_count_fails() {
        let now = counts(&[("encode/sno", 154.0), ("decode/sno", 151.0)]);
        let text = now.to_json().replace("154.0", "100.0");
        let comparison = Counts::from_json(&text).unwrap().compare(&now);
        assert_eq!(comparison.failures(), 1);
        let table = comparison.to_string();
        let line = table.lines().find(|line| line.starts_with("encode/sno")).unwrap();
        assert!(line.ends_with("100.0    154.0   +54.0 %  MORE EXPENSIVE"), "{line}");
        let line = table.lines().find(|line| line.starts_with("decode/sno")).unwrap();
        assert!(line.ends_with("151.0    151.0    +0.0 %"), "{line}");
    }

    #[test]
    fn tolerance_comes_from_the_file() {
        let before = counts(&[("encode/sno", 100.0)]);
        let failures = |now| before.compare(&counts(&[("encode/sno", now)])).failures();
        assert_eq!((failures(105.0), failures(105.1)), (0, 1));
        let strict = Counts { tolerance_percent: 0.0, ..counts(&[("encode/sno", 100.0)]) };
        assert_eq!(strict.compare(&counts(&[("encode/sno", 100.1)])).failures(), 1);
    }

    #[test]
    fn cheaper_passes_and_says_so() {
        let comparison = counts(&[("encode/sno", 154.0)]).compare(&counts(&[("encode/sno", 15.0)]));
        assert_eq!(comparison.failures(), 0);
        assert!(comparison.to_string().contains("cheaper"));
    }

    #[test]
    fn one_sided_benchmarks_fail() {
        let comparison = counts(&[("old", 1.0)]).compare(&counts(&[("new", 1.0)]));
        assert_eq!(comparison.failures(), 2);
        let table = comparison.to_string();
        assert!(
            table.contains("NOT IN THE FILE") && table.contains("NO LONGER COUNTED"),
            "{table}"
        );
    }

    #[test]
    fn other_compilers_are_mentioned() {
        let before = counts(&[("encode/sno", 154.0)]);
        let now = Counts {
            compiler: "rustc 2".to_owned(),
            processor: "x86_64".to_owned(),
            ..counts(&[("encode/sno", 154.0)])
        };
        let table = before.compare(&now).to_string();
        for expected in ["compiler: \"rustc 1\", and this is \"rustc 2\"", "and this is \"x86_64\""]
        {
            assert!(table.contains(expected), "{table}");
        }
    }
}
