//! Describes the machine, without anything that identifies its owner.

use std::fs;
use std::process::Command;
use std::thread;

/// Describes the machine as pairs of a name and a value.
pub(crate) fn describe() -> Vec<(&'static str, String)> {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    vec![
        ("processor", processor()),
        ("cores", cores.to_string()),
        ("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("kernel", first_line("/proc/sys/kernel/osrelease")),
        (
            "kernel's clock source",
            first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        ),
        ("compiler", compiler()),
    ]
}

fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    model.map_or_else(unknown, |model| model.trim().to_owned())
}

fn first_line(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().next().map_or_else(unknown, str::to_owned)
}

pub(crate) fn compiler() -> String {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    match Command::new(program).arg("--version").output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => unknown(),
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}
