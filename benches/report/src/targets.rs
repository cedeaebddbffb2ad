//! The targets.

use Bound::{AtLeast, AtMost, Times};

use crate::results::{Measurement, Results, TIME, number};

/// A bound for some of the measurements.
pub(crate) struct Target {
    what: &'static str,
    /// Full names: `{a,b}` stands for two, `*` for one of each scheme, and `@` for Snowflakes.
    ours: &'static str,
    bound: Bound,
}

#[derive(Clone, Copy)]
enum Bound {
    /// At most this multiple of the baseline's time.
    Times(f64, &'static str),
    /// At most this value of a quantity.
    AtMost(f64, &'static str),
    /// At least this value of a quantity.
    AtLeast(f64, &'static str),
}

const SCHEMES: &str = "{scru64,nanoflake,kuid,sno}";
const SNOWFLAKES: &str = "{snowflake,snowflake-sequence-above-node}";

const ADD: &str = "generate/one-thread/fetch-add";
const BASIC: &str = "generate/one-thread/manual/ferroid/basic";
const ATOMIC: &str = "generate/one-thread/manual/ferroid/atomic";
const GLOBAL: &str = "generate/one-thread/wall/scru64-official/global/below-cap";
const TWITTER: &str = "generate/one-thread/manual/ferroid/basic/twitter";
const TWITTER_ATOMIC: &str = "generate/one-thread/manual/ferroid/atomic/twitter";
const TWO_ADD: &str = "generate/contended/2-threads/fetch-add";
const TWO_ATOMIC: &str = "generate/contended/2-threads/ferroid/atomic";
const NANOFLAKE_FILL: &str = "generate/bulk/nanoflake/exclusive";
const LOOP: &str = "generate/bulk/ferroid/basic/loop";

const fn row(what: &'static str, ours: &'static str, bound: Bound) -> Target {
    Target { what, ours, bound }
}

pub(crate) const TARGETS: &[Target] = &[
    row("exclusive, manual clock", "generate/one-thread/manual/*/exclusive", Times(1.0, BASIC)),
    row("shared, manual clock", "generate/one-thread/manual/*/shared", Times(1.1, ADD)),
    row("shared, manual clock", "generate/one-thread/manual/*/shared", Times(1.1, ATOMIC)),
    row("exclusive, same layout", "generate/one-thread/manual/@/exclusive", Times(1.0, TWITTER)),
    row("shared, same layout", "generate/one-thread/manual/@/shared", Times(1.1, TWITTER_ATOMIC)),
    row("shared, in turn with an add", "generate/side-by-side/*/shared", AtMost(1.3, "0 cycles")),
    row("shared, 0 to 10 cycles apart", "generate/side-by-side/*/shared", AtMost(1.3, "mean")),
    row("shared, two threads", "generate/contended/2-threads/*/shared", Times(1.3, TWO_ADD)),
    row("shared, two threads", "generate/contended/2-threads/*/shared", Times(1.0, TWO_ATOMIC)),
    row("handle, manual clock", "generate/one-thread/manual/*/handle", Times(0.2, ATOMIC)),
    row("handles, two threads", "generate/contended/2-threads/*/handles", Times(0.2, TWO_ATOMIC)),
    row("new tick while another thread adds", "slow-path/*", AtMost(1_000.0, "p99")),
    row("default clock", "generate/one-thread/wall/*/shared/below-cap", Times(0.5, GLOBAL)),
    row("what leasing adds", "generate/leased/*/leased", AtMost(1.0, "more")),
    row("fill, 8 bytes", "generate/bulk/{scru64,nanoflake,kuid-local}/exclusive", Times(0.5, LOOP)),
    row("fill, 8 bytes", "generate/bulk/{scru64,nanoflake,kuid-local}/shared", Times(0.5, LOOP)),
    row("fill, Snowflakes", "generate/bulk/@/exclusive", Times(1.6, NANOFLAKE_FILL)),
    row("fill, more bytes", "generate/bulk/{sno,kuid-global}/{exclusive,shared}", Times(1.0, LOOP)),
    row("sno to text", "encode/sno", Times(0.18, "encode/data-encoding/sno")),
    row("sno from text", "decode/sno", Times(0.2, "decode/data-encoding/sno")),
    row("SCRU64 to text", "encode/scru64", Times(0.35, "encode/scru64-official")),
    row("SCRU64 from text", "decode/scru64", Times(0.6, "decode/scru64-official")),
    row("kuid to text", "encode/kuid-global", Times(0.35, "encode/base64/kuid-global")),
    row("kuid from text", "decode/kuid-global", Times(0.35, "decode/base64/kuid-global")),
    row("Nanoflake to text", "encode/nanoflake", Times(1.0, "encode/scru64-official")),
    row("Nanoflake from text", "decode/nanoflake", Times(1.0, "decode/scru64-official")),
    row("rate", "generate/saturated/{nanoflake,sno}/{1,2}-threads", AtLeast(99.0, "of the cap")),
    row("waiting", "generate/saturated/nanoflake/{1,2}-threads", AtMost(50.0, "of one core")),
    row("the command writes", "command/gen sno", AtMost(67.0, TIME)),
    row("the command reads", "command/inspect --json/*", AtMost(1_000.0, TIME)),
    row("the command reads", "command/inspect --json/{integers,mixture}", AtMost(1_000.0, TIME)),
    row("the command converts", "command/convert", AtMost(200.0, TIME)),
];

impl Target {
    /// Compares the target with its measurements. Returns a row of a table with those that are
    /// present, in which the ones that miss the bound are bold, and whether each keeps it.
    pub(crate) fn verdict(&self, results: &Results) -> Option<(String, Vec<bool>)> {
        let compare = |ours: String| {
            let (is, bound, is_kept) = match self.bound {
                Times(most, baseline) => {
                    let is = results.get(&ours, TIME)?.value / results.get(baseline, TIME)?.value;
                    (is, format!("≤ {most} × `{baseline}`"), is <= most)
                }
                AtMost(most, quantity) => {
                    let &Measurement { value, ref unit, .. } = results.get(&ours, quantity)?;
                    (value, format!("≤ {most} {unit} ({quantity})"), value <= most)
                }
                AtLeast(least, quantity) => {
                    let &Measurement { value, ref unit, .. } = results.get(&ours, quantity)?;
                    (value, format!("≥ {least} {unit} ({quantity})"), value >= least)
                }
            };
            let is = if is_kept { number(is) } else { format!("**{}**", number(is)) };
            Some((bound, is, is_kept))
        };
        let names = expand(&self.ours.replace('*', SCHEMES).replace('@', SNOWFLAKES));
        let all: Vec<_> = names.into_iter().filter_map(compare).collect();
        let (bound, ..) = all.first()?;
        let values: Vec<&str> = all.iter().map(|(_, is, _)| &**is).collect();
        let row = format!("| {} | `{}` | {bound} | {} |", self.what, self.ours, values.join(", "));
        Some((row, all.iter().map(|(.., is_kept)| *is_kept).collect()))
    }
}

/// Expands `{a,b}` as a shell does.
fn expand(pattern: &str) -> Vec<String> {
    let parts =
        pattern.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?)));
    let Some((head, (choices, tail))) = parts else { return vec![pattern.to_owned()] };
    let choice = |choice| expand(tail).into_iter().map(move |tail| format!("{head}{choice}{tail}"));
    choices.split(',').flat_map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_expand_as_in_a_shell() {
        assert_eq!(expand("a"), ["a"]);
        assert_eq!(expand("a/{b,c}/{1,2}"), ["a/b/1", "a/b/2", "a/c/1", "a/c/2"]);
    }

    #[test]
    fn bounds_are_compared() {
        let all = [
            ("encode", "base", TIME, 10.0),
            ("encode", "sno", TIME, 1.8),
            ("encode", "kuid", TIME, 1.9),
            ("slow-path", "sno", "p99", 1_000.5),
            ("generate/saturated", "sno/1-threads", "of the cap", 99.0),
        ];
        let all = all.map(|(group, name, quantity, value)| {
            Measurement::new(group, name, quantity, "", value)
        });
        let results = Results(all.into());
        for (ours, bound, expected) in [
            ("encode/*", Times(0.18, "encode/base"), Some(("**0.19**, 0.18", &[false, true][..]))),
            ("encode/sno", Times(0.18, "encode/none"), None),
            ("slow-path/*", AtMost(1_000.0, "p99"), Some(("**1000**", &[false]))),
            ("slow-path/*", AtMost(1_000.0, "p50"), None),
            (
                "generate/saturated/sno/{1,2}-threads",
                AtLeast(99.0, "of the cap"),
                Some(("99.0", &[true])),
            ),
        ] {
            let found = row("", ours, bound).verdict(&results);
            let values = |row: &str| row.rsplit(" | ").next().unwrap().replace(" |", "");
            let found = found.map(|(row, kept)| (values(&row), kept));
            assert_eq!(found, expected.map(|(is, kept)| (is.to_owned(), kept.to_vec())), "{ours}");
        }
    }
}
