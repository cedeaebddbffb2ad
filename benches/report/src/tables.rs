//! Times side by side, for the tables of a report and for charts.

use crate::results::{Measurement, Results, TIME};
use crate::targets::TABLES;

/// Times of one group, or of the part of it that is compared with one another.
pub(crate) struct Table<'a> {
    pub(crate) group: &'a str,
    /// The common prefix of the names, which is empty for a whole group or the rest of it.
    pub(crate) prefix: &'static str,
    /// The rows, the fastest first.
    pub(crate) rows: Vec<&'a Measurement>,
    /// The measured baselines of the times: full names and times.
    pub(crate) baselines: Vec<(&'static str, f64)>,
}

impl<'a> Table<'a> {
    /// Returns all tables of a group.
    pub(crate) fn of(results: &'a Results, group: &'a str) -> Vec<Self> {
        let is_time = |one: &&Measurement| one.group == group && one.quantity == TIME;
        let mut rest: Vec<_> = results.0.iter().filter(is_time).collect();
        rest.sort_by(|a, b| a.value.total_cmp(&b.value));
        let mut tables = Vec::new();
        for table in TABLES.iter().filter(|table| table.group == group) {
            let is_in = |one: &&Measurement| one.name.starts_with(table.prefix);
            let (rows, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_in);
            let baseline = |&id| Some((id, results.value(id, TIME)?));
            let baselines = table.baselines.iter().filter_map(baseline).collect();
            tables.push(Self { group, prefix: table.prefix, rows, baselines });
            rest = others;
        }
        tables.push(Self { group, prefix: "", rows: rest, baselines: Vec::new() });
        tables.retain(|table| !table.rows.is_empty());
        tables
    }

    /// Returns the title, such as `generate/contended/2-threads`.
    pub(crate) fn title(&self) -> String {
        format!("{}/{}", self.group, self.prefix).trim_end_matches('/').to_owned()
    }

    /// Returns the file of the chart, without the folder.
    pub(crate) fn plot(&self) -> String {
        self.title().replace('/', "-") + ".svg"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_in_one_table() {
        let results = Results::of_times(&[
            ("generate/one-thread", "fetch-add", 5.0),
            ("generate/one-thread", "manual/sno/shared", 6.0),
            ("generate/one-thread", "manual/sno/exclusive", 1.0),
            ("generate/one-thread", "wall/sno/shared/below-cap", 3.0),
            ("new-group", "thing", 123.4),
        ]);
        let tables = |group| {
            let tables = Table::of(&results, group);
            let names = |table: &Table<'_>| -> Vec<String> {
                table.rows.iter().map(|row| row.name.clone()).collect()
            };
            tables.iter().map(|table| (table.plot(), names(table).join(" "))).collect::<Vec<_>>()
        };
        let expected = [
            ("generate-one-thread-manual.svg", "manual/sno/exclusive manual/sno/shared"),
            ("generate-one-thread.svg", "wall/sno/shared/below-cap fetch-add"),
        ];
        let expected = expected.map(|(plot, names)| (plot.to_owned(), names.to_owned()));
        assert_eq!(tables("generate/one-thread"), expected);
        assert_eq!(tables("new-group"), [("new-group.svg".to_owned(), "thing".to_owned())]);
    }

    #[test]
    fn only_measured_rows_compare() {
        let results =
            Results::of_times(&[("encode", "sno", 1.0), ("encode", "data-encoding/sno", 8.0)]);
        let tables = Table::of(&results, "encode");
        assert_eq!(tables[0].baselines, [("encode/data-encoding/sno", 8.0)]);
    }
}
