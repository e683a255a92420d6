//! Dashboard of a person.

use flagstone::store::{
    self,
    entity::{feature, insight_project_week, project},
};
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{TestApp, role};

const PATH: &str = "/api/admin/personal-dashboard";

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app
}

async fn hide(app: &TestApp, id: &str) {
    let tx = app.tx().await;
    let private =
        project::ActiveModel { id: Set(id.to_owned()), mode: Set("private".to_owned()), ..Default::default() };
    project::Entity::update(private).exec(&tx).await.expect("updates");
    app.commit(tx).await;
}

#[tokio::test]
async fn it_shows_what_is_ones_own() {
    let app = shop().await;
    app.project("bank").await;
    let ada = app.member("shop").await;
    let eve = app.owner("bank").await;
    let admin = app.root_admin().await;
    let ada_id = ada.user_id.expect("an id");
    app.feature("shop", "other").await;
    let liked = app.feature("bank", "liked").await;
    let own = app.feature("shop", "own").await;
    let stale = app.feature("shop", "stale").await;
    let tx = app.tx().await;
    for (id, stale) in [(own, false), (stale, true)] {
        let row = feature::ActiveModel {
            id: Set(id),
            created_by_user_id: Set(Some(ada_id)),
            stale: Set(stale),
            ..Default::default()
        };
        feature::Entity::update(row).exec(&tx).await.expect("updates");
    }
    store::features::favorites::add_feature(&tx, ada_id, liked, app.clock.now()).await.expect("a favourite");
    app.commit(tx).await;
    let shown = ada.get(PATH).await.expect(200);
    let projects = json!([
        { "id": "default", "name": "Default", "health": 100, "technicalDebt": 0, "memberCount": 0, "featureCount": 0 },
        { "id": "shop", "name": "shop", "health": 67, "technicalDebt": 33, "memberCount": 1, "featureCount": 3 },
    ]);
    assert_eq!(shown["projects"], projects);
    let flags: Vec<&Value> = shown["flags"].as_array().expect("flags").iter().map(|flag| &flag["name"]).collect();
    assert_eq!(flags, ["liked", "own", "stale"]);
    assert_eq!(shown["flags"][0], json!({ "name": "liked", "project": "bank", "type": "release" }));
    assert_eq!(shown["admins"][0]["id"], admin.user_id.expect("an id"));
    assert_eq!(shown["projectOwners"].as_array().expect("owners").len(), 1);
    assert_eq!(shown["projectOwners"][0]["ownerType"], "user");
    hide(&app, "bank").await;
    let shown = ada.get(PATH).await.expect(200);
    let flags: Vec<&Value> = shown["flags"].as_array().expect("flags").iter().map(|flag| &flag["name"]).collect();
    assert_eq!(flags, ["own", "stale"]);
    assert_eq!(shown["projectOwners"], json!([]));
    assert_eq!(eve.get(PATH).await.expect(200)["projectOwners"].as_array().expect("owners").len(), 1);
    app.admin().get(PATH).await.refused(403, "InvalidOperationError", "API token");
}

#[tokio::test]
async fn a_project_tells_how_far_it_has_come_and_who_did_what() {
    let app = shop().await;
    let ada = app.owner("shop").await;
    let path = format!("{PATH}/shop");
    let shown = ada.get(&path).await.expect(200);
    assert_eq!(shown["onboardingStatus"], json!({ "status": "onboarding-started" }));
    assert_eq!(shown["roles"], json!([{ "id": role::OWNER, "name": "Owner", "type": "project" }]));
    assert_eq!(shown["owners"][0]["ownerType"], "user");
    assert_eq!(shown["latestEvents"], json!([]));
    let id = app.feature("shop", "f").await;
    for turn in 0..3 {
        let ops = json!([{ "op": "replace", "path": "/stale", "value": turn % 2 == 0 }]);
        ada.patch("/api/admin/projects/shop/features/f", ops).await.expect(200);
    }
    let shown = ada.get(&path).await.expect(200);
    assert_eq!(shown["onboardingStatus"], json!({ "status": "first-flag-created", "feature": "f" }));
    let latest = shown["latestEvents"].as_array().expect("events");
    assert_eq!(latest.len(), 4);
    let name = latest[0]["createdBy"].as_str().expect("a name");
    assert!(name.ends_with("@example.com"));
    assert_eq!(latest[0]["summary"], format!("**{name}**: feature stale on **f**"));
    let insights = json!({
        "avgHealthCurrentWindow": null, "avgHealthPastWindow": null, "totalFlags": 1, "activeFlags": 0,
        "staleFlags": 1, "potentiallyStaleFlags": 0, "health": 0, "technicalDebt": 100,
    });
    assert_eq!(shown["insights"], insights);
    let tx = app.tx().await;
    let seen = feature::ActiveModel { id: Set(id), last_seen_at: Set(Some(app.clock.now())), ..Default::default() };
    feature::Entity::update(seen).exec(&tx).await.expect("updates");
    for (week, health) in [90, 80, 71, 60, 50].into_iter().enumerate() {
        let date = app.clock.now().plus_days(-7 * i64::try_from(week).expect("small"));
        let row = insight_project_week::ActiveModel {
            week: Set(format!("2026-{week}")),
            project: Set("shop".to_owned()),
            date: Set(date),
            health: Set(health),
            time_to_production: Set(None),
            total: Set(1),
            active: Set(1),
            stale: Set(0),
            potentially_stale: Set(0),
            users: Set(None),
        };
        insight_project_week::Entity::insert(row).exec_without_returning(&tx).await.expect("a week");
    }
    app.commit(tx).await;
    let shown = ada.get(&path).await.expect(200);
    assert_eq!(shown["onboardingStatus"], json!({ "status": "onboarded" }));
    assert_eq!(shown["insights"]["avgHealthCurrentWindow"], 75);
    assert_eq!(shown["insights"]["avgHealthPastWindow"], 50);
}

#[tokio::test]
async fn projects_that_one_may_not_see_are_not_there() {
    let app = shop().await;
    let viewer = app.viewer().await;
    let shown = viewer.get(&format!("{PATH}/shop")).await.expect(200);
    assert_eq!(shown["owners"], json!([{ "ownerType": "system" }]));
    assert_eq!(shown["roles"], json!([]));
    hide(&app, "shop").await;
    viewer.get(&format!("{PATH}/shop")).await.refused(404, "NotFoundError", "shop");
    viewer.get(&format!("{PATH}/none")).await.refused(404, "NotFoundError", "none");
    app.admin().get(&format!("{PATH}/shop")).await.refused(403, "InvalidOperationError", "API token");
}
