//! The report, which turns figures into Markdown and CSV.

use core::fmt;

use crate::results::{Measurement, Results, TIME};
use crate::tables::Table;
use crate::targets::{Bound, TARGETS, Target, floor, in_turn};

/// The folder of the charts and the CSV files, from the page.
pub(crate) const FOLDER: &str = "benchmarks";
pub(crate) const FIGURES_FILE: &str = "figures.csv";
pub(crate) const TARGETS_FILE: &str = "targets.csv";

const HEAD: &str = "\
# Benchmark results

Written by `cargo xtask bench`; do not edit. [Benchmarks](../benchmarks.md) explains the names.
";

const REACHED: &str = "reached";
const NOT_MEASURED: &str = "not measured";

/// The results of a run. `Display` shows its targets and times as tables, and the other forms are
/// the files of a whole run.
pub(crate) struct Report<'a> {
    pub(crate) date: &'a str,
    pub(crate) machine: &'a [(&'static str, String)],
    pub(crate) is_quick: bool,
    pub(crate) results: &'a Results,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.run())?;
        writeln!(f, "\n## Targets\n")?;
        writeln!(f, "| target | measured | is | bound | |\n|---|---|---:|---:|---|")?;
        for (target, ours) in targets() {
            let (is, limit, reached) = self.verdict(target, ours);
            if !is.is_empty() {
                let what = target.what;
                writeln!(f, "| {what} | `{ours}` | {is} | {limit} | {reached} |")?;
            }
        }
        writeln!(f, "\n## Groups")?;
        self.tables(f)
    }
}

/// Returns every target with each of its measurements.
fn targets() -> impl Iterator<Item = (&'static Target, &'static str)> {
    TARGETS.iter().flat_map(|target| target.ours.iter().map(move |ours| (target, *ours)))
}

impl Report<'_> {
    /// Returns the date and the machine as a table.
    fn run(&self) -> String {
        let date = ("date", self.date.to_owned());
        let rows = [date].into_iter().chain(self.machine.iter().cloned());
        let rows = rows.map(|(what, which)| format!("| {what} | {which} |\n"));
        let quick = "\nA quick run: to see that all works, not to quote from.\n";
        let quick = if self.is_quick { quick } else { "" };
        format!("| | |\n|---|---|\n{}{quick}", rows.collect::<String>())
    }

    /// Returns the page of a whole run, with its charts.
    pub(crate) fn page(&self) -> String {
        let verdicts = targets().map(|(target, ours)| self.verdict(target, ours).2);
        let measured: Vec<_> = verdicts.filter(|verdict| verdict != NOT_MEASURED).collect();
        let (all, reached) = (measured.len(), measured.iter().filter(|it| *it == REACHED).count());
        let groups = self.results.groups().into_iter();
        let charts = groups.flat_map(|group| Table::of(self.results, group));
        let charts = charts
            .map(|table| format!("\n![Times of `{}`]({FOLDER}/{})\n", table.title(), table.plot()));
        format!(
            "{HEAD}\n{}\n{reached} of {all} measured targets are reached: [targets]({FOLDER}/{TARGETS_FILE}), \
             [all figures]({FOLDER}/{FIGURES_FILE}).\n{}",
            self.run(),
            charts.collect::<String>(),
        )
    }

    /// Returns all measurements as CSV.
    pub(crate) fn figures(&self) -> String {
        let rows = self.results.0.iter();
        let rows = rows
            .map(|one| csv([&one.group, &one.name, &one.quantity, &one.unit, &number(one.value)]));
        format!("group,name,quantity,unit,value\n{}", rows.collect::<String>())
    }

    /// Returns all targets as CSV, including those that were not measured.
    pub(crate) fn targets(&self) -> String {
        let rows = targets().map(|(target, ours)| {
            let (is, limit, verdict) = self.verdict(target, ours);
            csv([target.what, ours, &is, &limit, &verdict].map(|text| text.replace('`', "")))
        });
        format!("target,measured,value,bound,verdict\n{}", rows.collect::<String>())
    }

    /// Returns the measured value, the bound, and the result of the comparison.
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
            (Some(true), _) => REACHED.to_owned(),
            (Some(false), None) => format!("not reached{}", self.in_turn(ours)),
            (Some(false), Some((floor, ratio))) => {
                format!("not reached; `{floor}` is {ratio:.2} ×: this machine forbids it")
            }
            (None, _) => NOT_MEASURED.to_owned(),
        };
        (is.unwrap_or_default(), limit, reached)
    }

    /// Returns the time of the same generator in turn with a bare counter, if it was measured.
    fn in_turn(&self, ours: &str) -> String {
        let value = in_turn(ours).and_then(|other| {
            let value = self.results.value(&other, "0 cycles")?;
            Some(format!("; in turn with it (`{other}`) it is {value:.2} ×"))
        });
        value.unwrap_or_default()
    }

    /// Returns the unit with the quantity, as in `ns (p99)`.
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

/// Returns a row of CSV.
fn csv<const N: usize>(fields: [impl AsRef<str>; N]) -> String {
    let fields = fields.map(|field| match field.as_ref() {
        field if field.contains([',', '"']) => format!("\"{}\"", field.replace('"', "\"\"")),
        field => field.to_owned(),
    });
    fields.join(",") + "\n"
}

/// Writes one line per name and one column per quantity.
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

    fn with_report<T>(all: Vec<Measurement>, show: impl FnOnce(&Report<'_>) -> T) -> T {
        let results = Results(all);
        let machine = [("cores", "2".to_owned())];
        show(&Report { date: "2026-01-01", machine: &machine, is_quick: false, results: &results })
    }

    fn report(all: Vec<Measurement>) -> String {
        with_report(all, |report| report.to_string())
    }

    fn targets_csv(all: Vec<Measurement>) -> String {
        with_report(all, |report| report.targets())
    }

    #[test]
    fn tables_rank_by_ratio() {
        let text =
            report(vec![time("encode", "data-encoding/sno", 8.0), time("encode", "sno", 1.0)]);
        let expected = "\
### `encode`

| | ns | × `data-encoding/sno` |
|---|---:|---:|
| `sno` | 1.00 | 0.12 |
| `data-encoding/sno` | 8.00 | 1.00 |
";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn targets_have_three_outcomes() {
        let text = targets_csv(vec![
            time("encode", "data-encoding/sno", 10.0),
            time("encode", "sno", 1.8),
            time("decode", "data-encoding/sno", 10.0),
            time("decode", "sno", 2.1),
            measurement(("slow-path", "sno"), "p99", "ns", 1_000.5),
            measurement(("generate/saturated", "sno/1-threads"), "of the cap", "%", 99.0),
        ]);
        for expected in [
            "sno to text,encode/sno,0.18 ×,≤ 0.18 × encode/data-encoding/sno,reached\n",
            "decode/sno,0.21 ×,≤ 0.2 × decode/data-encoding/sno,not reached\n",
            "slow-path/sno,1000,≤ 1000 ns (p99),not reached\n",
            "generate/saturated/sno/1-threads,99.0,≥ 99 % (of the cap),reached\n",
            "decode/kuid-global,,≤ 0.35 × decode/base64/kuid-global,not measured\n",
            "\"shared generator, two threads\",",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn bounds_below_floor_are_noted() {
        let handle = |least| {
            report(vec![
                time("generate/one-thread", "manual/ferroid/atomic", 3.0),
                time("generate/one-thread", "manual/sno/handle", 0.9),
                time("generate/one-thread", "manual/least", least),
            ])
        };
        let is = "| 0.30 × | ≤ 0.2 × `generate/one-thread/manual/ferroid/atomic` | not reached";
        let least = "`generate/one-thread/manual/least` is 0.25 ×: this machine forbids it";
        assert!(handle(0.75).contains(&format!("{is}; {least} |")));
        assert!(handle(0.60).contains(&format!("{is} |")));
    }

    #[test]
    fn missed_bounds_are_side_by_side() {
        let text = report(vec![
            time("generate/contended", "2-threads/fetch-add", 4.0),
            time("generate/contended", "2-threads/sno/shared", 6.0),
            measurement(("generate/side-by-side", "sno/shared"), "0 cycles", "× fetch-add", 1.1),
        ]);
        let is = "| 1.50 × | ≤ 1.3 × `generate/contended/2-threads/fetch-add` | not reached";
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
        assert!(text.contains(&format!("| 1.00 × | < 1 × `{baseline}` | not reached |")));
    }

    #[test]
    fn page_links_charts_and_figures() {
        let all = vec![time("encode", "data-encoding/sno", 10.0), time("encode", "sno", 1.0)];
        let text = with_report(all, |report| report.page());
        for expected in [
            "| date | 2026-01-01 |\n| cores | 2 |\n",
            "1 of 1 measured targets are reached: [targets](benchmarks/targets.csv)",
            "[all figures](benchmarks/figures.csv).\n",
            "![Times of `encode`](benchmarks/encode.svg)\n",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn figures_have_a_row_per_measurement() {
        let all = vec![measurement(("slow-path", "sno"), "p50", "ns", 50.0)];
        assert_eq!(
            with_report(all, |report| report.figures()),
            "group,name,quantity,unit,value\nslow-path,sno,p50,ns,50.0\n"
        );
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
        let report = Report { date: "", machine: &[], is_quick: true, results: &results };
        assert!(report.to_string().contains("A quick run"));
        assert!(!report.to_string().contains("not measured"));
    }
}
