//! The field's shared evaluation cases (npm `@unleash/client-specification`), each asked of the frontend API in both
//! its forms. `FLAGSTONE_SPECIFICATION` names the directory with the cases; without it there is nothing to do.

mod state;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::state::Seeded;
use crate::{
    frontend::in_query,
    harness::{Client, TestApp},
};

/// The project of all features.
const PROJECT: &str = "field";
const FRONTEND: &str = "/api/frontend";
/// Environment of a case that names none: none of the cases speaks of it.
const NOWHERE: &str = "development";

#[expect(clippy::disallowed_methods, reason = "where the cases lie is no setting of the program")]
fn directory() -> Option<PathBuf> {
    std::env::var("FLAGSTONE_SPECIFICATION").ok().filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn environment_of(case: &Value) -> &str {
    case["context"]["environment"].as_str().unwrap_or(NOWHERE)
}

/// The answers about one feature to a question in the address and to one in the body. A case that has no session is
/// about somebody without one, whom the server would otherwise give one.
async fn ask(browser: &Client, case: &Value) -> [Option<Value>; 2] {
    let mut context = case["context"].clone();
    let members = context.as_object_mut().expect("a context");
    members.entry("sessionId").or_insert(json!(""));
    let asked = browser.get(&format!("{FRONTEND}?{}", in_query(&context))).await.expect(200);
    let posted = browser.post(FRONTEND, json!({ "context": context })).await.expect(200);
    [asked, posted].map(|answer| list(&answer["toggles"]).find(|toggle| toggle["name"] == case["toggleName"]).cloned())
}

/// Expectation of the case: whether the feature is on, or its variant.
fn expected(case: &Value) -> (bool, Option<&Value>) {
    match &case["expectedResult"] {
        Value::Bool(is_on) => (*is_on, None),
        variant => (variant["feature_enabled"].as_bool().expect("a boolean"), Some(variant)),
    }
}

/// Whether a case comes out as it says; what came out instead, if not.
fn judge(case: &Value, toggle: Option<&Value>) -> Result<(), String> {
    let disabled = json!({ "name": "disabled", "enabled": false, "feature_enabled": false });
    let (is_on, wanted) = expected(case);
    let variant = toggle.map_or(&disabled, |toggle| &toggle["variant"]);
    let holds = toggle.is_some() == is_on && wanted.is_none_or(|wanted| wanted == variant);
    if holds { Ok(()) } else { Err(format!("{}: {toggle:?}", case["description"])) }
}

#[tokio::test]
async fn every_case_comes_out_as_the_field_agreed() {
    let Some(directory) = directory() else {
        println!("skipped: FLAGSTONE_SPECIFICATION does not name the directory of @unleash/client-specification");
        return;
    };
    let files = directory.join("specifications");
    let (mut passed, mut impossible, mut wrong) = (0, Vec::new(), Vec::new());
    for file in list(&read(&files.join("index.json"))) {
        let file = file.as_str().expect("a name");
        let specification = read(&files.join(file));
        let cases: Vec<&Value> = list(&specification["tests"]).chain(list(&specification["variantTests"])).collect();
        let app = TestApp::new().await;
        let seeded = Seeded::new(&app, &specification["state"], cases.iter().map(|case| environment_of(case))).await;
        for case in cases {
            let name = case["toggleName"].as_str().expect("a name");
            if let Some(reason) = seeded.impossible.get(name) {
                impossible.push(format!("{file}: {}: {reason}", case["description"]));
                continue;
            }
            let browser = app.browser(&[PROJECT], environment_of(case)).await;
            let outcomes = ask(&browser, case).await.map(|toggle| judge(case, toggle.as_ref()));
            match outcomes.into_iter().collect::<Result<Vec<()>, String>>() {
                Ok(_) => passed += 1,
                Err(what) => wrong.push(format!("{file}: {what}")),
            }
        }
    }
    for case in &impossible {
        println!("cannot be stored here: {case}");
    }
    println!("{passed} cases passed, {} failed, {} cannot be stored", wrong.len(), impossible.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(passed > 0, "no cases in {}", files.display());
}
