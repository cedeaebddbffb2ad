//! Reads the results of the benchmarks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::Error;
use crate::repository::read;

/// One measured quantity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measurement {
    pub(crate) group: String,
    pub(crate) name: String,
    /// `time`, `p99`, `of the cap`, ...
    pub(crate) quantity: String,
    pub(crate) unit: String,
    pub(crate) value: f64,
}

/// Criterion's quantity: the time per ID, or per call if no IDs are generated.
pub(crate) const TIME: &str = "time";

impl Measurement {
    pub(crate) fn id(&self) -> String {
        format!("{}/{}", self.group, self.name)
    }
}

/// All measurements, in order of groups and names.
#[derive(Debug, Default)]
pub(crate) struct Results(pub(crate) Vec<Measurement>);

impl Results {
    /// Reads criterion's home folder.
    pub(crate) fn read(home: &Path) -> Result<Self, Error> {
        let mut paths = Vec::new();
        find_json(home, &mut paths)?;
        paths.sort();
        let mut all = Vec::new();
        for path in &paths {
            let name = path.file_name().unwrap_or_default();
            if name == "estimates.json" && path.parent().is_some_and(|of| of.ends_with("new")) {
                let benchmark = read_json(&path.with_file_name("benchmark.json"))?;
                all.push(timed(&benchmark, &read_json(path)?).ok_or_else(|| unclear(path))?);
            } else if path.parent().is_some_and(|folder| folder.ends_with("figures")) {
                all.extend(figures(&read_json(path)?).ok_or_else(|| unclear(path))?);
            }
        }
        Ok(Self(all))
    }

    /// Returns the medians of several passes. If their number is even, the lower of the two in the
    /// middle counts.
    pub(crate) fn median(passes: Vec<Self>) -> Self {
        let mut passes = passes.into_iter();
        let Self(mut all) = passes.next().unwrap_or_default();
        let others: Vec<_> = passes.collect();
        for one in &mut all {
            let again = others.iter().filter_map(|pass| pass.value(&one.id(), &one.quantity));
            let mut values: Vec<_> = again.chain([one.value]).collect();
            values.sort_by(f64::total_cmp);
            one.value = values[(values.len() - 1) / 2];
        }
        Self(all)
    }

    /// Keeps the measurements with a wanted name.
    pub(crate) fn only(self, wants: impl Fn(&str) -> bool) -> Self {
        Self(self.0.into_iter().filter(|measurement| wants(&measurement.id())).collect())
    }

    pub(crate) fn groups(&self) -> BTreeSet<&str> {
        self.0.iter().map(|one| &*one.group).collect()
    }

    pub(crate) fn value(&self, id: &str, quantity: &str) -> Option<f64> {
        let is_it = |one: &&Measurement| one.id() == id && one.quantity == quantity;
        Some(self.0.iter().find(is_it)?.value)
    }
}

#[cfg(test)]
impl Results {
    /// Creates results from groups, names and nanoseconds.
    pub(crate) fn of_times(times: &[(&str, &str, f64)]) -> Self {
        let time = |&(group, name, value): &(&str, &str, f64)| Measurement {
            group: group.to_owned(),
            name: name.to_owned(),
            quantity: TIME.to_owned(),
            unit: "ns".to_owned(),
            value,
        };
        Self(times.iter().map(time).collect())
    }
}

fn unclear(path: &Path) -> Error {
    Error::Estimates { path: path.to_owned() }
}

fn read_json(path: &Path) -> Result<Value, Error> {
    serde_json::from_str(&read(path)?).map_err(|_| unclear(path))
}

fn find_json(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let error = |reason| Error::Read { path: folder.to_owned(), reason };
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        if entry.file_type().map_err(error)?.is_dir() {
            find_json(&entry.path(), found)?;
        } else if entry.path().extension().is_some_and(|end| end == "json") {
            found.push(entry.path());
        }
    }
    Ok(())
}

/// Reads criterion's `benchmark.json` and `estimates.json`. It takes the median, because a machine
/// that was busy for a moment distorts the mean.
fn timed(benchmark: &Value, estimates: &Value) -> Option<Measurement> {
    let elements = benchmark["throughput"]["Elements"].as_f64().unwrap_or(1.0);
    let time = estimates["median"]["point_estimate"].as_f64()?;
    Some(Measurement {
        group: benchmark["group_id"].as_str()?.to_owned(),
        name: benchmark["function_id"].as_str()?.to_owned(),
        quantity: TIME.to_owned(),
        unit: "ns".to_owned(),
        value: time / elements,
    })
}

/// Reads the figures of a benchmark that measures more than times.
fn figures(file: &Value) -> Option<Vec<Measurement>> {
    let group = file["group"].as_str()?;
    let measurement = |figure: &Value| {
        Some(Measurement {
            group: group.to_owned(),
            name: figure["name"].as_str()?.to_owned(),
            quantity: figure["quantity"].as_str()?.to_owned(),
            unit: figure["unit"].as_str()?.to_owned(),
            value: figure["value"].as_f64()?,
        })
    };
    file["figures"].as_array()?.iter().map(measurement).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_time_is_for_one_id() {
        let benchmark = json!({
            "group_id": "encode",
            "function_id": "sno",
            "throughput": { "Elements": 1024 },
        });
        let estimates = json!({ "median": { "point_estimate": 2048.0 } });
        let measurement = timed(&benchmark, &estimates).unwrap();
        assert_eq!((measurement.id().as_str(), measurement.value), ("encode/sno", 2.0));
    }

    #[test]
    fn no_throughput_means_one_call() {
        let benchmark =
            json!({ "group_id": "clock", "function_id": "system/now", "throughput": null });
        let estimates = json!({ "median": { "point_estimate": 20.5 } });
        assert_eq!(timed(&benchmark, &estimates).unwrap().value, 20.5);
        assert!(timed(&benchmark, &json!({})).is_none());
    }

    #[test]
    fn figures_keep_their_units() {
        let file = json!({
            "group": "slow-path",
            "figures": [{ "name": "sno", "quantity": "p99", "unit": "ns", "value": 160.0 }],
        });
        let results = Results(figures(&file).unwrap());
        assert_eq!(results.value("slow-path/sno", "p99"), Some(160.0));
        assert_eq!(results.value("slow-path/sno", "p50"), None);
        assert!(figures(&json!({ "group": "slow-path" })).is_none());
    }

    #[test]
    fn median_of_passes_counts() {
        let pass =
            |sno, kuid| Results::of_times(&[("encode", "sno", sno), ("encode", "kuid", kuid)]);
        let [calm, busy, last] = [pass(1.0, 2.0), pass(5.0, 2.5), pass(1.1, 9.0)];
        let median = Results::median(vec![calm, busy, last]);
        assert_eq!(median.value("encode/sno", TIME), Some(1.1));
        assert_eq!(median.value("encode/kuid", TIME), Some(2.5));
        let median = Results::median(vec![pass(1.0, 4.0), pass(3.0, 2.0)]);
        assert_eq!(median.value("encode/sno", TIME), Some(1.0));
        assert_eq!(median.value("encode/kuid", TIME), Some(2.0));
        assert!(Results::median(Vec::new()).0.is_empty());
    }

    #[test]
    fn reads_what_is_in_folders() {
        let home =
            std::env::temp_dir().join(format!("tickid-bench-results-{}", std::process::id()));
        let folder = home.join("clock/system_now/new");
        fs::create_dir_all(&folder).unwrap();
        let benchmark = r#"{"group_id": "clock", "function_id": "system/now"}"#;
        fs::write(folder.join("benchmark.json"), benchmark).unwrap();
        let estimates = r#"{"median": {"point_estimate": 7}}"#;
        fs::write(folder.join("estimates.json"), estimates).unwrap();
        // This is the previous run, which criterion keeps.
        fs::create_dir_all(home.join("clock/system_now/base")).unwrap();
        fs::write(home.join("clock/system_now/base/estimates.json"), estimates).unwrap();

        let results = Results::read(&home);
        fs::remove_dir_all(&home).unwrap();
        let results = results.unwrap();
        assert_eq!(results.0.len(), 1);
        assert_eq!(results.value("clock/system/now", TIME), Some(7.0));
        assert_eq!(results.only(|id| id.starts_with("encode")).0, []);
    }
}
