//! A private project appears in no answer to those who may not see it, whatever they ask.

use flagstone::{
    domain::{actor::Actor, event::NewEvent, event_kind::EventKind},
    store::{self, projects::NewProject},
};

use super::*;
use crate::harness::connect;

/// A private project `secret` with a feature, an event, and a member who owns both.
async fn secret() -> (TestApp, Client) {
    let app = shop().await;
    let tx = app.tx().await;
    let project = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Classified") };
    store::projects::insert(&tx, &project, app.clock.now()).await.expect("a project");
    for environment in ["development", "production"] {
        connect(&tx, "secret", environment).await;
    }
    app.commit(tx).await;
    app.feature("secret", "hush").await;
    app.feature("shop", "loud").await;
    let owner = app.owner("secret").await;
    put(&owner, "/api/admin/projects/secret", json!({ "name": "Classified", "description": "d" })).await.expect(200);
    (app, owner)
}

/// Every read of one project.
const READS: &[&str] = &[
    "",
    "/overview",
    "/health-report",
    "/insights",
    "/status",
    "/dora",
    "/applications",
    "/flag-creators",
    "/sdks/outdated",
    "/environments/development/default-strategy",
];

/// Reads of the whole instance.
const LISTS: &[&str] = &[
    "/api/admin/projects",
    "/api/admin/projects?archived=true",
    "/api/admin/projects/secret/features",
    "/api/admin/search/features",
    "/api/admin/search/features?query=hush",
    "/api/admin/search/features?project=IS:secret",
    "/api/admin/search/events",
    "/api/admin/search/events?project=IS:secret",
    "/api/admin/search/events?query=Classified",
    "/api/admin/search/events?feature=IS:hush",
    "/api/admin/events",
    "/api/admin/event-creators",
    "/api/admin/lifecycle/count",
    "/api/admin/flag-creators",
    "/api/admin/metrics/sdks/outdated",
    "/api/admin/insights",
    "/api/admin/dashboard/executive",
    "/api/admin/user/profile",
];

async fn assert_hidden(client: &Client) {
    for path in READS {
        let answer = client.get(&format!("/api/admin/projects/secret{path}")).await;
        answer.refused(404, "NotFoundError", "secret");
    }
    client.get("/api/admin/environments/project/secret").await.refused(404, "NotFoundError", "secret");
    post(client, "/api/admin/projects/secret/favorites").await.refused(404, "NotFoundError", "secret");
    delete(client, "/api/admin/projects/secret/favorites").await.refused(404, "NotFoundError", "secret");
    for path in LISTS {
        let answer = client.get(path).await;
        for word in ["secret", "Classified", "hush"] {
            assert!(!answer.text.contains(word), "{path} tells of {word}: {}", answer.text);
        }
    }
    let data = json!({ "features": [{ "name": "hush" }], "featureStrategies": [], "tagTypes": [] });
    let import = |project: &str| json!({ "project": project, "environment": "development", "data": data });
    let validate = "/api/admin/features-batch/validate";
    client.post(validate, import("secret")).await.refused(404, "NotFoundError", "secret");
    let findings = client.post(validate, import("shop")).await;
    assert!(findings.status == 200 && !findings.text.contains("secret"), "{}", findings.text);
    let export = json!({ "environment": "development", "features": ["hush"], "project": "secret" });
    let exported = client.post("/api/admin/features-batch/export", export).await;
    exported.refused(400, "ValidationError", "/body/project");
}

#[tokio::test]
async fn who_is_no_member_finds_no_trace() {
    let (app, owner) = secret().await;
    for client in [app.viewer().await, app.editor().await, app.owner("shop").await] {
        assert_hidden(&client).await;
        // Counts do not give it away either.
        assert_eq!(client.get("/api/admin/search/features").await.expect(200)["total"], 1);
        assert_eq!(client.get("/api/admin/insights").await.expect(200)["flags"]["total"], 1);
        assert_eq!(client.get("/api/admin/search/events?query=Classified").await.expect(200)["total"], 0);
    }
    for client in [owner, app.admin(), app.root_admin().await] {
        for path in &READS[..8] {
            client.get(&format!("/api/admin/projects/secret{path}")).await.expect(200);
        }
        assert!(client.get(PROJECTS).await.text.contains("Classified"));
        assert_eq!(client.get("/api/admin/search/features").await.expect(200)["total"], 2);
        assert_eq!(client.get("/api/admin/insights").await.expect(200)["flags"]["total"], 2);
        assert_eq!(client.get("/api/admin/search/events?project=IS:secret").await.expect(200)["total"], 1);
    }
}

#[tokio::test]
async fn a_refusal_does_not_tell_where_a_feature_is() {
    let (app, _) = secret().await;
    let answer = app
        .owner("shop")
        .await
        .post("/api/admin/projects/shop/features/hush/changeProject", json!({ "newProjectId": "shop" }))
        .await;
    assert!(!answer.text.contains("secret"), "{}", answer.text);
    answer.refused(404, "NotFoundError", "hush");
}

#[tokio::test]
async fn a_protected_project_is_open_to_readers() {
    let (app, _) = secret().await;
    let viewer = app.viewer().await;
    set_mode(&app, "secret", "protected").await;
    for path in &READS[..8] {
        viewer.get(&format!("/api/admin/projects/secret{path}")).await.expect(200);
    }
    assert_eq!(viewer.get("/api/admin/search/features").await.expect(200)["total"], 2);
    // And closed again, it hides what was open before.
    set_mode(&app, "secret", "private").await;
    assert_hidden(&viewer).await;
}

#[tokio::test]
async fn an_archived_or_deleted_private_project_keeps_its_secrets() {
    let (app, owner) = secret().await;
    let viewer = app.viewer().await;
    let ops = json!([{ "op": "replace", "path": "/archived", "value": true }]);
    owner.patch("/api/admin/projects/secret/features/hush", ops).await.expect(200);
    post(&owner, "/api/admin/projects/archive/secret").await.expect(200);
    assert_hidden(&viewer).await;
    assert!(owner.get("/api/admin/projects?archived=true").await.text.contains("Classified"));
    delete(&owner, "/api/admin/projects/secret").await.expect(200);
    for client in [&viewer, &owner, &app.editor().await] {
        assert_hidden(client).await;
    }
    let all = app.admin().get("/api/admin/search/events?project=IS:secret").await.expect(200);
    let kinds: Vec<&Value> = all["events"].as_array().expect("a list").iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds[..2], ["project-deleted", "feature-deleted"]);
    // Whoever got the id again would read its history.
    for client in [&app.editor().await, &app.admin()] {
        client.post(PROJECTS, json!({ "id": "secret", "name": "x" })).await.refused(409, "NameExistsError", "secret");
        let validated = client.post("/api/admin/projects/validate", json!({ "id": "secret" })).await;
        validated.refused(409, "NameExistsError", "secret");
        let named = client.post(PROJECTS, json!({ "name": "secret" })).await.expect(201);
        assert_ne!(named["id"], "secret");
    }
}

#[tokio::test]
async fn a_move_out_of_a_private_project_is_told_to_its_members_alone() {
    let (app, owner) = secret().await;
    let moving = "/api/admin/projects/secret/features/hush/changeProject";
    app.admin().post(moving, json!({ "newProjectId": "shop" })).await.expect(200);
    let viewer = app.viewer().await;
    let found = viewer.get("/api/admin/search/events?feature=IS:hush").await;
    assert!(!found.text.contains("secret"), "{}", found.text);
    assert_eq!(viewer.get("/api/admin/search/features?query=hush").await.expect(200)["total"], 1);
    let told = owner.get("/api/admin/search/events?type=IS:feature-project-change").await.expect(200);
    assert_eq!(told["events"][0]["data"], json!({ "newProject": "shop", "oldProject": "secret" }));
}

#[tokio::test]
async fn an_event_that_names_several_projects_is_hidden_by_any_of_them() {
    let (app, owner) = secret().await;
    app.project("a_b").await;
    let about = |projects: &str| NewEvent::new(EventKind::ApiTokenCreated, &Actor::system()).in_project(projects);
    let events = ["shop,secret", "secret,shop", "shop,a_b", "secretive,shop", "a_b"].map(about);
    app.tx().await.commit(app.clock.now(), events).await.expect("done");
    set_mode(&app, "a_b", "private").await;
    let seen = async |client: &Client| {
        let found = client.get("/api/admin/search/events?type=IS:api-token-created").await.expect(200);
        let listed = found["events"].as_array().expect("a list").iter().map(|event| event["project"].clone());
        let listed: Vec<Value> = listed.collect();
        assert_eq!(found["total"], listed.len());
        listed
    };
    assert_eq!(seen(&app.viewer().await).await, ["secretive,shop"]);
    assert_eq!(seen(&owner).await, ["secretive,shop", "secret,shop", "shop,secret"]);
    assert_eq!(seen(&app.admin()).await.len(), 5);
}
