//! Every way in which constraints and parameters are stored, and the one judge that stands there.

use poem::http::Method;
use serde_json::{Value, json};

use super::{STRATEGIES, added, shop};
use crate::harness::{Answer, Client, TestApp};

const DEFAULT_STRATEGY: &str = "/api/admin/projects/shop/environments/development/default-strategy";
const SEGMENTS: &str = "/api/admin/segments";

/// A way in for a strategy, or for constraints alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Add,
    Update,
    Patch,
    Default,
    NewEnvironment,
    Segment,
    SegmentUpdate,
    Validate,
}

const WAYS: [Way; 8] = [
    Way::Add,
    Way::Update,
    Way::Patch,
    Way::Default,
    Way::NewEnvironment,
    Way::Segment,
    Way::SegmentUpdate,
    Way::Validate,
];

impl Way {
    const fn takes_strategies(self) -> bool {
        !matches!(self, Self::Segment | Self::SegmentUpdate | Self::Validate)
    }

    /// Whether the strategy type is one that the way takes.
    fn takes(self, strategy: &Value) -> bool {
        !matches!(self, Self::Default | Self::NewEnvironment) || strategy["name"] == "flexibleRollout"
    }

    /// JSON pointer to the strategy, or to what has the constraints.
    const fn place(self) -> &'static str {
        match self {
            Self::NewEnvironment => "/body/defaultStrategy",
            // A refused patch names the operation beside the place in its outcome.
            Self::Patch => "",
            _ => "/body",
        }
    }

    async fn send(self, app: &TestApp, number: usize, strategy: &Value) -> Answer {
        let admin = app.admin();
        let put = async |path: &str, body: Value| {
            admin.request(Method::PUT, path, &[("content-type", "application/json")], body.to_string().into()).await
        };
        match self {
            Self::Add => admin.post(STRATEGIES, strategy.clone()).await,
            Self::Update => {
                let (path, _) = added(app, json!({ "name": strategy["name"] })).await;
                put(&path, strategy.clone()).await
            }
            Self::Patch => {
                let (path, _) = added(app, json!({ "name": strategy["name"] })).await;
                let members = strategy.as_object().expect("an object").iter();
                let ops =
                    members.map(|(name, value)| json!({ "op": "add", "path": format!("/{name}"), "value": value }));
                admin.patch(&path, ops.collect()).await
            }
            Self::Default => admin.post(DEFAULT_STRATEGY, strategy.clone()).await,
            Self::NewEnvironment => {
                let project = format!("p{number}");
                app.project(&project).await;
                let body = json!({ "environment": "default", "defaultStrategy": strategy });
                let added = admin.post(&format!("/api/admin/projects/{project}/environments"), body).await;
                if added.status != 200 {
                    return added;
                }
                admin.get(&format!("/api/admin/projects/{project}/environments/default/default-strategy")).await
            }
            Self::Segment => admin.post(SEGMENTS, segment(number, strategy)).await,
            Self::SegmentUpdate => {
                let made = admin.post(SEGMENTS, segment(number, &json!({ "constraints": [] }))).await.expect(201);
                let path = format!("{SEGMENTS}/{}", made["id"]);
                let changed = put(&path, segment(number, strategy)).await;
                if changed.status != 204 {
                    return changed;
                }
                admin.get(&path).await
            }
            Self::Validate => admin.post("/api/admin/constraints/validate", strategy["constraints"][0].clone()).await,
        }
    }
}

fn segment(number: usize, strategy: &Value) -> Value {
    json!({ "name": format!("segment {number}"), "constraints": strategy["constraints"] })
}

fn constrained(field: &str, operator: &str, operand: &Value) -> Value {
    let member = if operand.is_array() { "values" } else { "value" };
    let constraint = json!({ "contextName": field, "operator": operator, member: operand });
    json!({ "name": "flexibleRollout", "constraints": [constraint] })
}

#[tokio::test]
async fn constraints_are_refused_alike_wherever_they_come_in() {
    let app = shop().await;
    let cases = [
        ("userId", "NUM_GT", json!("five"), "value"),
        ("userId", "NUM_GT", json!("1e400"), "value"),
        ("userId", "NUM_EQ", json!(["1", "2"]), "value"),
        ("currentTime", "DATE_AFTER", json!("soon"), "value"),
        ("currentTime", "DATE_AFTER", json!("2026-02-30"), "value"),
        ("currentTime", "DATE_BEFORE", json!([]), "value"),
        ("userId", "DATE_AFTER", json!("2026-01-01T00:00:00Z"), "contextName"),
        ("currentTime", "IN", json!(["2026"]), "operator"),
        ("userId", "SEMVER_EQ", json!("1.2.3-01"), "value"),
        ("userId", "SEMVER_GT", json!("9007199254740992.0.0"), "value"),
        ("userId", "REGEX", json!("(?=x)"), "value"),
        ("userId", "REGEX", json!("x{,2}"), "value"),
        ("userId", "IN", json!(["a", "b\\"]), "values"),
        ("userId", "STR_CONTAINS", json!([" "]), "values"),
    ];
    let mut number = 0;
    for (field, operator, operand, member) in cases {
        for way in WAYS {
            number += 1;
            let answer = way.send(&app, number, &constrained(field, operator, &operand)).await;
            let place =
                if way == Way::Validate { way.place().to_owned() } else { format!("{}/constraints/0", way.place()) };
            answer.refused(400, "ValidationError", &format!("{place}/{member}"));
        }
    }
}

#[tokio::test]
async fn constraints_are_stored_alike_wherever_they_come_in() {
    let app = shop().await;
    let cases = [
        ("userId", "NUM_GT", json!(" .5"), json!("0.5")),
        ("currentTime", "DATE_AFTER", json!("2020-01-01"), json!("2020-01-01T00:00:00.000Z")),
        ("currentTime", "DATE_BEFORE", json!("2020-01-01T10:30"), json!("2020-01-01T10:30:00.000Z")),
        ("userId", "SEMVER_EQ", json!("1.2.3 "), json!("1.2.3")),
        (
            "userId",
            "IN",
            json!([" padded\u{feff}", "DOMAIN\\ada", "quo\"te"]),
            json!(["padded", "DOMAIN\\ada", "quo\"te"]),
        ),
    ];
    let mut number = 0;
    for (field, operator, given, stored) in cases {
        for way in WAYS {
            number += 1;
            let answer = way.send(&app, number, &constrained(field, operator, &given)).await;
            if way == Way::Validate {
                assert_eq!(answer.status, 204, "{operator}");
                continue;
            }
            assert!(answer.status < 300, "{way:?} {operator}: {}", answer.text);
            let shown: Value = serde_json::from_str(&answer.text).expect("JSON");
            let member = if stored.is_array() { "values" } else { "value" };
            assert_eq!(shown["constraints"][0][member], stored, "{way:?} {operator}: {shown}");
        }
    }
}

#[tokio::test]
async fn parameters_are_judged_alike_wherever_they_come_in() {
    let refused = [
        ("flexibleRollout", "rollout", "150"),
        ("flexibleRollout", "rollout", "half"),
        ("flexibleRollout", "rollout", "-1"),
        ("flexibleRollout", "groupId", "quo\"te"),
        ("flexibleRollout", "groupId", "trailing\\"),
        ("flexibleRollout", "groupId", "Gruppe ü"),
        ("flexibleRollout", "stickiness", "currentTime"),
        ("flexibleRollout", "stickiness", "quo\"te"),
        ("gradualRolloutUserId", "percentage", "101"),
        ("gradualRolloutRandom", "percentage", "x"),
        ("userWithId", "userIds", "ada,b\\"),
        ("remoteAddress", "IPs", "localhost"),
        ("applicationHostname", "hostNames", "quo\"te"),
    ];
    let stored = [
        ("flexibleRollout", "rollout", "12.5", "12"),
        ("flexibleRollout", "rollout", " 50 ", "50"),
        ("gradualRolloutUserId", "percentage", "1e1", "10"),
        ("userWithId", "userIds", " ada, DOMAIN\\ben ", "ada, DOMAIN\\ben"),
        ("remoteAddress", "IPs", "10.0.0.0/8, ::1", "10.0.0.0/8, ::1"),
    ];
    let mut number = 0;
    for way in WAYS.into_iter().filter(|way| way.takes_strategies()) {
        let app = shop().await;
        // Types that every SDK has, and new instances have no more.
        for name in ["gradualRolloutUserId", "gradualRolloutRandom"] {
            app.admin().post("/api/admin/strategies", json!({ "name": name, "parameters": [] })).await.expect(201);
        }
        let strategy =
            |name: &str, parameter: &str, value: &str| json!({ "name": name, "parameters": { parameter: value } });
        for (name, parameter, value) in refused {
            let strategy = strategy(name, parameter, value);
            if way.takes(&strategy) {
                number += 1;
                let place = format!("{}/parameters/{parameter}", way.place());
                way.send(&app, number, &strategy).await.refused(400, "ValidationError", &place);
            }
        }
        for (name, parameter, value, kept) in stored {
            let strategy = strategy(name, parameter, value);
            if way.takes(&strategy) {
                number += 1;
                let shown = way.send(&app, number, &strategy).await.expect(200);
                assert_eq!(shown["parameters"][parameter], kept, "{way:?} {shown}");
            }
        }
    }
}

#[tokio::test]
async fn variants_are_drawn_by_what_all_sdks_look_at() {
    let app = shop().await;
    let variants = json!([{ "name": "a", "weight": 1000, "weightType": "variable", "stickiness": "sessionId" }]);
    let cases = [
        ("flexibleRollout", json!({ "stickiness": "userId" }), "userId"),
        ("default", json!({}), "sessionId"),
        ("userWithId", json!({ "userIds": "ada", "stickiness": "userId" }), "userId"),
    ];
    let mut number = 0;
    for (name, parameters, stickiness) in cases {
        let strategy = json!({ "name": name, "parameters": parameters, "variants": variants });
        for way in [Way::Add, Way::Update, Way::Patch, Way::Default] {
            if way.takes(&strategy) {
                number += 1;
                let shown = way.send(&app, number, &strategy).await.expect(200);
                let drawn = (&shown["variants"][0]["stickiness"], &shown["parameters"]["stickiness"]);
                assert_eq!(drawn, (&json!(stickiness), &json!(stickiness)), "{way:?} {shown}");
                // What features are to begin with is of each of them.
                let group = if way == Way::Default { Value::Null } else { json!("f") };
                assert_eq!(shown["parameters"].get("groupId").unwrap_or(&Value::Null), &group, "{way:?} {shown}");
            }
        }
    }
}

async fn import(client: &Client, way: &str, strategies: Value) -> Answer {
    let strategies = strategies.as_array().expect("a list").iter().cloned();
    let strategies: Vec<Value> = strategies.map(|strategy| merged(strategy, &json!({ "featureName": "g" }))).collect();
    let data = json!({
        "features": [{ "name": "g" }], "featureStrategies": strategies, "tagTypes": [],
        "featureEnvironments": [{ "name": "g", "featureName": "g", "enabled": true }],
        "contextFields": [{ "name": "userId" }, { "name": "currentTime" }],
    });
    let body = json!({ "project": "shop", "environment": "development", "data": data });
    client.post(&format!("/api/admin/features-batch/{way}"), body).await
}

fn merged(mut one: Value, other: &Value) -> Value {
    for (name, value) in other.as_object().expect("an object") {
        one[name] = value.clone();
    }
    one
}

#[tokio::test]
async fn an_import_stores_the_same_forms_and_tells_what_is_not_evaluated() {
    let app = shop().await;
    let strategies = json!([
        merged(constrained("currentTime", "DATE_AFTER", &json!("2020-01-01")), &json!({ "parameters": { "rollout": "150" } })),
        constrained("userId", "DATE_BEFORE", &json!("2020-01-01")),
        constrained("userId", "IN", &json!(["a\\"])),
        { "name": "flexibleRollout", "parameters": { "rollout": "half" } },
        { "name": "flexibleRollout", "constraints": [{ "contextName": "userId", "operator": "NUM_GT" }] },
    ]);
    let found = import(&app.admin(), "validate", strategies.clone()).await.expect(200);
    assert_eq!(found["errors"], json!([]), "{found}");
    let items = |about: &str| {
        let warnings = found["warnings"].as_array().expect("a list").iter();
        let told = warnings.filter(|warning| warning["message"].as_str().is_some_and(|text| text.contains(about)));
        told.flat_map(|warning| warning["affectedItems"].as_array().expect("a list").clone()).collect::<Vec<_>>()
    };
    let [not_evaluated, differently] = [items("hold for nobody"), items("read these strategies differently")];
    let starts = |items: &[Value], starts: &[&str]| {
        items.len() == starts.len()
            && starts
                .iter()
                .all(|start| items.iter().any(|item| item.as_str().is_some_and(|item| item.starts_with(start))))
    };
    assert!(
        starts(&not_evaluated, &["g: the parameter rollout", "g: the constraint on userId needs a `value`"]),
        "{found}"
    );
    let expected = [
        "g: the parameter rollout must be a number",
        "g: the constraint on userId compares a date",
        "g: the constraint on userId needs entries",
    ];
    assert!(starts(&differently, &expected), "{found}");
    let drawn = json!([{
        "name": "flexibleRollout", "parameters": { "stickiness": "userId" },
        "variants": [{ "name": "a", "weight": 1000, "weightType": "variable", "stickiness": "sessionId" }],
    }]);
    let told = import(&app.admin(), "validate", drawn).await.expect(200)["warnings"].to_string();
    assert!(told.contains("g: the variants have another stickiness than the strategy"), "{told}");
    import(&app.admin(), "import", strategies).await.expect(200);
    let stored = app.admin().get("/api/admin/projects/shop/features/g").await.expect(200);
    let here = &stored["environments"].as_array().expect("a list")[0];
    let strategies = here["strategies"].as_array().expect("a list");
    assert_eq!(strategies[0]["parameters"]["rollout"], "100");
    assert_eq!(strategies[0]["constraints"][0]["value"], "2020-01-01T00:00:00.000Z");
    let faults = here["strategyFaults"].as_array().expect("faults");
    let told: Vec<_> =
        faults.iter().map(|fault| (&fault["strategyId"], fault["reason"].as_str().expect("text"))).collect();
    assert_eq!(told.len(), 2, "{here}");
    assert_eq!(told[0], (&strategies[3]["id"], "the parameter rollout must be a number from 0 to 100, as text"));
    assert_eq!(told[1], (&strategies[4]["id"], "the constraint on userId needs a `value`"));
    let broken = json!([constrained("userId", "NUM_GT", &json!("five"))]);
    let found = import(&app.admin(), "validate", broken).await.expect(200);
    assert!(found["errors"][0]["affectedItems"][0].as_str().expect("text").contains("needs a number"), "{found}");
}
