//! The guard is a wall: what programs of an environment are told changes only by approval while changes need it there,
//! whoever asks, whichever way.

mod corners;
mod freezes;
mod imports;
mod operations;

use flagstone::{
    domain::{
        ids::{EnvironmentName, ProjectId},
        permission::Permission,
    },
    store::change_requests::configuration,
};
use poem::http::Method;
use serde_json::{Value, json};

use self::operations::{Scope, guarded, unguarded};
use crate::{
    authorization::{access::Asker, client, role_granted, row::Row, shop_for, somebody_granted},
    harness::{Client, TestApp},
};

const DEVELOPMENT: &str = "development";
const PRODUCTION: &str = "production";

/// Lets changes of a project need approval in an environment.
pub async fn guard(app: &TestApp, project: &str, environment: &str) {
    let tx = app.tx().await;
    let (project, environment) = (ProjectId::new(project), EnvironmentName::new(environment));
    configuration::save(&tx, project, environment, Some(1), app.clock.now()).await.expect("saves");
    app.commit(tx).await;
}

/// Every permission in the whole instance but those that pass the guard, and perhaps the one to skip it in some
/// environments.
fn grants<'a>(skip_in: &[&'a str]) -> Vec<(&'static str, Option<&'a str>)> {
    let all = Permission::ALL
        .iter()
        .filter(|permission| **permission != Permission::Admin && **permission != Permission::SkipChangeRequest);
    let skips = skip_in.iter().map(|environment| (Permission::SkipChangeRequest.as_str(), Some(*environment)));
    all.map(|permission| (permission.as_str(), None)).chain(skips).collect()
}

/// Somebody who may do everything, except without approval; in some environments also that.
pub async fn powerful(app: &TestApp, skip_in: &[&str]) -> Client {
    somebody_granted(app, None, &grants(skip_in)).await
}

/// A service account with the rights of [`powerful`].
async fn robot(app: &TestApp) -> Client {
    let role = role_granted(app, false, &grants(&[])).await;
    let new = json!({ "name": "Deployer", "username": "deployer", "rootRole": role });
    let id = app.admin().post("/api/admin/service-account", new).await.expect(201)["id"].clone();
    let token = json!({ "description": "pipeline", "expiresAt": "2026-02-01T00:00:00.000Z" });
    let made = app.admin().post(&format!("/api/admin/service-account/{id}/token"), token).await.expect(201);
    app.with_authorization(made["secret"].as_str().expect("a secret"))
}

/// Calls an operation as somebody who is refused since nobody has approved it.
async fn refuse(app: &TestApp, scope: Scope, row: &Row, client: &Client, who: &str) {
    let before = app.event_types().await;
    let answer = row.call.take(client).await;
    assert_eq!(answer.status, 403, "{} as {who}: {}", row.operation, answer.text);
    let expected = if scope == Scope::Nobody { "ForbiddenError" } else { "NoAccessError" };
    assert_eq!(answer.body["name"], expected, "{} as {who}: {}", row.operation, answer.text);
    if scope != Scope::Nobody {
        assert_eq!(answer.body["permissions"], json!(["SKIP_CHANGE_REQUEST"]), "{} as {who}", row.operation);
        let names_it = answer.text.contains("\\\"development\\\" environment");
        assert_eq!(names_it, scope == Scope::Environment, "{} as {who}: {}", row.operation, answer.text);
    }
    assert_eq!(app.event_types().await, before, "{} as {who}", row.operation);
}

async fn admit(row: &Row, client: &Client, who: &str) {
    let answer = row.call.take(client).await;
    assert_eq!(answer.status, row.success, "{} as {who}: {}", row.operation, answer.text);
}

#[tokio::test]
async fn every_guarded_call_is_refused_to_whoever_may_not_skip() {
    let mut refused = 0;
    for (scope, row) in guarded() {
        let app = shop_for(&row).await;
        guard(&app, "shop", DEVELOPMENT).await;
        let person = powerful(&app, &[]).await;
        let session = app.in_session(&person).await;
        let elsewhere = powerful(&app, &[PRODUCTION]).await;
        let robot = robot(&app).await;
        for (client, who) in [
            (&person, "somebody with a personal token"),
            (&session, "somebody in a session"),
            (&elsewhere, "somebody who may skip elsewhere"),
            (&robot, "a service account"),
        ] {
            refuse(&app, scope, &row, client, who).await;
            refused += 1;
        }
        for asker in [Asker::Editor, Asker::Member, Asker::Owner] {
            let client = client(&app, asker).await;
            if row.access.refusal(asker).is_none() && row.alone_suffices {
                refuse(&app, scope, &row, &client, &format!("{asker:?}")).await;
                refused += 1;
            } else {
                assert_eq!(row.call.take(&client).await.status, 403, "{} as {asker:?}", row.operation);
            }
        }
        for asker in [Asker::ClientToken, Asker::FrontendToken] {
            let answer = row.call.take(&client(&app, asker).await).await;
            assert_eq!(answer.status, 403, "{} as {asker:?}: {}", row.operation, answer.text);
        }
        if scope != Scope::Environment {
            let here = powerful(&app, &[DEVELOPMENT]).await;
            refuse(&app, scope, &row, &here, "somebody who may skip here").await;
            refused += 1;
        }
        if scope == Scope::Nobody {
            for asker in [Asker::Administrator, Asker::AdminToken] {
                refuse(&app, scope, &row, &client(&app, asker).await, &format!("{asker:?}")).await;
                refused += 1;
            }
        }
    }
    println!("{refused} refusals by the guard");
    assert!(refused > 150, "{refused}");
}

#[tokio::test]
async fn every_guarded_call_passes_with_the_permission_to_skip_it_or_for_administrators() {
    for (scope, row) in guarded().into_iter().filter(|(scope, _)| *scope != Scope::Nobody) {
        if scope == Scope::Environment {
            let app = shop_for(&row).await;
            guard(&app, "shop", DEVELOPMENT).await;
            admit(&row, &powerful(&app, &[DEVELOPMENT]).await, "somebody who may skip here").await;
        }
        let app = shop_for(&row).await;
        guard(&app, "shop", DEVELOPMENT).await;
        admit(&row, &client(&app, Asker::Administrator).await, "an administrator").await;
    }
}

#[tokio::test]
async fn an_environment_is_guarded_for_itself_and_a_project_for_all_of_its_environments() {
    // That of all variants reaches production, too.
    let reaches_all = ["overwriteFeatureVariants", "patchFeatureVariants"];
    for (scope, row) in guarded() {
        let app = shop_for(&row).await;
        guard(&app, "shop", PRODUCTION).await;
        let person = powerful(&app, &[]).await;
        if scope == Scope::Environment && !reaches_all.contains(&row.operation) {
            admit(&row, &person, "somebody in another environment").await;
        } else {
            let before = app.event_types().await;
            assert_eq!(row.call.take(&person).await.status, 403, "{}", row.operation);
            assert_eq!(app.event_types().await, before, "{}", row.operation);
        }
    }
}

#[tokio::test]
async fn an_environment_that_the_project_does_not_use_guards_nothing() {
    for (_, row) in guarded() {
        let app = shop_for(&row).await;
        guard(&app, "shop", "default").await;
        guard(&app, "default", DEVELOPMENT).await;
        if row.operation != "changeProject" {
            admit(&row, &powerful(&app, &[]).await, "somebody").await;
        }
    }
}

/// Returns the feature `f` as programs of `development` read it, without properties that decide no evaluation.
async fn told(app: &TestApp) -> Value {
    let program = app.program(&["shop"], DEVELOPMENT).await;
    let features = program.get("/api/client/features").await.expect(200);
    let all = features["features"].as_array().expect("features");
    let feature = all.iter().find(|feature| feature["name"] == "f").cloned();
    // One that is not told of is off for everybody, like one that was never configured.
    let feature = feature.unwrap_or(json!({ "enabled": false, "strategies": [], "variants": [] }));
    let members = ["enabled", "strategies", "variants", "dependencies"];
    json!({ "feature": members.map(|member| feature[member].clone()), "segments": features["segments"] })
}

#[tokio::test]
async fn no_other_operation_changes_what_programs_are_told() {
    const ON: &str = "/api/admin/projects/shop/features/f/environments/development/on";
    let mut called = 0;
    for row in unguarded() {
        let app = shop_for(&row).await;
        // Some rows have archived the feature.
        app.admin().request(Method::POST, ON, &[], Vec::new()).await;
        guard(&app, "shop", DEVELOPMENT).await;
        let before = told(&app).await;
        let answer = row.call.take(&powerful(&app, &[]).await).await;
        called += usize::from(answer.status < 300);
        assert_eq!(told(&app).await, before, "{}: {}", row.operation, answer.text);
    }
    println!("{called} operations changed nothing that programs are told");
    assert!(called > 60, "{called}");
}
