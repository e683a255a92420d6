//! Protection of what is in use: one rule for context fields, legal values, segments, strategy types and tag types.

mod held;

use flagstone::store::{self, projects::NewProject};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Client, TestApp, connect};

const FIELD: &str = "/api/admin/context/plan";
const FREE: &str = "/api/admin/context/plan/legal-values/free";
const SEGMENT: &str = "/api/admin/segments/1";
const TYPE: &str = "/api/admin/strategies/byTime";
const TAG_TYPE: &str = "/api/admin/tag-types/team";
const STRATEGIES: &str = "/api/admin/projects/shop/features/f/environments/development/strategies";
const DEFAULT: &str = "/api/admin/projects/shop/environments/development/default-strategy";
const VARIANTS: &str = "/api/admin/projects/shop/features/f/environments/development/variants";
const IN_DEVELOPMENT: &str = "the feature \"f\" (project shop, environment development)";

/// A request that is granted.
struct Step(Method, &'static str, Value);

/// A way to use something, what is told of it, and how it ends.
struct Use {
    /// Things that are used: paths that cannot be deleted meanwhile.
    subjects: Vec<&'static str>,
    begin: Vec<Step>,
    told: &'static str,
    /// `{id}` is that of what was made first.
    end: Vec<Step>,
}

fn constraint() -> Value {
    json!({ "contextName": "plan", "operator": "IN", "values": ["free"] })
}

fn variant(stickiness: &str, overrides: &Value) -> Value {
    json!({ "name": "v", "weight": 1000, "weightType": "variable", "stickiness": stickiness, "overrides": overrides })
}

fn strategy(of_it: &Value) -> Vec<Step> {
    let mut whole = json!({ "name": "flexibleRollout" });
    for (name, value) in of_it.as_object().expect("an object") {
        whole[name] = value.clone();
    }
    vec![Step(Method::POST, STRATEGIES, whole)]
}

fn without_strategy() -> Vec<Step> {
    vec![Step(Method::DELETE, "strategies/{id}", Value::Null)]
}

fn plain_default() -> Vec<Step> {
    vec![Step(Method::POST, DEFAULT, json!({ "name": "flexibleRollout", "parameters": { "stickiness": "default" } }))]
}

fn project(stickiness: &str) -> Vec<Step> {
    vec![Step(Method::PUT, "/api/admin/projects/shop", json!({ "name": "shop", "defaultStickiness": stickiness }))]
}

const OF_DEFAULT: &str = "the default strategy of the project shop in development";
const OF_ARCHIVED: &str = "the archived feature \"f\" (project shop, environment development)";

fn default_with(name: &str, value: &Value) -> Vec<Step> {
    let mut strategy = json!({ "name": "flexibleRollout" });
    strategy[name] = value.clone();
    vec![Step(Method::POST, DEFAULT, strategy)]
}

fn archive() -> Step {
    Step(Method::POST, "/api/admin/projects/shop/archive", json!({ "features": ["f"] }))
}

fn revive() -> Step {
    Step(Method::POST, "/api/admin/projects/shop/revive", json!({ "features": ["f"] }))
}

fn ended(mut first: Vec<Step>, then: Vec<Step>) -> Vec<Step> {
    first.extend(then);
    first
}

fn uses() -> Vec<Use> {
    of_fields().into_iter().chain(of_others()).collect()
}

fn of_fields() -> Vec<Use> {
    let values = || vec![FIELD, FREE];
    vec![
        Use {
            subjects: values(),
            begin: strategy(&json!({ "constraints": [constraint()] })),
            told: IN_DEVELOPMENT,
            end: without_strategy(),
        },
        Use {
            subjects: values(),
            begin: ended(strategy(&json!({ "constraints": [constraint()] })), vec![archive()]),
            told: OF_ARCHIVED,
            end: ended(vec![revive()], without_strategy()),
        },
        Use {
            subjects: vec![FIELD],
            begin: strategy(&json!({ "parameters": { "stickiness": "plan" } })),
            told: IN_DEVELOPMENT,
            end: without_strategy(),
        },
        Use {
            subjects: vec![FIELD],
            begin: strategy(&json!({ "name": "default", "variants": [variant("plan", &json!(null))] })),
            told: IN_DEVELOPMENT,
            end: without_strategy(),
        },
        Use {
            subjects: vec![FIELD],
            begin: vec![Step(Method::PUT, VARIANTS, json!([variant("plan", &json!([]))]))],
            told: IN_DEVELOPMENT,
            end: vec![Step(Method::PUT, VARIANTS, json!([]))],
        },
        Use {
            subjects: values(),
            begin: vec![Step(
                Method::PUT,
                VARIANTS,
                json!([variant("default", &json!([{ "contextName": "plan", "values": ["free"] }]))]),
            )],
            told: IN_DEVELOPMENT,
            end: vec![Step(Method::PUT, VARIANTS, json!([]))],
        },
        Use {
            subjects: values(),
            begin: vec![Step(Method::PUT, SEGMENT, json!({ "name": "employees", "constraints": [constraint()] }))],
            told: "the segment \"employees\"",
            end: vec![Step(Method::PUT, SEGMENT, json!({ "name": "employees", "constraints": [] }))],
        },
        Use {
            subjects: values(),
            begin: default_with("constraints", &json!([constraint()])),
            told: OF_DEFAULT,
            end: plain_default(),
        },
        Use {
            subjects: vec![FIELD],
            begin: default_with("parameters", &json!({ "stickiness": "plan" })),
            told: OF_DEFAULT,
            end: plain_default(),
        },
        Use {
            subjects: vec![FIELD],
            begin: project("plan"),
            told: "the default stickiness of the project shop",
            end: project("default"),
        },
    ]
}

fn of_others() -> Vec<Use> {
    vec![
        Use {
            subjects: vec![SEGMENT],
            begin: strategy(&json!({ "segments": [1] })),
            told: IN_DEVELOPMENT,
            end: without_strategy(),
        },
        Use {
            subjects: vec![SEGMENT],
            begin: ended(strategy(&json!({ "segments": [1] })), vec![archive()]),
            told: OF_ARCHIVED,
            end: ended(vec![revive()], without_strategy()),
        },
        Use {
            subjects: vec![SEGMENT],
            begin: default_with("segments", &json!([1])),
            told: OF_DEFAULT,
            end: plain_default(),
        },
        Use {
            subjects: vec![TYPE],
            begin: strategy(&json!({ "name": "byTime" })),
            told: IN_DEVELOPMENT,
            end: without_strategy(),
        },
        Use {
            subjects: vec![TYPE],
            begin: ended(strategy(&json!({ "name": "byTime" })), vec![archive()]),
            told: OF_ARCHIVED,
            end: ended(vec![revive()], without_strategy()),
        },
        Use {
            subjects: vec![TAG_TYPE],
            begin: vec![Step(Method::POST, "/api/admin/features/f/tags", json!({ "type": "team", "value": "web" }))],
            told: "the feature \"f\" (project shop)",
            end: vec![Step(Method::DELETE, "/api/admin/features/f/tags/team/web", Value::Null)],
        },
        Use {
            subjects: vec![TAG_TYPE],
            begin: vec![
                Step(Method::POST, "/api/admin/features/f/tags", json!({ "type": "team", "value": "web" })),
                archive(),
            ],
            told: "the archived feature \"f\" (project shop)",
            end: vec![Step(
                Method::PUT,
                "/api/admin/projects/shop/tags",
                json!({
                    "features": ["f"],
                    "tags": { "addedTags": [], "removedTags": [{ "type": "team", "value": "web" }] },
                }),
            )],
        },
    ]
}

/// A server with one of each kind, none of which is in use.
async fn furnished() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let admin = app.admin();
    let legal = json!([{ "value": "free" }, { "value": "paid" }]);
    admin
        .post("/api/admin/context", json!({ "name": "plan", "stickiness": true, "legalValues": legal }))
        .await
        .expect(201);
    admin.post("/api/admin/segments", json!({ "name": "employees", "constraints": [] })).await.expect(201);
    admin.post("/api/admin/strategies", json!({ "name": "byTime", "parameters": [] })).await.expect(201);
    admin.post("/api/admin/tag-types", json!({ "name": "team" })).await.expect(201);
    app
}

async fn delete(client: &Client, path: &str) -> Answer {
    client.request(Method::DELETE, path, &[], Vec::new()).await
}

fn message(answer: &Answer) -> &str {
    answer.body["message"].as_str().unwrap_or_default()
}

async fn take(client: &Client, steps: Vec<Step>, id: &mut String) {
    for Step(method, path, body) in steps {
        let path = path.replace("strategies/{id}", &format!("{STRATEGIES}/{id}"));
        let answer = if body.is_null() { delete(client, &path).await } else { client.json(method, &path, body).await };
        assert!((200..300).contains(&answer.status), "{path}: {}", answer.text);
        if let Some(made) = answer.body["id"].as_str() {
            made.clone_into(id);
        }
    }
}

fn error_of(subject: &str) -> &'static str {
    match subject {
        FIELD => "ContextFieldInUseError",
        FREE => "LegalValueInUseError",
        SEGMENT => "SegmentInUseError",
        TYPE => "StrategyInUseError",
        _ => "TagTypeInUseError",
    }
}

#[tokio::test]
async fn what_is_in_use_stays_with_its_users_named_until_they_are_done() {
    for (index, one) in uses().into_iter().enumerate() {
        let app = furnished().await;
        let (admin, mut id) = (app.admin(), String::new());
        take(&admin, one.begin, &mut id).await;
        let events = app.event_types().await;
        for subject in &one.subjects {
            let answer = delete(&admin, subject).await;
            assert!(message(&answer).contains(one.told), "{index} {subject}: {}", answer.text);
            let is_archived = one.told.contains("archived") && *subject != TAG_TYPE;
            assert_eq!(answer.text.contains("has to be revived"), is_archived, "{}", answer.text);
            answer.refused(409, error_of(subject), "cannot be deleted while in use");
        }
        assert_eq!(app.event_types().await, events, "{index}");
        take(&admin, one.end, &mut id).await;
        for subject in one.subjects.iter().rev() {
            let status = delete(&admin, subject).await.status;
            assert!([200, 204].contains(&status), "{index} {subject}");
        }
    }
}

#[tokio::test]
async fn an_unused_value_may_go_and_a_used_one_only_with_all_others() {
    let app = furnished().await;
    let (admin, mut id) = (app.admin(), String::new());
    take(&admin, strategy(&json!({ "constraints": [constraint()] })), &mut id).await;
    let legal = |values: &[&str]| {
        let values: Vec<Value> = values.iter().map(|value| json!({ "value": value })).collect();
        json!({ "stickiness": true, "legalValues": values })
    };
    let put = async |values: &[&str]| admin.json(Method::PUT, FIELD, legal(values)).await;
    let events = app.event_types().await;
    for values in [&["paid"][..], &["gold"], &["Free", "paid"]] {
        put(values).await.refused(409, "LegalValueInUseError", "The legal value \"free\" of the context field");
    }
    assert_eq!(app.event_types().await, events);
    delete(&admin, "/api/admin/context/plan/legal-values/paid").await.expect(200);
    delete(&admin, FREE).await.refused(409, "LegalValueInUseError", IN_DEVELOPMENT);
    put(&["gold", "free"]).await.expect(200);
    // Any value is legal then, and no strategy is worse off.
    put(&[]).await.expect(200);
    let path = format!("{STRATEGIES}/{id}");
    admin.json(Method::PUT, &path, json!({ "title": "kept", "constraints": [constraint()] })).await.expect(200);
}

#[tokio::test]
async fn a_tag_type_goes_with_tags_that_nothing_carries() {
    let app = furnished().await;
    let admin = app.admin();
    admin.post("/api/admin/tags", json!({ "type": "team", "value": "idle" })).await.expect(201);
    let seen = app.event_types().await.len();
    delete(&admin, TAG_TYPE).await.expect(200);
    assert_eq!(app.event_types().await[seen..], ["tag-deleted", "tag-type-deleted"]);
    assert_eq!(admin.get("/api/admin/tags/team").await.expect(200)["tags"], json!([]));
}

#[tokio::test]
async fn hidden_users_count_and_are_not_named() {
    let app = furnished().await;
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    connect(&tx, "secret", "development").await;
    app.commit(tx).await;
    let hidden = app.feature("secret", "hidden").await;
    app.tag(hidden, "team", "web").await;
    let strategies = "/api/admin/projects/secret/features/hidden/environments/development/strategies";
    let body = json!({ "name": "byTime", "constraints": [constraint()], "segments": [1] });
    app.admin().post(strategies, body).await.expect(200);
    let editor = app.editor().await;
    for subject in [FIELD, FREE, SEGMENT, TYPE, TAG_TYPE] {
        let answer = delete(&editor, subject).await;
        assert!(answer.text.contains("Uses that you may see: none."), "{subject}: {}", answer.text);
        assert!(!answer.text.contains("hidden") && !answer.text.contains("secret"), "{subject}: {}", answer.text);
        answer.refused(409, error_of(subject), "cannot be deleted while in use");
        let told = delete(&app.admin(), subject).await;
        assert!(message(&told).contains("\"hidden\" (project secret"), "{subject}: {}", told.text);
    }
}

#[tokio::test]
async fn many_users_are_named_in_part() {
    let app = furnished().await;
    for number in 0..25 {
        let id = app.feature("shop", &format!("many-{number:02}")).await;
        app.tag(id, "team", "web").await;
        let path = format!("/api/admin/projects/shop/features/many-{number:02}/environments/production/strategies");
        app.admin().post(&path, json!({ "name": "byTime" })).await.expect(200);
    }
    for subject in [TYPE, TAG_TYPE] {
        let answer = delete(&app.admin(), subject).await;
        assert_eq!(answer.text.matches("many-").count(), 20, "{}", answer.text);
        answer.refused(409, error_of(subject), "; and more.");
    }
}
