//! Calls whose bodies decide what they reach, and those that reach more than one place.

use flagstone::{
    access::{Caller, Identity, project_of_operator},
    changes::{Author, feature::Target, guard::Passage, if_match::IfMatch, switches::Switch},
    config::Limits,
    domain::change_request::state::State,
    store::change_requests,
};
use poem::http::Method;
use serde_json::{Value, json};

use super::{DEVELOPMENT, PRODUCTION, guard, powerful};
use crate::{
    change_requests::{
        shop::CONFIG,
        world::{World, feature, held, of, segment, two_features},
    },
    harness::{Answer, Client, TestApp},
};

const FEATURE: &str = "/api/admin/projects/shop/features/f";
const SEGMENTS: &str = "/api/admin/segments";
const IMPORT: &str = "/api/admin/features-batch/import";

async fn shop(guarded: &[&str]) -> TestApp {
    let app = two_features().await;
    for environment in guarded {
        guard(&app, "shop", environment).await;
    }
    app
}

async fn rename(client: &Client, segment: i64, name: &str) -> Answer {
    let body = json!({ "name": name, "constraints": [] });
    client.json(Method::PUT, &format!("{SEGMENTS}/{segment}"), body).await
}

#[tokio::test]
async fn no_one_moves_a_feature_to_where_changes_need_approval() {
    let app = shop(&[]).await;
    guard(&app, "default", DEVELOPMENT).await;
    let to_default = json!({ "newProjectId": "default" });
    for client in [app.admin(), powerful(&app, &[DEVELOPMENT]).await] {
        let answer = client.post(&format!("{FEATURE}/changeProject"), to_default.clone()).await;
        answer.refused(403, "ForbiddenError", "moved to the project \"default\"");
    }
    let owner = app.admin().get(FEATURE).await.expect(200)["project"].clone();
    assert_eq!(owner, "shop");
}

#[tokio::test]
async fn a_segment_of_all_projects_is_guarded_where_strategies_apply_it() {
    let app = shop(&[PRODUCTION]).await;
    let id = segment(&app.admin()).await;
    let person = powerful(&app, &[]).await;
    rename(&person, id, "unused").await.expect(204);
    let strategies = |environment: &str| format!("{FEATURE}/environments/{environment}/strategies");
    let applying = json!({ "name": "default", "segments": [id] });
    app.admin().post(&strategies(DEVELOPMENT), applying.clone()).await.expect(200);
    rename(&person, id, "used elsewhere").await.expect(204);
    app.admin().post(&strategies(PRODUCTION), applying).await.expect(200);
    rename(&person, id, "used").await.refused(403, "NoAccessError", "in the \"production\" environment");
    let to_shop = json!({ "name": "ours", "project": "shop", "constraints": [] });
    let moved = person.json(Method::PUT, &format!("{SEGMENTS}/{id}"), to_shop).await;
    moved.refused(403, "NoAccessError", "SKIP_CHANGE_REQUEST");
    rename(&powerful(&app, &[DEVELOPMENT]).await, id, "no").await.refused(403, "NoAccessError", "SKIP_CHANGE_REQUEST");
    rename(&powerful(&app, &[PRODUCTION]).await, id, "skipped").await.expect(204);
    app.admin().request(Method::DELETE, FEATURE, &[], Vec::new()).await.expect(202);
    rename(&person, id, "archived").await.expect(204);
}

#[tokio::test]
async fn a_segment_stays_as_those_saw_it_who_approve_a_strategy_with_it() {
    let world = World::new().await;
    let app = &world.app;
    let id = segment(&app.admin()).await;
    let needing = json!({ "changeRequestsEnabled": true });
    app.admin().json(Method::PUT, CONFIG, needing.clone()).await.expect(204);
    let person = powerful(app, &[]).await;
    let adding = of(feature("cart"), "addStrategy", json!({ "name": "default", "segments": [id] }));
    let request = world.request(world.ada, State::Draft, &[adding]).await;
    rename(&person, id, "in a draft").await.expect(204);
    enter(&world, request, State::InReview).await;
    rename(&person, id, "in review").await.refused(403, "NoAccessError", "in the \"production\" environment");
    let without = json!({ "changeRequestsEnabled": false });
    app.admin().json(Method::PUT, CONFIG, without).await.expect(204);
    rename(&person, id, "not needed any more").await.expect(204);
    app.admin().json(Method::PUT, CONFIG, needing).await.expect(204);
    enter(&world, request, State::Rejected).await;
    rename(&person, id, "rejected").await.expect(204);
}

async fn enter(world: &World, request: i64, state: State) {
    let tx = world.app.tx().await;
    let head = held(&tx, request).await;
    assert!(change_requests::enter(&tx, &head, state, world.now()).await.expect("enters"));
    world.app.commit(tx).await;
}

#[tokio::test]
async fn a_batch_passes_as_a_whole_or_not_at_all() {
    let app = shop(&[DEVELOPMENT]).await;
    let person = powerful(&app, &[PRODUCTION]).await;
    let both = json!({ "features": ["f", "g"] });
    let before = app.event_types().await;
    for dry_run in ["", "?dryRun=true"] {
        let on = format!("/api/admin/projects/shop/bulk_features/environments/development/on{dry_run}");
        person.post(&on, both.clone()).await.refused(403, "NoAccessError", "in the \"development\" environment");
    }
    assert_eq!(app.event_types().await, before);

    // One of two environments is not enough.
    guard(&app, "shop", PRODUCTION).await;
    let variants = json!([{ "name": "a", "weight": 0 }]);
    let batch = json!({ "variants": variants, "environments": [PRODUCTION, DEVELOPMENT] });
    let answer = person.json(Method::PUT, &format!("{FEATURE}/variants-batch"), batch).await;
    answer.refused(403, "NoAccessError", "in the \"development\" environment");
    let everywhere = person.json(Method::PUT, &format!("{FEATURE}/variants"), variants.clone()).await;
    everywhere.refused(403, "NoAccessError", "in the \"development\" environment");
    assert_eq!(app.event_types().await, before);
    let one = json!({ "variants": variants, "environments": [PRODUCTION] });
    person.json(Method::PUT, &format!("{FEATURE}/variants-batch"), one).await.expect(200);
}

#[tokio::test]
async fn an_import_reaches_all_environments_where_it_changes_dependencies() {
    let app = shop(&[PRODUCTION]).await;
    let person = powerful(&app, &[]).await;
    let import = |dependencies: Value| {
        let data = json!({
            "features": [{ "name": "f" }], "featureStrategies": [], "tagTypes": [], "dependencies": dependencies,
        });
        json!({ "project": "shop", "environment": DEVELOPMENT, "data": data })
    };
    person.post(IMPORT, import(json!([]))).await.expect(200);
    let dependent = import(json!([{ "feature": "f", "dependencies": [{ "feature": "g" }] }]));
    let before = app.event_types().await;
    for dry_run in ["", "?dryRun=true"] {
        let answer = person.post(&format!("{IMPORT}{dry_run}"), dependent.clone()).await;
        answer.refused(403, "NoAccessError", "SKIP_CHANGE_REQUEST");
    }
    assert_eq!(app.event_types().await, before);
    app.admin().post(IMPORT, dependent.clone()).await.expect(200);
    // It is there by now.
    person.post(IMPORT, dependent).await.expect(200);
}

#[tokio::test]
async fn what_follows_from_a_change_needs_nothing_more() {
    let app = shop(&[]).await;
    let on = format!("{FEATURE}/environments/development/on");
    app.admin().request(Method::POST, &on, &[], Vec::new()).await.expect(200);
    guard(&app, "shop", DEVELOPMENT).await;
    let strategies = format!("{FEATURE}/environments/development/strategies");
    let id = app.admin().get(&strategies).await.expect(200)[0]["id"].as_str().expect("an id").to_owned();
    let person = powerful(&app, &[DEVELOPMENT]).await;
    let before = app.event_types().await;
    person.request(Method::DELETE, &format!("{strategies}/{id}"), &[], Vec::new()).await.expect(200);
    let events = app.event_types().await.split_off(before.len());
    assert_eq!(events, ["feature-environment-disabled", "feature-strategy-remove"]);
}

#[tokio::test]
async fn the_operator_passes_as_an_administrator() {
    let app = shop(&[DEVELOPMENT]).await;
    let caller = Caller::new(Identity::Operator, app.db().clone());
    let limits = Limits::default();
    let author = Author { caller: &caller, db: app.db(), clock: &app.clock, limits: &limits, passage: Passage::Direct };
    let (project, any) = (project_of_operator("shop"), IfMatch::default());
    let on = Switch { environment: DEVELOPMENT, on: true, activate: false, named_at: None };
    assert!(author.change(Target::new(&project, "f", &any), on).await.expect("no refusal"));
}
