//! Reads the results of the benchmarks.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::Result;

/// One measured quantity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measurement {
    /// The group and the name.
    pub(crate) id: String,
    /// `time`, `p99`, `of the cap`, ...
    pub(crate) quantity: String,
    pub(crate) unit: String,
    pub(crate) value: f64,
}

/// Criterion's quantity: the time per ID, or per call if no IDs are generated.
pub(crate) const TIME: &str = "time";

impl Measurement {
    pub(crate) fn new(group: &str, name: &str, quantity: &str, unit: &str, value: f64) -> Self {
        Self {
            id: format!("{group}/{name}"),
            quantity: quantity.to_owned(),
            unit: unit.to_owned(),
            value,
        }
    }
}

/// All measurements, in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct Results(pub(crate) Vec<Measurement>);

impl Results {
    /// Reads criterion's home folder, and the figures of the benchmarks that measure more.
    pub(crate) fn read(home: &Path) -> Result<Self> {
        let mut all = Vec::new();
        read_folder(home, &mut all)?;
        all.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Self(all))
    }

    pub(crate) fn get(&self, id: &str, quantity: &str) -> Option<&Measurement> {
        self.0.iter().find(|one| one.id == id && one.quantity == quantity)
    }
}

fn read_folder(folder: &Path, all: &mut Vec<Measurement>) -> Result<()> {
    let entries = fs::read_dir(folder);
    for entry in entries.map_err(|reason| format!("{}: {reason}", folder.display()))? {
        let path = entry?.path();
        let json = |path: &Path| -> Result<Value> {
            Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
        };
        let unclear = || format!("{} is not a result of a benchmark", path.display());
        if folder.ends_with("figures") {
            all.extend(figures(&json(&path)?).ok_or_else(unclear)?);
        } else if folder.ends_with("new") && path.ends_with("estimates.json") {
            let benchmark = json(&path.with_file_name("benchmark.json"))?;
            all.push(timed(&benchmark, &json(&path)?).ok_or_else(unclear)?);
        } else if path.is_dir() {
            read_folder(&path, all)?;
        }
    }
    Ok(())
}

/// Reads criterion's `benchmark.json` and `estimates.json`. It takes the median, because a machine
/// that was busy for a moment distorts the mean.
fn timed(benchmark: &Value, estimates: &Value) -> Option<Measurement> {
    let elements = benchmark["throughput"]["Elements"].as_f64().unwrap_or(1.0);
    let time = estimates["median"]["point_estimate"].as_f64()?;
    let text = |name: &str| benchmark[name].as_str();
    Some(Measurement::new(text("group_id")?, text("function_id")?, TIME, "ns", time / elements))
}

/// Reads the figures of a benchmark that measures more than times.
fn figures(file: &Value) -> Option<Vec<Measurement>> {
    let group = file["group"].as_str()?;
    let measurement = |figure: &Value| {
        let text = |name: &str| figure[name].as_str();
        let value = figure["value"].as_f64()?;
        Some(Measurement::new(group, text("name")?, text("quantity")?, text("unit")?, value))
    };
    file["figures"].as_array()?.iter().map(measurement).collect()
}

/// Formats a value with three significant digits.
pub(crate) fn number(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}"),
        value if value < 100.0 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
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
        assert_eq!(measurement, Measurement::new("encode", "sno", TIME, "ns", 2.0));
        assert!(timed(&benchmark, &json!({})).is_none());
    }

    #[test]
    fn figures_keep_their_units() {
        let file = json!({
            "group": "slow-path",
            "figures": [{ "name": "sno", "quantity": "p99", "unit": "ns", "value": 160.0 }],
        });
        let results = Results(figures(&file).unwrap());
        assert_eq!(results.get("slow-path/sno", "p99").unwrap().value, 160.0);
        assert_eq!(results.get("slow-path/sno", "p50"), None);
        assert!(figures(&json!({ "group": "slow-path" })).is_none());
    }

    #[test]
    fn reads_what_is_in_folders() {
        let home =
            std::env::temp_dir().join(format!("tickid-bench-results-{}", std::process::id()));
        let benchmark = r#"{"group_id": "clock", "function_id": "system/now"}"#;
        // Criterion keeps the run before as `base`.
        for (run, time) in [("new", 7), ("base", 8)] {
            let folder = home.join("clock/system_now").join(run);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("benchmark.json"), benchmark).unwrap();
            let estimates = format!(r#"{{"median": {{"point_estimate": {time}}}}}"#);
            fs::write(folder.join("estimates.json"), estimates).unwrap();
        }
        let results = Results::read(&home);
        fs::remove_dir_all(&home).unwrap();
        let results = results.unwrap();
        assert_eq!(results.0, [Measurement::new("clock", "system/now", TIME, "ns", 7.0)]);
    }
}
