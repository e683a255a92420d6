//! `flagstone import` and `flagstone export`, run as programs on a database of their own.

use std::{path::Path, process::Output};

use serde_json::Value;
use tempfile::TempDir;

use super::{export_file, names};

pub(super) struct Shell {
    files: TempDir,
}

impl Shell {
    pub(super) fn new() -> Self {
        let shell = Self { files: tempfile::tempdir().expect("a directory") };
        shell.print(&["migrate"]);
        shell
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.files.path().join(name).display().to_string()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        std::process::Command::new(env!("CARGO_BIN_EXE_flagstone"))
            .args(arguments)
            .env("DATABASE_URL", format!("sqlite://{}", self.path("flags.db")))
            .output()
            .expect("the program runs")
    }

    /// Returns the output of a run that succeeded.
    pub(super) fn print(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    fn import(&self, file: &str, environment: &str, more: &[&str]) -> Output {
        let file = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
        let mut arguments = vec!["import", &file, "--project", "webshop", "--environment", environment];
        arguments.extend(more);
        self.run(&arguments)
    }

    fn export(&self, choice: &[&str]) -> Value {
        let mut arguments = vec!["export", "--environment", "qa"];
        arguments.extend(choice);
        serde_json::from_str(&self.print(&arguments)).expect("JSON")
    }
}

#[test]
fn what_is_missing_is_made_and_counts_agree_with_the_file() {
    let shell = Shell::new();
    let first = shell.import("webshop.development.json", "qa", &["--create-missing"]);
    let printed = String::from_utf8(first.stdout).expect("text");
    assert!(first.status.success(), "{printed}");
    let lines = [
        "validation: no errors",
        "made first: 1 × environment-created",
        "made first: 1 × project-created",
        "made first: 1 × project-environment-added",
        "made first: 3 × segment-created",
        "made first: 1 × strategy-created",
        "importing: 25%",
        "importing: 50%",
        "importing: 75%",
        "imported into webshop (qa): 72 features (72 new), 76 strategies, 104 tags, 3 segments used",
    ];
    for line in lines {
        assert!(printed.lines().any(|printed| printed == line), "{line:?} is not in {printed}");
    }
    // A second time nothing is missing.
    let again = String::from_utf8(shell.import("webshop.development.json", "qa", &["--create-missing"]).stdout);
    let again = again.expect("text");
    assert!(!again.contains("made first") && again.contains("(0 new)"), "{again}");

    let file = export_file("webshop.development.json");
    let output = shell.path("out.json");
    shell.print(&["export", "--environment", "qa", "--project", "webshop", "--output", &output]);
    let exported: Value = serde_json::from_slice(&std::fs::read(Path::new(&output)).expect("a file")).expect("JSON");
    for part in ["features", "featureStrategies", "featureTags", "segments", "tagTypes", "dependencies"] {
        assert_eq!(exported[part].as_array().map(Vec::len), file[part].as_array().map(Vec::len), "{part}");
    }
    let two = shell.export(&["--feature", "stock.limits", "--feature", "account.limits"]);
    assert_eq!(names(&two["features"], "name"), ["account.limits", "stock.limits"]);
    let tag = file["featureTags"][0]["tagValue"].as_str().expect("a tag");
    let tagged = file["featureTags"]
        .as_array()
        .expect("tags")
        .iter()
        .filter(|feature_tag| feature_tag["tagValue"] == tag)
        .count();
    assert_eq!(shell.export(&["--tag", tag])["features"].as_array().map(Vec::len), Some(tagged));
}

#[test]
fn without_what_it_needs_nothing_is_imported_and_the_command_fails() {
    let shell = Shell::new();
    let unknown = shell.import("webshop.development.json", "development", &[]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("there is no project webshop"));

    // Into a project that exists, so that the findings are printed.
    let file = format!("{}/tests/data/webshop.development.json", env!("CARGO_MANIFEST_DIR"));
    let output = shell.run(&["import", &file, "--project", "default", "--environment", "development"]);
    assert_eq!(output.status.code(), Some(1));
    let complaint = String::from_utf8(output.stderr).expect("text");
    for line in ["  storeOpeningHours", "  alpine"] {
        assert!(complaint.lines().any(|printed| printed == line), "{line:?} is not in {complaint}");
    }
    assert!(complaint.starts_with("error: "), "{complaint}");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(!printed.contains("error: ") && !printed.contains("imported into"), "{printed}");
    let exported = shell.print(&["export", "--environment", "development", "--project", "default"]);
    let exported: Value = serde_json::from_str(&exported).expect("JSON");
    assert_eq!(exported["features"], Value::Array(Vec::new()));
}

#[test]
fn an_export_from_where_nothing_can_be_is_refused_by_name() {
    let shell = Shell::new();
    for (environment, project, complaint) in [
        ("nope", "default", "error: there is no environment nope\n"),
        ("development", "nope", "error: there is no project nope\n"),
    ] {
        let output = shell.path("out.json");
        let refused = shell.run(&["export", "--environment", environment, "--project", project, "--output", &output]);
        assert_eq!(String::from_utf8_lossy(&refused.stderr), complaint);
        assert_eq!(refused.status.code(), Some(1), "{complaint}");
        assert!(!Path::new(&output).exists(), "{complaint}");
    }
}

#[test]
fn a_file_that_is_no_export_is_refused_by_naming_the_property() {
    let shell = Shell::new();
    let path = shell.path("broken.json");
    std::fs::write(&path, r#"{ "features": [{ "name": 7 }], "featureStrategies": [], "tagTypes": [] }"#)
        .expect("writes");
    let output = shell.run(&["import", &path, "--project", "default", "--environment", "development"]);
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(printed.contains("/features/0/name"), "{printed}");
    let missing = shell.run(&["import", "/nowhere.json", "--project", "default", "--environment", "development"]);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("cannot read /nowhere.json"));
    assert_eq!(shell.run(&["export", "--environment", "development"]).status.code(), Some(2));
}

/// Of version 8.2: ids of strategies that are ULIDs, links of features.
#[test]
fn what_the_newest_server_exports_is_taken() {
    let shell = Shell::new();
    let name = "moving-in/unleash-8.2.0.production.json";
    let imported = shell.import(name, "production", &["--create-missing"]);
    let printed = String::from_utf8(imported.stdout).expect("text");
    assert!(imported.status.success(), "{printed}{}", String::from_utf8_lossy(&imported.stderr));
    assert!(!printed.contains("left out, since it has no place here"), "{printed}");
    let file = export_file(name);
    let exported = shell.print(&["export", "--environment", "production", "--project", "webshop"]);
    let exported: Value = serde_json::from_str(&exported).expect("JSON");
    // Ids are new, and those of segments ours.
    let said = |data: &Value| {
        let strategies = data["featureStrategies"].as_array().expect("strategies").iter();
        let mut said: Vec<String> = strategies
            .map(|strategy| {
                let constraints = strategy["constraints"].as_array().into_iter().flatten();
                let constraints: Vec<_> = constraints
                    .map(|constraint| (&constraint["contextName"], &constraint["operator"], &constraint["value"]))
                    .collect();
                format!("{} {} {constraints:?}", strategy["featureName"], strategy["name"])
            })
            .collect();
        said.sort();
        said
    };
    assert_eq!(said(&exported), said(&file));
    let linked = |data: &Value| {
        let of_features = data["links"].as_array().expect("links").iter();
        let mut linked: Vec<String> = of_features
            .flat_map(|one| one["links"].as_array().expect("links").iter().map(move |link| (&one["feature"], link)))
            .map(|(feature, link)| format!("{feature} {} {}", link["title"], link["url"]))
            .collect();
        linked.sort();
        linked
    };
    assert_eq!(linked(&exported), linked(&file));
    assert!(!linked(&file).is_empty());
    let sunset =
        exported["features"].as_array().expect("features").iter().filter(|feature| feature["type"] == "sunset").count();
    assert_eq!(sunset, 1);
}

#[test]
fn nothing_is_made_that_no_plain_address_leads_to() {
    let shell = Shell::new();
    let file = format!("{}/tests/data/webshop.development.json", env!("CARGO_MANIFEST_DIR"));
    for (project, environment, reason) in [
        ("..", "qa", "cannot be the id of a project: it must not be \".\" or \"..\""),
        ("roles", "qa", "\"roles-1\" would do"),
        ("shop!", "qa", "must consist of"),
        ("shop", ".", "cannot be the name of an environment: it must not be"),
        ("shop", "validate", "\"validate-1\" would do"),
    ] {
        let output =
            shell.run(&["import", &file, "--project", project, "--environment", environment, "--create-missing"]);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && complaint.contains(reason), "{project} {environment}: {complaint}");
    }
    let output = shell.run(&["export", "--environment", "qa", "--project", "shop"]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("shop"), "{output:?}");
}
