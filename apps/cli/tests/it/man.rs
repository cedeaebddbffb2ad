//! Man pages.

use std::collections::BTreeMap;
use std::fs;

use tempfile::TempDir;

use crate::process::{self, run, stdout_of};

/// Returns the written pages by name.
fn pages() -> BTreeMap<String, String> {
    let folder = TempDir::new().expect("creates");
    // A folder that does not exist yet, and may be the name of a command that is mistyped.
    let man1 = folder.path().join("man/man1");
    let ran = run(&format!("man {}", man1.display()));
    let said = format!("tickid: the pages are in {}\n", man1.display());
    assert_eq!((ran.status, ran.stdout, ran.stderr), (process::OK, String::new(), said));
    let files = fs::read_dir(man1).expect("exists").map(|entry| entry.expect("read").path());
    let page = |path: std::path::PathBuf| {
        let name = path.file_name().expect("has one").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("text"))
    };
    files.map(page).collect()
}

#[test]
#[cfg_attr(not(feature = "full"), ignore = "needs the feature full")]
fn every_subcommand_has_a_page() {
    let pages = pages();
    for name in ["tickid.1", "tickid-gen-sno.1", "tickid-inspect.1", "tickid-lease-exec.1"] {
        assert!(pages.contains_key(name), "{name}");
    }
    // An internal stage of `lease exec`, and clap's own.
    assert!(!pages.keys().any(|name| name.contains("launch") || name.contains("help")));
}

#[test]
#[cfg_attr(not(feature = "full"), ignore = "needs the feature full")]
fn pages_have_the_usual_sections() {
    for (name, page) in pages() {
        for part in [".TH ", ".SH NAME\n", ".SH SYNOPSIS\n", ".SH DESCRIPTION\n", ".SH OPTIONS\n"] {
            assert!(page.contains(part), "{name}: {part}");
        }
        assert!(page.contains("\"tickid 0."), "{name}: no version");
        assert!(!page.contains("EXTRA"), "{name}");
    }
    assert!(stdout_of("man").contains(".SH SUBCOMMANDS\n"));
}

#[cfg(unix)]
#[test]
#[cfg_attr(not(feature = "full"), ignore = "needs the feature full")]
fn a_page_that_cannot_be_written_is_named() {
    let ran = run("man /dev/null/man1");
    assert_eq!((ran.status, ran.stdout.as_str()), (process::INVALID, ""));
    assert!(ran.stderr.starts_with("error: cannot write /dev/null/man1: "), "{}", ran.stderr);
}
