//! The page of targets, and the README's chart.

use core::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::thread;

use crate::read;
use crate::results::{Measurement, Results, TIME, number};
use crate::targets::TARGETS;

const HEAD: &str = "\
# Targets of the benchmarks

Written by `cargo xtask bench`; do not edit. [Benchmarks](README.md) explains the names.
";

const PATTERNS: &str = "`*` stands for\nSCRU64, Nanoflake, kuid and sno in this order, \
                        and `@` for Snowflakes with the node above the\nsequence, and below it.";

/// The results of a run.
pub(crate) struct Page<'a> {
    /// The date and the machine.
    pub(crate) about: &'a [(&'static str, String)],
    pub(crate) results: &'a Results,
}

impl Page<'_> {
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{HEAD}\n| | |\n|---|---|\n");
        for (what, which) in self.about {
            let _ = writeln!(text, "| {what} | {which} |");
        }
        let verdicts = TARGETS.iter().filter_map(|target| target.verdict(self.results));
        let (rows, kept): (Vec<_>, Vec<_>) = verdicts.unzip();
        let kept = kept.concat();
        let reached = kept.iter().filter(|is_kept| **is_kept).count();
        let _ = write!(
            text,
            "\n{reached} of {} measured targets are reached; the others are bold. {PATTERNS}\n\n\
             | target | measured | bound | is |\n|---|---|---|---|\n{}\n",
            kept.len(),
            rows.join("\n")
        );
        text
    }

    /// Returns the README's chart, the shortest times first.
    pub(crate) fn chart(&self) -> String {
        let bars = self.results.0.iter().filter(|one| one.quantity == TIME).filter_map(|one| {
            let name = one.id.strip_prefix(ONE_THREAD)?;
            let (_, label) = PEERS.iter().find(|(other, _)| *other == name)?;
            Some((*label, one))
        });
        let mut bars: Vec<_> = bars.collect();
        bars.sort_by(|(_, a), (_, b)| a.value.total_cmp(&b.value));
        chart("One ID, on one thread", &bars)
    }
}

const ONE_THREAD: &str = "generate/one-thread/";
/// The README's chart: generators that threads can share, where there is one, with each library's
/// own clock.
const PEERS: [(&str, &str); 10] = [
    ("ticker/ferroid/atomic", "ferroid, with a thread as clock"),
    ("wall/sno/shared/below-cap", "sno"),
    ("wall/scru64/shared/below-cap", "SCRU64"),
    ("wall/kuid/shared/below-cap", "kuid"),
    ("wall/nanoflake/shared/below-cap", "Nanoflake"),
    ("wall/snowflake/shared/below-cap", "Snowflake"),
    ("wall/snowflaked/shared/below-cap", "snowflaked"),
    ("wall/scru64-official/global/below-cap", "scru64, the official"),
    ("wall/ulid/exclusive", "ulid, one owner"),
    ("wall/uuid-v7", "uuid, version 7"),
];

/// The words in names of what is not ours: other libraries, and the processor or the system alone.
const OTHERS: &str = "base64 data-encoding ferroid fetch-add kernel scru64-official snowflaked std \
                      ulid uuid uuid-v7";

fn is_ours(name: &str) -> bool {
    !name.split('/').any(|word| OTHERS.split_whitespace().any(|other| other == word))
}

const STYLE: &str = "\
svg{background:#fff}text{font:16px sans-serif;fill:#1f2328;dominant-baseline:middle}\
.title{font:bold 21px sans-serif}.end{text-anchor:end}.ours{fill:#0969da}.other{fill:#afb8c1}\
@media(prefers-color-scheme:dark){svg{background:#0d1117}text{fill:#e6edf3}.ours{fill:#4493f8}\
.other{fill:#6e7681}}";

const WIDTH: usize = 860;
/// The height of the title and the legend.
const HEAD_HEIGHT: usize = 72;
const ROW: usize = 26;

/// Draws times as bars, in light colours, and in dark ones for readers who prefer them.
fn chart(title: &str, bars: &[(&str, &Measurement)]) -> String {
    let height = HEAD_HEIGHT + ROW * bars.len() + 16;
    // Characters of common fonts are at most 8 wide; the value behind the longest bar needs 60.
    let left = 24 + 8 * bars.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let longest = bars.iter().map(|(_, one)| one.value).fold(f64::MIN_POSITIVE, f64::max);
    let scale = (WIDTH - 76 - left) as f64 / longest;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\">\n<style>{STYLE}</style>\n\
         <text class=\"title\" x=\"16\" y=\"22\">{title}</text>\n\
         <rect class=\"ours\" x=\"16\" y=\"43\" width=\"12\" height=\"12\"/>\
         <text x=\"34\" y=\"49\">tickid</text>\
         <rect class=\"other\" x=\"100\" y=\"43\" width=\"12\" height=\"12\"/>\
         <text x=\"118\" y=\"49\">other libraries, the machine</text>\
         <text class=\"end\" x=\"844\" y=\"49\">ns, less is better</text>\n"
    );
    for (row, (label, one)) in bars.iter().enumerate() {
        let value = number(one.value);
        let class = if is_ours(&one.id) { "ours" } else { "other" };
        let (top, middle) = (HEAD_HEIGHT + ROW * row + 4, HEAD_HEIGHT + ROW * row + 13);
        // Even the shortest bar is visible.
        let width = (one.value * scale).max(1.0);
        let _ = writeln!(
            svg,
            "<text class=\"end\" x=\"{}\" y=\"{middle}\">{label}</text>\
             <rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"{width:.1}\" height=\"18\"/>\
             <text x=\"{:.1}\" y=\"{middle}\">{value}</text>",
            left - 8,
            left as f64 + width + 6.0,
        );
    }
    svg + "</svg>\n"
}

/// Describes the day and the machine, without anything that identifies its owner.
pub(crate) fn about() -> [(&'static str, String); 7] {
    let first_line = |path: &str, prefix: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(prefix));
        line.map(|line| line.trim_start_matches([' ', '\t', ':']).to_owned())
    };
    let unknown = || "unknown".to_owned();
    let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let date = read(Command::new("date").args(["-u", "+%F"]));
    let commit = read(Command::new("git").args(["rev-parse", "--short=8", "HEAD"]));
    let cores = thread::available_parallelism().map_or(0, usize::from);
    [
        ("date", date.map_or_else(|_| unknown(), |date| date.trim().to_owned())),
        ("commit", commit.map_or_else(|_| unknown(), |commit| commit.trim().to_owned())),
        ("processor", first_line("/proc/cpuinfo", "model name").unwrap_or_else(unknown)),
        ("cores", cores.to_string()),
        ("kernel", first_line("/proc/sys/kernel/osrelease", "").unwrap_or_else(unknown)),
        ("kernel's clock source", first_line(clock, "").unwrap_or_else(unknown)),
        ("compiler", compiler()),
    ]
}

pub(crate) fn compiler() -> String {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = read(Command::new(program).arg("--version"));
    version.map_or_else(|_| "unknown".to_owned(), |version| version.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(all: &[(&str, &str, &str, f64)]) -> String {
        let measurement = |&(group, name, quantity, value): &(&str, &str, &str, f64)| {
            Measurement::new(group, name, quantity, "ns", value)
        };
        let results = Results(all.iter().map(measurement).collect());
        let about = [("cores", "2".to_owned())];
        Page { about: &about, results: &results }.text()
    }

    #[test]
    fn a_page_has_the_targets() {
        let text = page(&[
            ("encode", "data-encoding/sno", TIME, 10.0),
            ("encode", "sno", TIME, 1.0),
            ("slow-path", "sno", "p99", 1_500.0),
        ]);
        for expected in [
            "| cores | 2 |\n\n1 of 2 measured targets are reached; ",
            "| sno to text | `encode/sno` | ≤ 0.18 × `encode/data-encoding/sno` | 0.10 |\n",
            "| `slow-path/*` | ≤ 1000 ns (p99) | **1500** |\n",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn a_chart_has_a_bar_for_each_time() {
        let [ours, other] = [("system/now", 11.0), ("std/system-time", 22.0)]
            .map(|(name, value)| Measurement::new("clock", name, TIME, "ns", value));
        let bars = [("system/now", &ours), ("std/system-time", &other)];
        let svg = chart("clock", &bars);
        for expected in [
            ">system/now</text><rect class=\"ours\" x=\"144\" y=\"76\" width=\"320.0\"",
            ">std/system-time</text><rect class=\"other\" x=\"144\" y=\"102\" width=\"640.0\"",
        ] {
            assert!(svg.contains(expected), "{expected}\n{svg}");
        }
    }

    #[test]
    fn the_readme_shows_ours_beside_peers() {
        let group = ONE_THREAD.trim_end_matches('/');
        let all = PEERS.iter().map(|(name, _)| Measurement::new(group, name, TIME, "ns", 1.0));
        let results = Results(all.collect());
        let svg = Page { about: &[], results: &results }.chart();
        for (_, label) in PEERS {
            assert!(svg.contains(&format!(">{label}</text>")), "{label}");
        }
        assert_eq!(svg.matches("class=\"ours\"").count(), 1 + 5, "the legend, and five schemes");
    }

    #[test]
    fn every_peer_is_known() {
        let manifest = include_str!("../../Cargo.toml");
        let peers = manifest.split_once("# The peers").unwrap().1.split_once("[lib]").unwrap().0;
        let names = peers.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
        let names: Vec<_> = names.filter(|name| !name.starts_with('#')).collect();
        assert!(names.len() >= 7 && names.iter().all(|name| !is_ours(name)), "{names:?}");
        assert!(is_ours("manual/sno/shared"));
    }
}
