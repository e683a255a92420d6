//! Health report and overview of a project: every figure against one that was worked out by hand.

mod statistics;

use flagstone::{
    domain::time::{DAY_MS, Timestamp},
    store::{
        self,
        entity::{app_user, environment, feature, feature_type, project, project_environment},
    },
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{TestApp, connect, role};

const REPORT: &str = "/api/admin/projects/shop/health-report";
const OVERVIEW: &str = "/api/admin/projects/shop";

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app
}

/// A feature of some type made `age_ms` before now.
async fn aged(app: &TestApp, name: &str, kind: &str, age_ms: i64) -> i64 {
    app.clock.advance(-age_ms);
    let id = app.feature("shop", name).await;
    app.clock.advance(age_ms);
    change(app, feature::ActiveModel { id: Set(id), r#type: Set(kind.to_owned()), ..Default::default() }).await;
    id
}

async fn change(app: &TestApp, row: feature::ActiveModel) {
    let tx = app.tx().await;
    row.update(&tx).await.expect("updates");
    app.commit(tx).await;
}

async fn archive(app: &TestApp, id: i64, age_ms: i64) {
    let archived_at = Set(Some(app.clock.now().plus_millis(-age_ms)));
    change(app, feature::ActiveModel { id: Set(id), archived_at, ..Default::default() }).await;
}

async fn mark_stale(app: &TestApp, id: i64) {
    change(app, feature::ActiveModel { id: Set(id), stale: Set(true), ..Default::default() }).await;
}

fn names(answer: &Value) -> Vec<&str> {
    let features = answer["features"].as_array().expect("a list");
    features.iter().map(|feature| feature["name"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn an_empty_project_is_healthy_and_says_everything() {
    let app = shop().await;
    let stats = json!({
        "avgTimeToProdCurrentWindow": 0, "createdCurrentWindow": 0, "createdPastWindow": 0,
        "archivedCurrentWindow": 0, "archivedPastWindow": 0, "projectActivityCurrentWindow": 0,
        "projectActivityPastWindow": 0, "projectMembersAddedCurrentWindow": 0,
    });
    let mut expected = json!({
        "version": 1, "name": "shop", "description": null, "defaultStickiness": "default", "mode": "open",
        "featureLimit": null, "members": 0, "health": 100,
        "environments": [
            { "environment": "development", "changeRequestsEnabled": false },
            { "environment": "production", "changeRequestsEnabled": false },
        ],
        "features": [], "updatedAt": "2026-01-15T12:00:00.000Z", "createdAt": "2026-01-15T12:00:00.000Z",
        "favorite": false, "stats": stats,
        "featureNaming": { "pattern": null, "example": null, "description": null },
        "potentiallyStaleCount": 0, "activeCount": 0, "staleCount": 0,
    });
    assert_eq!(app.admin().get(REPORT).await.expect(200), expected);
    for count in ["potentiallyStaleCount", "activeCount", "staleCount"] {
        expected.as_object_mut().expect("an object").remove(count);
    }
    assert_eq!(app.admin().get(OVERVIEW).await.expect(200), expected);
}

#[tokio::test]
async fn settings_are_told_as_they_are() {
    let app = shop().await;
    let tx = app.tx().await;
    let row = project::ActiveModel {
        id: Set("shop".to_owned()),
        name: Set("The shop".to_owned()),
        description: Set(Some("What we sell".to_owned())),
        mode: Set("protected".to_owned()),
        default_stickiness: Set("userId".to_owned()),
        feature_limit: Set(Some(12)),
        naming_pattern: Set(Some("^s-.+".to_owned())),
        naming_example: Set(Some("s-cart".to_owned())),
        naming_description: Set(Some("Begin with s-".to_owned())),
        updated_at: Set(app.clock.now().plus_millis(7)),
        ..Default::default()
    };
    row.update(&tx).await.expect("updates");
    app.commit(tx).await;
    for path in [REPORT, OVERVIEW] {
        let body = app.admin().get(path).await.expect(200);
        let told = ["name", "description", "mode", "defaultStickiness", "featureLimit", "featureNaming", "updatedAt"]
            .map(|property| body[property].clone());
        let naming = json!({ "pattern": "^s-.+", "example": "s-cart", "description": "Begin with s-" });
        let expected =
            json!(["The shop", "What we sell", "protected", "userId", 12, naming, "2026-01-15T12:00:00.007Z"]);
        assert_eq!(json!(told), expected, "{path}");
    }
}

#[tokio::test]
async fn unknown_archived_and_hidden_projects_are_not_found() {
    let app = shop().await;
    let (viewer, member) = (app.viewer().await, app.member("shop").await);
    for path in ["/api/admin/projects/nope", "/api/admin/projects/nope/health-report"] {
        app.admin().get(path).await.refused(404, "NotFoundError", "\"nope\"");
        app.anonymous().get(path).await.refused(401, "AuthenticationRequired", "token");
    }
    let tx = app.tx().await;
    let private =
        project::ActiveModel { id: Set("shop".to_owned()), mode: Set("private".to_owned()), ..Default::default() };
    private.update(&tx).await.expect("updates");
    app.commit(tx).await;
    for path in [REPORT, OVERVIEW] {
        viewer.get(path).await.refused(404, "NotFoundError", "\"shop\"");
        assert_eq!(member.get(path).await.expect(200)["mode"], "private");
        assert_eq!(app.root_admin().await.get(path).await.expect(200)["name"], "shop");
    }
    let tx = app.tx().await;
    let archived = project::ActiveModel {
        id: Set("shop".to_owned()),
        archived_at: Set(Some(app.clock.now())),
        ..Default::default()
    };
    archived.update(&tx).await.expect("updates");
    app.commit(tx).await;
    for path in [REPORT, OVERVIEW] {
        app.admin().get(path).await.refused(404, "NotFoundError", "\"shop\"");
    }
}

#[tokio::test]
async fn features_are_counted_by_mark_age_and_type() {
    let app = shop().await;
    let lifetime = 40 * DAY_MS;
    aged(&app, "reached", "release", lifetime).await;
    aged(&app, "not-yet", "release", lifetime - 1).await;
    aged(&app, "short-lived", "operational", 7 * DAY_MS).await;
    aged(&app, "immortal", "kill-switch", 1000 * DAY_MS).await;
    aged(&app, "of-unknown-type", "homemade", 1000 * DAY_MS).await;
    let marked = aged(&app, "marked", "release", lifetime).await;
    mark_stale(&app, marked).await;
    let gone = aged(&app, "gone", "release", lifetime).await;
    archive(&app, gone, 0).await;
    app.project("other").await;
    app.feature("other", "of-another-project").await;

    let counts = |body: &Value| {
        ["activeCount", "staleCount", "potentiallyStaleCount", "health"].map(|name| body[name].as_i64().expect("whole"))
    };
    let body = app.admin().get(REPORT).await.expect(200);
    // Six features, one of them stale and two potentially stale.
    assert_eq!(counts(&body), [5, 1, 2, 50]);
    app.clock.advance(1);
    assert_eq!(counts(&app.admin().get(REPORT).await.expect(200)), [5, 1, 3, 33]);
    assert_eq!(app.admin().get(OVERVIEW).await.expect(200)["health"], 33);

    let tx = app.tx().await;
    let forever =
        feature_type::ActiveModel { id: Set("release".to_owned()), lifetime_days: Set(Some(0)), ..Default::default() };
    forever.update(&tx).await.expect("updates");
    app.commit(tx).await;
    assert_eq!(counts(&app.admin().get(REPORT).await.expect(200)), [5, 1, 1, 67]);
}

#[tokio::test]
async fn counts_agree_with_a_recount_of_the_listed_features() {
    let app = shop().await;
    let lifetimes = [("release", 40), ("experiment", 40), ("operational", 7), ("kill-switch", i64::MAX)];
    let mut chance = 42_u64;
    for number in 0..60 {
        // A fixed sequence that looks like chance.
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = |bits: u32, modulus: u64| (chance >> bits) % modulus;
        let (kind, _) = lifetimes[usize::try_from(pick(33, 4)).expect("small")];
        let age = i64::try_from(pick(40, 90)).expect("small") * DAY_MS;
        let id = aged(&app, &format!("f{number}"), kind, age).await;
        if pick(50, 5) == 0 {
            mark_stale(&app, id).await;
        }
        if pick(55, 6) == 0 {
            archive(&app, id, 0).await;
        }
    }
    let body = app.admin().get(REPORT).await.expect(200);
    let features = body["features"].as_array().expect("a list");
    let is_stale = |feature: &&Value| feature["stale"] == true;
    let is_old = |feature: &&Value| {
        let created_at = Timestamp::parse(feature["createdAt"].as_str().expect("text")).expect("an instant");
        let (_, days) = lifetimes.iter().find(|(kind, _)| feature["type"] == *kind).expect("a type of the list");
        feature["stale"] == false && (app.clock.now().millis() - created_at.millis()) / DAY_MS >= *days
    };
    let (total, stale) = (features.len(), features.iter().filter(is_stale).count());
    let old = features.iter().filter(is_old).count();
    assert!(total > 40 && stale > 3 && old > 3, "the data hold enough of each: {total} {stale} {old}");
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let health = (100.0 - stale as f64 / total as f64 * 100.0 - old as f64 / total as f64 * 100.0).round();
    assert_eq!(body["activeCount"], total - stale);
    assert_eq!(body["staleCount"], stale);
    assert_eq!(body["potentiallyStaleCount"], old);
    assert_eq!(body["health"].as_f64(), Some(health));
}

#[tokio::test]
async fn members_are_different_people_with_a_role_directly_or_through_a_group() {
    let app = shop().await;
    let old_member = app.owner("shop").await.user_id.expect("a person");
    app.clock.advance(31 * DAY_MS);
    let (viewer, editor) = (app.viewer().await, app.editor().await);
    let members = async || {
        let body = app.admin().get(REPORT).await.expect(200);
        (body["members"].clone(), body["stats"]["projectMembersAddedCurrentWindow"].clone())
    };
    assert_eq!(members().await, (json!(1), json!(0)), "root roles do not count, and the owner came too early");

    let people = [old_member, viewer.user_id.expect("a person"), editor.user_id.expect("a person")];
    let group = app.group("team", &people[..2]).await;
    app.group_role("shop", group, role::MEMBER).await;
    let tx = app.tx().await;
    store::access::people::grant_project_role(&tx, "shop", people[2], role::MEMBER, app.clock.now())
        .await
        .expect("a role");
    store::access::people::grant_project_role(&tx, "shop", people[2], role::OWNER, app.clock.now())
        .await
        .expect("a role");
    app.commit(tx).await;
    assert_eq!(members().await, (json!(3), json!(3)));
    app.clock.advance(30 * DAY_MS);
    assert_eq!(members().await, (json!(3), json!(3)), "the first instant of the window belongs to it");
    app.clock.advance(1);
    assert_eq!(members().await, (json!(3), json!(0)));

    let tx = app.tx().await;
    let deleted =
        app_user::ActiveModel { id: Set(people[2]), deleted_at: Set(Some(app.clock.now())), ..Default::default() };
    deleted.update(&tx).await.expect("updates");
    app.commit(tx).await;
    assert_eq!(members().await, (json!(2), json!(0)));
}

#[tokio::test]
async fn environments_come_in_order_with_their_default_strategy() {
    let app = shop().await;
    let tx = app.tx().await;
    for (name, sort_order) in [("zeta", 2), ("alpha", 2), ("late", 9), ("unused", 1)] {
        store::environments::insert(&tx, name, "test", sort_order).await.expect("an environment");
        if name != "unused" {
            connect(&tx, "shop", name).await;
        }
    }
    let strategy = json!({
        "name": "flexibleRollout", "title": "Half", "disabled": false, "sortOrder": 1,
        "constraints": [{ "contextName": "userId", "operator": "IN", "values": ["1"] }],
        "parameters": { "rollout": "50" }, "segments": [3],
    });
    let row = project_environment::ActiveModel {
        project: Set("shop".to_owned()),
        environment: Set("late".to_owned()),
        default_strategy: Set(Some(strategy.to_string())),
    };
    row.update(&tx).await.expect("updates");
    app.commit(tx).await;
    // `development` has sort order 2 as well, and `production` 3.
    let expected = json!([
        { "environment": "alpha", "changeRequestsEnabled": false },
        { "environment": "development", "changeRequestsEnabled": false },
        { "environment": "zeta", "changeRequestsEnabled": false },
        { "environment": "production", "changeRequestsEnabled": false },
        { "environment": "late", "changeRequestsEnabled": false, "defaultStrategy": strategy },
    ]);
    for path in [REPORT, OVERVIEW] {
        assert_eq!(app.admin().get(path).await.expect(200)["environments"], expected, "{path}");
    }
    let seeded = environment::Entity::find_by_id("development").one(app.db()).await.expect("reads");
    assert_eq!(seeded.expect("is seeded").sort_order, 2);
}

#[tokio::test]
async fn favorites_are_those_of_the_caller() {
    let app = shop().await;
    let liked = app.feature("shop", "liked").await;
    app.feature("shop", "other").await;
    let (fan, passer_by) = (app.viewer().await, app.viewer().await);
    let tx = app.tx().await;
    let user_id = fan.user_id.expect("a person");
    store::projects::favorites::mark(&tx, user_id, "shop", app.clock.now()).await.expect("marks");
    store::features::favorites::add_feature(&tx, user_id, liked, app.clock.now()).await.expect("marks");
    app.commit(tx).await;
    for path in [REPORT, OVERVIEW] {
        let told = async |caller: crate::harness::Client| {
            let body = caller.get(path).await.expect(200);
            json!([body["favorite"], body["features"][0].get("favorite"), body["features"][1].get("favorite")])
        };
        assert_eq!(told(fan.clone()).await, json!([true, true, false]), "{path}");
        assert_eq!(told(passer_by.clone()).await, json!([false, false, false]), "{path}");
        assert_eq!(told(app.admin()).await, json!([false, null, null]), "{path}");
    }
}

#[tokio::test]
async fn the_overview_lists_archived_features_on_request_alone() {
    let app = shop().await;
    aged(&app, "newer", "release", 0).await;
    aged(&app, "older", "release", DAY_MS).await;
    let gone = aged(&app, "gone", "release", 2 * DAY_MS).await;
    archive(&app, gone, 0).await;
    for query in ["", "?archived=false", "?archived=TRUE", "?archived=1", "?archived="] {
        let body = app.admin().get(&format!("{OVERVIEW}{query}")).await.expect(200);
        assert_eq!(names(&body), ["older", "newer"], "{query}");
    }
    let body = app.admin().get(&format!("{OVERVIEW}?archived=true")).await.expect(200);
    assert_eq!(names(&body), ["gone"]);
    assert_eq!(body["features"][0]["archivedAt"], "2026-01-15T12:00:00.000Z");
    assert_eq!(body["health"], 100);
    // The report knows no such parameter.
    assert_eq!(names(&app.admin().get(&format!("{REPORT}?archived=true")).await.expect(200)), ["older", "newer"]);
}
