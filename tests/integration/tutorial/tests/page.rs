//! `docs/tutorial.md` shows parts of the program as they are.

const PAGE: &str = include_str!("../../../../docs/tutorial.md");
const PROGRAM: &str = include_str!("../src/main.rs");
const MANIFEST: &str = include_str!("../Cargo.toml");

/// Returns the page's blocks of code in a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let opening = format!("\n```{language}\n");
    let parts = PAGE.split(opening.as_str()).skip(1);
    parts.map(|part| part.split_once("```").unwrap().0).collect()
}

#[test]
fn the_page_shows_the_program() {
    // A reader who types all parts, each where the page says, has the program.
    let (_, mut rest) = PROGRAM.split_once("\n\n").unwrap();
    let mut hidden = String::new();
    let mut parts: Vec<_> = blocks("rust").into_iter().map(str::trim_end).collect();
    while !rest.is_empty() {
        if let Some(index) = parts.iter().position(|part| rest.starts_with(part)) {
            rest = rest[parts.remove(index).len()..].trim_start_matches('\n');
        } else {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            hidden += line;
            rest = after;
        }
    }
    assert_eq!(hidden, "", "the page does not show these lines");
    assert_eq!(parts, [""; 0], "the program has no such parts");
}

#[test]
fn the_page_adds_the_dependencies() {
    let words: Vec<_> = blocks("sh").concat().split_whitespace().map(str::to_owned).collect();
    let added: Vec<_> = words.iter().filter_map(|word| word.split_once('@')).collect();
    assert_eq!(added.len(), 5);
    for (name, version) in added {
        let plain = format!("\n{name} = {{ version = \"{version}\"");
        assert!(MANIFEST.contains(&plain), "{name}@{version}");
    }
    let shell = blocks("sh").concat();
    for line in shell.lines().filter_map(|line| line.strip_prefix("cargo add ")) {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap().split('@').next().unwrap();
        let dependency = format!("\n{name} = {{");
        let entry = MANIFEST.split_once(&dependency).unwrap().1.split_once('\n').unwrap().0;
        // cargo gives all features to one crate.
        let mut features = words.clone().skip_while(|word| *word != "--features").skip(1);
        for feature in features.next().into_iter().flat_map(|list| list.split(',')) {
            assert!(entry.contains(&format!("\"{feature}\"")), "{line}: {feature}");
        }
        assert!(words.all(|word| !word.contains(['@', '/'])), "{line}");
    }
}

/// The image and the pods name what the program has.
#[test]
fn the_cluster_runs_the_program() {
    let [image, objects] = ["dockerfile", "yaml"].map(|language| blocks(language).concat());
    for (text, shown, code) in [
        (&image, "/target/release/orders ", "[[bin]]\nname = \"orders\"\n"),
        (&image, "\nENV LISTEN=0.0.0.0:3000\n", "var(\"LISTEN\")"),
        (&objects, " args: [setup]\n", "Some(\"setup\")"),
        (&objects, " { path: /readyz, port: 3000 }\n", ".route(\"/readyz\", "),
    ] {
        assert!(text.contains(shown), "{shown:?} in\n{text}");
        assert!([PROGRAM, MANIFEST].iter().any(|file| file.contains(code)), "{code:?}");
    }
}
