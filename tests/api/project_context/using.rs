//! Uses of a field of a project: by what is of that project, on every way in.

use poem::http::Method;
use serde_json::{Value, json};

use super::{FIELDS, GLOBAL, TIER, delete, names, newest, on, stray, with_tier};
use crate::harness::{Answer, Client, TestApp};

/// A way in for something of a project that uses a context field, and the property that names the field.
struct Way {
    method: Method,
    path: String,
    body: Value,
    property: &'static str,
}

fn way(method: Method, path: String, body: Value, property: &'static str) -> Way {
    Way { method, path, body, property }
}

/// Each way in of a project that has the feature `f-{project}` with one strategy, whose id is given.
fn ways(project: &str, strategy: &str, constraint: &Value) -> Vec<Way> {
    let of_project = format!("/api/admin/projects/{project}");
    let strategies = format!("{of_project}/features/f-{project}/environments/development/strategies");
    let one = format!("{strategies}/{strategy}");
    let constrained = json!({ "name": "default", "constraints": [constraint] });
    let patch = json!([{ "op": "replace", "path": "/constraints", "value": [constraint] }]);
    let default = json!({ "name": "flexibleRollout", "constraints": [constraint] });
    let default_strategy = format!("{of_project}/environments/development/default-strategy");
    let segment = json!({ "name": format!("of {project}"), "project": project, "constraints": [constraint] });
    let in_constraint = "/body/constraints/0/contextName";
    vec![
        way(Method::POST, strategies, constrained.clone(), in_constraint),
        way(Method::PUT, one.clone(), constrained, in_constraint),
        way(Method::PATCH, one, patch, "/constraints/0/contextName"),
        way(Method::POST, default_strategy, default, in_constraint),
        way(Method::POST, "/api/admin/segments".to_owned(), segment, in_constraint),
    ]
}

/// Ways in for the stickiness of a project.
fn sticking(project: &str, field: &str) -> Vec<Way> {
    let of_project = format!("/api/admin/projects/{project}");
    let named = json!({ "name": project, "defaultStickiness": field });
    vec![
        way(Method::PUT, of_project.clone(), named, "/body/defaultStickiness"),
        way(
            Method::PUT,
            format!("{of_project}/settings"),
            json!({ "defaultStickiness": field }),
            "/body/defaultStickiness",
        ),
    ]
}

async fn go(client: &Client, way: &Way) -> Answer {
    client.json(way.method.clone(), &way.path, way.body.clone()).await
}

/// Makes the feature `f-{project}`, and gives the id of its strategy.
async fn with_strategy(app: &TestApp, project: &str) -> String {
    app.feature(project, &format!("f-{project}")).await;
    let path = format!("/api/admin/projects/{project}/features/f-{project}/environments/development/strategies");
    let made = app.admin().post(&path, json!({ "name": "default" })).await.expect(200);
    made["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn each_way_in_takes_the_field_in_its_project_and_refuses_it_elsewhere() {
    let app = with_tier().await;
    let admin = app.admin();
    let (here, there) = (with_strategy(&app, "shop").await, with_strategy(&app, "other").await);
    let events = app.event_types().await;
    for way in ways("other", &there, &on("tier", "gold")).iter().chain(&sticking("other", "tier")) {
        go(&admin, way).await.refused(400, "ValidationError", way.property);
    }
    // A value that is not legal is refused where the field is.
    for way in ways("shop", &here, &on("tier", "tin")) {
        let value = way.property.replace("contextName", "values/0");
        go(&admin, &way).await.refused(400, "ValidationError", &value);
    }
    assert_eq!(app.event_types().await, events);
    let of_shop = ways("shop", &here, &on("tier", "gold")).into_iter().chain(sticking("shop", "tier"));
    for way in of_shop {
        let answer = go(&admin, &way).await;
        assert!(answer.status < 300, "{} {}: {}", way.method, way.path, answer.text);
    }
    for way in ways("other", &there, &on("plan", "gold")) {
        let answer = go(&admin, &way).await;
        assert!(answer.status < 300, "{} {}: {}", way.method, way.path, answer.text);
    }
}

#[tokio::test]
async fn a_new_project_sticks_to_no_field_of_another() {
    let app = with_tier().await;
    let new = json!({ "id": "third", "name": "Third", "defaultStickiness": "tier" });
    let answer = app.admin().post("/api/admin/projects", new).await;
    answer.refused(400, "ValidationError", "/body/defaultStickiness");
}

#[tokio::test]
async fn a_segment_takes_no_constraint_out_of_the_project_of_its_field() {
    let app = with_tier().await;
    let admin = app.admin();
    let segment = |project: Value, constraints: Value| {
        let name = "golden";
        json!({ "name": name, "project": project, "constraints": constraints })
    };
    let tier = || json!([on("plan", "a"), on("tier", "gold")]);
    let all = "/api/admin/segments";
    let property = "/body/constraints/1/contextName";
    admin.post(all, segment(Value::Null, tier())).await.refused(400, "ValidationError", property);
    let id = admin.post(all, segment(json!("shop"), tier())).await.expect(201)["id"].clone();
    let one = format!("{all}/{id}");
    for project in [Value::Null, json!("other")] {
        let moved = admin.json(Method::PUT, &one, segment(project, tier())).await;
        moved.refused(400, "ValidationError", property);
    }
    admin.json(Method::PUT, &one, segment(json!("shop"), tier())).await.expect(204);
    admin.json(Method::PUT, &one, segment(json!("other"), json!([on("plan", "a")]))).await.expect(204);
}

#[tokio::test]
async fn a_field_in_use_stays_and_names_its_users() {
    let app = with_tier().await;
    let admin = app.admin();
    let id = with_strategy(&app, "shop").await;
    let one = format!("/api/admin/projects/shop/features/f-shop/environments/development/strategies/{id}");
    let strategy = |constraints: Value| json!({ "name": "default", "constraints": constraints });
    admin.json(Method::PUT, &one, strategy(json!([on("tier", "gold")]))).await.expect(200);
    // What names a field of another project does not mean it.
    let elsewhere = app.feature("other", "g").await;
    stray(&app, elsewhere, "tier").await;

    let user = "the feature \"f-shop\" (project shop, environment development)";
    let answer = delete(&admin, TIER).await;
    assert!(!answer.text.contains("project other"), "{}", answer.text);
    answer.refused(409, "ContextFieldInUseError", user);
    delete(&admin, &format!("{TIER}/legal-values/gold")).await.refused(409, "LegalValueInUseError", user);
    let others = json!({ "legalValues": [{ "value": "bronze" }] });
    admin.json(Method::PUT, TIER, others).await.refused(409, "LegalValueInUseError", user);

    let list = admin.get(FIELDS).await.expect(200);
    assert_eq!((&list[0]["usedInFeatures"], &list[0]["usedInProjects"]), (&json!(1), &json!(1)));
    let features = |answer: Value| -> Vec<Value> {
        let strategies = answer["strategies"].as_array().expect("a list").iter();
        strategies.map(|one| one["featureName"].clone()).collect()
    };
    assert_eq!(features(admin.get(&format!("{TIER}/strategies")).await.expect(200)), ["f-shop"]);
    assert_eq!(features(admin.get(&format!("{GLOBAL}/tier/strategies")).await.expect(200)), ["f-shop", "g"]);

    admin.json(Method::PUT, &one, strategy(json!([]))).await.expect(200);
    delete(&admin, TIER).await.expect(200);
    assert_eq!(newest(&app).await[0], "context-field-deleted");
    assert_eq!(names(&admin, FIELDS).await, [""; 0]);
}

#[tokio::test]
async fn a_feature_that_uses_a_field_of_its_project_stays_there() {
    let app = with_tier().await;
    let admin = app.admin();
    let id = with_strategy(&app, "shop").await;
    let in_development = "/api/admin/projects/shop/features/f-shop/environments/development";
    let one = format!("{in_development}/strategies/{id}");
    let variants = format!("{in_development}/variants");
    let variant = |stickiness: &str, overrides: Value| {
        let weight = "variable";
        json!([{ "name": "v", "weight": 1000, "weightType": weight, "stickiness": stickiness, "overrides": overrides }])
    };
    let rollout = |stickiness: &str| {
        let parameters = json!({ "rollout": "50", "stickiness": stickiness, "groupId": "g" });
        json!({ "name": "flexibleRollout", "parameters": parameters })
    };
    let constrained = |field: &str| json!({ "name": "default", "parameters": {}, "constraints": [on(field, "gold")] });
    let overridden = json!([{ "contextName": "tier", "values": ["gold"] }]);
    let transfer = "/api/admin/projects/shop/features/f-shop/changeProject";
    let to_other = || admin.post(transfer, json!({ "newProjectId": "other" }));
    for (path, with, without) in [
        (&one, constrained("tier"), constrained("plan")),
        (&one, rollout("tier"), rollout("plan")),
        (&variants, variant("tier", json!([])), variant("default", json!([]))),
        (&variants, variant("default", overridden), json!([])),
    ] {
        admin.json(Method::PUT, path, with.clone()).await.expect(200);
        to_other().await.refused(403, "IncompatibleProjectError", "project \"shop\": tier");
        admin.json(Method::PUT, path, without).await.expect(200);
    }
    to_other().await.expect(200);
}
