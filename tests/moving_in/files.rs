//! Every file of other products that this repository has, through the program, into both kinds of database.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{dump, outcomes::Outcomes, server, server::Server, stored};

/// Files that are moved in together, with the options that the documentation shows for them, and what the database holds
/// afterwards: the projects, the environments, and how much is in them.
const SAMPLES: [(&str, &str, &str); 31] = [
    (
        "flagd/cheat-sheet-flags-payments.json",
        "",
        "default payment-flags | default production | 3 features, 4 strategies, 0 segments",
    ),
    (
        "flagd/cheat-sheet-flags.json",
        "",
        "app-flags default | default production | 9 features, 11 strategies, 0 segments",
    ),
    (
        "flagd/example_flags.flagd.json",
        "",
        "default example | default production | 9 features, 13 strategies, 1 segments",
    ),
    (
        "flagd/example_flags_secondary.flagd.json",
        "",
        "default | default production | 2 features, 1 strategies, 0 segments",
    ),
    ("flagd/example_flags.flagd.yaml", "", "default | default production | 9 features, 13 strategies, 1 segments"),
    ("flagsmith/environment.json", "", "default | default production | 13 features, 4 strategies, 0 segments"),
    ("flagsmith/feature-export.sample.json", "", "default | default production | 4 features, 3 strategies, 0 segments"),
    (
        "production=flipt/v2-tree/production/default/features.yaml \
     staging=flipt/v2-tree/staging/default/features.yaml",
        "",
        "default | default production staging | 1 features, 3 strategies, 1 segments",
    ),
    (
        "flipt/features.v1-export.sample.yaml",
        "",
        "default mobile | default production | 4 features, 1 strategies, 0 segments",
    ),
    (
        "go-feature-flag/cmdhelpers-configfile-testdata-flag.goff.yaml",
        "--project web",
        "default web | default production | 2 features, 2 strategies, 0 segments",
    ),
    (
        "go-feature-flag/ffclient-all_flags-config_flag-flag-config-all-flags.yaml",
        "--project web",
        "default web | default production | 7 features, 6 strategies, 0 segments",
    ),
    (
        "go-feature-flag/flag-config-custom-bucketingkey.yaml",
        "--project web",
        "default web | default production | 1 features, 1 strategies, 0 segments",
    ),
    (
        "go-feature-flag/flag-config-multiline-query.json",
        "--project web",
        "default web | default production | 1 features, 1 strategies, 0 segments",
    ),
    (
        "go-feature-flag/flag-config-scheduled-v0.yaml",
        "--project web",
        "default web | default production | 2 features, 1 strategies, 0 segments",
    ),
    (
        "go-feature-flag/flag-config.toml",
        "--project web",
        "default web | default production | 2 features, 2 strategies, 0 segments",
    ),
    (
        "go-feature-flag/flag-config.yaml",
        "--project web",
        "default web | default production | 2 features, 2 strategies, 0 segments",
    ),
    (
        "go-feature-flag/retriever-fileretriever-testdata-flag-config.yaml",
        "--project web",
        "default web | default production | 2 features, 0 strategies, 0 segments",
    ),
    (
        "growthbook/features-v1.sample.json \
     growthbook/saved-groups.sample.json \
     growthbook/environments.sample.json",
        "",
        "default prj_shop | default dev production | 5 features, 1 strategies, 2 segments",
    ),
    (
        "growthbook/features-v2.sample.json \
     growthbook/saved-groups.sample.json \
     growthbook/environments.sample.json",
        "",
        "default prj_shop | default dev production | 5 features, 1 strategies, 2 segments",
    ),
    (
        "growthbook/features-v2.sample.json",
        "",
        "default prj_shop | default dev production | 5 features, 0 strategies, 0 segments",
    ),
    (
        "launchdarkly/get_flags.json \
     launchdarkly/get_segments.json \
     launchdarkly/get_environments.json \
     launchdarkly/get_project.json",
        "",
        "default | default production test | 9 features, 12 strategies, 6 segments",
    ),
    (
        "launchdarkly/getFeatureFlags_1.json",
        "",
        "default | default production test | 4 features, 0 strategies, 0 segments",
    ),
    (
        "launchdarkly/get_flags.json \
     launchdarkly/get_segments__large_segments.json",
        "",
        "default | default production test | 9 features, 12 strategies, 6 segments",
    ),
    (
        "unleash/unleash-4.19.5.state.json",
        "",
        "default empty legacy-2019 mobile payments shop | default development load-test production qa-eu staging | 49 features, 90 strategies, 6 segments",
    ),
    (
        "unleash/unleash-5.12.8.development.json",
        "",
        "default mobile payments shop | default development | 46 features, 42 strategies, 0 segments",
    ),
    (
        "unleash/unleash-5.12.8.production.json",
        "",
        "default mobile payments shop | default production | 46 features, 38 strategies, 0 segments",
    ),
    (
        "unleash/unleash-6.3.0.development.json",
        "",
        "default mobile payments shop | default development | 46 features, 42 strategies, 0 segments",
    ),
    (
        "unleash/unleash-6.3.0.production.json",
        "",
        "default mobile payments shop | default production | 46 features, 38 strategies, 0 segments",
    ),
    (
        "unleash/unleash-8.2.0.development.json",
        "",
        "default mobile payments shop | default development | 48 features, 45 strategies, 0 segments",
    ),
    (
        "unleash/unleash-8.2.0.production.json",
        "",
        "default mobile payments shop | default production | 48 features, 38 strategies, 0 segments",
    ),
    (
        "unleash/unleash-8.2.0.development.json \
     unleash/unleash-8.2.0.production.json",
        "",
        "default mobile payments shop | default development production | 48 features, 83 strategies, 0 segments",
    ),
];

/// Files that are not to move in.
const OTHERS: [&str; 3] = ["LICENSE", "README.md", "sdk-cases.json"];

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vendors")
}

/// A file as an argument: `FILE` or `ENVIRONMENT=FILE`.
fn argument(given: &str) -> String {
    let (environment, file) = given.split_once('=').map_or(("", given), |(name, file)| (name, file));
    let path = samples().join(file).display().to_string();
    if environment.is_empty() { path } else { format!("{environment}={path}") }
}

/// The path of a file that is given as `FILE` or `ENVIRONMENT=FILE`.
fn path(given: &str) -> PathBuf {
    samples().join(given.split_once('=').map_or(given, |(_, file)| file))
}

/// Moves each sample into a database of its own. What becomes of its flags is what the documentation says.
async fn all_move(database: impl AsyncFn(&Path) -> String) {
    let (mut differ, mut outcomes) = (Vec::new(), Outcomes::default());
    for (files, options, expected) in SAMPLES {
        let directory = tempfile::tempdir().expect("a directory");
        let to = database(directory.path()).await;
        let report = directory.path().join("report.json");
        let paths: Vec<PathBuf> = files.split_whitespace().map(path).collect();
        let given = files;
        let mut files = files.split(' ').filter(|file| !file.is_empty()).map(argument);
        let first = files.next().expect("a file");
        let mut more: Vec<String> = files.flat_map(|file| ["--from".to_owned(), file]).collect();
        more.extend(options.split(' ').filter(|option| !option.is_empty()).map(str::to_owned));
        more.extend(["--report".to_owned(), report.display().to_string()]);
        let printed = server::moved(&first, &to, &more.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(printed.contains("Everything is in."), "{first}: {printed}");
        let report: Value = serde_json::from_slice(&std::fs::read(report).expect("the report")).expect("JSON");
        for counted in report["counted"].as_array().expect("numbers") {
            assert_eq!(counted["before"], counted["after"], "{first}: {counted}");
        }
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        outcomes.add(given, &paths, &report, &to).await;
        let holds = stored::flags(&to).await;
        if holds != expected {
            differ.push(format!("{first}: {holds}"));
        }
    }
    assert!(differ.is_empty(), "{differ:#?}");
    let documentation = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/moving-in-from-files.md");
    let documentation = std::fs::read_to_string(documentation).expect("the documentation");
    let table = outcomes.table();
    assert!(documentation.contains(&table), "docs/moving-in-from-files.md does not have\n{table}");
}

#[test]
fn every_sample_is_moved() {
    let listed: BTreeSet<PathBuf> = SAMPLES.iter().flat_map(|(files, ..)| files.split(' ')).map(path).collect();
    let mut found = BTreeSet::new();
    let mut folders = vec![samples()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if !OTHERS.iter().any(|other| path.ends_with(other)) {
                found.insert(path);
            }
        }
    }
    assert_eq!(listed, found);
}

#[tokio::test]
async fn every_sample_moves_into_sqlite() {
    let template = tempfile::tempdir().expect("a directory");
    let empty = template.path().join("empty.db");
    server::migrate(&format!("sqlite://{}", empty.display()));
    all_move(async |directory: &Path| {
        let file = directory.join("new.db");
        std::fs::copy(&empty, &file).expect("copies");
        format!("sqlite://{}", file.display())
    })
    .await;
}

#[tokio::test]
async fn every_sample_moves_into_postgresql() {
    let Some(empty) = dump::empty().await else { return };
    server::migrate(&empty);
    all_move(async |_: &Path| dump::copied(&empty).await).await;
}

/// The project that every instance has is there to work in, and what moved into another one is served.
#[tokio::test]
async fn a_file_moves_into_another_project_than_the_one_that_is_always_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    let printed = server::moved(&argument("go-feature-flag/flag-config.yaml"), &to, &["--project", "web"]);
    assert!(printed.contains("1 projects") && printed.contains("2 features"), "{printed}");
    let admin = server::token(&to, &["--type", "admin"]);
    let client = server::token(&to, &["--type", "client", "--project", "web", "--environment", "production"]);
    let server = Server::start(directory.path(), &to).await;
    let (status, answer) = server.get("/api/client/features", &client);
    let features = answer["features"].as_array().unwrap_or_else(|| panic!("{status}: {answer}"));
    let names: Vec<_> = features.iter().map(|feature| (&feature["name"], &feature["project"])).collect();
    assert_eq!(
        names,
        [(&"test-flag".into(), &"web".into()), (&"test-flag2".into(), &"web".into())] as [(&Value, &Value); 2]
    );
    let (status, project) = server.get("/api/admin/projects/default/overview", &admin);
    assert_eq!((status, &project["featureTypeCounts"]), (200, &serde_json::json!([])), "{project}");
    assert_eq!(project["environments"][0]["environment"], "production", "{project}");
}

/// A repository of Flipt 2, as it is checked out: a folder for each environment.
#[tokio::test]
async fn folders_of_flipt_are_read_as_a_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    let staging = argument("staging=flipt/v2-tree/staging");
    server::moved(&argument("production=flipt/v2-tree/production"), &to, &["--from", &staging]);
    let expected = "default | default production staging | 1 features, 3 strategies, 1 segments";
    assert_eq!(stored::flags(&to).await, expected);
    // And the whole checkout at once, which tells its environments by its folders.
    let whole = format!("sqlite://{}", directory.path().join("whole.db").display());
    server::moved(&argument("flipt/v2-tree"), &whole, &[]);
    assert_eq!(stored::flags(&whole).await, expected);
    let told = server::complaint(&argument("launchdarkly"), &to);
    assert!(told.contains("launchdarkly has no features.yaml of Flipt"), "{told}");
}

/// Returns the refusal of a file with this content; nothing is written.
fn refused(name: &str, content: &str) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let (file, to) = (directory.path().join(name), directory.path().join("new.db"));
    std::fs::write(&file, content).expect("a file");
    let told = server::complaint(file.to_str().expect("a path"), &format!("sqlite://{}", to.display()));
    assert!(!to.exists(), "{told}");
    told
}

#[test]
fn files_of_products_that_are_not_read_are_refused_by_their_name_with_what_to_do() {
    for (content, product) in [
        (r#"{ "f": { "beta": { "t": 0, "v": { "b": true } } } }"#, "ConfigCat"),
        (r#"{ "count": 1, "results": [{ "key": "beta", "filters": { "groups": [] } }] }"#, "PostHog"),
        (r#"{ "splits": [{ "name": "beta", "conditions": [] }] }"#, "Split"),
        ("- beta:\n    treatment: 'on'\n", "Split"),
        (r#"{ "feature_gates": [], "dynamic_configs": [] }"#, "Statsig"),
    ] {
        let told = refused("export.txt", content);
        let expected =
            format!("export.txt: it is a file of {product}, which is not read here: describe its flags in a");
        assert!(told.contains(&expected), "{told}");
    }
}

#[test]
fn an_encrypted_payload_is_refused_with_what_to_take_instead() {
    let told =
        refused("payload.json", r#"{ "status": 200, "features": {}, "encryptedFeatures": "vMSg2Bj/IurO.L6qtQkI" }"#);
    assert!(told.contains("payload.json, encryptedFeatures: it is encrypted for an SDK: take the answer of"), "{told}");
}

#[test]
fn a_key_that_stands_twice_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let (file, to) = (directory.path().join("twice.json"), directory.path().join("new.db"));
    let flag = r#"{ "state": "ENABLED", "variants": { "on": true, "off": false }, "defaultVariant": "on" }"#;
    std::fs::write(&file, format!(r#"{{ "flags": {{ "beta": {flag}, "beta": {flag} }} }}"#)).expect("a file");
    let told = server::moved(file.to_str().expect("a path"), &format!("sqlite://{}", to.display()), &[]);
    assert!(told.contains("twice.json: has \"flags.beta\" several times, of which the last one counts"), "{told}");
}

#[test]
fn input_without_an_end_is_refused_and_nothing_is_written() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("new.db");
    let told = server::complaint("/dev/zero", &format!("sqlite://{}", file.display()));
    assert!(told.contains("cannot read /dev/zero: it is larger than 64.0 MiB"), "{told}");
    assert!(!file.exists());
}
