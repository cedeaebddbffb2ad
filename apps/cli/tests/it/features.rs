//! Builds without features, and what they say to a request for one.

use crate::process::{USAGE, run, stdout_of};

/// A request, the feature that it needs, and whether this build has it.
const REQUESTS: [(&str, &str, bool); 10] = [
    ("serve --realm a=sno", "serve", cfg!(feature = "serve")),
    ("sql sno --realm a --help", "postgres", cfg!(feature = "postgres")),
    ("man", "full", cfg!(feature = "full")),
    ("gen sno --store etcd://127.0.0.1:1", "etcd", cfg!(feature = "etcd")),
    ("gen sno --store mysql://127.0.0.1:1/a", "mysql", cfg!(feature = "mysql")),
    ("gen sno --store mariadb://127.0.0.1:1/a", "mysql", cfg!(feature = "mysql")),
    ("gen sno --store postgres://127.0.0.1:1/a", "postgres", cfg!(feature = "postgres")),
    ("lease realms --store postgresql://127.0.0.1:1/a", "postgres", cfg!(feature = "postgres")),
    ("lease acquire --realm a --store redis://127.0.0.1:1", "redis", cfg!(feature = "redis")),
    ("gen sno --store rediss://127.0.0.1:1", "redis", cfg!(feature = "redis")),
];

#[test]
fn missing_features_are_named() {
    for (request, feature, is_there) in REQUESTS {
        if is_there {
            continue;
        }
        let ran = run(request);
        assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{request}");
        let message = format!("it lacks the feature {feature}\nhint: `cargo install tickid-cli ");
        assert!(ran.stderr.contains(&message), "{request}: {}", ran.stderr);
        // The hint keeps the features that this build has.
        let options = ran.stderr.split_once("--features ").expect("the option").1;
        let named: Vec<&str> = options.split('`').next().expect("its end").split(',').collect();
        assert!(named.contains(&feature), "{request}: {named:?}");
        let has = |(_, one, is_there): &(&str, &str, bool)| !is_there || named.contains(one);
        assert!(feature == "full" || REQUESTS.iter().all(has), "{request}: {named:?}");
    }
}

#[test]
fn present_features_are_not_missing() {
    for (request, feature, is_there) in REQUESTS {
        if is_there && feature != "serve" {
            let ran = run(request);
            assert!(!ran.stderr.contains("lacks the feature"), "{request}: {}", ran.stderr);
        }
    }
}

#[test]
fn help_lists_what_there_is() {
    let help = stdout_of("--help");
    for (request, _, is_there) in &REQUESTS[..3] {
        let name = request.split(' ').next().expect("a word");
        assert_eq!(help.contains(&format!("\n  {name} ")), *is_there, "{name}: {help}");
    }
}
