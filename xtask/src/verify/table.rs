use crate::verify::Line;
use crate::verify::step::Outcome;

/// What ran, in Markdown.
pub(super) fn table(lines: &[Line]) -> String {
    let mut table =
        String::from("| step | shows | result | tests | seconds |\n|---|---|---|---:|---:|\n");
    let mut notes = String::new();
    for Line { step, outcome, time } in lines {
        let (result, tests) = match outcome {
            Outcome::Passed(heard) if heard.ignored > 0 => {
                let reasons = heard.reasons.join(", ");
                (format!("passed; {} ignored: {reasons}", heard.ignored), heard.passed.to_string())
            }
            Outcome::Passed(heard) if heard.passed > 0 => {
                ("passed".to_owned(), heard.passed.to_string())
            }
            Outcome::Passed(_) => ("passed".to_owned(), String::new()),
            Outcome::Failed(why) => (format!("**failed**: {why}"), String::new()),
            Outcome::NotRun(why) => (format!("not run: {why}"), String::new()),
        };
        let seconds = time.as_secs();
        table += &format!("| {} | {} | {result} | {tests} | {seconds} |\n", step.name, step.shows);
        if let Outcome::Passed(heard) = outcome {
            let shown = heard.shown.iter().map(|shown| format!("- {}: {shown}\n", step.name));
            notes.extend(shown);
        }
    }
    if notes.is_empty() { table } else { format!("{table}\n{notes}") }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::verify::step::{Heard, cargo};

    fn line(outcome: Outcome) -> Line {
        let time = Duration::from_millis(61_900);
        Line { step: cargo("storm", "no ID twice"), outcome, time }
    }

    #[test]
    fn says_what_ran_what_failed_and_what_did_not_run() {
        let heard = Heard { passed: 3, shown: vec!["5 IDs".to_owned()], ..Heard::default() };
        let partly = Heard { ignored: 2, reasons: vec!["no etcd".to_owned()], ..heard.clone() };
        let lines = [
            line(Outcome::Passed(heard)),
            line(Outcome::Passed(partly)),
            line(Outcome::Failed("`cargo` failed".to_owned())),
            line(Outcome::NotRun("no valgrind".to_owned())),
        ];
        let expected = "\
| step | shows | result | tests | seconds |
|---|---|---|---:|---:|
| storm | no ID twice | passed | 3 | 61 |
| storm | no ID twice | passed; 2 ignored: no etcd | 3 | 61 |
| storm | no ID twice | **failed**: `cargo` failed |  | 61 |
| storm | no ID twice | not run: no valgrind |  | 61 |

- storm: 5 IDs
- storm: 5 IDs
";
        assert_eq!(table(&lines), expected);
    }
}
