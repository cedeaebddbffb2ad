//! The pages, which a reader follows one after the other with one store.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
/// The pages that are the READMEs of packages.
const PACKAGES: [&str; 3] = ["clients/node", "clients/python", "exec"];

/// A realm of two pages, which the second page would find with another scheme or other nodes.
#[test]
fn every_page_has_its_own_realms() {
    let mut realms = BTreeMap::new();
    let mut pages = Vec::new();
    add_pages(Path::new(PAGES), &mut pages);
    let readme = |package| Path::new(PAGES).join("../apps").join(package).join("README.md");
    pages.extend(PACKAGES.map(readme));
    for page in &pages {
        for realm in created(&fs::read_to_string(page).expect("a page")) {
            let other = realms.insert(realm.clone(), page).filter(|other| *other != page);
            assert_eq!(other, None, "{} creates the realm {realm} as well", page.display());
        }
    }
    let server = Path::new(PAGES).join("server.md");
    assert_eq!(realms.get("orders"), Some(&&server), "{realms:?}");
    assert!(realms.len() >= 10, "{realms:?}");
}

fn add_pages(folder: &Path, pages: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            add_pages(&path, pages);
        } else if path.extension().is_some_and(|end| end == "md") {
            pages.push(path);
        }
    }
}

/// Returns the realms that a page creates: by `serve --realm NAME=SCHEME`, a line of the shell that
/// names a scheme before `--realm NAME`, or in Rust.
fn created(page: &str) -> Vec<String> {
    let text = page.replace('\n', " ");
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    let name = |text: &str| text.split(|it| !is_of_name(it)).next().unwrap_or_default().to_owned();
    let served = text.match_indices("--realm ").filter_map(|(at, option)| {
        let realm = name(&text[at + option.len()..]);
        text[at + option.len() + realm.len()..].starts_with('=').then_some(realm)
    });
    let lines = page.lines().filter_map(|line| {
        let (before, after) = line.split_once("--realm ")?;
        let is_new = ["lease init ", "tickid sql ", "gen "].iter().any(|it| before.contains(it));
        is_new.then(|| name(after))
    });
    let built = text.match_indices("Realm::builder(\"");
    let built = built.map(|(at, start)| name(&text[at + start.len()..]));
    let found = served.chain(lines).chain(built);
    // Places for a name.
    found.filter(|realm| realm.chars().any(|it| it.is_ascii_lowercase())).collect()
}
