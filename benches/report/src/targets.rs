//! The targets, and the baselines of each group.

use crate::command::BESIDE_BASELINE;
use crate::results::TIME;

/// A bound for some of the measurements.
pub(crate) struct Target {
    pub(crate) what: &'static str,
    /// By their full names.
    pub(crate) ours: &'static [&'static str],
    pub(crate) bound: Bound,
}

#[derive(Clone, Copy)]
pub(crate) enum Bound {
    /// At most this multiple of the baseline's time.
    Times(f64, &'static str),
    /// Less than this multiple of the baseline's time.
    Below(f64, &'static str),
    /// At most this value of a quantity.
    AtMost(f64, &'static str),
    /// At least this value of a quantity.
    AtLeast(f64, &'static str),
}

use Bound::{AtLeast, AtMost, Below, Times};

const BASIC: &str = "generate/one-thread/manual/ferroid/basic";
const ATOMIC: &str = "generate/one-thread/manual/ferroid/atomic";
const ADD: &str = "generate/one-thread/fetch-add";
const GLOBAL: &str = "generate/one-thread/wall/scru64-official/global/below-cap";
const TWO_ATOMIC: &str = "generate/contended/2-threads/ferroid/atomic";
const TWO_ADD: &str = "generate/contended/2-threads/fetch-add";
const LEAST: &str = "generate/one-thread/manual/least";
const TWO_LEAST: &str = "generate/contended/2-threads/least";
const LOOP: &str = "generate/bulk/ferroid/basic/loop";

const SHARED: [&str; 4] = [
    "generate/one-thread/manual/scru64/shared",
    "generate/one-thread/manual/nanoflake/shared",
    "generate/one-thread/manual/kuid/shared",
    "generate/one-thread/manual/sno/shared",
];
const TWO_SHARED: [&str; 4] = [
    "generate/contended/2-threads/scru64/shared",
    "generate/contended/2-threads/nanoflake/shared",
    "generate/contended/2-threads/kuid/shared",
    "generate/contended/2-threads/sno/shared",
];

const SIDE_BY_SIDE: [&str; 4] = [
    "generate/side-by-side/scru64/shared",
    "generate/side-by-side/nanoflake/shared",
    "generate/side-by-side/kuid/shared",
    "generate/side-by-side/sno/shared",
];

const ONE_SCHEME: [&str; 5] = [
    "command/inspect --json/scru64",
    "command/inspect --json/nanoflake",
    "command/inspect --json/kuid",
    "command/inspect --json/sno",
    "command/inspect --json/integers",
];

pub(crate) const TARGETS: &[Target] = &[
    Target {
        what: "exclusive generator, manual clock, one thread",
        ours: &[
            "generate/one-thread/manual/scru64/exclusive",
            "generate/one-thread/manual/nanoflake/exclusive",
            "generate/one-thread/manual/kuid/exclusive",
            "generate/one-thread/manual/sno/exclusive",
        ],
        bound: Times(1.0, BASIC),
    },
    Target {
        what: "shared generator, manual clock, one thread",
        ours: &SHARED,
        bound: Times(1.1, ADD),
    },
    Target {
        what: "shared generator, manual clock, one thread",
        ours: &SHARED,
        bound: Times(1.1, ATOMIC),
    },
    Target {
        what: "shared generator, two threads, nothing between calls, in turn with a bare add",
        ours: &SIDE_BY_SIDE,
        bound: AtMost(1.3, "0 cycles"),
    },
    Target {
        what: "shared generator, two threads, 0 to 10 cycles between calls",
        ours: &SIDE_BY_SIDE,
        bound: AtMost(1.3, "mean"),
    },
    Target {
        what: "shared generator, two threads, nothing between calls",
        ours: &TWO_SHARED,
        bound: Times(1.3, TWO_ADD),
    },
    Target {
        what: "shared generator, two threads",
        ours: &TWO_SHARED,
        bound: Below(1.0, TWO_ATOMIC),
    },
    Target {
        what: "handle, manual clock, one thread",
        ours: &[
            "generate/one-thread/manual/scru64/handle",
            "generate/one-thread/manual/nanoflake/handle",
            "generate/one-thread/manual/kuid/handle",
            "generate/one-thread/manual/sno/handle",
        ],
        bound: Times(0.2, ATOMIC),
    },
    Target {
        what: "handles, manual clock, two threads",
        ours: &[
            "generate/contended/2-threads/scru64/handles",
            "generate/contended/2-threads/nanoflake/handles",
            "generate/contended/2-threads/kuid/handles",
            "generate/contended/2-threads/sno/handles",
        ],
        bound: Times(0.2, TWO_ATOMIC),
    },
    Target {
        what: "new tick while another thread adds",
        ours: &["slow-path/scru64", "slow-path/nanoflake", "slow-path/kuid", "slow-path/sno"],
        bound: AtMost(1_000.0, "p99"),
    },
    Target {
        what: "shared generator, default clock, one thread, below saturation",
        ours: &[
            "generate/one-thread/wall/scru64/shared/below-cap",
            "generate/one-thread/wall/nanoflake/shared/below-cap",
            "generate/one-thread/wall/kuid/shared/below-cap",
            "generate/one-thread/wall/sno/shared/below-cap",
        ],
        bound: Times(0.5, GLOBAL),
    },
    Target {
        what: "a lease: what leasing adds to an ID",
        ours: &[
            "generate/leased/scru64/leased",
            "generate/leased/nanoflake/leased",
            "generate/leased/kuid/leased",
            "generate/leased/sno/leased",
        ],
        bound: AtMost(1.0, "more"),
    },
    Target {
        what: "fill of 1,024 IDs of 8 bytes",
        ours: &[
            "generate/bulk/scru64/exclusive",
            "generate/bulk/scru64/shared",
            "generate/bulk/nanoflake/exclusive",
            "generate/bulk/nanoflake/shared",
            "generate/bulk/kuid-local/exclusive",
            "generate/bulk/kuid-local/shared",
        ],
        bound: Times(0.5, LOOP),
    },
    Target {
        what: "fill of 1,024 IDs of 10 and 12 bytes",
        ours: &[
            "generate/bulk/sno/exclusive",
            "generate/bulk/sno/shared",
            "generate/bulk/kuid-global/exclusive",
            "generate/bulk/kuid-global/shared",
        ],
        bound: Times(1.0, LOOP),
    },
    Target {
        what: "sno to text",
        ours: &["encode/sno"],
        bound: Times(0.18, "encode/data-encoding/sno"),
    },
    Target {
        what: "sno from text",
        ours: &["decode/sno"],
        bound: Times(0.2, "decode/data-encoding/sno"),
    },
    Target {
        what: "SCRU64 to text",
        ours: &["encode/scru64"],
        bound: Times(0.35, "encode/scru64-official"),
    },
    Target {
        what: "SCRU64 from text",
        ours: &["decode/scru64"],
        bound: Times(0.6, "decode/scru64-official"),
    },
    Target {
        what: "kuid (global) to text",
        ours: &["encode/kuid-global"],
        bound: Times(0.35, "encode/base64/kuid-global"),
    },
    Target {
        what: "kuid (global) from text",
        ours: &["decode/kuid-global"],
        bound: Times(0.35, "decode/base64/kuid-global"),
    },
    Target {
        what: "Nanoflake to text",
        ours: &["encode/nanoflake"],
        bound: Times(1.0, "encode/scru64-official"),
    },
    Target {
        what: "Nanoflake from text",
        ours: &["decode/nanoflake"],
        bound: Times(1.0, "decode/scru64-official"),
    },
    Target {
        what: "slices of sno to text",
        ours: &["encode/bulk/sno"],
        bound: Times(0.5, "encode/sno"),
    },
    Target {
        what: "slices of kuid to text",
        ours: &["encode/bulk/kuid-global"],
        bound: Times(0.5, "encode/kuid-global"),
    },
    Target {
        what: "slices of SCRU64 to text",
        ours: &["encode/bulk/scru64"],
        bound: Times(0.5, "encode/scru64"),
    },
    Target {
        what: "slices of sno from text",
        ours: &["decode/bulk/sno"],
        bound: Times(0.5, "decode/sno"),
    },
    Target {
        what: "slices of kuid from text",
        ours: &["decode/bulk/kuid-global"],
        bound: Times(0.5, "decode/kuid-global"),
    },
    Target {
        what: "slices of SCRU64 from text",
        ours: &["decode/bulk/scru64"],
        bound: Times(0.5, "decode/scru64"),
    },
    Target {
        what: "saturated, share of the scheme's cap",
        ours: &[
            "generate/saturated/nanoflake/1-threads",
            "generate/saturated/nanoflake/2-threads",
            "generate/saturated/sno/1-threads",
            "generate/saturated/sno/2-threads",
        ],
        bound: AtLeast(99.0, "of the cap"),
    },
    Target {
        what: "saturated, time of one core",
        ours: &["generate/saturated/nanoflake/1-threads", "generate/saturated/nanoflake/2-threads"],
        bound: AtMost(50.0, "of one core"),
    },
    Target { what: "the command writes", ours: &["command/gen sno"], bound: AtLeast(15.0, "IDs") },
    Target { what: "the command reads", ours: &ONE_SCHEME, bound: AtLeast(3.0, "lines") },
    Target {
        what: "the command reads, beside that of --baseline",
        ours: &ONE_SCHEME,
        bound: AtLeast(2.0, BESIDE_BASELINE),
    },
    Target {
        what: "the command reads a mixture",
        ours: &["command/inspect --json/mixture"],
        bound: AtLeast(1.0, "lines"),
    },
    Target {
        what: "the command converts",
        ours: &["command/convert"],
        bound: AtLeast(5.0, "lines"),
    },
];

/// Returns the measurement of the minimum that any generator must do. A bound below it cannot be
/// reached on this machine.
pub(crate) fn floor(ours: &str) -> Option<&'static str> {
    [("generate/one-thread/manual/", LEAST), ("generate/contended/2-threads/", TWO_LEAST)]
        .into_iter()
        .find_map(|(group, least)| ours.starts_with(group).then_some(least))
}

/// Returns the measurement of the same generator in turn with a counter; see
/// `benches/side_by_side.rs`.
pub(crate) fn in_turn(ours: &str) -> Option<String> {
    let name = ours.strip_prefix("generate/contended/2-threads/")?;
    Some(format!("generate/side-by-side/{name}"))
}

impl Bound {
    pub(crate) fn quantity(self) -> &'static str {
        match self {
            Times(..) | Below(..) => TIME,
            AtMost(_, quantity) | AtLeast(_, quantity) => quantity,
        }
    }
}

/// A table of the report: measurements of a group with a common prefix, beside their baselines.
pub(crate) struct Compared {
    pub(crate) group: &'static str,
    pub(crate) prefix: &'static str,
    /// By their full names.
    pub(crate) baselines: &'static [&'static str],
}

/// Groups that are not here get a table without ratios.
pub(crate) const TABLES: &[Compared] = &[
    Compared { group: "generate/one-thread", prefix: "manual/", baselines: &[ADD, BASIC, ATOMIC] },
    Compared { group: "generate/one-thread", prefix: "", baselines: &[ADD, GLOBAL] },
    Compared {
        group: "generate/contended",
        prefix: "2-threads/",
        baselines: &[TWO_ADD, TWO_ATOMIC],
    },
    Compared {
        group: "generate/contended",
        prefix: "4-threads/",
        baselines: &[
            "generate/contended/4-threads/fetch-add",
            "generate/contended/4-threads/ferroid/atomic",
        ],
    },
    Compared { group: "generate/bulk", prefix: "", baselines: &[LOOP] },
    Compared {
        group: "encode",
        prefix: "",
        baselines: &[
            "encode/data-encoding/sno",
            "encode/base64/kuid-global",
            "encode/scru64-official",
        ],
    },
    Compared {
        group: "decode",
        prefix: "",
        baselines: &[
            "decode/data-encoding/sno",
            "decode/base64/kuid-global",
            "decode/scru64-official",
        ],
    },
    Compared {
        group: "generate/clocks",
        prefix: "exclusive/",
        baselines: &["generate/clocks/exclusive/scru64/system"],
    },
    Compared {
        group: "generate/clocks",
        prefix: "shared/",
        baselines: &["generate/clocks/shared/scru64/system"],
    },
    Compared { group: "clock", prefix: "", baselines: &["clock/std/system-time"] },
];
