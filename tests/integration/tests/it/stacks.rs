//! The versions in `docs/stacks.md` are the versions that the features are built and tested with.

#[test]
fn versions_are_the_tested_ones() {
    let manifests =
        [include_str!("../../Cargo.toml"), include_str!("../../../../Cargo.toml")].concat();
    let page = include_str!("../../../../docs/stacks.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let libraries = rows.flat_map(|row| row.split('`')).filter_map(|code| code.split_once('@'));
    let mut count = 0;
    for (name, version) in libraries {
        let plain = format!("\n{name} = \"{version}");
        let table = format!("\n{name} = {{ version = \"{version}");
        let renamed = format!("{{ package = \"{name}\", version = \"{version}");
        let is_tested = [plain, table, renamed].iter().any(|entry| manifests.contains(entry));
        assert!(is_tested, "no manifest has {name} {version}");
        count += 1;
    }
    assert_eq!(count, 16);
}
