//! Figures in, Markdown out.

use core::fmt;

use crate::chart::FOLDER;
use crate::results::{Measurement, Results, TIME};
use crate::tables::Table;
use crate::targets::{Bound, TARGETS, Target, floor, in_turn};

/// `docs/benchmarks.md`.
pub(crate) struct Report<'a> {
    pub(crate) date: &'a str,
    pub(crate) machine: &'a [(&'static str, String)],
    pub(crate) is_quick: bool,
    /// Lists every target, not only those that were measured.
    pub(crate) is_whole: bool,
    pub(crate) results: &'a Results,
}

const INTRODUCTION: &str = "\
# Benchmarks

Written by `cargo xtask bench`; do not edit.

## How to read this

- Times are nanoseconds per ID (per call in `clock`), the median of all samples; less is better. Everything is measured
  in three passes, minutes apart, and of each figure the middle one counts. `command` has the best of five runs in each.
  Only ratios within one run say anything: they stand next to each time, as what it is of the peer in the column's
  head. 0.50 × is half of the peer's time.
- *Manual* clocks cost one load and move on by a tick after each batch of calls: what remains is the generator.
  *Wall* clocks are what each library reads by itself. ferroid's *ticker* is a thread that counts milliseconds from the
  start of the process; it does not follow the wall clock.
- *below-cap*: the format has fewer IDs per tick than a loop can draw, so the loop draws bursts of 1,024 and the pauses
  are not counted. Of what happens at the cap tells `generate/saturated`.
- *no-time* is ferroid as its own benchmarks have it: no clock at all, and a layout without a timestamp.
- In `generate/contended` all threads draw from one generator, and times are for the IDs of all together. *one-each*: each
  thread has one to itself, in an array or in boxes, to show that those in an array share no cache line.
- `generate/side-by-side` tells more of two threads than `generate/contended`: each single cycle between two calls decides
  how often a core adds before it loses the cache line, and what a second of a bare counter takes is not what the next
  one does. Here generator and counter take turns every few milliseconds, and what they drew is used for 0 to 10 cycles.
- `generate/leased`: a keeper, the generator that it keeps (both look whether this is still the process that has the
  lease), and one without a lease, in turn.
- *least* is no generator but what each must do at least, on this machine: look at the clock, hold it against the ends of
  a tick, count as far as a block goes. Where a target is below that, the machine forbids it, and the table says so.
- `generate/clocks`: each scheme over the system's clock, the kernel's coarse one (late by up to 10 ms) and the default.
- `slow-path` includes the reading of the timer, which is a line of its own; its maximum is the scheduler's.
- Peers' layouts are wide enough that none of them waits where ours do not. How each one is set up, and why, is in
  `benches/src/peers.rs`.
";

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_whole {
            writeln!(f, "{INTRODUCTION}")?;
        }
        writeln!(f, "## Where and when\n\n| | |\n|---|---|\n| date | {} |", self.date)?;
        for (what, which) in self.machine {
            writeln!(f, "| {what} | {which} |")?;
        }
        if self.is_quick {
            writeln!(f, "\nA quick run: to see that all works, not to quote from.")?;
        }
        self.targets(f)?;
        writeln!(f, "\n## Groups")?;
        self.tables(f)
    }
}

impl Report<'_> {
    fn targets(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n## Targets\n")?;
        writeln!(f, "| what | measured | is | target | |\n|---|---|---:|---:|---|")?;
        for target in TARGETS {
            for ours in target.ours {
                let (is, limit, reached) = self.verdict(target, ours);
                if is.is_empty() && !self.is_whole {
                    continue;
                }
                let what = target.what;
                writeln!(f, "| {what} | `{ours}` | {is} | {limit} | {reached} |")?;
            }
        }
        Ok(())
    }

    /// The measured value, the bound, and the result of the comparison.
    fn verdict(&self, target: &Target, ours: &str) -> (String, String, String) {
        let value = self.results.value(ours, target.bound.quantity());
        let compared = |baseline| Some(value? / self.results.value(baseline, TIME)?);
        let times = |ratio: f64| format!("{ratio:.2} ×");
        let plain = |value: f64| number(value);
        let mut forbidden = None;
        let (is, limit, is_reached) = match target.bound {
            Bound::Times(most, baseline) => {
                let ratio = compared(baseline);
                let floor = floor(ours).and_then(|floor| {
                    let value = self.results.value(floor, TIME)?;
                    Some((floor, value / self.results.value(baseline, TIME)?))
                });
                forbidden = floor.filter(|(_, ratio)| *ratio > most);
                (ratio.map(times), format!("≤ {most} × `{baseline}`"), ratio.map(|is| is <= most))
            }
            Bound::Below(limit, baseline) => {
                let ratio = compared(baseline);
                (ratio.map(times), format!("< {limit} × `{baseline}`"), ratio.map(|is| is < limit))
            }
            Bound::AtMost(most, quantity) => (
                value.map(plain),
                format!("≤ {most} {}", self.unit(ours, quantity)),
                value.map(|is| is <= most),
            ),
            Bound::AtLeast(least, quantity) => (
                value.map(plain),
                format!("≥ {least} {}", self.unit(ours, quantity)),
                value.map(|is| is >= least),
            ),
        };
        let reached = match (is_reached, forbidden) {
            (Some(true), _) => "reached".to_owned(),
            (Some(false), None) => format!("**not reached**{}", self.in_turn(ours)),
            (Some(false), Some((floor, ratio))) => {
                format!("**not reached**; `{floor}` is {ratio:.2} ×: this machine forbids it")
            }
            (None, _) => "not measured".to_owned(),
        };
        (is.unwrap_or_default(), limit, reached)
    }

    /// The time of the same generator in turn with a bare counter, where it was measured.
    fn in_turn(&self, ours: &str) -> String {
        let value = in_turn(ours).and_then(|other| {
            let value = self.results.value(&other, "0 cycles")?;
            Some(format!("; in turn with it (`{other}`) it is {value:.2} ×"))
        });
        value.unwrap_or_default()
    }

    /// The unit with the quantity, as in `ns (p99)`.
    fn unit(&self, id: &str, quantity: &str) -> String {
        let mut all = self.results.0.iter();
        let unit = all.find(|one| one.id() == id && one.quantity == quantity).map(|one| &*one.unit);
        format!("{} ({quantity})", unit.unwrap_or_default()).trim_start().to_owned()
    }

    fn tables(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for group in self.results.groups() {
            writeln!(f, "\n### `{group}`")?;
            for table in Table::of(self.results, group) {
                self.times(f, &table)?;
            }
            let is_figure = |one: &&Measurement| one.group == group && one.quantity != TIME;
            let figures: Vec<_> = self.results.0.iter().filter(is_figure).collect();
            if !figures.is_empty() {
                self::figures(f, &figures)?;
            }
        }
        Ok(())
    }

    fn times(&self, f: &mut fmt::Formatter<'_>, table: &Table<'_>) -> fmt::Result {
        if self.is_whole {
            let title = table.title();
            writeln!(f, "\n![Times of `{title}` as bars]({FOLDER}/{})", table.plot())?;
        }
        write!(f, "\n| | ns |")?;
        for (id, _) in &table.baselines {
            let group = format!("{}/", table.group);
            write!(f, " × `{}` |", id.strip_prefix(&group).unwrap_or(id))?;
        }
        writeln!(f, "\n|---|---:|{}", "---:|".repeat(table.baselines.len()))?;
        for row in &table.rows {
            write!(f, "| `{}` | {} |", row.name, number(row.value))?;
            for (_, baseline) in &table.baselines {
                write!(f, " {:.2} |", row.value / baseline)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// One line per name, one column per quantity.
fn figures(f: &mut fmt::Formatter<'_>, all: &[&Measurement]) -> fmt::Result {
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    for one in all {
        if !names.contains(&&one.name) {
            names.push(&one.name);
        }
        if !columns.contains(&(&one.quantity, &one.unit)) {
            columns.push((&one.quantity, &one.unit));
        }
    }
    write!(f, "\n| |")?;
    for (quantity, unit) in &columns {
        write!(f, " {quantity}, {unit} |")?;
    }
    writeln!(f, "\n|---|{}", "---:|".repeat(columns.len()))?;
    for name in names {
        write!(f, "| `{name}` |")?;
        for (quantity, _) in &columns {
            let it = all.iter().find(|one| one.name == *name && one.quantity == **quantity);
            write!(f, " {} |", it.map(|one| number(one.value)).unwrap_or_default())?;
        }
        writeln!(f)?;
    }
    Ok(())
}

/// Formats a value with three significant digits.
fn number(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}"),
        value if value < 100.0 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(id: (&str, &str), quantity: &str, unit: &str, value: f64) -> Measurement {
        Measurement {
            group: id.0.to_owned(),
            name: id.1.to_owned(),
            quantity: quantity.to_owned(),
            unit: unit.to_owned(),
            value,
        }
    }

    fn time(group: &str, name: &str, value: f64) -> Measurement {
        measurement((group, name), TIME, "ns", value)
    }

    fn report(all: Vec<Measurement>) -> String {
        let results = Results(all);
        let machine = [("cores", "2".to_owned())];
        let report = Report {
            date: "2026-01-01",
            machine: &machine,
            is_quick: false,
            is_whole: true,
            results: &results,
        };
        report.to_string()
    }

    #[test]
    fn a_table_has_ratios_and_the_fastest_first() {
        let text =
            report(vec![time("encode", "data-encoding/sno", 8.0), time("encode", "sno", 1.0)]);
        let expected = "\
### `encode`

![Times of `encode` as bars](benchmarks/encode.svg)

| | ns | × `data-encoding/sno` |
|---|---:|---:|
| `sno` | 1.00 | 0.12 |
| `data-encoding/sno` | 8.00 | 1.00 |
";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn targets_are_reached_or_not_or_not_measured() {
        let text = report(vec![
            time("encode", "data-encoding/sno", 10.0),
            time("encode", "sno", 1.8),
            time("decode", "data-encoding/sno", 10.0),
            time("decode", "sno", 2.1),
            measurement(("slow-path", "sno"), "p99", "ns", 1_000.5),
            measurement(("generate/saturated", "sno/1-threads"), "of the cap", "%", 99.0),
        ]);
        for expected in [
            "| sno to text | `encode/sno` | 0.18 × | ≤ 0.18 × `encode/data-encoding/sno` | reached |",
            "| `decode/sno` | 0.21 × | ≤ 0.2 × `decode/data-encoding/sno` | **not reached** |",
            "| `slow-path/sno` | 1000 | ≤ 1000 ns (p99) | **not reached** |",
            "| `generate/saturated/sno/1-threads` | 99.0 | ≥ 99 % (of the cap) | reached |",
            "| `decode/kuid-global` |  | ≤ 0.35 × `decode/base64/kuid-global` | not measured |",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn a_bound_below_the_machines_floor_is_reported() {
        let handle = |least| {
            report(vec![
                time("generate/one-thread", "manual/ferroid/atomic", 3.0),
                time("generate/one-thread", "manual/sno/handle", 0.9),
                time("generate/one-thread", "manual/least", least),
            ])
        };
        let is = "| 0.30 × | ≤ 0.2 × `generate/one-thread/manual/ferroid/atomic` | **not reached**";
        let least = "`generate/one-thread/manual/least` is 0.25 ×: this machine forbids it";
        assert!(handle(0.75).contains(&format!("{is}; {least} |")));
        assert!(handle(0.60).contains(&format!("{is} |")));
    }

    #[test]
    fn a_missed_bound_of_two_threads_shows_side_by_side() {
        let text = report(vec![
            time("generate/contended", "2-threads/fetch-add", 4.0),
            time("generate/contended", "2-threads/sno/shared", 6.0),
            measurement(("generate/side-by-side", "sno/shared"), "0 cycles", "× fetch-add", 1.1),
        ]);
        let is = "| 1.50 × | ≤ 1.3 × `generate/contended/2-threads/fetch-add` | **not reached**";
        let in_turn = "in turn with it (`generate/side-by-side/sno/shared`) it is 1.10 × |";
        assert!(text.contains(&format!("{is}; {in_turn}")));
    }

    #[test]
    fn equal_is_not_below() {
        let text = report(vec![
            time("generate/contended", "2-threads/ferroid/atomic", 10.0),
            time("generate/contended", "2-threads/sno/shared", 10.0),
        ]);
        let baseline = "generate/contended/2-threads/ferroid/atomic";
        assert!(text.contains(&format!("| 1.00 × | < 1 × `{baseline}` | **not reached** |")));
    }

    #[test]
    fn a_table_has_its_plot_above_it() {
        let text = report(vec![time("clock", "system/now", 20.0)]);
        let plot = "![Times of `clock` as bars](benchmarks/clock.svg)\n\n| | ns |\n";
        assert!(text.contains(plot), "{text}");
    }

    #[test]
    fn figures_have_a_column_per_quantity() {
        let text = report(vec![
            measurement(("slow-path", "sno"), "p50", "ns", 50.0),
            measurement(("slow-path", "sno"), "p99", "ns", 150.0),
            measurement(("slow-path", "timer"), "p50", "ns", 20.0),
        ]);
        let expected = "\
| | p50, ns | p99, ns |
|---|---:|---:|
| `sno` | 50.0 | 150 |
| `timer` | 20.0 |  |
";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn a_quick_run_says_so() {
        assert!(!report(Vec::new()).contains("A quick run"));
        let results = Results::default();
        let mut report =
            Report { date: "", machine: &[], is_quick: true, is_whole: true, results: &results };
        assert!(report.to_string().contains("A quick run"));
        assert!(report.to_string().contains("not measured"));
        report.is_whole = false;
        assert!(!report.to_string().contains("not measured"));
    }
}
